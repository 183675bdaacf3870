"""Live pages of all runs of a folder, on loopback: a list, and a page for each run.

The pages are those of `report`; they are rendered again when a file of their run has another time
stamp or size. Only GET is answered, only to the names of this machine, and only for folders and
journals that were found by listing: nothing of an address is ever made into a path.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from core.runs.find import run_folders
from core.runs.hints import command
from core.runs.journal import journals
from core.runs.manifest import HARM, Manifest
from core.runs.manifest import NAME as RUN
from core.runs.reader import read_task
from core.runs.results import NAME, RunResults
from core.runs.run_view import NOTHING_KNOWN, RunView, readable, view_folder
from core.runs.task_record import TaskRecord
from core.terminal.figures import tokens
from workshop.views.report.render import page, policy, record_html
from workshop.views.report.run_page import table, worst_first
from workshop.views.report.setup import Text, prompts_of
from workshop.views.report.versus import versus_page

HOSTS = ["127.0.0.1", "localhost"]
"""Another name in the Host header is a page elsewhere that had its own name point here."""
FRESH_S = 60.0
"""A run without an end that wrote within this time is taken to be running."""
TASKS_KEPT, RUNS_KEPT = 4096, 8
"""Journals and runs that stay in memory as they were read."""
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
    """One run; what its ``run.json`` does not tell is empty."""

    folder: str
    state: str
    manifest: Manifest
    results: RunResults | None
    """None: it has none."""

    @property
    def started(self) -> str:
        """Day and minute in which it began."""
        return self.manifest.created[:16].replace("T", " ")

    @property
    def place(self) -> str:
        """The pack that it plays, or a real platform by the benchmark and its host."""
        host = urlsplit(self.manifest.base_url or "").hostname
        at = f"{self.manifest.benchmark} at {host}" if host else self.manifest.benchmark
        return self.manifest.identity.pack or at

    @property
    def total(self) -> int:
        """How many tasks it has; 0 is unknown."""
        run = self.manifest
        return len(run.tasks) or run.epochs * sum(pack.tasks for pack in run.packs)

    @property
    def progress(self) -> str:
        """Tasks that are over, of how many."""
        done = self.results.totals.tasks if self.results else 0
        return f"{done}/{self.total}" if self.total else f"{done or ''}"

    @property
    def sorted_by(self) -> dict[str, float | str | None]:
        """Sort keys by column; None is unknown and comes last."""
        totals = self.results.totals if self.results else None
        return {
            "run": self.folder,
            "benchmark": self.manifest.benchmark,
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
    manifest, results = _read(folder, mark_of(folder / NAME), mark_of(folder / RUN))
    return IndexRow(
        folder=folder.name,
        state=_state(folder, manifest, now),
        manifest=manifest or NOTHING_KNOWN,
        results=results if results and results.tasks else None,
    )


@lru_cache(maxsize=1024)
def _read(
    folder: Path, _results: Mark, _manifest: Mark
) -> tuple[Manifest | None, RunResults | None]:
    """Manifest and results of a run, read again only where they changed."""
    manifest, results, _ = readable(folder)
    return manifest, results


def _state(folder: Path, manifest: Manifest | None, now: float) -> str:
    if manifest and manifest.submitted:
        return "submitted"
    if manifest and manifest.finished:
        return "not submitted" if manifest.waits else "finished"
    last = max(mark_of(path)[1] for path in _files(folder))
    return "running" if now - last / 1e9 < FRESH_S else "stopped"


class RunState(NamedTuple):
    """A run as it was last read."""

    run: RunView
    prompts: list[Text]
    tag: str
    """Another one as soon as anything in the run is another."""


@lru_cache(maxsize=TASKS_KEPT)
def _read_task(path: Path, _mark: Mark) -> TaskRecord:
    return read_task(path)


@lru_cache(maxsize=RUNS_KEPT)
def _read_run(folder: Path, marks: tuple[Mark, ...]) -> RunState:
    view = view_folder(folder, lambda path: _read_task(path, mark_of(path)))
    return RunState(view, prompts_of(folder, view.manifest), _hash(marks))


def _files(*folders: Path) -> list[Path]:
    """What tells whether runs are as they were."""
    return [path for folder in folders for path in (folder / RUN, folder / NAME, *journals(folder))]


def build_app(logs: Path) -> Starlette:
    """The application over a folder of runs."""
    pages = _Pages(logs)
    routes = {
        "/": pages.index,
        "/compare": pages.compare,
        "/runs/{run}/": pages.run,
        "/runs/{run}/tasks/{key}": pages.record,
    }
    return Starlette(
        routes=[Route(path, handler, methods=["GET"]) for path, handler in routes.items()],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False)],
    )


class _Pages:
    """The handlers. They are plain functions: Starlette runs them in threads of its own."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs

        @lru_cache(maxsize=4)
        def versus(first: Path, second: Path, _tag: str) -> str:
            return versus_page(first, second, served=True)

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
        tag = _hash([mark_of(path) for path in _files(older, newer)])
        return self._answer(request, tag, lambda: _html(self._versus(older, newer, tag)))

    def run(self, request: Request) -> Response:
        state = self._look(request)

        def whole() -> Response:
            values = table(worst_first(state.run), state.prompts)
            return _html(page("run.html.jinja", live=True, records=(), **values))

        return self._answer(request, state.tag, whole)

    def record(self, request: Request) -> Response:
        state, key = self._look(request), request.path_params["key"]
        record = next((record for record in state.run.tasks if record.key == key), None)
        if record is None:
            raise HTTPException(404, "this run has no such task")
        tag = _hash((mark_of(record.path), record.result))
        return self._answer(request, tag, lambda: _html(record_html(record)))

    def _look(self, request: Request) -> RunState:
        for folder in run_folders(self._logs):
            if folder.name == request.path_params["run"]:
                return _read_run(folder, tuple(map(mark_of, _files(folder))))
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
