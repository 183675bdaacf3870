"""The store routes as `/benchmarks/view` describes them."""

_BASKET = {
    "items": [{"sku": "tea-green", "quantity": 2, "price": 4}],
    "subtotal": 8,
    "coupon": "",
    "discount": 0,
    "total": 8,
}
_SIZE = {"line_count": 1, "item_count": 2}

STORE_ROUTES = [
    {
        "path": "/products/list",
        "description": "One page of the catalog; next_offset is -1 when nothing is left.",
        "sample_request": {"offset": 0, "limit": 3},
        "sample_response": {
            "products": [{"sku": "tea-green", "name": "Green Tea", "available": 9, "price": 4}],
            "next_offset": -1,
        },
    },
    {
        "path": "/basket/view",
        "description": "The basket with its prices.",
        "sample_request": {},
        "sample_response": {key: _BASKET[key] for key in ("items", "subtotal", "total")},
    },
    {
        "path": "/basket/add",
        "description": "Put pieces of a product into the basket.",
        "sample_request": {"sku": "tea-green", "quantity": 2},
        "sample_response": _SIZE,
    },
    {
        "path": "/basket/remove",
        "description": "Take pieces of a product out of the basket.",
        "sample_request": {"sku": "tea-green", "quantity": 1},
        "sample_response": {"line_count": 1, "item_count": 1},
    },
    {
        "path": "/basket/checkout",
        "description": "Buy what is in the basket.",
        "sample_request": {},
        "sample_response": _BASKET,
    },
    {
        "path": "/coupon/apply",
        "description": "Set the basket's coupon in place of an earlier one.",
        "sample_request": {"coupon": "TEATIME"},
        "sample_response": {},
    },
    {
        "path": "/coupon/remove",
        "description": "Take the coupon off the basket.",
        "sample_request": {},
        "sample_response": {},
    },
]
