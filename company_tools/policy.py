"""Which pages of a wiki a task is told, within a bound: that rule, and that its text asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import regex

from models.tokens import count_text

TOKENS_AT_MOST = 2_500
ASKED_TOKENS = 700
"""Of these, kept for what a task's text asks for."""
_SUBJECTS: tuple[tuple[int, str], ...] = (
    (3, r"permission|permit|allow|forbid|forbidden|prohibit|must not|may not|not allowed|denied"
        r"|authori[sz]|access|confidential|disclos|privac|private|secur|sensitive|approv"),
    (2, r"salar|compensation|remuneration|payroll|wage"),
    (2, r"time entr|timesheet|time track|log(?:ged|ging)? (?:time|hours)|billable|hours|void"),
    (2, r"public|guest|anonymous|visitor|outsider|external"),
    (2, r"policy|policies|rule|regulation|guideline|govern"),
    (1, r"ticket|jira|issue number|reference number|clarif"),
    (1, r"executive|manager|lead\b|director|department|own (?:data|record|profile)"),
)  # fmt: skip
"""What a page that rules something speaks of, with the weight of the subject."""
_COUNTED = 4
"""More often in one page says no more."""
_PATTERNS = tuple((w, regex.compile(words, regex.IGNORECASE)) for w, words in _SUBJECTS)
_LEAST = 6
"""Score below which a page rules nothing."""
_BREAK = regex.compile(r"\n\s*\n")


class Policy(NamedTuple):
    """The pages that rule, in the order in which they are told."""

    pages: dict[str, str]
    parts: frozenset[str]
    """Those of which only parts are given: they are too long."""

    def text(self) -> str:
        """As it stands in a prompt."""
        return "\n".join(
            f"== {path}{' (parts)' if path in self.parts else ''} ==\n{content.strip()}"
            for path, content in self.pages.items()
        )


def policy_of(
    pages: Mapping[str, str],
    first: Collection[str] = (),
    asked: Mapping[str, str] | None = None,
    tokens: int = TOKENS_AT_MOST,
) -> Policy:
    """Pages in at most so many tokens: that rule, best first; that are ``asked`` for; rules again.

    ``first``: pages that come before all others where they rule. ``asked``: pages with the parts
    that are told where a page is too long; those that rule do without.
    """
    ranked = sorted(
        (path for path in pages if score(pages[path]) >= _LEAST),
        key=lambda path: (path not in first, -score(pages[path]), path),
    )
    policy = _filled(
        Policy({}, frozenset()), pages, ranked, tokens - (ASKED_TOKENS if asked else 0)
    )
    for path, parts in (asked or {}).items():
        policy = _with(policy, path, [(pages[path], False), (parts, True)], tokens)
    return _filled(policy, pages, ranked, tokens) if asked else policy


def _filled(policy: Policy, pages: Mapping[str, str], paths: Iterable[str], tokens: int) -> Policy:
    """The policy with those of the pages that it has room for, whole or in parts."""
    for path in paths:
        room = tokens - count_text(policy.text())
        policy = _with(policy, path, _forms(pages[path], room), tokens)
    return policy


def _with(policy: Policy, path: str, forms: Iterable[tuple[str, bool]], tokens: int) -> Policy:
    """The policy with a page in the first form that it has room for."""
    if path in policy.pages:
        return policy
    for text, cut in forms:
        more = frozenset({path}) if cut else frozenset[str]()
        tried = Policy({**policy.pages, path: text}, policy.parts | more)
        if count_text(tried.text()) <= tokens:
            return tried
    return policy


@lru_cache(maxsize=1024)
def score(text: str) -> float:
    """How much a page speaks of what rules: by subject, weighed, and less where it is long."""
    found = sum(w * min(sum(1 for _ in p.finditer(text)), _COUNTED) for w, p in _PATTERNS)
    return found / (1 + len(text) / 20_000)


def _forms(text: str, tokens: int) -> Iterator[tuple[str, bool]]:
    """A page whole, and else what of its paragraphs has most to do with rules, in their order."""
    yield text, False
    parts = [part for part in _BREAK.split(text) if part.strip()]
    best = sorted(range(len(parts)), key=lambda n: (-_weight(parts[n]), n))
    best = [n for n in best if _weight(parts[n])]
    while best:
        shown = "\n\n".join(parts[n] for n in sorted(best))
        if count_text(shown) <= tokens:
            yield shown, True
        best = best[: len(best) * 3 // 4] if len(best) > 3 else best[:-1]


def _weight(part: str) -> int:
    return sum(weight for weight, pattern in _PATTERNS if pattern.search(part))
