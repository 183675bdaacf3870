"""What a prompt tells before anything is looked up: who asks, the rules, and what the task names."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import regex

from workshop.rule_based.company.kinds import STATUSES
from workshop.rule_based.company.rights import Requester, Rules

_NAMED = regex.compile(r"(?P<name>[^,;:()]+?) \((?P<kind>employee|project|customer) (?P<id>[^\s,)]+)[^)]*\)")  # fmt: skip
_LOAD = r"\b(?:load|shares?|slices)\b(?!.*\b(?:not count|left out)\b)"
_RULES = regex.compile(r"(?ms)^rule_book: (.*?)(?=^(?:guest|ties|policy|current_user): |\Z)")
_MAY_BE = regex.compile(r'"(?P<said>[^"]+)" may be: (?P<who>(?:[^;]|;(?! "))+)')


@dataclass(frozen=True)
class Named:
    """A record that a text names."""

    kind: str
    id: str
    name: str


@dataclass(frozen=True)
class Facts:
    """Briefing and findings of a task."""

    task: str
    requester: Requester
    today: str
    rules: Rules
    pages: str
    whole: bool
    """Whether all pages of the wiki are told."""
    leads: bool
    manages: bool
    named: tuple[Named, ...] = ()
    candidates: dict[str, tuple[Named, ...]] = field(default_factory=dict)
    """The people that a part of the text may mean."""
    ties: dict[str, str] = field(default_factory=dict)
    """By id, what the requester has to do with it."""

    def of(self, kind: str) -> list[Named]:
        """The records of a kind that are named for certain; a lone candidate is."""
        only = [who[0] for who in self.candidates.values() if len(who) == 1]
        return [one for one in (*self.named, *only) if one.kind == kind]

    def open(self) -> list[str]:
        """The names that may mean several people."""
        return [name for name, who in self.candidates.items() if len(who) > 1]

    def tied(self) -> tuple[bool, bool]:
        """Whether the requester leads, and is account manager of, all that is named; may be, of nothing."""
        of = [x for x in self.named if x.id in self.ties]
        of = [x for x in of if x.kind == "project"] or of
        if not of:
            return self.leads, self.manages
        leads = r"role there: [^,]*\bLead\b|user leads: (?!none)"
        manages = r"customer: (?!another|none)|the user is its account manager"
        both = [all(regex.search(x, self.ties[one.id]) for one in of) for x in (leads, manages)]
        return both[0], both[1]

    def counted(self) -> list[str] | None:
        """The statuses of projects that make up a load; [] for all, None where no page says."""
        for part in regex.split(r"(?<=[.;])\s|\n", self.pages):
            statuses = [x for x in STATUSES if regex.search(rf"\b{x}\b", part)]
            if not regex.search(_LOAD, part, regex.I):
                continue
            if statuses or regex.search(r"\bwhatever\b", part):
                return [] if regex.search(r"\bwhatever|\balike\b", part) else statuses
        return None


def read_facts(task: str, briefing: str, findings: str) -> Facts | None:
    """The facts of a prompt; None where nobody knows who asks."""
    first, _, pages = briefing.partition("\n")
    pages, others, _ = pages.partition("\nother pages: ")
    try:
        header: dict[str, Any] = json.loads(first)
        user = header["user"]
    except (ValueError, KeyError, TypeError):
        return None
    guest = user == "guest"
    requester = (
        Requester(guest=True) if guest else Requester(user["id"], False, user.get("department", ""))
    )
    ties = regex.search(r"(?m)^ties: (.*)$", findings)
    rules = _RULES.search(findings)
    pages = f"{pages}\n{rules[1]}" if rules else pages
    entities = regex.search(r"(?m)^entities: (.*)$", findings)
    text = entities[1] if entities else ""
    certain = text.split('"')[0] if text.startswith("named: ") else ""
    unknown = "unknown" in header
    return Facts(
        task=task, requester=requester, today=str(header.get("today", "")), rules=Rules(pages), pages=pages,
        whole=not others and "(parts) ==" not in pages,
        leads=unknown or bool(header.get("leads")), manages=unknown or bool(header.get("manages")),
        named=_records(certain.removeprefix("named: ")),
        candidates={m["said"]: _records(m["who"]) for m in _MAY_BE.finditer(text)},
        ties=dict(x.split(": ", 1) for x in (ties[1] if ties else "").split("; ") if ": " in x),
    )  # fmt: skip


def _records(text: str) -> tuple[Named, ...]:
    return tuple(Named(m["kind"], m["id"], m["name"].strip()) for m in _NAMED.finditer(text))
