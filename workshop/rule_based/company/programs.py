"""The worker's reference code: the modules of this folder that reckon, and what calls the tools.

Each program reads its facts from ``p``, the step's parameters.
"""

from __future__ import annotations

import ast
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

QUESTIONS = {
    "set": "pages levels", "more_of": "pages levels", "team_table": "pages levels", "my_gaps": "pages notes",
    "lead_of": "", "role_of": "", "customer_of": "", "project_id": "", "contact": "", "manager_of": "",
    "pay_of": "", "person_field": "", "load_of": "pages", "note_of": "notes", "phone": "notes",
    "hours": "entries", "which_page": "pages alone", "pay_sum": "", "no_kind": "pages alone",
}  # fmt: skip
"""Kinds of questions, with what they need besides people, projects and customers."""
CHANGES = {
    "status": "pages", "log_time": "pages", "void_copy": "pages entries", "edit_person": "pages notes",
    "self_review": "pages notes", "apply_raise": "pages notes", "pay_change": "pages",
    "swap": "pages", "team_change": "pages", "rename_page": "pages alone",
    "delete_page": "pages alone", "write_page": "pages alone", "placeholders": "pages",
}  # fmt: skip
"""Kinds of changes, with what they need."""
_MODULES = (
    "spotting", "meanings", "office", "records", "comparisons", "sets", "places", "changes", "person_changes",
    "page_changes", "fences",
)  # fmt: skip
_CALLED = {"set": "answer"}
_READ = """\
def checked(answer):
    if isinstance(answer, dict) and "error" in answer:
        raise ValueError(answer["error"]["text"])
    return answer


def rows(answer):
    if isinstance(checked(answer), dict):
        return next((v for v in answer.values() if isinstance(v, list)), [])
    return answer or []


def pages(answer):
    found = checked(answer).get("pages", answer) if isinstance(answer, dict) else answer
    if isinstance(found, dict):
        return found
    return {x.get("file") or x.get("path"): x["content"] for x in found or []}


def whole(people):
    for group in people_in(p["text"], people) + [[x for x in people if x["id"] == p["me"]]]:
        for person in group[:8]:
            person.update(Req_GetEmployee(id=person["id"]).get("employee") or {})


def look():
    needs, data = p["needs"].split(), {}
    if "pages" in needs or "told" in p:
        data["pages"] = pages(Combo_Read_Wiki_Pages(files=[]))
    if "told" in p:
        rules["rules"] = untold(data["pages"], p["told"])
    if "alone" not in needs:
        data["people"] = rows(Combo_List_All_Employees(details="levels" in needs))
        data["projects"] = rows(Combo_List_All_Projects(teams=True))
        data["customers"] = rows(Combo_List_All_Customers(details=True))
    if "notes" in needs:
        whole(data["people"])
    if "entries" in needs:
        data["entries"] = rows(Combo_List_All_Time_Entries())
    return data


rules = {}
try:
    data = look()
    report = reckon(p["kind"], p, data, {p["kind"]: KIND})
FENCES
except Exception as error:
    report = {"state": "failed", "message": str(error), "links": []}
final_answer({**report, **rules})
"""
_FENCED = '    report["fences"] = fences(data["pages"], p["noun"])\n'
_PLACES = """\
try:
    report = reckon("places", p, {"pages": pages(Combo_Read_Wiki_Pages(files=[]))}, {"places": places})
except Exception as error:
    report = {"state": "failed", "message": str(error), "links": []}
final_answer(report)
"""
_WRITE = """\
report = {"state": "done", "message": p["message"], "links": p["links"]}
try:
    for name, arguments in p["calls"]:
        answer = TOOLS[name](**arguments)
        if "error" in answer:
            raise ValueError(answer["error"]["text"])
except Exception as error:
    report = {"state": "failed", "message": str(error), "links": []}
final_answer(report)
"""
"""Makes the calls that were planned, in order, and stops at the first that fails."""


_building = threading.Lock()


def _tree(code: str) -> ast.Module:
    """Code as a tree. CPython 3.11 loses count where several threads build trees: then again."""
    with _building:
        for _ in range(5):
            with suppress(SystemError):
                return ast.parse(code)
        return ast.parse(code)


@cache
def _parts() -> dict[str, ast.stmt]:
    """The definitions of the modules that are worker code, by name, in their order."""
    found: dict[str, ast.stmt] = {}
    for name in _MODULES:
        tree = _tree(
            (Path(__file__).parent / "reckoning" / f"{name}.py").read_text(encoding="utf-8")
        )
        for node in tree.body:
            match node:
                case ast.FunctionDef() | ast.ClassDef():
                    _drop_docstrings(node)
                    found[node.name] = node
                case ast.Assign(targets=[ast.Name(name)]):
                    found[name] = node
                case ast.Import() | ast.ImportFrom(module="typing" | "collections.abc"):
                    found.update({alias.name: node for alias in node.names})
    return found


def _drop_docstrings(tree: ast.stmt) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]


@cache
def _text_of(name: str) -> str:
    """A definition of the modules."""
    return ast.unparse(_parts()[name])


@cache
def _needed_by(name: str) -> frozenset[str]:
    """The definitions that one of them names."""
    return _named_in(_parts()[name])


def _named_in(tree: ast.AST) -> frozenset[str]:
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return frozenset(named & _parts().keys())


@cache
def _alone(code: str) -> str:
    """Code with all that it needs of the modules, and nothing else of them."""
    open_ = set(_named_in(_tree(code)))
    wanted: set[str] = set()
    while open_:
        name = open_.pop()
        wanted.add(name)
        open_ |= _needed_by(name) - wanted
    kept = {id(node): name for name, node in _parts().items() if name in wanted}
    return "\n".join([*map(_text_of, kept.values()), code])


def _look(kind: str) -> str:
    """The program that answers a question or plans a change."""
    if kind == "place":
        return _alone(_READ.split("def whole")[0] + _PLACES)
    fenced = _FENCED if kind in CHANGES else ""
    return _alone(_READ.replace("KIND", _CALLED.get(kind, kind)).replace("FENCES\n", fenced))


def _write(tools: list[str]) -> str:
    """The program that makes the planned calls of these tools."""
    named = ", ".join(f'"{tool}": {tool}' for tool in dict.fromkeys(tools))
    return f"TOOLS = {{{named}}}\n{_WRITE}"


def code(name: str, p: dict[str, Any]) -> str:
    """The program of a step, look or write, for its facts."""
    if name == "write":
        return _write([tool for tool, _ in p["calls"]])
    return _look(p["kind"])
