"""Both strategies on the same task, turn by turn, and on the same pack, in tokens and requests.

    python workshop/perf/strategies.py [--task SPEC] [--pack FILE] [--write docs/strategies.md]

Without keys: the playbook brains decide, so the loops do the same with the same knowledge, and
what differs is what the loops cost. Prints Markdown, or puts it between the marks of a page.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUNDLED = ROOT / "workshop" / "simulator" / "store" / "packs" / "store-bundled.json"
TASK = "required_coupon_works"
STRATEGIES = ("evaluator-worker", "next-step")
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
CHARS = 150


def run(strategy: str, pack: Path, out: Path, task: str | None = None) -> dict[str, Any]:
    command = [sys.executable, "submission.py", "--json", "--pack", str(pack), "--out", str(out)]
    command += ["--strategy", strategy, *(("--task", task) if task else ())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    results: dict[str, Any] = json.loads(done.stdout)
    return results


def cell(text: str) -> str:
    flat = " ".join(text.split())
    cut = flat if len(flat) <= CHARS else f"{flat[:CHARS]}…"
    return cut.replace("|", "\\|").replace("<", "&lt;")


def story(strategy: str, pack: Path, task: str) -> list[str]:
    """A table with a row for each turn."""
    with tempfile.TemporaryDirectory() as out:
        run(strategy, pack, Path(out), task)
        (journal,) = Path(out).glob("*/tasks/*.jsonl")
        entries = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    lines = [
        "| turn | decided | called | model calls | prompt tokens | completion tokens |",
        "|---|---|---|---|---|---|",
    ]
    asked: list[dict[str, Any]] = []
    sums = [0, 0, 0]
    for entry in entries:
        if entry["type"] == "model_call":
            asked.append(entry["usage"])
        if entry["type"] != "turn":
            continue
        spent = [len(asked), *(sum(u[kind] for u in asked) for kind in ("prompt", "completion"))]
        sums = [a + b for a, b in zip(sums, spent, strict=True)]
        calls = [c["name"] for c in (entry["report"] or {}).get("calls", [])]
        row = [entry["number"], cell(entry["decision"]["instruction"]), ", ".join(calls), *spent]
        lines.append(f"| {' | '.join(map(str, row))} |")
        asked = []
    lines.append(f"| all | | | {' | '.join(f'**{n}**' for n in sums)} |")
    return lines


def totals(pack: Path) -> list[str]:
    """Both on a whole pack, side by side."""
    found = {}
    for strategy in STRATEGIES:
        with tempfile.TemporaryDirectory() as out:
            found[strategy] = run(strategy, pack, Path(out))
    lines = [f"| {found[STRATEGIES[0]]['pack']} | {' | '.join(STRATEGIES)} |", "|---|---|---|"]
    for name, value in (
        ("tasks", lambda r: r["totals"]["tasks"]),
        ("score", lambda r: r["totals"]["score_mean"]),
        ("wrong checkouts", lambda r: r["totals"]["harm"]),
        ("turns a task", lambda r: r["totals"]["turns"]),
        ("store requests a task", lambda r: sum(t["requests"] for t in r["tasks"])),
        ("prompt tokens a task", lambda r: r["totals"]["tokens"]["prompt"]),
        ("completion tokens a task", lambda r: r["totals"]["tokens"]["completion"]),
    ):
        cells = []
        for results in found.values():
            number = value(results)
            each = number / results["totals"]["tasks"]
            cells.append(f"{each:,.1f}" if name.endswith("a task") else str(number))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def page(pack: Path, task: str) -> str:
    scenarios = json.loads(pack.read_text(encoding="utf-8"))["scenarios"]
    text = next(s["task_text"] for s in scenarios if s["spec_id"] == task)
    lines = [f"The task (`{task}`): *{text}*", ""]
    for strategy in STRATEGIES:
        lines += [f"### `{strategy}`", "", *story(strategy, pack, task), ""]
    lines += ["### A whole pack", "", *totals(pack)]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", type=Path, default=BUNDLED)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    made = page(options.pack.resolve(), options.task)
    if options.write is None:
        print(made)
        return
    before, _, rest = options.write.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    options.write.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
