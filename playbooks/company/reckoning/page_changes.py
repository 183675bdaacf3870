"""Changes to pages of the wiki; worker code, as `office` is."""

import re

from playbooks.company.reckoning.changes import planned
from playbooks.company.reckoning.office import (
    Office,
    Report,
    Unclear,
    nothing,
)


def files(o: Office) -> list[str]:
    """The files that the task names."""
    return [
        f.strip("`'\"“”.,;:") for f in re.findall(r"[\w./-]+\.(?:md|bak|txt)(?:\.\w+)?", o.text)
    ]


def rename_page(o: Office) -> Report:
    """A page under a new name."""
    named = files(o)
    if len(named) != 2 or named[0] not in o.pages or named[1] in o.pages:
        return nothing("There is no such page.") if named and named[0] not in o.pages else unsure()
    call = ["Combo_Rename_Wiki_Page", {"old": named[0], "new": named[1]}]
    return planned(
        f"{named[0]} is now {named[1]}.", [("wiki", named[1]), ("wiki", named[0])], [call]
    )


def unsure() -> Report:
    """Raises Unclear: the names of pages are not clear."""
    raise Unclear("which page shall get which name?")


def delete_page(o: Office) -> Report:
    """A page that is emptied."""
    named = files(o)
    if len(named) != 1:
        raise Unclear("which page is meant?")
    if named[0] not in o.pages:
        return nothing("There is no such page.")
    call = ["Combo_Write_Wiki_Pages", {"pages": {named[0]: ""}}]
    return planned(f"{named[0]} is emptied.", [("wiki", named[0])], [call])


def placeholders(o: Office) -> Report:
    """A page for everybody who leads a project, or for every customer."""
    path = re.search(r"[\w./-]*(EMPLOYEE_ID|CUSTOMER_ID)[\w./-]*\.md", o.text)
    content = o.p["quoted"] or re.findall(r"\b(?:word|text|content) ([A-Z]{2,})\b", o.text)
    if path is None or len(content) != 1:
        raise Unclear("which pages, with which content?")
    leads = o.says(r"\bleads?\b|\bleading\b")
    if (
        path[1] == "CUSTOMER_ID"
        and o.says(r"\b(every|all|each)\b[^.]*\bcustomers?\b")
        and not o.says(r"\bwhose\b")
    ):
        ids = [c["id"] for c in o.customers]
    elif path[1] == "EMPLOYEE_ID" and leads:
        ids = sorted({o.lead(p) for p in o.projects} - {""})
    else:
        raise Unclear("for whom?")
    pages = {path[0].replace(path[1], i): content[0] for i in ids}
    call = ["Combo_Write_Wiki_Pages", {"pages": pages}]
    return planned(f"{len(pages)} pages are written.", [("wiki", f) for f in pages], [call])
