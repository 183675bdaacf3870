"""Coupon codes in a task text, and whether they are demanded, offered or combined."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from playbooks.store.grammar.forbidden import take_ban
from playbooks.store.grammar.phrases import SHOULD, cut

FLAGS = regex.IGNORECASE
# Words in capitals that shops use and that are no codes.
_NO_CODES = (
    "ALL|GPUS?|CPUS?|USB|LEDS?|LCDS?|SSDS?|HDDS?|RAM|TVS?|HDMI|USD|EUR|AND|OR|NOT|BUY|AAA?|PLA|DVDS?|CDS?|"
    r"XX*L|UK|US|EU|PCS?|ASAP|DIY|VIP|ONLY|EVERY|EACH|NO|NEVER|MUST|BOTH|EITHER|ANY|THE|SKUS?|NAS|UPS|PVC|"
    "DSLR|OLED|QLED|UHD|FHD|GPS|NFC|RGB|BBQ|PSUS?|AMD|RTX|GTX|DDR\\d|NVME|ATX|MTB|SUP|EVERYTHING|ENTIRE|"
    "PLEASE|THANKS|TWO|ONE|THREE|FOUR|FIVE|EXACTLY|MAX|MIN|TOTAL|CHEAPEST|BEST|MOST|IF|BUT|WITH|FOR|"
    r"COUPONS?|CODES?|VOUCHERS?|PROMO|QTY|FYI|OK|PS|HI|HELLO|URGENT|TODAY|NOW|IMPORTANT|NOTE|TASK|"
    r"DELIVERY|FREE|STOCK|WHOLE|LOT|NEW|PIR|UV|HD|4K|8K|PET|ABS|TPU|EVA|PU|MDF"
)
CODE = rf"(?<![\w-])(?!(?:{_NO_CODES})(?![\w-]))(?P<code>(?=[A-Z0-9_-]*[A-Z])[A-Z0-9][A-Z0-9_-]{{2,}})(?![\w-])"
_HINT = r"(?:\s*[\(\[][^)\]]*[\)\]])?"
_QUOTE = r"[\"'“”‘’`]?"
_KEY = (
    r"(?i:(?:promo(?:tion(?:al)?)?|discount|coupon|voucher|offer|gift|savings?|rebate)[\s-]*codes?|coupons?|vouchers?|"
    r"promos?|promotions?|codes?|discounts?)"
)
_ONE = rf"(?:(?i:the|a|an|either|both|one of|any of|these|those|of)\s+)*(?:{_KEY}\s+)?{_QUOTE}{CODE}{_QUOTE}{_HINT}"
_ELSE = (
    r"(?i:[,;]?\s*(?:(?:and|or|but)\s+)?(?:if|"
    + SHOULD
    + r"|when)\b[^,;.!?]*?(?:not|n't|fails?|invalid|rejected|refused|dead)\b[^,;.!?]*,"
    r"\s*(?:(?:then|else)\s+)?(?:(?:use|try|apply|take)\s+)?|,?\s*(?:(?:and|or|but)\s+)?(?:if|"
    + SHOULD
    + r"|when)\s+(?:that|it|this|the first)(?: one| code| coupon)?\s+"
    r"(?:(?:does|do|is|should|will)(?:n't| not)\s+(?:work|apply|valid|help|accepted)|fails?|not work|be (?:rejected|invalid)|is (?:rejected|invalid|refused))"
    r",?\s*(?:(?:then|else)\s+)?(?:(?:use|try|apply|take)\s+)?)"
)
_LIST = (
    rf"{_ONE}(?:\s*(?:,\s*(?i:and|or|then|plus)\b|,|;|/|&|\+|\b(?i:and(?:\s*/\s*or)?|or|plus|then|as well as|"
    rf"along with|together with|with)\b|{_ELSE})\s*{_ONE})*"
)
_BETWEEN = (
    r"(?:[\s:=(–-]+|\bwins?\b|(?i:\b(?:to try|you (?:can|may|could|might)(?: also)? (?:try|use|test|apply|redeem)|"
    r"you (?:can|may|could|might)|may be used|can be used|we have|i have|available(?: are| is)?|"
    r"are|is|be|include|named|called|the|these|those|of|to|use|try|test|apply|known|possible|possibly|"
    r"floating around|collected|found|got|for (?:this|it|that)|on hand|worth trying|are|both|either|one of|"
    r"we(?:'ve| have) (?:got|collected)|at (?:checkout|hand)|following|some|and|with|code|codes)\b))*"
)
_VERB = (
    r"(?i:\b(?:(?:please|also|then|and|but|just)\s+)*(?:(?:(?:you|we|i)\s+)?(?:may|can|could|might|should|must|want to|"
    r"would like to|feel free to|are free to|need to|have to)\s+(?:also\s+)?)?(?:us(?:e|es|ing)|apply|applying|applied|"
    r"redeem(?:ing)?|try(?:ing)?|enter(?:ing)?|test(?:ing)?|stack(?:ing)?|combin(?:e|ing)|via|through|claim(?:ing)?|"
    r"cash(?:ing)? in|with|under|activate|add|put|were given|was given|hold|have|got|received|take|bought with|pay(?:ing)? with)\s+"
    r"(?:(?:the|my|our|your|a|an|either|both|one of|any of|all of|(?:better|best|cheaper) (?:one )?of|whichever of|these|those|best of|better of)\s+)*)"
)
_ZONES = [
    regex.compile(rf"{_VERB}?{_LIST}\s*(?i:\b(?:as (?:a |the )?)?){_KEY}\b"),
    regex.compile(
        rf"(?:{_VERB})?(?i:(?:the\s+)?(?:best|better|biggest|largest|most valuable|cheapest|right)(?:\s+of)?(?:\s+the)?\s+)?"
        rf"{_KEY}{_BETWEEN}{_LIST}"
    ),
    regex.compile(rf"{_VERB}{_LIST}"),
    regex.compile(
        rf"(?:^|(?<=[.!?;]\s))\s*(?:(?i:and|or)\s+)?{_LIST}(?=\s*(?:,|[-.;]|$|(?i:if|are|is|were|one)\b))"
    ),
    regex.compile(
        rf"{_LIST}\s*,?\s*(?i:(?:might|may|could|can|should)\s+(?:well\s+|also\s+)?"
        rf"(?:work|help|apply|save|be (?:tried|used|valid|applied|worth)))(?:[^.!?;]*?\b(?i:or|and)\s+(?i:maybe|perhaps|even)\s+{_ONE})?"
    ),
]
_AFTER_KEY = regex.compile(rf"{_KEY}\b[^.!?]*?[:,–-]\s*{_LIST}")
_TOGETHER = regex.compile(
    r"\b(?:both|together|at the same time|same time|simultaneously|combin(?:e|ed|ing)|stack(?:ed|ing)?|at once|"
    r"in one order|all (?:of )?(?:the |these |those )?(?:\w+ )?(?:codes|coupons|vouchers)|each of)\b",
    FLAGS,
)
_CHOICE = regex.compile(
    r"\b(?:either|one of|any of|whichever|best of|better of|the one|of (?:the|these|those) (?:\w+ )?(?:codes|coupons|vouchers)|(?:best|better) (?:one|coupon|code|voucher)|if (?:that|it)|if\b[^.!?]*?(?:not|n't|fails?|refused|rejected)|which(?:ever)? (?:one )?(?:is|saves|gives))\b|[A-Z0-9]{3,}\s*/\s*[A-Z0-9]{3,}",
    FLAGS,
)
_OR = regex.compile(
    r"[A-Z0-9_-]{3,}\W{1,3}(?:(?i:or)\b|/)\s*(?:(?i:maybe|even|the|code|coupon|voucher)\s+)*[A-Z0-9_-]{3,}"
)
_OFFER = regex.compile(
    r"\b(?:may|can|could|might|try|trying|test|optional(?:ly)?|available|possibl[ey] (?:coupon|discount|promo|voucher)?\s*(?:codes?|coupons?|vouchers?|promos?)|(?:only )?if (?:it|they|that) (?:helps?|gives?|saves?)|are the (?:codes|coupons|vouchers)|known|collected|floating|"
    r"feel free|free to|if (?:it|they|that|one) (?:helps?|works?|saves?|applies)|worth trying|on hand|have|got|given|hold|received|optional|allow)\b",
    FLAGS,
)
_REGARDLESS = (
    r"\b(?:anyway|anyhow|regardless|(?:full|list|usual|regular|normal|standard|original|ordinary) price|without (?:it|them|a|any|the|one)|nonetheless|still|"
    r"all the same|go ahead|proceed)\b[^.!?;]*"
)
_ANYWAY = regex.compile(
    r"[^.!?;]*\b(?:if|"
    + SHOULD
    + r"|in case|when)\b[^.!?;]*(?:n't|\bnot|\bneither|\bnone|\bno|\bfails?|dead|invalid|expired|rejected|nothing)\b"
    r"[^.!?;]*?\b(?:buy|order|get|take|purchase|pay|go ahead|proceed|anyway|anyhow|regardless|continue|complete)\b[^.!?;]*?"
    + _REGARDLESS,
    FLAGS,
)
_OTHERWISE = regex.compile(
    r"[,;]?\s*\b(?:otherwise|or else|else|if not|failing that)\b[,:]?\s+(?:(?:please|just|simply|then|still|i|we|i'll|we'll|will)\s+)*"
    r"(?:buy|order|get|take|purchase|pay|go ahead|proceed|continue)\b[^.!?;]*?" + _REGARDLESS,
    FLAGS,
)
_ABOUT_CODES = regex.compile(
    r"\b(?:it|they|code|codes|coupon|coupons|voucher|vouchers|neither|none|discount|promo|price)\b",
    FLAGS,
)
_STRICT_ELSE = regex.compile(
    r"[^.!?;]*\b(?:if|"
    + SHOULD
    + r"|in case|unless|otherwise|else)\b[^.!?;]*\b(?:neither|none|no discount|code|codes|coupon|"
    r"coupons|voucher|vouchers|discount|works?|applied|applies)\b[^.!?;]*\b(?:do(?:n't| not)|skip|leave|cancel|buy nothing|"
    r"no (?:order|purchase)|nothing|refrain|abort|forget)\b[^.!?;]*",
    FLAGS,
)
_IF_CODE = regex.compile(
    r"(?:^|(?<=[.!?;]))[^.!?;]*\b(?i:if|"
    + SHOULD
    + r"|in case|when)\b[^.!?;]*?"
    + _LIST
    + r"[^.!?;]*?"
    r"(?i:\b(?:works?|working|gives?|helps?|saves?|appl(?:y|ies)|valid|accepted|lowers?|reduces?|takes?|brings?|makes?)\b)[^.!?;]*"
)
_NO_BUYING = regex.compile(
    r"\b(?:do(?:n't| not) (?:buy|order)|buy nothing|no (?:order|purchase)|cancel)\b", FLAGS
)
_COUPON_WORD = regex.compile(
    r"\b(?:coupons?|vouchers?|promos?|(?:promo|discount)[\s-]*codes?)\b", FLAGS
)


LOOSE_CODE = regex.compile(r"\b(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z]{3,}\d+[A-Z]*\b")
"""Text that looks like a code; a sentence that holds one was not understood by chance."""


@dataclass
class CouponTalk:
    """Codes that a text names, how they are meant, and the text without them."""

    rest: str
    codes: list[str] = field(default_factory=list)
    mode: str = "none"
    buy_anyway: bool = False
    forbidden: list[str] = field(default_factory=list)
    """Codes that must not be used."""
    unclear: list[str] = field(default_factory=list)


def take_coupons(text: str) -> CouponTalk:
    """Read coupon codes; what was read is replaced by a comma."""
    ban = take_ban(text)
    talk = CouponTalk(ban.rest, forbidden=ban.codes, unclear=ban.unclear)
    strict = _take_conditions(talk) or ban.strict
    if strict:
        talk.mode = "any"
    spoken_of = bool(_COUPON_WORD.search(talk.rest))
    talk.mode = _mode(talk, *_take_zones(talk))
    if spoken_of and not talk.codes:
        talk.unclear.append("a coupon whose code was not recognised")
    elif strict and not talk.codes:
        talk.unclear.append("a discount is demanded and no code was recognised")
    if ban.strict and talk.buy_anyway:
        talk.unclear.append("whether to buy without a discount")
    if talk.codes and ban.every:
        talk.unclear.append("coupons are both forbidden and offered")
    talk.codes = [code for code in talk.codes if code not in ban.codes]
    if not talk.codes:
        talk.mode = "none"
    return talk


def _take_conditions(talk: CouponTalk) -> bool:
    """Read what is to be done where a code works or not; whether nothing is bought without one."""
    conditional = _IF_CODE.search(talk.rest)
    if conditional and not _NO_BUYING.search(conditional[0]):
        talk.codes.extend(dict.fromkeys(conditional.captures("code")))
        talk.buy_anyway = True
        talk.rest = cut(talk.rest, conditional)
    strict = False
    for pattern, anyway in ((_ANYWAY, True), (_OTHERWISE, True), (_STRICT_ELSE, False)):
        found = pattern.search(talk.rest)
        if found and _ABOUT_CODES.search(found[0]) and not regex.search(CODE, found[0]):
            talk.buy_anyway = talk.buy_anyway or anyway
            strict = strict or not anyway
            talk.rest = cut(talk.rest, found)
    return strict


def _take_zones(talk: CouponTalk) -> tuple[str, bool]:
    """Read the codes; the sentences they stand in, and whether they stand in a list."""
    said: list[str] = []
    listed = False
    while found := _first_zone(talk.rest):
        new = [c for c in found.captures("code") if c not in talk.codes]
        talk.codes.extend(new)
        sentence = _sentence_around(talk.rest, found)
        said.append(sentence)
        listed = (
            listed
            or bool(regex.match(rf"\s*(?:\w+\s+){{0,2}}{_KEY}\b", sentence))
            or bool(regex.search(rf"{_KEY}[^.!?]*:\s*{_QUOTE}{CODE}", sentence))
        )
        talk.rest = cut(talk.rest, found)
    return " . ".join(said), listed


def _first_zone(text: str) -> regex.Match[str] | None:
    for pattern in (*_ZONES, _AFTER_KEY):
        for found in pattern.finditer(text):
            if _plausible(found):
                return found
    return None


def _plausible(found: regex.Match[str]) -> bool:
    """Whether a zone is about codes: it says so, or its codes look like codes."""
    if regex.search(_KEY, found[0]) and not regex.fullmatch(r"(?i).*discount", found[0]):
        return True
    verb = regex.match(
        r"(?i)[\s,]*(?:\w+\s+)*?(use|using|apply|applying|redeem|redeeming|try|trying|stack|stacking|enter|combine|test)|.*\b(?:might|may|could|can|should)\b",
        found[0],
    )
    codes = found.captures("code")
    if verb:
        return True
    return all(regex.search(r"\d", c) and regex.match(r"[A-Z]{3}", c) for c in codes)


def _sentence_around(text: str, found: regex.Match[str]) -> str:
    begin = max(text.rfind(mark, 0, found.start()) for mark in ".!?;\n") + 1
    ends = [i for mark in ".!?\n" if (i := text.find(mark, found.end())) >= 0]
    return text[begin : min(ends) if ends else len(text)]


def _mode(talk: CouponTalk, said: str, listed: bool) -> str:
    if not talk.codes:
        return "none"
    said = regex.sub(r"\([^)]*\)", " ", said)
    if talk.buy_anyway:
        return "try"
    offered = bool(_OFFER.search(said)) or (listed and len(talk.codes) > 1)
    choice = bool(_CHOICE.search(said) or _OR.search(said))
    if len(talk.codes) > 1 and _TOGETHER.search(said) and not choice:
        return "all"
    if talk.mode == "any":
        return "any"
    if offered:
        return "try"
    if choice:
        return "any"
    if len(talk.codes) > 1:
        return "all"
    return "any"
