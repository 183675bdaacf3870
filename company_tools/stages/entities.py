"""The step ``entities``: whom and what a task names, for the permission and for the solving."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Any, Protocol

from company_tools.company_session import CompanySession, Record
from company_tools.customers import resolve_customer
from company_tools.evidence import Known
from company_tools.people import resolve_person
from company_tools.projects import resolve_project
from company_tools.stages.spotting import Sight, spot
from company_tools.wiki_store import WikiStore
from core.ledger import Ledger, ToolFault
from core.models.model_client import ModelClient
from core.models.prompt_json import as_data
from core.models.prompts import prompt
from core.models.sections import NONE, Texts
from core.models.small_call import ask_once
from core.runs.stages import Finding, StageInput

ROOM = "company_tools.stages"
LEFT_AT_LEAST = 3
"""So many words that name nothing known are worth a call."""
NAMES_AT_MOST = 4
SHOWN = 3
CERTAIN, CLEAR = 75, 15
"""Score, of 100, of a candidate that is taken for what is meant, and how far ahead it must be."""
LEAST = 40


class RequestHandler(Protocol):
    """A task's company, for one who only looks."""

    def reading(self, ledger: Ledger) -> AbstractContextManager[tuple[CompanySession, WikiStore]]:
        """Session and wiki; while it lasts nothing can be changed, and nothing is evidence."""

    def tell(self, records: list[Known]) -> None:
        """Let the solver name records that a step has told it of."""


def system(texts: Texts = NONE) -> str:
    """What the prompts of the small call begin with."""
    return prompt(ROOM, "entities", texts)


class Entities:
    """Names by rule, then by one small call for what is left; ids by the tools."""

    def __init__(self, desk: RequestHandler, texts: Texts = NONE) -> None:
        """``texts``: sections over the shipped ones."""
        self._desk, self._texts = desk, texts

    def run(
        self, task: StageInput, briefing: str, door: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """``facts``: ``permission`` (who and what, certain or likely) and ``candidates``.

        A guest's task names nothing that may be looked up.
        """
        with self._desk.reading(ledger) as (session, _):
            if not session.requester:
                return Finding()
            sight = spot(task.text, session)
            permission = [one.told() for one in sight.certain]
            candidates: list[Record] = [
                {"said": said, "found": [one.told() for one in found]}
                for said, found in sight.several.items()
            ]
            failed = ""
            if door is not None and len(sight.left) >= LEFT_AT_LEAST:
                names, failed = self._asked(task.text, sight, door)
                for kind, said in names:
                    self._resolve(session, kind, said, permission, candidates)
        if not (permission or candidates):
            return Finding(failed=failed)
        facts = {"permission": permission, "candidates": candidates}
        self._desk.tell(_named(facts))
        return Finding(text=_told(permission, candidates), facts=facts, failed=failed)

    def _asked(
        self, text: str, sight: Sight, door: ModelClient
    ) -> tuple[list[tuple[str, str]], str]:
        known = ", ".join(f"{one.name} ({one.kind})" for one in sight.certain) or "none"
        user = f"<task>\n{as_data(text)}\n</task>\nKnown already: {as_data(known)}"
        names, failed = ask_once(door, system(self._texts), user, ["names"], _names)
        return names or [], failed

    def _resolve(
        self,
        session: CompanySession,
        kind: str,
        said: str,
        permission: list[Record],
        candidates: list[Record],
    ) -> None:
        """Add what a phrase means: to both lists where one record is clearly ahead."""
        try:
            rows = _found(session, kind, said)
        except ToolFault:
            return
        known = {one["id"] for one in permission}
        rows = [row for row in rows if row.get("score", 0) >= LEAST and row.get("id")]
        if not rows or rows[0]["id"] in known:
            return
        shown = [_row(kind, row) for row in rows[:SHOWN]]
        ahead = len(rows) == 1 or rows[0]["score"] - rows[1]["score"] >= CLEAR
        if rows[0]["score"] >= CERTAIN and ahead:
            permission.append({**shown[0], "said": said})
        else:
            candidates.append({"said": said, "found": shown})


def remember(desk: RequestHandler, found: Finding) -> None:
    """Let the solver name what a finding of an earlier process has told it of."""
    desk.tell(_named(found.facts))


def _named(facts: dict[str, Any]) -> list[Known]:
    rows = list(facts.get("permission", ()))
    for one in facts.get("candidates", ()):
        rows += one["found"]
    return [Known(row["kind"], row["id"], row["name"]) for row in rows]


def _names(reply: dict[str, object]) -> list[tuple[str, str]]:
    """Kinds and phrases out of a reply. Raises ValueError."""
    rows = reply["names"]
    if not isinstance(rows, list):
        raise ValueError("names is no list")
    found = []
    for row in rows[:NAMES_AT_MOST]:
        if not isinstance(row, dict):
            raise ValueError("a name is an object with kind and said")
        kind, said = str(row.get("kind", "")).casefold(), str(row.get("said", "")).strip()
        if kind in ("employee", "project", "customer") and said:
            found.append((kind, said[:120]))
    return found


def _found(session: CompanySession, kind: str, said: str) -> list[Record]:
    if kind == "project":
        rows = resolve_project(session, said, "", "", archived=True)
    elif kind == "customer":
        rows = resolve_customer(session, said)
    else:
        rows = resolve_person(session, said, "", "", contacts=False)
    return list(rows["candidates"])


def _row(kind: str, row: Record) -> Record:
    return {"kind": kind, "id": row["id"], "name": row["name"], "score": row["score"]}


def _told(permission: list[Record], candidates: list[Record]) -> str:
    lines = [f"named: {', '.join(map(_called, permission))}"] if permission else []
    for one in candidates:
        lines.append(
            f"{json.dumps(one['said'], ensure_ascii=False)} may be: "
            f"{', '.join(map(_called, one['found']))}"
        )
    return "; ".join(lines)


def _called(row: Record) -> str:
    said = f", for {row['said']!r}" if row.get("said") else ""
    return f"{row['name']} ({row['kind']} {row['id']}{said})"
