"""Phrases: politeness, purposes and talk about the order taken off the goods that are named."""

from __future__ import annotations

from functools import lru_cache

import regex

from playbooks.store.grammar.numbers import NUMBER

FLAGS = regex.IGNORECASE
SHOULD = (
    r"should(?=\s+(?:it|that|this|they|these|those|you|there|the|any|none|neither|either|your|one|no|all|(?-i:\p{Lu}))\b|"
    r"\s+(?-i:\p{Lu}))"
)
""" "Should you have fewer": a condition, unlike the "should" of "we should buy"."""
_NOISE = regex.compile(
    r"\b(?:extras? (?:are )?(?:allowed|welcome|ok|okay|fine)(?: but not needed)?|one only|only one|in the end|at the till|delivered|(?:and )?nothing (?:else|more) in the (?:basket|cart|order)|(?:and )?nothing but (?:those|that|these|them|it)|"
    r"(?:no|not) more,?(?: and| or)? (?:no|not) (?:fewer|less)|neither (?:more|fewer|less) nor (?:more|fewer|less)|on (?:your|the) shel(?:f|ves)|(?<!\bas many as )(?:that|which) (?:can|could|may) be (?:had|found|bought|got)|(?:a|one) (?:single )?\w+ apiece|that's (?:the whole|all of the|my whole) (?:order|list)|please|pls|thanks?(?: you)?(?: (?:so|very) much)?|thx|cheers|kindly|for (?:me|us|him|her|them|myself|ourselves)(?=\W|$)|(?:that )?(?:is |are )?(?:actually |really |currently |still |right now )*(?:in stock|available|on sale|on offer|(?<!-)(?-i:left)(?=\s*[,.;)]|\s*$)|for sale)(?: right now| at the moment| now| currently| today)?|"
    r"(?<!\bas )(?:that |which )?(?:you|your shop|the shop|the store) (?:have|has|carry|carries|sell|sells|offer|offers|stock|stocks|'ve got)(?: got)?(?: in stock)?(?: on offer)?(?: right now| at the moment| today)?|"
    r"(?:from|in|at|of) (?:the|your|this|our) (?:shop|store|catalog(?:ue)?|range|assortment|selection|inventory|site|website|stock|warehouse)|"
    r"(?:in|for) (?:total|all|one order|one go|a single order|the same order|this order)|altogether|"
    r"as (?:a )?(?:gift|present)s?|right away|asap|today|tomorrow|tonight|immediately|now|off your hands|at (?:the )?checkout|to (?:the|this|my|our) (?:order|basket|cart)|"
    r"any (?:mix of [\w ]+?(?=\s*[,.)]|$)|models?|brands?|kinds?|types?|mix|colou?rs?)(?: (?:is|are) (?:fine|ok|okay))?(?: will do| would do| works?)?|(?:sold|priced) (?:singly|individually|separately)|one each|each one|(?<!\bas )(?:that )?you can (?:find|get|offer|supply)|"
    r"(?:no )?other [\w ]+? (?:is|are) (?:not |un)(?:wanted|needed|allowed|acceptable|ok|fine|required)\w*|never mix[\w ]*|no mixing|"
    r"(?:the )?(?:right|correct|exact|same) (?:one|ones|model|size)|(?:whatever|whichever) (?:the )?(?:brand|model|colou?r|maker|make)(?: it is)?|regardless of (?:brand|model|colou?r|price)|no matter (?:the|which|what) \w+|if (?:it is |that is |at all )?possible|if (?:you|we) (?:can|want|like)|if available|instead(?=\s*[,.;]|\s*$)|"
    r"no matter what|nothing (?:else|more|besides|other)(?: (?:in|to|than) (?:the|this|that)(?: order)?)?|no(?: \w+)? (?:extras?|substitut(?:e|es|ions?)|other \w+|add-ons?|accessories|partial \w+)(?: or \w+)?|just (?:that|this|those|these|the one|one)|only (?:that|this|those|these)|that's (?:it|all)|that is all|and (?:nothing|no) (?:else|more))\b",
    FLAGS,
)
_OCCASION = (
    r"(?:party|bake sale|sale|fete|fundraiser|charity|birthday|office|team|wedding|trip|weekend|kids?|child(?:ren)?|sons?|daughters?|wife|husband|family|mother|father|mom|mum|dad|parents|friends?|colleagues?|"
    r"guests?|house|home|class|classroom|school|event|meeting|picnic|holidays?|vacation|christmas|summer|winter|spring|autumn|show|shop|evening|night|"
    r"dinner|lunch|breakfast|barbecue|festival|concert|club|crew|staff|workshop|studio|project|season|anniversary|renovation|move|flat|apartment|cabin|"
    r"restaurant|kitchen|café|cafe|bar|hotel|community|scouts|camp|tournament|game|match|tour|gift|present|student|students|neighbou?rs?|grandma|grandmother|grandfather|nephew|niece|brother|sister|uncle|aunt|boss|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|month|launch|conference|training|lab|fair|market|stall|tasting|reception|reunion|banquet|gala|retreat|nursery|baby shower|shower|playroom|book club|choir|band|retirement|volunteers|clients?|customers?|visitors?|us|me|all)"
)
_PURPOSE = regex.compile(
    rf"(?:,\s*)?\bfor (?:(?:the|our|my|a|an|his|her|their|this|next|your|some|upcoming|annual|all|ten|new)\s+)*(?:[\w'-]+\s+){{0,3}}?{_OCCASION}(?:'s)?(?:\s+(?:party|show|dinner|trip|event|room|{_OCCASION}))*(?:\s+(?:on|at|in|this|next)\s+[\w ]+)?(?=\s*[,.;:)]|\s*$|\s+(?:and|with|please)\b)",
    FLAGS,
)
_STRAY_SIGNS = regex.compile(r"^[\s,:;–-]+|[\s,:;.!?–-]+$")
_STRAY_WORDS = regex.compile(
    r"^(?:and|or|but|also|then|the|of|on|for|your|our|my|some|both|with|me|us|that|to)\s+|^(?:and|or|but|also|then|the|with|me|us|it|that)$|\s+(?:and|or|but|with|for|at|to|of|in|on|that|which|is|are|the)$",
    FLAGS,
)
_GAP = regex.compile(r"\s+")
_WORD = regex.compile(r"[\p{L}\p{N}']+")
_NUMBER = regex.compile(NUMBER)
_META = frozenset(
    """
    it them that this those these amount amounts order list stock thing things everything
    rest one ones set sets need pay please thank thanks hi hello hey lot total sum price
    budget what which i we you can no not nothing else only just make sure discount
    discounts coupon coupons code codes applied apply is are its use used be get the a an of
    to so both all in for and or with off same bill come they do does must should will would
    may might our my your us me at on model models mixed mix any size colour color other
    from by as if up possible known whichever better best works work saves more most either
    entire whole single unit units piece here there also full item items article articles
    product products finally after before out take takes want wants like have has possibly
    each we've i've quantity quantities exactly one's two three really
    """.split()
)


def cut(text: str, found: regex.Match[str]) -> str:
    """Text without a clause that was read; a comma stands where it was."""
    return f"{text[: found.start()]} , {text[found.end() :]}"


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """A phrase without politeness, purposes and stray punctuation."""
    previous = ""
    while previous != text:
        previous = text
        text = _PURPOSE.sub(" ", text)
        text = _NOISE.sub(" ", text)
        text = _STRAY_SIGNS.sub("", text)
        text = _STRAY_WORDS.sub("", text)
    return _GAP.sub(" ", text).strip()


def is_meta(text: str) -> bool:
    """Whether a phrase names no goods but only talks about the order."""
    found = _WORD.findall(text.casefold())
    return all(w in _META or (w.isalpha() and _NUMBER.fullmatch(w)) for w in found)


def clean_ends(text: str) -> str:
    """Text without punctuation at its ends."""
    return text.strip(" ,:;.!?-")
