"""The Req_* tools and the reading of pages, against the embedded platform."""

from types import SimpleNamespace
from typing import Any

import pytest

from core.ledger import Intent, ToolFault
from core.ledger.tool import plain
from core.tools.faults import Inconsistent, OutOfReach
from store_tools.basket import CHECKOUT, Basket, PricedLine, Product
from store_tools.store_session import StoreSession, read_catalog, read_page
from tests.kit.combo import data_of, items

SDK_EMPTY = (
    "Invalid response payload: 1 validation error for {model}\n{field}\n  Input should be a valid "
    "list [type=list_type, input_value=None, input_type=NoneType]\n    For further information "
    "visit https://errors.pydantic.dev/2.12/v/list_type"
)
GOODS = [{"sku": f"s{i}", "name": f"Thing {i}", "price": i + 1, "available": i} for i in range(7)]


def test_the_page_limit_is_read_from_the_error_once(open_shop: Any) -> None:
    shop = open_shop(*GOODS, page_limit=3)
    page = shop.call("Req_ListProducts", offset=0, limit=100)
    assert page["limit"] == 3
    assert page["next_offset"] == 3
    assert len(page["products"]) == 3
    assert shop.line.counted["/products/list"] == 2
    shop.call("Req_ListProducts", offset=3, limit=100)
    assert shop.line.counted["/products/list"] == 3


def test_a_shop_that_forbids_listing_says_so(open_shop: Any) -> None:
    shop = open_shop(page_limit=-1)
    with pytest.raises(ToolFault, match="forbids listing"):
        shop.call("Req_ListProducts")
    assert shop.line.counted["/products/list"] == 1
    listed = shop.call("Combo_List_All_Products")
    assert (data_of(listed), listed["fatal_error"]["status"]) == ([], 400)
    assert "page limit exceeded" in listed["fatal_error"]["text"]


class Pages:
    """A client that answers with what it was told, in order."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers = list(answers)

    def dispatch(self, request: Any) -> Any:
        return SimpleNamespace(**self.answers.pop(0))


def test_missing_fields_are_filled_in() -> None:
    row = SimpleNamespace(sku="a", name="", price=1, available=2)
    session = StoreSession(Pages({"products": [row], "next_offset": -1}))
    assert read_catalog(session) == [Product(sku="a", name="a", price=1, available=2)]
    line = SimpleNamespace(sku="a", quantity=4, price=1)
    session = StoreSession(Pages({"subtotal": 4, "items": [line]}))
    lines = (PricedLine(sku="a", quantity=4, price=1),)
    assert session.view() == Basket(items=lines, subtotal=4, coupon="", discount=0, total=4)


def test_a_page_that_leads_backwards_is_not_believed_and_owed() -> None:
    row = SimpleNamespace(sku="a", name="A", price=1, available=2)
    session = StoreSession(Pages({"products": [row], "next_offset": 3}))
    with pytest.raises(Inconsistent, match="from 5 to 3"):
        read_page(session, 5, 1)
    assert "/products/list" in session.unanswered


def test_the_sdks_complaint_about_an_empty_list_is_an_empty_list(open_shop: Any) -> None:
    shop = open_shop()
    shop.line.plan["/basket/view"] = [SDK_EMPTY.format(model="Resp_ViewBasket", field="items")]
    basket = shop.call("Req_ViewBasket")
    assert basket == {"items": [], "subtotal": 0, "coupon": "", "discount": 0, "total": 0}
    assert shop.line.counted["/basket/view"] == 1
    text = SDK_EMPTY.format(model="Resp_ProductListPage", field="products")
    shop.line.plan["/products/list"] = [text]
    assert shop.call("Req_ListProducts")["products"] == []


@pytest.mark.parametrize(
    "text",
    [
        "Invalid response payload: 1 validation error for Resp_ViewBasket\nsubtotal\n  Input "
        "should be a valid integer [type=int_type, input_value=None, input_type=NoneType]",
        "Invalid response payload: 2 validation errors for Resp_ViewBasket\nitems\n  Input should "
        "be a valid list [type=list_type, input_value=None]\nsubtotal\n  Field required",
    ],
)
def test_another_unreadable_basket_is_no_empty_basket(open_shop: Any, text: str) -> None:
    shop = open_shop()
    shop.line.plan["/basket/view"] = [text] * 5
    with pytest.raises(OutOfReach):
        shop.call("Req_ViewBasket")


def test_basket_calls_do_what_they_say(open_shop: Any) -> None:
    shop = open_shop()
    shop.call("Req_AddProductToBasket", sku="tea", quantity=3)
    assert shop.call("Req_RemoveItemFromBasket", sku="tea", quantity=1)["item_count"] == 2
    assert shop.held == {"tea": 2}
    with pytest.raises(ToolFault, match="insufficient inventory for product cup"):
        shop.call("Req_AddProductToBasket", sku="cup", quantity=4)


@pytest.mark.parametrize("tool", ["Req_AddProductToBasket", "Req_RemoveItemFromBasket"])
@pytest.mark.parametrize("quantity", [0, -1])
def test_quantities_below_1_are_refused_without_a_request(
    open_shop: Any, tool: str, quantity: int
) -> None:
    shop = open_shop()
    with pytest.raises(ToolFault, match="at least 1"):
        shop.call(tool, sku="tea", quantity=quantity)
    assert not shop.line.sent


def coupon(code: str, discount: dict[str, int] | None, **requires: int) -> dict[str, Any]:
    return {"code": code, "discount": discount, "requires": requires}


def test_coupons_show_what_the_basket_says(open_shop: Any) -> None:
    shop = open_shop(coupons=[coupon("TWO", {"amount": 2}, tea=2), coupon("DUD", None)])
    shop.call("Req_AddProductToBasket", sku="tea", quantity=2)
    assert shop.call("Req_ApplyCoupon", coupon="TWO")["total"] == 6
    assert shop.call("Req_ApplyCoupon", coupon="DUD")["discount"] == 0
    assert shop.call("Req_RemoveCoupon")["coupon"] == ""


def test_a_rejected_code_is_asked_for_once(open_shop: Any) -> None:
    shop = open_shop()
    for _ in range(3):
        with pytest.raises(ToolFault, match="invalid coupon code: NOPE"):
            shop.call("Req_ApplyCoupon", coupon="NOPE")
    assert shop.line.sent == ["/coupon/apply"], "and without a look at the basket"


def stocked(open_shop: Any, **more: Any) -> Any:
    shop = open_shop(coupons=[coupon("TWO", {"amount": 2}, tea=2), coupon("DUD", None)], **more)
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=2))
    shop.next_instruction()
    return shop


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("applied", "total", "expected", "words"),
    [
        ("", 7, {}, "total is 8, ordered is at most 7"),
        ("", 8, {"expected_coupon": "TWO"}, "coupon is '', ordered is 'TWO'"),
        ("TWO", 6, {"expected_coupon": ""}, "coupon is 'TWO', ordered is ''"),
        ("TWO", 8, {"expected_coupon": "TWO"}, "total is 6, expected 8"),
        ("", 8, {"expected_items": []}, "not checked out"),
        ("", 8, {"expected_items": items(tea=1)}, "not checked out"),
        ("", 8, {"expected_items": items(tea=2, cup=1)}, "not checked out"),
        ("", 8, {"expected_items": items(cup=2)}, "not checked out"),
    ],
)
def test_checkout_is_refused_where_the_basket_differs(
    open_shop: Any, applied: str, total: int, expected: dict[str, Any], words: str
) -> None:
    shop = stocked(open_shop)
    if applied:
        shop.call("Req_ApplyCoupon", coupon=applied)
    with pytest.raises(ToolFault, match=words):
        shop.call("Req_CheckoutBasket", expected_total=total, **expected)
    assert (shop.line.counted[CHECKOUT], shop.bought) == (0, [])


def test_items_of_one_product_are_added_up_and_an_empty_basket_is_not_bought(
    open_shop: Any,
) -> None:
    shop = stocked(open_shop)
    once = items(tea=1) * 2
    assert shop.call("Req_CheckoutBasket", expected_total=8, expected_items=once)["total"] == 8
    empty = open_shop()
    with pytest.raises(ToolFault, match="not checked out"):
        empty.call("Req_CheckoutBasket", expected_total=0)
    assert empty.line.counted[CHECKOUT] == 0


@pytest.mark.promise("no second checkout")
def test_one_instruction_buys_once(open_shop: Any) -> None:
    shop = stocked(open_shop)
    shop.call("Req_CheckoutBasket", expected_total=8)
    shop.call("Req_AddProductToBasket", sku="tea", quantity=1)
    with pytest.raises(ToolFault):
        shop.call("Req_CheckoutBasket", expected_total=4)
    shop.next_instruction()
    with pytest.raises(ToolFault, match="already been made"):
        shop.call("Req_CheckoutBasket", expected_total=4)
    assert shop.bought == [{"tea": 2}]
    assert shop.line.counted["/basket/checkout"] == 1


def test_a_refused_checkout_tells_the_stock_and_may_be_tried_again(open_shop: Any) -> None:
    shop = open_shop()
    shop.call("Combo_Set_Basket_For_Items", items=items(pot=2))
    with pytest.raises(ToolFault, match="available 1, in basket 2"):
        shop.call("Req_CheckoutBasket", expected_total=60)
    shop.call("Combo_Set_Basket_For_Items", items=items(pot=1))
    shop.call("Req_CheckoutBasket", expected_total=30)
    assert shop.bought == [{"pot": 1}]


UNREADABLE = "Invalid response payload: 1 validation error for Resp_CheckoutBasket\nitems\n  x"


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("lost", "times"),
    [
        ("after", 1),
        (UNREADABLE, 1),
        *((lost, times) for lost in ("before", 500, 503, 429) for times in (1, 2)),
    ],
)
def test_a_checkout_is_sent_again_only_where_it_never_arrived(
    open_shop: Any, lost: str | int, times: int
) -> None:
    shop = stocked(open_shop)
    entries = watched(shop)
    shop.line.plan[CHECKOUT] = [lost] * times
    receipt = shop.call("Req_CheckoutBasket", expected_total=8)
    assert receipt["items"] == [{"sku": "tea", "quantity": 2, "price": 4}]
    assert plain(shop.session.facts.receipts) == [receipt]
    assert shop.bought == [{"tea": 2}]
    assert shop.ledger.calls[-1].outcome == "done"
    lost_ones = 0 if lost in ("after", UNREADABLE) else times
    assert shop.line.counted[CHECKOUT] == lost_ones + 1
    sent = [w.outcome for w in shop.ledger.calls[-1].requests if w.path == CHECKOUT]
    assert sent == [*["lost"] * lost_ones, "done"]
    # Every attempt is intended first, and none follows one of which nothing is known.
    settled = [] if lost == 429 else [("Resolved", False)]
    lost_one = [("Intent", None), ("WireCall", "lost" if lost == 429 else "unknown"), *settled]
    assert entries[: len(lost_one) * lost_ones] == lost_one * lost_ones
    assert entries[-2][0] == "Intent" or not lost_ones


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize("lost", ["before", 500, 429])
def test_a_checkout_is_sent_while_patience_lasts(open_shop: Any, lost: str | int) -> None:
    shop = stocked(open_shop)
    shop.line.plan["/basket/checkout"] = [lost] * 5
    with pytest.raises(OutOfReach) as caught:
        shop.call("Req_CheckoutBasket", expected_total=8)
    assert caught.value.fatal
    assert shop.line.counted["/basket/checkout"] == 5
    assert (shop.session.facts.receipts, shop.bought) == ([], [])
    assert shop.session.facts.open_at(CHECKOUT) is None
    shop.next_instruction()
    shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.bought == [{"tea": 2}]


def watched(shop: Any) -> list[tuple[str, object]]:
    """What a witness of the checkouts is told from now on: the kind of deed and its outcome."""
    told: list[tuple[str, object]] = []

    def tell(deed: Any) -> None:
        outcome = getattr(deed, "outcome", getattr(deed, "took_effect", None))
        told.append((type(deed).__name__, outcome))

    shop.ledger._on_entry = tell
    return told


@pytest.mark.promise("no second checkout")
def test_an_intent_that_cannot_be_noted_is_not_sent_again(open_shop: Any) -> None:
    shop = stocked(open_shop)
    intents: list[Intent] = []

    def note(deed: Any) -> None:
        if isinstance(deed, Intent):
            intents.append(deed)
            if len(intents) == 2:
                raise OSError("disk full")

    shop.ledger._on_entry = note
    shop.line.plan["/basket/checkout"] = ["before"]
    with pytest.raises(OSError, match="disk full"):
        shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.line.counted["/basket/checkout"] == 1
    assert shop.bought == []


@pytest.mark.promise("no second checkout")
def test_a_checkout_that_arrived_twice_and_is_answered_with_a_refusal_was_made(
    open_shop: Any,
) -> None:
    shop = stocked(open_shop)
    dispatch = shop.line.dispatch

    def second_answer(request: Any) -> Any:
        if request.tool == CHECKOUT:
            dispatch(request)
        return dispatch(request)

    shop.line.dispatch = second_answer
    receipt = shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.bought == [{"tea": 2}]
    assert plain(shop.session.facts.receipts) == [receipt]
    assert receipt["total"] == 8


@pytest.mark.promise("no second checkout")
def test_a_basket_that_is_neither_full_nor_empty_settles_nothing(open_shop: Any) -> None:
    shop = stocked(open_shop)
    shop.line.plan["/basket/checkout"] = ["before"]
    dispatch = shop.line.dispatch

    def other_hand(request: Any) -> Any:
        if request.tool == "/basket/view" and shop.line.counted[CHECKOUT]:
            shop.task.world.add("cup", 1)
        return dispatch(request)

    shop.line.dispatch = other_hand
    with pytest.raises(OutOfReach, match="cannot be told"):
        shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.session.facts.open_at(CHECKOUT)
    shop.next_instruction()
    for name, arguments in (
        ("Req_AddProductToBasket", {"sku": "tea", "quantity": 1}),
        ("Req_CheckoutBasket", {"expected_total": 22}),
    ):
        with pytest.raises(ToolFault):
            shop.call(name, **arguments)
    assert shop.line.counted["/basket/checkout"] == 1
    assert shop.bought == []


@pytest.mark.promise("no wrong checkout")
def test_a_purchase_rests_on_a_look_of_its_own_instruction(open_shop: Any) -> None:
    shop = stocked(open_shop)
    looks = shop.line.counted["/basket/view"]
    shop.task.world.add("tea", 1)
    ordered = items(tea=2)
    with pytest.raises(ToolFault, match=r"the basket holds \{'tea': 3\}"):
        shop.call("Req_CheckoutBasket", expected_total=8, expected_items=ordered)
    assert shop.line.counted["/basket/view"] == looks + 1
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=2))
    looks = shop.line.counted["/basket/view"]
    shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.line.counted["/basket/view"] == looks
    assert shop.bought == [{"tea": 2}]


def test_a_basket_that_was_seen_is_not_looked_at_again_to_be_set(open_shop: Any) -> None:
    shop = stocked(open_shop)
    shop.task.world.add("tea", 1)
    assert shop.call("Req_ViewBasket")["total"] == 12
    looks = shop.line.counted["/basket/view"]
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=3))
    assert shop.line.counted["/basket/view"] == looks


@pytest.mark.promise("no second checkout")
def test_a_checkout_that_cannot_be_settled_at_once_is_settled_by_the_next_look(
    open_shop: Any,
) -> None:
    shop = stocked(open_shop)
    shop.line.plan["/basket/checkout"] = ["after"]
    shop.line.plan["/basket/view"] = [None, *["before"] * 5]
    with pytest.raises(OutOfReach):
        shop.call("Req_CheckoutBasket", expected_total=8)
    assert shop.session.facts.receipts == []
    assert shop.ledger.calls[-1].outcome == "unknown"
    with pytest.raises(ToolFault):
        shop.call("Req_AddProductToBasket", sku="tea", quantity=0)
    shop.next_instruction()
    assert shop.call("Req_ViewBasket")["items"] == []
    assert [c.total for c in shop.session.facts.receipts] == [8]
    shop.call("Req_AddProductToBasket", sku="tea", quantity=1)
    with pytest.raises(ToolFault, match="already been made"):
        shop.call("Req_CheckoutBasket", expected_total=4)
    assert shop.bought == [{"tea": 2}]


def test_a_write_settles_a_checkout_before_it_is_sent(open_shop: Any) -> None:
    shop = stocked(open_shop)
    shop.line.plan["/basket/checkout"] = ["before"]
    shop.line.plan["/basket/view"] = [None, *["before"] * 5]
    with pytest.raises(OutOfReach):
        shop.call("Req_CheckoutBasket", expected_total=8)
    shop.call("Req_RemoveItemFromBasket", sku="tea", quantity=2)
    assert shop.call("Req_ViewBasket")["items"] == []
    assert (shop.session.facts.receipts, shop.session.facts.open_at(CHECKOUT)) == ([], None)


WRITES = pytest.mark.parametrize(
    ("tool", "path", "arguments"),
    [
        ("Req_AddProductToBasket", "/basket/add", {"sku": "tea", "quantity": 1}),
        ("Req_RemoveItemFromBasket", "/basket/remove", {"sku": "tea", "quantity": 1}),
        ("Req_ApplyCoupon", "/coupon/apply", {"coupon": "TWO"}),
        ("Req_RemoveCoupon", "/coupon/remove", {}),
    ],
)


@pytest.mark.promise("no wrong write")
@WRITES
@pytest.mark.parametrize("lost", ["before", "after", 502, 429, "<html>"])
def test_writes_take_effect_once_on_a_bad_line(
    open_shop: Any, lost: str | int, tool: str, path: str, arguments: dict[str, object]
) -> None:
    good, bad = stocked(open_shop), stocked(open_shop)
    for shop in (good, bad):
        shop.call("Req_ApplyCoupon", coupon="DUD")
    before = bad.line.counted[path]
    bad.line.plan[path] = [lost]
    assert bad.call(tool, **arguments) == good.call(tool, **arguments)
    assert (bad.held, bad.coupon) == (good.held, good.coupon)
    assert bad.ledger.calls[-1].outcome == "done"
    arrived = lost in ("after", "<html>")
    assert bad.line.counted[path] == before + (1 if arrived else 2)
    wires = [w.outcome for w in bad.ledger.calls[-1].requests if w.path == path]
    assert wires == (["done"] if arrived else ["lost", "done"])


@pytest.mark.promise("no wrong write")
@WRITES
@pytest.mark.parametrize("lost", ["before", 502, 429])
def test_a_write_that_never_arrives_is_given_up_and_said_not_to_have_taken_effect(
    open_shop: Any, lost: str | int, tool: str, path: str, arguments: dict[str, object]
) -> None:
    shop = stocked(open_shop)
    shop.call("Req_ApplyCoupon", coupon="DUD")
    held, before = (shop.held, shop.coupon), shop.line.counted[path]
    shop.line.plan[path] = [lost] * 10
    with pytest.raises(OutOfReach) as caught:
        shop.call(tool, **arguments)
    assert caught.value.fatal
    assert (shop.held, shop.coupon) == held
    assert shop.line.counted[path] == before + 5
    shop.line.plan.clear()
    shop.call("Req_RemoveCoupon")
    assert shop.call("Req_CheckoutBasket", expected_total=8)["total"] == 8


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("tool", ["Req_AddProductToBasket", "Req_RemoveItemFromBasket"])
def test_a_write_of_which_nothing_is_known_is_not_sent_again_and_the_basket_tells(
    open_shop: Any, tool: str
) -> None:
    shop = stocked(open_shop)
    path = {"Req_AddProductToBasket": "/basket/add"}.get(tool, "/basket/remove")
    before = shop.line.counted[path]
    shop.line.plan[path] = ["before"]
    shop.line.plan["/basket/view"] = ["before"] * 5
    with pytest.raises(OutOfReach):
        shop.call(tool, sku="tea", quantity=1)
    assert shop.line.counted[path] == before + 1
    assert shop.ledger.calls[-1].outcome == "unknown"
    more = items(tea=3)
    with pytest.raises(ToolFault, match=r"the basket holds \{'tea': 2\}, ordered are"):
        shop.call("Req_CheckoutBasket", expected_total=12, expected_items=more)
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=2))
    assert shop.call("Req_CheckoutBasket", expected_total=8)["total"] == 8


@pytest.mark.promise("no wrong checkout")
def test_an_addition_that_arrived_twice_bars_the_checkout_until_the_basket_is_set_again(
    open_shop: Any,
) -> None:
    shop = open_shop()
    shop.line.plan["/basket/add"] = ["twice"]
    assert shop.call("Req_ViewBasket")["items"] == []
    assert shop.call("Req_AddProductToBasket", sku="tea", quantity=1)["item_count"] == 1
    # The total is as expected, the content is not.
    once = items(tea=1)
    with pytest.raises(ToolFault, match=r"the basket holds \{'tea': 2\}"):
        shop.call("Req_CheckoutBasket", expected_total=8, expected_items=once)
    assert shop.line.counted["/basket/checkout"] == 0
    shop.call("Combo_Set_Basket_For_Items", items=items(tea=1))
    shop.call("Req_CheckoutBasket", expected_total=4)
    assert shop.bought == [{"tea": 1}]
