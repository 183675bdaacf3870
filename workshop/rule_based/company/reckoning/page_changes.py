"""Changes to pages of the wiki; worker code, as `office` is."""

import re

from workshop.rule_based.company.reckoning.changes import planned
from workshop.rule_based.company.reckoning.office import CompanyState, Report, Unclear, nothing
from workshop.rule_based.company.reckoning.sets import customers
from workshop.rule_based.company.reckoning.spotting import akin

LEFT = frozenset(
    "the this that our wiki nobody anybody needs please delete remove drop empty away out and".split()
)


def files(o: CompanyState) -> list[str]:
    """The files that the task names, else the one page whose name's words it has."""
    named = [
        f.strip("`'\"“”.,;:") for f in re.findall(r"[\w./-]+\.(?:md|bak|txt)(?:\.\w+)?", o.text)
    ]
    if named:
        return list(dict.fromkeys(named))
    called = re.search(r"((?:[\w-]+ ){1,5}?)pages?\b", o.low)
    asked = [w for w in re.findall(r"[^\W\d_]{3,}", called[1]) if w not in LEFT] if called else []
    stems = {
        f: re.findall(r"[^\W\d_]{3,}", f.rsplit("/", 1)[-1].removesuffix(".md").lower())
        for f in o.pages
    }
    return [
        f for f, stem in stems.items()
        if asked and len(stem) == len(asked) and all(any(akin(x, w) for w in asked) for x in stem)
    ]  # fmt: skip


def rename_page(o: CompanyState) -> Report:
    """A page under a new name."""
    named = files(o)
    if len(named) == 2 and named[0] not in o.pages:
        return nothing("There is no such page.", paths=named)
    if len(named) != 2 or named[1] in o.pages:
        raise Unclear("which page shall get which name?")
    call = ["Combo_Rename_Wiki_Page", {"old": named[0], "new": named[1]}]
    links = [("wiki", named[1]), ("wiki", named[0])]
    return planned(f"{named[0]} is now {named[1]}.", links, [call], paths=named)


def delete_page(o: CompanyState) -> Report:
    """A page that is emptied."""
    named = files(o)
    if len(named) != 1:
        raise Unclear("which page is meant?")
    if named[0] not in o.pages:
        return nothing("There is no such page.", paths=named)
    call = ["Combo_Write_Wiki_Pages", {"pages": {named[0]: ""}}]
    return planned(f"{named[0]} is emptied.", [("wiki", named[0])], [call], paths=named)


def write_page(o: CompanyState) -> Report:
    """A new page with a text that the task holds word for word."""
    named = [f for f in re.findall(r"[\w./-]+\.md\b", o.text)]
    between = re.findall(r">>+\s?(.+?)\s?<<+", o.text, re.DOTALL)
    behind = re.search(
        r"\b(?:exactly|word for word|verbatim|only|nothing (?:else|more)|content|text)\b[^\n:]*:\s*\n?([^\n]+)\s*$",
        o.text,
    )
    texts = between or list(o.p["quoted"]) or ([behind[1].strip()] if behind else [])
    if (
        len(dict.fromkeys(named)) != 1
        or len(texts) != 1
        or not o.says(
            r"\bnew page\b|\bcreate\b|\bpage\b.*\b(?:exactly|only|word for word|content)\b"
        )
    ):
        raise Unclear("which text shall stand on which page?")
    if named[0] in o.pages:
        raise Unclear("that page is there already; shall its text go?")
    call = ["Combo_Write_Wiki_Pages", {"pages": {named[0]: texts[0]}}]
    return planned(f"{named[0]} is written.", [("wiki", named[0])], [call], paths=named[:1])


def placeholders(o: CompanyState) -> Report:
    """A page for everybody who leads a project, or for every customer."""
    path = re.search(r"[\w./-]*?\b((?:EMPLOYEE|PERSON|LEAD|[A-Z]+)_ID)[\w./-]*\.md", o.text)
    content = o.p["quoted"] or re.findall(r"\b(?:word|text|content) ([A-Z]{2,})\b", o.text)
    if path is None or len(content) != 1:
        raise Unclear("which pages, with which content?")
    of_people = path[1] in ("EMPLOYEE_ID", "PERSON_ID", "LEAD_ID")
    narrowed = o.says(r"\b(?:whose|who|that|with|without|except|but|not)\b(?! a line)")
    every = o.says(r"\b(every|all|each)\b[^.]*\bcustomers?\b") and not o.says(r"\bwhose\b")
    if path[1] == "CUSTOMER_ID" and every:
        ids = [c["id"] for c in o.customers]
    elif path[1] in ("CUSTOMER_ID", "CLIENT_ID", "BUYER_ID") and not narrowed:
        ids = [id_ for kind, id_ in customers(o)["links"] if kind == "customer"]
    elif of_people and o.says(r"\bleads?\b|\bleading\b"):
        ids = sorted({o.lead(p) for p in o.projects} - {""})
    else:
        raise Unclear("for whom?")
    pages = {path[0].replace(path[1], i): content[0] for i in ids}
    call = ["Combo_Write_Wiki_Pages", {"pages": pages}]
    return planned(
        f"{len(pages)} pages are written.", [("wiki", f) for f in pages], [call], paths=list(pages)
    )
