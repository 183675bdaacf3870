"""The store benchmark as the coordinator sees it: tools, state, rules, and when it is over."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

import regex

from erc3_compat.patience import Patience
from ledger import Deed, Ledger, Tool, WireCall
from store_tools.combo_basket import basket_tools
from store_tools.combo_products import product_tools
from store_tools.repeat import recall, repeat_request
from store_tools.requests import request_tools
from store_tools.store_session import StoreSession
from tooling.api_session import ApiClient

RULES = """\
- A shop: products at whole-dollar prices, one basket, one coupon slot, \
one irreversible checkout that ends the task. <state> shows the basket now.
- Listed stock may be too high, never too low; only checkout knows.
- A coupon counts only when the basket shows a discount; an accepted code may do nothing.
- A shop's name may say more than the task (size, maker): it fits all the same. Never ask for an \
exact name.
- "Nx thing": N pieces of it. "N things": N single units, which packs add up to. "a thing", "the \
cheapest thing": one piece. No number: any number that meets the conditions.
- Buy exactly what is asked or nothing at all."""
_MATCHES_COUNT = regex.compile(r"Expected number of checkout events(?: matches)?: (\d+)")
_ANSWER = regex.compile(
    r"\b(?:(?P<refusal>DECLIN\w*|REFUS\w*|IMPOSSIBLE|CANNOT|CAN[’']T|NO PURCHASE"
    r"|NOT(?:HING)? (?:WAS |BEEN )?(?:POSSIBLE|BOUGHT|PURCHASED|DONE|COMPLETED))"
    r"|(?P<claim>DONE|BOUGHT|PURCHASED|COMPLETED?|CHECKED OUT))\b",
    regex.IGNORECASE,
)
"""The first of these words says what a FINISH means."""


class StoreBenchmark:
    """One task's shop."""

    name = "store"
    rules = RULES

    def __init__(
        self,
        client: ApiClient,
        guide: str,
        guide_of_steps: str = "",
        patience: Patience | None = None,
    ) -> None:
        self._session = StoreSession(client, patience)
        self._tools = [
            *request_tools(self._session),
            *product_tools(self._session),
            *basket_tools(self._session),
        ]
        self.guide = guide
        self.guide_of_steps = guide_of_steps or guide

    def tools(self, ledger: Ledger) -> list[Tool]:
        """The tools for one instruction, booked in its ledger."""
        self._session.use(ledger)
        return list(self._tools)

    def state(self, ledger: Ledger) -> str:
        """The basket, read afresh, as JSON text; after a checkout the receipt too.

        Where requests have arrived otherwise than answered, a warning says so.

        Raises:
            ToolFault: the shop does not answer.
        """
        self._session.use(ledger)
        state: dict[str, object] = {"basket": self._session.view()}
        if self._session.checkouts:
            state["checked_out"] = self._session.checkouts
        elif self._session.basket_doubt:
            state["warning"] = self._session.basket_doubt
        return json.dumps(state, ensure_ascii=False)

    def repeat(self, requests: Sequence[WireCall], ledger: Ledger) -> list[str]:
        """Send the writes among recorded requests again; what was answered otherwise now.

        Raises:
            ToolFault: the shop does not answer.
        """
        self._session.use(ledger)
        differences = [repeat_request(self._session, request) for request in requests]
        return [text for text in differences if text]

    def recall(self, deeds: Sequence[Deed]) -> None:
        """Take over what earlier work on this task has learnt and done; nothing is sent."""
        recall(self._session, deeds)

    def finished(self) -> str | None:
        """Why nothing more can be done, or None."""
        return "checked out" if self._session.checkouts else None

    def unanswered(self) -> str | None:
        """What the shop has not answered usably, although it was waited for; None: nothing.

        It is forgotten when a later request of the same kind is answered.
        """
        return next(iter(self._session.unanswered.values()), None)

    def challenge(self, words: str) -> str | None:
        """What to ask back when a FINISH with these words does not agree with the facts."""
        if self._session.checkouts:
            return None
        answer = _ANSWER.search(words)
        if answer is None:
            return (
                "CHALLENGE: nothing has been checked out and no reason was given. PROCEED, or "
                "FINISH with DECLINED and the reason."
            )
        if answer["claim"]:
            return (
                "CHALLENGE: nothing has been checked out. If the task can be fulfilled, PROCEED "
                "with the instruction that does it; if not, FINISH with DECLINED and the reason."
            )
        if self._session.catalog is None and not self._session.looked:
            return (
                "CHALLENGE: you decline, but the shop's products have not been looked at. If that "
                "cannot change the answer, FINISH with DECLINED again; otherwise PROCEED."
            )
        return None

    @property
    def checkouts(self) -> int:
        """Successful checkouts so far."""
        return len(self._session.checkouts)

    @staticmethod
    def expected(eval_log: str) -> Literal["buy", "refuse"] | None:
        """What the platform's evaluator says it wanted, where its text tells."""
        found = _MATCHES_COUNT.search(eval_log)
        if found:
            return "buy" if int(found[1]) else "refuse"
        if "Checkout event does not match" in eval_log:
            return "buy"
        return None
