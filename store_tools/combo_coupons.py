"""The coupon search: codes on baskets, by the shop's own word, leaving no trace."""

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
    bring_back,
    move,
    seen_after_refusal,
    switch_coupon,
    walk_order,
)
from store_tools.coupon_search import TRIED_AT_MOST, TRIED_BESIDE, Key, companions, search
from store_tools.requests import apply_coupon, known_dead
from store_tools.store_session import StoreSession

BASKETS_AT_MOST = 1000
"""Finding the walk takes time that grows with the square of this."""
FEW = 4
"""Of so few baskets all are tried: looking at them laid together saves nothing."""
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


def try_coupons(
    session: StoreSession, contents: list[Content], coupons: list[str], *, every: bool = True
) -> Search:
    """Try coupons on baskets: moves outside, coupons inside, the basket restored at the end.

    With ``every`` each code is tried on each basket; without, the most hopeful come first, and the
    search ends when no basket that is left can be cheaper (``untried`` counts those). A code that
    stays applied over a move is tried first on the next basket, so a basket costs at most its move
    and two calls for each coupon. Refusals are recorded with what was refused; a fatal fault (an
    unreachable store, a budget) ends the search. For each code that is taken and gives no discount,
    cheap additions are tried on the cheapest basket (``with_addition``; None: not tried).

    Raises:
        ToolFault: too many baskets, or a fatal fault; the basket was brought back if possible.
    """
    if len(contents) > BASKETS_AT_MOST:
        raise ToolFault(f"at most {BASKETS_AT_MOST} combinations in one call, not {len(contents)}")
    unique = list({tuple(sorted(c.items())): c for c in contents if c}.values())
    codes = list(dict.fromkeys(c for c in coupons if c))
    before, doubt = session.known(), session.basket_doubt
    trial = _Trial(session, before)
    untried = 0
    try:
        if every or len(unique) <= FEW:
            trial.visit_all(unique, codes)
        else:
            untried = search(trial, unique, codes)
        trial.try_additions()
        trial.go_home(before)
    except ToolFault as fault:
        bring_back(session, before, doubt, fault)
        fault.with_found(trial.result(len(unique) - trial.counted))
        raise
    if trial.moved:
        bring_back(session, before, doubt)
    return trial.result(untried)


def key_of(row: Row) -> Key:
    """What makes a row better, least first."""
    return row["total"], row["coupon"] != "", len(row["items"])


class _Trial:
    """One coupon search: where the basket stands and what was found."""

    def __init__(self, session: StoreSession, before: Basket) -> None:
        self.session = session
        self.content = content_in(before)
        self.coupon: str = before["coupon"]
        self.moved = False
        self.results: list[Row] = []
        self._errors: list[Refusal] = []
        self._refused: dict[str, str] = {}
        self._idle: dict[str, None] = {}
        """Codes that were accepted on some basket without a discount, in order."""
        self._gives: dict[str, None] = {}
        self.with_addition: list[AddedRow] | None = None
        self._additions = 0

    def visit(self, content: Content, codes: list[str]) -> None:
        """Move to a basket and try every code there.

        Where the shop comes to show another basket, or what became of a request is not known,
        the visit is made again; a row is only kept of a basket that was seen as it was meant.

        Raises:
            OutOfReach: the shop does not answer, or shows another basket every time.
        """
        views = self.look(content, codes)
        if views is not None:
            self.keep(content, views)

    def keep(self, content: Content, views: Sequence[Totals]) -> list[Key]:
        """Put what was seen of a basket among the results; what makes each row better."""
        rows = rows_of(content, views)
        self.results += rows
        return [key_of(row) for row in rows]

    def visit_all(self, contents: list[Content], codes: list[str]) -> None:
        """Visit every basket, each next to the one before. Raises as ``visit``."""
        for index in walk_order(self.content, contents):
            self.visit(contents[index], codes)

    def look(self, content: Content, codes: list[str]) -> list[Basket] | None:
        """The basket as the shop shows it with each code that it takes, at least once.

        None: the shop refuses to fill it, which is noted. Raises as ``visit``.
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
                self._errors.append({"items": _rows(content), "error": fault.text})
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
                    gives = self._gives if basket["discount"] else self._idle
                    gives[basket["coupon"]] = None
        # A coupon that was there before the search is none of its own.
        return views or [{**self._look_at(content), "coupon": "", "discount": 0}]

    def refused(self, code: str) -> bool:
        """Whether the shop does not take a code."""
        return code in self._refused

    def forget(self, content: Content) -> None:
        """Baskets that are tried for what they tell of others are no errors of the search."""
        self._errors = [e for e in self._errors if e.get("items") != _rows(content)]

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
        baskets = [r["items"] for r in self.results] + [e["items"] for e in self._errors]
        return len({json.dumps(items) for items in baskets})

    def result(self, untried: int) -> Search:
        """What was found, as the tool's result."""
        return {
            "results": sorted(self.results, key=key_of),
            "errors": self.all_errors(),
            "untried": untried,
            "with_addition": self.with_addition,
        }

    def try_additions(self) -> None:
        """Note what a cheap addition makes of the codes that are taken and give no discount."""
        codes = [code for code in self._idle if code not in self._gives]
        catalog = self.session.catalog
        if not codes or not self.results or catalog is None:
            return
        base = min(self.results, key=key_of)["items"]
        content = {line["sku"]: line["quantity"] for line in base}
        gave = dict(self._gives)
        self._additions = TRIED_BESIDE if gave else TRIED_AT_MOST
        self.with_addition = companions(self, content, codes, catalog, self._additions)
        # On the baskets that were asked for they gave nothing all the same.
        self._gives = gave

    def all_errors(self) -> list[Refusal]:
        """Refused baskets, refused codes, and codes that gave nothing where it matters."""
        useful = {r["coupon"] for r in self.results}
        refused: list[Refusal] = [
            {"coupon": code, "error": text} for code, text in self._refused.items()
        ]
        idle: list[Refusal] = [
            {"coupon": code, "error": f"{code}: accepted, no discount on any basket {which}{more}"}
            for code in {**self._idle, **self._gives}
            if code not in useful
            for which in ["that could be cheapest" if code in self._gives else "tried"]
            for more in [self._with_one_more(code)]
        ]
        return [*self._errors, *refused, *idle]

    def _with_one_more(self, code: str) -> str:
        """What is known of a code that gave nothing, with one more product."""
        if code in self._gives:
            return ""
        if self.with_addition is None:
            return "; additions not tried"
        if any(row["coupon"] == code for row in self.with_addition):
            return "; with an addition it works"
        return f", nor with one of the {self._additions} cheapest others"


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
