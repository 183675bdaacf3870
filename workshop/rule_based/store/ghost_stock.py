"""Listed stock is an estimate: what a failed checkout tells, and what follows from it."""

from __future__ import annotations

from workshop.rule_based.store.facts import Facts
from workshop.rule_based.store.playbook import Playbook
from workshop.rule_based.store.programs import PURCHASE

PLAYBOOK = Playbook(
    name="ghost-stock",
    programs={"purchase": PURCHASE},
)


def repeats(facts: Facts, items: list[dict[str, object]]) -> bool:
    """Whether a plan is the one that has just failed."""
    before = {(i["sku"], i["quantity"]) for i in facts.failed.get("items") or []}
    return bool(before) and before == {(i["sku"], i["quantity"]) for i in items}
