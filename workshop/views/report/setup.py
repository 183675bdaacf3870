"""The prompts of a run for its page, each once, and the briefing of a task."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from core.runs.errors import NotRecorded
from core.runs.journal import text_hash
from core.runs.manifest import Manifest
from core.runs.prompts import read_prompts
from core.runs.task_record import TaskRecord
from core.terminal.figures import cut

BEGINNING_CHARS = 60


class Text(NamedTuple):
    """A text in prompts, with its hash."""

    name: str
    sha256: str
    text: str | None
    """None if it was not stored."""


def briefing_of(record: TaskRecord) -> Text | None:
    """The briefing of a task, from its first prompt that has one."""
    for act in record.last[:1]:
        for call in act.asked:
            for role, text in act.prompt(call):
                _, begun, rest = f"\n{text}".partition("\n<briefing>\n")
                briefing, ended, _ = f"{rest}\n".partition("\n</briefing>\n")
                if role == "user" and begun and ended:
                    return Text("Briefing", text_hash(briefing), briefing)
    return None


def prompt_texts(folder: Path) -> dict[str, str]:
    """The texts of a run's prompts by SHA-256, as far as they are kept."""
    try:
        return read_prompts(folder)
    except NotRecorded:
        return {}


def prompts_of(folder: Path, manifest: Manifest) -> list[Text]:
    """The prompts of a run, those of its roles first, as far as its folder has them."""
    texts, identity = prompt_texts(folder), manifest.identity
    names = {digest: f"Section {name} as shipped" for name, digest in manifest.shipped.items()}
    names |= {digest: f"Section {name}" for name, digest in identity.sections.items()}
    roles = {digest: f"Prompt of the {role}" for role, digest in identity.prompts.items()}
    every = roles | names
    for digest in sorted(texts.keys() - every.keys()):  # nobody has noted whose they are
        lines = [line.strip("# ") for line in texts[digest].splitlines() if line.strip()]
        first = cut(lines[0], BEGINNING_CHARS) if lines else "nothing"
        every[digest] = f"Prompt that begins: {first}"
    return [Text(name, digest, texts.get(digest)) for digest, name in every.items()]
