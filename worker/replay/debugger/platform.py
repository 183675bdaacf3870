"""An embedded platform in a process of its own: agents and platform meet only on the wire."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runs.errors import Usage

ROOT = Path(__file__).parents[3]


class NoPlatform(Usage):
    """No platform was started; the text says why."""


@contextmanager
def serving(pack: Path) -> Iterator[str]:
    """The base URL of a platform that serves the pack.

    Raises:
        NoPlatform: it does not start, such as for a pack that cannot be used.
    """
    command = [sys.executable, "-m", "simulator", "--pack", str(pack.absolute())]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            url = process.stdout.readline().strip() if process.stdout else ""
            if not url:
                words = process.stderr.read().strip() if process.stderr else ""
                raise NoPlatform(words.splitlines()[-1] if words else "no platform was started")
            yield url
        finally:
            process.terminate()
