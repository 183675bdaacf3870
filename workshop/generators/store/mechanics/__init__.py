"""Mechanics: what a task is about. `../mechanics.md` tells what each is like."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction
from typing import get_type_hints

from workshop.generators.store.builder import ShopBuilder
from workshop.generators.store.draft import Draft
from workshop.generators.store.mechanics import choices, coupons, goods

Mechanic = Callable[[ShopBuilder], Draft]

MECHANICS: dict[str, Mechanic] = {
    name.replace("_", "-"): function
    for module in (goods, choices, coupons)
    for name, function in vars(module).items()
    if isfunction(function) and function.__module__ == module.__name__
    if get_type_hints(function) == {"builder": ShopBuilder, "return": Draft}
}
"""Every function of these modules that makes a draft on a bare builder, by its name and in their
order; all are drawn equally often."""
