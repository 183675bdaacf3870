"""What a task asks for, as far as the grammar understood it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal


@dataclass(frozen=True)
class Budget:
    """A limit on money, in whole dollars."""

    dollars: float
    strict: bool = False
    """Whether the total must stay below the limit (otherwise it may meet it)."""


@dataclass
class Codes:
    """Coupon codes of a task and what is asked of them."""

    codes: list[str] = field(default_factory=list)
    mode: Literal["none", "try", "any", "all"] = "none"
    """``try``: use one if it helps; ``any``: one of them must work; ``all``: all at once."""
    forbidden: list[str] = field(default_factory=list)
    """Codes that must not be used."""
    off_dollars: int | None = None
    off_percent: int = 0

    def promised(self, subtotal: int) -> int:
        """The discount in dollars that the task says a code gives."""
        return subtotal * self.off_percent // 100 if self.off_dollars is None else self.off_dollars


@dataclass
class Line:
    """One item: how many of what."""

    phrase: str
    amount: Literal["exact", "all", "up_to", "at_least", "most", "open"] = "open"
    quantity: int = 1
    counts_packs: bool = False
    """The number counts packages ("3x", "2 boxes of"), not single units."""
    measure: str = ""
    """The quantity is in this base measure (g, ml, mm, sheet), to be reached by packages."""
    pick: Literal["any", "cheapest", "dearest"] = "any"
    each: bool = False
    """The quantity holds for every product that matches ("one of each")."""
    exclude: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """Other phrases that do as well ("a tent or a tarp")."""
    fallback: str = ""
    """What to take where the first choice cannot be had."""
    fallback_quantity: int = 0
    """How many packages of the substitute; 0 means as many as of the first choice."""
    pieces: tuple[str, ...] = ()
    """The phrase cut at "and" and commas, should no product bear the whole name."""

    def substitute(self) -> Line:
        """The line that holds where this one cannot be had."""
        line = replace(self, phrase=self.fallback, fallback="", options=(), pieces=())
        if self.fallback_quantity:
            line.amount, line.quantity, line.counts_packs = "exact", self.fallback_quantity, True
            line.fallback_quantity = 0
        return line

    def phrases(self) -> tuple[str, ...]:
        """Every phrase that a product may be looked for under."""
        every = (self.phrase, *self.options, *self.pieces, *self.exclude, self.fallback)
        return tuple(dict.fromkeys(p for p in every if p))


@dataclass
class Order:
    """A whole task, understood; the readers of the grammar fill it in."""

    lines: list[Line] = field(default_factory=list)
    codes: Codes = field(default_factory=Codes)
    budget: Budget | None = None
    goal: Literal["none", "total", "discount"] = "none"
    fewer_ok: bool = False
    fillers: tuple[str, ...] | None = None
    """Products that may be added to save money: None for none, empty for any."""
    no_purchase: bool = False
    unclear: list[str] = field(default_factory=list)
    """Parts of the text that may matter and were not understood."""

    def affords(self, dollars: float) -> bool:
        """Whether an amount keeps to the budget, if there is one."""
        if self.budget is None:
            return True
        limit = self.budget.dollars
        return dollars < limit if self.budget.strict else dollars <= limit

    def summary(self) -> str:
        """The order in one line, for a THOUGHT."""
        parts = []
        for line in self.lines:
            words = {"all": "all", "most": "as many as possible", "open": "some"}
            number = words.get(line.amount, str(line.quantity))
            up_to = "up to " if line.amount == "up_to" else ""
            pick = "" if line.pick == "any" else f"{line.pick} "
            parts.append(f"{up_to}{number} x {pick}{line.phrase!r}")
        if self.codes.codes:
            parts.append(f"coupons {'/'.join(self.codes.codes)} ({self.codes.mode})")
        if self.codes.forbidden:
            parts.append(f"not with {'/'.join(self.codes.forbidden)}")
        if self.budget:
            bound = "under" if self.budget.strict else "at most"
            parts.append(f"{bound} ${self.budget.dollars:g}")
        if self.goal != "none":
            parts.append("lowest total" if self.goal == "total" else "largest discount")
        if self.fillers is not None:
            parts.append("fillers allowed")
        if self.fewer_ok:
            parts.append("fewer is fine")
        return "; ".join(parts)
