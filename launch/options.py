"""What the command line asks for: every option once, with its default, help and bounds."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer
from pydantic import Field, ValidationError, field_serializer

from coordinator.config import FIXED, STRATEGIES, RunConfig, StrategyName
from erc3_compat.bounds import PATIENCE_SECONDS
from launch.record_command import option_of

BRAINS: dict[str, dict[StrategyName, str]] = {
    "store": {"evaluator-worker": "playbook/store", "next-step": "playbook/next-step"}
}
"""Models that need no key, by benchmark and strategy; they play where none is named."""


class TraceKind(StrEnum):
    """Where traces can go; a list of options takes no Literal."""

    MLFLOW = "mlflow"
    OTEL = "otel"


def _evaluator(known: dict[str, Any]) -> str:
    return os.environ.get("EVALUATOR_MODEL") or _brain(known)


def _worker(known: dict[str, Any]) -> str:
    if not STRATEGIES[known["strategy"]].has_worker:
        return str(known["evaluator"])
    return os.environ.get("WORKER_MODEL") or _brain(known)


def _brain(known: dict[str, Any]) -> str:
    # Another benchmark is refused behind this.
    return BRAINS.get(known["benchmark"], BRAINS["store"])[known["strategy"]]


class Options(RunConfig):
    """The command line of a run, read; ``model_fields_set`` are the options that were given.

    ``model_dump`` is what the manifest keeps. Excluded from it are options of one command and not
    of the run.
    """

    evaluator: str = Field(
        default_factory=_evaluator,
        description="LiteLLM id of the model that decides [EVALUATOR_MODEL; the benchmark's own "
        "playbook brain].",
    )
    worker: str = Field(
        default_factory=_worker,
        description="LiteLLM id of the worker's model [WORKER_MODEL; the playbook brain].",
    )
    patience: float = Field(
        default=PATIENCE_SECONDS,
        ge=0,
        description="Seconds for which an outage of the platform is waited for.",
    )
    pack: Path | None = Field(
        default=None,
        description="A pack file for the embedded platform; default: the bundled pack.",
    )
    real: bool = Field(
        default=False,
        description="Use the platform of ERC3_API_KEY and ERC3_BASE_URL.",
        json_schema_extra=FIXED,
    )
    yes: bool = Field(
        default=False,
        exclude=True,
        description="With --real: submit without asking, where every task was played to its end.",
    )
    submit_as_is: bool = Field(
        default=False,
        exclude=True,
        description="With --real: submit without asking, also where tasks failed for reasons "
        "outside of the agent, were cut off by a limit, or were never played.",
    )
    no_preflight: bool = Field(
        default=False,
        exclude=True,
        description="With --real: ask no model before the session begins.",
    )
    models: Path | None = Field(
        default=None, description="Settings of models (TOML) over the shipped ones [MODELS_FILE]."
    )
    record: Path | None = Field(
        default=None, description="Record every exchange with a model into this new file."
    )
    replay: Path | None = Field(
        default=None, description="Answer every exchange with a model from this recorded file."
    )
    resume: Path | None = Field(
        default=None,
        exclude=True,
        description="A run folder: go on with that run where it was cut off.",
    )
    force: bool = Field(
        default=False,
        exclude=True,
        description="With --resume: go on although pack, model or prompt is another one.",
    )
    debug: bool = Field(
        default=False,
        description="Stop at each tool call of the worker's code and ask; needs a terminal.",
        json_schema_extra=FIXED,
    )
    fork: Path | None = Field(
        default=None,
        description="A run folder: go on from a --turn of its --task, on the embedded one.",
        json_schema_extra=FIXED,
    )
    turn: int = Field(
        default_factory=lambda: 1,
        ge=1,
        description="With --fork: the first turn that is taken anew.",
        json_schema_extra=FIXED,
    )
    trace: tuple[TraceKind, ...] = Field(
        default=(),
        description="Write a trace of every task: mlflow (MLFLOW_TRACKING_URI) or otel (OTEL_*). "
        "Needs the extra of that name. Repeatable.",
    )
    require_wall: bool = Field(
        default=False,
        description="Refuse to run where the sandbox has no wall of the operating system.",
    )
    out: Path = Field(
        default=Path("logs"),
        exclude=True,
        description="Folder for run folders.",
        json_schema_extra=FIXED,
    )
    as_json: bool = Field(
        default=False,
        alias="json",
        exclude=True,
        description="Print the results as JSON, and nothing else, to standard output.",
    )
    quiet: bool = Field(
        default=False, exclude=True, description="Show no progress and no table, only errors."
    )

    @field_serializer("pack", "fork", "models", "record", "replay", when_used="unless-none")
    def _absolute(self, path: Path) -> str:
        return str(path.resolve())

    def stored(self) -> dict[str, Any]:
        """What a run was asked for, as plain data for its manifest."""
        return self.model_dump(mode="json")

    def restored(self, kept: dict[str, Any]) -> Options:
        """The options of a run to go on with: as they were kept, except for those given now.

        Raises:
            ValueError: what is kept is not of this program, or cannot have been asked for.
        """
        from models.file_checks import first_problem

        now = {
            name: getattr(self, name)
            for name, field in type(self).model_fields.items()
            # A tape is written once; what follows has to be recorded into another one.
            if name in self.model_fields_set or field.exclude or name == "record"
        }
        asked = kept | now
        if kept.get("strategy") == "next-step":
            del asked["worker"]  # it has one model, whichever of the two was given anew
        try:
            return Options.model_validate(asked)
        except ValidationError as error:
            raise ValueError(f"run.json: options.{first_problem(error)}") from None


class DoctorOptions(Options):
    """What the command line of ``doctor`` says; of the options of a run it takes a few."""

    no_calls: bool = Field(default=False, description="Ask no model, spend nothing.")


def check(options: Options) -> None:
    """Raises BadParameter where options do not go together."""
    given, strategy = options.model_fields_set, options.strategy
    typed = not STRATEGIES[strategy].has_worker
    fixed = [name for name, field in Options.model_fields.items() if field.json_schema_extra]
    clash = sorted(option_of(Options, name) for name in fixed if name in given)
    fork, turn = options.fork, "turn" in given
    for wrong, text in (
        (
            options.benchmark not in BRAINS,
            f"--benchmark {options.benchmark!r} is not supported; "
            f"there are tools for: {', '.join(BRAINS)}",
        ),
        (
            options.real and options.pack,
            "--pack is for the embedded platform, it does not go with --real",
        ),
        (options.record and options.replay, "--record and --replay do not go together"),
        (options.force and not options.resume, "--force goes with --resume"),
        (
            options.resume and clash,
            f"--resume goes on with a run as it is: leave out {', '.join(clash)}",
        ),
        (
            "prompt_tokens" in given and not typed and not options.resume,
            "--prompt-tokens goes with --strategy next-step",
        ),
        (
            "worker" in given and typed,
            f"--strategy {strategy} asks one model: name it with --evaluator, leave out --worker",
        ),
        (
            options.debug and typed,
            f"--debug steps through code, and --strategy {strategy} has none",
        ),
        (
            options.debug and not sys.stdin.isatty(),
            "--debug asks at a terminal, and standard input is none",
        ),
        (
            options.debug and options.jobs != 1,
            "--debug needs --jobs 1: one prompt, one task at a time",
        ),
        (
            options.debug and options.as_json,
            "--debug writes to standard output, it does not go with --json",
        ),
        (turn and not fork, "--turn goes with --fork"),
        (
            fork and not (turn and len(options.tasks) == 1),
            "--fork needs one --task and a --turn",
        ),
        (
            fork and options.real,
            "--fork is for the embedded platform, it does not go with --real",
        ),
        (
            fork and options.turn > options.max_turns,
            f"--turn {options.turn} is beyond the {options.max_turns} turns of --max-turns",
        ),
    ):
        if wrong:
            raise typer.BadParameter(text)
