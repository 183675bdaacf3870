"""Our own time a turn, beside one step of a bare smolagents CodeAgent in the same run.

    python -m workshop.perf.turn [--rounds 5] [--benchmark store|company]

Of a run of the bundled pack every turn's seconds, less what its model calls and its requests took,
as its journal tells; what is left is reading, prompts, sandbox, records and the disk. Requests
without a time of their own there (the state, the report of a model call) count as the median. The
bare agent has a model that answers at once, a snippet that only calls ``final_answer``, no tools.
Both take turns, so that what else the machine does hits both. Prints medians.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import typer
from smolagents import CodeAgent, LogLevel
from smolagents.models import ChatMessage, MessageRole, Model

from workshop.perf.measure import run

REPLY = "Thought: done.\n<code>\nfinal_answer(1)\n</code>"


class AtOnce(Model):  # type: ignore[misc]
    """Answers every prompt at once."""

    def generate(self, *_: Any, **__: Any) -> ChatMessage:
        return ChatMessage(role=MessageRole.ASSISTANT, content=REPLY)


def bare() -> float:
    """Milliseconds of a new agent with one step."""
    began = time.perf_counter()
    CodeAgent(tools=[], model=AtOnce(), verbosity_level=LogLevel.OFF).run("Say one.")
    return (time.perf_counter() - began) * 1000


def ours(benchmark: str) -> list[float]:
    """Milliseconds of each turn with work in it."""
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


def main(rounds: int = 5, benchmark: str = "store") -> None:
    """Our own time a turn, beside a step of a bare CodeAgent."""
    bare()
    turns, steps = [], []
    for _ in range(rounds):
        turns += ours(benchmark)
        steps += [bare() for _ in range(20)]
    mine, theirs = statistics.median(turns), statistics.median(steps)
    print(
        f"a turn of ours: {mine:.1f} ms; a bare CodeAgent's step: {theirs:.1f} ms; "
        f"ratio {mine / theirs:.2f} ({len(turns)} turns, {len(steps)} steps)"
    )


if __name__ == "__main__":
    typer.run(main)
