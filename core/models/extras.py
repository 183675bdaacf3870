"""Extras of ``pyproject.toml`` that are not installed: one text for all who miss one."""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
SDK, SDK_INDEX = "erc3==1.2.0", "https://erc.timetoact-group.at/"


class ExtraMissing(Exception):
    """Something needs an extra that is not there; the text says how to install it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what}: {install(extra)}")


def install(extra: str) -> str:
    """The command that installs an extra for the interpreter that runs.

    It is editable, as ``make setup`` installs: a copy would hide every later change. It names the
    project's folder, so it can be typed in any other one.
    """
    return f"{sys.executable} -m pip install -e '{PROJECT}[{extra}]'"


def install_sdk() -> str:
    """The command that installs the platform's official SDK, which is not on PyPI.

    This one package comes from the platform's index alone, and nothing else does: with both
    indexes, whoever uploads the name to PyPI could have it installed.
    """
    return f"{sys.executable} -m pip install --index-url {SDK_INDEX} --no-deps '{SDK}'"
