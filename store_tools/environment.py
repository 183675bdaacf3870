"""The store benchmark as the coordinator sees it: tools, state, rules, and when it is over."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import regex
from pydantic import ValidationError

from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, LedgerEntry, Tool, ToolCall, WireCall
from core.ledger.tool import plain, retold
from core.runs.task import Declined, TaskProgress
from core.tools.nowhere import Nowhere
from core.tools.task_api import ApiClient
from store_tools.basket import APPLY, CHECKOUT
from store_tools.combo_basket import basket_tools, cheapest_tool
from store_tools.combo_products import product_tools
from store_tools.order import lone_order
from store_tools.requests import request_tools
from store_tools.shown_catalog import catalog_text
from store_tools.store_session import StoreSession, catalog_or_none

_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
RULES: str = _TEXTS["rules"]
_CHALLENGES: dict[str, str] = _TEXTS["challenges"]
ENDING = '"DONE" or "DECLINED: reason"'
GROUPS = ("buy", "refuse")
_MATCHES_COUNT = regex.compile(r"Expected number of checkout events(?: matches)?: (\d+)")
_ANSWER = regex.compile(r"\b(?:DECLINED|(?P<claim>DONE))\b", regex.IGNORECASE)
"""The first of these words of :data:`ENDING` says what a FINISH means."""


def tools_of(session: StoreSession) -> list[Tool]:
    """Every tool of one shop, in the order in which prompts list them."""
    return [
        *product_tools(session),
        cheapest_tool(session),
        *basket_tools(session),
        *request_tools(session),
    ]


def tools() -> list[Tool]:
    """Every tool that the worker's code may call, without a shop; calling one is refused."""
    return tools_of(StoreSession(Nowhere("shop")))


def calls_of_order(instruction: str) -> list[tuple[str, dict[str, object]]]:
    """The calls that set and buy what a CHECKOUT line orders that is alone in its instruction.

    []: the instruction is something else.
    """
    order = lone_order(instruction)
    if order is None:
        return []
    items = [{"sku": sku, "quantity": quantity} for sku, quantity in order.items.items()]
    basket: dict[str, object] = {"items": items, "coupon": order.coupon}
    return [("Combo_Set_Basket_For_Items", basket), ("Req_CheckoutBasket", {})]


class StoreEnvironment:
    """One task's shop: it ends by its checkout, or without one, and nothing else is sent."""

    def __init__(
        self,
        client: ApiClient,
        retry_policy: RetryPolicy | None = None,
        docs: Mapping[str, str] | None = None,
    ) -> None:
        """``docs``: other texts of tools, by name."""
        self._session = StoreSession(client, retry_policy)
        self._tools = retold(tools_of(self._session), docs or {})
        self._briefing: str | None = None
        self._shown_whole = False
        """Whether the prompt shows every product."""

    @contextmanager
    def bind(self, ledger: Ledger) -> Iterator[list[Tool]]:
        """The tools for one instruction; while it lasts, requests are recorded in its ledger."""
        with self._session.recording_to(ledger):
            try:
                yield list(self._tools)
            finally:
                self._session.end_work(ledger.calls)

    def briefing(self, ledger: Ledger, task: str = "") -> str:
        """The catalog as the shop lists it, for the prompt; "" where it does not.

        A listing that is refused, or cannot be believed, is left to the tools, as if nobody had
        asked for it. The catalog is read once: later turns show what the first one was decided on.

        Raises:
            OutOfReach: the shop does not answer.
        """
        if self._briefing is None:
            with self._session.recording_to(ledger):
                catalog = catalog_or_none(self._session)
            self._briefing, skus = catalog_text(catalog)
            self._session.shown.update(skus)
            self._shown_whole = 0 < len(skus) == len(catalog)
        return self._briefing

    def state(self, ledger: Ledger) -> str:
        """The basket as JSON text, read from the shop now; after a checkout the receipt too.

        Raises:
            ToolFault: the shop does not answer.
        """
        with self._session.recording_to(ledger):
            state: dict[str, object] = {"basket": plain(self._session.view())}
        if self._session.facts.receipts:
            state["checked_out"] = plain(self._session.facts.receipts)
        return json.dumps(state, ensure_ascii=False)

    def repeat(self, requests: Sequence[WireCall], ledger: Ledger) -> list[str]:
        """Send the writes among recorded requests again; what was answered otherwise now.

        Raises:
            ToolFault: the shop does not answer.
        """
        self.briefing(ledger)  # as before the first turn: a repeated checkout moves the stock
        with self._session.recording_to(ledger):
            mismatches = [_repeat(self._session, request) for request in requests]
        return [text for text in mismatches if text]

    def restore(self, entries: Sequence[LedgerEntry]) -> None:
        """Take over what earlier work on this task has learnt and done; nothing is sent."""
        self._session.resume(entries)

    @property
    def progress(self) -> TaskProgress:
        """Purchased after a checkout, which ends the task; else declined.

        A fault is forgotten when a later request of the same kind is answered.
        """
        bought = len(self._session.facts.receipts)
        return TaskProgress(
            ending="purchased" if bought else "declined",
            side_effects=bought,
            finished="checked out" if bought else None,
            unanswered=next(iter(self._session.unanswered.values()), None),
        )

    def check_finish(
        self, final_answer: str, ledger: Ledger, calls: Sequence[ToolCall] = ()
    ) -> str | None:
        """Return an objection if a FINISH with this text contradicts the facts."""
        if self._session.facts.receipts:
            return None
        if not _is_declined(final_answer):
            answer = _ANSWER.search(final_answer)
            if answer is None:
                return _CHALLENGES["no_reason"]
            if answer["claim"]:
                return _CHALLENGES["nothing_bought"]
        if not (self._session.reported or self._shown_whole):
            return _CHALLENGES["not_looked"]
        return None


def _is_declined(final_answer: str) -> bool:
    """Whether a FINISH is the record of code that declines; its reason is not read."""
    try:
        return bool(Declined.model_validate_json(final_answer))
    except ValidationError:
        return False


def group_of(eval_log: str, verdict: str | None = None) -> str | None:
    """The group of a task, as the platform's evaluator or a pack says it, where one tells."""
    if verdict in GROUPS:
        return verdict
    match = _MATCHES_COUNT.search(eval_log)
    if match:
        return "buy" if int(match[1]) else "refuse"
    return "buy" if "Checkout event does not match" in eval_log else None


def _repeat(session: StoreSession, call: WireCall) -> str | None:
    """Send a recorded write again; in words, what was answered otherwise now. Raises OutOfReach."""
    if call.path == APPLY and str(call.body.get("coupon")) in session.facts.rejected_coupons:
        return None
    if call.path != CHECKOUT:
        return session.repeat(call)
    session.catalog = None
    return session.repeat(call, session.certain().model_dump())
