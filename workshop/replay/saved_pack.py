"""A recorded task as a pack of one scenario: the world as far as its calls have seen it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import regex
from pydantic import BaseModel

from company_tools.company_facts import USUAL_LIMIT
from company_tools.final_answer import OUTCOMES
from company_tools.sums import KINDS
from core.erc3_client.own import company_models as wire
from core.ledger import ToolCall, WireCall
from core.runs.task_record import TaskRecord
from core.tools.paging import limit_told
from store_tools.basket import APPLY, CHECKOUT
from workshop.scripted.prompt import Prompt
from workshop.simulator.company.world import COMPANY
from workshop.simulator.pack_files import PackError
from workshop.simulator.store.world import STORE
from workshop.simulator.world import Refusal, read_request
from workshop.simulator.worlds import read_pack

Facts = dict[str, Any]
"""A record, a scenario or a pack as JSON holds it."""
_UNKNOWN = "not known from the record; look at it"


@dataclass(frozen=True)
class SeenTask:
    """A task as its calls saw it."""

    spec_id: str
    text: str
    calls: Sequence[ToolCall]
    """All calls of the task, in order."""
    result: Mapping[str, Any] | None = None
    """How it ended, if it has."""
    edited: Sequence[ToolCall] = ()
    """Those that a person has answered; what they say wins over the others."""
    shown: Sequence[Facts] = ()
    """Products that its first prompt showed."""

    def dicts(self) -> Iterator[Facts]:
        """Every dict within the results, outer ones first."""
        for call in (*self.edited, *self.calls):
            yield from _dicts_in(call.result)

    @property
    def requests(self) -> list[WireCall]:
        """What was sent."""
        return [request for call in self.calls for request in call.requests]

    @property
    def page_limit(self) -> int | None:
        """The page limit that an error told, -1 where it forbids listing; None: no error did."""
        limits = (limit_told(request.error) for request in self.requests)
        told = next((limit for limit in limits if limit is not None), None)
        return told if told is None or told > 0 else -1

    @property
    def is_scored(self) -> bool:
        """Whether the platform was content."""
        return bool(self.result and self.result.get("score") == 1)


def shown_products(log: TaskRecord | None) -> list[Facts]:
    """The products of a shop that a prompt of a recorded task shows whole; else none."""
    calls = [(turn, call) for turn in (log.last if log else ()) for call in turn.asked]
    prompts = (turn.prompt(call) for turn, call in calls)
    texts = (Prompt.of([{"role": r, "content": t} for r, t in prompt]) for prompt in prompts)
    return next((text.catalog for text in texts if text.catalog), [])


def pack_of(benchmark: str, task: SeenTask) -> Facts:
    """A pack with one scenario; what no answer showed is not in it.

    Raises ValueError: the benchmark has no packs, or what was seen makes none.
    """
    if benchmark not in _WORLDS:
        raise ValueError("this benchmark makes no packs of recorded tasks")
    try:
        pack: Facts = _WORLDS[benchmark](task)
        read_pack(json.dumps(pack))
    except PackError as error:
        raise ValueError(f"what was seen makes no pack: {error}") from None
    return pack


def _pack(format: str, task: SeenTask, scenario: Facts, note: str, **beside: Facts) -> Facts:
    said = f"from a recorded run{', answers edited' if task.edited else ''}; expectation: {note}"
    whole = {"spec_id": task.spec_id, "task_text": task.text, **scenario, "notes": said}
    return {"format": format, "name": f"recorded-{task.spec_id}", **beside, "scenarios": [whole]}


def _dicts_in(value: object) -> Iterator[Facts]:
    if isinstance(value, dict):
        if isinstance(data := value.get("data"), dict):  # a row that says what it is for
            yield {"items": value.get("primary"), "coupon": value.get("secondary"), **data}
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _dicts_in(part)


# The store.

_PRODUCT = ("sku", "name", "price", "available")
_DEFAULT_PAGE = 10
_SHORT = regex.compile(
    r"insufficient inventory for product (?P<sku>.+?) during checkout: available (?P<left>\d+)"
)


def _store_pack(task: SeenTask) -> Facts:
    products, coupons = _products(task), _coupons(task)
    expect, note = _purchase(task)
    for event in expect.get("any_of", []):
        for item in event["items"]:
            sku, price = item["sku"], item.get("price", 0)
            unlisted = {"sku": sku, "name": sku, "price": price, "available": item["quantity"]}
            products.setdefault(sku, unlisted)
        code = event["coupon"]
        if code and code not in coupons:
            coupons[code] = {"code": code, "discount": {"amount": max(1, event["discount"])}}
    scenario = {
        "page_limit": task.page_limit or _DEFAULT_PAGE,
        "products": list(products.values()),
        "coupons": list(coupons.values()),
        "expect": expect,
    }
    return _pack(STORE.format, task, scenario, note)


def _products(task: SeenTask) -> dict[str, Facts]:
    """Products by sku, with the stock that a refused checkout brought to light."""
    products: dict[str, Facts] = {}
    for one in (*task.dicts(), *task.shown):
        if set(_PRODUCT) <= one.keys():
            products.setdefault(str(one["sku"]), {field: one[field] for field in _PRODUCT})
    for short in filter(None, (_SHORT.search(call.error or "") for call in task.calls)):
        if short["sku"] in products:
            products[short["sku"]].setdefault("stock_at_checkout", int(short["left"]))
    return products


def _coupons(task: SeenTask) -> dict[str, Facts]:
    """Codes that the shop took, with the discount that showed: dollars, or else a percentage."""
    taken = (w.body.get("coupon") for w in task.requests if w.path == APPLY and w.outcome == "done")
    paid: dict[str, list[Facts]] = {str(code): [] for code in taken if code}
    for basket in task.dicts():
        if {"coupon", "subtotal", "discount"} <= basket.keys() and basket["discount"]:
            paid.setdefault(str(basket["coupon"]), []).append(basket)
    return {code: {"code": code, "discount": _discount(seen)} for code, seen in paid.items()}


def _discount(paid: list[Facts]) -> Facts | None:
    """The same dollars each time, or else the whole percents that explain every basket."""
    amounts = {basket["discount"] for basket in paid}
    if len(amounts) > 1:
        for percent in range(1, 101):
            if all(b["subtotal"] * percent // 100 == b["discount"] for b in paid):
                return {"percent": percent}
    return {"amount": min(amounts)} if amounts else None


def _purchase(task: SeenTask) -> tuple[Facts, str]:
    """The purchase that the platform wanted, where the result tells; and where that is from."""
    if task.result and task.result.get("group") == "refuse":
        return {"checkouts": 0}, "the platform wanted no checkout"
    receipts = [
        call.result
        for call in task.calls
        if call.outcome == "done" and isinstance(call.result, dict)
        if any(w.path == CHECKOUT and w.outcome == "done" for w in call.requests)
    ]
    if not (task.is_scored and receipts):
        return {"checkouts": 0}, _UNKNOWN
    items = [{"sku": i["sku"], "quantity": i["quantity"]} for i in receipts[-1]["items"]]
    event = {k: receipts[-1][k] for k in ("subtotal", "coupon", "discount", "total")}
    expect = {"checkouts": 1, "any_of": [{"items": items, **event}]}
    return expect, "the purchase that scored"


# The company.

_NAME = "recorded"
_TODAY = "2025-01-01"
_TABLES: dict[str, tuple[type[BaseModel], set[str]]] = {
    "employees": (wire.EmployeeView, {"id", "name", "email", "salary"}),
    "customers": (wire.CompanyDetail, {"id", "name", "deal_phase"}),
    "projects": (wire.ProjectDetail, {"id", "name", "customer", "status"}),
    "time_entries": (wire.TimeEntryWithID, {"id", "employee", "date", "hours"}),
}
"""The records of each table, and the fields that one must show to be one."""
_NOT_SHOWN: Facts = {"skills": [], "wills": [], "team": [], "billable": False, "status": "draft"}
"""What stands for fields that no answer showed; for all others an empty text."""


def _company_pack(task: SeenTask) -> Facts:
    shown = list(task.dicts())
    tables = {table: _records(table, shown) for table in _TABLES}
    users = [one.get("current_user") or one.get("user") for one in shown]
    users += [w.body.get(name) for w in task.requests for name in ("changed_by", "logged_by")]
    user = next((str(user) for user in users if user), None)
    _complete(tables, user)
    wiki: dict[str, str] = {}
    for one in reversed(shown):
        if {"file", "content"} <= one.keys():
            wiki[str(one["file"])] = str(one["content"])
        elif isinstance(file := one.get("primary"), str) and isinstance(one.get("data"), str):
            wiki[file] = one["data"]
    verdict = task.result.get("verdict") if task.result else None
    expect: Facts = {"outcomes": [verdict if verdict in OUTCOMES else "ok_answer"]}
    scenario = {
        "company": _NAME,
        "user": user,
        "today": next((str(one["today"]) for one in shown if one.get("today")), _TODAY),
        "page_limit": task.page_limit or USUAL_LIMIT,
        "expect": expect,
    }
    rows = {name: sorted(t.values(), key=lambda row: row["id"]) for name, t in tables.items()}
    companies = {_NAME: {"name": "Recorded", **rows, "wiki": wiki}}
    is_known = task.is_scored and verdict in OUTCOMES
    note = "the answer that scored" if is_known else _UNKNOWN
    pack = _pack(COMPANY.format, task, scenario, note, companies=companies)
    if is_known:
        expect["events"] = _events(pack, task)
    return pack


def _records(table: str, shown: Sequence[Facts]) -> dict[str, Facts]:
    """Records by id: each field as it was shown first."""
    model, needed = _TABLES[table]
    records: dict[str, Facts] = {}
    for one in shown:
        if needed <= one.keys() and isinstance(one["id"], str):
            known = records.setdefault(one["id"], {})
            for field in model.model_fields:
                value = one.get(field)
                if field in KINDS and isinstance(value, dict):  # as tools show levels
                    value = [{"name": name, "level": level} for name, level in value.items()]
                if value is not None:
                    known.setdefault(field, value)
    return {id: _record(table, **known) for id, known in records.items()}


def _record(table: str, **known: Any) -> Facts:
    fields = _TABLES[table][0].model_fields
    return {field: known.get(field, _NOT_SHOWN.get(field, "")) for field in fields}


def _complete(tables: dict[str, dict[str, Facts]], user: str | None) -> None:
    """Add records that others only point to."""
    projects, customers = tables["projects"], tables["customers"]
    for entry in tables["time_entries"].values():
        id, customer = entry["project"], entry["customer"]
        if id and id not in projects:
            about = {"name": id, "customer": customer, "status": "active"}
            projects[id] = _record("projects", id=id, **about)
        if customer and customer not in customers:
            about = {"name": customer, "deal_phase": "active"}
            customers[customer] = _record("customers", id=customer, **about)
    named = [user, *(member["employee"] for p in projects.values() for member in p["team"])]
    named += [one["account_manager"] for one in customers.values()]
    named += [one["employee"] for one in tables["time_entries"].values()]
    people = tables["employees"]
    for id in filter(None, named):
        people.setdefault(id, _record("employees", id=id, name=id, salary=0))
    for one in customers.values():
        if not one["account_manager"] and people:
            one["account_manager"] = next(iter(people))


def _events(pack: Facts, task: SeenTask) -> list[Facts]:
    """The events of the changes that were made: what they are in the company of the pack."""
    read = read_pack(json.dumps(pack))
    state = COMPANY.open_task(read, read.scenarios[0])
    for request in task.requests:
        if request.kind == "write" and request.outcome == "done" and request.path != "/respond":
            route = COMPANY.routes[request.path]
            with suppress(Refusal):  # a record that no answer showed
                route.answer(state, read_request(route.request, request.body))
    # The number of a new entry is another one where not all entries were seen.
    return [
        {"type": act.type} | {k: v for k, v in act.fields.items() if (act.type, k) != _NEW_ID}
        for act in state.acts
    ]


_NEW_ID = ("Evt_TimeEntryLogged", "id")
_WORLDS = {STORE.name: _store_pack, COMPANY.name: _company_pack}
"""By the name of the benchmark."""
