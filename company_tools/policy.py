"""Which pages of a wiki a task is told, within a bound: that rule, and that its text asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import regex

from company_tools.stages.language import language
from core.models.tokens import count_text

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
RULEBOOK_TOKENS = 6_000
"""Of all rulebooks together, which stand whole and beside the bound for other pages."""
_RULEBOOK = regex.compile(
    r"\brule ?books?\b|\bcode of conduct\b"
    r"|^(?:(?:the|our|all|company|house|general|internal) )*(?:rules|regulations|policies)"
    r"(?: (?:of|for|at) .{1,60})?$"
    r"|\b(?:regelwerk|hausordnung|betriebsordnung|dienstordnung|r[eè]glement(?: int[eé]rieur)?"
    r"|reglamento|regolamento|regulamento|regelbok|regelverk|regulamin|pravilnik|правилник"
    r"|правила|регламент|κανονισμός)\b|規則|规则|规章|規程|규칙|규정",
    regex.IGNORECASE,
)
"""How the title or the name of a page calls it a rulebook, in general words of some languages."""
_TITLE_CHARS = 120
NAMED_AT_MOST = 12
"""Of the pages that are left out; all of them are named among the other pages."""
_LANGUAGE_CHARS = 4_000
"""Of a page, by which its language is told."""
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
    named: Collection[str] = (),
) -> Policy:
    """Rulebooks whole; then at most so many tokens in all: pages that rule, best first; that are
    ``asked`` for; rules again.

    ``first``: pages that come before all others where they rule. ``asked``: pages with the parts
    that are told where a page is too long; those that rule do without. ``named``: rulebooks by
    configuration, whatever they are called.
    """
    books = [path for path in pages if path in named or is_rulebook(path, pages[path])]
    ranked = sorted(
        (path for path in pages if path in books or rules_something(pages[path])),
        key=lambda path: (
            path not in named, path not in books, path not in first, -score(pages[path]), path,
        ),
    )  # fmt: skip
    policy = Policy({}, frozenset())
    for path in (path for path in ranked if path in books):
        policy = _with(policy, path, [(pages[path], False)], RULEBOOK_TOKENS)
    room = ASKED_TOKENS if asked else 0
    tokens = max(tokens, count_text(policy.text()) + room)
    ranked.sort(key=lambda path: path not in first and path not in books)
    policy = _filled(policy, pages, ranked, tokens - room)
    for path, parts in (asked or {}).items():
        policy = _with(policy, path, [(pages[path], False), (parts, True)], tokens)
    return _filled(policy, pages, ranked, tokens) if asked else policy


def is_rulebook(path: str, text: str) -> bool:
    """Whether the name of a page, or its title, calls it a rulebook."""
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    title = text.lstrip().split("\n", 1)[0][:_TITLE_CHARS]
    return any(
        _RULEBOOK.search(regex.sub(r"[\W_]+", " ", name).strip()) is not None
        for name in (stem, title)
    )


@lru_cache(maxsize=1024)
def rules_something(text: str) -> bool:
    """Whether a page rules something; of one that is not in English nobody can tell by words."""
    return score(text) >= _LEAST or language(text[:_LANGUAGE_CHARS]) not in ("", "english")


def left_out(policy: Policy, pages: Mapping[str, str]) -> str:
    """What a policy leaves out of the pages that may rule something, "" where it is nothing."""
    missing = [p for p in pages if p not in policy.pages and rules_something(pages[p])]
    parts = [f"shown in parts: {', '.join(sorted(policy.parts))}"] if policy.parts else []
    if missing:
        parts.append(f"not shown, and may rule something: {', '.join(missing[:NAMED_AT_MOST])}")
    return f"cut for length; {'; '.join(parts)}. Read what may decide" if parts else ""


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
    total = sum(w * min(sum(1 for _ in p.finditer(text)), _COUNTED) for w, p in _PATTERNS)
    return total / (1 + len(text) / 20_000)


def _forms(text: str, tokens: int) -> Iterator[tuple[str, bool]]:
    """A page whole, and else what of its paragraphs has most to do with rules, in their order."""
    yield text, False
    parts = [part for part in _BREAK.split(text) if part.strip()]
    best = sorted(range(len(parts)), key=lambda n: (-_weight(parts[n]), n))
    # Where no word is known, as in another language, a page is told from its beginning.
    best = [n for n in best if _weight(parts[n])] or best
    while best:
        shown = "\n\n".join(parts[n] for n in sorted(best))
        if count_text(shown) <= tokens:
            yield shown, True
        best = best[: len(best) * 3 // 4] if len(best) > 3 else best[:-1]


def _weight(part: str) -> int:
    return sum(weight for weight, pattern in _PATTERNS if pattern.search(part))
