"""A platform to talk to."""

import json
from collections.abc import Iterator

import pytest

from tests.core.erc3_client.company_pack import PACK
from workshop.simulator.server import serve
from workshop.simulator.worlds import read_pack

SCENARIO = {
    "spec_id": "pen",
    "task_text": "Buy 2 pens",
    "page_limit": 2,
    "products": [
        {"sku": "pen", "name": "Pen", "price": 3, "available": 4},
        {"sku": "ink", "name": "Ink", "price": 5, "available": 1},
        {"sku": "cap", "name": "Cap", "price": 1, "available": 1},
    ],
    "coupons": [{"code": "ONE", "discount": {"amount": 1}, "requires": {}}],
    "expect": {"checkouts": 1, "any_of": [{"items": [{"sku": "pen", "quantity": 2}]}]},
}


@pytest.fixture(scope="session")
def base_url() -> Iterator[str]:
    pack = {"format": "store-pack/1", "name": "test", "scenarios": [SCENARIO]}
    with serve(read_pack(json.dumps(pack))) as simulator:
        yield simulator.base_url


@pytest.fixture(scope="session")
def company_url() -> Iterator[str]:
    with serve(read_pack(json.dumps(PACK), "test")) as simulator:
        yield simulator.base_url
