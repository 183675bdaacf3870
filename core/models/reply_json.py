"""JSON objects in model text: in prose, in fences, in wrappers, with keys in any case."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress

import json5
import regex

STARTS_AT_MOST = 300
"""Opening braces that are tried: a reply of nothing else must not take seconds."""
LOOSE_STARTS = 5
LOOSE_CHARS = 20_000
"""Maximum characters for the tolerant reader, which is slow."""


def _unique(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """The object of these keys. Raises ValueError: one has two values, so that neither counts."""
    value: dict[str, object] = {}
    for key, inner in pairs:
        if value.setdefault(key, inner) != inner:
            raise ValueError(f"{key[:40]!r} stands twice in an object")
    return value


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_unique)
_STRICT = json.JSONDecoder(object_pairs_hook=_unique)
_STRAIGHT = str.maketrans("“”„‟‘’", '""""\'\'')
_GAP = regex.compile(r"[\s_\-*`]")
"""Characters removed from keys before they are compared."""
_START = regex.compile(r"\{")


def find_json(
    text: str, required: Collection[str], known: Collection[str] = ()
) -> dict[str, object] | None:
    """Find the object in a text with all required keys; None without one or with differing ones.

    Keys are compared without case, ``_``, ``-`` and blanks, and are returned as ``required`` and
    ``known`` spell them, at every depth. A wrapper around the object is opened, also where it
    contains the object as text. What is incomplete, or has two values for a key, is no object.
    """
    result = all_json(text, required, known)
    return result[0] if result and all(one == result[0] for one in result) else None


def all_json(
    text: str, required: Collection[str], known: Collection[str] = ()
) -> list[dict[str, object]]:
    """Every object with all required keys, in order; see :func:`find_json`.

    Trailing commas, single quotes, bare keys and typographic quotes are read only where strict
    JSON gives nothing.
    """
    spelled = {fold(name): name for name in (*known, *required)}
    wanted = frozenset(map(fold, required))
    folded = fold(text)
    if "\\" not in text and not all(name in folded for name in wanted):
        return []  # reading is slow, and most replies have objects of another kind alone
    head = text[:LOOSE_CHARS]
    straight = head.translate(_STRAIGHT)
    for values in (
        _read(text, _DECODER.raw_decode, STARTS_AT_MOST),
        _read(head, _loose, LOOSE_STARTS),
        _read(straight, _loose, LOOSE_STARTS) if straight != head else (),
    ):
        matches = [one for value in values for one in _holding(value, wanted)]
        if matches:
            return [_respelled(one, spelled) for one in matches]
    return []


def fold(key: object) -> str:
    """A key for comparison: ``NextStep``, ``next_step`` and ``NEXT-STEP`` are one."""
    return _GAP.sub("", str(key).casefold())


def _read(text: str, read: Callable[[str, int], tuple[object, int]], most: int) -> Iterator[object]:
    """The objects in a text, none within another; ``most`` braces are tried."""
    end = 0
    for brace in _START.finditer(text):
        if brace.start() < end:
            continue
        if not most:
            return
        most -= 1
        with suppress(ValueError, RecursionError):
            value, end = read(text, brace.start())
            yield value


def _loose(text: str, start: int) -> tuple[object, int]:
    with suppress(ValueError):
        return _STRICT.raw_decode(text, start)  # a thousand times as fast, and as it would read it
    value, error, end = json5.parse(
        text, start=start, consume_trailing=False, object_pairs_hook=_unique
    )
    if error is not None:
        raise ValueError(error)
    return value, end


def _holding(value: object, wanted: frozenset[str], depth: int = 0) -> Iterator[dict[str, object]]:
    """The outermost objects with all wanted keys in a value, texts that hold JSON included."""
    if depth > 6:
        return
    if isinstance(value, dict):
        if wanted <= {fold(key) for key in value}:
            yield value
            return
        for inner in value.values():
            yield from _holding(inner, wanted, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _holding(inner, wanted, depth + 1)
    elif isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            yield from _holding(_DECODER.decode(value.strip()), wanted, depth + 1)
        except (ValueError, RecursionError):
            return


def _respelled(value: dict[str, object], spelled: dict[str, str]) -> dict[str, object]:
    respelled: dict[str, object] = {}
    for key, inner in value.items():
        name = spelled.get(fold(key), str(key))
        # The exact spelling wins over a second one of the same name.
        if name not in respelled or key == name:
            respelled[name] = _inner(inner, spelled)
    return respelled


def _inner(value: object, spelled: dict[str, str]) -> object:
    if isinstance(value, dict):
        return _respelled(value, spelled)
    return [_inner(one, spelled) for one in value] if isinstance(value, list) else value
