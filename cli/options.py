"""The command line: each option once, with its default, help and bounds."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer

from cli.registry import BENCHMARKS, DEFAULT
from cli.standard_streams import at_terminal
from coordinator.config import STRATEGIES, PlayOptions, RunConfig, fixed, once, option
from core.erc3_client.bounds import RETRY_SECONDS
from core.runs.find import LATEST, LOGS, NAMED
from core.runs.task import Turn
from core.terminal.record_command import argument, option_of

_IN_MANIFEST = {"steps": "stages", "patience": "retry_seconds"}
"""Options that manifests know by another name."""
_FORMER = {"retry_policy": "retry_seconds", "embedding": None}
"""Options in manifests of earlier versions: what they are called now; None is gone."""


class TraceKind(StrEnum):
    """Targets of traces; typer does not accept a Literal in a list of options."""

    MLFLOW = "mlflow"
    OTEL = "otel"


def _evaluator(known: dict[str, Any]) -> str:
    return os.environ.get("EVALUATOR_MODEL") or _rule_based(known)


def _worker(known: dict[str, Any]) -> str:
    if not STRATEGIES[known["strategy"]].has_worker:
        return str(known["evaluator"])
    return os.environ.get("WORKER_MODEL") or _rule_based(known)


def _rule_based(known: dict[str, Any]) -> str:
    # Another benchmark is refused behind this.
    entry = BENCHMARKS.get(known["benchmark"], BENCHMARKS[DEFAULT])
    return entry.rule_based[known["strategy"]]


class Options(RunConfig, PlayOptions):
    """The command line of a run, read; ``model_fields_set`` are the options that were given."""

    evaluator: str = option(
        "LiteLLM id of the model that decides [EVALUATOR_MODEL; the reference model if the key "
        "of a provider of it is set; the benchmark's rule-based model].",
        default_factory=_evaluator,
    )
    worker: str = option(
        "LiteLLM id of the worker's model [WORKER_MODEL; as the evaluator's].",
        default_factory=_worker,
    )
    retry_seconds: float = option(
        "Seconds to wait for the platform during an outage.", RETRY_SECONDS, ge=0
    )
    pack: Path | None = option("A pack file for the embedded platform [the bundled pack].", None)
    rule_based: bool = fixed(
        "Let rule-based models play unless an option names others; required for them with --real.",
        False,
    )
    real: bool = fixed("Use the platform of ERC3_API_KEY and ERC3_BASE_URL.", False)
    yes: bool = once(
        "With --real: submit without asking if every task was played to its end.", False
    )
    submit_as_is: bool = once(
        "With --real: submit without asking, even if tasks failed for external reasons, "
        "were cut off by a limit, or were never played.",
        False,
    )
    no_preflight: bool = once("With --real: skip the test question to each model.", False)
    models: Path | None = option(
        "A TOML file with settings of models that replace the built-in ones [MODELS_FILE].", None
    )
    rulebook: tuple[str, ...] = option(
        "Company: a wiki page to include whole in the briefing. Repeatable.",
        (),
    )
    record: Path | None = option("Record every exchange with a model into this new file.", None)
    replay: Path | None = option("Take every model reply from this recorded file.", None)
    resume: Path | None = once("Resume this interrupted run.", None)
    force: bool = once("With --resume: resume even if pack, model or prompt has changed.", False)
    edited: Turn | None = Field(default=None, exclude=True)
    """Of a fork: how the turn before went otherwise than it was recorded."""
    debug: bool = fixed("Stop at each tool call of the worker's code; needs a terminal.", False)
    fork: Path | None = fixed(
        "Play the --task of this run again from --turn, on the simulator.", None
    )
    turn: int = fixed("With --fork: the first turn to play again.", default_factory=lambda: 1, ge=1)
    trace: tuple[TraceKind, ...] = option(
        "Write a trace of every task: mlflow (MLFLOW_TRACKING_URI) or otel (OTEL_*). Needs the "
        "extra of that name. Repeatable.",
        (),
    )
    require_wall: bool = option(
        "Refuse to run unless the operating system isolates generated code.", False
    )
    verbose: bool = once("Print thoughts, instructions and tool calls as they happen.", False)
    quiet: bool = once("Print only errors.", False)

    @field_serializer(
        "pack", "fork", "models", "prompts", "record", "replay", when_used="unless-none"
    )
    def _absolute(self, path: Path) -> str:
        return str(path.resolve())

    def stored(self) -> dict[str, Any]:
        """Return the options as plain data for the manifest."""
        stored = self.model_dump(mode="json")
        return stored | {key: stored.pop(name) for key, name in _IN_MANIFEST.items()}

    def restored(self, stored: dict[str, Any]) -> Options:
        """Return the stored options of the run to resume, overridden by those given now.

        Raises ValueError: the stored options are invalid or from another program.
        """
        from core.models.file_checks import first_problem

        given = {
            name: getattr(self, name)
            for name, field in type(self).model_fields.items()
            # A tape is written once; what follows has to be recorded into another one.
            if name in self.model_fields_set or field.exclude or name == "record"
        }
        names = _FORMER | _IN_MANIFEST
        stored = {now: value for name, value in stored.items() if (now := names.get(name, name))}
        merged = stored | given
        if stored.get("strategy") == "next-step":
            del merged["worker"]  # it has one model, whichever of the two is given now
        try:
            return Options.model_validate(merged)
        except ValidationError as error:
            raise ValueError(f"run.json: options.{first_problem(error)}") from None


class DoctorOptions(Options):
    """The command line of ``doctor``, which has a few options of a run."""

    no_calls: bool = option("Call no model.", False)


class TurnOptions(BaseModel):
    """Selects a turn of a run."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    run: str = argument(NAMED, LATEST)
    task: str | None = option("Only this task.", None)
    turn: int | None = option("Only this turn.", None, ge=1)
    logs: Path = option("The folder that contains the run folders.", LOGS)


class ReplayOptions(TurnOptions):
    """The command line of ``replay``."""

    as_json: bool = option("Print the result as JSON, and nothing else.", False, alias="json")


class DebugOptions(TurnOptions):
    """The command line of ``debug``; by default it opens the last failed turn with code."""

    pack: Path | None = option(
        "A pack whose simulator answers calls that are not recorded, after the recorded writes "
        "were repeated in it [the run's own].",
        None,
    )


_CONTRADICTIONS: tuple[tuple[str, Callable[[Options], object]], ...] = (
    (
        "--benchmark {benchmark!r} is not supported; there are tools for: {benchmarks}",
        lambda o: o.benchmark not in BENCHMARKS,
    ),
    (
        "--benchmark {benchmark} is a name of the simulator; with --real use one of: {real_ids}",
        lambda o: o.real and _real_ids(o) and o.benchmark not in _real_ids(o),
    ),
    (
        "--pack is for the simulator and cannot be combined with --real",
        lambda o: o.real and o.pack,
    ),
    ("--record and --replay cannot be combined", lambda o: o.record and o.replay),
    ("--force needs --resume", lambda o: o.force and not o.resume),
    (
        "--resume continues a run with its own options: leave out {unchangeable}",
        lambda o: o.resume and _unchangeable(o),
    ),
    (
        "--prompt-tokens needs --strategy next-step",
        lambda o: _is_given(o, "prompt_tokens") and _has_worker(o) and not o.resume,
    ),
    (
        "--strategy {strategy} asks one model: name it with --evaluator, leave out --worker",
        lambda o: _is_given(o, "worker") and not _has_worker(o),
    ),
    (
        "--debug steps through code, and --strategy {strategy} has none",
        lambda o: o.debug and not _has_worker(o),
    ),
    (
        "--debug needs a terminal, but standard input is not one",
        lambda o: o.debug and not at_terminal(),
    ),
    (
        "--debug needs --jobs 1: it can stop only one task at a time",
        lambda o: o.debug and o.jobs != 1,
    ),
    ("--verbose and --quiet cannot be combined", lambda o: o.verbose and o.quiet),
    (
        "--debug writes to standard output and cannot be combined with --json",
        lambda o: o.debug and o.as_json,
    ),
    ("--turn needs --fork", lambda o: _is_given(o, "turn") and not o.fork),
    (
        "--fork needs one --task and a --turn",
        lambda o: o.fork and not (_is_given(o, "turn") and len(o.tasks) == 1),
    ),
    (
        "--fork plays on the simulator and cannot be combined with --real",
        lambda o: o.fork and o.real,
    ),
    (
        "--turn {turn} is beyond the {max_turns} turns of --max-turns",
        lambda o: o.fork and o.turn > o.max_turns,
    ),
)
"""Combinations of options that make no sense, each as the error about it and its condition."""


def check(options: Options) -> None:
    """Raises BadParameter where options do not go together."""
    for text, is_present in _CONTRADICTIONS:
        if is_present(options):
            lists = {
                "benchmarks": ", ".join(BENCHMARKS),
                "real_ids": ", ".join(_real_ids(options)),
                "unchangeable": ", ".join(_unchangeable(options)),
            }
            raise typer.BadParameter(text.format(**dict(options), **lists))


def _real_ids(options: Options) -> tuple[str, ...]:
    """The names of the benchmark on the real platform."""
    entry = BENCHMARKS.get(options.benchmark)
    return entry.platform_ids if entry else ()


def _unchangeable(options: Options) -> list[str]:
    """The given options that a resumed run cannot change."""
    fixed = [name for name, field in Options.model_fields.items() if field.json_schema_extra]
    return sorted(option_of(Options, name) for name in fixed if _is_given(options, name))


def _is_given(options: Options, name: str) -> bool:
    return name in options.model_fields_set


def _has_worker(options: Options) -> bool:
    return STRATEGIES[options.strategy].has_worker
