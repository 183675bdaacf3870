"""How fast the agent and the lab are; each command prints the median and extremes of its runs.

python -m workshop.perf.speed start [--runs 10] [--benchmark NAME] [--litellm] [-- OPTION ...]
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
from typing import Annotated

import typer

from cli.adapters import ADAPTERS
from core.models.providers import provider
from tests.fake_openai import FakeOpenAI
from workshop.lab.packs import source_of
from workshop.simulator import worlds

ROOT = Path(__file__).parents[2]
LIMIT = 60.0
app = typer.Typer()


def command(*words: object) -> list[str]:
    """The agent's command line."""
    return [sys.executable, "submission.py", *map(str, words)]


def spread(values: Sequence[float], unit: str) -> str:
    """Median, extremes and number of some values."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"median {middle:.2f} {unit} ({low:.2f} to {high:.2f}, {len(values)} runs)"


@app.command()
def start(
    options: Annotated[list[str] | None, typer.Argument()] = None,
    runs: int = 10,
    benchmark: str = "store",
    litellm: bool = False,
) -> None:
    """Seconds from process start to the first turn of the bundled pack's first task.

    OPTIONS behind -- are those of the run. With --litellm both roles are ids of LiteLLM at an
    endpoint on loopback, which answers as the rule-based model does.
    """
    pack = worlds.world_of(worlds.FORMATS[benchmark]).bundled
    task = json.loads(pack.read_text())["scenarios"][0]["spec_id"]
    words = ["--benchmark", benchmark, "--quiet", "--task", task, *(options or ())]
    models: dict[str, str] = {}
    if litellm:
        model = provider("playbook")
        endpoint = FakeOpenAI(lambda _model, messages: str(model.reply(benchmark, messages)))
        for role in ("EVALUATOR", "WORKER"):
            models[f"{role}_BASE_URL"] = endpoint.base_url
            models[f"{role}_MODEL"] = "openai/at-once"
    _first_turn(words, models)
    turns, ends = zip(*(_first_turn(words, models) for _ in range(runs)), strict=True)
    print(f"first turn: {spread(turns, 's')}")
    print(f"whole run of one task: {spread(ends, 's')}")


def _first_turn(words: list[str], models: dict[str, str]) -> tuple[float, float]:
    """Seconds to the first turn in the journal, and to the end of the process."""
    with tempfile.TemporaryDirectory() as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            command(*words, "--out", out), cwd=ROOT, env=os.environ | models,
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
def lab(tasks: int = 200, jobs: str = "1,2,4", runs: int = 1) -> None:
    """Tasks a second with each number of jobs, the start of worker processes included.

    They are those of the variations pack, as often as needed under other names.
    """
    adapter = ADAPTERS["store"]()
    scenarios = list(source_of("variations", adapter).scenarios())
    rounds = -(-tasks // len(scenarios))
    many = (s | {"spec_id": f"{s['spec_id']}-{n}"} for n in range(rounds) for s in scenarios)
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "pack.json"
        pack.write_text(adapter.pack_text("throughput", list(islice(many, tasks))), "utf-8")
        for count in map(int, jobs.split(",")):
            words = ("regress", "--pack", pack, "--jobs", count, "--out", folder, "--json")
            paces = []
            for _ in range(runs):
                done = subprocess.run(
                    command(*words), cwd=ROOT, capture_output=True, text=True, check=True
                )
                one = json.loads(done.stdout)
                paces.append(one["summaries"][0]["trials"] / one["wall_seconds"])
            print(f"--jobs {count}: {spread(paces, 'tasks a second')}")


if __name__ == "__main__":
    app()
