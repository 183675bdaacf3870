"""The application: an index of runs, a page for each, and what has changed since.

Only GET is answered, only to the names of this machine, and only for folders and journals that
were found by listing: nothing of an address is ever made into a path.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from core.runs.find import run_folders
from core.runs.hints import command
from core.runs.journal import journals
from core.runs.results import NAME
from core.runs.task_record import HARM
from workshop.views.live.index import IndexRow, RunState, RunWatch, index_row, mark_of
from workshop.views.report.render import environment, page, policy, record_html
from workshop.views.report.run_page import row_html, rows_of, table
from workshop.views.report.versus import versus_page
from workshop.views.verdict import Judge

HOSTS = ["127.0.0.1", "localhost"]
"""Another name in the Host header is a page elsewhere that had its own name point here."""


def build_app(logs: Path, judge: Judge) -> Starlette:
    """The application over a folder of runs; ``judge`` gives the verdict on two of them."""
    pages = _Pages(logs, judge)
    routes = {
        "/": pages.index,
        "/compare": pages.compare,
        "/runs/{run}/": pages.run,
        "/runs/{run}/changes": pages.changes,
        "/runs/{run}/tasks/{key}": pages.record,
    }
    return Starlette(
        routes=[Route(path, handler, methods=["GET"]) for path, handler in routes.items()],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False)],
    )


class _Pages:
    """The handlers. They are plain functions: Starlette runs them in threads of its own."""

    def __init__(self, logs: Path, judge: Judge) -> None:
        self._logs = logs
        self._versus = lru_cache(maxsize=4)(partial(_versus, judge))
        self._watches: dict[str, RunWatch] = {}
        self._boot = secrets.token_hex(4)
        """Revisions of another server mean nothing here."""

    def index(self, request: Request) -> Response:
        rows = [index_row(folder, time.time()) for folder in run_folders(self._logs)]
        return self._answer(request, _hash(rows), lambda: _index(self._logs, rows))

    def compare(self, request: Request) -> Response:
        """The page of two runs that were ticked, the older one first."""
        named = set(request.query_params.getlist("run"))
        folders = [folder for folder in run_folders(self._logs) if folder.name in named]
        if len(named) != 2 or len(folders) != 2:
            raise HTTPException(404, "name two runs of this folder: /compare?run=A&run=B")
        newer, older = folders
        back = request.query_params.get("swap") == "1"
        pair = (newer, older) if back else (older, newer)
        query = {"run": [older.name, newer.name], "swap": [] if back else ["1"]}
        swapped = f"/compare?{urlencode(query, doseq=True)}"
        files = [path for folder in pair for path in (folder / NAME, *journals(folder))]
        tag = _hash((pair, [mark_of(path) for path in files]))
        return self._answer(request, tag, lambda: _html(self._versus(*pair, swapped, tag)))

    def run(self, request: Request) -> Response:
        state = self._watch(request).look()
        return self._answer(request, self._tag(state), lambda: _html(self._page(state)))

    def changes(self, request: Request) -> Response:
        state = self._watch(request).look()
        since = self._since(request.query_params.get("since", ""))
        return self._answer(
            request, f"{self._tag(state)}.{since}", lambda: JSONResponse(self._news(state, since))
        )

    def record(self, request: Request) -> Response:
        state = self._watch(request).look()
        key = request.path_params["key"]
        record = next((record for record in state.run.tasks if record.key == key), None)
        if record is None:
            raise HTTPException(404, "this run has no such task")
        tag = f"{self._boot}.{state.changed[key]}"
        return self._answer(request, tag, lambda: _html(record_html(record)))

    def _folder(self, request: Request) -> Path:
        for folder in run_folders(self._logs):
            if folder.name == request.path_params["run"]:
                return folder
        raise HTTPException(404, "there is no such run")

    def _watch(self, request: Request) -> RunWatch:
        folder = self._folder(request)
        return self._watches.setdefault(folder.name, RunWatch(folder))

    def _tag(self, state: RunState) -> str:
        return f"{self._boot}.{state.revision}"

    def _since(self, text: str) -> int:
        """The revision that a page has; 0 if it is from an earlier server."""
        boot, _, number = text.partition(".")
        return int(number) if boot == self._boot and number.isdecimal() else 0

    def _page(self, state: RunState) -> str:
        rows = rows_of(state.run.tasks)
        data = {"tasks": [row.data for row in rows], "since": self._tag(state)}
        return page(
            "run.html.jinja", data, live=True, records=(), **table(state.run, rows, state.setup)
        )

    def _news(self, state: RunState, since: int) -> dict[str, Any]:
        # The bars are relative to the largest of all rows, so all are made and few are sent.
        rows = rows_of(state.run.tasks)
        fresh = [row for row in rows if state.changed[row.record.key] > since]
        head = environment().get_template("head.html.jinja")
        return {
            "since": self._tag(state),
            "head": head.render(live=True, **table(state.run, rows, state.setup)),
            "rows": {row.record.key: row_html(row) for row in fresh},
            "tasks": [row.data for row in fresh],
        }

    def _answer(self, request: Request, tag: str, make: Callable[[], Response]) -> Response:
        quoted = f'"{tag}"'
        same = request.headers.get("if-none-match") == quoted
        answer = Response(status_code=304) if same else make()
        answer.headers["ETag"] = quoted
        answer.headers["Cache-Control"] = "no-cache"
        answer.headers["Content-Security-Policy"] = policy(live=True) + "; frame-ancestors 'none'"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers["Referrer-Policy"] = "no-referrer"
        return answer


def _versus(judge: Judge, first: Path, second: Path, swapped: str, _tag: str) -> str:
    return versus_page(first, second, judge, swapped=swapped)


def _hash(values: object) -> str:
    return hashlib.sha256(repr(values).encode("utf-8", "replace")).hexdigest()[:32]


def _html(text: str) -> Response:
    return HTMLResponse(text.encode("utf-8", "replace"))


def _index(logs: Path, rows: list[IndexRow]) -> Response:
    names = {row.results.harm_name for row in rows if row.results}
    name = names.pop() if len(names) == 1 else HARM
    values = {"logs": str(logs), "rows": rows, "harm_name": name, "make_one": command()}
    return _html(page("index.html.jinja", {"tasks": []}, live=True, **values))
