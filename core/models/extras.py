"""Extras of ``pyproject.toml`` that are not installed: one text for all who miss one."""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]


class ExtraMissing(Exception):
    """Something needs an extra that is not there; the text says how to install it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what}: {install(extra)}")


def install(extra: str, *, index: str = "") -> str:
    """The command that installs an extra for the interpreter that runs; ``index``: where else.

    It is editable, as ``make setup`` installs: a copy would hide every later change. It names the
    project's folder, so it can be typed in any other one.
    """
    also = f"--extra-index-url {index} " if index else ""
    return f"{sys.executable} -m pip install {also}-e '{PROJECT}[{extra}]'"
