"""The programs of the scripted worker, and the same calls as steps of next-step.

A program is made of the lines of its instruction alone. It is plain enough for every sandbox, and
has at most 20 lines.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from workshop.scripted import company, store
from workshop.scripted.prompt import WEIGH, Line, Memory, lines_in

_UNKNOWN = 'final_answer({"error": "the instruction says nothing that I know how to do"})\n'
_LISTED = '[x for x in found["results"][0]["data"] if x["sku"] in p["skus"]]'
_FAILED = """\
except (ValueError, RuntimeError) as error:
    report = {"error": str(error)}
"""
_LOOK = f"""\
try:
    if p["refresh"]:
        Combo_Empty_Basket()
    found = Combo_List_All_Products(refresh=p["refresh"])
    report = {{"products": {_LISTED}, "error": found["fatal_error"]}}
{_FAILED}"""
_BEST = textwrap.indent(store.BEST, "    ")
_PRICE = f"""\
{store.BASKETS}try:
    for part in [baskets[at : at + 200] for at in range(0, len(baskets), 200)]:
        tried = Combo_Test_Coupons_For_Product_Combinations(part, p["coupons"], p["every"])
        rows, errors = rows + tried["results"], [*errors, tried["fatal_error"]]
    rows = {store.PRICED}
{_BEST}    report = {{"rows": best, "error": [x for x in errors if x]}}
{_FAILED}"""
_PROGRAMS = {
    store.LOOK: _LOOK,
    store.PRICE: _PRICE,
    WEIGH: 'report = {"weight": p["weight"]}\n',
}
_CALLS = """\
report = {"answers": []}
for tool, given in orders:
    try:
        x = tool(**given)
    except (ValueError, RuntimeError) as error:
        x = {"fatal_error": {"text": str(error)}}
    failed = x.get("fatal_error")
    team = {"id": given.get("id"), "team": x["project"]["team"]} if "project" in x else "done"
    report["answers"].append({"error": failed["text"]} if failed else team)
"""
_STOP = """\
    if failed:
        break
"""
_END = "final_answer(report)\n"


def carry_out(instruction: str) -> str:
    """Answer an instruction as a worker does: with the program of its lines."""
    program = program_of(lines_in(instruction))
    return f"Thought: I do what the lines say.\n<code>\n{program}</code>"


def program_of(lines: Sequence[Line]) -> str:
    """The program that does what these lines say."""
    verbs = {line.verb for line in lines}
    lines = [line for line in lines if line.verb != store.EMPTY]  # the look behind it does it
    if len(lines) == 1 and lines[0].verb in _PROGRAMS:
        return f"p = {lines[0].data!r}\n{_PROGRAMS[lines[0].verb]}{_END}"
    if not verbs or not verbs <= company.TOOLS.keys():
        return _UNKNOWN
    orders = list[str]()
    for verb, group in groupby(lines, key=lambda line: line.verb):
        rows = [line.data for line in group]
        orders.append(f"orders += [({company.TOOLS[verb]}, given) for given in {rows!r}]")
    stop = _STOP if verbs & company.CHANGES else ""
    return "\n".join(["orders = []", *orders, f"{_CALLS}{stop}{_END}"])


def call_of(line: Line) -> dict[str, Any]:
    """The function of next-step that does what a line says."""
    data = line.data
    if line.verb == store.LOOK:
        return {"tool": "Combo_List_All_Products", "refresh": data["refresh"]}
    if line.verb == store.FIND:
        return {"tool": "Combo_Find_Products_For_Query", "query": data["query"]}
    if line.verb == WEIGH:
        return {"tool": "Req_GetWeight"}
    if line.verb == store.EMPTY:
        return {"tool": "Combo_Empty_Basket"}
    if line.verb == store.PRICE:
        wanted = {"combinations": data["baskets"], "coupons": data["coupons"]}
        tool = "Combo_Test_Coupons_For_Product_Combinations"
        return {"tool": tool, **wanted, "every": data["every"]}
    if line.verb == store.BUY:
        final = {f"expected_{name}": data[name] for name in ("total", "coupon", "items")}
        code = data["coupon"] or "none"
        conditions = [f"exactly these items for ${data['total']}, coupon {code}"]
        done = {"status": "solved", "reason": "the basket is known", "conditions": conditions}
        return {"tool": "TaskCompletion", **done, "final": final}
    return {"tool": company.TOOLS[line.verb], **data}


def learn(seen: Memory, line: Line, came: Memory) -> Memory:
    """A report with one step of next-step more: its ``answer`` as the program would report it."""
    answer, error = came.get("answer"), came.get("error")
    if line.verb in company.TOOLS:
        project = answer.get("project") if isinstance(answer, dict) else None
        team = {"id": line.data.get("id"), "team": project["team"]} if project else "done"
        return {"answers": [*seen.get("answers", []), {"error": error} if error else team]}
    if error or not isinstance(answer, dict):
        return seen | {"error": error or "there is no answer"}
    if line.verb == store.LOOK:
        listed = answer["results"][0]["data"]
        return {"products": [x for x in listed if x["sku"] in line.data["skus"]]}
    if line.verb == store.FIND:
        matches = answer["results"][0]["data"]["matches"]
        found = [x for x in matches if x["sku"] == line.data["sku"]]
        return {"products": [*seen.get("products", []), *found]}
    if line.verb == store.PRICE:
        rows = [*seen.get("rows", []), *store.priced(answer["results"])]
        return {"rows": store.best_rows(rows, line.data)}
    return seen | {"receipt": answer}
