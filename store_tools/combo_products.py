"""Combo_* tools that read products: list them all, find some, and combine pack sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.ledger import Tool, ToolFault, tool
from core.tools.collector import Collector
from store_tools.basket import Product
from store_tools.combinations import Generated, combinations_for
from store_tools.search import FITS, NEAR, search, units_of
from store_tools.store_session import StoreSession, read_catalog

Row = str | dict[str, object]
"""A product as generated code names it: by its SKU, or as it was told."""
FOUND_AT_MOST = 40
NEAR_AT_MOST = 5
SMALL_CATALOG = 12
"""A catalog of at most so many products is shown whole if nothing matches."""
SHARED_BESIDE_MATCHES = 0.5
"""Share of the query's words that a near product has where others match."""


@dataclass
class ListedProducts:
    """The whole catalog."""

    products: list[Product] = field(default_factory=list)
    count: int = 0


@dataclass
class FoundProducts:
    """What a search of the catalog gives."""

    matches: list[Product] = field(default_factory=list)
    near: list[Product] = field(default_factory=list)
    catalog_size: int = 0


def product_tools(session: StoreSession) -> list[Tool]:
    """The tools that read the catalog of one shop."""

    def Combo_List_All_Products(refresh: bool = False) -> ListedProducts:
        """{products: [same], count}. refresh=True after a failed checkout."""
        collected = Collector()
        listed = collected.rows(lambda: read_catalog(session, refresh=refresh))
        products = [product_row(p) for p in listed]
        return collected.result(ListedProducts(products, len(products)))

    def Combo_Find_Products_For_Query(query: str) -> FoundProducts:
        """{matches: [{sku, name, price, available, units}], near: [same], catalog_size}. units:
        what a package holds, by a mark (6pk). matches have all words of the query (a|b: either),
        best first: never filter by an equal name. Near ones may fit."""
        return find_products(session, query)

    def Combo_Generate_Product_Combinations_For_Target_Units(
        products: list[Row], target_units: int, max_combinations: int = 120
    ) -> Generated:
        """All baskets with exactly target_units units of products (SKUs or rows of matches),
        cheapest first: {combinations: [{items: [{sku, quantity}], units, subtotal}], total_found,
        cut: some are left out, reason: why there is none}"""
        return generate_baskets(session, products, target_units, max_combinations)

    generate = tool(
        "read", Combo_Generate_Product_Combinations_For_Target_Units, fields=vars(Generated())
    )
    return [
        tool("read", Combo_Find_Products_For_Query, fields=vars(FoundProducts())),
        tool("read", Combo_List_All_Products, fields=vars(ListedProducts())),
        # Prompts do not speak of it: Combo_Set_Cheapest_Basket_For_Query covers it.
        replace(generate, told=False),
    ]


def generate_baskets(
    session: StoreSession, products: Sequence[Row | Product], target_units: int, most: int = 120
) -> Generated:
    """Generate the baskets of so many units.

    Raises:
        ToolFault: no products are given, one is not known, or the target is out of range.
    """
    if not products:
        raise ToolFault("products must not be empty: SKUs, or rows of matches")
    rows = [named_products(session, [p])[0] if isinstance(p, str) else p for p in products]
    return combinations_for(rows, target_units, most)


def find_products(session: StoreSession, query: str) -> FoundProducts:
    """Matches and near misses of a query in the shop's catalog.

    Raises:
        ToolFault: the query is empty, or the catalog cannot be read.
    """
    if not query.strip():
        raise ToolFault("query must not be empty")
    collected = Collector()
    catalog = collected.rows(lambda: read_catalog(session))
    found = sorted(
        zip(search(query, catalog), catalog, strict=True), key=lambda pair: pair[0], reverse=True
    )
    matches = [pair for pair in found if pair[0].grade == FITS][:FOUND_AT_MOST]
    near = [pair for pair in found if pair[0].grade < FITS]
    if matches or len(catalog) > SMALL_CATALOG:
        # Beside what fits, products that share little with the query would be noise.
        least = SHARED_BESIDE_MATCHES if matches else 0.0
        near = [(f, p) for f, p in near if f.grade == NEAR or f.share >= least][:NEAR_AT_MOST]
    result = FoundProducts(
        [product_row(product) for _, product in matches],
        [product_row(product) for _, product in near],
        len(catalog),
    )
    return collected.result(result)


def named_products(session: StoreSession, skus: Sequence[str]) -> list[Product]:
    """The products of these SKUs, with their units. Raises ToolFault: the shop lacks one."""
    if not skus:
        raise ToolFault("query must not be empty: words, or SKUs")
    sold = {product.sku: product for product in read_catalog(session)}
    for sku in skus:
        if sku not in sold:
            raise ToolFault(f"the shop has no product {sku!r}")
    return [product_row(sold[sku]) for sku in dict.fromkeys(skus)]


def product_row(product: Product) -> Product:
    """A product with its units, as generated code is told it."""
    return product.model_copy(update={"units": units_of(product.name, product.sku)})
