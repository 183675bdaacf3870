"""Buying a known basket: set it, check it, check it out."""

from __future__ import annotations

from playbooks.playbook import Playbook
from playbooks.programs import PURCHASE

PLAYBOOK = Playbook(
    name="plain-purchase",
    trigger="the basket to buy is known",
    prose=(
        "One instruction: set exactly these items and coupon, then Req_CheckoutBasket with the expected total and "
        "coupon; if it is refused, empty the basket and report the error and the stock listed now."
    ),
    programs={"purchase": PURCHASE},
)
