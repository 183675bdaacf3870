"""The coupon search best-first: what can be cheapest is tried next, what cannot is left out.

A coupon asks for pieces and for a subtotal, and is reckoned on what lies in the basket: on less it
never gives more. So the discount seen on one basket bounds that of every basket within it. One
look at all baskets laid together bounds them all, and looks at halves of those that can still be
cheapest rule many out at once.

A code may ask for a second product that the task does not name. That shows in one way, whatever the
code is called: the shop takes it, the discount is 0, and with one more product it is not. So the
cheapest other products are laid into the basket all at once; where that brings a discount, each is
tried alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import or_

from core.ledger import ToolFault
from store_tools.basket import Addition, Basket, Content
from store_tools.basket_moves import bring_back, distance, move, switch_coupon
from store_tools.coupon_trial import Key, Trial, key_of

FEW = 4
"""Of so few baskets all are tried: looking at them laid together saves nothing."""
UNBOUNDED = 10**12
TRIED_AT_MOST = 8
"""Cheapest products that are tried as additions."""
TRIED_BESIDE = 4
"""The same where another code gives a discount already: each costs two requests."""
FEW_LEFT = 0.3
"""Where a look at all that a code leaves open may leave so many of them, it is made."""


def try_coupons(trial: Trial, *, every: bool = True) -> None:
    """Try coupons on baskets: moves outside, coupons inside, the basket restored at the end.

    With ``every`` each code is tried on each basket; without, the most hopeful come first, and the
    search ends when no basket that is left can be cheaper. A code that stays applied over a move is
    tried first on the next basket, so a basket costs at most its move and two calls for each
    coupon. Refusals are recorded with what was refused; a fatal fault (an unreachable store, a
    budget) ends the search. For each code that is taken and gives no discount, cheap additions are
    tried on the cheapest basket.

    Raises:
        ToolFault: a fatal fault; the basket was brought back if possible.
    """
    session, before, spared = trial.session, trial.before, 0
    try:
        if every or len(trial.contents) <= FEW:
            trial.visit_all()
        else:
            spared = _search(trial)
        _try_additions(trial)
        move(session, trial.content, before.content)
        switch_coupon(session, trial.coupon, before.coupon)
    except ToolFault as fault:
        bring_back(session, before, fault)
        raise
    if trial.moved:
        bring_back(session, before)
    trial.spared = spared


def _search(trial: Trial) -> int:
    """Find the cheapest basket with its code; how many baskets were not tried, as none is cheaper.

    Where the shop contradicts what the bounds rest on, everything is tried. Raises ToolFault.
    """
    run = _Search(trial)
    run.look_together(list(range(len(trial.contents))), trial.codes)
    while run.sound and run.step():
        pass
    if not run.sound:
        trial.results.clear()
        trial.errors.clear()
        trial.visit_all()
        return 0
    run.keep_barest()
    return len(trial.contents) - len(run.done)


class _Search:
    def __init__(self, trial: Trial) -> None:
        self.trial, self.codes = trial, trial.codes
        contents, codes = trial.contents, trial.codes
        self.contents = [Counter(content) for content in contents]
        self.prices: dict[str, int] = {}
        self.most = {code: [UNBOUNDED] * len(contents) for code in codes}
        """By code, the largest discount that each basket can have."""
        self.paid: dict[str, list[tuple[int, int]]] = {code: [] for code in codes}
        """By code, subtotal and discount of baskets on which it gave one."""
        self.sound = True
        """Whether nothing seen contradicts what the bounds rest on."""
        self.done: set[int] = set()
        self.fits: set[int] = set()
        self.best: Key | None = None
        self.width = 1
        """How many baskets are looked at as one."""
        self.spent, self.worth = 0, len(contents) * (1 + len(codes)) // 2
        """Requests so far, and a quarter or so of those that trying everything takes."""

    def step(self) -> bool:
        """Look at the most hopeful basket, or at several as one; whether any was left."""
        hopes = self._hopes()
        if not hopes:
            return False
        _, index, code = hopes[0]
        hopeful = [i for _, i, c in hopes if c == code]
        rules_out = code != "" and self._rules_most_out(hopeful, code)
        group = hopeful if rules_out else hopeful[: self.width]
        if self.spent > self.worth:
            # Looking at many at once has not paid: what is left is tried in the order of its moves.
            near = self.trial.content
            index = min((i for _, i, _ in hopes), key=lambda i: distance(near, self.contents[i]))
            group = [index]
        if len(group) == 1:
            self._try(index, [c for _, i, c in hopes if i == index and c])
            self.width = 2
            return True
        of_group = [c for _, i, c in hopes if i in group]
        codes = [c for c in self.codes if 2 * of_group.count(c) >= len(group)]
        filled, best = self.look_together(group, codes), self._best()
        left = sum(self._key(i, code) < best for i in group) if filled and best else len(group)
        if not left:
            self.width = 2 * len(group)
        elif left < len(group):
            self.width = left
        else:
            # More than was planned were only taken because the look promised to pay.
            self.width = len(group) // 2 if len(group) <= self.width else 1
        return True

    def _rules_most_out(self, indexes: list[int], code: str) -> bool:
        """Whether a look at all of these as one leaves few, if the code gives the same percentage.

        No basket is ruled out by this: it only says which look may pay.
        """
        paid, best = self.paid[code], self._best()
        rates = [p for p in range(1, 101) if all(s * p // 100 == d for s, d in paid)]
        if not paid or not rates or best is None:
            return False
        off = self._subtotal(reduce(or_, (self.contents[i] for i in indexes))) * rates[0] // 100
        left = [i for i in indexes if self._key(i, code, off) < best]
        return len(left) <= FEW_LEFT * len(indexes)

    def _hopes(self) -> list[tuple[Key, int, str]]:
        """Baskets with codes that can be better than the best, the most hopeful first.

        A basket without a code ("") is among them as long as no look has shown that it fits.
        """
        best = self._best()
        hopes = (
            (self._key(i, code), i, code)
            for i in range(len(self.contents))
            if i not in self.done
            for code in (*self.codes, "")
            if (self.most[code][i] if code else i not in self.fits)
        )
        return sorted(hope for hope in hopes if best is None or hope[0] < best)

    def look_together(self, indexes: list[int], codes: list[str]) -> bool:
        """Look at the smallest basket that holds each of these; whether it can be filled."""
        whole = reduce(or_, (self.contents[i] for i in indexes))
        return self._look(whole, codes, asked_for=False) is not None

    def keep_barest(self) -> None:
        """Keep the cheapest basket as it is without a look: the shop has shown its prices."""
        bare = self._barest()
        if bare and (self.best is None or bare[0] < self.best):
            (total, *_), index = bare
            self.trial.keep(self.contents[index], [Basket(subtotal=total, total=total)])
            self.done.add(index)

    def _try(self, index: int, codes: list[str]) -> None:
        self.done.add(index)
        views = self._look(self.contents[index], codes)
        if views is not None:
            keys = self.trial.keep(self.contents[index], views)
            self.best = min([*keys, *([self.best] if self.best else [])])

    def _best(self) -> Key | None:
        bare = self._barest()
        return min((key for key in (self.best, bare and bare[0]) if key), default=None)

    def _barest(self) -> tuple[Key, int] | None:
        left = self.fits - self.done
        return min(((self._key(i, ""), i) for i in left), default=None)

    def _key(self, index: int, code: str, at_most: int = UNBOUNDED) -> Key:
        subtotal = self._subtotal(self.contents[index])
        off = min(self.most[code][index], at_most, subtotal) if code else 0
        return subtotal - off, code != "", len(self.contents[index])

    def _subtotal(self, content: Content) -> int:
        return sum(n * self.prices.get(sku, 0) for sku, n in content.items())

    def _look(
        self, content: Content, codes: list[str], *, asked_for: bool = True
    ) -> list[Basket] | None:
        self.spent += distance(self.trial.content, content) + 2 * len(codes)
        views = self.trial.look(content, codes, asked_for=asked_for)
        for code in codes:
            if code in self.trial.refused:
                self.most[code] = [0] * len(self.contents)
        for basket in views or ():
            self._learn(content, basket, basket.coupon if basket.coupon in codes else "")
        return views

    def _learn(self, content: Content, basket: Basket, code: str) -> None:
        for item in basket.items:
            self.sound &= self.prices.setdefault(item.sku, item.price) == item.price
        if code and basket.discount:
            self.paid[code].append((basket.subtotal, basket.discount))
        for i, held in enumerate(self.contents):
            if code and _within(content, held) and basket.discount > self.most[code][i]:
                self.sound = False
            if _within(held, content):
                self.fits.add(i)
                if code:
                    self.most[code][i] = min(self.most[code][i], basket.discount)


def _within(small: Content, large: Content) -> bool:
    return all(quantity <= large.get(sku, 0) for sku, quantity in small.items())


def _try_additions(trial: Trial) -> None:
    """Note what a cheap addition makes of the codes that are taken and give no discount."""
    codes = [code for code in trial.idle if code not in trial.gives]
    catalog = trial.session.catalog
    if not codes or not trial.results or catalog is None:
        return
    base = min(trial.results, key=key_of).content
    gave = dict(trial.gives)
    trial.additions = TRIED_BESIDE if gave else TRIED_AT_MOST
    spare = [p for p in catalog if p.sku not in base and p.available > 0]
    cheap = [p.sku for p in sorted(spare, key=lambda p: p.price)[: trial.additions]]
    found: dict[str, Addition] = {}
    for code in _working(trial, base, cheap, codes):
        for sku in cheap:
            if basket := _working(trial, base, [sku], [code]).get(code):
                found[code] = Addition(added=sku, **dict(basket))
                break
    trial.with_addition = found
    # On the baskets that were asked for they gave nothing all the same.
    trial.gives = gave


def _working(
    trial: Trial, base: Content, skus: Sequence[str], codes: Sequence[str]
) -> dict[str, Basket]:
    """The basket with a piece of each of these products, by each code that gives a discount."""
    if not skus:
        return {}
    content = {**base, **dict.fromkeys(skus, 1)}
    views = trial.look(content, list(codes), asked_for=False)
    return {b.coupon: b for b in views or () if b.coupon in codes and b.discount}
