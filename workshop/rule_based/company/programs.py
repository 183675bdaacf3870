"""The worker's programs, plain enough for both sandboxes: the first line says what each is for."""

from __future__ import annotations

import textwrap
from typing import Any

from workshop.rule_based.prompt import program_of

_UNSURE = """\
if not found or (found[1:] and found[0]["score"] - found[1]["score"] < p["ahead"]):
    report = {"unclear": [x["name"] for x in found[:4]]}
else:
"""
"""What stands at UNSURE: nothing is found, or no candidate is far enough ahead."""
_READS = {
    "project": """\
# Report the project, its team, and the person and the customer that are asked for.
found = ok(Combo_Resolve_Project_For_Phrase(phrase=p["project"], member=p["member"]))["candidates"]
UNSURE
    one = found[0]
    people = {x["id"]: x for x in ok(Combo_List_All_Employees())["employees"]}
    for m in one["team"]:
        m.update({x: people[m["employee"]][x] for x in ("name", "department")})
    report = {"project": one}
    if p["person"]:
        report["people"] = ok(Combo_Resolve_Person_For_Name(name=p["person"], project=one["id"]))["candidates"]
    if p["customer"] and one["customer_name"]:
        report["customer"] = Req_GetCustomer(id=one["customer"])["company"]
""",
    "people": """\
# Report these people with what is asked for.
report = {"people": []}
for id in p["people"]:
    one = Req_GetEmployee(id=id)["employee"]
    row = {field: one[field] for field in p["fields"]}
    if p["projects"]:
        row["projects"] = ok(Combo_Resolve_Project_For_Phrase(phrase="", member=id))["candidates"]
    if p["load"]:
        loads = ok(Combo_Sum_Workload_For_Employees(statuses=p["statuses"]))["people"]
        row["workload"] = [x["workload"] for x in loads if x["id"] == id][0]
    report["people"].append(row)
""",
    "customer": """\
# Report the customer and its account manager.
found = ok(Combo_Resolve_Customer_For_Phrase(phrase=p["customer"]))["candidates"]
UNSURE
    one = Req_GetCustomer(id=found[0]["id"])["company"]
    names = {x["id"]: x["name"] for x in ok(Combo_List_All_Employees())["employees"]}
    report = {"customer": one, "manager": names.get(one["account_manager"], "")}
""",
    "managed": """\
# Report the customers of these account managers.
rows = [x for x in ok(Combo_List_All_Customers())["customers"] if x["account_manager"] in p["people"]]
report = {"records": rows, "kind": "customer"}
""",
    "of_customer": """\
# Report the projects of these customers.
rows = [x for x in ok(Combo_List_All_Projects())["projects"] if x["customer"] in p["customers"]]
report = {"records": [{"id": x["id"], "name": x["name"]} for x in rows], "kind": "project"}
""",
    "mine": """\
# Report the projects that the user leads.
report = {"projects": ok(Combo_Resolve_Project_For_Phrase(phrase="", lead=p["lead"]))["candidates"]}
""",
    "workload": """\
# Report who of the department or place that the text names has the most or the least load.
people = ok(Combo_Sum_Workload_For_Employees(statuses=p["statuses"]))["people"]
hits = {x["location"]: len([w for w in p["words"] if w in x["location"].split()]) for x in people}
places = [x for x in hits if hits[x] and hits[x] == max(hits.values())]
near = [x for x in people if x["department"] in p["text"] or x["location"] in places]
loads = [x["workload"] for x in near]
if near:
    end = min(loads) if p["least"] else max(loads)
    rows = [x for x in near if x["workload"] == end]
    report = {"records": rows, "kind": "employee", "value": "workload"}
else:
    report = {"unclear": []}
""",
    "leads_above": """\
# Report the leads of projects who earn more than this person.
pay = Req_GetEmployee(id=p["people"][0])["employee"]["salary"]
leads = {m["employee"] for x in ok(Combo_List_All_Projects())["projects"] for m in x["team"] if m["role"] == "Lead"}
people = [x for x in ok(Combo_List_All_Employees())["employees"] if x["id"] in leads and x["salary"] > pay]
report = {"records": [{"id": x["id"], "name": x["name"]} for x in people], "kind": "employee"}
""",
    "hours": """\
# Report the hours of these days, both included.
of, found = p["of"], [{"id": "", "score": 100}]
if "project" in of:
    found = ok(Combo_Resolve_Project_For_Phrase(phrase=of["project"]))["candidates"]
UNSURE
    of = {"project": found[0]["id"]} if "project" in of else of
    hours = ok(Combo_Sum_Hours_For_Period(date_from=p["from"], date_to=p["to"], **of))
    report = {"hours": {x: hours[x] for x in ("total", "billable", "other")}, "of": of}
""",
    "places": """\
# Report the lines of the wiki that name these places.
pages = ok(Combo_Read_Wiki_Pages(files=[]))["pages"]
lines = [x for text in pages.values() for x in text.replace(". ", ".\\n").split("\\n")]
report = {"lines": {word: [x[:300] for x in lines if word in x][:5] for word in p["words"]}}
""",
    "pages": """\
# Report the parts of the wiki that speak of this.
report = {"chunks": ok(Combo_Search_Wiki_For_Words(words=p["words"], top=4))["chunks"]}
""",
}
_WRITES = {
    "status": """\
# Set the project's status.
made = Req_UpdateProjectStatus(id=p["project"], status=p["status"])
""",
    "log_time": """\
# Record these hours, as a draft.
made = ok(Combo_Log_Time_For_Project(status="draft", **p["entry"]))
""",
    "note": """\
# Write the note, exactly.
made = ok(Combo_Update_Employee_For_Changes(employee=p["employee"], notes=p["note"]))
""",
    "raise_by": """\
# Raise the salary by this amount.
made = ok(Combo_Update_Employee_For_Changes(employee=p["employee"], salary_delta=p["delta"]))
""",
    "rename_page": """\
# Rename the page.
made = ok(Combo_Rename_Wiki_Page(old=p["old"], new=p["new"]))
""",
    "delete_page": """\
# Delete the page.
ok(Combo_Read_Wiki_Pages(files=[p["old"]]))
made = ok(Combo_Write_Wiki_Pages(pages={p["old"]: ""}))
""",
}
_GUARD = """\
more = ok(Combo_Search_Wiki_For_Words(words=[p["unless"]], top=6))["chunks"] if p["unless"] else []
if more:
    report = {"rules": [x["text"] for x in more], "given": p}
else:
"""
WRITES = frozenset(_WRITES)


def purpose(name: str) -> str:
    """What a program is for."""
    return {**_READS, **_WRITES}[name].partition("\n")[0].removeprefix("# ")


def code(name: str, parameters: dict[str, Any]) -> str:
    """The program of a step with its parameters. Raises KeyError: there is none of this name."""
    if name in _READS:
        body = _READS[name].replace("UNSURE\n", _UNSURE)
    else:
        made = _WRITES[name] + 'report = {"made": made, "about": p["about"]}\n'
        body = _GUARD + textwrap.indent(made, "    ")
    return program_of(body, parameters, "failed")
