"""Live pages of all runs of a folder, on loopback: a list, a page for each, what has changed since.

Only GET is answered, only to the names of this machine, and only for folders and journals that
were found by listing: nothing of an address is ever made into a path.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

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
from core.runs.manifest import NAME as RUN
from core.runs.manifest import Manifest, manifest_of
from core.runs.results import NAME, RunResults
from core.runs.run_view import Folder, RunView, readable_results
from core.runs.task_record import HARM, TaskRecord
from core.terminal.figures import tokens
from workshop.views.report.render import environment, page, policy, record_html
from workshop.views.report.run_page import row_html, rows_of, table
from workshop.views.report.setup import BASELINES, Setup, setup_of
from workshop.views.report.versus import versus_page
from workshop.views.verdict import Judge

HOSTS = ["127.0.0.1", "localhost"]
"""Another name in the Host header is a page elsewhere that had its own name point here."""
FRESH_S = 60.0
"""A run without an end that wrote within this time is taken to be running."""
Mark = tuple[int, int]


def mark_of(path: Path) -> Mark:
    """Size and time of a file, which change when it is written; (-1, -1) if there is none."""
    try:
        stat = path.stat()
    except OSError:
        return -1, -1
    return stat.st_size, stat.st_mtime_ns


@dataclass(frozen=True)
class IndexRow:
    """One run; "" and None are unknown."""

    folder: str
    state: str
    results: RunResults | None = None
    title: str = ""
    """The name that the user gave."""
    total: int | None = None
    fork: bool = False
    """Whether it goes on from a turn of another run."""
    started: str = ""
    """Day and minute in which it began."""
    place: str = ""
    """The pack that it plays, or the platform."""

    @property
    def progress(self) -> str:
        """Tasks that are over, of how many."""
        if self.results is None and self.total is None:
            return ""
        done = self.results.totals.tasks if self.results else 0
        return f"{done}/{self.total}" if self.total is not None else f"{done}"

    @property
    def sorted_by(self) -> dict[str, float | str | None]:
        """Sort keys by column; None is unknown and comes last."""
        totals = self.results.totals if self.results else None
        return {
            "run": self.folder,
            "started": self.started or None,
            "state": self.state,
            "place": self.place or None,
            "tasks": totals.tasks / self.total if totals and self.total else None,
            "score": totals.score_mean if totals else None,
            "models": self.results.brain.evaluator if self.results else None,
            "harm": totals.harm if totals else None,
            "tokens": tokens(totals.tokens) if totals else None,
            "dollars": totals.cost_usd if totals else None,
            "time": totals.seconds if totals else None,
        }


def index_row(folder: Path, now: float) -> IndexRow:
    """Read what is known of a run; ``now`` in seconds since 1970."""
    results, manifest = _read(folder, mark_of(folder / NAME), mark_of(folder / RUN))
    created, place = "", ""
    if manifest:
        created, place = manifest.created, manifest.identity.pack or ""
        if not place:  # a real platform by the benchmark and its host
            host = urlsplit(manifest.base_url or "").hostname
            benchmark = str(manifest.options.get("benchmark") or "")
            place = f"{benchmark} at {host}" if host else benchmark
    elif results:
        place = results.pack or results.benchmark
    return IndexRow(
        folder=folder.name,
        state=_state(folder, results, manifest, now),
        results=results,
        title=manifest.title if manifest else "",
        total=(len(manifest.tasks) or None) if manifest else None,
        fork=bool(manifest and manifest.fork),
        started=(results.started if results else created)[:16].replace("T", " "),
        place=place,
    )


@lru_cache(maxsize=1024)
def _read(
    folder: Path, _results: Mark, _manifest: Mark
) -> tuple[RunResults | None, Manifest | None]:
    """Results and manifest of a run, read again only where they changed."""
    return readable_results(folder), manifest_of(folder)


def _state(folder: Path, results: RunResults | None, manifest: Manifest | None, now: float) -> str:
    if results and results.submitted:
        return "submitted"
    if results and results.finished:
        waits = manifest is not None and manifest.base_url and results.session_id
        return "not submitted" if waits else "finished"
    paths = (folder / NAME, folder / RUN, *(folder / "tasks").glob("*.jsonl"))
    last = max(mark_of(path)[1] for path in paths)
    return "running" if now - last / 1e9 < FRESH_S else "stopped"


@dataclass(frozen=True)
class RunState:
    """A run as it was last read."""

    run: RunView
    setup: Setup
    revision: int
    """Counts every change of anything in the run."""
    changed: dict[str, int]
    """The revision in which each task last changed."""


class RunWatch:
    """A run folder kept in memory, read again where a file has changed; for several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._marks: dict[Path, Mark] = {}
        self._tasks: dict[str, TaskRecord] = {}
        self._results = Folder(folder)
        self._setup = Setup()
        self._changed: dict[str, int] = {}
        self._revision = 0

    def look(self) -> RunState:
        """The run as it is now."""
        with self._lock:
            paths = {path.stem: path for path in journals(self._folder)}
            if new_results := self._is_new(self._folder / NAME):
                self._results = Folder(self._folder, self._results.labels)
            stale = [key for key, path in paths.items() if self._is_stale(key, path)]
            self._revision += bool(new_results or stale)
            for key in stale:
                self._tasks[key] = self._results.task(paths[key])
                self._changed[key] = self._revision
            # Both are asked, so that both are marked.
            if any([self._is_new(self._folder / name) for name in (RUN, BASELINES)]):
                self._setup = setup_of(self._folder)
            run = self._results.view([self._tasks[key] for key in paths])
            for key in (record.key for record in run.tasks if record.key not in paths):
                if new_results or key not in self._changed:
                    self._changed[key] = self._revision
            return RunState(run, self._setup, self._revision, dict(self._changed))

    def _is_new(self, path: Path) -> bool:
        mark = mark_of(path)
        known, self._marks[path] = self._marks.get(path), mark
        return mark != known

    def _is_stale(self, key: str, path: Path) -> bool:
        """Whether a task must be read again, because its journal or its result has changed."""
        task = self._tasks.get(key)
        if self._is_new(path) or task is None:
            return True
        result = self._results.result(task.task_id)
        return result is not None and result != task.result


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
        self._watches: dict[str, RunWatch] = {}
        self._boot = secrets.token_hex(4)
        """Revisions of another server mean nothing here."""

        @lru_cache(maxsize=4)
        def versus(first: Path, second: Path, swapped: str, _tag: str) -> str:
            return versus_page(first, second, judge, swapped=swapped)

        self._versus = versus

    def index(self, request: Request) -> Response:
        rows = [index_row(folder, time.time()) for folder in run_folders(self._logs)]
        names = {row.results.harm_name for row in rows if row.results}
        name = names.pop() if len(names) == 1 else HARM
        values = {"logs": str(self._logs), "rows": rows, "harm_name": name, "make_one": command()}
        return self._answer(
            request,
            _hash(rows),
            lambda: _html(page("index.html.jinja", {"tasks": []}, live=True, **values)),
        )

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
        state = self._look(request)
        tag = f"{self._boot}.{state.revision}"

        def whole() -> Response:
            rows = rows_of(state.run.tasks)
            data = {"tasks": [row.data for row in rows], "since": tag}
            values = table(state.run, rows, state.setup)
            return _html(page("run.html.jinja", data, live=True, records=(), **values))

        return self._answer(request, tag, whole)

    def changes(self, request: Request) -> Response:
        state = self._look(request)
        boot, _, number = request.query_params.get("since", "").partition(".")
        # A page of an earlier server gets everything.
        since = int(number) if boot == self._boot and number.isdecimal() else 0
        tag = f"{self._boot}.{state.revision}"

        def news() -> Response:
            # The bars are relative to the largest of all rows, so all are made and few are sent.
            rows = rows_of(state.run.tasks)
            fresh = [row for row in rows if state.changed[row.record.key] > since]
            head = environment().get_template("head.html.jinja")
            content: dict[str, Any] = {
                "since": tag,
                "head": head.render(live=True, **table(state.run, rows, state.setup)),
                "rows": {row.record.key: row_html(row) for row in fresh},
                "tasks": [row.data for row in fresh],
            }
            return JSONResponse(content)

        return self._answer(request, f"{tag}.{since}", news)

    def record(self, request: Request) -> Response:
        state = self._look(request)
        key = request.path_params["key"]
        record = next((record for record in state.run.tasks if record.key == key), None)
        if record is None:
            raise HTTPException(404, "this run has no such task")
        tag = f"{self._boot}.{state.changed[key]}"
        return self._answer(request, tag, lambda: _html(record_html(record)))

    def _look(self, request: Request) -> RunState:
        for folder in run_folders(self._logs):
            if folder.name == request.path_params["run"]:
                return self._watches.setdefault(folder.name, RunWatch(folder)).look()
        raise HTTPException(404, "there is no such run")

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


def _hash(values: object) -> str:
    return hashlib.sha256(repr(values).encode("utf-8", "replace")).hexdigest()[:32]


def _html(text: str) -> Response:
    return HTMLResponse(text.encode("utf-8", "replace"))
