"""Settings of a run for its page: each prompt once, options, versions, baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from core.files import read_bytes
from core.runs.journal import text_hash
from core.runs.manifest import Identity, Manifest, manifest_of
from core.runs.prompts import read_prompts
from core.runs.reader import NotRecorded
from core.runs.task_record import TaskRecord
from core.terminal.figures import cut

BASELINES = "floors.json"
"""Scores of the trivial baselines on the tasks of a run, by name."""
BEGINNING_CHARS = 60
_SCORES = TypeAdapter(dict[str, float])


class Text(NamedTuple):
    """A text in prompts, with its hash."""

    name: str
    sha256: str
    text: str | None
    """None if it was not stored."""


@dataclass(frozen=True)
class Setup:
    """The settings of a run, as far as its folder has them; None is unknown."""

    prompts: tuple[Text, ...] = ()
    """Those of the run's roles first."""
    options: Mapping[str, str] | None = None
    versions: Mapping[str, str] | None = None
    base_url: str | None = None
    baselines: Mapping[str, float] | None = None


def setup_of(folder: Path) -> Setup:
    """Read it; what is missing or damaged is left out."""
    manifest = manifest_of(folder)
    options = manifest.options if manifest else {}
    try:
        baselines = _SCORES.validate_json(read_bytes(folder / BASELINES))
    except (OSError, ValueError):
        baselines = None
    told = {name: str(v) for name, v in options.items() if v not in (None, "", [], {})}
    return Setup(
        prompts=tuple(_prompts(folder, manifest)),
        options=told if manifest else None,
        versions=manifest.versions if manifest else None,
        base_url=manifest.base_url if manifest else None,
        baselines=baselines,
    )


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


def _prompts(folder: Path, manifest: Manifest | None) -> list[Text]:
    texts = prompt_texts(folder)
    identity = manifest.identity if manifest else Identity()
    shipped = manifest.shipped if manifest else {}
    names = {digest: f"Section {name} as shipped" for name, digest in shipped.items()}
    names |= {digest: f"Section {name}" for name, digest in identity.sections.items()}
    roles = {digest: f"Prompt of the {role}" for role, digest in identity.prompts.items()}
    every = roles | names
    for digest in sorted(texts.keys() - every.keys()):  # nobody has noted whose they are
        lines = [line.strip("# ") for line in texts[digest].splitlines() if line.strip()]
        first = cut(lines[0], BEGINNING_CHARS) if lines else "nothing"
        every[digest] = f"Prompt that begins: {first}"
    return [Text(name, digest, texts.get(digest)) for digest, name in every.items()]
