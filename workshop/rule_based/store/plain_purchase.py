"""Buying a known basket: set it, check it, check it out."""

from __future__ import annotations

from workshop.rule_based.store.playbook import Playbook
from workshop.rule_based.store.programs import PURCHASE

PLAYBOOK = Playbook(
    name="plain-purchase",
    trigger="the basket is known",
    prose=(
        "Set exactly these items and coupon and check out at once, with the total that was "
        "reported or that reported prices give."
    ),
    programs={"purchase": PURCHASE},
)
