"""Combo_* tools that read products: list them all, or find some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.ledger import ComboRow, Rows, Tool, ToolFault, combo_tool
from core.tools.collector import Collector
from core.tools.folding import fold
from store_tools.basket import Product
from store_tools.search import FITS, NEAR, search, units_of
from store_tools.store_session import StoreSession, read_catalog

FOUND_AT_MOST = 40
NEAR_AT_MOST = 5
SMALL_CATALOG = 12
"""A catalog of at most so many products is shown whole if nothing matches."""
SHARED_BESIDE_MATCHES = 0.5
"""Share of the query's words that a near product has where others match."""


@dataclass
class FoundProducts:
    """What a search of the catalog gives."""

    matches: list[Product] = field(default_factory=list)
    near: list[Product] = field(default_factory=list)
    catalog_size: int = 0


def product_tools(session: StoreSession) -> list[Tool]:
    """The tools that read the catalog of one shop."""

    def Combo_List_All_Products(refresh: bool = False) -> Rows:
        """[{data: [same, ...]}], a list. refresh=True after a failed checkout."""
        row = ComboRow()
        yield row
        with Collector() as collected:
            listed = collected.rows(lambda: read_catalog(session, refresh=refresh))
            row.data = [product_row(product) for product in listed]

    def Combo_Find_Products_For_Query(query: str) -> Rows:
        """[{data: {matches: [{sku, name, price, available, units}], near: [same],
        catalog_size}}]. units: what a package holds, by a mark (6pk). matches have all words of
        the query (a|b: either), best first: never filter by an equal name. Near ones may fit."""
        row = ComboRow(primary=query)
        yield row
        find_products(session, row)

    return [
        combo_tool("read", Combo_Find_Products_For_Query),
        combo_tool("read", Combo_List_All_Products),
    ]


def find_products(session: StoreSession, row: ComboRow) -> FoundProducts:
    """Put the matches and near misses of a query, the ``primary`` of a row, into its data.

    A list names products: its matches are exactly those.

    Raises:
        ToolFault: the query is empty, or the catalog cannot be read.
    """
    query = row.primary
    if isinstance(query, list):
        found = FoundProducts(named_products(session, query))
        found.catalog_size = len(read_catalog(session))
        return found
    if not query.strip():
        raise ToolFault("query must not be empty")
    with Collector() as collected:
        catalog = collected.rows(lambda: read_catalog(session))
        row.data = found = _found(query, catalog)
    return found


def _found(query: str, catalog: list[Product]) -> FoundProducts:
    found = sorted(
        zip(search(query, catalog), catalog, strict=True), key=lambda pair: pair[0], reverse=True
    )
    matches = [pair for pair in found if pair[0].grade == FITS][:FOUND_AT_MOST]
    near = [pair for pair in found if pair[0].grade < FITS]
    if matches or len(catalog) > SMALL_CATALOG:
        # Beside what fits, products that share little with the query would be noise.
        least = SHARED_BESIDE_MATCHES if matches else 0.0
        near = [(f, p) for f, p in near if f.grade == NEAR or f.share >= least][:NEAR_AT_MOST]
    return FoundProducts(
        [product_row(product) for _, product in matches],
        [product_row(product) for _, product in near],
        len(catalog),
    )


def named_products(session: StoreSession, named: Sequence[str]) -> list[Product]:
    """The products of these SKUs or whole names, with their units.

    Raises ToolFault: the shop lacks one, or several have that name.
    """
    if not named:
        raise ToolFault("query must not be empty: words, or SKUs")
    catalog = read_catalog(session)
    sold: dict[str, Product] = {}
    for text in named:
        meant = [p for p in catalog if p.sku == text] or [
            p for p in catalog if fold(p.name) == fold(text.strip())
        ]
        if len(meant) != 1:
            skus = ", ".join(product.sku for product in meant)
            raise ToolFault(
                f"the shop has {f'{skus} of the name' if meant else 'no product'} {text!r}"
            )
        sold[meant[0].sku] = product_row(meant[0])
    return list(sold.values())


def product_row(product: Product) -> Product:
    """A product with its units, as generated code is told it."""
    return product.model_copy(update={"units": units_of(product.name, product.sku)})
