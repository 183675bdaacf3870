"""The coupon search best-first: what can be cheapest is tried next, what cannot is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from store_tools.basket import Basket, Content
from store_tools.basket_moves import distance, walk_order
from store_tools.coupon_bounds import Bounds, Hope, Key, union

REFUSALS = 2
"""Where the shop refuses so many baskets laid together, each is tried by itself."""
FEW_LEFT = 0.3
"""Where a look at all that a code leaves open is foreseen to leave so many of them, it is made."""


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
        self.found: Key | None = None
        """What makes the best row better that was seen."""
        self.refusals = 0
        self.done: set[int] = set()
        self.together = dict.fromkeys(["", *codes], 1)
        """By code, how many baskets to look at next as one."""
        self.left_to_spend = len(contents) * (1 + len(codes)) // 2
        """Requests, some quarter of what trying everything costs: beyond it, the rest is walked."""

    @property
    def best(self) -> Key | None:
        """The key to beat: of the best row that was seen, or of the cheapest basket as it is."""
        bare = self.bounds.barest()
        return min((key for key in (self.found, bare and bare[0]) if key), default=None)

    def run(self) -> int:
        self._lay_together(list(range(len(self.contents))))
        while self.bounds.sound and (left := self.bounds.left(best := self.best)):
            if self.left_to_spend < 0:
                self._walk()
                break
            self._step(left, best)
        if not self.bounds.sound:
            return self._try_all()
        self._keep_barest()
        return len(self.contents) - len(self.done)

    def _step(self, left: Sequence[Hope], best: Key | None) -> None:
        """Look at the most hopeful basket, or at several as one where that may rule them out."""
        _, index, code = left[0]
        hopeful = [i for _, i, c in left if c == code]
        group = hopeful[: self.together[code]]
        if self.bounds.foreseen(hopeful, code, best) <= FEW_LEFT * len(hopeful):
            group = hopeful
        if len(group) > 1 and code:
            self._rule_out(group, code, left, best)
        else:
            hopes = self.bounds.hopes(index, best)
            self._try(index, hopes)
            self.together.update(dict.fromkeys(hopes, 2))

    def _walk(self) -> None:
        """Try what is left, each basket next to the one before; what cannot be better is not."""
        rest = [i for i in range(len(self.contents)) if i not in self.done]
        for at in walk_order(self.trial.content, [self.contents[i] for i in rest]):
            hopes = self.bounds.hopes(rest[at], self.best)
            if hopes and self.bounds.sound:
                self._try(rest[at], hopes)

    def _try_all(self) -> int:
        """Try every code on every basket, for the bounds cannot be relied on."""
        self.trial.results.clear()
        for content in self.contents:
            self.trial.forget(content)
        self.trial.visit_all(list(self.contents), self.codes)
        return 0

    def _keep_barest(self) -> None:
        """The cheapest basket as it is needs no look: the shop has shown its prices."""
        bare = self.bounds.barest()
        if bare and (self.found is None or bare[0] < self.found):
            (total, *_), index = bare
            row = {"coupon": "", "subtotal": total, "discount": 0, "total": total}
            self.trial.keep(self.contents[index], [row])
            self.done.add(index)

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

    def _try(self, index: int, hopes: Sequence[str]) -> None:
        """Try one basket with the codes that could make it the cheapest."""
        content, codes = self.contents[index], [code for code in hopes if code]
        seen = self._look(content, codes)
        if seen is None:
            self._refuse(index)
            return
        self.bounds.close(index, [*codes, ""])
        self.done.add(index)
        keys = self.trial.keep(content, seen)
        self.found = min([*keys, *([self.found] if self.found else [])])

    def _rule_out(
        self, group: list[int], code: str, left: Sequence[Hope], best: Key | None
    ) -> None:
        """Look at baskets laid together, with the codes that half of them hope for."""
        hoped = {(i, c) for _, i, c in left}
        hoping = {c: [i for i in group if (i, c) in hoped] for c in self.codes}
        codes = [c for c, of in hoping.items() if c == code or (of and 2 * len(of) >= len(group))]
        whole = union(self.contents[i] for i in group)
        if self._look(whole, codes) is None:
            self.trial.forget(whole)
            self.together.update(dict.fromkeys(codes, len(group) // 2))
            return
        for c in codes:
            still = sum(c in self.bounds.hopes(i, best) for i in hoping[c])
            if not still:
                self.together[c] = max(2 * len(group), self.together[c])
            else:
                # More than was planned were only taken because a look was foreseen to pay.
                half = len(group) // 2 if len(group) <= self.together[c] else 1
                self.together[c] = still if still < len(hoping[c]) else half

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
