"""The programs of the playbooks, for a rule-based worker."""

from __future__ import annotations

from workshop.rule_based.store import (
    best_coupon,
    budget_check,
    bundle_coupon,
    cheapest_combination,
    decline,
    ghost_stock,
    plain_purchase,
    variant_selection,
    whole_category,
)
from workshop.rule_based.store.playbook import Playbook

PLAYBOOKS: tuple[Playbook, ...] = (
    variant_selection.PLAYBOOK,
    plain_purchase.PLAYBOOK,
    whole_category.PLAYBOOK,
    cheapest_combination.PLAYBOOK,
    best_coupon.PLAYBOOK,
    bundle_coupon.PLAYBOOK,
    budget_check.PLAYBOOK,
    ghost_stock.PLAYBOOK,
    decline.PLAYBOOK,
)


def program(playbook: str, step: str) -> str | None:
    """The worker code of a playbook's step, or None where there is none."""
    for known in PLAYBOOKS:
        if known.name == playbook:
            return known.programs.get(step)
    return None
