"""The manifest of a run, in its folder from before its first step: ``run.json``."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from core.files import read_bytes
from core.ledger import Record
from core.models.file_checks import first_problem
from core.models.model_call import ModelCall
from core.runs.journal import write_whole

NAME = "run.json"


class NoManifest(Exception):
    """The folder cannot be gone on with; the text says why."""


class Identity(Record):
    """The settings that define a run; if one changes, it is a different run."""

    models: dict[str, str] = Field(default_factory=dict)
    """Model id by role."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of the text that all prompts of a role begin with; the texts are in ``prompts/``."""
    sections: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of each section that replaced a built-in one; the texts are there too."""
    pack: str | None = None
    """The pack's name; None on the real platform."""
    scenarios: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of each scenario of the pack, by spec."""


class Manifest(Record):
    """The whole of ``run.json``."""

    format: Literal["run-manifest/1"] = "run-manifest/1"
    run_id: str
    created: str
    identity: Identity
    earlier: tuple[Identity, ...] = ()
    """Identities before forced resumes, oldest first."""
    options: dict[str, Any] = Field(default_factory=dict)
    """The options of the run that resuming needs."""
    base_url: str | None = None
    """Address of the real platform; None for the simulator."""
    session_id: str | None = None
    tasks: tuple[tuple[str, str, str], ...] = ()
    """Spec, task id and text of each task, in order."""
    preflight: tuple[ModelCall, ...] = ()
    """The preflight calls; not part of the run's totals."""
    shipped: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of the built-in text of each replaced section, for a diff."""
    versions: dict[str, str] = Field(default_factory=dict)
    sandboxes: tuple[str, ...] = ()
    """Where generated code ran: bubblewrap, landlock or monty; one more after each resume in which
    it changed. Empty: no code runs, or an older version made it."""

    @property
    def title(self) -> str:
        """The name that the user gave; "" if none: the default is the strategy's name."""
        name = str(self.options.get("name") or "")
        return "" if name == self.options.get("strategy") else name

    @property
    def fork(self) -> str:
        """The run folder that it was forked from; "" of any other run."""
        return str(self.options.get("fork") or "")

    def write(self, folder: Path) -> None:
        """Write it whole. Raises OSError."""
        write_whole(folder / NAME, self.model_dump_json(indent=1), durable=True)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run folder. Raises NoManifest."""
    path = folder / NAME
    try:
        return Manifest.model_validate_json(read_bytes(path))
    except FileNotFoundError:
        raise NoManifest(
            f"{folder} has no {NAME}: it is not a run folder, or the run died before its first task"
        ) from None
    except OSError as error:
        raise NoManifest(f"{path} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise NoManifest(f"{path}: {first_problem(error)}") from None


def manifest_of(folder: Path) -> Manifest | None:
    """The manifest of a run; None if it has no readable one."""
    with suppress(NoManifest):
        return read_manifest(folder)
    return None


def changes(then: Identity, now: Identity) -> list[str]:
    """List what has changed."""
    lines = [
        f"model of the {role}: was {then.models.get(role)}, is {now.models.get(role)}"
        for role in dict.fromkeys([*then.models, *now.models])
        if then.models.get(role) != now.models.get(role)
    ]
    if then.pack != now.pack:
        lines.append(f"pack: was {then.pack}, is {now.pack}")
    was, new = then.scenarios, now.scenarios
    for kind, specs in {
        "changed": [s for s in was if s in new and was[s] != new[s]],
        "gone": [s for s in was if s not in new],
        "new": [s for s in new if s not in was],
    }.items():
        lines += [f"scenarios {kind}: {', '.join(specs)}"] if specs else []
    if then.sections != now.sections:
        lines.append(f"sections: were {_named(then.sections)}; are {_named(now.sections)}")
    for role in dict.fromkeys([*then.prompts, *now.prompts]):
        digest = then.prompts.get(role)
        if digest != now.prompts.get(role):
            where = f"its text is in prompts/{digest}.txt" if digest else "there was no such prompt"
            lines.append(f"prompt of the {role}: {where}")
    return lines


def _named(sections: dict[str, str]) -> str:
    return ", ".join(f"{name} {digest[:8]}" for name, digest in sections.items()) or "built-in"
