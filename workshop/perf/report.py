"""What a report costs, and whether a thousand tasks still make a page that opens at once.

    python workshop/perf/report.py [--tasks N] [--runs N]

Runs the bundled pack, writes its report and compares the two times, which may be 0.08. That is the
first report of a process that has all the imports of a run, the best of as many processes as
--runs says, since a machine is not often all ours; the later ones of a process are told apart,
and how many function calls one takes, which is the same on any machine. Then a run of N tasks is
made of copies of those journals: its report may take 2 seconds and 30 MB, and open in Chromium
within 2 seconds. Exit code 1 where one of them is not kept; without Chromium and Playwright that
part is left out.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from workshop.views.report.write import write_report  # noqa: E402

SHARE_AT_MOST = 0.08
WRITE_S, SIZE_MB, OPEN_S = 2.0, 30.0, 2.0
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


FIRST = """
import sys, time
from pathlib import Path
import core.terminal, coordinator.session, cli.cli
from workshop.views.report.write import write_report
began = time.perf_counter()
write_report(Path(sys.argv[1]))
print(time.perf_counter() - began)
"""


def bundled_run(out: Path, *more: str) -> tuple[Path, float]:
    """A run over the bundled pack in a process of its own: its folder and its seconds."""
    command = [sys.executable, str(ROOT / "submission.py"), "--json", "--out", str(out), *more]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    return out / found["run_id"], float(found["totals"]["seconds"])


def multiplied(folder: Path, out: Path, count: int) -> Path:
    """A run of ``count`` tasks made of the journals of another one."""
    (out / "tasks").mkdir(parents=True)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    journals = {path.stem: path for path in (folder / "tasks").glob("*.jsonl")}
    tasks = []
    for number in range(count):
        task = results["tasks"][number % len(results["tasks"])]
        text = journals[task["spec_id"]].read_text(encoding="utf-8")
        fresh = {name: f"{task[name]}-{number}" for name in ("spec_id", "task_id")}
        for name, value in fresh.items():
            text = text.replace(f'"{name}": "{task[name]}"', f'"{name}": "{value}"')
        (out / "tasks" / f"{fresh['spec_id']}.jsonl").write_text(text, encoding="utf-8")
        tasks.append(task | fresh)
    (out / "results.json").write_text(json.dumps(results | {"tasks": tasks}), encoding="utf-8")
    return out


def first(folder: Path) -> float:
    """Wall seconds of the first report of a process that has imported what a run does."""
    command = [sys.executable, "-c", FIRST, str(folder)]
    return float(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


def function_calls(folder: Path) -> int:
    """How many calls of Python functions a later report takes."""
    profile = cProfile.Profile()
    profile.runcall(write_report, folder)
    return sum(entry.callcount for entry in profile.getstats())


def timed(folder: Path) -> tuple[float, float, Path]:
    """Wall and processor seconds of one report, and where it is."""
    began, busy = time.perf_counter(), time.process_time()
    path = write_report(folder)
    return time.perf_counter() - began, time.process_time() - busy, path


def spread(times: list[float]) -> str:
    """The best and the median of some seconds."""
    return f"best {min(times) * 1000:.0f} ms, median {statistics.median(times) * 1000:.0f} ms"


def chromium() -> str | None:
    """The browser of this machine; None without one, or without Playwright."""
    if not importlib.util.find_spec("playwright"):
        return None
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def opened(path: Path) -> tuple[float, float, float] | None:
    """Seconds to open, to filter and to open a task in Chromium; None without one."""
    found = chromium()
    if not found:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        page = driver.chromium.launch(executable_path=found, args=FLAGS).new_page()
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(path.as_uri())
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        shown = time.perf_counter()
        page.locator("#find").fill("coupon")
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        filtered = time.perf_counter()
        page.locator("#tasks tbody tr:visible a").first.click()
        page.locator("#story-body h2").wait_for()
        told = time.perf_counter()
    return shown - began, filtered - shown, told - filtered


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory() as temporary:
        folder, seconds = bundled_run(Path(temporary) / "logs")
        print(f"run of {len(list((folder / 'tasks').iterdir()))} tasks: {seconds:.2f} s")
        firsts = [first(folder) for _ in range(options.runs)]
        later = [timed(folder)[0] for _ in range(options.runs)]
        print(f"its report, first of a process: {spread(firsts)}; then {spread(later)}")
        share = min(firsts) / seconds
        print(f"share of the run {share:.3f}; {function_calls(folder)} function calls")
        kept &= share <= SHARE_AT_MOST
        many = multiplied(folder, Path(temporary) / "many", options.tasks)
        took, busy, path = timed(many)
        size = path.stat().st_size / 1e6
        print(f"{options.tasks} tasks: {took:.2f} s (busy {busy:.2f} s), {size:.1f} MB")
        kept &= took <= WRITE_S and size <= SIZE_MB
        seen = opened(path)
        if seen:
            print("in Chromium: open {:.2f} s, filter {:.2f} s, open a task {:.2f} s".format(*seen))
            kept &= seen[0] <= OPEN_S
        else:
            print("in Chromium: not measured, there is none or no Playwright")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
