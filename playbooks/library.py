"""Loads the playbooks of a benchmark: Markdown files, in the order that playbooks.toml names."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from core.models.sections import NONE, Texts

_FOLDER = Path(__file__).parent
_GUIDE = "guide/worker"
_GUIDE_OF_STEPS = "guide/steps"


@cache
def _texts(benchmark: str) -> tuple[dict[str, str], dict[str, str]]:
    """Heading and text of each playbook, by its name."""
    folder = _FOLDER / benchmark
    order = tomllib.loads((folder / "playbooks.toml").read_text(encoding="utf-8"))["order"]
    headings, texts = {}, {}
    for name in order:
        heading, _, text = _read(folder / f"{name}.md").partition("\n")
        headings[name], texts[name] = heading.removeprefix("# "), _unwrapped(text)
    return headings, texts


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _unwrapped(text: str) -> str:
    """A line for each paragraph."""
    lines = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return "\n".join(line for line in lines if line)


def sections(benchmark: str) -> dict[str, str]:
    """The texts of a benchmark by the name of their prompt section."""
    folder = _FOLDER / benchmark
    guides = {_GUIDE: "guide.md", _GUIDE_OF_STEPS: "guide-next-step.md"}
    heads = {key: _unwrapped(_read(folder / name)) for key, name in guides.items()}
    texts = {f"playbooks/{name}": text for name, text in _texts(benchmark)[1].items()}
    return {f"{benchmark}/{key}": text for key, text in {**heads, **texts}.items()}


def prose(benchmark: str, overrides: Texts = NONE) -> str:
    """Every playbook as text for an evaluator with a worker; ``overrides``: by section."""
    return _rendered(benchmark, _GUIDE, overrides)


def prose_of_steps(benchmark: str, overrides: Texts = NONE) -> str:
    """Every playbook as text for an agent that calls the tools itself."""
    return _rendered(benchmark, _GUIDE_OF_STEPS, overrides)


def _rendered(benchmark: str, guide: str, overrides: Texts) -> str:
    """The guide and a line for each playbook; an emptied section is left out."""
    now = {**sections(benchmark), **overrides}
    headings, _ = _texts(benchmark)
    texts = {name: now[f"{benchmark}/playbooks/{name}"] for name in headings}
    lines = [f"- {headings[name]}: {text}" for name, text in texts.items() if text]
    return "\n".join([*filter(None, [now[f"{benchmark}/{guide}"]]), *lines])
