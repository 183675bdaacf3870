"""One coupon search on a shop: where the basket stands, and what was seen of which basket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.erc3_client import store
from core.ledger import ComboRow, ToolFault
from core.tools.faults import GivenUp, Inconsistent, OutOfReach, failed_request
from store_tools.basket import (
    Addition,
    Basket,
    Content,
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
from store_tools.requests import known_dead
from store_tools.store_session import StoreSession

BASKETS_AT_MOST = 1000
"""Finding the walk takes time that grows with the square of this."""
Key = tuple[int, bool, int]
"""What makes a row better, least first: total, whether it needs a code, lines."""


def key_of(row: Row) -> Key:
    """What makes a row better, least first."""
    return row.total, row.coupon != "", len(row.items)


class Trial:
    """One coupon search: where the basket stands and what was found."""

    def __init__(
        self, session: StoreSession, contents: Sequence[Content], coupons: Sequence[str]
    ) -> None:
        """Raises ToolFault: too many baskets, or the shop does not show the present one."""
        if len(contents) > BASKETS_AT_MOST:
            text = f"at most {BASKETS_AT_MOST} combinations in one call, not {len(contents)}"
            raise ToolFault(text)
        self.session = session
        self.contents = list({tuple(sorted(c.items())): c for c in contents if c}.values())
        self.codes = list(dict.fromkeys(code for code in coupons if code))
        self.before = session.known()
        self.content = self.before.content
        self.coupon: str | None = self.before.coupon
        """None: not known."""
        self.moved = False
        self.results: list[Row] = []
        self.errors: list[ComboRow] = []
        """Baskets that the shop refused to fill."""
        self.spared: int | None = None
        """Baskets that were left out because none of them can be cheapest; None: it was ended."""
        self.refused: dict[str, str] = {}
        """Codes that the shop does not take, with its words."""
        self.idle: dict[str, None] = {}
        """Codes that were accepted on some basket without a discount, in order."""
        self.gives: dict[str, None] = {}
        self.with_addition: dict[str, Addition] | None = None
        """By code, one product more that makes it work; None: none was tried."""
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

    def visit_all(self) -> None:
        """Try every code on every basket, each next to the one before. Raises as ``look``."""
        for index in walk_order(self.content, self.contents):
            if (views := self.look(self.contents[index], self.codes)) is not None:
                self.keep(self.contents[index], views)

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
                    self.errors.append(ComboRow(primary=lines_of(content), error=fault.text))
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
            self.session.write(store.Req_ApplyCoupon(coupon=code))
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

    def priced(self) -> Iterator[ComboRow]:
        """A row for each basket and code that was priced, the cheapest first."""
        for row in sorted(self.results, key=key_of):
            data = row.model_dump(include={"subtotal", "discount", "total"})
            yield ComboRow(primary=row.items, secondary=row.coupon, data=data)

    def failed(self) -> Iterator[ComboRow]:
        """A row with its reason for each basket and code that has no price, and what was spared."""
        yield from self.errors
        for code, text in self.refused.items():
            yield ComboRow(secondary=code, error=text)
        useful = {row.coupon for row in self.results}
        for code in {**self.idle, **self.gives}:
            if code not in useful:
                added = (self.with_addition or {}).get(code)
                yield ComboRow(secondary=code, data=added, error=self._why_idle(code))
        priced = {row.items for row in self.results} | {row.primary for row in self.errors}
        left = len(self.contents) - len(priced) if self.spared is None else self.spared
        if left:
            why = "the search was ended" if self.spared is None else "none of them can be cheapest"
            yield ComboRow(error=f"{left} baskets were not tried: {why}")

    def _why_idle(self, code: str) -> str:
        """Where a code was tried that was accepted and gave nothing."""
        if code in self.gives:
            where = "that could be cheapest"
        elif self.with_addition is None:
            where = "tried; additions not tried"
        elif code in self.with_addition:
            where = f"tried; with one {self.with_addition[code].added} more it works"
        else:
            where = f"tried, nor with one of the {self.additions} cheapest others"
        return f"{code}: accepted, no discount on any basket {where}"


def _unbelieved(fault: ToolFault) -> ToolFault:
    """The fault of a look at the basket that was answered and cannot be used."""
    fault.request = failed_request(store.Req_ViewBasket(), fault.text, status=200)
    return fault


def _row(content: Content, basket: Basket) -> Row:
    return Row(items=lines_of(content), **basket.model_dump(exclude={"items"}))
