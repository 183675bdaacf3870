"""What a task asks for, as far as the grammar understood it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Amount = Literal["exact", "all", "up_to", "at_least", "most", "open"]


class Frozen(BaseModel):
    """Base of the order's parts: immutable and strict about field names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Budget(Frozen):
    """A limit on money, in whole dollars."""

    dollars: float
    strict: bool = False
    """Whether the total must stay below the limit (otherwise it may meet it)."""
    whole: bool = False
    """Whether the text says that the limit is meant for everything together."""

    def allows(self, dollars: float) -> bool:
        """Whether an amount keeps to the limit."""
        return dollars < self.dollars if self.strict else dollars <= self.dollars


class Codes(Frozen):
    """Coupon codes of a task and what is asked of them."""

    codes: tuple[str, ...] = ()
    mode: Literal["none", "try", "any", "all"] = "none"
    """``try``: use one if it helps; ``any``: one of them must work; ``all``: all at once."""
    forbidden: tuple[str, ...] = ()
    """Codes that must not be used."""
    off_dollars: int | None = None
    off_percent: int | None = None


class Line(Frozen):
    """One item: how many of what."""

    phrase: str
    amount: Amount = "open"
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
        line = self.model_copy(
            update={"phrase": self.fallback, "fallback": "", "options": (), "pieces": ()}
        )
        if not self.fallback_quantity:
            return line
        number = {"quantity": self.fallback_quantity, "fallback_quantity": 0}
        return line.model_copy(update={**number, "amount": "exact", "counts_packs": True})

    def phrases(self) -> tuple[str, ...]:
        """Every phrase that a product may be looked for under."""
        every = (self.phrase, *self.options, *self.pieces, *self.exclude, self.fallback)
        return tuple(dict.fromkeys(p for p in every if p))


class Order(Frozen):
    """A whole task, understood."""

    lines: tuple[Line, ...] = ()
    codes: Codes = Codes()
    budget: Budget | None = None
    goal: Literal["none", "total", "discount"] = "none"
    fewer_ok: bool = False
    fillers: tuple[str, ...] | None = None
    """Products that may be added to save money: None for none, empty for any."""
    no_purchase: bool = False
    unclear: tuple[str, ...] = ()
    """Parts of the text that may matter and were not understood."""

    def summary(self) -> str:
        """The order in one line, for a THOUGHT."""
        parts = [_line_text(line) for line in self.lines]
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


def _line_text(line: Line) -> str:
    many = {
        "all": "all",
        "most": "as many as possible",
        "open": "some",
        "up_to": f"up to {line.quantity}",
    }
    number = many.get(line.amount, str(line.quantity))
    pick = "" if line.pick == "any" else f"{line.pick} "
    return f"{number} x {pick}{line.phrase!r}"
