"""What a run's tasks came to: a line for each in ``results.jsonl``, and all of them read.

The file is only appended to. Of the lines with one pack, spec, epoch and player the last one
counts: a task that is played again, or whose score the platform tells later, has another line.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import regex
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from core.erc3_client.bounds import known_score
from core.files import SERIES_BYTES, check_regular, read_bytes
from core.ledger import Record
from core.models.file_checks import first_problem
from core.models.model_call import Figure, Usage
from core.models.redact import hide
from core.runs.errors import NotRecorded
from core.runs.journal import write_whole
from core.runs.manifest import Manifest, ModelPair, read_manifest
from core.runs.summary import EFFECTS, summary_of

Outcome = Literal["finished", "unfinished", "error"]
Failure = Literal[
    "model", "reply", "benchmark", "internal", "limit", "interrupted", "sandbox", "agent"
]
"""Why a task ended early: no answer from a model, replies that cannot be read, no answer from
the platform, an error of this program, a limit, the user, the sandbox died (which only runs of
several processes distinguish), or an external agent that did not finish it."""
INFRASTRUCTURE = frozenset({"model", "benchmark", "internal", "interrupted", "sandbox"})
"""Failures that say nothing of the agent: such a task may be run again."""
PASS = 0.9 - 1e-9
"""A passed task may have lost a tenth for missing telemetry."""
NAME = "results.jsonl"
AGENT = "agent"
"""The player under test; all others are trivial ones."""
Score = Annotated[float | None, BeforeValidator(known_score)]
"""From 0 to 1; None is unknown, also if a file has another number."""


class Known(NamedTuple):
    """What a pack tells of a task, whoever plays it."""

    group: str | None = None
    """Its class, as ``TaskResult.group``."""
    mechanics: tuple[str, ...] = ()
    """Kinds of task that it belongs to."""
    best: int | None = None
    """Dollars that the best answer costs; None where its answers have no price."""


class SampleKey(NamedTuple):
    """What tells one line of the results from all others."""

    pack: str
    spec_id: str
    epoch: int
    player: str


class Sample(Record):
    """One task, played once by one player, without what it came to."""

    pack: str = ""
    """"" on a real platform."""
    spec_id: str
    epoch: int = 0
    """How often the run has this task before it."""
    player: str = AGENT
    failure: Failure | None = None

    @property
    def key(self) -> SampleKey:
        """Its pack, spec, epoch and player."""
        return SampleKey(self.pack, self.spec_id, self.epoch, self.player)

    @property
    def task(self) -> tuple[str, str]:
        """Pack and spec, by which the tasks of two runs are paired."""
        return self.pack, self.spec_id

    @property
    def infrastructure_failure(self) -> bool:
        """Whether the task ended for a reason outside of the agent."""
        return self.failure in INFRASTRUCTURE


class TaskResult(Sample):
    """What a sample came to: a line of ``results.jsonl``; None is unknown."""

    task_id: str = ""
    task_text: str = ""
    journal: str = ""
    """Name of its file in ``tasks/``, without the ending, where one is kept."""
    score: Score = None
    """Unknown, too, where the task ended with an error; it then counts as not passed."""
    eval_log: str = ""
    outcome: Outcome
    verdict: str | None = None
    """How the task ended, in the benchmark's own word."""
    group: str | None = None
    """The class of tasks that the platform's evaluator shows, if any."""
    acts: int = 0
    """Irreversible acts and writes that took effect."""
    harm: bool | None = False
    """Whether an act that cannot be undone was not wanted, or not as it was done."""
    turns: int = 0
    tool_calls: int = 0
    requests: int = 0
    tokens: Usage = Usage()
    cost_usd: Annotated[float | None, Figure] = None
    seconds: float = 0.0
    error: str | None = None
    cause: str | None = None
    """Why it did not pass, where the worker's program is known to have failed, on one line."""
    failed_steps: tuple[str, ...] = ()
    """Stages that came to nothing where they should have."""
    attempt: int = 1
    """Counts the tries of a task over resumed runs."""
    mechanics: tuple[str, ...] = ()
    paid: int | None = None
    """Dollars of the first act, where acts have a price."""
    best: int | None = None
    """Dollars of the best answer, where the pack knows it."""
    lost: int | None = None
    """Wanted effects that are missing although a request was sent, which never arrived. This and
    the next two are counted by the simulator alone, from what took effect."""
    doubled: int | None = None
    """Effects that had come already: changes, purchases, answers to the user."""
    unauthorised: int | None = None
    """Other changes and purchases that the pack does not want."""

    @property
    def strict(self) -> float:
        """The score with tasks that were not played to their end and unknown scores as 0."""
        return 0.0 if self.failure or self.score is None else self.score

    @model_validator(mode="before")
    @classmethod
    def _without_score(cls, fields: Any) -> Any:
        """What a platform gives for a task that ended with an error is no score of the agent."""
        if isinstance(fields, dict) and fields.get("outcome") == "error":
            return fields | {"score": None}
        return fields

    @property
    def ended(self) -> str:
        """How the task ended, in the benchmark's word if it has one."""
        return self.verdict or self.outcome

    @property
    def cause_kind(self) -> str:
        """The cause without its place in the code, by which tasks are put together; "" for none."""
        return regex.sub(r", line \d+$", "", self.cause or "")

    @property
    def passed(self) -> bool:
        """Whether the agent played the task and fulfilled it.

        A task that asked for nothing is scored as fulfilled also where a limit or a user ended it.
        """
        return self.failure is None and self.score is not None and self.score >= PASS

    @property
    def failed(self) -> bool:
        """Whether somebody should look at it; an unknown score alone is no failure."""
        return not self.passed and bool(self.failure or self.error or self.score is not None)


Line = TypeVar("Line", bound=Sample)


class Part(Record):
    """Tasks of one group and how many passed."""

    tasks: int
    passed: int


class Totals(Record):
    """Sums over a run; None is unknown."""

    tasks: int
    scored: int
    score_mean: Score
    """Over the tasks with a score and those that ended with an error, which count as 0; None
    where all of them did."""
    groups: dict[str, Part] = Field(default_factory=dict)
    harm: int = 0
    lost: int | None = None
    """As in :class:`TaskResult`, over the tasks where it is known, like the next two."""
    doubled: int | None = None
    unauthorised: int | None = None
    turns: int
    tool_calls: int
    requests: int = 0
    tokens: Usage
    cost_usd: float | None
    seconds: float
    """Wall time."""

    @property
    def effects(self) -> dict[str, int | None]:
        """How many were lost, doubled and unauthorised, where it is known."""
        return {name: getattr(self, name) for name in EFFECTS}


class RunResults(Record):
    """A run with all results of its player; what ``show --json`` prints."""

    format: Literal["run-results/3"] = "run-results/3"
    run_id: str
    benchmark: str
    pack: str | None
    """Several are named with a plus between them; None: the real platform."""
    brain: ModelPair
    caveat: str = ""
    """What a reader has to know of stages that were off."""
    strategy: str | None = None
    """None: an agent plays that is not ours."""
    steps: tuple[str, ...] = ()
    """The stages that are on."""
    sandboxes: tuple[str, ...] = ()
    """As in ``run.json``."""
    session_id: str | None = None
    submitted: bool = False
    started: str
    """ISO 8601, as ``finished``."""
    finished: str | None
    harm_name: str
    """The name of ``harm`` in tables: the irreversible mistake."""
    idle_group: str | None = None
    """The group of tasks that pass if nothing is done; None: none, or unknown."""
    totals: Totals
    tasks: tuple[TaskResult, ...]
    trivial: tuple[TaskResult, ...] = Field(default=(), exclude=True)
    """Those of the trivial players."""


def totals_of(results: Iterable[TaskResult], seconds: float, groups: Sequence[str] = ()) -> Totals:
    """Sums over task results; ``seconds`` is the run's wall time, ``groups`` those to name."""
    sums = summary_of("", list(results))
    named = dict.fromkeys([*groups, *sums.groups])
    parts = {name: sums.groups.get(name) for name in named}
    return Totals(
        tasks=sums.trials,
        scored=sums.scored,
        score_mean=None if sums.score is None else round(sums.score, 4),
        groups={
            name: Part(tasks=one.of if one else 0, passed=one.passed if one else 0)
            for name, one in parts.items()
        },
        harm=sums.harm.passed,
        **sums.effects,
        turns=sums.turns,
        tool_calls=sums.tool_calls,
        requests=sums.requests,
        tokens=sums.tokens,
        cost_usd=None if sums.all_cost_usd is None else round(sums.all_cost_usd, 6),
        seconds=round(seconds, 3),
    )


class ResultsFile:
    """``results.jsonl`` of a run folder; one process writes it, a line in one write."""

    def __init__(self, folder: Path) -> None:
        """Cut off what a crash has left of a line.

        Raises OSError: also if it is no regular file, or too large.
        """
        self.path = folder / NAME
        if self.path.exists():
            with open(os.open(self.path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK), "rb+") as file:
                check_regular(file.fileno(), self.path, SERIES_BYTES)
                whole = file.read().rpartition(b"\n")
                file.truncate(len(whole[0]) + len(whole[1]))

    def append(self, results: Iterable[TaskResult]) -> None:
        """Add results in one write, without known secrets. Raises OSError."""
        data = "".join(map(_line, results)).encode()
        if not data:
            return
        with self.path.open("ab", buffering=0) as file:
            end = file.tell()
            try:
                while data:  # a disk that is nearly full takes a part
                    data = data[file.write(data) or 0 :]
            except OSError:
                file.truncate(end)
                raise

    def append_changed(self, results: Iterable[TaskResult]) -> None:
        """Add those that are not in the file as they are. Raises OSError."""
        there = {one.key: one for one in _read(self.path, [])}
        self.append(one for one in results if there.get(one.key) != one)

    def read(self) -> list[TaskResult]:
        """The results that count. Raises NotRecorded, OSError."""
        return read_lines(self.path)

    def samples(self) -> dict[Sample, bytes]:
        """Those that count with their lines, which are not read further: a long run has many.

        Raises NotRecorded, OSError.
        """
        found: dict[SampleKey, tuple[Sample, bytes]] = {}
        for one, line in _read_lines(self.path, Sample, None):
            found[one.key] = one, line
        return dict(found.values())

    def settle(self, order: Mapping[tuple[str, str], int]) -> None:
        """Put those that count in the order of their tasks, the agent's before the trivial ones.

        Raises NotRecorded, OSError.
        """
        lines = self.samples()
        samples = sorted(lines, key=lambda s: (s.player != AGENT, order[s.task], s.epoch))
        write_whole(self.path, b"".join(lines[one] + b"\n" for one in samples).decode())


def read_results(folder: Path, problems: list[str] | None = None) -> RunResults:
    """Read a run: its ``run.json`` with every result.

    ``problems``: takes lines that cannot be read, which are then left out.

    Raises NotRecorded: there is no ``run.json`` that can be read, or a line cannot be.
    """
    manifest = read_manifest(folder)
    try:
        results = _last_of(_read(folder / NAME, problems))
    except OSError as error:
        if problems is None:
            raise NotRecorded(f"{folder / NAME} cannot be read: {error.strerror}") from None
        problems.append(f"{NAME} cannot be read: {error.strerror}")
        results = []
    return results_of(manifest, results)


def read_lines(path: Path) -> list[TaskResult]:
    """The results of a file, of every player, that count. Raises NotRecorded, OSError."""
    return _last_of(_read(path, None))


def results_of(manifest: Manifest, results: Sequence[TaskResult]) -> RunResults:
    """A run with these results, of every player."""
    counts: Counter[str] = Counter()
    places: dict[tuple[str, int], int] = {}
    for place, (spec, *_) in enumerate(manifest.tasks):
        places[spec, counts[spec]] = place
        counts[spec] += 1
    ours = [one for one in results if one.player == AGENT]
    ours.sort(key=lambda one: places.get((one.spec_id, one.epoch), len(places)))
    shared = RunResults.model_fields.keys() & Manifest.model_fields.keys() - {"format", "tasks"}
    return RunResults(
        **{name: getattr(manifest, name) for name in shared},
        pack=manifest.pack or None,
        brain=manifest.brain,
        steps=manifest.stages,
        started=manifest.created,
        totals=totals_of(ours, manifest.seconds, manifest.groups),
        tasks=tuple(ours),
        trivial=tuple(one for one in results if one.player != AGENT),
    )


def _line(result: TaskResult) -> str:
    return hide(result.model_dump_json()) + "\n"


def _last_of(results: Iterable[TaskResult]) -> list[TaskResult]:
    return list({one.key: one for one in results}.values())


def _read(path: Path, problems: list[str] | None) -> Iterator[TaskResult]:
    return (result for result, _ in _read_lines(path, TaskResult, problems))


def _read_lines(
    path: Path, kind: type[Line], problems: list[str] | None
) -> Iterator[tuple[Line, bytes]]:
    try:
        data = read_bytes(path, SERIES_BYTES)
    except FileNotFoundError:
        return
    # The end of a line that a crash has cut is not looked at.
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        try:
            yield kind.model_validate_json(line), line
        except ValidationError as error:
            text = f"{path.name}: line {number}: {first_problem(error)}"
            if problems is None:
                raise NotRecorded(f"{path.parent}: {text}") from None
            problems.append(text)
