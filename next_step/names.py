"""Which function a wrong name means: usual names of tools, by what they do and to what."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from core.ledger import Tool

_USUAL = {
    "look": "get find search list show view read load fetch lookup query retrieve check see open "
    "resolve match sum compute calculate count browse summary test price",
    "set": "set update change edit modify write put save apply replace rename move assign",
    "new": "add new create insert log record book post make",
    "remove": "remove delete drop take discard clear empty void cancel",
    "end": "respond response answer reply finish finished complete completion done end submit "
    "final decline checkout buy purchase order pay",
    "employee": "employee employees person people staff colleague colleagues worker member members",
    "me": "me user whoami self profile identity",
    "customer": "customer customers client clients company companies account accounts",
    "project": "project projects",
    "time": "time times hours timesheet entry entries",
    "workload": "workload workloads capacity utilization",
    "wiki": "wiki page pages document documents doc docs article articles",
    "team": "team teams",
    "product": "product products item items sku skus goods catalog catalogue",
    "basket": "basket baskets cart carts",
    "coupon": "coupon coupons discount discounts voucher vouchers promo code codes",
}
"""What tools are usually called, by meaning: what is done, then what it is done to."""
_DEEDS = frozenset({"look", "set", "new", "remove", "end"})
_PUTS = frozenset({"set", "new"})
_MEANING = {word: meaning for meaning, words in _USUAL.items() for word in words.split()}
_FILLERS = "req combo all for of to in on the a by with from current agent task"
_NO_MEANING = frozenset(_FILLERS.split(" "))
_WORD = regex.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
SHOWN = 3


def meaning_of(name: str) -> frozenset[str]:
    """What is done, and to what; a word that is in no table stands for itself."""
    words = [word.casefold() for word in _WORD.findall(name)]
    return frozenset(_MEANING.get(word, word) for word in words if word not in _NO_MEANING)


def meant_by(name: str, tools: Mapping[str, Tool | None]) -> list[str]:
    """The functions that a name may mean, the likeliest ones; none where nothing is like it.

    ``tools``: by name; None for the completion, which ends the task.
    """
    wanted = meaning_of(name)
    scores = {known: _likeness(wanted, known, tool) for known, tool in tools.items()}
    best = max(scores.values(), default=(0.0,))
    return [k for k, score in scores.items() if score == best][:SHOWN] if best[0] else []


def _likeness(wanted: frozenset[str], known: str, tool: Tool | None) -> tuple[float, ...]:
    """How much of a meaning a function has, whether it does the same, how little else it does."""
    own = meaning_of(known)
    every = own | meaning_of(" ".join(tool.signature.parameters)) if tool else own
    common = wanted & every
    if not common - _DEEDS and "end" not in common and wanted != own:
        return (0.0,)
    asked, done = wanted & _DEEDS, own & _DEEDS
    # To add something is nearer to setting it than to looking at it.
    nearness = 1.0 if asked & done else 0.5 if asked & _PUTS and done & _PUTS else 0.0
    return len(common) / len(wanted), nearness, len(wanted & own) / len(wanted | own)
