"""Kill runs of a benchmark at and around every write, and go on until they are done.

    python -m tests.campaigns.kills [--benchmark store] [--kills 200]

A relay before the platform kills the run's process when a write comes by: before it is passed on,
after the platform has taken it, or a moment after its answer was passed back. Each run is resumed
until it ends, and compared with a run that nobody killed. Exit code 1 where anything differs.
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
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.cli.conftest import Lives, Zygote
from tests.kit.relay import Call, Relay, relay
from workshop.simulator.server import Simulator, serve
from workshop.simulator.worlds import WORLDS, load_pack


class Field(NamedTuple):
    """What is played of a benchmark, and where its runs are killed."""

    id: str
    """On the platform."""
    tasks: tuple[str, ...]
    struck: frozenset[str]
    """Requests at which a run dies."""


FIELDS = {
    "store": Field(
        "store",
        (
            "required_coupon_works", "cheapest_mix_ghost_fill_in", "pack_sizes_exact_count",
            "coupon_never_discounts",
        ),
        frozenset(
            {
                "/basket/add", "/basket/remove", "/coupon/apply", "/coupon/remove",
                "/basket/checkout",
            }
        ),
    ),
    "company": Field(
        "erc3-prod",
        (
            "corvane-log-member", "corvane-rename-page", "jorvale-own-pay",
            "corvane-guest-claims-board",
        ),
        frozenset(
            {
                "/employees/update", "/projects/team/update", "/projects/status/update",
                "/time/log", "/time/update", "/wiki/update", "/respond",
            }
        ),
    ),
}  # fmt: skip
STRATEGIES = ("evaluator-worker", "next-step")
LIVES_AT_MOST = 100
"""Of one run: one that does not end is a finding."""


@dataclass
class Killer:
    """Kills the present life of a run at the next write that it drew."""

    rng: random.Random
    left: int
    """Kills that this run may still have."""
    struck: frozenset[str] = frozenset()
    kills: Counter[str] = field(default_factory=Counter)
    life: int = 0
    """Process to kill; 0: none is begun, or it is dead."""
    _skip: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def aim(self, life: int) -> None:
        """Have a life die at one of its next writes."""
        with self._lock:
            self.life, self._skip = life, self.rng.choice((0, 0, 1, 2))

    def rule(self, call: Call) -> None:
        """What the relay does with a call."""
        if call.path not in self.struck:
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


def small_pack(path: Path, benchmark: str, tasks: tuple[str, ...]) -> Path:
    """A pack of these tasks alone."""
    raw = json.loads(WORLDS[f"{benchmark}-pack/1"].bundled.read_text(encoding="utf-8"))
    raw["scenarios"] = [one for one in raw["scenarios"] if one["spec_id"] in tasks]
    path.write_text(json.dumps(raw), encoding="utf-8")
    return path


def play(
    zygote: Zygote, folder: Path, words: Sequence[object], pack: Path, killer: Killer
) -> dict[str, Any]:
    """One run, life after life: what came of each task, by its spec.

    ``words``: the options of benchmark and strategy.
    """
    with ExitStack() as stack:
        simulator = stack.enter_context(serve(load_pack(pack)))
        here: Relay = stack.enter_context(relay(simulator.base_url))
        here.rule = killer.rule
        env = {"ERC3_BASE_URL": here.base_url, "ERC3_API_KEY": "key-kills"}
        lives = Lives(zygote, folder, env=env)
        words = [*words, "--real", "--allow-scripted", "--pack", pack.absolute(), "--quiet"]
        words += ["--out", folder / "logs", "--yes"]
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
    """A task's score, its answers, purchases and changes, by the platform's own books."""
    books = Counter(
        getattr(act, "type", "purchases" if hasattr(act, "lines") else "answers")
        for act in simulator.platform.acts(task["task_id"])
    )
    irreversible = {kind: books.pop(kind, 0) for kind in ("answers", "purchases")}
    return {"score": task["score"], **irreversible, "changes": dict(books)}


def campaign(
    benchmark: str, kills: int, seed: int, a_run: int, tasks: tuple[str, ...] = ()
) -> tuple[Counter[str], list[str]]:
    """So many kills over as many runs as it takes: the kills, and what went otherwise."""
    played = FIELDS[benchmark]
    done: Counter[str] = Counter()
    differences: list[str] = []
    zygote, rng = Zygote(), random.Random(seed)
    root = Path(tempfile.mkdtemp(prefix="kills-"))
    try:
        pack = small_pack(root / "pack.json", benchmark, tasks or played.tasks)
        without = {}
        for number in range(10_000):
            strategy = STRATEGIES[number % len(STRATEGIES)]
            words = ["--benchmark", played.id, "--strategy", strategy]
            folder = root / str(number)
            folder.mkdir()
            if strategy not in without:
                whole = root / strategy
                whole.mkdir()
                without[strategy] = play(zygote, whole, words, pack, Killer(rng, 0))
            killer = Killer(rng, min(a_run, kills - done.total()), played.struck)
            outcome = play(zygote, folder, words, pack, killer)
            done += killer.kills
            lines = compare(outcome, without[strategy], len(tasks or played.tasks))
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


def compare(outcome: dict[str, Any], without: dict[str, Any], tasks: int) -> list[str]:
    """What a run that was killed has otherwise than one that was not, a line each."""
    lines = [
        f"{name}: {outcome[name]} instead of {without[name]}"
        for name in ("code", "submitted")
        if outcome[name] != without[name]
    ]
    for spec, wanted in without["tasks"].items():
        outcomes = outcome["tasks"].get(spec)
        if outcomes != wanted or max(wanted["answers"], wanted["purchases"]) > 1:
            lines.append(f"{spec}: {outcomes} instead of {wanted}")
    if len(without["tasks"]) != tasks:
        lines.append(f"{len(without['tasks'])} tasks instead of {tasks}")
    return lines


def main() -> int:
    """Run the campaign that the command line asks for; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark", choices=list(FIELDS), default="store")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--a-run", type=int, default=15, help="kills of one run at most")
    options = parser.parse_args()
    kills, differences = campaign(options.benchmark, options.kills, options.seed, options.a_run)
    for where, count in sorted(kills.items()):
        print(f"{count:4} {where}")
    for line in differences:
        print(f"DIFFERS {line}")
    print(f"{kills.total()} kills, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
