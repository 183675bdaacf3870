"""A shop without HTTP between, on a line that fails as planned."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any

import pytest

from core.erc3_client import ApiError, ApiException, retry_policy
from core.erc3_client.own.store import RESPONSES
from store_tools.store_facts import LATE_SECONDS
from workshop.simulator.platform import Platform
from workshop.simulator.world import Refusal
from workshop.simulator.worlds import read_pack

Content = dict[str, int]


class Direct:
    """The embedded shop without HTTP between; refuses as the client does, and counts.

    `plan` holds what happens at each call of a path: "before" loses the request, "after" the
    answer, "garbage" makes it unreadable, "twice" delivers the request twice, a number is an
    HTTP status, ("late", n) delivers a request that was lost just before the nth call after it, at
    the latest when its time is over, ("too late", n) also after that; None lets it through.
    """

    def __init__(self, shop: dict[str, Any]) -> None:
        whole = {"spec_id": "shop", "task_text": "t", "page_limit": 3, "expect": {"checkouts": 0}}
        pack = {"format": "store-pack/1", "name": "p", "scenarios": [{**whole, **shop}]}
        self.platform = Platform(read_pack(json.dumps(pack)))
        self.task: Any = self.platform.start_new_task("store", "shop")
        self.sent: list[str] = []
        self.plan: dict[str, list[Any]] = {}
        self._late: list[tuple[int, float, Any]] = []

    def dispatch(self, request: Any) -> Any:
        self._arrive_late()
        self.sent.append(request.tool)
        waiting = self.plan.get(request.tool)
        what = waiting.pop(0) if waiting else None
        if isinstance(what, tuple):
            last = inf if what[0] == "too late" else retry_policy.now() + LATE_SECONDS
            self._late.append((len(self.sent) + what[1], last, request))
        if what == "before" or isinstance(what, tuple):
            raise OSError("connection lost")
        if isinstance(what, int):
            raise ApiException(ApiError(status=what, error="busy", code=""), None)
        answer = self._deliver(request)
        if what == "twice":
            with suppress(ApiException):
                self._deliver(request)
        if what == "after":
            raise OSError("connection lost")
        if what == "garbage":
            raise ApiException(ApiError(status=200, error="<html>", code=""), None)
        return RESPONSES[request.tool].model_validate(answer)

    def _deliver(self, request: Any) -> dict[str, Any]:
        try:
            body = request.model_dump(exclude={"tool"})
            return self.platform.call(self.task.task_id, request.tool, body)
        except Refusal as error:
            raise ApiException(ApiError(status=400, error=str(error), code=""), None) from None

    def _arrive_late(self) -> None:
        now, number = retry_policy.now(), len(self.sent) + 1
        due = [request for at, last, request in self._late if at <= number or last <= now]
        self._late = [one for one in self._late if one[0] > number and one[1] > now]
        for request in due:
            with suppress(ApiException):
                self._deliver(request)

    def put(self, content: Content, coupon: str) -> None:
        """Fill the basket past the line."""
        for sku, quantity in content.items():
            self.task.world.add(sku, quantity)
        self.task.world.apply_coupon(coupon)

    @property
    def counted(self) -> Counter[str]:
        return Counter(self.sent)

    @property
    def held(self) -> tuple[Content, str]:
        basket = self.task.world.view()
        return {line.sku: line.quantity for line in basket.lines}, basket.coupon

    @property
    def bought(self) -> list[tuple[Content, str, int]]:
        """Content, coupon and total of every purchase, by the shop's own books."""
        return [
            ({line.sku: line.quantity for line in p.lines}, p.coupon, p.total)
            for p in self.task.world.purchases
        ]


@pytest.fixture(scope="session")
def direct() -> Callable[[dict[str, Any]], Direct]:
    return Direct
