"""Screenshots for the README: the report of a run over the bundled pack, and the live pages.

    python docs/shots.py

Needs Chromium (or CHROMIUM) and Playwright; writes docs/report.png and docs/live.png.
"""

from __future__ import annotations

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

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from coordinator.report import write_report  # noqa: E402
from coordinator.view.app import build_app  # noqa: E402

TASK = "cheapest_mix_ghost_fill_in"
PACKS = ("store-bundled", "store-variations")


def run(out: Path, pack: str) -> Path:
    """A run over a pack that comes with the project: its folder."""
    file = ROOT / "simulator" / "packs" / f"{pack}.json"
    command = [sys.executable, str(ROOT / "submission.py"), "--json", "--jobs", "2"]
    command += ["--pack", str(file), "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return out / str(json.loads(done.stdout)["run_id"])


def serve(logs: Path) -> str:
    """Serve the live pages until the program ends: their address."""
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(build_app(logs), lifespan="off", log_config=None))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def shoot(browser: Any, address: str, path: Path, *, dark: bool, opened: str = "") -> None:
    """One picture of a page, a task's story open on request."""
    scheme = "dark" if dark else "light"
    page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme=scheme)
    page.goto(f"{address}#{opened}")
    if opened:
        page.locator("#told .call").first.locator("summary").first.click()
        page.locator("#told h2").scroll_into_view_if_needed()
    else:
        page.get_by_role("button", name="Failed").click()
    page.screenshot(path=path)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Make the runs and take both pictures."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as driver:
        logs = Path(temporary) / "logs"
        report, other = (run(logs, pack) for pack in PACKS)
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        docs = ROOT / "docs"
        shoot(browser, write_report(report).as_uri(), docs / "report.png", dark=False, opened=TASK)
        shoot(browser, f"{serve(logs)}/runs/{other.name}/", docs / "live.png", dark=True)


if __name__ == "__main__":
    main()
