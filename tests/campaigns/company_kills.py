"""Kill runs of the company at and around every write and answer, and go on until they are done.

    python -m tests.campaigns.company_kills [--kills 200]

A relay before the platform kills the run's process when a write or an answer comes by: before it is
passed on, after the platform has taken it, or a moment after its answer was passed back. Each run
is resumed until it ends, and compared with a run that nobody killed. Exit code 1 where anything
differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cli.conftest import Lives, Zygote
from tests.relay import Call, Relay, relay
from workshop.simulator.server import Simulator, serve
from workshop.simulator.worlds import WORLDS, load_pack

WORLD = "company-pack/1"
TASKS = (
    "corvane-log-member", "corvane-rename-page", "jorvale-own-pay",
    "corvane-guest-claims-board",
)  # fmt: skip
STRUCK = frozenset(
    {
        "/employees/update", "/projects/team/update", "/projects/status/update", "/time/log",
        "/time/update", "/wiki/update", "/respond",
    }
)  # fmt: skip
STRATEGIES = ("evaluator-worker", "next-step")
LIVES_AT_MOST = 100
"""Of one run: one that does not end is a finding."""


@dataclass
class Killer:
    """Kills the present life of a run at the next write or answer that it drew."""

    rng: random.Random
    left: int
    """Kills that this run may still have."""
    kills: Counter[str] = field(default_factory=Counter)
    life: int = 0
    """Process to kill; 0: none is begun, or it is dead."""
    _skip: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def aim(self, life: int) -> None:
        """Have a life die at one of its next writes or answers."""
        with self._lock:
            self.life, self._skip = life, self.rng.choice((0, 0, 1, 2))

    def rule(self, call: Call) -> None:
        """What the relay does with a call."""
        if call.path not in STRUCK:
            return
        with self._lock:
            self._skip -= 1
            if self._skip >= 0 or not self.life or self.left <= 0:
                return
            how = self.rng.choice(("before", "after", "later"))
            self.kills[f"{how} {call.path}"] += 1
            self.left -= 1
            life, self.life = self.life, 0
        if how == "before":
            _kill(life)
            call.drop()
            return
        status, answer = call.forward()
        if how == "after":
            _kill(life)
            call.drop()
            return
        call.send(status, answer)
        threading.Timer(self.rng.uniform(0, 0.02), _kill, [life]).start()


def _kill(life: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(life, signal.SIGKILL)


def small_pack(path: Path, tasks: tuple[str, ...]) -> Path:
    """A pack of these tasks alone."""
    raw = json.loads(WORLDS[WORLD].bundled.read_text(encoding="utf-8"))
    raw["scenarios"] = [one for one in raw["scenarios"] if one["spec_id"] in tasks]
    path.write_text(json.dumps(raw), encoding="utf-8")
    return path


def play(zygote: Zygote, folder: Path, strategy: str, pack: Path, killer: Killer) -> dict[str, Any]:
    """One run, life after life: what came of each task, by its spec."""
    with ExitStack() as stack:
        simulator = stack.enter_context(serve(load_pack(pack)))
        here: Relay = stack.enter_context(relay(simulator.base_url))
        here.rule = killer.rule
        env = {"ERC3_BASE_URL": here.base_url, "ERC3_API_KEY": "key-kills"}
        lives = Lives(zygote, folder, env=env)
        words: list[object] = ["--benchmark", "erc3-prod", "--real", "--allow-scripted"]
        words += ["--pack", pack.absolute(), "--quiet"]
        words += ["--strategy", strategy, "--out", folder / "logs", "--yes"]
        for _ in range(LIVES_AT_MOST):
            life = lives.begin(*words)
            killer.aim(life)
            code = lives.end(life)
            if code not in (-signal.SIGKILL, 137):
                break
            if lives.run:
                words = ["--resume", lives.run, "--quiet", "--yes"]
        if lives.run is None:
            raise SystemExit(f"no run has begun: {lives.said[-1]}")
        results = lives.results()
        outcomes = {task["spec_id"]: _came_to(simulator, task) for task in results["tasks"]}
        return {"code": code, "submitted": results["submitted"], "tasks": outcomes}


def _came_to(simulator: Simulator, task: dict[str, Any]) -> dict[str, Any]:
    """A task's score, its responses and its changes, by the platform's own books."""
    acts: Any = simulator.platform.acts(task["task_id"])
    books = Counter(getattr(act, "type", "response") for act in acts)
    return {"score": task["score"], "responses": books.pop("response", 0), "changes": dict(books)}


def campaign(
    kills: int, seed: int, tasks: tuple[str, ...], a_run: int
) -> tuple[Counter[str], list[str]]:
    """So many kills over as many runs as it takes: the kills, and what went otherwise."""
    done: Counter[str] = Counter()
    differences: list[str] = []
    zygote, rng = Zygote(), random.Random(seed)
    root = Path(tempfile.mkdtemp(prefix="company-kills-"))
    try:
        pack = small_pack(root / "pack.json", tasks)
        without = {}
        for number in range(10_000):
            strategy = STRATEGIES[number % len(STRATEGIES)]
            folder = root / str(number)
            folder.mkdir()
            if strategy not in without:
                whole = root / strategy
                whole.mkdir()
                without[strategy] = play(zygote, whole, strategy, pack, Killer(rng, 0))
            killer = Killer(rng, min(a_run, kills - done.total()))
            outcome = play(zygote, folder, strategy, pack, killer)
            done += killer.kills
            lines = compare(outcome, without[strategy])
            differences += [f"run {number} ({strategy}): {line}" for line in lines]
            if done.total() >= kills:
                break
            if not lines:
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        zygote.stop()
        if differences:
            print(f"the runs are in {root}", file=sys.stderr)
        else:
            shutil.rmtree(root, ignore_errors=True)
    return done, differences


def compare(outcome: dict[str, Any], without: dict[str, Any]) -> list[str]:
    """What a run that was killed has otherwise than one that was not, a line each."""
    lines = [
        f"{name}: {outcome[name]} instead of {without[name]}"
        for name in ("code", "submitted")
        if outcome[name] != without[name]
    ]
    for spec, wanted in without["tasks"].items():
        outcomes = outcome["tasks"].get(spec)
        if outcomes != wanted or wanted["responses"] != 1:
            lines.append(f"{spec}: {outcomes} instead of {wanted}")
    return lines


def main() -> int:
    """Run the campaign that the command line asks for; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--a-run", type=int, default=15, help="kills of one run at most")
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    options = parser.parse_args()
    kills, differences = campaign(options.kills, options.seed, tuple(options.tasks), options.a_run)
    for where, count in sorted(kills.items()):
        print(f"{count:4} {where}")
    for line in differences:
        print(f"DIFFERS {line}")
    print(f"{kills.total()} kills, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
