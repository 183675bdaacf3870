"""Pages about a platform: its sessions, its tasks, and the log of each; they only show.

A page is drawn on the server's own thread, between two calls of the API, so what it shows is never
half changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from workshop.simulator.app import OUR_NAMES
from workshop.simulator.platform import Platform, Task, TaskStatus
from workshop.simulator.world import Refusal

HEADERS = {
    "Refresh": "5",
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
ROWS = 500
"""Rows of a table that are shown; of a log the last ones."""
CHARS = 4_000
"""Characters of a text that are shown."""
HIDDEN = "account_key"


@dataclass(frozen=True, slots=True)
class Link:
    """A cell that leads to another page."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a title; `total` is how many there are in all."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    total: int


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows: facts and texts by their names, then tables."""

    title: str
    texts: dict[str, object]
    tables: tuple[Table, ...]


def page_routes(platform: Platform) -> list[BaseRoute]:
    """The routes of the pages about a platform."""
    pages: dict[str, Callable[[Platform, str], Page]] = {
        "/": _home,
        "/benchmarks/{id}": _benchmark,
        "/sessions/{id}": _session,
        "/tasks/{id}": _task,
    }
    return [Route(path, partial(_answer, platform, page)) for path, page in pages.items()]


async def _answer(
    platform: Platform, page: Callable[[Platform, str], Page], request: Request
) -> Response:
    if not OUR_NAMES.fullmatch(request.headers.get("host", "")):
        text = "These pages answer to localhost, 127.0.0.1 and [::1] only.\n"
        return PlainTextResponse(text, 400, HEADERS)
    try:
        view = page(platform, request.path_params.get("id", ""))
    except Refusal:
        raise HTTPException(404, "there is nothing of this id; / lists what there is") from None
    names = [one for served in platform.served for one in served.world.benchmarks[:1]]
    return HTMLResponse(_template().render(page=view, benchmarks=names), headers=HEADERS)


def _home(platform: Platform, _id: str) -> Page:
    """All sessions and the tasks that belong to none, the newest first."""
    columns = ("Session", "Name", "Architecture", "Started", "Status", "Score", "Tasks completed")
    sessions = [
        (
            Link(one.session_id, f"/sessions/{one.session_id}"),
            one.name,
            ", ".join((one.architecture, *one.flags)),
            _moment(one.created),
            one.status,
            f"{one.score:.3f}",
            f"{one.count('completed')} of {len(one.tasks)}",
        )
        for one in _newest(platform.sessions.values())
    ]
    packs = ", ".join(f"{s.pack.name} ({len(s.pack.scenarios)})" for s in platform.served)
    tables = (
        Table("Sessions", columns, sessions, len(platform.sessions)),
        _tasks("Single tasks", _newest(platform.single_tasks.values()), len(platform.single_tasks)),
    )
    return Page("Platform", {"Packs": packs}, tables)


def _benchmark(platform: Platform, name: str) -> Page:
    """The scenarios of a benchmark. Raises Refusal."""
    scenarios = platform.served_as(name).pack.scenarios
    rows = [(one.spec_id, one.task_text) for one in scenarios[:ROWS]]
    table = Table("Scenarios", ("Scenario", "Text"), rows, len(scenarios))
    return Page(f"Benchmark {name}", {}, (table,))


def _session(platform: Platform, session_id: str) -> Page:
    """One session with its tasks in the order of the pack. Raises Refusal."""
    one = platform.session(session_id)
    texts: dict[str, object] = {
        "Name": one.name,
        "Architecture": one.architecture,
        "Started": _moment(one.created),
        "Status": one.status,
        "Score": f"{one.score:.3f}",
    }
    texts["Tasks"] = ", ".join(f"{one.count(status)} {status}" for status in get_args(TaskStatus))
    return Page(one.session_id, texts, (_tasks("Tasks", one.tasks[:ROWS], len(one.tasks)),))


def _task(platform: Platform, task_id: str) -> Page:
    """One task: what it says, what was done, how it was judged, and its log. Raises Refusal."""
    one = platform.task(task_id)
    texts: dict[str, object] = {
        "Scenario": one.scenario.spec_id,
        "Session": one.session_id or "none",
        "Text": one.scenario.task_text,
        "Status": one.status,
        "Score": one.score if one.evaluation else "none",
        "Model calls": one.model_calls,
        "Evaluator": one.evaluation.logs if one.evaluation else "",
        platform.served_as(one.benchmark).world.acts_name: _json(one.acts),
    }
    start = max(0, len(one.log) - ROWS)
    rows = [
        (number, _moment(line.moment), line.type, line.text, _json(_without_key(line.body)))
        for number, line in enumerate(one.log[start:], start + 1)
    ]
    table = Table("Log", ("Line", "Time", "Type", "Text", "Body"), rows, len(one.log))
    return Page(one.task_id, texts, (table,))


def _tasks(title: str, tasks: Iterable[Task], total: int) -> Table:
    rows = [
        (
            Link(one.task_id, f"/tasks/{one.task_id}"),
            one.scenario.spec_id,
            one.scenario.task_text,
            one.status,
            one.score if one.evaluation else "",
        )
        for one in tasks
    ]
    return Table(title, ("Task", "Scenario", "Text", "Status", "Score"), rows, total)


def _newest(oldest_first: Any) -> Iterable[Any]:
    return islice(reversed(oldest_first), ROWS)


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _without_key(body: dict[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (body or {}).items() if name != HIDDEN}


def _json(value: object) -> str:
    return to_json(value, fallback=str).decode() if value else ""


def _plain(value: object) -> object:
    """A value to print; of a text the beginning, with signs that cannot be seen as escapes."""
    if not isinstance(value, str):
        return value
    cut = value if len(value) <= CHARS else f"{value[:CHARS]}… ({len(value):,} characters in all)"
    if type(value) is not str or cut.isprintable():
        return value if cut is value else cut
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in cut
    )


@cache
def _template() -> Any:
    # Jinja2 takes longer to load than the platform: not before somebody looks.
    from jinja2 import Environment, StrictUndefined

    source = Path(__file__).with_name("page.html.jinja").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_plain)
    return environment.from_string(source)
