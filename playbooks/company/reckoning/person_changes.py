"""Changes to people's records: notes, levels, pay; worker code, as `office` is."""

import re
from typing import Any

from playbooks.company.reckoning.changes import planned
from playbooks.company.reckoning.office import (
    Office,
    Report,
    Unclear,
    links_to,
    nothing,
    sentences,
)
from playbooks.company.reckoning.spotting import (
    Record,
    akin,
    departments_in,
    fold,
    holds,
    named_in,
)


def edit_person(o: Office) -> Report:
    """A note, levels, or both, of one person or of a whole department."""
    own = o.says(r"\bmy (note|record|profile|levels?|skills?|wills?)\b") or any(
        holds(fold(o.text), f"my {own}{fold(label)}")
        for label in o.labels.values()
        for own in ("", "own ")
    )
    people, more, links = edited_people(o, own)
    change: dict[str, Any] = {}
    needs = []
    levels = set_levels(o)
    for field in ("skills", "wills"):
        if part := {i: n for i, n in levels.items() if o.kind_of(i) == field}:
            change[field] = part
    if levels:
        needs.append("own_levels" if own else "levels_write")
    if o.says(r"\bnotes?\b"):
        change["notes"] = new_note(o)
        if o.says(r"\badd\b") and not o.says(r"\breplac") and any(p.get("notes") for p in people):
            raise Unclear("shall the note that stands there stay?")
        needs.append("note_write")
    if not change or (own and "note_write" in needs and not o.p["quoted"]):
        raise Unclear("what exactly shall be changed?")
    calls = [["Combo_Update_Employee_For_Changes", {"employee": p["id"], **change}] for p in people]
    said = f"Updated: {', '.join(p['name'] for p in people)}."
    return planned(said, links_to("employee", people) + links, calls, rights=needs, **more)


def edited_people(
    o: Office, own: bool
) -> tuple[list[Record], dict[str, bool], list[tuple[str, str]]]:
    """Whose records are meant, the flags of a report, and more links."""
    if o.says(r"\b(every|all|each)\b"):
        departments = departments_in(o.text, o.people)
        if len(departments) == 1:
            return [p for p in o.people if p["department"] == departments[0]], {}, []
        raise Unclear("whose records are meant?")
    if own:
        return [p for p in o.people if p["id"] == o.me], {"own": True}, []
    named = named_in(o.text, o.projects)
    if len(named) == 1:
        people = [o.one_person(named[0])]
        on = bool(o.on(named[0], people[0]["id"]))
        return people, {"lead": on and o.lead(named[0]) == o.me}, links_to("project", named)
    person = o.one_person()
    return (
        [person],
        {"lead": any(o.lead(p) == o.me and o.on(p, person["id"]) for p in o.projects)},
        [],
    )


def new_note(o: Office) -> str:
    """The text of a note, exactly. Raises Unclear."""
    if o.says(
        r"\b(append|in addition|besides the|add\b.* to (the|their|his|her) (existing )?note)\b"
    ):
        raise Unclear("shall the note that stands there stay?")
    if len(o.p["quoted"]) >= 1:
        labels = {fold(n) for n in o.labels.values()} | set(o.labels)
        labels |= {fold(p["department"]) for p in o.people}
        texts = [q for q in o.p["quoted"] if fold(q) not in labels]
        if len(texts) == 1:
            return str(texts[0])
    raise Unclear("what exactly shall the note say?")


def set_levels(o: Office) -> dict[str, int]:
    """The levels that a text sets: `X to 7`, `7 in X`, `to level 7 in X`."""
    wanted: dict[str, int] = {}
    low = fold(o.text)
    for id_, label in o.labels.items():
        for name in (fold(label), fold(id_.replace("_", " "))):
            after = re.search(
                rf"\b{re.escape(name)}\b(?: \w+){{0,3}}? (?:to|at|is)(?: level)? (\d+)\b", low
            )
            before = re.search(rf"\b(\d+) (?:in|for|on) (?:the )?{re.escape(name)}\b", low)
            if hit := before or after:
                wanted[id_] = int(hit[1])
    if any(not 0 < n <= 10 for n in wanted.values()):
        raise Unclear("a level goes from 1 to 10")
    return wanted


def self_review(o: Office) -> Report:
    """Levels that the asker moves up or down, never above or below what the wiki allows."""
    me = next(p for p in o.people if p["id"] == o.me)
    word = o.text.strip().split(":", 1)[0]
    told = " ".join(o.pages.values())
    if f"{word.lower()}:" not in told.lower():
        raise Unclear("that line is no form of the wiki")
    highest = max([int(n) for n in re.findall(r"\b1 (?:to|-|–) (\d+)\b", told)] or [10])
    moves = level_moves(o, me)
    change: dict[str, dict[str, int]] = {}
    for id_, by in moves.items():
        old = o.level(me, id_)
        new = min(highest, max(1, old + by))
        if old and new != old:
            change.setdefault(o.kind_of(id_), {})[id_] = new
    calls = [["Combo_Update_Employee_For_Changes", {"employee": o.me, **change}]] if change else []
    return planned("Your levels are corrected.", [("employee", o.me)], calls, own=True)


def level_moves(o: Office, me: Record) -> dict[str, int]:
    """By how much which level goes up or down. Raises Unclear."""
    body = o.text.split(":", 1)[1]
    main, _, exception = re.split(r"(\bexcept\b|\bbut not\b|\bapart from\b)", body, maxsplit=1) if re.search(
        r"\bexcept\b|\bbut not\b|\bapart from\b", body) else (body, "", "")  # fmt: skip
    moves: dict[str, int] = {}
    for field in ("skills", "wills"):
        if re.search(rf"\ball (?:of )?(?:my )?(?:\w+ and )?{field}\b", main.lower()):
            moves.update({x["name"]: direction(main) for x in me[field]})
    for part in re.split(r",| and |;", main) if not moves else ():
        for record in named_levels(o, part):
            moves[record] = direction(part)
    for record in named_levels(o, exception):
        moves.pop(record, None)
        if re.search(
            r"[+−-]\s*\d|\b(up|down|decrease|increase|lower|raise|minus|plus)\b", exception.lower()
        ):
            moves[record] = direction(exception)
    if not moves:
        raise Unclear("which levels are meant?")
    return moves


def named_levels(o: Office, text: str) -> list[str]:
    """Ids of the skills and wills that a text names."""
    return [r["id"] for r in named_in(text, [{"id": i, "name": n} for i, n in o.labels.items()])]


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


def apply_raise(o: Office) -> Report:
    """Raises that a note states, each signed by somebody of the group that the task names."""
    people = o.some_people()
    if not people:
        raise Unclear("whose notes are meant?")
    calls, raised = [], []
    for person in people:
        note = person.get("notes") or ""
        amounts = re.findall(r"\b\d{1,3}(?:[,.' ]?\d{3})+\b", re.sub(r"\d{4}-\d\d-\d\d", "", note))
        if len(amounts) == 1 and approved(note, approvers(o)):
            salary = int(re.sub(r"\D", "", amounts[0]))
            if salary > person["salary"]:
                raised.append(person)
                calls.append(
                    [
                        "Combo_Update_Employee_For_Changes",
                        {"employee": person["id"], "salary": salary},
                    ]
                )
    if not raised:
        return nothing("No note states an approved raise.")
    return planned(
        "Applied the approved raises: " + ", ".join(p["name"] for p in raised),
        links_to("employee", raised),
        calls,
    )


def approvers(o: Office) -> set[str]:
    """Who has to approve a change of pay, in the words of the wiki."""
    told = " ".join(o.pages.values())
    who = r"\b(?:a|an|the|our|by) (?:member of the )?([^\W\d_]+(?: [^\W\d_]+)??)"
    named = re.findall(who + r" (?:has |have |must )?(?:approv|decid)", told, re.IGNORECASE)
    named += re.findall(
        r"\b(?:approv\w*|decision|decided|signed|consent) (?:of|by|from) (?:a |an |the |our )?(?:member of the )?"
        r"([^\W\d_]+(?: [^\W\d_]+)?)", told, re.IGNORECASE
    )  # fmt: skip
    last = {fold(n.split()[-1]).removesuffix("s") for n in named}
    return last - {"person", "lead", "who", "it", "in", "for", "is", "has", "them"}


def conditional(o: Office) -> bool:
    """Whether the wiki makes a change of pay hang on an approval."""
    told = [s.lower() for s in sentences(o.pages)]
    return any(
        re.search(r"\b(approv|decid|decision|consent|sign)", s)
        and re.search(r"\b(rais|pay|salar)", s)
        for s in told
    )


def approved(note: str, by: set[str]) -> bool:
    """Whether a note says that who may approve a raise has approved it."""
    low = note.lower()
    if re.search(r"\b(hopes?|wish|would|will talk|promised|asked|maybe|might|pending|not)\b", low):
        return False
    said = re.search(r"\b(approved|decision|decided|granted|agreed)\b", low)
    return bool(said) and any(re.search(rf"\b{re.escape(x)}", fold(note)) for x in by)


def pay_change(o: Office) -> Report:
    """A new pay, where the wiki lets the asker decide it."""
    person, deciding = o.one_person(), approvers(o)
    mine = fold(o.p["department"]).split()
    if conditional(o) and not any(akin(w, x) for w in mine for x in deciding):
        return {"state": "denied", "message": "only with an approval", "links": []}
    by = re.search(r"([+−-]?)\s*(\d[\d,.' ]*\d|\d)\s*(%|percent|per cent)?", o.without([person]))
    if by is None or len(re.findall(r"\d[\d,.']*", o.without([person]))) != 1:
        raise Unclear("to which amount?")
    number = int(re.sub(r"\D", "", by[2]))
    change = round(person["salary"] * number / 100) if by[3] else number
    if re.search(r"\bto\s+(?:€|eur)?\s*\d", o.low):
        salary = number
    elif o.says(r"\b(reduce|cut|lower|decrease)\b"):
        salary = person["salary"] - change
    else:
        salary = person["salary"] + change
    call = ["Combo_Update_Employee_For_Changes", {"employee": person["id"], "salary": salary}]
    return planned(f"{person['name']} now earns {salary}.", [("employee", person["id"])], [call])
