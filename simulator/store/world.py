"""The store as a world of the platform: a shop for each task, whose acts are its checkouts."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from simulator.store.api import ROUTES
from simulator.store.pack import BUNDLED_PACK, FORMAT, Pack, Scenario, read_pack
from simulator.store.scoring import evaluate
from simulator.store.shop import Basket, Catalog, Shop
from simulator.world import Evaluation, Looks, World

PAGES = Path(__file__).parent / "pages"


class TaskShop(Shop):
    """The shop of one task; judged by what was bought in it."""

    def __init__(self, scenario: Scenario, catalog: Catalog) -> None:
        super().__init__(catalog)
        self._scenario = scenario

    @property
    def acts(self) -> tuple[Basket, ...]:
        """The successful checkouts, oldest first."""
        return tuple(self.purchases)

    def evaluate(self, logged: bool) -> Evaluation:
        """Compare the checkouts with what the scenario expects."""
        return evaluate(self._scenario, self.purchases, logged)


def _opener(pack: Pack, scenario: Scenario) -> Callable[[], TaskShop]:
    return partial(TaskShop, scenario, Catalog(scenario))


def _cells(scenario: Scenario) -> tuple[object, ...]:
    return len(scenario.products), scenario.page_limit if scenario.page_limit > 0 else "–"


def _shown(scenario: Scenario, shop: TaskShop | None) -> Mapping[str, Any]:
    return {
        "expect": scenario.expect,
        "products": {product.sku: product for product in scenario.products},
        "basket": shop.view() if shop else None,
        "purchases": shop.purchases if shop else (),
    }


def _define_generate(parser: ArgumentParser) -> None:
    """write a pack of fresh shops with known best answers"""
    from simulator.store.generate.command import define_generate

    define_generate(parser)


STORE = World(
    name="store",
    format=FORMAT,
    benchmarks=("store",),
    roots=("store",),
    module="store",
    description="Buy what the task asks for in a small shop, or decline.",
    routes=ROUTES,
    irreversible=frozenset({"/basket/checkout"}),
    bundled=BUNDLED_PACK,
    read=read_pack,
    opener=_opener,
    looks=Looks(
        acts="Checkouts",
        columns=("Products", "Page limit"),
        cells=_cells,
        template=PAGES / "shop.html.jinja",
        shown=_shown,
    ),
    define_generate=_define_generate,
)
