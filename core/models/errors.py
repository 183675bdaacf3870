"""What a failure of a provider means, what follows it, and what the person can do about it."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Final, Literal

import regex
from pydantic import BaseModel, ConfigDict, Field

from core.models.model_call import ErrorKind

_ADDRESS = regex.compile(r"\bhttps?://\S+|\bwww\.\S+")
Follows = Literal["again", "next", "pause", "lost", "end"]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Rule(_Row):
    kind: ErrorKind
    classes: frozenset[str] = Field(frozenset(), alias="class")
    status: frozenset[int] = frozenset()
    says: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    answered: bool | None = None

    def holds(self, names: Collection[str], status: int | None, text: str, answered: bool) -> bool:
        return (
            self.answered in (None, answered)
            and not (self.classes and self.classes.isdisjoint(names))
            and not (self.status and status not in self.status)
            and not (self.says and not _found(self.says, text))
            and not (self.unless and _found(self.unless, text))
        )


class _Hint(_Row):
    kind: ErrorKind
    text: str
    says: str = ""


class _Table(_Row):
    rules: tuple[_Rule, ...] = Field(alias="rule")
    follows: dict[ErrorKind, Follows]
    hints: tuple[_Hint, ...] = Field(alias="hint")


_TABLE = _Table.model_validate(
    tomllib.loads(Path(__file__).with_name("errors.toml").read_text(encoding="utf-8"))
)
FOLLOWS: Final = _TABLE.follows
"""What follows a failure of each kind; ``errors.toml`` explains the words."""
AGAIN: Final = frozenset(kind for kind, follows in FOLLOWS.items() if follows == "again")
"""Kinds that another attempt may not meet."""


def hint_of(kind: str | None, text: str, key: str) -> str:
    """What the person can do about a failure with this text; "" where nobody can.

    ``key``: the name of the variable that holds the backend's key.
    """
    rows = (row for row in _TABLE.hints if row.kind == kind)
    return next((row.text.format(key=key) for row in rows if _found((row.says,), text)), "")


def kind_of(
    names: Collection[str],
    status: int | None,
    fields: Iterable[tuple[str, str]],
    *,
    answered: bool,
) -> ErrorKind:
    """The kind of a failure: the first rule that holds.

    ``names``: of the exceptions' classes; ``fields``: names and values of the error's text;
    ``answered``: the server has answered by HTTP.
    """
    text = _ADDRESS.sub("", "\n".join(f"{name}: {value}" for name, value in fields))
    for rule in _TABLE.rules:
        if rule.holds(names, status, text, answered):
            return rule.kind
    if status is None:
        return "network"
    return "bad_request" if status < 500 else "overload"


def _found(patterns: tuple[str, ...], text: str) -> bool:
    return any(_compiled(pattern).search(text) for pattern in patterns)


@cache
def _compiled(pattern: str) -> regex.Pattern[str]:
    """Compiled at its first use: most runs meet no error, and all of them together take 0.1 s."""
    return regex.compile(pattern, regex.IGNORECASE)
