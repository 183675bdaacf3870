"""Who may do what, read out of two plain forms: a title with what it may, or an action with its groups."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import regex

_TABLE = tomllib.loads(Path(__file__).with_name("rights.toml").read_text("utf-8"))
_WORDS = {k: regex.compile(v, regex.I) for k, v in (_TABLE["words"] | _TABLE["groups"]).items()}
_RIGHTS = [
    (name, {"": None, "change": True, "look": False}[mode], [regex.compile(x, regex.I) for x in patterns])
    for name, mode, *patterns in _TABLE["rights"]["rows"]
]  # fmt: skip
_TITLE = regex.compile(
    r"(?m)^#{1,6} (?P<who>.+)$|^\s*(?:[-*] |\d+[.)] )?\*\*(?P<who>[^*\n]{2,60}?)\*\*[.:]?"
    r"|(?<![*\p{L}])\*(?P<who>\p{Lu}[^*\n]{2,60}\.)\*|^\d+[.)] (?P<who>[^:.\n]{3,60}):"
)
_ACTION = regex.compile(r"(?m)^- To \*\*(?P<action>.+?)\*\*: (?P<who>.+?)\.?$|^\| (?P<action>[^|]+) \| (?P<who>[^|]+) \|$")  # fmt: skip
_PAGE = regex.compile(r"(?m)^== .+ ==$")
_SENTENCE = regex.compile(r"(?<=[.!?])\s+|\n\s*(?:[-*]|\d+[.)])\s+|\n\s*\n")
CHANGES = frozenset("own_levels own_hours approved_hours draft_hours note_write levels_write status team pay_write wiki_write".split())  # fmt: skip
_AROUND = frozenset("the all of in department team members people staff".split())
_PLAIN = frozenset({"register", "wiki_read", "own_pay", "date", "place"})
_OPEN = frozenset({"account_manager", "levels", "load"})
"""What staff may see where it is given to nobody."""


@dataclass
class Group:
    """Whoever a title speaks of, and what is said of them."""

    title: str
    text: str = ""
    may: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Requester:
    """Who asks, as the briefing tells."""

    id: str = ""
    guest: bool = False
    department: str = ""


class Rules:
    """The groups of a policy, what nobody may, and the sentences that demand something for a change."""

    def __init__(self, policy: str) -> None:
        text = _PAGE.sub("\n\n", policy)
        self.groups: list[Group] = []
        for row in _ACTION.finditer(text):
            rights = named(f"may {row['action']}")
            self.groups += [Group(who.strip(" .*"), may={*rights}) for who in row["who"].split(";")]
        self.groups += _by_title(_ACTION.sub("", text))
        self.nobody = {"pay_sum", "nobody"}
        for sentence in _SENTENCE.split(text):
            if _WORDS["nobody"].search(sentence):
                self.nobody |= named(sentence) & (CHANGES - {"own_levels", "own_hours"})
        self.given = {right for group in self.groups for right in group.may}
        self._text = text

    def demands(self, right: str) -> bool:
        """Whether a change needs something in its request that cannot be told here, as a ticket."""
        return any(
            _WORDS["condition"].search(s) and _WORDS["demand"].search(s) and right in named(s)
            for s in _SENTENCE.split(self._text)
        )

    def of(self, requester: Requester, lead: bool, account: bool) -> list[Group]:
        """The groups of somebody; ``lead`` and ``account``: of what the task is about."""
        if requester.guest:
            return [g for g in self.groups if _WORDS["guest"].search(g.title)]
        # A department is no staff if it is called so, left out, or has a base of its own.
        department = requester.department
        named_out = rf"\b(?:but|than|except|which) (?:the )?{regex.escape(department)}\b"
        left_out = any(_is_staff(g) and regex.search(named_out, g.text) for g in self.groups)
        own = [g for g in self.groups if _same(g.title, department)]
        little = any(
            "register" in g.may and g.may & CHANGES <= {"own_hours", "own_levels"} for g in own
        )
        staff = not (left_out or little or _WORDS["outsider"].search(department))
        return [
            g
            for g in self.groups
            if g in own
            or (staff and _is_staff(g))
            or (lead and _WORDS["lead"].search(g.title))
            or (account and _WORDS["account"].search(g.title))
        ]

    def allows(
        self, requester: Requester, right: str, lead: bool = False, account: bool = False
    ) -> bool:
        """Whether somebody may: a change only where one of their groups is given it."""
        groups = self.of(requester, lead, account)
        if right in self.nobody or (requester.guest and right not in ("date", "place")):
            return False
        if any(right in g.may for g in groups):
            return True
        if right in CHANGES or requester.guest or any(right in g.refused for g in groups):
            return False
        return right in _PLAIN or (right in _OPEN and right not in self.given)


def _by_title(text: str) -> Iterator[Group]:
    """The groups of titles, each with the sentences up to the next one."""
    titles = list(_TITLE.finditer(text))
    ends = [m.start() for m in titles[1:]] + [len(text)]
    above: set[str] = set()
    for match, end in zip(titles, ends, strict=False):
        body = text[match.end() : end]
        if not match[0].startswith("#"):
            body = regex.split(r"\n\s*\n(?!\s*[-*] )", body.lstrip())[0]
        group = Group(match["who"].strip(" .*:"), body)
        for sentence in _SENTENCE.split(group.text):
            for part in regex.split(r"(?<=\w)[,;] (?=but |may not|no |never )", sentence):
                refused = _WORDS["refused"].search(part.strip(" -*\n"))
                (group.refused if refused else group.may).update(named(part))
                if not refused and _WORDS["above"].search(part):
                    group.may |= above
        group.refused -= group.may
        above |= group.may
        yield group


def named(sentence: str) -> frozenset[str]:
    """The rights that the clauses of a sentence name; a clause without a verb goes on with the last."""
    rights, own = set[str](), ""
    change: bool | None = None
    for clause in regex.split(r";|,| and | or ", _WORDS["aside"].sub(" ", sentence)):
        if _WORDS["write"].search(clause) or (change is None and "status" in clause):
            change = True
        elif _WORDS["read"].search(clause):
            change = False
        verb = _WORDS["write"].search(clause) or _WORDS["read"].search(clause)
        own = " own" if _WORDS["own"].search(clause) or (own and not verb) else ""
        for name, needs, patterns in _RIGHTS:
            fits = all(pattern.search(clause + own) for pattern in patterns)
            if fits and (needs is None or needs == bool(change)):
                rights.add(name)
                break
    return frozenset(rights)


def _is_staff(group: Group) -> bool:
    kinds = {kind for kind in ("staff", "guest", "outsider") if _WORDS[kind].search(group.title)}
    return kinds == {"staff"}


def _same(title: str, department: str) -> bool:
    """Whether a title is the name of a department, whatever stands around it."""
    one, other = (
        [w.removesuffix("s") for w in regex.findall(r"\p{L}+", x.casefold()) if w not in _AROUND]
        for x in (title, department)
    )
    return bool(one) and one == other
