"""Coupons that a text forbids, and purchases that it makes depend on a discount."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from playbooks.store.grammar.phrases import SHOULD, cut

FLAGS = regex.IGNORECASE
_THING = r"(?:(?:promo(?:tion(?:al)?)?|discount|coupon|voucher|offer)[\s-]*codes?|coupons?|vouchers?|promos?|codes?)"
_WHICH = (
    r"(?:(?:any|a|an|the|this|that|these|those|my|our|your|such|either|all|of|other|single)\s+)*"
)
_NOT = r"(?:(?:do|does|must|may|should|shall|can|will|would)(?:\s+not|n't)|cannot|never|not to|rather not)"
_USE = r"(?:us(?:e|ing)|apply(?:ing)?|redeem(?:ing)?|enter(?:ing)?|try(?:ing)?|add(?:ing)?|put(?:ting)?|tak(?:e|ing)|claim(?:ing)?|want|need)"
_AVOID = (
    rf"(?:{_NOT}\s+(?:please\s+)?{_USE}|(?:avoid|refrain from|without|no need (?:for|to use)|not)(?:\s+{_USE})?|no|"
    r"ignore|skip|forget(?: about)?|disregard|omit|(?:keep|stay) away from|"
    r"leave(?=[^.!?;]*\b(?:aside|out|alone|away|unused|off)\b))"
)
_SENTENCE = r"[^.!?;\n]*"
_CODE = r"(?-i:(?<![\w-])[A-Z][A-Z0-9_-]{2,}(?![\w-]))"
_FORBIDDEN = [
    regex.compile(
        rf"\b{_AVOID}\s+{_WHICH}(?:{_THING}\b(?:\s+{_CODE})?|[\"']?{_CODE}[\"']?(?=\s*(?:,|\.|$|or\b|nor\b|and\b|code\b|coupon\b))){_SENTENCE}",
        FLAGS,
    ),
    regex.compile(
        rf"(?:{_WHICH}{_THING}\s+{_CODE}|{_CODE}|{_THING})\s+(?:(?:must|may|should|shall)(?:\s+not|n't|\s+never)\s+be|(?:is|are)(?:\s+not|n't)\s+to\s+be)\s+"
        rf"(?:used|applied|redeemed|entered|tried)\b{_SENTENCE}",
        FLAGS,
    ),
]
_CONDITION = regex.compile(rf"\b(?:if|unless|{SHOULD}|when|in case|otherwise|until)\b", FLAGS)
_CONTRAST = regex.compile(
    r"\b(?:but|instead|only|rather|except|than|both|together|time|combin\w+|stack\w*|apart|with|without|for)\b",
    FLAGS,
)
_GENERAL = regex.compile(rf"\b(?:any|no|all|other|others|without)\b|\b{_THING}(?<=s)\b", FLAGS)
_OTHERS = regex.compile(r"\b(?:others?|else|further|additional|second)\b", FLAGS)

_BUY = r"(?:buy|order|purchase|get|take|proceed|go ahead|check ?out)"
_SAVING = r"(?:coupon|code|voucher|promo|discount|reduction|saving)s?"
_WORKS = (
    r"(?:works?|working|helps?|appl(?:y|ies)|valid|accepted|counts?|gives?|saves?|takes?|brings?|lowers?|reduces?|"
    r"goes through|off|given|granted|available|discount)"
)
_NO_BUY = (
    r"(?:(?:do|would|will|shall)(?:\s+not|n't)|no|nothing|not|never|won't|skip|leave|cancel|forget)"
)
_STRICT = [
    regex.compile(
        rf"(?:(?:,\s*)?(?:please\s+|and\s+|but\s+)*\bonly\s+{_BUY}(?:\s+(?:it|them|this|that|everything|anything|all))*|"
        rf"\b{_BUY}(?:\s+(?:it|them|this|that|everything|anything|all))*\s+only)\s+"
        rf"(?:if|when|provided(?: that)?|as long as)\s+(?:(?:the|a|that|this|my|our|one|of|these|those|there|is)\s+)*"
        rf"(?:{_SAVING}|it|they)\b[^.!?;]*\b{_WORKS}\b{_SENTENCE}",
        FLAGS,
    ),
    regex.compile(
        rf"\b(?:without|no)\s+(?:(?:the|a|any|that|this|such|working|valid)\s+)*{_SAVING}\b\s*[,:-]?\s*[^.!?;,]*?\b{_NO_BUY}\s+"
        rf"(?:(?:it|them|this|that|the|this|an?|any)\s+)*(?:{_BUY}|want|need|deal|sale|interested|bother){_SENTENCE}",
        FLAGS,
    ),
]


@dataclass
class Ban:
    """What was read of bans and conditions, and the text without it."""

    rest: str
    codes: list[str] = field(default_factory=list)
    """Codes that must not be used."""
    every: bool = False
    """Whether no coupon at all may be used."""
    strict: bool = False
    """Whether nothing is to be bought without a discount."""
    unclear: list[str] = field(default_factory=list)


def take_ban(text: str) -> Ban:
    """Read bans of coupons and "no discount, no order"; what was read is replaced by a comma."""
    ban = Ban(text)
    for pattern in _STRICT:
        found = pattern.search(ban.rest)
        if found and not regex.search(_CODE, found[0]):
            ban.strict = True
            ban.rest = cut(ban.rest, found)
    for pattern in _FORBIDDEN:
        position = 0
        while found := pattern.search(ban.rest, position):
            position = found.end()
            if _CONDITION.search(_sentence_of(ban.rest, found)):
                continue
            said = regex.sub(rf"^{_AVOID}", "", found[0], flags=FLAGS)
            if _CONTRAST.search(said):
                ban.unclear.append(f"which coupons are not wanted: {found[0].strip()[:80]!r}")
                continue
            ban.codes += regex.findall(_CODE, found[0])
            others = _OTHERS.search(found[0]) and not regex.search(_CODE, found[0])
            ban.every = ban.every or bool(_GENERAL.search(found[0]) and not others)
            ban.rest = cut(ban.rest, found)
            position = 0
    return ban


def _sentence_of(text: str, found: regex.Match[str]) -> str:
    begin = max(text.rfind(mark, 0, found.start()) for mark in ".!?;\n") + 1
    return text[begin : found.end()]
