"""Writes behind a relay that loses, denies and garbles them, and journals that are cut anywhere."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.erc3_client import retry_policy
from core.erc3_client.retry_policy import pause
from core.runs.journal import Journal, JournalFailed
from core.runs.results import RunResults
from tests.conftest import Hurry
from tests.relay import Call
from tests.wire_run import WireRun, wire_run

STRATEGIES = ("evaluator-worker", "next-step")
PLAYED = {
    "store": ("required_coupon_works", "cheapest_mix_ghost_fill_in"),
    "company": ("corvane-log-member", "corvane-rename-page", "jorvale-own-pay"),
}
SHOP = PLAYED["store"]
WRITES: dict[str, dict[str, tuple[str, ...]]] = {
    "store": {
        path: SHOP
        for path in ("/basket/add", "/basket/remove", "/coupon/apply", "/basket/checkout")
    },
    "company": {
        "/employees/update": ("corvane-raise-notes",),
        "/projects/team/update": ("corvane-member-added",),
        "/projects/status/update": ("corvane-status",),
        "/time/log": ("corvane-log-member",),
        "/time/update": ("corvane-void-copy",),
        "/wiki/update": ("corvane-rename-page",),
        "/respond": ("corvane-my-role",),
    },
}
"""Tasks in which a path is written to."""
FAILURES: dict[str, Callable[[Call], None]] = {
    "dropped": Call.drop,
    "400": lambda call: call.send(400, {"status": 400, "error": "bad", "code": ""}),
    "400 of a proxy": lambda call: call.send(400, b"<html>no</html>"),
    "404 of a proxy": lambda call: call.send(404, {"status": 404, "error": "x", "path": "/"}),
    "429": lambda call: call.send(429, {"status": 429, "error": "busy", "code": ""}),
    "500": lambda call: call.send(500, {"status": 500, "error": "oops", "code": ""}),
    "html": lambda call: call.send(200, b"<html>maintenance</html>"),
}


def _is_told(path: str, failure: str, *, taken: bool) -> bool:
    """Whether a failure can be told from what the platform itself says.

    A request that is told to be turned away (429) had no effect, and one that the platform refuses
    in its own words (400) has none either: only of an answer to the user is neither believed.
    """
    return path == "/respond" or failure not in ("429", "400") or (failure == "400") == taken


def played(benchmark: str, strategy: str) -> dict[str, Any]:
    """The configuration of a run by models that play by rules."""
    if strategy == "evaluator-worker":
        return {}
    model = "playbook/next-step" if benchmark == "store" else f"playbook/{benchmark}-next-step"
    return {"strategy": strategy, "evaluator": model, "max_turns": 30}


def check(run: WireRun, results: RunResults) -> None:
    """Every task is scored as without, or is open and named; nothing was done twice."""
    for task in run.tasks:
        acts = Counter(map(repr, run.books.acts(task.task_id)))
        assert max(acts.values(), default=0) <= 1, acts
        assert sum(1 for act in run.books.acts(task.task_id) if not hasattr(act, "type")) <= 1
    for task in results.tasks:
        if task.failure is None:
            assert (task.score, task.error) == (1.0, None), task
        else:
            assert (task.failure, task.score) == ("benchmark", None), task
            assert task.error


def cases() -> Iterator[Any]:
    """Every failure of every write: by day each pair once, in one of its variants."""
    number = 0
    for benchmark, paths in WRITES.items():
        for path in paths:
            for failure in FAILURES:
                variants = [
                    (strategy, taken, seconds)
                    for strategy in STRATEGIES
                    for taken in (False, True)
                    for seconds in (0, 30)
                    if _is_told(path, failure, taken=taken)
                ]
                number += 1
                for at, (strategy, taken, seconds) in enumerate(variants):
                    chosen = at == number % len(variants)
                    when = "taken" if taken else "lost"
                    yield pytest.param(
                        benchmark, strategy, path, failure, taken, seconds,
                        id=f"{benchmark}-{strategy}-{path}-{failure}-{when}-{seconds}",
                        marks=[] if chosen else [pytest.mark.nightly("another variant by day")],
                    )  # fmt: skip


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(
    ("benchmark", "strategy", "path", "failure", "taken", "seconds"), [*cases()]
)
def test_a_write_takes_effect_once_or_its_task_stays_open(
    tmp_path: Path, no_waiting: Hurry, monkeypatch: pytest.MonkeyPatch, benchmark: str,
    strategy: str, path: str, failure: str, taken: bool, seconds: int,
) -> None:  # fmt: skip
    """The first request of a path, or all for 30 s, fail before or after they are taken."""
    monkeypatch.setattr(retry_policy, "pause", pause)
    until: list[float] = []

    def rule(call: Call) -> None:
        if call.path != path:
            return
        until.append(no_waiting.now() + seconds)
        if call.number == 1 or no_waiting.now() < until[0]:
            if taken:
                call.forward()
            FAILURES[failure](call)

    specs = WRITES[benchmark][path]
    with wire_run(tmp_path, benchmark, specs, **played(benchmark, strategy)) as run:
        run.relay.rule = rule
        results = run.go()
        check(run, results)
        run.relay.rule = lambda call: None
        if any(task.failure for task in results.tasks):
            results = run.resume()
        check(run, results)
        assert [task.score for task in results.tasks] == [1.0] * len(specs)
        assert run.relay.seen[path]


class CutJournal(Journal):
    """Dies after so many bytes of all journals: the line is torn there, and nothing follows."""

    left = 0

    def write(self, kind: str, record: dict[str, object], *, durable: bool = False) -> None:
        """As the journal's, as long as there are bytes left. Raises JournalFailed."""
        before = self._end
        if CutJournal.left > 0:
            super().write(kind, record, durable=durable)
        CutJournal.left -= self._end - before
        if CutJournal.left <= 0:
            if self._end > before:
                os.ftruncate(self._file, max(self._end + CutJournal.left, before))
                self._end = before
            raise JournalFailed("cut")


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "tasks").glob("*.jsonl"))


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], int]:
    """Bytes of the journals of a run that nobody cut, by benchmark and strategy."""
    known = {}
    for benchmark, specs in PLAYED.items():
        for strategy in STRATEGIES:
            folder = tmp_path_factory.mktemp("whole")
            with wire_run(folder, benchmark, specs, **played(benchmark, strategy)) as run:
                check(run, run.go())
            known[benchmark, strategy] = size_of(folder)
    return known


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("benchmark", PLAYED)
@settings(
    max_examples=int(os.environ.get("CUTS", "4")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(parts=st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_a_journal_cut_at_any_byte_folds_to_a_state_from_which_the_task_ends_rightly(
    sizes: dict[tuple[str, str], int], benchmark: str, strategy: str, parts: list[float]
) -> None:
    """The run dies at each of these parts of what is left to be written."""
    with (
        pytest.MonkeyPatch.context() as patch,
        TemporaryDirectory() as folder,
        wire_run(Path(folder), benchmark, PLAYED[benchmark], **played(benchmark, strategy)) as run,
    ):
        patch.setattr("coordinator.attempt.Journal", CutJournal)
        play = run.go
        for part in parts:
            CutJournal.left = max(1, round(part * sizes[benchmark, strategy]))
            try:
                results = play()
            except JournalFailed:
                play = run.resume
            else:
                break
        else:
            CutJournal.left = 10**9
            results = play()
        check(run, results)
        assert [task.score for task in results.tasks] == [1.0] * len(PLAYED[benchmark])
