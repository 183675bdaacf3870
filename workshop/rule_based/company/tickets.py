"""Numbers that a policy wants named with some changes: which changes, and of which shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import regex

from workshop.rule_based.company.patterns import cased, caseless

_WORD = r"\b(?:tickets?|numbers?|codes?|reference|releases?|permits?)\b"
_WANTED = r"\b(?:needs?|must|has to|have to|requires?|required)\b"
_TICKET = regex.compile(
    rf"{_WORD}.*(?:{_WANTED}|\bnamed\b)"
    rf"|(?:{_WANTED}|\bcarr(?:y|ies)\b|\bonly (?:with|against|under)|\bunder an?\b|\bwithout\b|\bquotes?\b).*{_WORD}",
    regex.I,
)
_OF_CHANGES = regex.compile(r"\b(?:ticket|number of|release|changes?|cost|codes?)\b", regex.I)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_SHAPE = regex.compile(
    r"[`\"“](?P<literal>[^`\"”]+)[`\"”]"
    rf"|(?P<n>{'|'.join(_NUMBERS)}|\d) (?P<capital>capital |upper-?case )?"
    r"(?P<what>letters?|digits?|figures?)|(?P<hyphen>hyphen|dash)",
    regex.I,
)
_ENDS = regex.compile(r"(?<=[.!?])\s+|\n+")
_EXAMPLE = regex.compile(r"\b(\p{Lu}{2,}-)([\p{Lu}\d-]*\d)\b")


@dataclass(frozen=True)
class Ticket:
    """A number that some changes need."""

    rights: frozenset[str]
    pattern: str
    """"" where its shape could not be read: then no number is good."""
    in_notes: bool
    """Whether hours carry it in their notes."""

    def good(self, text: str) -> str | None:
        """The number of the right shape that a text holds."""
        found = cased(rf"(?<![\w-]){self.pattern}(?![\w-])").search(text) if self.pattern else None
        return found[0] if found else None


def sentences(text: str) -> list[str]:
    """A policy's sentences and lines."""
    return [s for s in _ENDS.split(text) if s.strip()]


@lru_cache(maxsize=4096)
def speaks_of_ticket(sentence: str) -> bool:
    """Whether a sentence wants a number named."""
    return bool(_TICKET.search(sentence) and _OF_CHANGES.search(sentence))


def read_ticket(
    policy: str, changes_in: Callable[[str], set[str]], every: frozenset[str]
) -> Ticket | None:
    """What the policy says of numbers; ``changes_in``: the changes that a sentence names."""
    told = sentences(policy)
    for sentence in filter(speaks_of_ticket, told):
        rights = changes_in(sentence)
        if caseless(r"\b(?:every|any|each|all)\b").search(sentence):
            rights = rights and set(every)
        if not rights and not caseless(r"\bchang|\bwrit|\bupdat|\bentr").search(sentence):
            continue
        notes = any(
            caseless(r"\bnotes?\b").search(s)
            and caseless(_WORD).search(s)
            and caseless(r"hours|entr|time").search(s)
            for s in told
        )
        at = policy.find(sentence)
        return Ticket(frozenset(rights or every), _shape(policy[at : at + 400]), notes)
    return None


def _shape(text: str) -> str:
    """The pattern of a number, as a text describes it, or shows it; "" where it does neither."""
    pattern = ""
    for part in _SHAPE.finditer(text.split("such as")[0]):
        if part["literal"]:
            if pattern:
                break
            pattern = regex.escape(part["literal"])
        elif pattern and part["hyphen"]:
            pattern += "-"
        elif pattern:
            number = _NUMBERS.get(part["n"].lower()) or int(part["n"])
            letters = "[A-Z]" if part["capital"] else "[A-Za-z]"
            kind = letters if part["what"].lower().startswith("letter") else "[0-9]"
            pattern += f"{kind}{{{number}}}"
    if "{" in pattern:
        return pattern
    shown = _EXAMPLE.search(text)
    if shown is None:
        return ""
    rest = cased(r"\d").sub("[0-9]", cased(r"\p{Lu}").sub("L", shown[2])).replace("L", "[A-Z]")
    return str(regex.escape(shown[1])) + str(rest)
