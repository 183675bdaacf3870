"""How fast the agent and the lab are; each command prints the median and extremes of its runs.

python -m workshop.perf.speed start [--runs 10] [--benchmark NAME] [-- OPTION ...]
python -m workshop.perf.speed turn [--rounds 5] [--benchmark NAME]
python -m workshop.perf.speed lab [--tasks 200] [--jobs 1,2,4] [--runs 1]
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from smolagents import CodeAgent, LogLevel
from smolagents.models import ChatMessage, MessageRole, Model

from cli.lab import LAB
from workshop.lab.context import world_of
from workshop.lab.engines import Job
from workshop.lab.packs import source_of
from workshop.lab.play_job import play_job
from workshop.lab.settings import Settings
from workshop.simulator import worlds

ROOT = Path(__file__).parents[2]
LIMIT = 60.0
REPLY = "Thought: done.\n<code>\nfinal_answer(1)\n</code>"
app = typer.Typer()


def command(*words: object) -> list[str]:
    """The agent's command line."""
    return [sys.executable, "submission.py", *map(str, words)]


def run(*words: object) -> dict[str, Any]:
    """What the agent prints with ``--json``. Raises CalledProcessError."""
    done = subprocess.run(
        command(*words, "--json"), cwd=ROOT, capture_output=True, text=True, check=True
    )
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def spread(values: Sequence[float], unit: str) -> str:
    """Median, extremes and number of some values."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"median {middle:.2f} {unit} ({low:.2f} to {high:.2f}, {len(values)} runs)"


@app.command()
def start(
    options: Annotated[list[str] | None, typer.Argument()] = None,
    runs: int = 10,
    benchmark: str = "store",
) -> None:
    """Seconds from process start to the first turn of the bundled pack's first task.

    OPTIONS behind -- are those of the run.
    """
    pack = worlds.world_of(worlds.FORMATS[benchmark]).bundled
    task = json.loads(pack.read_text())["scenarios"][0]["spec_id"]
    words = ["--benchmark", benchmark, "--quiet", "--task", task, *(options or ())]
    _first_turn(words)
    turns, ends = zip(*(_first_turn(words) for _ in range(runs)), strict=True)
    print(f"first turn: {spread(turns, 's')}")
    print(f"whole run of one task: {spread(ends, 's')}")


def _first_turn(words: list[str]) -> tuple[float, float]:
    """Seconds to the first turn in the journal, and to the end of the process."""
    with tempfile.TemporaryDirectory() as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            command(*words, "--out", out), cwd=ROOT,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            seconds = _watch(Path(out), process, began)
            _, errors = process.communicate(timeout=LIMIT)
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
        if seconds is None:
            raise SystemExit(f"no turn was played:\n{errors.decode()}")
        return seconds, time.perf_counter() - began


def _watch(out: Path, process: subprocess.Popen[bytes], began: float) -> float | None:
    """Look into the journal every millisecond until it holds a turn."""
    while time.perf_counter() - began < LIMIT:
        for journal in out.glob("*/tasks/*.jsonl"):
            if b'"type":"turn"' in journal.read_bytes().replace(b'": "', b'":"'):
                return time.perf_counter() - began
        if process.poll() is not None:
            return None
        time.sleep(0.001)
    return None


@app.command()
def turn(rounds: int = 5, benchmark: str = "store") -> None:
    """Our own time a turn, beside a step of a bare smolagents CodeAgent.

    It is a turn's seconds less those of its model calls and requests, as the journal tells them;
    requests without a time of their own count as the median. Both are measured by turns, so that
    what else the machine does hits both.
    """
    _bare_step()
    turns, steps = [], []
    for _ in range(rounds):
        turns += _own_turns(benchmark)
        steps += [_bare_step() for _ in range(20)]
    ours, theirs = statistics.median(turns), statistics.median(steps)
    print(
        f"a turn of ours: {ours:.1f} ms; a bare CodeAgent's step: {theirs:.1f} ms; "
        f"ratio {ours / theirs:.2f} ({len(turns)} turns, {len(steps)} steps)"
    )


class AtOnce(Model):  # type: ignore[misc]
    """Answers every prompt at once."""

    def generate(self, *_: Any, **__: Any) -> ChatMessage:
        return ChatMessage(role=MessageRole.ASSISTANT, content=REPLY)


def _bare_step() -> float:
    """Milliseconds of a new agent with one step."""
    began = time.perf_counter()
    CodeAgent(tools=[], model=AtOnce(), verbosity_level=LogLevel.OFF).run("Say one.")
    return (time.perf_counter() - began) * 1000


def _own_turns(benchmark: str) -> list[float]:
    """Milliseconds of each turn with work in it, of a run of the bundled pack."""
    with tempfile.TemporaryDirectory() as out:
        run("--benchmark", benchmark, "--quiet", "--out", out)
        turns = []
        for path in Path(out).glob("*/tasks/*.jsonl"):
            turns += _turns([json.loads(line) for line in path.read_text("utf-8").splitlines()])
    return turns


def _turns(entries: list[dict[str, Any]]) -> list[float]:
    turns, in_models = [], 0.0
    for entry in entries:
        if entry["type"] == "model_call":
            in_models += entry["seconds"]
        if entry["type"] != "turn":
            continue
        calls = (entry["report"] or {}).get("calls", [])
        timed = [r["seconds"] for call in calls for r in call.get("requests", [])]
        if timed:
            untimed = entry["requests"] - len(timed) + entry["model_calls"]
            waited = sum(timed) + untimed * statistics.median(timed)
            turns.append((entry["seconds"] - in_models - waited) * 1000)
        in_models = 0.0
    return turns


@app.command()
def lab(tasks: int = 200, jobs: str = "1,2,4", runs: int = 1) -> None:
    """Tasks a second with each number of jobs, and the processor time of a task.

    A run's wall time holds the start of worker processes and their imports. The processor time is
    that of the process that plays, without its sandboxes.
    """
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "pack.json"
        pack.write_text(_shops(tasks), encoding="utf-8")
        for count in map(int, jobs.split(",")):
            words = ("regress", "--pack", pack, "--jobs", count, "--out", folder)
            results = [run(*words) for _ in range(runs)]
            paces = [one["totals"]["tasks"] / one["totals"]["seconds"] for one in results]
            print(f"--jobs {count}: {spread(paces, 'tasks a second')}")
    model = "scripted/store"
    settings = Settings(benchmark="store", evaluator=model, worker=model, with_trivial=False)
    play_job(_job(5, settings), LAB["store"])  # imports and first starts
    job = _job(tasks, settings)
    began = time.process_time()
    play_job(job, LAB["store"])
    print(f"processor time of a task: {1000 * (time.process_time() - began) / tasks:.1f} ms")


def _job(count: int, settings: Settings) -> Job:
    text = _shops(count)
    specs = frozenset(one["spec_id"] for one in json.loads(text)["scenarios"])
    return Job(0, text, specs, settings, epoch=0)


def _shops(count: int) -> str:
    """The tasks of the bundled pack, as often as needed under other names."""
    lab = LAB["store"]()
    scenarios = list(source_of("bundled", lab).scenarios())
    rounds = -(-count // len(scenarios))
    many = (s | {"spec_id": f"{s['spec_id']}-{n}"} for n in range(rounds) for s in scenarios)
    return world_of(lab).pack_text("throughput", list(islice(many, count)))


if __name__ == "__main__":
    app()
