"""One coupon search on a shop: where the basket stands, and what was seen of which basket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from core.erc3_client import store
from core.ledger import ToolFault
from core.tools.faults import GivenUp, Inconsistent, OutOfReach, failed_request
from store_tools.basket import (
    AddedRow,
    Basket,
    Content,
    Line,
    Row,
    flaw_of,
    lines_of,
)
from store_tools.basket_moves import (
    ROUNDS,
    WHOLE_BASKET,
    move,
    walk_order,
)
from store_tools.requests import apply_coupon, known_dead
from store_tools.store_session import StoreSession

Key = tuple[int, bool, int]
"""What makes a row better, least first: total, whether it needs a code, lines."""


class Refusal(BaseModel):
    """Why the shop did not take a basket, or a code gave nothing."""

    items: tuple[Line, ...] | None = None
    coupon: str | None = None
    error: str


@dataclass
class Search:
    """What a coupon search has found, the cheapest row first."""

    results: list[Row] = field(default_factory=list)
    errors: list[Refusal] = field(default_factory=list)
    untried: int = 0
    with_addition: list[AddedRow] | None = None


def key_of(row: Row) -> Key:
    """What makes a row better, least first."""
    return row.total, row.coupon != "", len(row.items)


class Trial:
    """One coupon search: where the basket stands and what was found."""

    def __init__(self, session: StoreSession, before: Basket) -> None:
        self.session = session
        self.content = before.content
        self.coupon: str | None = before.coupon
        """None: not known."""
        self.moved = False
        self.results: list[Row] = []
        self.errors: list[Refusal] = []
        self.refused: dict[str, str] = {}
        """Codes that the shop does not take, with its words."""
        self.idle: dict[str, None] = {}
        """Codes that were accepted on some basket without a discount, in order."""
        self.gives: dict[str, None] = {}
        self.with_addition: list[AddedRow] | None = None
        self.additions = 0

    def keep(self, content: Content, views: Sequence[Basket]) -> list[Key]:
        """Put what a basket costs with each code that gives a discount, and without, among the
        results; what makes each row better.
        """
        bare = Basket(subtotal=views[-1].subtotal, total=views[-1].subtotal)
        useful = [view for view in views if view.coupon and view.discount]
        rows = [_row(content, view) for view in (*useful, bare)]
        self.results += rows
        return [key_of(row) for row in rows]

    def visit_all(self, contents: list[Content], codes: list[str]) -> None:
        """Try every code on every basket, each next to the one before. Raises as ``look``."""
        for index in walk_order(self.content, contents):
            if (views := self.look(contents[index], codes)) is not None:
                self.keep(contents[index], views)

    def look(
        self, content: Content, codes: list[str], *, asked_for: bool = True
    ) -> list[Basket] | None:
        """The basket as the shop shows it with each code that it takes, at least once.

        None: the shop refuses to fill it, which is an error where it was ``asked_for``. Where the
        shop comes to show another basket, or what became of a request is not known, it is made
        again: only a basket that was seen as it was meant counts.

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
                self.content, lost = self._look().content, fault
                continue
            except ToolFault as fault:
                if fault.fatal:
                    raise
                now = self.session.known()
                self.content, self.coupon = now.content, now.coupon
                if asked_for:
                    self.errors.append(Refusal(items=lines_of(content), error=fault.text))
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
                if basket.coupon:
                    gives = self.gives if basket.discount else self.idle
                    gives[basket.coupon] = None
        # A coupon that was there before the search is none of its own.
        return views or [self._look_at(content).model_copy(update={"coupon": "", "discount": 0})]

    def _apply(self, code: str) -> bool:
        if code == self.coupon:
            return True
        try:
            known_dead(self.session, code)
        except ToolFault as fault:
            self.refused[code] = fault.text
            return False
        # Whether an earlier coupon survives a refusal is not known: the next look tells.
        self.coupon = None
        try:
            apply_coupon(self.session, code)
        except ToolFault as fault:
            if fault.fatal:
                raise
            self.refused[code] = fault.text
            return False
        self.coupon = code
        return True

    def _look(self) -> Basket:
        basket = self.session.view()
        self.coupon = basket.coupon
        return basket

    def _look_at(self, content: Content) -> Basket:
        basket = self._look()
        if basket.content != content:
            raise _unbelieved(OutOfReach("the basket does not come to hold what was put in"))
        if flaw := flaw_of(basket):
            text = f"the basket does not add up, read twice: {flaw}"
            self.session.unanswered[WHOLE_BASKET] = text
            raise _unbelieved(Inconsistent(text))
        return basket

    @property
    def counted(self) -> int:
        """How many baskets have a row or an error of their own."""
        baskets = [row.items for row in self.results] + [error.items for error in self.errors]
        return len(set(baskets))

    def result(self, untried: int) -> Search:
        """What was found, with refused baskets and codes, and codes that gave nothing."""
        errors = list(self.errors)
        errors += [Refusal(coupon=code, error=text) for code, text in self.refused.items()]
        useful = {row.coupon for row in self.results}
        for code in {**self.idle, **self.gives}:
            if code in useful:
                continue
            if code in self.gives:
                where = "that could be cheapest"
            elif self.with_addition is None:
                where = "tried; additions not tried"
            elif any(row.coupon == code for row in self.with_addition):
                where = "tried; with an addition it works"
            else:
                where = f"tried, nor with one of the {self.additions} cheapest others"
            text = f"{code}: accepted, no discount on any basket {where}"
            errors.append(Refusal(coupon=code, error=text))
        return Search(sorted(self.results, key=key_of), errors, untried, self.with_addition)


def _unbelieved(fault: ToolFault) -> ToolFault:
    """The fault of a look at the basket that was answered and cannot be used."""
    fault.request = failed_request(store.Req_ViewBasket(), fault.text, status=200)
    return fault


def _row(content: Content, basket: Basket) -> Row:
    return Row(items=lines_of(content), **basket.model_dump(exclude={"items"}))
