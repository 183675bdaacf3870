"""Best purchases by OR-Tools CP-SAT, for demands with too many baskets to look at each.

For one coupon the total never falls when the subtotal rises. So per coupon the least subtotal that
meets its conditions is found first; then all baskets of the best total are enumerated.
Needs the extra `lab`.
"""

from __future__ import annotations

from typing import Any

from workshop.generators.store.oracle.answer import Purchase, TooManyAnswers
from workshop.generators.store.oracle.demand import Demand, Want
from workshop.generators.store.oracle.exhaustive import MOST_ANSWERS
from workshop.generators.store.oracle.market import Market, Rebate


class SolverMissing(Exception):
    """OR-Tools is needed and is not installed."""


class SolverFailed(Exception):
    """The solver ended without a proof."""


def _ortools() -> Any:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise SolverMissing(
            "this shop has too many baskets to look at each: install the extra `lab` (ortools)"
        ) from None
    return cp_model


class _Model:
    """All baskets of a demand in which one coupon (or none) takes effect."""

    def __init__(self, demand: Demand, market: Market, rebate: Rebate | None) -> None:
        self._cp = _ortools()
        self.model: Any = self._cp.CpModel()
        self.pieces: dict[str, Any] = {}
        self.units: list[Any] = []
        self._market, self.rebate = market, rebate
        self.possible = all([self._add_want(want) for want in demand.wants])
        self._add_extras(demand)
        price = {sku: market.ware(sku).price for sku in self.pieces}
        self.subtotal = sum(price[sku] * n for sku, n in self.pieces.items())
        self._add_rebate(demand)

    def _add_want(self, want: Want) -> bool:
        wares = [self._market.ware(choice.sku) for choice in want.choices]
        for ware in wares:
            self.pieces[ware.sku] = self.model.new_int_var(0, ware.stock, ware.sku)
        if want.amount == "all":
            for ware in wares:
                self.model.add(self.pieces[ware.sku] == ware.stock)
            return any(ware.stock for ware in wares)
        if want.amount == "each":
            for ware in wares:
                self.model.add(self.pieces[ware.sku] == 1)
            return bool(wares)
        units = sum(choice.units * self.pieces[choice.sku] for choice in want.choices)
        if not wares:
            return False
        if want.amount == "exact":
            self.model.add(units == want.quantity)
        else:
            self.model.add(units >= 1)
            if want.quantity is not None:
                self.model.add(units <= want.quantity)
            self.units.append(units)
        return True

    def _add_extras(self, demand: Demand) -> None:
        needed = {sku for sku, _ in self.rebate.requires} if self.rebate else set()
        for sku in demand.extras:
            if sku in needed or (self.rebate and self.rebate.min_subtotal):
                stock = self._market.ware(sku).stock
                self.pieces[sku] = self.model.new_int_var(0, stock, sku)

    def _add_rebate(self, demand: Demand) -> None:
        most = demand.limit.most if demand.limit else None
        rebate = self.rebate
        if rebate:
            for sku, least in rebate.requires:
                self.possible = self.possible and sku in self.pieces
                if self.possible:
                    self.model.add(self.pieces[sku] >= least)
            self.model.add(self.subtotal >= rebate.least_subtotal)
            most = rebate.dearest_subtotal(most) if most is not None else None
        if most is not None:
            self.model.add(self.subtotal <= most)

    def best(self, objective: Any, largest: bool) -> int | None:
        """The largest or least value of an expression, None where no basket is possible."""
        if not self.possible:
            return None
        (self.model.maximize if largest else self.model.minimize)(objective)
        solver = self._solver()
        status = solver.solve(self.model)
        self.model.clear_objective()
        if status == self._cp.INFEASIBLE:
            return None
        if status != self._cp.OPTIMAL:
            raise SolverFailed(f"CP-SAT ended as {solver.status_name(status)}")
        # Read from the solution: the objective itself is a float that may lie below the integer.
        return int(solver.value(objective))

    def enumerate(self) -> list[dict[str, int]]:
        """Every basket that meets the model."""
        found: list[dict[str, int]] = []
        variables = self.pieces

        class Collect(self._cp.CpSolverSolutionCallback):  # type: ignore[misc, name-defined]
            def on_solution_callback(self) -> None:
                found.append({sku: self.value(n) for sku, n in variables.items()})
                if len(found) > MOST_ANSWERS:
                    self.stop_search()

        solver = self._solver()
        solver.parameters.enumerate_all_solutions = True
        status = solver.solve(self.model, Collect())
        if len(found) > MOST_ANSWERS:
            raise TooManyAnswers(f"more than {MOST_ANSWERS} purchases are equally good")
        if status not in (self._cp.OPTIMAL, self._cp.INFEASIBLE):
            raise SolverFailed(f"CP-SAT ended as {solver.status_name(status)}")
        return found

    def _solver(self) -> Any:
        solver = self._cp.CpSolver()
        # One worker and a fixed seed: the same work on every machine.
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        return solver


def search(demand: Demand, market: Market) -> list[Purchase]:
    """All best purchases of a demand without its alternatives.

    Raises `SolverMissing`, `SolverFailed` or `TooManyAnswers`.
    """
    if demand.hopeless:
        return []
    options: list[Rebate | None] = [None] if demand.coupon_rule in ("none", "may") else []
    if demand.coupon_rule != "none":
        options += market.live(demand.codes)
    models = [_Model(demand, market, option) for option in options]
    return _with_best_money(demand, market, _with_most_units(models))


def _with_most_units(models: list[_Model]) -> list[_Model]:
    if not any(model.units for model in models):
        return models
    most = [(model.best(sum(model.units), largest=True), model) for model in models]
    top = max((units for units, _ in most if units is not None), default=None)
    kept = [model for units, model in most if units is not None and units == top]
    for model in kept:
        model.model.add(sum(model.units) == top)
    return kept


def _with_best_money(demand: Demand, market: Market, models: list[_Model]) -> list[Purchase]:
    reached = []
    for model in models:
        subtotal = model.best(model.subtotal, largest=demand.goal == "dearest")
        if subtotal is not None:
            off = model.rebate.off(subtotal) if model.rebate else 0
            reached.append((subtotal - off, subtotal, model))
    if demand.goal == "cheapest" and reached:
        total = min(entry[0] for entry in reached)
        reached = [entry for entry in reached if entry[0] == total]
    purchases = []
    for total, subtotal, model in reached:
        rebate = model.rebate
        if demand.goal == "dearest":
            model.model.add(model.subtotal == subtotal)
        elif demand.goal == "cheapest":
            ends = (subtotal, rebate.dearest_subtotal(total) if rebate else subtotal)
            model.model.add_linear_constraint(model.subtotal, *ends)
        for found in model.enumerate():
            purchases.append(Purchase.of(demand, market, rebate, found))
    return purchases
