"""All playbooks, in the order in which the evaluator reads them."""

from __future__ import annotations

from core.models.sections import NONE, Texts
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


GUIDE = "store/guide/worker"
GUIDE_OF_STEPS = "store/guide/steps"


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
may fit). An instruction that buys ends with one of these lines; code checks it:
CHECKOUT: items SKU×N, SKU×N; coupon CODE (or no coupon); total N (or total at most N)
CHECKOUT: cheapest found (of mixes generated for N units of SKUs that you name)
"""
"""What the evaluator has to know of its worker."""
STEPS = """\
To set and buy is one call here: TaskCompletion sets the basket from final, then buys. Generate, \
then test with combinations "last".
"""
"""What the same strategies look like where each step is one call."""


def sections() -> dict[str, str]:
    """The texts of this room by section."""
    told = {_section(p): p.prose for p in PLAYBOOKS}
    return {GUIDE: WORKER.rstrip("\n"), GUIDE_OF_STEPS: STEPS.rstrip("\n"), **told}


def prose(texts: Texts = NONE) -> str:
    """Every playbook as text for an evaluator with a worker; ``texts``: laid over sections."""
    return _told(GUIDE, texts)


def prose_of_steps(texts: Texts = NONE) -> str:
    """Every playbook as text for an agent that calls the tools itself."""
    return _told(GUIDE_OF_STEPS, texts)


def _told(head: str, texts: Texts) -> str:
    """The head and a line for each playbook; what was emptied is left out."""
    now = {**sections(), **texts}
    lines = [f"- {p.name} ({p.trigger}): {now[_section(p)]}" for p in PLAYBOOKS if now[_section(p)]]
    return "\n".join([*filter(None, [now[head]]), *lines])


def _section(playbook: Playbook) -> str:
    return f"store/playbooks/{playbook.name}"
