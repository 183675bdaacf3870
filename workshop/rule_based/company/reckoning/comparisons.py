"""Comparisons of two, and tables of a team; worker code, as `office` is."""

import re

from workshop.rule_based.company.reckoning.office import (
    CompanyState,
    Report,
    Unclear,
    best,
    found,
    links_to,
)
from workshop.rule_based.company.reckoning.spotting import (
    Record,
    akin,
    customers_in,
    fold,
    levels_in,
)


def two_of(o: CompanyState) -> tuple[str, list[Record]] | None:
    """The two people or customers that are compared by their projects. Raises Unclear."""
    if not o.says(r"\bmore\b[^.?]*\b(?:projects?|jobs?|deals?|engagements?)\b") or not o.says(
        r"\bor\b"
    ):
        return None
    two = o.some_people()
    if len(two) == 2:
        return "employee", two
    two = []
    for half in halves(o.text):
        fits = [c for c in customers_in(half, o.customers) if not strange(half, c)]
        two += [c for c in fits if c not in two][:1] if len(fits) == 1 else []
    if len(two) != 2:
        raise Unclear("one of the two is no customer that we know; which one is meant?")
    return "customer", two


def more_of(o: CompanyState) -> Report:
    """Which of two people or customers has more projects; how a tie is linked stands in the text."""
    kind, two = two_of(o) or ("", [])
    if not two:
        raise Unclear("which two are compared?")
    both = o.says(r"\bboth\b") or (kind == "employee" and not o.says(r"\b(none|neither|nobody)\b"))

    def number(x: Record) -> int:
        return sum(p["customer"] == x["id"] or bool(o.on(p, x["id"])) for p in o.projects)

    top = best(two, number)
    said = ", ".join(f"{x['name']} {number(x)}" for x in two)
    return found(f"Projects: {said}.", links_to(kind, top if len(top) == 1 or both else []))


def strange(text: str, customer: Record) -> bool:
    """Whether a text has a name in it that the customer's record has not."""
    known = fold(" ".join(str(v) for v in customer.values())).split()
    names = [fold(w) for w in re.findall(r"(?<=[ -])[^\W\d_a-z][^\W\d_]{3,}", text)]
    return any(not any(akin(n, k) for k in known) for n in names)


def halves(text: str) -> list[str]:
    """The text around the first `or` behind which a name stands."""
    part = next((x for x in re.split(r"[:?]|, (?=[a-z])", text) if re.search(r"\bor\b", x)), text)
    parts = re.split(r",? or ", part)
    if len(parts) == 2:
        return parts
    around = re.search(r"(.*?),? or (.*?)[?.,]", text, re.DOTALL)
    return [around[1], around[2]] if around else [text]


def team_table(o: CompanyState) -> Report:
    """The levels of a team, as a table or summed up."""
    project, flags = o.project()
    team = [p for p in o.people if o.on(project, p["id"])]
    ids = levels_in(o.text, o.labels)
    field = "wills" if o.says(r"\bwills?\b|\bmotivations?\b") else "skills"
    ids = ids or sorted({name for p in team for name in p[field]})
    sums = {i: sum(o.level(p, i) for p in team) for i in ids}
    if o.says(r"\b(sum|combined|together)\b"):
        said = ", ".join(
            f"{o.labels.get(i, i)} ({i}): {n}" for i, n in sums.items() if n == max(sums.values())
        )
    else:
        rows = [
            " | ".join([f"{i} ({o.labels.get(i, i)})", *(str(o.level(p, i)) for p in team)])
            for i in ids
        ]
        said = "\n".join([f"{field} | {' | '.join(p['name'] for p in team)}", *rows])
    return found(said, [*links_to("employee", team), ("project", project["id"])], **flags)
