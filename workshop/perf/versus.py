"""Whether two runs of a thousand tasks make one page that shows its verdict at once.

    python workshop/perf/versus.py [--tasks N]

Plays the bundled pack twice without a key, the second time with too few turns, so that a third of
the tasks flips; makes two runs of N tasks out of copies of those journals, compares them, and opens
the page in Chromium. The page may have 12 MB and take 1.5 seconds from the address to the verdict
on the screen with the table filtered; opening the two stories of a task is told beside it. Exit
code 1 where a bound is not kept; without Chromium and Playwright that part is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from workshop.perf.report import FLAGS, bundled_run, chromium, multiplied  # noqa: E402

SIZE_MB, VERDICT_S = 12.0, 1.5
FRAME = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


def compared(first: Path, second: Path, out: Path) -> float:
    """Write the page in a process of its own: wall seconds of the whole command."""
    command = [sys.executable, str(ROOT / "submission.py"), "report", str(first), str(second)]
    began = time.perf_counter()
    subprocess.run([*command, "-o", str(out)], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - began


def scores(run: Path) -> list[float | None]:
    """Of the tasks of a run, in order."""
    tasks = json.loads((run / "results.json").read_text(encoding="utf-8"))["tasks"]
    return [task["score"] for task in tasks]


def opened(path: Path) -> dict[str, float] | None:
    """Seconds until the verdict is painted, until all is there, and to open two stories."""
    found = chromium()
    if not found:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        page = driver.chromium.launch(executable_path=found, args=FLAGS).new_page()
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(path.as_uri(), wait_until="commit")
        page.locator("#verdict-word").wait_for()
        page.evaluate(FRAME)
        verdict = time.perf_counter()
        page.wait_for_load_state()
        page.evaluate(FRAME)
        whole = time.perf_counter()
        page.locator("#tasks tbody tr:visible a").first.click()
        page.locator(".parting").wait_for()
        told = time.perf_counter()
        page.keyboard.press("Escape")
        asked = time.perf_counter()
        page.locator("[data-filter='']").click()
        page.evaluate(FRAME)
        every = time.perf_counter()
    return {
        "verdict": verdict - began,
        "all of it": whole - began,
        "open a task": told - whole,
        "show all tasks": every - asked,
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=1000)
    options = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory() as temporary:
        here = Path(temporary)
        runs = []
        for name, more in (("a", ()), ("b", ("--max-turns", "2"))):
            folder, _ = bundled_run(here / f"logs-{name}", *more)
            runs.append(multiplied(folder, here / name, options.tasks))
        took = compared(*runs, here / "versus.html")
        size = (here / "versus.html").stat().st_size / 1e6
        scores = [
            [t["score"] for t in json.loads((r / "results.json").read_text())["tasks"]]
            for r in runs
        ]
        flips = sum(a != b for a, b in zip(*scores, strict=True))
        print(f"{options.tasks} tasks in two runs, {flips} flipped")
        print(f"the page: written in {took:.1f} s, {size:.1f} MB")
        kept &= size <= SIZE_MB
        seen = opened(here / "versus.html")
        if seen:
            print("in Chromium: " + ", ".join(f"{what} {s:.2f} s" for what, s in seen.items()))
            kept &= max(seen["verdict"], seen["all of it"]) <= VERDICT_S
        else:
            print("in Chromium: not measured, there is none or no Playwright")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
