"""Combo_* tools that read products: list them all, find some, and combine pack sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.ledger import Tool, ToolFault, tool
from core.tools.collector import Collector
from store_tools.authorised import Priced
from store_tools.basket import Product
from store_tools.combinations import Generated, combinations_for
from store_tools.search import DOUBTFUL, FITS, SURE, search
from store_tools.store_session import StoreSession, read_catalog
from store_tools.words import units_of, words

Row = str | dict[str, object]
"""A product as generated code names it: by its SKU, or as it was told."""
FOUND_AT_MOST = 40
NEAR_AT_MOST = 5
SMALL_CATALOG = 12
"""A catalog of at most so many products is shown whole if nothing is sure."""
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
    sure: int = 0
    near: list[Product] = field(default_factory=list)
    catalog_size: int = 0


def product_tools(session: StoreSession) -> list[Tool]:
    """The tools that read the catalog of one shop."""

    def Combo_List_All_Products(refresh: bool = False) -> ListedProducts:
        """{products: [same], count}. refresh=True after a failed checkout."""
        collected = Collector()
        listed = collected.rows(lambda: read_catalog(session, refresh=refresh))
        products = [_product_row(session, p) for p in listed]
        return collected.result(ListedProducts(products, len(products)))

    def Combo_Find_Products_For_Query(query: str) -> FoundProducts:
        """{matches: [{sku, name, price, available, units}], sure, near: [same],
        catalog_size}. units: pieces in a package. matches have the query's words (a|b: either),
        best first; matches[:sure] are named so: never filter by an equal name. Others and
        near ones may fit."""
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
    """Generate the baskets of so many units, and keep them as the last that were generated.

    Raises:
        ToolFault: no products are given, one is not known, or the target is out of range.
    """
    if not products:
        raise ToolFault("products must not be empty: SKUs, or rows of matches")
    known = [_known(session, p) if isinstance(p, str) else p for p in products]
    generated = combinations_for(known, target_units, most)
    session.generated = [one.content for one in generated.combinations]
    # Generated code may hand back a product with another price or units than it was told.
    rows = [p.model_dump() if isinstance(p, Product) else p for p in known]
    handed = [(str(row.get("sku", "")), (row.get("price"), row.get("units", 1))) for row in rows]
    as_told = all(numbers in session.shown_as.get(sku, set()) for sku, numbers in handed)
    session.target = target_units if as_told else None
    priced = [(one.content, "", one.subtotal) for one in generated.combinations]
    session.query = session.sure.get(frozenset(str(row.get("sku", "")) for row in rows))
    session.note_priced(Priced(priced, session.target, 0, by_shop=False, query=session.query))
    return generated


def find_products(session: StoreSession, query: str) -> FoundProducts:
    """Matches and near misses of a query in the shop's catalog.

    Raises:
        ToolFault: the query is empty, or the catalog cannot be read.
    """
    if not query.strip():
        raise ToolFault("query must not be empty")
    collected = Collector()
    catalog = collected.rows(lambda: read_catalog(session))
    session.last_query = query
    found = sorted(
        zip(search(query, catalog), catalog, strict=True), key=lambda pair: pair[0], reverse=True
    )
    matches = [pair for pair in found if pair[0].grade >= FITS][:FOUND_AT_MOST]
    sure = sum(answer.grade == SURE for answer, _ in matches)
    near = [pair for pair in found if pair[0].grade < FITS]
    if sure or len(catalog) > SMALL_CATALOG:
        # Beside what fits, products that share little with the query would be noise.
        least = (DOUBTFUL, 0.0) if sure else (0, SHARED_BESIDE_MATCHES if matches else 0.0)
        near = [pair for pair in near if pair[0][:2] >= least][:NEAR_AT_MOST]
    doubtful = any(answer.grade == DOUBTFUL for answer, _ in near)
    if sure == len(matches) < FOUND_AT_MOST and not doubtful:
        session.sure[frozenset(product.sku for _, product in matches)] = query
    result = FoundProducts(
        [_product_row(session, product, query) for _, product in matches],
        sure,
        [_product_row(session, product, query) for _, product in near],
        len(catalog),
    )
    return collected.result(result)


def named_products(session: StoreSession, skus: list[str]) -> list[Product]:
    """The products of these SKUs, with their units. Raises ToolFault: the shop lacks one."""
    if not skus:
        raise ToolFault("query must not be empty: words, or SKUs")
    return [_known(session, sku) for sku in dict.fromkeys(skus)]


def _known(session: StoreSession, sku: str) -> Product:
    """The product of a SKU, with the units that the last query made of it.

    Raises:
        ToolFault: the shop has no such product.
    """
    for product in read_catalog(session):
        if product.sku == sku:
            return _product_row(session, product, session.last_query)
    raise ToolFault(f"the shop has no product {sku!r}")


def _product_row(session: StoreSession, product: Product, query: str = "") -> Product:
    """A product with its units, as generated code is told it."""
    units = units_of(product.name, product.sku, frozenset(words(query)))
    session.shown_as.setdefault(product.sku, set()).add((product.price, units))
    return product.model_copy(update={"units": units})
