"""Runs of other tools: a log of Inspect AI, JUnit XML, and scores by id as CSV or JSON.

What a file holds is told by its content. Each reader gives the samples of a file; the repeats of a
task are its epochs.
"""

from __future__ import annotations

import csv
import json
import math
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from core.files import Unfit, read_bytes
from core.models.extras import install
from core.models.model_call import Usage
from core.runs.errors import CannotRun
from core.runs.manifest import HARM
from core.runs.results import TaskResult
from core.terminal.figures import cut, so_many_tasks

MOST_BYTES = 64 << 20
"""Of a file, or of what is read of a log."""
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "true": 1.0, "false": 0.0}
"""What Inspect's own metrics make of its grades; and how programs write a truth."""


class OtherRun(NamedTuple):
    """What a file holds."""

    what: str
    """Which tool wrote it."""
    results: tuple[TaskResult, ...]
    model: str = ""

    @property
    def description(self) -> str:
        """Which tool wrote it, and how many results it holds."""
        tasks = len({one.spec_id for one in self.results})
        more = f" with {len(self.results)} results" if len(self.results) > tasks else ""
        return f"{self.what}, {so_many_tasks(tasks)}{more}"


def read_other_run(path: Path) -> OtherRun:
    """Read a file. Raises CannotRun, which says what is wrong with it, or OSError."""
    if not path.is_file():  # a FIFO would be waited for, for ever
        raise CannotRun(f"{path}: is not a regular file")
    try:
        if zipfile.is_zipfile(path):
            run = _read_inspect(path)
        else:
            text = read_bytes(path, MOST_BYTES).decode("utf-8-sig")
            run = _reader_of(text)(text)
    except Unfit as error:
        raise CannotRun(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError, csv.Error, ElementTree.ParseError) as error:
        raise CannotRun(f"{path}: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise CannotRun(f"{path}: a field is missing or of another type: {error}") from None
    if not run.results:
        raise CannotRun(f"{path}: has no scores; {run.what}")
    return run


def _reader_of(text: str) -> Callable[[str], OtherRun]:
    first = text.lstrip()[:1]
    return _read_junit if first == "<" else _read_json if first in ("{", "[") else _read_csv


def _read_csv(text: str) -> OtherRun:
    """Rows with the columns ``id`` and ``score``."""
    rows = csv.DictReader(text.splitlines())
    if not {"id", "score"} <= {*(rows.fieldnames or ())}:
        raise ValueError('is neither a log of Inspect, JUnit XML, JSON nor CSV with "id,score"')
    cells = ((row["id"].strip(), (row["score"] or "").strip()) for row in rows)
    return OtherRun("a file of scores", tuple(_samples(cells)))


def _read_json(text: str) -> OtherRun:
    """An object: a score for each task, or a list of its repeats."""
    raw = json.loads(text, object_pairs_hook=_without_repetition)
    if not isinstance(raw, dict) or not raw:
        raise ValueError('has to hold scores by task, as {"task": 0.5, "other": [0, 1]}')
    if empty := next((task for task, value in raw.items() if value == []), None):
        raise ValueError(f"task {empty!r}: has no score")
    scores = ((t, one) for t, v in raw.items() for one in (v if isinstance(v, list) else [v]))
    return OtherRun("a file of scores", tuple(_samples(scores)))


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = next((name for name, n in Counter(name for name, _ in pairs).items() if n > 1), None)
    if twice is not None:
        raise ValueError(f"{twice!r} appears twice")
    return dict(pairs)


def _read_junit(text: str) -> OtherRun:
    """Test cases: one with a failure or an error has 0, a skipped one is left out."""
    if "<!ENTITY" in text or "<!DOCTYPE" in text:  # they may stand for far more than the file has
        raise ValueError("has a document type, which no JUnit XML needs")
    cases = []
    for case in ElementTree.fromstring(text).iter("testcase"):
        named = "::".join(filter(None, (case.get("classname"), case.get("name"))))
        found = {child.tag: child.get("message") or "" for child in case}
        if "skipped" not in found:
            wrong = next((found[tag] for tag in ("failure", "error") if tag in found), None)
            cases.append((named, wrong, float((case.get("time") or "0").replace(",", ""))))
    samples = _samples((name, float(wrong is None)) for name, wrong, _ in cases)
    return OtherRun(
        "JUnit XML",
        tuple(
            sample.model_copy(update={"error": wrong or None, "seconds": seconds})
            for sample, (_, wrong, seconds) in zip(samples, cases, strict=True)
        ),
    )


def _read_inspect(path: Path) -> OtherRun:
    """A log of Inspect AI; of its parts only the two that are small."""
    with suppress(ImportError):  # until Python 3.14 the compression comes with Inspect
        import_module("zipfile_zstd")
    parts = []
    try:
        with zipfile.ZipFile(path) as log:
            names = "header.json", "summaries.json"
            if sum(log.getinfo(name).file_size for name in names) > MOST_BYTES:
                raise ValueError(f"what is read of it is larger than {MOST_BYTES >> 20} MB")
            parts = [json.loads(log.read(name)) for name in names]
    except NotImplementedError:
        raise ValueError(f"a log of Inspect needs the extra: {install('inspect')}") from None
    except KeyError:
        raise ValueError("is not a complete Inspect log") from None
    except ValueError:
        raise
    except Exception as error:  # each way to pack has errors of its own
        raise ValueError(f"this log of Inspect cannot be read: {error}") from None
    header, samples = parts
    scorer = next((name for one in samples for name in one.get("scores") or ()), None)
    if scorer is None:
        raise ValueError("no sample of this log of Inspect has a score")
    evaluated = header["eval"]
    what = f"a log of Inspect ({header['status']}) of {evaluated['task']}, scored by {scorer}"
    return OtherRun(what, tuple(_of_inspect(s, scorer) for s in samples), evaluated["model"])


def _of_inspect(sample: dict[str, Any], scorer: str) -> TaskResult:
    score = (sample.get("scores") or {}).get(scorer)
    task, value = str(sample["id"]), score and score["value"]
    # A score of our own tasks tells of harm: as a value, or where a run was exported.
    named = value if isinstance(value, dict) else (score or {}).get("metadata") or {}
    calls = [*(sample.get("model_usage") or {}).values()]
    cached = ("input_tokens", "input_tokens_cache_write", "input_tokens_cache_read")
    prompt = sum(call.get(part) or 0 for call in calls for part in cached)
    completion = sum(call.get("output_tokens") or 0 for call in calls)
    costs = [call["total_cost"] for call in calls if call.get("total_cost") is not None]
    told = {
        "epoch": int(sample["epoch"]) - 1,
        "harm": bool(named.get(HARM)),
        "error": sample.get("error"),
        "seconds": sample.get("total_time") or 0.0,
        "tokens": Usage(prompt=prompt, completion=completion) if calls else Usage(),
        "cost_usd": sum(costs) if calls and len(costs) == len(calls) else None,
    }
    return _sample(task, None if score is None else _value(task, value)).model_copy(update=told)


def _samples(scores: Iterable[tuple[str, object]]) -> Iterator[TaskResult]:
    """A result for each score; those of one task are its epochs. Raises ValueError."""
    counts: Counter[str] = Counter()
    for task, value in scores:
        result = _sample(task, _value(task, value))
        yield result.model_copy(update={"epoch": counts[task]})
        counts[task] += 1


def _sample(task: str, score: float | None) -> TaskResult:
    ended: dict[str, Any] = {"outcome": "finished"}
    if score is None:  # what an error ended counts as 0, as in our own runs
        ended = {"outcome": "error", "failure": "benchmark"}
    return TaskResult(spec_id=task, task_id=task, score=score, **ended)


def _value(task: str, value: Any) -> float:
    """A score from 0 to 1; of several values that of `score`. Raises ValueError."""
    if isinstance(value, dict):
        value = value.get("score", next(iter(value.values())) if len(value) == 1 else value)
    number = GRADES.get(value, value) if isinstance(value, str) else value
    with suppress(ValueError, TypeError, OverflowError):
        number = float(number)
        if math.isfinite(number) and 0 <= number <= 1:
            return float(number)
    raise ValueError(f"task {task!r}: the score {cut(str(value), 40)} is not a number from 0 to 1")
