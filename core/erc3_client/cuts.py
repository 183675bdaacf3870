"""How much of the texts and lists in an answer is taken in; the same for every client and API.

A text that is too long is cut and ends with a mark, so that nobody takes it for the whole: what
holds the mark is never sent back (``core/tools/api_session.py``). A list that is too long is not
cut, because a part of it would pass for all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel

NAME_AT_MOST: Final = 1_000
"""Characters of ids, names and every other text that is not named below."""
TASK_AT_MOST: Final = 8_000
PROSE_AT_MOST: Final = 20_000
PAGE_AT_MOST: Final = 200_000
LIST_AT_MOST: Final = 50_000
"""Elements of a list that stands in the answer itself, such as a page of a listing."""
INNER_LIST_AT_MOST: Final = 1_000
"""Elements of a list within a record."""
CUT_MARK: Final = " […cut when it was read: too long]"
_DEPTH_AT_MOST = 40
_PROSE = frozenset(
    {"notes", "description", "brief", "high_level_status", "message", "error", "error_message"}
    | {"logs", "gotcha", "short_description"}
)
_TASK = frozenset({"text", "task_text", "task"})


class TooMuch(Exception):
    """A list in an answer is longer than any that is believed, or nested too deeply."""


def cut_texts(answer: BaseModel) -> dict[str, int]:
    """Cut what is too long in an answer, in place; by field, how many characters went.

    Raises TooMuch.
    """
    gone: dict[str, int] = {}
    for field, characters in _cut(answer, "", 0):
        gone[field] = gone.get(field, 0) + characters
    return gone


def holds_cut(value: object) -> bool:
    """Whether a text somewhere in plain data was cut."""
    if isinstance(value, dict):
        return any(map(holds_cut, value)) or any(map(holds_cut, value.values()))
    if isinstance(value, list | tuple):
        return any(map(holds_cut, value))
    return isinstance(value, str) and CUT_MARK in value


def _cut(holder: Any, where: str, depth: int) -> Iterator[tuple[str, int]]:
    """Cut the texts in a model, a list or a dict: the place of each, and how much of it went."""
    if depth > _DEPTH_AT_MOST:
        raise TooMuch(f"{where[:80]} is nested more than {_DEPTH_AT_MOST} deep")
    if isinstance(holder, list):
        most = INNER_LIST_AT_MOST if depth > 1 else LIST_AT_MOST
        if len(holder) > most:
            raise TooMuch(f"{where} has {len(holder)} elements, more than {most}")
        places: Iterator[tuple[Any, Any]] = enumerate(holder)
    else:
        holder = holder if isinstance(holder, dict) else vars(holder)
        places = iter([*holder.items()])
    for key, value in places:
        if isinstance(value, str):
            name = key if isinstance(key, str) else where.rpartition(".")[2].removesuffix("[]")
            most = _at_most(name)
            if len(value) > most:
                holder[key] = value[:most] + CUT_MARK
                yield f"{_place(where, key)} after {most:,} characters", len(value) - most
        elif isinstance(value, BaseModel | list | dict):
            yield from _cut(value, _place(where, key), depth + 1)


def _place(where: str, key: object) -> str:
    if isinstance(key, int):
        return f"{where}[]"
    return f"{where}.{str(key)[:80]}" if where else str(key)[:80]


def _at_most(name: str) -> int:
    if name == "content":
        return PAGE_AT_MOST
    return PROSE_AT_MOST if name in _PROSE else TASK_AT_MOST if name in _TASK else NAME_AT_MOST
