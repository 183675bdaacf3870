"""The company's strategies as text for models."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from core.models.sections import NONE, Texts

GUIDE = "company/guide/worker"
GUIDE_OF_STEPS = "company/guide/steps"


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("prose.toml").read_text(encoding="utf-8"))


def sections() -> dict[str, str]:
    """The texts of this room by section."""
    heads = {GUIDE: _texts()["worker"].strip("\n"), GUIDE_OF_STEPS: _texts()["steps"].strip("\n")}
    return {**heads, **{_section(name): text for name, text in _texts()["strategies"].items()}}


def prose(texts: Texts = NONE) -> str:
    """Every strategy for an evaluator with a worker; ``texts``: laid over sections."""
    return _told(GUIDE, texts)


def prose_of_steps(texts: Texts = NONE) -> str:
    """Every strategy for an agent that calls the tools itself."""
    return _told(GUIDE_OF_STEPS, texts)


def _told(head: str, texts: Texts) -> str:
    """The head and a line for each strategy; what was emptied is left out."""
    now = {**sections(), **texts}
    lines = [f"- {n}: {now[_section(n)]}" for n in _texts()["strategies"] if now[_section(n)]]
    return "\n".join([*filter(None, [now[head]]), *lines])


def _section(name: str) -> str:
    return f"company/playbooks/{name}"
