"""What is known of one task's shop: a fold over the entries of its journal.

A purchase is known from the journal alone. The basket is known from its last view and the writes
that were answered since, and views are not in the journal: after a crash the first view tells.

A move of the basket or a checkout that had no reply may arrive later, also after a look has shown
the basket without it. How long that is possible is counted from when this process took its record:
what an earlier process sent had been sent by then.
"""

from __future__ import annotations

from typing import Any

from core.erc3_client import retry_policy
from core.ledger import WireCall
from core.tools.endpoints import Endpoints
from core.tools.paging import OWN_LARGEST, Listing, limit_told
from core.tools.task_facts import TaskFacts, Write
from store_tools.basket import (
    APPLY,
    CHECKOUT,
    LIST,
    VIEW,
    Basket,
    Mirror,
    flaw_of,
)

FORBIDDEN = "this shop forbids listing its products"
LATE_SECONDS = 3.0
"""So long a request may still arrive after its connection was given up."""


class StoreFacts(TaskFacts):
    """Purchases, the basket, and what the shop has refused or listed."""

    def __init__(self, endpoints: Endpoints) -> None:
        super().__init__(endpoints)
        self.listing = Listing("sku", FORBIDDEN, first=OWN_LARGEST)
        self.taken_over = False
        """Whether earlier work of another process has read anything."""
        self.rejected_coupons: set[str] = set()
        self.receipts: list[Basket] = []
        """Of the purchases that were made; more than one cannot be undone."""
        self.expected: Mirror | None = None
        """The basket by the last view and the writes answered since; None: a view tells."""
        self.late_moves: list[Write] = []
        """Moves that had no reply and may arrive yet; none of them is known to have arrived."""
        self.late_until = 0.0
        """When the last of them has arrived or never will, by the clock of outages."""
        self._unrecorded = False
        """Whether an earlier process may have sent a move without keeping a record of it."""
        self._viewed: Basket | None = None
        self.purchase_late_until = 0.0
        """When the last checkout without a reply has arrived or never will: until then no move is
        sent, as it would buy what that makes of the basket."""
        self._may_arrive = False
        """Whether a checkout that had no reply, and no effect when the basket was looked at, may
        arrive late: nothing was sent since that would find another basket."""

    @property
    def viewed(self) -> Basket | None:
        """The basket as it was seen, where nothing was sent since that may have changed it."""
        return None if self.purchase_in_doubt else self._viewed

    @property
    def purchase_in_doubt(self) -> bool:
        """Whether a checkout was sent that may have taken effect, or may do so yet."""
        return self._may_arrive or self.open_at(CHECKOUT) is not None

    def may_change(self, basket: Basket) -> bool:
        """Whether a move that may arrive yet would make another basket of this one."""
        now = Mirror.of(basket)
        return self._unrecorded or any(
            now.after(move.path, move.body) != now for move in self.late_moves
        )

    def forget_late_moves(self) -> None:
        """Take that the basket was looked at after :attr:`late_until`: it has what has arrived."""
        self.late_moves.clear()
        self._unrecorded = False

    def hand_over(self) -> None:
        """Count moves of earlier work from now on, and one that its process died over."""
        super().hand_over()
        self._unrecorded = True
        self._wait_for_late()
        if self.last(CHECKOUT):
            self.purchase_late_until = self.late_until

    def purchase_shown(self) -> bool | None:
        """Whether the last view shows that a checkout in doubt was made; None: it does not tell.

        A purchase empties the basket. A checkout without effect leaves the basket as it was; of
        one that was refused it is enough that the basket is not empty.
        """
        purchase, seen = self.last(CHECKOUT), self._viewed
        if purchase is None or seen is None or not self.purchase_in_doubt:
            return None
        now = Mirror.of(seen)
        if not purchase.is_open:
            return None if now.content else True
        if purchase.was_refused:
            return not now.content
        ordered = _ordered(purchase)
        return Mirror.of(ordered).tells(CHECKOUT, {}, now) if ordered else None

    def take_read(self, call: WireCall, answer: Any) -> None:
        """Take a listing, or a look at the basket."""
        self.taken_over |= answer is None and call.outcome == "done"
        if call.path == LIST:
            limit = limit_told(call.error)
            if limit is not None and limit >= 0:
                self.listing.limit = limit
        elif call.path == VIEW:
            self._viewed = None
            if answer is not None and not flaw_of(answer):
                self._viewed, self.expected = answer, Mirror.of(answer)

    def take_reply(self, write: Write) -> None:
        """Take the reply to a checkout, a move of the basket or a coupon."""
        self._viewed = None
        if write.path == CHECKOUT:
            if write.is_open and not write.was_refused:
                self.purchase_late_until = retry_policy.now() + LATE_SECONDS
            self._take_purchase(write)
        else:
            self._take_move(write)

    def take_settled(self, write: Write) -> None:
        """Take what the basket has shown of a write."""
        if write.path == CHECKOUT:
            # A refusal tells nothing of an earlier attempt that had no reply.
            self._may_arrive = self._may_arrive or write.outcome == "lost"
            self._take_purchase(write)
        elif write.outcome == "done" and write in self.late_moves:
            self.late_moves.remove(write)

    def _take_purchase(self, purchase: Write) -> None:
        if purchase.outcome != "done":
            return
        receipt: Basket | None = purchase.answer
        # An empty receipt answers the second arrival of a request that has bought already.
        if receipt is None or not receipt.items:
            receipt = _ordered(purchase) or receipt
        self.receipts.append(receipt or Basket())
        self.expected = Mirror({}, "")
        self._may_arrive = False

    def _take_move(self, write: Write) -> None:
        if write.is_open:
            self.expected = None
            if not write.was_refused:
                self.late_moves.append(write)
                self._wait_for_late()
        elif write.outcome == "done" and self.expected is not None:
            self.expected = self.expected.after(write.path, write.body)
        elif write.path == APPLY and write.was_refused:
            self.rejected_coupons.add(str(write.body.get("coupon")))
        self._may_arrive = False

    def _wait_for_late(self) -> None:
        self.late_until = retry_policy.now() + LATE_SECONDS


def _ordered(purchase: Write) -> Basket | None:
    """The basket that a checkout was sent for, as the journal has it."""
    return Basket.model_validate(purchase.about) if isinstance(purchase.about, dict) else None
