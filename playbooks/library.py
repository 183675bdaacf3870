"""All playbooks, in the order in which the evaluator reads them."""

from __future__ import annotations

from playbooks import (
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
from playbooks.playbook import Playbook

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


def prose() -> str:
    """Every playbook as text for the evaluator."""
    return "\n".join(f"- {p.name} ({p.trigger}): {p.prose}" for p in PLAYBOOKS)
