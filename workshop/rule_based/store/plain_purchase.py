"""Buying a known basket: set it, check it, check it out."""

from __future__ import annotations

from workshop.rule_based.store.playbook import Playbook
from workshop.rule_based.store.programs import PURCHASE

PLAYBOOK = Playbook(
    name="plain-purchase",
    programs={"purchase": PURCHASE},
)
