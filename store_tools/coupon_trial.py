"""One coupon search on a shop: where the basket stands, and what was seen of which basket."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypedDict

from core.erc3_client import store
from core.ledger import ToolFault
from core.tools.faults import GivenUp, Inconsistent, OutOfReach, failed_request
from store_tools.basket import (
    AddedRow,
    Basket,
    Content,
    Line,
    Row,
    Totals,
    content_in,
    flaw_of,
    totals_of,
)
from store_tools.basket_moves import (
    ROUNDS,
    WHOLE_BASKET,
    move,
    seen_after_refusal,
    switch_coupon,
    walk_order,
)
from store_tools.requests import apply_coupon, known_dead
from store_tools.store_session import StoreSession

Key = tuple[int, bool, int]
"""What makes a row better, least first: total, whether it needs a code, lines."""
UNKNOWN = "\0unknown"
"""No code has this name, so it is never taken for the one that is wanted."""


class Refusal(TypedDict, total=False):
    """Why the shop did not take a basket, or a code gave nothing."""

    items: list[Line]
    coupon: str
    error: str


class Search(TypedDict):
    """What a coupon search has found, the cheapest row first."""

    results: list[Row]
    errors: list[Refusal]
    untried: int
    with_addition: list[AddedRow] | None


def key_of(row: Row) -> Key:
    """What makes a row better, least first."""
    return row["total"], row["coupon"] != "", len(row["items"])


class Trial:
    """One coupon search: where the basket stands and what was found."""

    def __init__(self, session: StoreSession, before: Basket) -> None:
        self.session = session
        self.content = content_in(before)
        self.coupon: str = before["coupon"]
        self.moved = False
        self.results: list[Row] = []
        self.errors: list[Refusal] = []
        self._refused: dict[str, str] = {}
        self.idle: dict[str, None] = {}
        """Codes that were accepted on some basket without a discount, in order."""
        self.gives: dict[str, None] = {}
        self.with_addition: list[AddedRow] | None = None
        self.additions = 0

    def keep(self, content: Content, views: Sequence[Totals]) -> list[Key]:
        """Put what was seen of a basket among the results; what makes each row better."""
        rows = rows_of(content, views)
        self.results += rows
        return [key_of(row) for row in rows]

    def visit_all(self, contents: list[Content], codes: list[str]) -> None:
        """Try every code on every basket, each next to the one before. Raises as ``look``."""
        for index in walk_order(self.content, contents):
            if (views := self.look(contents[index], codes)) is not None:
                self.keep(contents[index], views)

    def look(self, content: Content, codes: list[str]) -> list[Basket] | None:
        """The basket as the shop shows it with each code that it takes, at least once.

        None: the shop refuses to fill it, which is noted. Where the shop comes to show another
        basket, or what became of a request is not known, it is made again: only a basket that was
        seen as it was meant counts.

        Raises OutOfReach: the shop does not answer, or shows another basket every time.
        """
        self.moved = True
        for _ in range(ROUNDS):
            try:
                views = self._seen_at(content, codes)
            except GivenUp:
                raise
            except OutOfReach as fault:
                # Should the shop be gone, this look says so.
                self.content, lost = content_in(self._look()), fault
                continue
            except ToolFault as fault:
                if fault.fatal:
                    raise
                seen_now, unexpected = seen_after_refusal(self.session)
                self.content, self.coupon = content_in(seen_now), seen_now["coupon"]
                if unexpected:
                    lost = OutOfReach(f"{fault.text}; the basket was another than the calls made")
                    continue
                self.errors.append({"items": _rows(content), "error": fault.text})
                return None
            self.content = dict(content)
            return views
        raise lost

    def _seen_at(self, content: Content, codes: list[str]) -> list[Basket]:
        """The basket with each code that the shop takes; with none of them, as it stands.

        Raises:
            ToolFault: the shop refused to fill the basket.
        """
        move(self.session, self.content, content)
        views = []
        for code in sorted(codes, key=lambda c: c != self.coupon):
            if self._apply(code):
                basket = self._look_at(content)
                views.append(basket)
                if basket["coupon"]:
                    gives = self.gives if basket["discount"] else self.idle
                    gives[basket["coupon"]] = None
        # A coupon that was there before the search is none of its own.
        return views or [{**self._look_at(content), "coupon": "", "discount": 0}]

    def refused(self, code: str) -> bool:
        """Whether the shop does not take a code."""
        return code in self._refused

    def forget(self, content: Content) -> None:
        """Baskets that are tried for what they tell of others are no errors of the search."""
        self.errors = [e for e in self.errors if e.get("items") != _rows(content)]

    def _apply(self, code: str) -> bool:
        if code == self.coupon:
            return True
        try:
            known_dead(self.session, code)
        except ToolFault as fault:
            self._refused[code] = fault.text
            return False
        # Whether an earlier coupon survives a refusal is not known: the next look tells.
        self.coupon = UNKNOWN
        try:
            apply_coupon(self.session, code)
        except ToolFault as fault:
            if fault.fatal:
                raise
            self._refused[code] = fault.text
            return False
        self.coupon = code
        return True

    def _look(self) -> Basket:
        basket = self.session.view()
        self.coupon = basket["coupon"]
        return basket

    def _look_at(self, content: Content) -> Basket:
        basket = self._look()
        if content_in(basket) != content:
            raise _unbelieved(OutOfReach("the basket does not come to hold what was put in"))
        if flaw := flaw_of(basket):
            text = f"the basket does not add up, read twice: {flaw}"
            self.session.unanswered[WHOLE_BASKET] = text
            raise _unbelieved(Inconsistent(text))
        return basket

    def go_home(self, before: Basket) -> None:
        """Put the basket back as it was before the search."""
        move(self.session, self.content, content_in(before))
        switch_coupon(self.session, self.coupon, before["coupon"])

    @property
    def counted(self) -> int:
        """How many baskets have a row or an error of their own."""
        baskets = [r["items"] for r in self.results] + [e["items"] for e in self.errors]
        return len({json.dumps(items) for items in baskets})

    def result(self, untried: int) -> Search:
        """What was found, as the tool's result."""
        return {
            "results": sorted(self.results, key=key_of),
            "errors": self.all_errors(),
            "untried": untried,
            "with_addition": self.with_addition,
        }

    def all_errors(self) -> list[Refusal]:
        """Refused baskets, refused codes, and codes that gave nothing where it matters."""
        useful = {r["coupon"] for r in self.results}
        refused: list[Refusal] = [
            {"coupon": code, "error": text} for code, text in self._refused.items()
        ]
        idle: list[Refusal] = [
            {"coupon": code, "error": f"{code}: accepted, no discount on any basket {which}{more}"}
            for code in {**self.idle, **self.gives}
            if code not in useful
            for which in ["that could be cheapest" if code in self.gives else "tried"]
            for more in [self._with_one_more(code)]
        ]
        return [*self.errors, *refused, *idle]

    def _with_one_more(self, code: str) -> str:
        """What is known of a code that gave nothing, with one more product."""
        if code in self.gives:
            return ""
        if self.with_addition is None:
            return "; additions not tried"
        if any(row["coupon"] == code for row in self.with_addition):
            return "; with an addition it works"
        return f", nor with one of the {self.additions} cheapest others"


def _unbelieved(fault: ToolFault) -> ToolFault:
    """The fault of a look at the basket that was answered and cannot be used."""
    fault.request = failed_request(store.Req_ViewBasket(), fault.text, status=200)
    return fault


def rows_of(content: Content, views: Sequence[Totals]) -> list[Row]:
    """What a basket costs: with each code that gives a discount there, and without any."""
    rows = [_row(content, basket) for basket in views if basket["coupon"] and basket["discount"]]
    subtotal = views[-1]["subtotal"]
    bare: Totals = {"coupon": "", "subtotal": subtotal, "discount": 0, "total": subtotal}
    return [*rows, _row(content, bare)]


def _row(content: Content, totals: Totals) -> Row:
    return {"items": _rows(content), **totals_of(totals)}


def _rows(content: Content) -> list[Line]:
    return [{"sku": sku, "quantity": quantity} for sku, quantity in content.items()]
