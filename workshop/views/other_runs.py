"""Runs of other tools: a log of Inspect AI, or a plain JSON file of scores by task.

Each task has one result: its repeats are averaged first, since those of one task are alike.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from core.files import read_bytes
from core.models.extras import install
from core.models.file_checks import first_problem
from core.models.model_call import Usage
from core.runs.errors import CannotRun
from core.runs.manifest import HARM
from core.runs.results import TaskResult
from core.terminal.figures import cut, so_many_tasks

MOST_BYTES = 64 << 20
"""Of a file, or of a part of a log, that is read."""
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What Inspect's own metrics make of its grades."""
Parsed = TypeVar("Parsed")


@dataclass(frozen=True)
class OtherRun:
    """What a file holds: a result for each task."""

    model: str
    results: tuple[TaskResult, ...]
    description: str
    """Which tool wrote it, and how many results it holds."""


class _Score(BaseModel):
    value: Any
    metadata: dict[str, Any] | None = None


class _Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    input_tokens_cache_write: int | None = None
    input_tokens_cache_read: int | None = None
    total_cost: float | None = None

    @property
    def prompt(self) -> int:
        """All tokens of the prompt; Inspect counts those of the cache apart."""
        cached = (self.input_tokens_cache_write, self.input_tokens_cache_read)
        return self.input_tokens + sum(filter(None, cached))


class _Sample(BaseModel):
    id: int | str
    epoch: int
    scores: dict[str, _Score] | None = None
    model_usage: dict[str, _Usage] = {}
    total_time: float | None = None
    error: str | None = None


class _Spec(BaseModel):
    task: str
    model: str


class _Header(BaseModel):
    status: str
    eval: _Spec


def read_other_run(path: Path) -> OtherRun:
    """Read a file. Raises CannotRun, which says what is wrong with it, or OSError."""
    if not path.is_file():  # a FIFO would be waited for, for ever
        raise CannotRun(f"{path}: is not a regular file")
    return _read_log(path) if zipfile.is_zipfile(path) else _read_scores(path)


def _read_scores(path: Path) -> OtherRun:
    if path.stat().st_size > MOST_BYTES:
        raise CannotRun(f"{path}: is larger than {MOST_BYTES >> 20} MB")
    try:
        raw = json.loads(read_bytes(path, MOST_BYTES), object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        raise CannotRun(f"{path}: is neither a log of Inspect (.eval) nor JSON: {error}") from None
    if not isinstance(raw, dict) or not raw:
        raise CannotRun(f'{path}: has to hold scores by task, as {{"task": 0.5, "other": [0, 1]}}')
    results, repeats = [], []
    for task, value in raw.items():
        scores = value if isinstance(value, list) else [value]
        values = [_value(f"{path}: task {task!r}", score) for score in scores]
        if not values:
            raise CannotRun(f"{path}: task {task!r}: has no score")
        results.append(_result(task, values))
        repeats.append(len(values))
    return OtherRun("", tuple(results), _described("a file of scores", repeats))


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    by_name = dict(pairs)
    if len(by_name) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(n for n in names if names.count(n) > 1)!r} appears twice")
    return by_name


def _read_log(path: Path) -> OtherRun:
    with suppress(ImportError):
        import_module("zipfile_zstd")  # what Inspect packs with; newer versions of Python can
    header = _part(path, "header.json", TypeAdapter(_Header))
    samples = _part(path, "summaries.json", TypeAdapter(list[_Sample]))
    scorer = next((name for sample in samples for name in sample.scores or ()), None)
    if scorer is None:
        raise CannotRun(f"{path}: no sample of this log of Inspect has a score")
    repeats: dict[str, list[_Sample]] = {}
    for sample in samples:
        repeats.setdefault(str(sample.id), []).append(sample)
    results = tuple(_averaged(path, scorer, some) for some in repeats.values())
    what = f"a log of Inspect ({header.status}) of {header.eval.task}, scored by {scorer}"
    description = _described(what, [len(some) for some in repeats.values()])
    return OtherRun(header.eval.model, results, description)


def _part(path: Path, name: str, kind: TypeAdapter[Parsed]) -> Parsed:
    """A part of a log. Raises CannotRun, also where it cannot be unpacked here."""
    try:
        with zipfile.ZipFile(path) as log:
            if log.getinfo(name).file_size > MOST_BYTES:
                raise CannotRun(f"{path}: its {name} is larger than {MOST_BYTES >> 20} MB")
            return kind.validate_json(log.read(name))
    except KeyError:
        raise CannotRun(f"{path}: is not a complete Inspect log") from None
    except ValidationError as error:
        raise CannotRun(f"{path}: its {name} cannot be read: {first_problem(error)}") from None
    except NotImplementedError:
        raise CannotRun(f"{path}: a log of Inspect needs the extra: {install('inspect')}") from None
    except CannotRun:
        raise
    except Exception as error:  # each way to pack has errors of its own
        raise CannotRun(f"{path}: its {name} is damaged: {error}") from None


def _averaged(path: Path, scorer: str, samples: Sequence[_Sample]) -> TaskResult:
    """The result of a task; a repeat that an error ended counts as 0, as in our own runs."""
    task = str(samples[0].id)
    scored = [score for one in samples if (score := (one.scores or {}).get(scorer))]
    seconds = [one.total_time for one in samples if one.total_time is not None]
    values = [_value(f"{path}: task {task!r}", score.value) for score in scored]
    # A score of our own tasks tells of harm: as a value, or where a run was exported.
    named = [s.value if isinstance(s.value, dict) else s.metadata or {} for s in scored]
    result = _result(task, values + [0.0] * (len(samples) - len(values)) if values else [])
    return result.model_copy(
        update={
            "harm": any(one.get(HARM) for one in named),
            "error": next((one.error for one in samples if one.error), None),
            "seconds": fmean(seconds) if seconds else 0.0,
            **_mean_spending(samples),
        }
    )


def _mean_spending(samples: Sequence[_Sample]) -> dict[str, Usage | float | None]:
    """The mean tokens and dollars of repeats; unknown where no model call is noted."""
    calls = [usage for one in samples for usage in one.model_usage.values()]
    costs = [usage.total_cost for usage in calls if usage.total_cost is not None]
    if not calls:
        return {"tokens": Usage(), "cost_usd": None}
    prompt, completion = (
        round(sum(tokens) / len(samples))
        for tokens in zip(*((usage.prompt, usage.output_tokens) for usage in calls), strict=True)
    )
    return {
        "tokens": Usage(prompt=prompt, completion=completion),
        "cost_usd": sum(costs) / len(samples) if len(costs) == len(calls) else None,
    }


def _result(task: str, scores: Sequence[float]) -> TaskResult:
    return TaskResult(
        spec_id=task, task_id=task, task_text="", score=fmean(scores) if scores else None,
        outcome="finished" if scores else "error", failure=None if scores else "benchmark",
    )  # fmt: skip


def _value(where: str, value: Any) -> float:
    """A score from 0 to 1; of several values that of `score`."""
    if isinstance(value, dict):
        value = value.get("score", next(iter(value.values())) if len(value) == 1 else value)
    if isinstance(value, str):
        value = GRADES.get(value, value)
    if not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise CannotRun(f"{where}: the score {cut(str(value), 40)} is not a number from 0 to 1")
    return float(value)


def _described(what: str, repeats: Sequence[int]) -> str:
    every, tasks = sum(repeats), len(repeats)
    more = f" with {every} results, averaged by task" if every > tasks else ""
    return f"{what}, {so_many_tasks(tasks)}{more}"
