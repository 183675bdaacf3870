"""What a shop's scenario may do without while its expectation stays right."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import partial
from typing import Any

import regex

from workshop.lab.benchmark_adapter import Cut, Raw
from workshop.lab.store.trivial import words

_ORDINAL = regex.compile(
    r"\b(?:second|third|fourth|fifth|next|other|middle|median|2nd|3rd|\dth)\b", regex.IGNORECASE
)


def _fewer(name: str, raw: Raw) -> Cut:
    """Products or coupons that are not needed."""
    id_name = "sku" if name == "products" else "code"
    needed = _needed_products(raw) if name == "products" else _needed_coupons(raw)
    every = raw.get(name) or []

    def keeping(kept: Sequence[str]) -> Raw:
        chosen = needed | set(kept)
        some = [one for one in every if one[id_name] in chosen]
        return _without_unknown({**copy.deepcopy(raw), name: some})

    return Cut([one[id_name] for one in every if one[id_name] not in needed], keeping)


CUTS = (partial(_fewer, "products"), partial(_fewer, "coupons"))


def _needed_products(raw: Raw) -> set[str]:
    """Products that must stay: without a certificate also all that the answer may hang on."""
    events = raw["expect"].get("any_of") or []
    needed = {item["sku"] for event in events for item in event["items"]}
    codes = {event.get("coupon") for event in events}
    for coupon in raw.get("coupons") or []:
        if coupon["code"] in codes:
            needed |= set(coupon.get("requires") or {})
    text = raw["task_text"]
    if not raw.get("oracle") and (not events or _ORDINAL.search(text)):
        asked = words(text)
        needed |= {p["sku"] for p in raw["products"] if words(p["name"]) & asked}
    return needed


def _needed_coupons(raw: Raw) -> set[str]:
    """Coupons that must stay: those of the answer and, unless certified, all that are named."""
    events = raw["expect"].get("any_of") or []
    needed = {event["coupon"] for event in events if event.get("coupon")}
    if not raw.get("oracle"):
        text = raw["task_text"].casefold()
        needed |= {c["code"] for c in raw.get("coupons") or [] if c["code"].casefold() in text}
    return needed


def _without_unknown(raw: Raw) -> Raw:
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
