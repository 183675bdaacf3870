"""What a wish for a change comes to: the calls for it, which nobody makes yet; worker code, as `office` is."""

import re
from typing import Any

from playbooks.company.reckoning.office import (
    ROLES,
    Office,
    Report,
    Unclear,
    found,
    links_to,
)
from playbooks.company.reckoning.spotting import (
    Record,
)

Calls = list[list[Any]]


def planned(message: str, links: list[tuple[str, str]], calls: Calls, **more: Any) -> Report:
    """A report with calls; without any there is nothing to be changed."""
    return found(message, links, calls=calls, **more)


def status(o: Office) -> Report:
    """A project's new status."""
    wanted = o.p["status"]
    if not wanted:
        raise Unclear("which status is meant?")
    project, lead = o.project()
    calls = [["Req_UpdateProjectStatus", {"id": project["id"], "status": wanted}]]
    link = [("project", project["id"])]
    return planned(
        f"{project['name']} is {wanted}.",
        link,
        calls if project["status"] != wanted else [],
        **lead,
    )


def log_time(o: Office) -> Report:
    """Hours for a member of a team, or for the asker."""
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
        return o.project()
    except Unclear:
        if not mine:
            raise
    found_ = [p for p in o.some_projects(9) if o.on(p, o.me)]
    if len(found_) != 1:
        raise Unclear("which project is meant?")
    return found_[0], o.flags(found_[0])


def note_for_time(o: Office) -> str:
    """The note that hours shall carry. Raises Unclear."""
    if not o.says(r"\bnotes?\b"):
        return ""
    if o.p["quoted"]:
        return str(o.p["quoted"][0])
    told = re.search(r"\bnotes? (?:to|that|saying) ([^.!]+)", o.text)
    if told is None:
        raise Unclear("what shall the note say?")
    return told[1].strip()


def void_copy(o: Office) -> Report:
    """A wrong entry of the asker voided, and a new one."""
    if len(o.p["hours"]) < 1 or not o.p["day"]:
        raise Unclear("which entry is meant?")
    entries = [e for e in o.entries if e["employee"] == o.me and e["date"] == o.p["day"]]
    entries = [e for e in entries if e["status"] != "voided" and e["hours"] in o.p["hours"]]
    if len({e["project"] for e in entries}) != 1 or len(entries) != 1:
        project, _ = o.project()
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


def team_change(o: Office) -> Report:
    """Somebody joins a team, leaves it, or has another role or share there."""
    project, lead = o.project()
    person = o.one_person(project)
    seat = o.on(project, person["id"])
    roles = list(dict.fromkeys(r for pattern, r in ROLES[:5] if o.says(pattern)))
    share = re.search(r"\b(\d{1,3}) ?%|\b(0[.,]\d+|1[.,]0)\b", o.low)
    part: dict[str, Any] = {"role": roles[0]} if len(roles) == 1 else {}
    if share:
        number = int(share[1]) / 100 if share[1] else float(share[2].replace(",", "."))
        part["time_slice"] = number
    if o.says(r"\b(remove|take|drop)\b"):
        change = {"remove": [person["id"]]} if seat else {}
    elif seat is None and o.says(r"\b(add|put|assign)\b") and len(part) == 2:
        change = {"add": [{"employee": person["id"], **part}]}
    elif seat is not None and part and not o.says(r"\b(add|assign)\b"):
        change = {"change": [{**seat, **part}]}
    else:
        raise Unclear("in which role, and with which share of the week?")
    if part.get("role") == "Lead" or (seat or {}).get("role") == "Lead":
        raise Unclear("who shall lead the project then?")
    links = [("employee", person["id"]), ("project", project["id"])]
    calls = [["Combo_Update_Team_For_Changes", {"project": project["id"], **change}]]
    return planned(
        f"The team of {project['name']} is changed.", links, calls if change else [], **lead
    )


def swap(o: Office) -> Report:
    """Two members exchange role and share, or what of it the text names."""
    project, lead = o.project()
    people = o.some_people(project)
    seats = [o.on(project, p["id"]) for p in people]
    if len(people) != 2 or None in seats:
        raise Unclear("which two members are meant?")
    fields = swapped(o)
    change = []
    for seat, other in zip(seats, reversed(seats), strict=True):
        if seat is not None and other is not None:
            change.append({**seat, **{f: other[f] for f in fields}})
    call = ["Combo_Update_Team_For_Changes", {"project": project["id"], "change": change}]
    links = [*links_to("employee", people), ("project", project["id"])]
    return planned(f"Swapped {' and '.join(p['name'] for p in people)}.", links, [call], **lead)


def swapped(o: Office) -> list[str]:
    """What two members exchange. Raises Unclear where something else is said of it too."""
    fields: list[str] = []
    last = False
    for clause in re.split(r"[;,.:]|\bbut\b|\band (?=keep|leave)", o.low):
        named_ = [
            field
            for field, word in (("role", r"\broles?\b"), ("time_slice", r"\b(?:workloads?|(?:time )?shares?|slices?|hours)\b"))
            if re.search(word, clause)
        ]  # fmt: skip
        staying = re.search(
            r"\b(remains?|stays?|keep|kept|unchanged|as they are|leave|left|not|without)\b", clause
        )
        if re.search(r"\b(swap|exchange|switch|trade)", clause):
            if staying or (re.search(r"\bonly\b", clause) and len(named_) != 1):
                raise Unclear("what exactly shall be exchanged?")
            fields = named_ or ["role", "time_slice"]
            last = not named_
            continue
        elif named_ and not staying and last and set(fields) == {"role", "time_slice"}:
            fields = named_
        elif named_ and not staying:
            raise Unclear("what exactly shall be exchanged?")
        elif staying and any(f in fields for f in named_):
            if len(fields) != 2:
                raise Unclear("what exactly shall be exchanged?")
            fields = [f for f in fields if f not in named_]
        last = False
    if not fields:
        raise Unclear("what exactly shall be exchanged?")
    return fields
