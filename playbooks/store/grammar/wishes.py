"""Goals, permissions and conditions of a task text that are not the things to buy."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from playbooks.store.grammar.phrases import SHOULD, cut

FLAGS = regex.IGNORECASE
_AS_POSSIBLE = r"(?:as (?:possible|you can|we can|i can|it gets|can be)|possible)"
_SUM = (
    r"(?:total|price|cost|costs|sum|money|amount|spend|spending|outlay|bill|deal|value|expense|expenditure|way|"
    r"combination|mix|basket|cart|budget|figure|checkout total|rate|cash|final price|final total)"
)
_TOTAL = regex.compile(
    r"(?<!\w)(?:,?\s*(?:and|but|,)?\s*(?:please|to|for|at|by|with|it|them|this|that|is|be|making sure it is|make it|do it|all|i|we|should|i want to|we want to)*\s*)?"
    r"(?:(?:make|keep|get|bring|have) (?:the |our |my )?(?:\w+ )?"
    + _SUM
    + r" (?:be |come out )?as (?:low|small|cheap|little) "
    + _AS_POSSIBLE
    + "|"
    r"as (?:cheap(?:ly)?|inexpensive(?:ly)?|low[- ]cost|economical(?:ly)?|affordabl[ey]|low|thrift[iy](?:ly)?) "
    + _AS_POSSIBLE
    + "|"
    r"(?:(?:spend|pay|cost|spending|paying|costing)\s+)?(?:as )?little (?:money |cash )?(?:in total |overall )?"
    + _AS_POSSIBLE
    + "|"
    r"(?:(?:spend(?:ing)?|pay(?:ing)?)\s+)?(?:the )?(?:very )?(?:lowest|least|smallest|minimal|minimum|best|cheapest|optimal|absolute lowest)"
    r"(?:[- ](?:possible|overall|final|combined|available|total|overall|end|all-in))*\s+"
    + _SUM
    + r"s?\b(?:\s+(?:price|cost|sum|amount))?"
    r"(?:\s+(?:possible|overall|you can (?:get|find|do|reach|manage)))*|"
    r"(?:spend(?:ing)?|pay(?:ing)?|costs?|costing) (?:me |us )?(?:the )?least|"
    r"minimi[sz](?:e|ing|ed)(?: (?:the|our|my|what|total|overall|final|we|i|pay|spend))*(?: "
    + _SUM
    + r")?(?: (?:price|cost))?|"
    r"(?:to )?(?:maximi[sz](?:e|ing)|max(?:imum|imal)?|most|biggest|largest|greatest|highest|best) (?:the |my |our |total |possible )*savings?(?: wins)?|"
    r"(?:to )?sav(?:e|ing) (?:me |us )?(?:as much (?:money )?"
    + _AS_POSSIBLE
    + r"|(?:the )?most(?: money)?)|"
    r"keep(?:ing)? (?:the |our |my |your )?(?:\w+ )?"
    + _SUM
    + r"s? (?:as )?(?:low|down|minimal|small|cheap)(?: "
    + _AS_POSSIBLE
    + r")?|"
    r"(?:in )?(?:the )?(?:most )?(?:cost[- ](?:effective|efficient)(?:ly)?|economical(?:ly)?|budget[- ]friendly)(?: way| option)?(?: possible)?|"
    r"(?:on )?the cheap\b(?!est)|cheapest (?:way|possible|overall|mix|combination|option)\b(?: possible)?|dirt cheap|keep it cheap|cheapest (?:ones )?first|"
    r"(?<=, )cheapest(?= please|\s*[,.]|\s*$)|whatever (?:is|comes out|works out|turns out) (?:the )?cheapest(?: overall| in total)?|"
    r"cheaply " + _AS_POSSIBLE + r")",
    FLAGS,
)
_DISCOUNT = regex.compile(
    r"(?<!\w)(?:,?\s*(?:and|but)?\s*(?:(?:please|use|make sure|i|we|get|gets|with|for|at|to|take|pick|choose|apply|using|me|us|you|find|have|want|need|that)\s+)*)?"
    r"(?:the )?(?:very )?(?:most|biggest|largest|highest|best|greatest|maximum|maximal|max|top|deepest|better|bigger|larger|higher)(?: possible| available)? "
    r"(?:discount|reduction|rebate|coupon|code|voucher|promo(?: code)?|of (?:them|those|these|the (?:two|three|codes|coupons|vouchers)))(?: possible| available| there is)?|"
    r"(?:use |apply |take |pick |choose )?(?:whichever|the one|the code|the coupon|the voucher|which(?:ever)?)(?: (?:one|code|coupon|voucher|of (?:them|the two|these)))? "
    r"(?:that |which )?(?:is|saves?|gives?|takes?|cuts?|brings?|gets?|knocks?|works out|turns out|comes out)(?: (?:me|us|you))?(?: the)? "
    r"(?:most|more|better|best|cheaper|cheapest|larger|largest|bigger|biggest|lower|lowest|greater|highest)(?: (?:for (?:me|us)|discount|money|off|price|total|saving))*|"
    r"whichever (?:one )?(?:saves|helps|works|pays)(?: (?:me|us|more|most|best|better|out))*|whichever is (?:better|best|cheaper)|"
    r"maximi[sz](?:e|ing) (?:the |my |our )?discount",
    FLAGS,
)
_ADD = r"(?:add(?:ing|s|ed)?|throw(?:ing)? in|includ(?:e|ing)|extend(?:ing)?|fill(?:ing)? up|top(?:ping)? up|pad(?:ding)?(?=\s+(?:the|my|our|your|it|out|up)\b)|put(?:ting)? in)"
_ALLOWED = (
    r"(?:may|can|could|might|fine|ok|okay|allowed|optional(?:ly)?|free to|welcome|happy|permitted|no problem|"
    r"if (?:it|that|this|they|you|doing)|all right|alright|acceptable|feel free|don't mind|do not mind|wouldn't mind|possible|good with)"
)
_EXTRA = r"(?:extras?|additional|other|further|more|filler|add-ons?|accessor(?:y|ies)|companion|small|second)"
_FILLERS = [
    regex.compile(rf"[^.!?;]*\b{_ALLOWED}\b[^.!?;]*?\b{_ADD}\b(?P<what>[^.!?;]*)", FLAGS),
    regex.compile(
        rf"[^.!?;]*?\b{_ADD}\b(?P<what>[^.!?;]*?)\b(?:is|are|would be|'s)\s+{_ALLOWED}\b[^.!?;]*",
        FLAGS,
    ),
    regex.compile(
        rf"(?P<what>[^.!?;,]*\b{_EXTRA}\b[^.!?;,]*?)\b(?:is|are|may|can|could|may be|can be|would be)\s+(?:{_ALLOWED}|added|included|go|come|be (?:added|put|included))\b[^.!?;]*",
        FLAGS,
    ),
    regex.compile(
        rf"[^.!?;]*\b(?:optional(?:ly)?|if (?:it|that) (?:helps|lowers|makes|saves|brings)[^.!?;]*)\b[^.!?;]*?\b{_ADD}\b(?P<what>[^.!?;]*)",
        FLAGS,
    ),
    regex.compile(
        rf"[^.!?;]*\b{_ADD}\b(?P<what>[^.!?;]*?)\bif (?:it|that|this|they|doing)[^.!?;]*\b(?:cheap|lower|sav|less|help|total|discount|coupon|pay)\w*[^.!?;]*",
        FLAGS,
    ),
]
_NOT_FILLERS = regex.compile(
    rf"\b(?:no|nothing|not|n't|never|without|none)\b[^.!?;]*\b(?:{_ADD}|{_EXTRA}|else)\b|\bcoupons?\b|\bcodes?\b|\bvouchers?\b",
    FLAGS,
)
_ANYTHING = regex.compile(
    r"\b(?:accessor(?:y|ies)|parts?|items?|articles?|things?|products?|extras?|anything|something|other|whatever|more|"
    r"stuff|fillers?|add-ons?|goods|else|bits|pieces|supplies)\b",
    FLAGS,
)
_FEWER = regex.compile(
    r"[^.!?;,]*\b(?:if|"
    + SHOULD
    + r"|in case|when|where)\b[^.!?;]*\b(?:fewer|less|not enough|short|run(?:s)? out|(?:not|n't) (?:have|get|be|suffice)|insufficient|isn't|aren't|enough|that many|all of them)\b"
    r"[^.!?;]*?\b(?:take|buy|get|order|send|give|fine|ok|okay|settle|whatever|however many|as many|accept|rest)\b[^.!?;]*"
    r"|\b(?:or )?(?:however many|as many as)(?: \w+){0,3} (?:are left|is left|are available|there are|you have|you can (?:get|find|supply)|remain|can be had|are there|is there|are in stock)\b"
    r"|\b(?:fewer|less) (?:is|are|would be|will be) (?:fine|ok|okay|alright|all right|acceptable)\b[^.!?;]*"
    r"|\b(?:or )?(?:whatever|what)(?: is|'s| you have| there is)? (?:left|available|in stock|there)\b(?! of)(?: will do| is fine)?"
    r"|\bpartial (?:delivery|order|quantity|quantities|fulfil?ment) (?:is|are|would be) (?:fine|ok|okay|alright|acceptable)\b",
    FLAGS,
)
_NO_FEWER = regex.compile(
    r"\b(?:don't|do not|nothing|skip|cancel|leave|forget|none|no order|no purchase|not buy|buy none|all or nothing)\b",
    FLAGS,
)
_SHORT = (
    r"(?:(?:cannot|can't|can not|could not|couldn't) (?:get|have|deliver|supply|be|find|buy|offer)|fewer than|less than|"
    r"not enough|too few|insufficient|(?:not|n't) suffice|sold out|out of stock|unavailable|(?:not|n't|no longer) (?:be )?(?:available|in stock|there|sold|enough|had)|gone|"
    r"no longer|(?:not|n't) (?:have|carry|stock|sell)|no stock|missing|be had|run out|runs out|ran out|none left|falls? short)"
)
_FALLBACK = [
    regex.compile(
        rf"[,;.]?\s*\b(?:but )?(?:if|{SHOULD}|in case|when)\b(?P<cond>[^.!?;]*?(?:\b|(?=n't)){_SHORT}\b[^.!?;,]*?),\s*"
        r"(?:then )?(?P<what>[^.!?;]+?)\s+(?:will|would|can|may|might|could)\s+(?:also )?(?:do|be (?:fine|ok|okay|alright|all right|acceptable)|serve|suffice|work|step in)\b[^.!?;]*",
        FLAGS,
    ),
    regex.compile(
        r"[,;.]?\s*\b(?:but )?(?:if|"
        + SHOULD
        + r"|in case|when)\b(?P<cond>[^.!?;]*?(?:\b|(?=n't))"
        + _SHORT
        + r"\b[^.!?;,]*?),?\s*"
        r"(?:then )?(?:please )?(?:just )?(?:(?:i|we)(?:'ll| will| would|'d)? )?(?:take|buy|get|order|go for|choose|pick|grab|have|send|use|settle for|switch to|accept|substitute|replace it with)\s+(?:me |us )?(?P<what>[^.!?;]+)",
        FLAGS,
    ),
    regex.compile(
        r"[,;.]\s*(?:or )?(?:otherwise|failing that|else|alternatively|as a fallback|as a substitute|as a second choice|second choice|plan b|if not)[,:]?\s+(?:please )?(?:just )?(?:take|buy|get|order|go for|choose|pick|grab)?\s*(?P<what>[^.!?;]+)",
        FLAGS,
    ),
    regex.compile(
        r",?\s*\bor (?P<what>[^.!?;,]+?)\s+if (?:that|it|they|the first|this|the \w+)[^.!?;]*?(?:sold out|out of stock|unavailable|not available|n't available|gone|in stock|n't)[^.!?;]*",
        FLAGS,
    ),
]
_NOTHING = regex.compile(
    r"^\s*(?:nothing|none|no\b|don't|do not|skip|leave|cancel|forget|abort|not )", FLAGS
)
_NO_PURCHASE = regex.compile(
    r"(?:\b(?:do not|don't|without|never)\s+(?:actually\s+|yet\s+)?(?:check(?:ing)? ?out|buy(?:ing)?|purchas(?:e|ing)|order(?:ing)?|pay(?:ing)?)\b(?!\s+more|\s+any ?thing else|\s+anything more)|"
    r"\bjust (?:tell|show|check|look|list|compare)\b)",
    FLAGS,
)


@dataclass
class Wishes:
    """What was read, and the text without it."""

    rest: str
    goal: str = "none"
    fillers: tuple[str, ...] | None = None
    fewer_ok: bool = False
    fewer: list[str] = field(default_factory=list)
    """The clauses that allow to send fewer."""
    fallback: str = ""
    fallback_if: str = ""
    """When the fallback holds, in the words of the text."""
    no_purchase: bool = False
    unclear: list[str] = field(default_factory=list)


def take_wishes(text: str) -> Wishes:
    """Read goals, fillers, fallbacks and permissions; what was read is replaced by a comma."""
    wishes = Wishes(text)
    _take_fillers(wishes)
    _take_fallback(wishes)
    found = _FEWER.search(wishes.rest)
    while found:
        if not _NO_FEWER.search(found[0]):
            wishes.fewer_ok = True
            wishes.fewer.append(found[0])
        wishes.rest = cut(wishes.rest, found)
        found = _FEWER.search(wishes.rest)
    for pattern, goal in ((_DISCOUNT, "discount"), (_TOTAL, "total")):
        while found := pattern.search(wishes.rest):
            wishes.goal = goal if wishes.goal == "none" or goal == "total" else wishes.goal
            wishes.rest = cut(wishes.rest, found)
    for sentence in regex.split(r"[.!?;]", wishes.rest):
        if _NO_PURCHASE.search(sentence) and not regex.search(
            rf"\b(?:if|unless|when|{SHOULD})\b", sentence, FLAGS
        ):
            wishes.no_purchase = True
    return wishes


def _take_fillers(wishes: Wishes) -> None:
    for pattern in _FILLERS:
        found = pattern.search(wishes.rest)
        if not found or _NOT_FILLERS.search(found[0]):
            continue
        what = regex.sub(
            r"\b(?:if|when|as long as|provided|but|to|in order)\b.*", "", found["what"], flags=FLAGS
        )
        if not what.strip() or _ANYTHING.search(what) or regex.search(r"\bit\b", what):
            wishes.fillers = ()
        else:
            parts = regex.split(r",|\bor\b|\band\b", what, flags=FLAGS)
            wishes.fillers = tuple(p.strip() for p in parts if p.strip())
        wishes.rest = cut(wishes.rest, found)
        return


def _take_fallback(wishes: Wishes) -> None:
    for pattern in _FALLBACK:
        found = pattern.search(wishes.rest)
        if not found:
            continue
        what = found["what"].strip()
        if regex.search(
            r"\b(?:however many|whatever|what's|as many|the rest|anyway|those that|what is)\b",
            what,
            FLAGS,
        ):
            continue
        if not _NOTHING.search(what):
            wishes.fallback_if = found[0][: found.start("what") - found.start()]
            wishes.fallback = regex.sub(
                r"\b(?:instead|please|then)\b(?=[\s,]*$)|^\s*(?:please|then)\b|\bone\b(?=\s*(?:instead|$))",
                "",
                what,
                flags=FLAGS,
            ).strip(" ,")
        wishes.rest = cut(wishes.rest, found)
        return
