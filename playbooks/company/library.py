"""The company's strategies as text for models."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("prose.toml").read_text(encoding="utf-8"))


def prose() -> str:
    """Every strategy for an evaluator with a worker."""
    return str(_texts()["worker"]).lstrip() + _strategies()


def prose_of_steps() -> str:
    """Every strategy for an agent that calls the tools itself."""
    return str(_texts()["steps"]).lstrip() + _strategies()


def _strategies() -> str:
    told: dict[str, str] = _texts()["strategies"]
    return "\n".join(f"- {name}: {text}" for name, text in told.items())
