"""Combo_* tools that read products: list them all, find some, and combine pack sizes."""

from __future__ import annotations

from typing import Any

from ledger import Tool, ToolFault, tool
from store_tools.catalog import read_catalog
from store_tools.combinations import combinations_for
from store_tools.matching import FULL
from store_tools.session import StoreSession
from store_tools.shelf import rank
from store_tools.words import units_of

FOUND_AT_MOST = 40
NEAR_AT_MOST = 4


def product_tools(session: StoreSession) -> list[Tool]:
    """The tools that read the catalog of one shop."""

    def Combo_List_All_Products(refresh: bool = False) -> dict[str, Any]:
        """Whole catalog: {products: [{sku, name, price, available, units}], count}. units: single
        units in one package ("6-pack": 6). refresh=True after a failed checkout."""
        products = [_with_units(p) for p in read_catalog(session, refresh=refresh)]
        return {"products": products, "count": len(products)}

    def Combo_Find_Products_For_Query(query: str) -> dict[str, Any]:
        """Products that answer a query (name, colour, size, kind) best first: {matches: [{sku,
        name, price, available, units, score}], near: [...], catalog_size}. near: not what was
        asked (another kind, size or colour), only to explain a refusal."""
        return find_products(session, query)

    def Combo_Generate_Product_Combinations_For_Target_Units(
        products: list[dict[str, Any]], target_units: int, max_combinations: int = 120
    ) -> dict[str, Any]:
        """Baskets with exactly target_units units from products with sku, price, available, units:
        {combinations: [{items: [{sku, quantity}], units, subtotal}] cheapest first, total_found,
        cut}. cut=True: some were left out. No request to the shop."""
        return combinations_for(products, target_units, max_combinations)

    return [
        tool("read", Combo_List_All_Products),
        tool("read", Combo_Find_Products_For_Query),
        tool("read", Combo_Generate_Product_Combinations_For_Target_Units),
    ]


def find_products(session: StoreSession, query: str) -> dict[str, Any]:
    """Matches and near misses of a query in the shop's catalog.

    Raises:
        ToolFault: the query is empty, or the catalog cannot be read.
    """
    if not query.strip():
        raise ToolFault("query must not be empty")
    catalog = read_catalog(session)
    scored = [(score, i) for i, score in enumerate(rank(query, catalog))]
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    rows = [{**_with_units(catalog[i], query), "score": score} for score, i in scored if score > 0]
    return {
        "matches": [r for r in rows if r["score"] >= FULL][:FOUND_AT_MOST],
        "near": [r for r in rows if r["score"] < FULL][:NEAR_AT_MOST],
        "catalog_size": len(catalog),
    }


def _with_units(product: dict[str, Any], asked: str = "") -> dict[str, Any]:
    return {**product, "units": units_of(product["name"], product["sku"], asked)}
