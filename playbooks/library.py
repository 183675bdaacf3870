"""Loads the playbooks of a benchmark: Markdown files, in the order that playbooks.toml names."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from core.models.sections import NONE, Texts

_FOLDER = Path(__file__).parent
_GUIDES = {"guide/worker": "guide.md", "guide/steps": "guide-next-step.md"}


@cache
def _playbooks(benchmark: str) -> dict[str, tuple[str, str]]:
    """Heading and text of each playbook, by its name."""
    folder = _FOLDER / benchmark
    order = tomllib.loads((folder / "playbooks.toml").read_text(encoding="utf-8"))["order"]
    playbooks = {}
    for name in order:
        heading, _, text = (folder / f"{name}.md").read_text(encoding="utf-8").partition("\n")
        playbooks[name] = heading.removeprefix("# "), _unwrapped(text)
    return playbooks


def _unwrapped(text: str) -> str:
    """A line for each paragraph and for each item of a list."""
    parts = text.replace("\n- ", "\n\n- ").split("\n\n")
    lines = (" ".join(part.split()) for part in parts)
    return "\n".join(line for line in lines if line)


def sections(benchmark: str) -> dict[str, str]:
    """The texts of a benchmark by the name of their prompt section."""
    texts = {
        f"{benchmark}/{key}": _unwrapped((_FOLDER / benchmark / name).read_text(encoding="utf-8"))
        for key, name in _GUIDES.items()
    }
    for name, (_, text) in _playbooks(benchmark).items():
        texts[f"{benchmark}/playbooks/{name}"] = text
    return texts


def prose(benchmark: str, overrides: Texts = NONE, *, of_steps: bool = False) -> str:
    """The guide, then each playbook under its heading; an emptied section is left out.

    ``overrides``: by section; ``of_steps``: for an agent that calls the tools itself, else for an
    evaluator with a worker.
    """
    now = {**sections(benchmark), **overrides}
    guide = now[f"{benchmark}/guide/{'steps' if of_steps else 'worker'}"]
    lines = [guide] if guide else []
    for name, (heading, _) in _playbooks(benchmark).items():
        if text := now[f"{benchmark}/playbooks/{name}"]:
            lines.append(f"\n{heading[:1].upper()}{heading[1:]}\n{text}")
    return "\n".join(lines)
