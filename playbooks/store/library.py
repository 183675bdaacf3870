"""All playbooks, in the order in which the evaluator reads them."""

from __future__ import annotations

from playbooks.store import (
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
from playbooks.store.playbook import Playbook

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


WORKER = """\
One instruction can find products by wording, generate all mixes for N units, price many baskets \
with many codes, set the basket, buy. Have done at once what needs no choice of yours. A search \
reports matches (the first `sure` are named so) and near ones (the first `doubtful` \
may fit). Buy in a later instruction that names the total.
"""
"""What the evaluator has to know of its worker."""
STEPS = """\
To set and buy is one call here: TaskCompletion sets the basket from final, then buys. Generate, \
then test with combinations "last".
"""
"""What the same strategies look like where each step is one call."""


def prose() -> str:
    """Every playbook as text for an evaluator with a worker."""
    return WORKER + _strategies()


def prose_of_steps() -> str:
    """Every playbook as text for an agent that calls the tools itself."""
    return STEPS + _strategies()


def _strategies() -> str:
    return "\n".join(f"- {p.name} ({p.trigger}): {p.prose}" for p in PLAYBOOKS)
