"""The coupon search: every code on every basket, by the shop's own word, leaving no trace."""

from __future__ import annotations

from typing import Any

from ledger import ToolFault
from store_tools.basket import Basket, Content, content_in, flaw_of
from store_tools.basket_moves import (
    ROUNDS,
    WHOLE_BASKET,
    bring_back,
    move,
    switch_coupon,
    walk_order,
)
from store_tools.requests import apply_coupon, known_dead
from store_tools.store_session import StoreSession
from tooling.faults import GivenUp, Inconsistent, OutOfReach

BASKETS_AT_MOST = 1000
"""Finding the walk takes time that grows with the square of this."""
UNKNOWN = "\0unknown"
"""No code has this name, so it is never taken for the one that is wanted."""


def try_coupons(
    session: StoreSession, contents: list[Content], coupons: list[str]
) -> dict[str, Any]:
    """Try coupons on baskets: moves outside, coupons inside, the basket restored at the end.

    A code that stays applied over a move is tried first on the next basket, so a basket costs at
    most its move and two calls for each coupon. Refusals are recorded with what was refused; a
    fatal fault (an unreachable store, a budget) ends the search.

    Raises:
        ToolFault: too many baskets, or a fatal fault; the basket was brought back if possible.
    """
    if len(contents) > BASKETS_AT_MOST:
        raise ToolFault(f"at most {BASKETS_AT_MOST} combinations in one call, not {len(contents)}")
    unique = list({tuple(sorted(c.items())): c for c in contents if c}.values())
    codes = list(dict.fromkeys(c for c in coupons if c))
    before, doubt = session.view(), session.basket_doubt
    trial = _Trial(session, before)
    try:
        for index in walk_order(trial.content, unique):
            trial.visit(unique[index], codes)
        trial.go_home(before)
    except ToolFault as fault:
        bring_back(session, before, doubt, fault)
        raise
    if trial.moved:
        bring_back(session, before, doubt)
    trial.results.sort(key=lambda r: (r["total"], r["coupon"] != "", len(r["items"])))
    return {"results": trial.results, "errors": trial.all_errors()}


class _Trial:
    """One coupon search: where the basket stands and what was found."""

    def __init__(self, session: StoreSession, before: Basket) -> None:
        self.session = session
        self.content = content_in(before)
        self.coupon: str = before["coupon"]
        self.moved = False
        self.results: list[dict[str, Any]] = []
        self._errors: list[dict[str, Any]] = []
        self._refused: dict[str, str] = {}
        self._idle: dict[str, None] = {}
        """Codes that were accepted on some basket without a discount, in order."""

    def visit(self, content: Content, codes: list[str]) -> None:
        """Move to a basket and try every code there.

        Where the shop comes to show another basket, or what became of a request is not known,
        the visit is made again; a row is only kept of a basket that was seen as it was meant.

        Raises:
            OutOfReach: the shop does not answer, or shows another basket every time.
        """
        self.moved = True
        for _ in range(ROUNDS):
            try:
                rows = self._rows_at(content, codes)
            except GivenUp:
                raise
            except OutOfReach as fault:
                # Should the shop be gone, this look says so.
                self.content, lost = content_in(self._look()), fault
                continue
            except ToolFault as fault:
                if fault.fatal:
                    raise
                self.content = content_in(self._look())
                self._errors.append({"items": _rows(content), "error": fault.text})
                return
            self.content = dict(content)
            self.results += rows
            return
        raise lost

    def _rows_at(self, content: Content, codes: list[str]) -> list[dict[str, Any]]:
        """What a basket costs: with each code that gives a discount there, and without any.

        Raises:
            ToolFault: the shop refused to fill the basket.
        """
        rows: list[dict[str, Any]] = []
        move(self.session, self.content, content)
        subtotal: int | None = None
        for code in sorted(codes, key=lambda c: c != self.coupon):
            if self._apply(code):
                basket = self._look_at(content)
                subtotal = basket["subtotal"]
                if basket["coupon"] and basket["discount"]:
                    rows.append(_row(content, basket))
                elif basket["coupon"]:
                    self._idle[basket["coupon"]] = None
        if subtotal is None:
            subtotal = self._look_at(content)["subtotal"]
        bare = {"coupon": "", "subtotal": subtotal, "discount": 0, "total": subtotal}
        return [*rows, _row(content, bare)]

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
            raise OutOfReach("the basket does not come to hold what was put in")
        if flaw := flaw_of(basket):
            text = f"the basket does not add up, read twice: {flaw}"
            self.session.unanswered[WHOLE_BASKET] = text
            raise Inconsistent(text)
        return basket

    def go_home(self, before: Basket) -> None:
        """Put the basket back as it was before the search."""
        move(self.session, self.content, content_in(before))
        switch_coupon(self.session, self.coupon, before["coupon"])

    def all_errors(self) -> list[dict[str, Any]]:
        """Refused baskets, refused codes, and codes that never gave anything."""
        useful = {r["coupon"] for r in self.results}
        refused = [{"coupon": code, "error": text} for code, text in self._refused.items()]
        idle = [
            {"coupon": code, "error": f"{code}: accepted, but no discount on any basket tried"}
            for code in self._idle
            if code not in useful
        ]
        return [*self._errors, *refused, *idle]


def _row(content: Content, basket: Basket) -> dict[str, Any]:
    priced = {k: basket[k] for k in ("coupon", "subtotal", "discount", "total")}
    return {"items": _rows(content), **priced}


def _rows(content: Content) -> list[dict[str, Any]]:
    return [{"sku": sku, "quantity": quantity} for sku, quantity in content.items()]
