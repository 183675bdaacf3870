"""Changes to people's records: notes, levels, pay; worker code, as `office` is."""

import re
from typing import Any

from workshop.rule_based.company.reckoning.changes import planned
from workshop.rule_based.company.reckoning.meanings import sentences
from workshop.rule_based.company.reckoning.office import (
    CompanyState,
    Report,
    Unclear,
    links_to,
    nothing,
)
from workshop.rule_based.company.reckoning.spotting import (
    Record,
    akin,
    departments_in,
    fold,
    holds,
    levels_in,
    named_in,
)

UPDATE = "Combo_Update_Employee_For_Changes"
ADDING = r"\b(append|in addition|besides the|also write|add\b.* to (the|their|his|her) (existing )?note)\b"


def edit_person(o: CompanyState) -> Report:
    """A note, levels, or both, of one person or of a whole department."""
    own = o.says(r"\bmy (note|record|profile|levels?|skills?|wills?)\b") or any(
        holds(fold(o.text), f"my {word}{fold(label)}")
        for label in o.labels.values()
        for word in ("", "own ")
    )
    people, flags, links = edited_people(o, own)
    change: dict[str, Any] = {}
    rights = []
    if levels := set_levels(o):
        rights.append("own_levels" if own else "levels_write")
        for field in ("skills", "wills"):
            if part := {i: n for i, n in levels.items() if o.kind_of(i) == field}:
                change[field] = part
    if o.says(r"\b(?:notes?|remarks?)\b") or not levels:
        change["notes"] = new_note(o)
        if o.says(ADDING) or (
            o.says(r"\badd\b") and not o.says(r"\breplac") and any(p.get("notes") for p in people)
        ):
            raise Unclear("shall the note that stands there stay?")
        rights.append("note_write")
    calls = [[UPDATE, {"employee": p["id"], **change}] for p in people]
    said = f"Updated: {', '.join(p['name'] for p in people)}."
    return planned(said, links_to("employee", people) + links, calls, rights=rights, **flags)


def edited_people(
    o: CompanyState, own: bool
) -> tuple[list[Record], dict[str, bool], list[tuple[str, str]]]:
    """Whose records are meant, the flags of a report, and more links."""
    if o.says(r"\b(every|all|each|everyone|everybody)\b"):
        departments = departments_in(o.text, o.people)
        if len(departments) == 1 and not o.some_people():
            return [p for p in o.people if p["department"] == departments[0]], {}, []
        raise Unclear("whose records are meant?")
    if own:
        return [p for p in o.people if p["id"] == o.me], {"own": True}, []
    named = named_in(o.text, o.projects)
    person = o.one_person(named[0] if len(named) == 1 else None)
    projects = named if len(named) == 1 else o.projects
    led = any(o.lead(p) == o.me and o.on(p, person["id"]) for p in projects)
    return (
        [person],
        {"lead": led, "own": person["id"] == o.me},
        links_to("project", named) if len(named) == 1 else [],
    )


def new_note(o: CompanyState) -> str:
    """The text of a note, exactly. Raises Unclear."""
    labels = {
        fold(n) for n in (*o.labels.values(), *o.labels, *(p["department"] for p in o.people))
    }
    texts = [q for q in o.p["quoted"] if fold(q) not in labels]
    if not o.p["quoted"]:
        texts = re.findall(
            r"\b(?:word for word|exactly|verbatim|this note)\b[^:\n]{0,20}:\s*([^\n]+?)\s*$", o.text
        )
    if len(texts) != 1:
        raise Unclear("what exactly shall the note say?")
    return str(texts[0])


def set_levels(o: CompanyState) -> dict[str, int]:
    """The levels that a text sets: `X to 7`, `7 in X`, `to level 7 in X`."""
    wanted: dict[str, int] = {}
    low = fold(o.text)
    for id_ in levels_in(o.text, o.labels, loose=False):
        for name in (fold(o.labels[id_]), fold(id_)):
            after = re.search(
                rf"\b{re.escape(name)}\b(?: \w+){{0,3}}? (?:to|at|is)(?: level)? (\d+)\b", low
            )
            before = re.search(rf"\b(\d+) (?:in|for|on) (?:the )?{re.escape(name)}\b", low)
            if hit := before or after:
                wanted[id_] = int(hit[1])
    if any(not 0 < n <= 10 for n in wanted.values()):
        raise Unclear("a level goes from 1 to 10")
    return wanted


def self_review(o: CompanyState) -> Report:
    """Levels that the asker moves up or down, never above or below what the wiki allows."""
    me = next(p for p in o.people if p["id"] == o.me)
    word, told = o.text.strip().split(":", 1)[0], " ".join(o.pages.values())
    if f"{word.lower()}:" not in told.lower():
        raise Unclear("that line is no form of the wiki")
    highest = max([int(n) for n in re.findall(r"\b1 (?:to|-|–) (\d+)\b", told)] or [10])
    change: dict[str, dict[str, int]] = {}
    for id_, by in level_moves(o, me).items():
        old = o.level(me, id_)
        new = min(highest, max(1, old + by))
        if old and new != old:
            change.setdefault(o.kind_of(id_), {})[id_] = new
    calls = [[UPDATE, {"employee": o.me, **change}]] if change else []
    return planned("Your levels are corrected.", [("employee", o.me)], calls, own=True)


def level_moves(o: CompanyState, me: Record) -> dict[str, int]:
    """By how much which level goes up or down. Raises Unclear."""
    body = o.text.split(":", 1)[1]
    main, *rest = re.split(r"\b(?:except|but not|apart from)\b", body, maxsplit=1)
    moves: dict[str, int] = {}
    for field in ("skills", "wills"):
        if re.search(rf"\ball (?:of )?(?:my )?(?:\w+ and )?{field}\b", main.lower()):
            moves.update({name: direction(main) for name in me[field]})
    for part in re.split(r",| and |;", main) if not moves else ():
        moves.update({id_: direction(part) for id_ in levels_in(part, o.labels, loose=False)})
    for part in rest:
        for id_ in levels_in(part, o.labels, loose=False):
            moves.pop(id_, None)
            if re.search(
                r"[+−-]\s*\d|\b(up|down|decrease|increase|lower|raise|minus|plus)\b", part.lower()
            ):
                moves[id_] = direction(part)
    if not moves:
        raise Unclear("which levels are meant?")
    return moves


def direction(text: str) -> int:
    """By how much a text moves a level. Raises Unclear."""
    signed = re.search(r"([+−-])\s*(\d+)", text)
    if signed:
        return int(signed[2]) * (1 if signed[1] == "+" else -1)
    low = text.lower()
    down = re.search(r"\b(down|decrease|lower|minus|less|drop)\b", low)
    up = re.search(r"\b(up|increase|raise|plus|more|higher)\b", low)
    number = re.search(r"\b(one|two|three|\d)\b", low)
    if bool(up) == bool(down) or number is None:
        raise Unclear("by how much, up or down?")
    by = {"one": 1, "two": 2, "three": 3}.get(number[1]) or int(number[1])
    return -by if down else by


def apply_raise(o: CompanyState) -> Report:
    """Raises that a note states, each approved by whom the wiki names for it."""
    people = o.some_people()
    if not people:
        raise Unclear("whose notes are meant?")
    calls, raised = [], []
    for person in people:
        note = re.sub(r"\d{4}-\d\d-\d\d", "", person.get("notes") or "")
        amounts = re.findall(r"\b\d{1,3}(?:[,.' ]?\d{3})+\b", note)
        salary = int(re.sub(r"\D", "", amounts[0])) if len(amounts) == 1 else 0
        if salary > person["salary"] and approved(note, approvers(o)):
            raised.append(person)
            calls.append([UPDATE, {"employee": person["id"], "salary": salary}])
    if not raised:
        return nothing("No note states an approved raise.")
    names = ", ".join(p["name"] for p in raised)
    return planned(f"Applied the approved raises: {names}", links_to("employee", raised), calls)


def approvers(o: CompanyState) -> set[str]:
    """Who has to approve a change of pay, in the words of the wiki."""
    told = " ".join(
        s
        for s in sentences(o.pages)
        if re.search(r"\b(?:rais|rise|pay\b|salar|amount)", s.lower())
        and not re.search(r"\b(?:none|no|not|never|nor)\b", s.lower())
    )
    who = r"([^\W\d_]+(?: [^\W\d_]+)??)"
    named = re.findall(
        rf"\b(?:a|an|the|our|by) (?:member of the )?{who} (?:member )?(?:has |have |must )?(?:approv|decid|put its (?:consent|approval))",
        told,
        re.I,
    )
    named += re.findall(
        r"\b(?:approv\w*|decision|decided|signed|consent) (?:of|by|from) (?:a |an |the |our )?(?:member of the )?([^\W\d_]+(?: [^\W\d_]+)?)", told, re.I
    )  # fmt: skip
    last = {fold(n.split()[-1]).removesuffix("s") for n in named}
    return last - {
        "person",
        "lead",
        "who",
        "it",
        "in",
        "for",
        "is",
        "has",
        "them",
        "with",
        "member",
    }


def conditional(o: CompanyState) -> bool:
    """Whether the wiki makes a change of pay hang on an approval."""
    told = [s.lower() for s in sentences(o.pages)]
    return any(
        re.search(r"\b(approv|decid|decision|consent|sign)", s)
        and re.search(r"\b(rais|rise|pay|salar)", s)
        for s in told
    )


def approved(note: str, by: set[str]) -> bool:
    """Whether a note says that who may approve a raise has approved it."""
    if re.search(
        r"\b(hopes?|wish|would|will|promised|asked|asks|maybe|might|pending|not|no|should|please|if|treat|wants?|talks?)\b",
        note.lower(),
    ):
        return False
    said = r"\b(approv\w+|decision|decid\w+|granted|agree[sd]|consents?)\b"
    parts = [fold(x) for x in re.split(r"(?<=[.!?])\s+", note) if re.search(said, x.lower())]
    return any(re.search(rf"\b{re.escape(x)}", part) for part in parts for x in by)


def pay_change(o: CompanyState) -> Report:
    """A new pay, where the wiki lets the asker decide it."""
    person, deciding = o.one_person(), approvers(o)
    mine = fold(o.p["department"]).split()
    if conditional(o) and not any(akin(w, x) for w in mine for x in deciding):
        return {"state": "denied", "message": "only with an approval", "links": []}
    text = o.without([person])
    amounts = re.findall(r"([+−-]?)\s*(\d[\d,.' ]*\d|\d)\s*(%|percent|per cent)?", text)
    if len(amounts) != 1:
        raise Unclear("to which amount?")
    _, digits, percent = amounts[0]
    number = int(re.sub(r"\D", "", digits))
    change = round(person["salary"] * number / 100) if percent else number
    absolute = re.search(r"\bto\s+(?:€|eur)?\s*\d", o.low)
    down = o.says(r"\b(reduce|cut|lower|decrease|less)\b")
    salary = number if absolute else person["salary"] + (-change if down else change)
    if salary < person["salary"] / 2 or salary > person["salary"] * 2:
        raise Unclear("to which amount?")
    call = [UPDATE, {"employee": person["id"], "salary": salary}]
    return planned(f"{person['name']} now earns {salary}.", [("employee", person["id"])], [call])
