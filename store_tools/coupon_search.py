"""The coupon search best-first: what can be cheapest is tried next, what cannot is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from store_tools.basket import Basket, Content
from store_tools.basket_moves import distance, walk_order
from store_tools.coupon_bounds import Bounds, Key, union

REFUSALS = 2
"""Where the shop refuses so many baskets laid together, each is tried by itself."""


class Trial(Protocol):
    """Where baskets are tried; every method raises ToolFault where the shop is lost."""

    content: Content
    results: list[dict[str, Any]]

    def look(self, content: Content, codes: list[str]) -> list[Basket] | None:
        """The basket with each code that the shop takes, at least once; None: it is refused."""

    def keep(self, content: Content, seen: list[Basket]) -> list[Key]:
        """Put what was seen of a basket among the results; what makes each row better."""

    def refused(self, code: str) -> bool:
        """Whether the shop does not take a code."""

    def forget(self, content: Content) -> None:
        """A basket that was refused is no error of the search."""

    def visit_all(self, contents: list[Content], codes: list[str]) -> None:
        """Try every code on every basket."""


def search(trial: Trial, contents: Sequence[Content], codes: list[str]) -> int:
    """Find the cheapest basket with its code; how many baskets were not tried, as none is cheaper.

    Never worse than trying all. Where looking at many at once has cost much, what can still be
    better is tried in the order of its moves; where the shop contradicts what the bounds rest on,
    everything is. Raises ToolFault.
    """
    return _Search(trial, contents, codes).run()


class _Search:
    def __init__(self, trial: Trial, contents: Sequence[Content], codes: list[str]) -> None:
        self.trial = trial
        self.contents = contents
        self.codes = codes
        self.bounds = Bounds(contents, codes)
        self.best: Key | None = None
        self.refusals = 0
        self.done: set[int] = set()
        self.left_to_spend = len(contents) * (1 + len(codes)) // 2
        """Requests, some quarter of what trying everything costs: beyond it, the rest is walked."""

    def run(self) -> int:
        self._lay_together(list(range(len(self.contents))))
        together = 1
        while self.bounds.sound and (left := self.bounds.left(self.best)):
            if self.left_to_spend < 0:
                return self._walk()
            group = list(dict.fromkeys(index for _, index, code in left if code))[:together]
            if len(group) < 2 or not left[0][2]:
                better = self._try(left[0][1], self.bounds.hopes(left[0][1], self.best))
                together = 1 if better else 2
            else:
                together = self._rule_out(group, left)
        return self._untried()

    def _walk(self) -> int:
        """Try what is left, each basket next to the one before; what cannot be better is not."""
        rest = [i for i in range(len(self.contents)) if i not in self.done]
        for at in walk_order(self.trial.content, [self.contents[i] for i in rest]):
            hopes = self.bounds.hopes(rest[at], self.best)
            if hopes and self.bounds.sound:
                self._try(rest[at], hopes)
        return self._untried()

    def _untried(self) -> int:
        """How many were not tried; where the bounds cannot be relied on, all of them are now."""
        if self.bounds.sound:
            return len(self.contents) - len(self.done)
        self.trial.results.clear()
        for content in self.contents:
            self.trial.forget(content)
        self.trial.visit_all(list(self.contents), self.codes)
        return 0

    def _lay_together(self, indexes: list[int]) -> None:
        """Look at baskets as one; where the shop refuses that, at each half of them."""
        whole = union(self.contents[i] for i in indexes)
        if self._look(whole, self.codes) is not None:
            return
        if len(indexes) == 1:
            self._refuse(indexes[0])
            return
        self.trial.forget(whole)
        self.refusals += 1
        if self.refusals > REFUSALS:
            self.left_to_spend = -1
            return
        half = len(indexes) // 2
        self._lay_together(indexes[:half])
        self._lay_together(indexes[half:])

    def _try(self, index: int, hopes: Sequence[str]) -> bool:
        """Try one basket with the codes that could make it the cheapest; whether one did."""
        content, codes = self.contents[index], [code for code in hopes if code]
        seen = self._look(content, codes)
        if seen is None:
            self._refuse(index)
            return False
        self.bounds.close(index, [*codes, ""])
        self.done.add(index)
        keys = self.trial.keep(content, seen)
        better = self.best is None or min(keys) < self.best
        self.best = min([*keys, *([self.best] if self.best else [])])
        return better

    def _rule_out(self, group: list[int], left: Sequence[tuple[Key, int, str]]) -> int:
        """Look at baskets laid together; how many to lay together next."""
        whole = union(self.contents[i] for i in group)
        codes = dict.fromkeys(code for _, i, code in left if code and i in group)
        if self._look(whole, list(codes)) is None:
            self.trial.forget(whole)
            return 1
        still = {i for _, i, _ in self.bounds.left(self.best)}.intersection(group)
        if not still:
            return 2 * len(group)
        return len(group) if len(still) < len(group) else 1

    def _refuse(self, index: int) -> None:
        self.bounds.refuse(index)
        self.done.add(index)

    def _look(self, content: Content, codes: list[str]) -> list[Basket] | None:
        self.left_to_spend -= distance(self.trial.content, content) + 2 * len(codes)
        seen = self.trial.look(content, codes)
        for code in codes:
            if self.trial.refused(code):
                self.bounds.drop(code)
        for basket in seen or ():
            told = {basket["coupon"]: basket["discount"]} if basket["coupon"] in codes else {}
            self.bounds.learn(content, told, basket)
        return seen
