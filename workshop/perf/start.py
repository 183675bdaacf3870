"""What a user waits for before the first turn: from process start to its line in the journal.

    python -m workshop.perf.start [--runs 10] [--benchmark NAME] [--litellm] [-- OPTION ...]

Prints the median, the fastest and the slowest of so many runs of the bundled pack's first task,
one after the other on a warm disk. Behind ``--`` stand options that the run gets as they are.
With ``--litellm`` both roles are ids of LiteLLM at an endpoint on loopback, which answers as the
rule-based model does: what the model itself takes is a few milliseconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

import cli  # noqa: F401 - registers the rule-based models
from core.models.providers import provider
from tests.fake_openai import FakeOpenAI, Message
from workshop.perf.measure import PACKS, ROOT, command, spread

LIMIT = 60.0


def endpoint(benchmark: str) -> FakeOpenAI:
    """Answers both roles of a benchmark."""
    model = provider("playbook")

    def answer(_model: str, messages: list[Message]) -> str:
        return str(model.reply(benchmark, messages))

    return FakeOpenAI(answer)


def served_at(url: str) -> dict[str, str]:
    """The environment in which both roles are asked there."""
    served = {f"{role}_BASE_URL": url for role in ("EVALUATOR", "WORKER")}
    return served | {f"{role}_MODEL": "openai/at-once" for role in ("EVALUATOR", "WORKER")}


def first_turn(words: list[str], models: dict[str, str]) -> tuple[float, float]:
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


def main(
    options: Annotated[list[str] | None, typer.Argument()] = None,
    runs: int = 10,
    benchmark: str = "store",
    litellm: bool = False,
) -> None:
    """Seconds from process start to the first turn; OPTIONS behind -- are those of the run."""
    task = json.loads(PACKS[benchmark].read_text())["scenarios"][0]["spec_id"]
    words = ["--benchmark", benchmark, "--quiet", "--task", task, *(options or ())]
    models = served_at(endpoint(benchmark).base_url) if litellm else {}
    first_turn(words, models)
    turns, ends = zip(*(first_turn(words, models) for _ in range(runs)), strict=True)
    print(f"first turn: {spread(turns, 's')}")
    print(f"whole run of one task: {spread(ends, 's')}")


if __name__ == "__main__":
    typer.run(main)
