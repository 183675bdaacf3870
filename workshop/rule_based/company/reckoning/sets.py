"""Answers about sets: which people, projects or customers, by filters and a measure; worker code.

A question names what is asked for (`subject`), what restricts it, and perhaps a measure of which
the highest or lowest is wanted. All who tie are named. The report's `rights` are what was looked at.
"""

import re
from collections.abc import Callable
from typing import Any

from workshop.rule_based.company.reckoning.comparisons import two_of
from workshop.rule_based.company.reckoning.meanings import STATUSES
from workshop.rule_based.company.reckoning.office import (  # fmt: skip
    LEADING,
    LOW,
    NUMBERS,
    ROLES,
    CompanyState,
    Report,
    Unclear,
    best,
    found,
    links_to,
    nothing,
    strong_level,
)
from workshop.rule_based.company.reckoning.spotting import (  # fmt: skip
    Record,
    levels_in,
    named_in,
    of_country,
)

SUBJECTS = (
    ("employee", r"\bwho(?:m|se|ever)?\b|(?<!for the )(?<!the \w{4} )\bpeople\b|\bpersons?\b|\bcolleagues?\b|\bemployees?\b|\bsome(?:body|one)\b"
     r"|\bevery(?:body|one)\b|\bmembers?\b|\b(?:project |team |study |job )?leads\b(?= (?:are|is|have|earn|whose|who|paid|with))|\bcoach(?:es)?\b|\bexperts?\b|\bteam for\b"),
    ("project", r"\b(?:projects?|jobs?|engagements?|stud(?:y|ies)|assignments?|commissions?|everything we)\b(?! (?:leads?|chiefs?|managers?|team)\b)"),
    ("customer", r"\b(?:customers?|clients?|buyers?|(?:key )?accounts?|key \w+s|\w+s (?:are |is )?(?=(?:looked after|managed|cared for|handled) by))\b(?!['’]s? (?:contact|project)| (?:managers?|desk|projects?))"),
)  # fmt: skip
MOST = r"\b(most|more|highest|biggest|largest|greatest|heaviest|busiest|busier|best|better|keenest|top|strongest|maximum|longest|very best|freest|expert)\b"
LOAD = r"\bload(?:ed|s)?\b|\bworkloads?\b|\bbus(?:y|ier|iest)\b|\bon (?:their|his|her) plate\b|\bcarr(?:y|ies|ying)\b|\bfree(?:st|r)?\b|\bcapacity\b|\bidle\b|\bmost time\b|\bto do\b|\bleast work\b|\bmost work\b|\blightest\b|\boverloaded\b"
PAY = r"\b(earns?|salar\w+|paid|pay|wages?)\b"
OUTSIDE = r"\b(outside|elsewhere|beyond|besides|other than|not (?:on|in|at|part|already|based|there|yet)|(?:aren.t|isn.t|is not|are not) (?:\w+ )?(?:based|on|in|at|part|there|already)|other departments?)\b"
SEND = r"\b(send|sent|travel|go) (?:\w+ ){0,6}(?:over )?to\b|\bsend\b"
NONE = r"\b(no|nobody|without|lacks?|lacking|missing|not|doesn.t|don.t|no one|none|nothing)\b"


def answer(o: CompanyState) -> Report:
    """What the question asks for."""
    return {"employee": people, "project": projects, "customer": customers}[subject(o)](o)


def subject(o: CompanyState) -> str:
    """What kind of record is asked for: the first that the question names."""
    if two := two_of(o):
        return two[0]
    text = o.without([{"name": p["department"]} for p in o.people] + o.people + o.projects).lower()
    asking = r"\b(?:which|what|list|name|any|all|every|give me|who|how many|find)\b.*"
    asked = re.findall(asking, text, re.DOTALL)
    for part in [*([] if re.search(r"\b(?:ones|of (?:them|those))\b", text) else asked), text]:
        at = {kind: hit.start() for kind, pattern in SUBJECTS if (hit := re.search(pattern, part))}
        if at:
            return min(at, key=lambda kind: at[kind])
    raise Unclear("what is asked for?")


def listed(
    kind: str,
    hits: list[Record],
    said: Callable[[Record], str],
    more: list[tuple[str, str]],
    **flags: Any,
) -> Report:
    """A report of a set with a word on each; of an empty one that there is none."""
    if not hits:
        return nothing("There is none.", **flags)
    told = ", ".join(f"{x['name']}{said(x)}" for x in hits)
    return found(told, links_to(kind, hits) + more, **flags)


def people(o: CompanyState) -> Report:
    """People by department, place, team, levels, pay; the first of them by a measure."""
    crowd = o.within(away=bool(o.says(OUTSIDE) or o.says(SEND)))
    more, rights = list[tuple[str, str]](), list[str]()
    flags: dict[str, Any] = {}
    whole = crowd
    project = team_of_text(o)
    if project:
        outside = o.says(OUTSIDE) or o.says(r"\bhelp\b|\boutside\b")
        crowd = [p for p in crowd if bool(o.on(project, p["id"])) is not outside]
        more, flags = [("project", project["id"])], {**o.flags(project)}
    elif o.says(LEADING) and not o.says(r"\bwish to lead"):
        leads = {o.lead(p) for p in o.projects}
        crowd = [p for p in crowd if p["id"] in leads]
    if o.says(PAY):
        rights.append("pay")
        crowd = [p for p in crowd if compared(o)(p)]
    ids = levels_in(o.text, o.labels) if not o.says(PAY) else []
    if ids:
        rights.append("levels")
        crowd = able(o, crowd, ids)
    if o.says(r"\bno (?:work)?load\b|\bidle\b|\bnothing (?:at all )?(?:on|to do)"):
        rights.append("load")
        crowd = best([p for p in crowd if not o.loads()[p["id"]]], lambda p: 0)
    elif measured := measure(o, ids, project):
        right, value, low = measured
        rights.append(right)
        crowd = best(crowd, value, low)
        if (right == "load" and ids) or o.says(r"more project work"):
            crowd = best(
                crowd, lambda p: o.level(p, ids[0]) if right == "load" else o.loads()[p["id"]]
            )
        flags["rights"] = rights
        return listed("employee", crowd, lambda p: f": {value(p):.1f}", more, **flags)
    if not rights and crowd is whole and whole is o.people:
        raise Unclear("who is meant?")
    return listed("employee", crowd, lambda p: "", more, rights=rights or ["register"], **flags)


def team_of_text(o: CompanyState) -> Record | None:
    """The project whose team the question is about. Raises Unclear."""
    named = named_in(o.text, o.projects)
    spoken = o.says(
        r"\b(?:the|that|this|on) (?:\w+ )?team\b(?! leads?)|\b(?:team|crew) (?:of|for|that|which|on)\b|\bon it\b|\b(?:on|in) the (?:project|job)\b"
    )
    if len(named) == 1 or spoken:
        return named[0] if len(named) == 1 else o.project()[0]
    return None


def compared(o: CompanyState) -> Callable[[Record], bool]:
    """Whether a person earns more, or less, than the one who is named."""
    than = o.one_person()["salary"]
    if o.says(r"\b(less|lower|below|under)\b"):
        return lambda p: p["salary"] < than
    return lambda p: p["salary"] > than


def able(o: CompanyState, crowd: list[Record], ids: list[str]) -> list[Record]:
    """Those who are strong in all that is named, or better in it than somebody, or have it at all."""
    if o.says(r"\bstrong"):
        floor = strong_level(o.pages)
        return [p for p in crowd if all(o.level(p, i) >= floor for i in ids)]
    if o.says(r"\b(?:better|higher|more|stronger|keener)\b[^.?]* than (?!one\b|\d)"):
        than = (
            next((p for p in o.people if p["id"] == o.me), None)
            if o.says(r"\bthan (?:me|i)\b")
            else o.one_person()
        )
        return [p for p in crowd if than and all(o.level(p, i) > o.level(than, i) for i in ids)]
    return [p for p in crowd if all(o.level(p, i) for i in ids)]


def measure(
    o: CompanyState, ids: list[str], project: Record | None
) -> tuple[str, Callable[[Record], float], bool] | None:
    """What people are measured by: the right it needs, its value, and whether the lowest is wanted."""
    low, top = o.says(LOW), o.says(MOST)
    if o.says(r"\bcoach|\bmentor (?:for|of)\b|\bteach\b") and (pupils := o.some_people()):
        own = pupils[0]["skills"]
        return (
            "levels",
            lambda p: float(sum(max(0, o.level(p, s) - n) for s, n in own.items())),
            False,
        )
    if o.says(r"\bthan (?!one\b|\d|two\b)"):
        return None
    if o.says(LOAD) and (low or top):
        loads = o.loads()
        return "load", lambda p: loads[p["id"]], low or o.says(r"\bfree(st|r)\b|\bmost time\b")
    if project and o.says(r"\bshare|\bslice") and (low or top):
        return (
            "register",
            lambda p: (o.on(project, p["id"]) or {"time_slice": 0})["time_slice"],
            low,
        )
    if (low or top) and not ids and o.says(SUBJECTS[2][1]):
        return (
            "account_manager",
            lambda p: sum(c["account_manager"] == p["id"] for c in o.customers),
            low,
        )
    if (low or top) and not ids and o.says(SUBJECTS[1][1]):
        return "register", lambda p: sum(bool(o.on(x, p["id"])) for x in o.projects), low
    if (
        ids
        and (low or top or o.says(r"\bknows? (?:least|most)"))
        and not o.says(r"\bstrong\b(?!est)")
    ):
        return "levels", lambda p: sum(o.level(p, i) for i in ids), low
    return None


def projects(o: CompanyState) -> Report:
    """Projects by people on them or leading them, customer, status and roles."""
    hits, more, named = o.projects, list[tuple[str, str]](), o.some_people()
    mine = o.says(r"\b(?:i|i'm|i’m|me|my|mine|myself)\b") and not o.says(
        r"\b(?:tell|give|show|remind|name|make|find|get) me\b(?!.*\b(?:i|my)\b)|\bi (?:need|want|would|have to)\b"
    )
    leading = o.says(LEADING) or (o.says(r"\bmy (?:own )?(?:projects?|jobs?)\b"))
    for person in named:
        leads = o.says(LEADING) and not mine and len(named) == 1
        hits = [p for p in hits if (o.lead(p) == person["id"] if leads else o.on(p, person["id"]))]
    if len(named) == 1 and not mine:
        more = links_to("employee", named)
    if mine:
        hits = [p for p in hits if (o.lead(p) == o.me if leading else o.on(p, o.me))]
    if not named and not mine and (theirs := o.some_customers()):
        if len(theirs) != 1:
            raise Unclear("whose projects are meant?")
        hits, more = (
            [p for p in hits if p["customer"] == theirs[0]["id"]],
            links_to("customer", theirs),
        )
    roles = [r for pattern, r in ROLES[:4] if o.says(pattern)]
    if roles:
        lacks = o.says(NONE)
        hits = [p for p in hits if any(m["role"] == roles[0] for m in p["team"]) is not lacks]
    statuses = o.statuses()
    if statuses:
        hits = [p for p in hits if p["status"] in statuses]
    if hits is o.projects:
        raise Unclear("whose projects are meant?")
    return listed("project", hits, lambda p: f" ({p['status']})", more)


def customers(o: CompanyState) -> Report:
    """Customers by account manager, phase, country and number of projects."""
    hits, managers = o.customers, {p["id"] for p in o.some_people()}
    if o.says(r"\bmy\b|\b(?:do|am) i\b|\bi (?:manage|look|handle|have|take)\b"):
        managers.add(o.me)
    if managers:
        hits = [c for c in hits if c["account_manager"] in managers]
    if o.says(r"\bkey\b"):
        hits = [c for c in hits if "key" in c["high_level_status"].lower()]
    if any(of_country(o.text, c["location"]) for c in o.customers):
        hits = [c for c in hits if of_country(o.text, c["location"])]
    counted = o.says(r"\bprojects?\b|\bjobs?\b|\bexplorations\b|\bdeals\b")
    status = [s for s, pattern in STATUSES if o.says(pattern)]

    def number(customer: Record) -> int:
        of = [p for p in o.projects if p["customer"] == customer["id"]]
        return len([p for p in of if not counted or not status or p["status"] in status])

    if status and not counted:
        hits = [c for c in hits if c["deal_phase"] in status]
    if counted and (o.says(MOST) or o.says(LOW)):
        hits = [c for c in best(hits, number, o.says(LOW)) if number(c) or o.says(LOW)]
    elif counted and (
        wanted := re.search(
            rf"\b(no|without|{'|'.join(NUMBERS)}|\d+)\b(?: \w+){{0,2}} (?:projects?|jobs?)\b", o.low
        )
    ):
        n = (
            0
            if wanted[1] in ("no", "without")
            else int(wanted[1])
            if wanted[1].isdigit()
            else NUMBERS.index(wanted[1]) + 1
        )
        more = o.says(r"\b(?:at least|more than|or more)\b")
        hits = [c for c in hits if number(c) == n or (more and number(c) > n)]
    elif counted and (status or not managers):
        hits = [c for c in hits if number(c)]
    if hits is o.customers:
        raise Unclear("which customers are meant?")
    return listed(
        "customer",
        hits,
        lambda c: f" ({number(c)})" if counted else "",
        [],
        rights=["account_manager"] if managers else ["register"],
    )
