"""What looking at the models before a run costs a start that needs no key.

    python workshop/perf/preflight.py [--runs N] [--against FOLDER]

Prints the seconds of one keyless task as a whole command, and of the preflight within a process
that has imported all that such a run imports anyway. ``--against`` names the folder of another
version, whose runs take turns with those of this one.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
TASK = "hostile_product_name"
CHECK = """
import time
import cli.assembly
import workshop.rule_based.store.model
from cli import preflight
from types import SimpleNamespace
from core.models.models_file import load_models
asked = {role: ("playbook/store", None) for role in ("evaluator", "worker")}
brains = SimpleNamespace(models=load_models(), asked=asked)
options = SimpleNamespace(replay=None, resume=None, real=True, no_preflight=False, as_json=False)
preflight.real_key = lambda: ""
began = time.perf_counter()
preflight.check_ids(brains.models, brains.asked)
assert preflight.ready(brains, options, None) == ()
print(time.perf_counter() - began)
"""


def whole(root: Path, out: str) -> float:
    command = [sys.executable, "submission.py", "--task", TASK, "--quiet", "--out", out]
    began = time.perf_counter()
    subprocess.run(command, cwd=root, capture_output=True, check=True)
    return time.perf_counter() - began


def check() -> float:
    done = subprocess.run(
        [sys.executable, "-c", CHECK], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def say(what: str, seconds: list[float], unit: str = "s", factor: float = 1.0) -> None:
    low, middle, high = min(seconds), statistics.median(seconds), max(seconds)
    shown = ", ".join(f"{value * factor:.2f}" for value in (low, high))
    print(f"{what}: median {middle * factor:.2f} {unit} of {len(seconds)} runs ({shown})")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    roots = [ROOT, options.against.resolve()] if options.against else [ROOT]
    with tempfile.TemporaryDirectory() as out:
        rounds = [[whole(root, out) for root in roots] for _ in range(options.runs)]
    for root, seconds in zip(roots, zip(*rounds, strict=True), strict=True):
        say(f"a keyless start with one task, {root.name}", list(seconds))
    say("the preflight in it", [check() for _ in range(options.runs)], "ms", 1000)


if __name__ == "__main__":
    main()
