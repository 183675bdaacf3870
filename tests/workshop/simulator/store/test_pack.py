"""The pack format's loader: what it takes and how it says what is wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workshop.simulator.pack_files import PackError
from workshop.simulator.worlds import DEFAULT, load_pack, read_pack

Scenario = dict[str, Any]


def text_of(*scenarios: object, **changes: object) -> str:
    whole = {"format": "store-pack/1", "name": "test", "scenarios": list(scenarios)}
    return json.dumps(whole | changes)


def test_bundled_pack_loads() -> None:
    assert len(load_pack(DEFAULT.bundled).scenarios) == 32


def test_file_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"absent\.json: cannot be read: No such file"):
        load_pack(tmp_path / "absent.json")
    (tmp_path / "latin.json").write_bytes(b'{"name": "\xe9"}')
    with pytest.raises(PackError, match=r"latin\.json: is not UTF-8 text \(byte 10\)"):
        load_pack(tmp_path / "latin.json")
    (tmp_path / "cut.json").write_text('{"format": ')
    with pytest.raises(PackError, match=r"cut\.json: is not JSON: .*line 1 column"):
        load_pack(tmp_path / "cut.json")


@pytest.mark.parametrize("text", ['"text"', "[]", "{}", text_of(format="store-pack/2")])
def test_other_formats_are_refused(text: str) -> None:
    with pytest.raises(PackError, match="format must be 'store-pack/1' or 'company-pack/1'"):
        read_pack(text)


PRODUCT = {"sku": "a", "name": "A", "price": 1, "available": 1}
COUPON = {"code": "X", "discount": {"amount": 1}, "requires": {}}
DROP = {"on": "/basket/add", "nth": 1, "kind": "drop"}
ITEM = {"sku": "cup", "quantity": 1}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"page_limit": 0}, "page_limit: must be at least 1, or -1"),
        ({"page_limit": "3"}, "page_limit: must be a valid integer, not '3'"),
        (
            {"products": [PRODUCT | {"price": 1.5}]},
            "products[0].price: must be a valid integer, not 1.5",
        ),
        (
            {"products": [PRODUCT | {"available": -1}]},
            "products[0].available: must be greater than or equal to 0, not -1",
        ),
        (
            {"products": [PRODUCT | {"stock_at_chekout": 1}]},
            "products[0].stock_at_chekout: there is no such field",
        ),
        ({"products": [PRODUCT, PRODUCT]}, "products: sku 'a' appears twice"),
        ({"coupons": [COUPON, COUPON]}, "coupons: code 'X' appears twice"),
        ({"coupons": [{"code": "X", "requires": {}}]}, "coupons[0].discount: is missing"),
        (
            {"coupons": [COUPON | {"discount": {"amount": 1, "percent": 2}}]},
            "coupons[0].discount: give either amount or percent",
        ),
        (
            {"coupons": [COUPON | {"discount": {"percent": 101}}]},
            "coupons[0].discount.percent: must be less than or equal to 100, not 101",
        ),
        ({"expect": {"checkouts": 2}}, "expect.checkouts: must be less than or equal to 1"),
        ({"expect": {"checkouts": 1}}, "expect: any_of must hold at least one event"),
        (
            {"expect": {"checkouts": 0, "any_of": [{"items": [ITEM]}]}},
            "expect: any_of must be left out when checkouts is 0",
        ),
        (
            {"expect": {"checkouts": 1, "any_of": [{"items": [ITEM | {"sku": "mug"}]}]}},
            "expect.any_of[0].items: unknown sku 'mug'",
        ),
        (
            {"expect": {"checkouts": 1, "any_of": [{"items": [ITEM], "coupon": "NO"}]}},
            "expect.any_of[0].coupon: unknown code 'NO'",
        ),
        ({"faults": [DROP | {"kind": "flood"}]}, "faults[0].kind: must be 'status', 'drop', 'd"),
        (
            {"faults": [DROP | {"on": "/basket/burn"}]},
            "faults[0].on: unknown path '/basket/burn'; faults apply to /products/list",
        ),
        ({"faults": [DROP | {"on": "/sessions/start"}]}, "faults[0].on: unknown path"),
        ({"faults": [DROP | {"nth": 0}]}, "faults[0].nth: must be greater than or equal to 1"),
        ({"faults": [DROP | {"times": 0}]}, "faults[0].times: must be greater than or equal to 1"),
        ({"faults": [DROP | {"kind": "status"}]}, "faults[0]: status is missing; kind 'status'"),
        (
            {"faults": [DROP | {"kind": "status", "status": 302}]},
            "faults[0].status: must be greater than or equal to 400, not 302",
        ),
        ({"faults": [DROP | {"status": 500}]}, "faults[0]: status is for kind 'status' only"),
        ({"faults": [DROP | {"kind": "delay"}]}, "faults[0]: seconds is missing; kind 'delay'"),
        (
            {"faults": [DROP | {"kind": "delay", "seconds": 61}]},
            "faults[0].seconds: must be less than or equal to 60, not 61",
        ),
        ({"faults": [DROP | {"seconds": 1}]}, "faults[0]: seconds is for kind 'delay' only"),
        (
            {"faults": [DROP | {"kind": "twice", "after": True}]},
            "faults[0]: after is for kind 'drop' only, not for 'twice'",
        ),
        ({"faults": [DROP | {"tims": 2}]}, "faults[0].tims: there is no such field"),
        (
            {"faults": [DROP | {"times": 3}, DROP | {"nth": 3}]},
            "faults[1]: call 3 of /basket/add already has faults[0]; a call can have one",
        ),
    ],
)
def test_mistakes_name_scenario_field_and_remedy(
    scenario_json: Callable[..., Scenario], changes: Scenario, expected: str
) -> None:
    if "products" in changes:
        changes = {"coupons": [], "expect": {"checkouts": 0}} | changes
    elif "coupons" in changes:
        changes = {"expect": {"checkouts": 0}} | changes
    with pytest.raises(PackError) as caught:
        read_pack(text_of(scenario_json(**changes)), "shop.json")
    assert str(caught.value).startswith(f"shop.json: scenario 'tea': {expected}")


def test_notes_of_other_tools_may_stand_in_a_pack(scenario_json: Callable[..., Scenario]) -> None:
    noted = scenario_json() | {"mechanic": "plain", "why": "a note"}
    assert read_pack(text_of(noted)).scenarios[0].spec_id == "tea"


def test_a_coupon_may_require_what_the_shop_does_not_sell(
    scenario_json: Callable[..., Scenario],
) -> None:
    coupon = COUPON | {"requires": {"mug": 1}}
    scenario = scenario_json() | {"coupons": [coupon], "expect": {"checkouts": 0}}
    assert read_pack(text_of(scenario)).scenarios[0].coupons[0].requires == {"mug": 1}


def test_faults_are_read(scenario_json: Callable[..., Scenario]) -> None:
    late = {"on": "/basket/view", "nth": 2, "kind": "delay", "seconds": 1, "times": 2}
    faults = read_pack(text_of(scenario_json(faults=[DROP, late]))).scenarios[0].faults
    assert [fault.label for fault in faults] == [
        "fault: drop before /basket/add",
        "fault: delay of 1.0 s after /basket/view",
    ]


def test_mistakes_outside_of_a_scenario(scenario_json: Callable[..., Scenario]) -> None:
    with pytest.raises(PackError, match="pack: scenarios: spec_id 'tea' appears twice"):
        read_pack(text_of(scenario_json(), scenario_json()))
    with pytest.raises(PackError, match="pack: scenario number 0: spec_id: is missing"):
        read_pack(text_of({}))
    with pytest.raises(PackError, match="pack: scenario number 0: must be"):
        read_pack(text_of("tea"))
    with pytest.raises(PackError, match=r"^pack: scenarios: must have at least one element$"):
        read_pack(text_of())


def test_many_mistakes_are_cut(scenario_json: Callable[..., Scenario]) -> None:
    with pytest.raises(PackError) as caught:
        read_pack(text_of(scenario_json(products=[{}] * 10)))
    lines = str(caught.value).splitlines()
    assert len(lines) == 9
    assert lines[-1] == "and 32 more; the command check shows all"
    assert len(caught.value.mistakes) == 40


def test_every_mistake_is_named_at_once(scenario_json: Callable[..., Scenario]) -> None:
    events = [{"items": [ITEM | {"sku": "cub"}], "coupon": "TEM"}]
    shops = [
        scenario_json(spec_id="a", note="Buy"),
        scenario_json(spec_id="b", expect={"checkouts": 1, "any_of": events}),
        scenario_json(spec_id="c", page_limit=0, faults=[DROP, DROP | {"kind": "dropp"}]),
    ]
    del shops[0]["task_text"]
    with pytest.raises(PackError) as caught:
        read_pack(text_of(*shops, notes="x"))
    assert sorted(caught.value.mistakes) == [
        "pack: scenario 'a': task_text: is missing",
        "pack: scenario 'b': expect.any_of[0].coupon: unknown code 'TEM'; this shop has: TEATIME, "
        "TEN, HUGE, NEVER",
        "pack: scenario 'b': expect.any_of[0].items: unknown sku 'cub'; this shop has: tea-green, "
        "cup, pot",
        "pack: scenario 'c': faults[1].kind: must be 'status', 'drop', 'delay', 'garbage', "
        "'twice' or 'limit', not 'dropp'",
        "pack: scenario 'c': page_limit: must be at least 1, or -1 to refuse every listing",
    ]
