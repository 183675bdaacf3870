"""Writes the golden run folders anew: ``python -m tests.core.runs.golden.make``.

Only where the format has changed on purpose; the changelog then tells who reads older folders.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from cli.cli import app
from workshop.simulator.worlds import WORLDS

HERE = Path(__file__).parent
KEPT = ("run.json", "results.jsonl", "pack.json", "tasks", "prompts")
MODELS = {"store": "scripted/store?errors=0.5&seed=3", "company": "scripted/company?seed=3"}


def make(benchmark: str) -> None:
    """Play two drawn tasks, one of which changes something."""
    runner = CliRunner()
    drawn = runner.invoke(
        app, ["generate", "--benchmark", benchmark, "--seed", "7", "--count", "12"]
    )
    pack = json.loads(drawn.stdout)
    wanted = [bool(one["expect"].get("events")) for one in pack["scenarios"]]
    picked = [wanted.index(True), wanted.index(False)] if True in wanted else [0, 1]
    world = WORLDS[pack["format"]]
    scenarios = list(world.split(pack))
    text = world.pack_text(pack["name"], [scenarios[place] for place in picked])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("pack.json").write_text(text, encoding="utf-8")
        words = ["--pack", "pack.json", "--benchmark", benchmark, "--out", "logs", "--quiet"]
        done = runner.invoke(app, [*words, "--evaluator", MODELS[benchmark]])
        assert done.exit_code == 0, done.output
        (run,) = Path("logs").iterdir()
        shutil.rmtree(HERE / benchmark, ignore_errors=True)
        (HERE / benchmark).mkdir()
        for name in KEPT:
            shutil.move(run / name, HERE / benchmark / name)
        settings = HERE / benchmark / "run.json"
        settings.write_text(settings.read_text("utf-8").replace(folder, "/runs"), "utf-8")
        os.chdir(HERE)


if __name__ == "__main__":
    for name in MODELS:
        make(name)
