"""What a wish for a change of a project, a team or hours comes to: the calls, which nobody makes yet; worker code."""

import re
from typing import Any

from workshop.rule_based.company.reckoning.office import (
    ROLES,
    CompanyState,
    Report,
    Unclear,
    found,
    links_to,
)
from workshop.rule_based.company.reckoning.spotting import Record

Calls = list[list[Any]]


def planned(message: str, links: list[tuple[str, str]], calls: Calls, **more: Any) -> Report:
    """A report with calls; without any there is nothing to be changed."""
    return found(message, links, calls=calls, **more)


def status(o: CompanyState) -> Report:
    """A project's new status."""
    wanted = o.p["status"]
    if not wanted:
        raise Unclear("which status is meant?")
    project, flags = o.project()
    call = ["Req_UpdateProjectStatus", {"id": project["id"], "status": wanted}]
    calls = [call] if project["status"] != wanted else []
    return planned(f"{project['name']} is {wanted}.", [("project", project["id"])], calls, **flags)


def log_time(o: CompanyState) -> Report:
    """Hours for a member of a team, or for the asker."""
    hours, day, billable = o.p["hours"], o.p["day"], o.p["billable"]
    mine = o.says(r"\bfor (me|myself)\b|\bmy (hours|time)\b|\bi (worked|spent|did|was|had)\b")
    broken = r"\bminutes?\b|\bmins?\b|\bquarters?\b|\bhalf an\b|\d ?h ?\d"
    if len(hours) != 1 or not day or o.says(broken):
        raise Unclear("how many hours, and on which day?")
    project, flags = project_for_time(o, mine)
    people = o.some_people(project)
    if not people and (mine or not re.search(r"\bfor (?!the|our|project|proj_)", o.low)):
        people = [p for p in o.people if p["id"] == o.me]
    if len(people) != 1:
        raise Unclear("for whom?")
    person = people[0]
    if not o.on(project, person["id"]):
        return {"state": "denied", "message": f"{person['name']} is not on that team.", "links": []}
    if billable is None:
        raise Unclear("are these hours billable?")
    if o.says(r"\b(submitted|invoiced)\b"):
        raise Unclear("hours are written down as a draft; may they be?")
    entry = {
        "employee": person["id"], "project": project["id"], "date": day, "hours": hours[0],
        "billable": billable, "notes": o.p["ticket"] if o.p["ticket_in_notes"] else note_for_time(o),
        "status": "draft", "work_category": o.category(project),
    }  # fmt: skip
    return planned(
        f"{hours[0]:g} hours on {day} for {person['name']} on {project['name']}, as a draft.",
        [("employee", person["id"]), ("project", project["id"])],
        [["Combo_Log_Time_For_Project", entry]], **{**flags, "own": person["id"] == o.me},
    )  # fmt: skip


def project_for_time(o: CompanyState, mine: bool) -> tuple[Record, dict[str, bool]]:
    """The project; of several that fit the one that the asker leads, or is on."""
    try:
        return o.project()
    except Unclear:
        found_ = [p for p in o.some_projects(9) if o.on(p, o.me)] if mine else []
        if len(found_) != 1:
            raise
    return found_[0], o.flags(found_[0])


def note_for_time(o: CompanyState) -> str:
    """The note that hours shall carry. Raises Unclear."""
    if not o.says(r"\bnotes?\b"):
        return ""
    if o.p["quoted"]:
        return str(o.p["quoted"][0])
    told = re.search(r"\bnotes? (?:to|that|saying) ([^.!]+)", o.text)
    if told is None:
        raise Unclear("what shall the note say?")
    return told[1].strip()


def void_copy(o: CompanyState) -> Report:
    """A wrong entry of the asker voided, and a new one with the hours that it should have had."""
    bare = re.findall(
        r"\b(?:fact|truth|actually|only|was|not|but|instead of|really|be) (?:only |just )?(\d+(?:[.,]\d+)?)\b(?![-./]\d)",
        o.low,
    )
    named = {*o.p["hours"], *(float(n.replace(",", ".")) for n in bare)}
    if not named or not o.p["day"]:
        raise Unclear("which entry is meant, and how many hours shall it have?")
    entries = [e for e in o.entries if e["employee"] == o.me and e["date"] == o.p["day"]]
    entries = [e for e in entries if e["status"] != "voided" and e["hours"] in named]
    try:
        project, _ = o.project()
        entries = [e for e in entries if e["project"] == project["id"]]
    except Unclear:
        if len(entries) != 1:
            raise
    if len(entries) != 1:
        raise Unclear("which entry is meant?")
    old, new = entries[0], named - {entries[0]["hours"]}
    if len(new) != 1 or o.says(r"\b(?:approved|submitted|invoiced)\b"):
        raise Unclear("how many hours shall the new entry have?")
    same = ("employee", "project", "date", "billable", "notes", "work_category")
    entry = {**{k: old[k] for k in same}, "hours": new.pop(), "status": "draft"}
    entry["allow_non_member"] = True  # the hours stand there already
    calls = [
        ["Combo_Update_Time_Entry_For_Changes", {"id": old["id"], "status": "voided"}],
        ["Combo_Log_Time_For_Project", entry],
    ]
    links = [("project", old["project"])]
    return planned("The entry is voided and a new one written.", links, calls, own=True)


def team_change(o: CompanyState) -> Report:
    """Somebody joins a team, leaves it, or has another role or share there."""
    project, flags = o.project()
    person = o.one_person(project)
    seat = o.on(project, person["id"])
    roles = list(dict.fromkeys(r for pattern, r in ROLES[:5] if o.says(pattern)))
    share = re.search(r"\b(\d{1,3}) ?%|\b(0[.,]\d+|1[.,]0)\b", o.low)
    part: dict[str, Any] = {"role": roles[0]} if len(roles) == 1 else {}
    if share:
        part["time_slice"] = int(share[1]) / 100 if share[1] else float(share[2].replace(",", "."))
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
    call = ["Combo_Update_Team_For_Changes", {"project": project["id"], **change}]
    return planned(
        f"The team of {project['name']} is changed.", links, [call] if change else [], **flags
    )


def swap(o: CompanyState) -> Report:
    """Two members exchange role and share, or what of it the text names."""
    project, flags = o.project()
    people = o.some_people(project)
    seats = [seat for p in people if (seat := o.on(project, p["id"]))]
    if len(people) != 2 or len(seats) != 2:
        raise Unclear("which two members are meant?")
    fields = swapped(o)
    change = [
        {**seat, **{f: other[f] for f in fields}}
        for seat, other in zip(seats, reversed(seats), strict=True)
    ]
    call = ["Combo_Update_Team_For_Changes", {"project": project["id"], "change": change}]
    links = [*links_to("employee", people), ("project", project["id"])]
    return planned(f"Swapped {' and '.join(p['name'] for p in people)}.", links, [call], **flags)


def swapped(o: CompanyState) -> list[str]:
    """What two members exchange: what the text names, less what it says stays. Raises Unclear."""
    wanted: list[str] = []
    staying: list[str] = []
    for clause in re.split(r"[;,.:]|\bbut\b|\band (?=keep|leave)", o.low):
        named = [
            f
            for f, word in (
                ("role", r"\broles?\b"),
                ("time_slice", r"\b(?:workloads?|(?:time )?shares?|slices?)\b"),
            )
            if re.search(word, clause)
        ]
        kept = re.search(
            r"\b(remains?|stays?|keep|kept|unchanged|as they are|as it is|leave|left|not|without)\b",
            clause,
        )
        if kept and re.search(r"\b(swap|exchange|switch|trade)", clause):
            raise Unclear("what exactly shall be exchanged?")
        (staying if kept else wanted).extend(named)
    fields = [f for f in wanted or ["role", "time_slice"] if f not in staying]
    if not fields or set(wanted) & set(staying) or (o.says(r"\bonly\b") and len(fields) != 1):
        raise Unclear("what exactly shall be exchanged?")
    return list(dict.fromkeys(fields))
