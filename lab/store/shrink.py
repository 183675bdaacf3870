"""Makes a failing scenario smaller while it fails in the same way and its expectation holds."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import regex

from lab.packs import Raw, pack_text
from lab.records import Trial
from simulator.store.oracle.certificate import CertificateError, check_certificate
from simulator.store.pack import PackError, parse_pack

T = TypeVar("T")
Play = Callable[[Raw], Trial]
LARGE_PAGE = 100
NOISE = frozenset(
    [
        "hi",
        "hello",
        "hey",
        "dear",
        "greetings",
        "please",
        "pls",
        "kindly",
        "thanks",
        "thank",
        "you",
        "very",
        "much",
        "so",
        "well",
        "ok",
        "okay",
        "oh",
        "just",
        "really",
        "actually",
        "basically",
        "simply",
        "also",
        "could",
        "would",
        "can",
        "will",
        "i'd",
        "i",
        "need",
        "want",
        "like",
        "cheers",
        "regards",
        "best",
        "today",
        "now",
        "asap",
        "urgently",
        "hope",
        "all",
        "day",
        "morning",
        "team",
        "there",
        "sorry",
    ]
)
"""Words that ask for nothing: leaving one out does not change what a task wants."""
_ORDINAL = regex.compile(
    r"\b(?:second|third|fourth|fifth|next|other|middle|median|2nd|3rd|\dth)\b", regex.IGNORECASE
)
_WORDS = regex.compile(r"[\p{L}\p{N}]+")


def failure_class(trial: Trial) -> str | None:
    """How a trial failed; None where it passed."""
    if trial.passed:
        return None
    if trial.wrong_checkout:
        return "wrong checkout"
    return trial.failure or trial.outcome


@dataclass
class Shrinker:
    """Tries smaller scenarios; remembers every text that was played."""

    play: Play
    kind: str
    any_words: bool = False
    """Leave out any word of the task, not only noise: the result must be read by a person."""
    played: dict[str, bool] = field(default_factory=dict)

    def run(self, raw: Raw) -> Raw:
        """The smallest scenario that was found; every step of it fails as the first one did."""
        while True:
            before = json.dumps(raw, sort_keys=True)
            raw = self._fewer(raw, "products", _needed_products(raw))
            raw = self._fewer(raw, "coupons", _needed_coupons(raw))
            raw = self._plainer(raw)
            raw = self._shorter(raw)
            if json.dumps(raw, sort_keys=True) == before:
                return raw

    def _fails(self, raw: Raw) -> bool:
        key = json.dumps(raw, sort_keys=True)
        if key not in self.played:
            self.played[key] = holds(raw) and failure_class(self.play(raw)) == self.kind
        return self.played[key]

    def _fewer(self, raw: Raw, name: str, needed: set[str]) -> Raw:
        """Leave out products or coupons that are not needed."""
        id_name = "sku" if name == "products" else "code"
        every = raw.get(name) or []

        def with_these(kept: Sequence[str]) -> Raw:
            chosen = needed | set(kept)
            some = [one for one in every if one[id_name] in chosen]
            return _without_unknown({**copy.deepcopy(raw), name: some})

        free = [one[id_name] for one in every if one[id_name] not in needed]
        return with_these(fewest(free, lambda kept: self._fails(with_these(kept)))) if free else raw

    def _plainer(self, raw: Raw) -> Raw:
        """A large page, small stocks, no stock that moves: each where the failure stays."""
        edits = _edits(raw)

        def without_these(left: Sequence[_Edit]) -> Raw:
            fresh = copy.deepcopy(raw)
            for edit in edits:
                if edit not in left:
                    edit.apply(fresh)
            return fresh

        if not edits:
            return raw
        return without_these(fewest(edits, lambda left: self._fails(without_these(left))))

    def _shorter(self, raw: Raw) -> Raw:
        """Leave out words of the task's text."""
        text: list[str] = raw["task_text"].split()
        free = [n for n, word in enumerate(text) if self.any_words or _is_noise(word)]

        def with_these(kept: Sequence[int]) -> Raw:
            some = [w for n, w in enumerate(text) if n not in free or n in kept]
            return {**raw, "task_text": " ".join(some)}

        if not free:
            return raw
        return with_these(fewest(free, lambda kept: self._fails(with_these(kept))))


def fewest(items: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """A small part of the items with which it still fails: no single one can be left out of it.

    ``fails`` is known to be true of all items. Delta debugging: ever smaller stretches are left
    out.
    """
    left = list(items)
    size = len(left)
    while size:
        start, gone = 0, False
        while start < len(left):
            some = left[:start] + left[start + size :]
            if fails(some):
                left, gone = some, True
            else:
                start += size
        size = min(size, len(left)) if gone and size == 1 else size // 2
    return left


def holds(raw: Raw) -> bool:
    """Whether a scenario is valid and, where it has a certificate, still expects the best."""
    try:
        parse_pack(pack_text("candidate", [raw]))
        if raw.get("oracle"):
            check_certificate(raw)
    except (PackError, CertificateError, KeyError, ValueError):
        return False
    return True


@dataclass(frozen=True)
class _Edit:
    """One simplification: a field of the scenario or of a product; value None removes it."""

    sku: str | None
    name: str
    value: int | None

    def apply(self, raw: Raw) -> None:
        where = [raw] if self.sku is None else [p for p in raw["products"] if p["sku"] == self.sku]
        for one in where:
            if self.value is None:
                one.pop(self.name, None)
            else:
                one[self.name] = self.value


def _edits(raw: Raw) -> list[_Edit]:
    """Simplifications that cannot change the right answer, or whose certificate is checked."""
    events = raw["expect"].get("any_of") or []
    certified = bool(raw.get("oracle"))
    found = [_Edit(None, "page_limit", LARGE_PAGE)] if 0 < raw["page_limit"] < LARGE_PAGE else []
    for product in raw["products"]:
        sku = product["sku"]
        wanted = [i["quantity"] for e in events for i in e["items"] if i["sku"] == sku]
        least = max(wanted, default=1)
        if product["available"] > least and (wanted or not events or certified):
            found.append(_Edit(sku, "available", least))
        moved = product.get("stock_at_checkout")
        if moved is not None and (certified or moved >= product["available"]):
            found.append(_Edit(sku, "stock_at_checkout", None))
    return found


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
        asked = _stems(text)
        needed |= {p["sku"] for p in raw["products"] if _stems(p["name"]) & asked}
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
            kept = value.items() if name != "choices" else _known(value, skus)
            return {k: pruned(v, k) for k, v in kept}
        if name == "extras":
            return [sku for sku in value if sku in skus]
        return [pruned(v) for v in value] if isinstance(value, list) else value

    if raw.get("oracle"):
        raw["oracle"] = pruned(raw["oracle"])
    return raw


def _known(choices: Raw, skus: set[str]) -> list[tuple[str, Any]]:
    return [(sku, units) for sku, units in choices.items() if sku in skus]


def _is_noise(word: str) -> bool:
    return word.strip(".,;:!?()\"'").casefold() in NOISE


def _stems(text: str) -> set[str]:
    found = (word.casefold() for word in _WORDS.findall(text))
    return {word.removesuffix("s") for word in found if len(word) > 2}
