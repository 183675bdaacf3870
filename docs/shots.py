"""Pictures for the README: the closing table, the report of a run, and the live pages.

    .venv/bin/python docs/shots.py [NAME ...]

Needs Chromium (or CHROMIUM) and Playwright; writes docs/run.svg, docs/report.png, docs/live.png,
docs/runs.png and docs/versus.png, or those that are named.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))


from workshop.views.live import build_app  # noqa: E402
from workshop.views.report.run_page import write_report  # noqa: E402
from workshop.views.report.versus import versus_page  # noqa: E402

TASK = "budget_fits_thanks_to_coupon"
MISTAKEN = ("--evaluator", "scripted/store?errors=0.2&seed=7")


def run(out: Path, *options: str) -> Path:
    """A run of the bundled tasks: its folder. As shipped, recorded replies play."""
    command = [sys.executable, str(ROOT / "submission.py"), "--json", "--jobs", "2"]
    done = subprocess.run(
        [*command, "--out", str(out), *options], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    return out / str(json.loads(done.stdout)["run_id"])


def serve(logs: Path) -> str:
    """Serve the live pages until the program ends: their address."""
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(build_app(logs), lifespan="off", log_config=None))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def shoot(page: Any, name: str) -> None:
    """One picture of a page as it stands."""
    path = ROOT / "docs" / f"{name}.png"
    page.screenshot(path=path)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def opened(browser: Any, address: str, *, dark: bool = False) -> Any:
    """A page in a window of its own."""
    scheme = "dark" if dark else "light"
    page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme=scheme)
    page.goto(address)
    return page


def shoot_run(browser: Any, logs: Path) -> None:
    """The closing table of a run over the bundled pack, as a terminal shows it."""
    command = [sys.executable, str(ROOT / "submission.py"), "--jobs", "2", "--out", str(logs)]
    done = subprocess.run(
        command,
        cwd=logs.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "121"},
    )
    console = Console(record=True, width=121, file=io.StringIO())
    console.print(Text.from_ansi(done.stdout.replace(f"{logs}", "logs")), end="")
    path = ROOT / "docs" / "run.svg"
    console.save_svg(str(path), title="make run")
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def shoot_report(browser: Any, logs: Path) -> None:
    """The report of a run over the bundled pack, one task's story open."""
    page = opened(browser, f"{write_report(run(logs)).as_uri()}#{TASK}")
    page.locator("#story-body .call").first.locator("summary").first.click()
    page.locator("#story-body h2").scroll_into_view_if_needed()
    shoot(page, "report")


def shoot_versus(browser: Any, logs: Path) -> None:
    """Two runs on one page: the second one had too few turns."""
    first, second = run(logs), run(logs, "--max-turns", "2")
    path = logs / "versus.html"
    path.write_text(versus_page(first, second), encoding="utf-8")
    shoot(opened(browser, path.as_uri()), "versus")


def shoot_live(browser: Any, logs: Path) -> None:
    """The live pages: the failed tasks of a run."""
    found = run(logs, *MISTAKEN)
    page = opened(browser, f"{serve(logs)}/runs/{found.name}/", dark=True)
    page.get_by_role("button", name="Failed").click()
    shoot(page, "live")


def shoot_runs(browser: Any, logs: Path) -> None:
    """The list of runs as a telephone shows it: finished, limited, with a name and without."""
    run(logs)
    run(logs, "--max-seconds", "0.3", "--name", "a short one")
    run(logs, "--name", "spring cleaning", "--max-turns", "2")
    page = opened(browser, serve(logs))
    page.set_viewport_size({"width": 390, "height": 620})
    page.locator("#states button").nth(1).wait_for()
    shoot(page, "runs")


SHOTS = {
    "run": shoot_run, "report": shoot_report, "live": shoot_live, "runs": shoot_runs,
    "versus": shoot_versus,
}  # fmt: skip


def main() -> None:
    """Take the pictures."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in sys.argv[1:] or SHOTS:
            SHOTS[name](browser, Path(temporary) / name)


if __name__ == "__main__":
    main()
