"""Short lines for a prompt: what the tools of a turn returned and its code printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from core.ledger import ToolCall, shortened
from core.ledger.calls import shorten
from core.models.prompt_json import compact, packed
from core.models.tokens import count_text, cut_text

RETURNED = "RETURNED by "
"""Begins the line of a tool that was called and changed nothing."""
LINE_TOKENS = 60
TURN_TOKENS, OLD_TURN_TOKENS = 400, 150
"""Maximum tokens of all lines of the latest turn and of an older one; newest lines stay."""
ARGUMENT_TOKENS = 14
LADDER = ((8, 80), (4, 60), (2, 40), (1, 30))
"""Entries of a list and characters of a text that are kept, step by step less."""
KEYS_AT_MOST = 30
INNER_ROWS = 4
"""Maximum entries of a list within a list."""
TOLD_SHARE = 2 / 3
"""Share of the texts of a result: if the report contains so many, the result is omitted."""


def observations(
    calls: Sequence[ToolCall], prints: Sequence[str], result: str, tokens: int
) -> list[str]:
    """A line for each read that was answered and for each text that was printed.

    ``result`` is the report as text: what it contains is not repeated. If the
    lines have more than ``tokens`` tokens, older ones are omitted. Both are counted.
    """
    reads = [call for call in calls if call.kind == "read" and call.outcome == "done"]
    kept: list[str] = []
    left_out = len(reads)
    for line, is_read in _newest_first(reads, prints, result):
        tokens -= count_text(line)
        if tokens < 0:
            break
        left_out -= is_read
        if line:
            kept.insert(0, line)
    return [*([f"{RETURNED}{left_out} other calls: left out"] if left_out else []), *kept]


def _newest_first(
    reads: Sequence[ToolCall], prints: Sequence[str], result: str
) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each is of a read; of one that the report tells the line is empty."""
    for printed in reversed(prints):
        text = " ".join(printed[: 40 * LINE_TOKENS].split())
        if text and text not in result:
            yield cut_text(f"PRINTED: {text}", LINE_TOKENS), False
    for call in reversed(reads):
        yield "" if _is_told(call.result, result) else _line(call), True


def _is_told(value: object, rendered: str) -> bool:
    """Whether a report contains a result, whole or most of its texts."""
    short = shortened(value)
    whole = compact(packed(short))
    if len(whole) > 2 and whole in rendered:
        return True
    texts = set(_texts(short))
    return bool(texts) and sum(text in rendered for text in texts) >= TOLD_SHARE * len(texts)


def _texts(value: object) -> Iterator[str]:
    """The texts in a value, as JSON writes them."""
    if isinstance(value, str):
        if value:
            yield compact(value)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _line(call: ToolCall) -> str:
    named = ", ".join(f"{key}={shorten(value, 100)}" for key, value in call.arguments.items())
    begin = f"{RETURNED}{call.name}({cut_text(named, ARGUMENT_TOKENS)}): "
    line = begin + compact(packed(shortened(call.result)))
    for rows, chars in LADDER:
        if count_text(line) <= LINE_TOKENS:
            return line
        line = begin + compact(_head(call.result, rows, chars))
    return cut_text(line, LINE_TOKENS)


def _head(value: object, rows: int, chars: int) -> object:
    """A value with the first entries of its lists, each list with the number of those left out."""
    if isinstance(value, dict):
        kept = {str(key): _head(inner, rows, chars) for key, inner in _first(value)}
        more = len(value) - len(kept)
        return kept | ({"…": f"{more} more"} if more else {})
    if isinstance(value, str):
        return value if len(value) <= chars else f"{value[:chars]}…"
    if not isinstance(value, list | tuple):
        return value
    short = shortened(list(value[:rows]))
    # What a row holds is short, and half of it would mislead.
    inner = max(rows, INNER_ROWS)
    entries = [_head(entry, inner, chars) for entry in short] if isinstance(short, list) else []
    more = len(value) - rows
    return [*entries, f"… {more} more"] if more > 0 else entries


def _first(value: dict[object, object]) -> Iterator[tuple[object, object]]:
    return islice(value.items(), KEYS_AT_MOST)
