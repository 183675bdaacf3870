"""What a wish for a change comes to: the calls that bring it about, for the asker's rights to allow.

This is worker code, as `reckoning` is. A report names `right` where it is more than the wish
told, and `calls`, which nobody makes yet.
"""

import re
from typing import Any

from playbooks.company.questions import about_project
from playbooks.company.reckoning import Office, Record, Report, Unclear, found, links_to, nothing
from playbooks.company.spotting import akin, departments_in, fold, named_in

Calls = list[list[Any]]


def planned(message: str, links: list[tuple[str, str]], calls: Calls, **more: Any) -> Report:
    """A report with calls; without any there is nothing to be changed."""
    return found(message, links, calls=calls, **more)


def status(o: Office) -> Report:
    wanted = o.p["status"]
    if not wanted:
        raise Unclear("which status is meant?")
    project, lead = about_project(o)
    calls = [["Req_UpdateProjectStatus", {"id": project["id"], "status": wanted}]]
    link = [("project", project["id"])]
    return planned(
        f"{project['name']} is {wanted}.",
        link,
        calls if project["status"] != wanted else [],
        **lead,
    )


def log_time(o: Office) -> Report:
    hours, day, billable = o.p["hours"], o.p["day"], o.p["billable"]
    mine = o.says(r"\bfor (me|myself)\b|\bmy (hours|time)\b|\bi (worked|spent|did)\b")
    if len(hours) != 1 or not day:
        raise Unclear("how many hours, and on which day?")
    project, lead = project_for_time(o, mine)
    people = o.some_people(project)
    if not people and (mine or not re.search(r"\bfor (?!the|our|project|proj_)", o.low)):
        people = [p for p in o.people if p["id"] == o.me]
    if len(people) != 1:
        raise Unclear("for whom?")
    person = people[0]
    own = person["id"] == o.me
    if not o.on(project, person["id"]):
        return {"state": "denied", "message": f"{person['name']} is not on that team.", "links": []}
    if billable is None:
        raise Unclear("are these hours billable?")
    if o.says(r"\b(submitted|invoiced)\b"):
        raise Unclear("hours are written down as a draft; may they be?")
    notes = o.p["ticket"] if o.p["ticket_in_notes"] else note_for_time(o)
    entry = {
        "employee": person["id"], "project": project["id"], "date": day, "hours": hours[0],
        "billable": billable, "notes": notes, "status": "draft",
        "work_category": o.category(project),
    }  # fmt: skip
    links = [("employee", person["id"]), ("project", project["id"])]
    return planned(
        f"{hours[0]:g} hours on {day} for {person['name']} on {project['name']}, as a draft.",
        links, [["Combo_Log_Time_For_Project", entry]], own=own, **lead,
    )  # fmt: skip


def project_for_time(o: Office, mine: bool) -> tuple[Record, dict[str, bool]]:
    """The project; of several that fit the one that the asker leads, or is on."""
    try:
        return about_project(o)
    except Unclear:
        if not mine:
            raise
    found_ = [p for p in o.some_projects(9) if o.on(p, o.me)]
    if len(found_) != 1:
        raise Unclear("which project is meant?")
    return found_[0], {"lead": o.lead(found_[0]) == o.me}


def note_for_time(o: Office) -> str:
    if not o.says(r"\bnotes?\b"):
        return ""
    if o.p["quoted"]:
        return str(o.p["quoted"][0])
    told = re.search(r"\bnotes? (?:to|that|saying) ([^.!]+)", o.text)
    if told is None:
        raise Unclear("what shall the note say?")
    return told[1].strip()


def void_copy(o: Office) -> Report:
    if len(o.p["hours"]) < 1 or not o.p["day"]:
        raise Unclear("which entry is meant?")
    entries = [e for e in o.entries if e["employee"] == o.me and e["date"] == o.p["day"]]
    entries = [e for e in entries if e["status"] != "voided" and e["hours"] in o.p["hours"]]
    if len({e["project"] for e in entries}) != 1 or len(entries) != 1:
        project, _ = about_project(o)
        entries = [
            e for e in entries if e["project"] == project["id"] and e["hours"] == o.p["hours"][0]
        ]
    if len(entries) != 1:
        raise Unclear("which entry is meant?")
    new = re.search(r"(?:again|new|copy|instead|re-?record\w*|with|correct\w*)\D{0,40}(\d+(?:[.,]\d+)?)\s*(?:h\b|hours?)", o.low)  # fmt: skip
    if new is None:
        raise Unclear("how many hours shall the new entry have?")
    old = entries[0]
    same = ("employee", "project", "date", "billable", "notes", "work_category")
    entry = {k: old[k] for k in same}
    entry.update(hours=float(new[1].replace(",", ".")), status="draft")
    calls = [
        ["Combo_Update_Time_Entry_For_Changes", {"id": old["id"], "status": "voided"}],
        ["Combo_Log_Time_For_Project", entry],
    ]
    return planned(
        "The entry is voided and a new one written.", [("project", old["project"])], calls, own=True
    )


def edit_person(o: Office) -> Report:
    """A note, levels, or both, of one person or of a whole department."""
    own = o.says(r"\bmy (note|record|profile|own|levels?|skills?|wills?)\b")
    people, more, links = edited_people(o, own)
    change, needs = {}, []
    levels = set_levels(o)
    for field in ("skills", "wills"):
        if part := {i: n for i, n in levels.items() if i.startswith(field[:-1])}:
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
    if o.says(
        r"\b(append|in addition|besides the|add\b.* to (the|their|his|her) (existing )?note)\b"
    ):
        raise Unclear("shall the note that stands there stay?")
    if len(o.p["quoted"]) >= 1:
        labels = {fold(n) for n in o.labels.values()} | set(o.labels)
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
            change.setdefault("skills" if id_.startswith("skill") else "wills", {})[id_] = new
    calls = [["Combo_Update_Employee_For_Changes", {"employee": o.me, **change}]] if change else []
    return planned("Your levels are corrected.", [("employee", o.me)], calls, own=True)


def level_moves(o: Office, me: Record) -> dict[str, int]:
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
    return [r["id"] for r in named_in(text, [{"id": i, "name": n} for i, n in o.labels.items()])]


def direction(text: str) -> int:
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
    return {fold(n.split()[-1]).removesuffix("s") for n in named} - {"person", "lead", "who", "it"}


def approved(note: str, by: set[str]) -> bool:
    """Whether a note says that who may approve a raise has approved it."""
    low = note.lower()
    if re.search(r"\b(hopes?|wish|would|will talk|promised|asked|maybe|might|pending|not)\b", low):
        return False
    said = re.search(r"\b(approved|decision|decided|granted|agreed)\b", low)
    return bool(said) and any(re.search(rf"\b{re.escape(x)}", fold(note)) for x in by)


def pay_change(o: Office) -> Report:
    person, deciding = o.one_person(), approvers(o)
    mine = fold(o.p["department"]).split()
    if deciding and not any(akin(w, x) for w in mine for x in deciding):
        return {"state": "denied", "message": "only with an approval", "links": []}
    by = re.search(r"([+−-]?)\s*(\d[\d,.' ]*\d|\d)\s*(%|percent|per cent)?", o.without([person]))
    if by is None or len(re.findall(r"\d[\d,.']*", o.without([person]))) != 1:
        raise Unclear("to which amount?")
    number = int(re.sub(r"\D", "", by[2]))
    if by[3]:
        change = round(person["salary"] * number / 100)
    else:
        change = number
    if re.search(r"\bto\s+(?:€|eur)?\s*\d", o.low):
        salary = number
    elif o.says(r"\b(reduce|cut|lower|decrease)\b"):
        salary = person["salary"] - change
    else:
        salary = person["salary"] + change
    call = ["Combo_Update_Employee_For_Changes", {"employee": person["id"], "salary": salary}]
    return planned(f"{person['name']} now earns {salary}.", [("employee", person["id"])], [call])


def swap(o: Office) -> Report:
    """Two members exchange role and share, or what of it the text names."""
    project, lead = about_project(o)
    people = o.some_people(project)
    seats = [o.on(project, p["id"]) for p in people]
    if len(people) != 2 or None in seats:
        raise Unclear("which two members are meant?")
    role, share = o.says(r"\brol"), o.says(r"\b(workloads?|shares?|slices?|time|hours)\b")
    fields = [f for f, on in (("role", role), ("time_slice", share)) if on] or [
        "role",
        "time_slice",
    ]
    change = []
    for seat, other in zip(seats, reversed(seats), strict=True):
        if seat is not None and other is not None:
            change.append({**seat, **{f: other[f] for f in fields}})
    call = ["Combo_Update_Team_For_Changes", {"project": project["id"], "change": change}]
    links = [*links_to("employee", people), ("project", project["id"])]
    return planned(f"Swapped {' and '.join(p['name'] for p in people)}.", links, [call], **lead)


# -- the wiki


def files(o: Office) -> list[str]:
    return [
        f.strip("`'\"“”.,;:") for f in re.findall(r"[\w./-]+\.(?:md|bak|txt)(?:\.\w+)?", o.text)
    ]


def rename_page(o: Office) -> Report:
    named = files(o)
    if len(named) != 2 or named[0] not in o.pages or named[1] in o.pages:
        return nothing("There is no such page.") if named and named[0] not in o.pages else unsure()
    call = ["Combo_Rename_Wiki_Page", {"old": named[0], "new": named[1]}]
    return planned(
        f"{named[0]} is now {named[1]}.", [("wiki", named[1]), ("wiki", named[0])], [call]
    )


def unsure() -> Report:
    raise Unclear("which page shall get which name?")


def delete_page(o: Office) -> Report:
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
