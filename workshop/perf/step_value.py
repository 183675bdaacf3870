"""The value of each step around the solver: all, the usual ones, none, and each left out.

    python workshop/perf/step_value.py                                    # the brain without a key
    python workshop/perf/step_value.py --models FILE --evaluator ID --worker ID [--jobs 8]
    python workshop/perf/step_value.py --price                       # steps asked, sure of nothing
    python workshop/perf/step_value.py --read RUN RUN …          # rows of runs that are there

A row is a run over the pack: score, tasks passed, wrong writes, tasks that a step closed, and per
task turns, model calls and tokens, of which those of the steps' own calls. `--rows` picks some
(`none,default,all,-policy,…`); `--price` has the steps answered by `playbook/around`, so that the
tokens of their prompts are counted with the house's tokenizer, and adds what the findings take in
the solver's prompts. A row is printed when it is done, and its run folder stays.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from cli.benchmarks import benchmark_named  # noqa: E402
from core.runs.reader import read_tasks  # noqa: E402
from core.runs.results import read_results  # noqa: E402

SOLVER = ("evaluator", "worker")
HEAD = (
    "| stages | score | passed | wrong writes | closed by a stage | denied, strategy's turns "
    "| stages that failed | turns | calls | tokens | of stages | most of stages in a task |"
)


def rows_of(benchmark: str) -> list[str]:
    usual = [kind.name for kind in benchmark_named(benchmark).steps if kind.default]
    return ["none", "default", *(f"default,-{name}" for name in usual), "all"]


def play(steps: str, args: argparse.Namespace, models: Path | None) -> Path:
    """The run folder of a row."""
    command = [sys.executable, "submission.py", "--benchmark", args.benchmark, "--quiet"]
    command += ["--stages", steps, "--out", str(args.out), "--jobs", str(args.jobs), "--json"]
    given = {
        "--pack": args.pack, "--models": models, "--evaluator": args.evaluator,
        "--worker": args.worker, "--strategy": args.strategy,
    }  # fmt: skip
    command += [word for name, value in given.items() if value for word in (name, str(value))]
    command += [word for spec in args.task for word in ("--task", spec)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(done.stderr)
    return args.out / str(json.loads(done.stdout)["run_id"])


def row(name: str, folder: Path) -> str:
    """The figures of a run, a task each where they are no counts."""
    results, logs = read_results(folder), read_tasks(folder)
    closed = sum(any(turn.closed_by for turn in log.whole) for log in logs)
    denied = [
        sum(not turn.closed_by for turn in log.whole)
        for log in logs
        if log.outcome == "denied_security"
    ]
    spent = [Counter[bool](), Counter[bool]()]
    dearest, known = 0, True
    for log in logs:
        mine = 0
        for call in log.calls:
            of_step = call.role not in SOLVER
            known = known and None not in (call.usage.prompt, call.usage.completion)
            tokens = (call.usage.prompt or 0) + (call.usage.completion or 0)
            spent[0][of_step] += 1
            spent[1][of_step] += tokens
            mine += tokens if of_step else 0
        dearest = max(dearest, mine)
    count = max(len(results.tasks), 1)
    calls, tokens = (sum(one.values()) / count for one in spent)
    failed = Counter(step for task in results.tasks for step in task.failed_steps)
    cells: list[Any] = [
        name,
        results.totals.score_mean,
        f"{sum(t.passed for t in results.tasks)} of {len(results.tasks)}",
        results.totals.harm,
        closed,
        f"{len(denied)}, at most {max(denied, default=0)}",
        ", ".join(f"{step} {n}" for step, n in sorted(failed.items())) or "–",
        f"{results.totals.turns / count:.1f}",
        f"{calls:.1f}",
        f"{tokens:,.0f}" if known else "unknown",
        f"{spent[1][True] / count:,.0f}",
        f"{dearest:,}",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def price(args: argparse.Namespace) -> None:
    """What the usual steps cost beyond the solver, by the tokens of their prompts."""
    kinds = [kind for kind in benchmark_named(args.benchmark).steps if kind.default and kind.prompt]
    with tempfile.TemporaryDirectory() as made:
        models = Path(made) / "models.toml"
        lines = [f'{kind.name} = "playbook/around"' for kind in kinds]
        models.write_text("\n".join(["[stages]", *lines]), encoding="utf-8")
        found = {steps: play(steps, args, models) for steps in ("none", "default")}
    logs = {name: {t.spec_id: t for t in read_tasks(folder)} for name, folder in found.items()}
    head = ("task", "tokens of step calls", "of findings in prompts", "beyond the solver")
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    sums = []
    for spec, log in logs["default"].items():
        own = sum(_tokens(c) for c in log.calls if c.role not in SOLVER)
        solver = [
            sum(_tokens(c) for c in x.calls if c.role in SOLVER) for x in (log, logs["none"][spec])
        ]
        sums.append((own, solver[0] - solver[1], own + solver[0] - solver[1]))
        print(f"| {spec} | {sums[-1][0]} | {sums[-1][1]} | {sums[-1][2]} |")
    means = [f"{sum(column) / len(sums):,.0f}" for column in zip(*sums, strict=True)]
    print(f"| mean | {' | '.join(means)} |")
    print(f"| most | {' | '.join(str(max(column)) for column in zip(*sums, strict=True))} |")


def _tokens(call: Any) -> int:
    return (call.usage.prompt or 0) + (call.usage.completion or 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--benchmark", default="company")
    parser.add_argument("--pack", type=Path)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--evaluator")
    parser.add_argument("--worker")
    parser.add_argument("--strategy")
    parser.add_argument("--task", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("logs") / "step-value")
    parser.add_argument("--rows", help="with commas between rows; an inner comma is a +")
    parser.add_argument("--price", action="store_true")
    parser.add_argument("--read", type=Path, nargs="+")
    args = parser.parse_args()
    args.out = args.out.resolve()
    if args.price:
        price(args)
        return
    print(f"{HEAD}\n|{'---|' * (HEAD.count('|') - 1)}", flush=True)
    for folder in args.read or ():
        print(row("+".join(read_results(folder).steps) or "none", folder), flush=True)
    rows = args.rows.split(",") if args.rows else rows_of(args.benchmark)
    for name in () if args.read else rows:
        print(row(name, play(name.replace("+", ","), args, args.models)), flush=True)


if __name__ == "__main__":
    main()
