"""Values as JSON within so many tokens: the one place where data is cut for a prompt or a page."""

from __future__ import annotations

from core.ledger import shortened
from core.models.prompt_json import compact, packed
from core.models.tokens import count_text, cut_text

LADDER = (
    (200, 2_000), (200, 600), (200, 200), (200, 80), (100, 150), (60, 120), (40, 120),
    (25, 100), (16, 100), (10, 80), (6, 80), (4, 60), (2, 60), (1, 60), (1, 40),
)  # fmt: skip
"""Rows of a list and characters of a text that are kept, step by step less; texts go first, and
of every list a row stays."""
TOTALS_KEPT = 6
"""Rows that a table with totals keeps where others lose theirs: choices are made between them."""
CHARS_PER_TOKEN = 6
"""A text with more characters is shortened without counting its tokens."""


def fit(value: object, tokens: int) -> str:
    """Render a value as JSON of at most so many tokens, with lists of like objects as tables.

    Ends of texts and rows of lists are left out, each with a mark or a number, but never a single
    number within a row. Of a large object the first entries are kept; of any other value that does
    not fit, the beginning of its JSON as a text.
    """
    short = shortened(value)
    text = ""
    for totals in (TOTALS_KEPT, 0):
        # A row has at least one token, so that no more rows than tokens can be kept.
        for rows, chars in ((tokens, None), *LADDER):
            text = compact(packed(short, min(rows, tokens), chars, totals))
            if fits(text, tokens):
                return text
    least = packed(short, *LADDER[-1])
    if isinstance(least, dict):
        kept: dict[str, object] = {}
        for key, inner in least.items():
            longer = kept | {key: inner}
            more = f"{len(least) - len(longer)} more"
            if not fits(compact(longer | {"…": more}), tokens):
                break
            kept = longer
        if kept:
            return compact(kept | {"…": f"{len(least) - len(kept)} more"})
    return compact(cut_text(text, tokens // 2))


def fits(text: str, tokens: int) -> bool:
    """Whether a text has at most so many tokens; one with very long words counts as too long."""
    return len(text) <= tokens * CHARS_PER_TOKEN and count_text(text) <= tokens
