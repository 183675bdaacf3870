"""What a shop can be made smaller by while its expectation stays right."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from workshop.simulator.world import Cut, Wire

_ORDINAL = re.compile(
    r"\b(?:second|third|fourth|fifth|next|other|middle|median|2nd|3rd|\dth)\b", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W_]+")
_LEAST_LETTERS = 3
"""Shorter words are "a", "of" and "to"."""


def words(text: str) -> set[str]:
    """Words in one spelling; a plural is its singular."""
    folded = (word.casefold() for word in _WORDS.findall(text))
    return {word.removesuffix("s") for word in folded if len(word) >= _LEAST_LETTERS}


def _fewer(name: str, raw: Wire) -> Cut:
    id_name = "sku" if name == "products" else "code"
    needed = _needed_products(raw) if name == "products" else _needed_coupons(raw)
    every = raw.get(name) or []

    def keeping(chosen_ids: Sequence[str]) -> Wire:
        chosen = needed | set(chosen_ids)
        some = [one for one in every if one[id_name] in chosen]
        return _without_unknown({**copy.deepcopy(raw), name: some})

    return Cut([one[id_name] for one in every if one[id_name] not in needed], keeping)


def _needed_products(raw: Wire) -> set[str]:
    """Products that must stay: without a certificate also all that the answer may hang on."""
    events = raw["expect"].get("any_of") or []
    needed = {item["sku"] for event in events for item in event["items"]}
    codes = {event.get("coupon") for event in events}
    for coupon in raw.get("coupons") or []:
        if coupon["code"] in codes:
            needed |= set(coupon.get("requires") or {})
    text = raw["task_text"]
    if not raw.get("oracle") and (not events or _ORDINAL.search(text)):
        text_words = words(text)
        needed |= {p["sku"] for p in raw["products"] if words(p["name"]) & text_words}
    return needed


def _needed_coupons(raw: Wire) -> set[str]:
    """Coupons that must stay: those of the answer and, unless certified, all that are named."""
    events = raw["expect"].get("any_of") or []
    needed = {event["coupon"] for event in events if event.get("coupon")}
    if not raw.get("oracle"):
        text = raw["task_text"].casefold()
        needed |= {c["code"] for c in raw.get("coupons") or [] if c["code"].casefold() in text}
    return needed


def _without_unknown(raw: Wire) -> Wire:
    """The certificate's demand without choices that the shop does not sell any more."""
    skus = {product["sku"] for product in raw["products"]}

    def pruned(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            sold = value if name != "choices" else skus & value.keys()
            return {k: pruned(v, k) for k, v in value.items() if k in sold}
        if name == "extras":
            return [sku for sku in value if sku in skus]
        return [pruned(v) for v in value] if isinstance(value, list) else value

    if raw.get("oracle"):
        raw["oracle"] = pruned(raw["oracle"])
    return raw


CUTS = (partial(_fewer, "products"), partial(_fewer, "coupons"))
