"""What a run is made of and how far it is: ``run.json``, from before its first step on."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from core.files import read_bytes
from core.ledger import Record
from core.models.file_checks import first_problem
from core.models.model_call import ModelCall
from core.models.providers import note_on
from core.runs.errors import NotRecorded
from core.runs.journal import write_whole

NAME = "run.json"


FORMAT = "run/1"
FORMER = ("results.json", "lab.json")
"""Files of the folders that earlier versions left."""


class NoManifest(NotRecorded):
    """The folder cannot be gone on with; the text says why."""


class ModelPair(Record):
    """The models of a run."""

    evaluator: str
    worker: str

    @property
    def note(self) -> str:
        """What a reader of their results has to know of them; "" for nothing."""
        return note_on((self.evaluator, self.worker))


class PackInfo(Record):
    """A pack as it is played."""

    name: str
    tasks: int
    sha256: str = ""
    """Hash of its scenarios, in order; "" where nobody has made one."""


class ExternalAgent(Record):
    """An agent that is not ours: a command that plays on the simulator in its environment."""

    command: str
    """Secrets in it are masked."""
    commit: str | None = None
    """Commit of its folder, with `-dirty` if files differ; None outside of git."""
    session_names: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    """As it reported them."""
    side_by_side: int = 1
    """So many of it at once, each with a share of the tasks."""
    timeout: float | None = None
    """Seconds for which it may neither begin a task nor complete one; None: for ever."""


class _Format(Record):
    format: str


_OTHER_VERSION = (
    f"which this version does not read: it reads {FORMAT}; "
    "use the version that made it, or play it again"
)
MODELS_NAMED = 3
HARM = "harm"
"""Used if a run does not record the benchmark's name for it."""


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

    format: Literal["run/1"] = "run/1"
    run_id: str
    created: str
    """ISO 8601, as ``finished``."""
    benchmark: str
    strategy: str | None = None
    """None: an agent plays that is not ours."""
    stages: tuple[str, ...] = ()
    """Those that are on."""
    harm_name: str = HARM
    """The benchmark's name for the mistake that cannot be undone."""
    groups: tuple[str, ...] = ()
    """Its classes of tasks."""
    idle_group: str | None = None
    """The class of tasks that pass if nothing is done; None: there is none."""
    identity: Identity
    note: str = ""
    """What a reader of the results has to know of the models."""
    caveat: str = ""
    """The same of stages that are off."""
    earlier: tuple[Identity, ...] = ()
    """Identities before forced resumes, oldest first."""
    options: dict[str, Any] = Field(default_factory=dict)
    """The options of the run that resuming needs."""
    packs: tuple[PackInfo, ...] = ()
    """None on a real platform."""
    epochs: int = 1
    players: dict[str, str] = Field(default_factory=dict)
    """Titles of the trivial players by name."""
    agent: ExternalAgent | None = None
    """Who plays in place of our models; None: they do."""
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
    """Where generated code ran: landlock or monty; one more after each resume in which it changed.
    Empty: no code runs."""
    finished: str | None = None
    """When every task had a result that will not be tried again."""
    submitted: bool = False
    seconds: float = 0.0
    """Wall time over all sittings that came to their end."""

    @property
    def title(self) -> str:
        """The name that the user gave; "" if none: the default is the strategy's name."""
        name = str(self.options.get("name") or "")
        return "" if name == self.options.get("strategy") else name

    @property
    def brain(self) -> ModelPair:
        """The models of evaluator and worker; of an agent, what is known of it."""
        if self.agent:
            label = self.agent_label
            return ModelPair(evaluator=label, worker=label)
        evaluator = self.identity.models.get("evaluator", "")
        return ModelPair(evaluator=evaluator, worker=self.identity.models.get("worker", evaluator))

    @property
    def agent_label(self) -> str:
        """Names of an agent's sessions, its command, commit and the models that it reported."""
        agent = self.agent
        if agent is None:
            return ""
        version = f" @ {agent.commit}" if agent.commit else ""
        name = ", ".join(agent.session_names) or "agent"
        return ", ".join((f"{name}: {agent.command}{version}", *agent.models[:MODELS_NAMED]))

    @property
    def pack(self) -> str:
        """Names of its packs; "" on the real platform."""
        return " + ".join(pack.name for pack in self.packs)

    @property
    def waits(self) -> bool:
        """Whether its session was played on the real platform to its end and not submitted."""
        return bool(self.base_url and self.session_id and self.finished and not self.submitted)

    @property
    def is_sampled(self) -> bool:
        """Whether its tasks are played in parts, on platforms of their own."""
        return "chunk" in self.options

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
        data = read_bytes(path)
        # Before anything else is looked at: another version may have other fields.
        if (found := _Format.model_validate_json(data).format) != FORMAT:
            raise NoManifest(f"{path}: has the format {found}, {_OTHER_VERSION}")
        return Manifest.model_validate_json(data)
    except FileNotFoundError:
        if any((folder / name).exists() for name in FORMER):
            raise NoManifest(f"{folder} has no {NAME}, {_OTHER_VERSION}") from None
        raise NoManifest(
            f"{folder} has no {NAME}: it is not a run folder, or the run died before its first task"
        ) from None
    except OSError as error:
        raise NoManifest(f"{path} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise NoManifest(f"{path}: {first_problem(error)}") from None


def note_progress(folder: Path, **progress: Any) -> None:
    """Replace fields of a run's ``run.json``, if it has one. Raises OSError, NoManifest."""
    if (folder / NAME).exists():
        read_manifest(folder).model_copy(update=progress).write(folder)


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
