"""Runs of other tools: a log of Inspect AI, or a plain JSON file of scores by task.

Each task has one result: its repeats are averaged first, since those of one task are alike.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from core.files import Unfit, read_bytes
from core.models.extras import install
from core.models.model_call import Usage
from core.runs.errors import CannotRun
from core.runs.manifest import HARM
from core.runs.results import TaskResult
from core.terminal.figures import cut, so_many_tasks

if TYPE_CHECKING:
    from inspect_ai.log import EvalSampleSummary

MOST_BYTES = 64 << 20
"""Of a file of scores, or of what is read of a log."""
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What Inspect's own metrics make of its grades."""
_READ = ("header.json", "summaries.json")
"""Parts of a log."""


class OtherRun(NamedTuple):
    """What a file holds: a result for each task."""

    model: str
    results: tuple[TaskResult, ...]
    description: str
    """Which tool wrote it, and how many results it holds."""


def read_other_run(path: Path) -> OtherRun:
    """Read a file. Raises CannotRun, which says what is wrong with it, or OSError."""
    if not path.is_file():  # a FIFO would be waited for, for ever
        raise CannotRun(f"{path}: is not a regular file")
    return _read_log(path) if zipfile.is_zipfile(path) else _read_scores(path)


def _read_scores(path: Path) -> OtherRun:
    try:
        raw = json.loads(read_bytes(path, MOST_BYTES), object_pairs_hook=_without_repetition)
    except Unfit as error:
        raise CannotRun(f"{path}: {error.strerror}") from None
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
    try:  # late: it takes seconds to load
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    except ImportError:
        raise CannotRun(f"{path}: a log of Inspect needs the extra: {install('inspect')}") from None
    try:
        with zipfile.ZipFile(path) as parts:
            size = sum(parts.getinfo(name).file_size for name in _READ)
        if size > MOST_BYTES:
            raise CannotRun(f"{path}: what is read of it is larger than {MOST_BYTES >> 20} MB")
        header = read_eval_log(str(path), header_only=True)
        samples = read_eval_log_sample_summaries(str(path))
    except KeyError:
        raise CannotRun(f"{path}: is not a complete Inspect log") from None
    except CannotRun:
        raise
    except Exception as error:  # each way to pack, and each version, has errors of its own
        raise CannotRun(f"{path}: this log of Inspect cannot be read: {error}") from None
    scorer = next((name for sample in samples for name in sample.scores or ()), None)
    if scorer is None:
        raise CannotRun(f"{path}: no sample of this log of Inspect has a score")
    repeats: dict[str, list[EvalSampleSummary]] = {}
    for sample in samples:
        repeats.setdefault(str(sample.id), []).append(sample)
    results = tuple(_averaged(path, scorer, some) for some in repeats.values())
    what = f"a log of Inspect ({header.status}) of {header.eval.task}, scored by {scorer}"
    description = _described(what, [len(some) for some in repeats.values()])
    return OtherRun(header.eval.model, results, description)


def _averaged(path: Path, scorer: str, samples: Sequence[EvalSampleSummary]) -> TaskResult:
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


def _mean_spending(samples: Sequence[EvalSampleSummary]) -> dict[str, Usage | float | None]:
    """The mean tokens and dollars of repeats; unknown where no model call is noted."""
    calls = [usage for one in samples for usage in one.model_usage.values()]
    if not calls:
        return {"tokens": Usage(), "cost_usd": None}
    costs = [usage.total_cost for usage in calls if usage.total_cost is not None]
    cached = [(c.input_tokens_cache_write or 0) + (c.input_tokens_cache_read or 0) for c in calls]
    prompt = sum(usage.input_tokens for usage in calls) + sum(cached)
    completion = sum(usage.output_tokens for usage in calls)
    many = len(samples)
    return {
        "tokens": Usage(prompt=round(prompt / many), completion=round(completion / many)),
        "cost_usd": sum(costs) / many if len(costs) == len(calls) else None,
    }


def _result(task: str, scores: Sequence[float]) -> TaskResult:
    return TaskResult(
        spec_id=task, task_id=task, score=fmean(scores) if scores else None,
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
