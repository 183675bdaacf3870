"""What the clerk knows: nothing but how many people there are."""

from erc3 import ApiException
from erc3 import erc3 as dev

STEP = 3


def count_people(company):
    """Pages in steps of its own, without a look at next_offset, until one is short or empty."""
    offset = 0
    while True:
        page = company.list_employees(offset=offset, limit=STEP)
        print("PAGE", offset, len(page.employees))
        if len(page.employees) < STEP:
            return offset + len(page.employees)
        offset += STEP


def answer_of(company):
    try:
        if company.who_am_i().is_public:
            return dev.Req_ProvideAgentResponse(message="No.", outcome="denied_security")
        pages = company.dispatch(dev.Req_ListWikiPages()).paths
        rules = [company.load_wiki_page(page).content for page in pages]
        text = f"{count_people(company)} people, {len(rules)} pages"
    except ApiException as error:
        return dev.Req_ProvideAgentResponse(message=error.detail, outcome="error_internal")
    return dev.Req_ProvideAgentResponse(message=text, outcome="none_clarification_needed")
