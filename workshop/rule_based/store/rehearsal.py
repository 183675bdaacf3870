"""A playbook's program, played up to its first call that has no answer yet.

The programs are those that a worker's sandbox runs. Here their tools answer from a list of earlier
answers, in order; the first call beyond it ends the run and is what has to be called next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.ledger import ToolFault
from core.models.prompt_json import compact
from core.models.tokens import count_text
from store_tools.combinations import combinations_for

PART_TOKENS = 3_700
"""What one coupon search may answer at most, estimated: it must stand in a prompt whole."""
ROW_TOKENS = 18
"""Of one result, besides its items."""
CHEAPEST, LARGEST = 8, 4
"""Results of a search that a program looks at: the cheapest, and those with most discount."""


class Halted(Exception):
    """The program cannot go on; the text says why."""


@dataclass(frozen=True)
class Result:
    """What a call was answered, as far as a program needs it."""

    value: Any = None
    error: str | None = None
    cut: bool = False
    """Part of the answer was left out."""

    def record(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"error": self.error} if self.error is not None else {"value": self.value}

    @classmethod
    def of(cls, record: Any) -> Result:
        """A result from its plain data."""
        return cls(value=record.get("value"), error=record.get("error"))


class Wanted(BaseException):
    """The call that a program makes next. No program may catch it, so it is no Exception."""

    def __init__(
        self,
        tool: str,
        arguments: dict[str, Any],
        seen: list[Result],
        final: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(tool)
        self.tool = tool
        self.arguments = arguments
        self.seen = seen
        """What the calls before it were answered."""
        self.final = final
        """Where it buys: all that is expected of the basket."""


def rehearse(
    code: str, parameters: Mapping[str, Any], results: Sequence[Result]
) -> Wanted | Mapping[str, Any]:
    """Run a program: its next call, or its report where every call was answered.

    Raises:
        Halted: a call failed that the program cannot do without, or an answer was cut.
    """
    stage = _Stage(parameters, results)
    try:
        exec(compile(code, "playbook", "exec"), stage.names())
    except Wanted as wanted:
        return wanted
    except ToolFault as fault:
        raise Halted(fault.text) from None
    return stage.report


class _Stage:
    """The tools as a program sees them."""

    def __init__(self, parameters: Mapping[str, Any], results: Sequence[Result]) -> None:
        self._parameters = parameters
        self._results = list(results)
        self._seen: list[Result] = []
        self.report: Mapping[str, Any] = {}

    def names(self) -> dict[str, Any]:
        """What a program can name."""
        tools: list[Callable[..., Any]] = [
            self.Combo_Find_Products_For_Query,
            self.Combo_List_All_Products,
            self.Combo_Generate_Product_Combinations_For_Target_Units,
            self.Combo_Test_Coupons_For_Product_Combinations,
            self.Combo_Set_Basket_For_Items,
            self.Combo_Empty_Basket,
            self.Req_CheckoutBasket,
            self.final_answer,
        ]
        return {"p": self._parameters} | {tool.__name__: tool for tool in tools}

    def final_answer(self, report: Mapping[str, Any]) -> None:
        self.report = report

    def Combo_Find_Products_For_Query(self, query: str) -> Any:
        return self._ask("Combo_Find_Products_For_Query", {"query": query})

    def Combo_List_All_Products(self, refresh: bool = False) -> Any:
        """The cheapest ones, as many as the program takes."""
        most = int(self._parameters["whole_catalog"])
        arguments = {"refresh": True} if refresh else {}

        def kept(answer: Any) -> Any:
            cheapest = sorted(answer["products"], key=lambda p: p["price"])[:most]
            return {"products": cheapest}

        return self._ask("Combo_List_All_Products", arguments, kept if most else _nothing)

    def Combo_Generate_Product_Combinations_For_Target_Units(
        self, products: list[dict[str, Any]], target_units: int
    ) -> Any:
        # It sends no request: what the tool would answer can be said at once.
        return combinations_for(products, target_units)

    def Combo_Test_Coupons_For_Product_Combinations(
        self, combinations: list[list[dict[str, Any]]], coupons: list[str], every: bool = False
    ) -> Any:
        """The search in parts whose answers can be read whole, put together as one."""
        nothing: dict[str, Any] = {"results": [], "errors": []}
        found = nothing
        for number, part in enumerate(_parts(combinations, len(coupons))):
            arguments = {"combinations": part, "coupons": coupons, "every": every}
            answer = self._ask("Combo_Test_Coupons_For_Product_Combinations", arguments, _best)
            found = _together(found, answer)
            # The best so far stands once, whatever the number of parts.
            self._seen[-1] = Result(found)
            if number:
                self._seen[-2] = Result(nothing)
        return found

    def Combo_Set_Basket_For_Items(
        self, items: list[dict[str, Any]], coupon: str
    ) -> dict[str, Any]:
        """Nothing is called: the completion that buys sets the basket first."""
        return {}

    def Combo_Empty_Basket(self) -> Any:
        return self._ask("Combo_Empty_Basket", {}, _nothing)

    def Req_CheckoutBasket(self, expected_total: int, expected_coupon: str) -> Any:
        final = {
            "expected_total": expected_total,
            "expected_coupon": expected_coupon,
            "expected_items": self._parameters["items"],
        }
        return self._ask("Req_CheckoutBasket", {}, final=final)

    def _ask(
        self,
        tool: str,
        arguments: dict[str, Any],
        kept: Callable[[Any], Any] = lambda answer: answer,
        final: dict[str, Any] | None = None,
    ) -> Any:
        """The recorded answer to the next call, of which only what is ``kept`` is gone on with.

        Raises:
            Wanted: there is none.
            ToolFault: the call failed.
            Halted: the answer is not whole.
        """
        at = len(self._seen)
        if at == len(self._results):
            raise Wanted(tool, arguments, self._seen, final)
        result = self._results[at]
        if result.error is not None:
            self._seen.append(result)
            raise ToolFault(result.error)
        if isinstance(result.value, dict) and "error" in result.value:
            self._seen.append(Result(error=result.value["error"]["text"]))
            raise ToolFault(result.value["error"]["text"])
        if result.cut and kept is not _nothing:
            raise Halted(f"the answer of {tool} is too long to be read whole")
        value = None if result.cut else kept(result.value)
        self._seen.append(Result(value))
        return value if kept is not _nothing else {"products": []}


def _nothing(_answer: Any) -> None:
    """Nothing of an answer is needed."""


def _parts(
    combinations: list[list[dict[str, Any]]], coupons: int
) -> Iterable[list[list[dict[str, Any]]]]:
    part: list[list[dict[str, Any]]] = []
    tokens = 0
    for items in combinations:
        size = (ROW_TOKENS + count_text(compact(items))) * (coupons + 1)
        if part and tokens + size > PART_TOKENS:
            yield part
            part, tokens = [], 0
        part.append(items)
        tokens += size
    if part:
        yield part


def _best(answer: Any) -> Any:
    """What a program takes of a search, in the order of the tool; it can be taken of parts."""
    rows = answer["results"]
    with_code = [r for r in rows if r["coupon"]]
    largest = sorted(with_code, key=lambda r: -r["discount"])[:LARGEST]
    kept = [r for r in rows if r in rows[:CHEAPEST] or r in largest or r in with_code[:CHEAPEST]]
    return {"results": kept, "errors": answer["errors"][:12]}


def _together(one: Any, other: Any) -> Any:
    """Two parts of a search as one; a code that gave nothing in one may give something in the
    other."""
    rows = {compact(row): row for row in (*one["results"], *other["results"])}
    order = sorted(rows.values(), key=lambda r: (r["total"], r["coupon"] != "", len(r["items"])))
    useful = {row["coupon"] for row in order}
    errors = {compact(e): e for e in (*one["errors"], *other["errors"])}
    left = [e for e in errors.values() if e.get("coupon") not in useful]
    return _best({"results": order, "errors": left})
