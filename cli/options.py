"""The command line: each option once, with its default, help and bounds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer

from cli.asking import at_terminal
from cli.registry import BENCHMARKS, DEFAULT, declared, platform_ids
from coordinator.config import STRATEGIES, PlayOptions, RunConfig
from core.erc3_client.bounds import RETRY_SECONDS
from core.options import fixed, once, option
from core.runs.find import LATEST, LOGS, NAMED
from core.runs.task import Turn
from core.terminal.record_command import argument, option_of


class TraceKind(StrEnum):
    """Forms of traces; typer does not accept a Literal in a list of options."""

    OTEL = "otel"
    MLFLOW = "mlflow"


def _evaluator(known: dict[str, Any]) -> str:
    # Another benchmark is refused behind this.
    id = known["benchmark"] if known["benchmark"] in BENCHMARKS else DEFAULT
    return os.environ.get("EVALUATOR_MODEL") or declared(id).scripted


def _worker(known: dict[str, Any]) -> str:
    named = os.environ.get("WORKER_MODEL") if STRATEGIES[known["strategy"]].has_worker else None
    return named or str(known["evaluator"])


class Options(RunConfig, PlayOptions):
    """The command line of a run, read; ``model_fields_set`` are the options that were given."""

    evaluator: str = option(
        "Let this model decide, by its LiteLLM id or its name in --models; it also writes the code "
        "unless --worker names another [EVALUATOR_MODEL; else gpt-oss-120b if a key for it is set; "
        "else recorded replies or the benchmark's scripted model].",
        default_factory=_evaluator,
    )
    worker: str = option(
        "Let this model write the worker's code; name the evaluator, too [WORKER_MODEL; else the "
        "evaluator's].",
        default_factory=_worker,
    )
    retry_seconds: float = option(
        "Wait this many seconds for the platform during an outage.", RETRY_SECONDS, ge=0
    )
    pack: Path | None = option(
        "Play this pack file on the embedded platform [the bundled pack].", None
    )
    real: bool = fixed("Play on the platform of ERC3_API_KEY and ERC3_BASE_URL.", False)
    allow_scripted: bool = fixed(
        "With --real: rehearse with scripted models, which know the tasks of --pack; the platform "
        "has to be on this machine.",
        False,
    )
    yes: bool = once(
        "With --real: submit without asking if every task was played to its end.", False
    )
    submit_as_is: bool = once(
        "With --real: submit without asking, even if tasks failed for external reasons, "
        "were cut off by a limit, or were never played.",
        False,
    )
    no_preflight: bool = once("With --real: begin without the test questions to the models.", False)
    models: Path | None = option(
        "Replace settings of models by those in this TOML file [MODELS_FILE].", None
    )
    rulebook: tuple[str, ...] = option(
        "Company: put this wiki page whole into the briefing. Repeatable.",
        (),
    )
    embedding: str | None = option(
        "Company: search the wiki by meaning, too, with this model: a LiteLLM id, or local/FOLDER "
        "with the extra semantic.",
        None,
    )
    record: Path | None = option("Record every exchange with a model into this new file.", None)
    playback: Path | None = option("Take every model reply from this recorded file.", None)
    resume: Path | None = once("Resume this interrupted run.", None)
    force: bool = once("With --resume: resume even if pack, model or prompt has changed.", False)
    edited: Turn | None = Field(default=None, exclude=True)
    """Of a fork: how the turn before went otherwise than it was recorded."""
    debug: bool = fixed("Step through the worker's code line by line; needs a terminal.", False)
    fork: Path | None = fixed(
        "Play the --task of this run again from --turn, on the simulator.", None
    )
    turn: int = fixed("With --fork: the first turn to play again.", default_factory=lambda: 1, ge=1)
    trace: tuple[TraceKind, ...] = option(
        "Send a trace of every task: otel to an OpenTelemetry collector (OTEL_*), mlflow to a "
        "store of MLflow (MLFLOW_TRACKING_URI); needs the extra of that name. Repeatable.",
        (),
    )
    require_wall: bool = option(
        "Refuse to run unless the operating system isolates generated code.", False
    )
    verbose: bool = once("Print thoughts, instructions, code and calls as they happen.", False)
    quiet: bool = once("Print only errors and what cannot be undone.", False)

    @field_serializer(
        "pack", "fork", "models", "prompts", "record", "playback", when_used="unless-none"
    )
    def _absolute(self, path: Path) -> str:
        return str(path.resolve())

    def stored(self) -> dict[str, Any]:
        """Return the options as plain data for the manifest."""
        return self.model_dump(mode="json")

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
        merged = stored | given
        if stored.get("strategy") == "next-step":
            del merged["worker"]  # it has one model, whichever of the two is given now
        try:
            return Options.model_validate(merged)
        except ValidationError as error:
            raise ValueError(f"run.json: options.{first_problem(error)}") from None


class DoctorOptions(Options):
    """The command line of ``doctor``, which has a few options of a run."""

    evaluator: str = option(
        "Check this model as the one that decides [EVALUATOR_MODEL, as for a run].",
        default_factory=lambda: os.environ.get("EVALUATOR_MODEL") or f"scripted/{DEFAULT}",
    )
    no_calls: bool = option("Call no model.", False)


class TurnOptions(BaseModel):
    """Selects a turn of a run."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    run: str = argument(NAMED, LATEST)
    task: str | None = option("Take only this task.", None)
    turn: int | None = option("Take only this turn.", None, ge=1)
    logs: Path = option("Look for runs in this folder.", LOGS)


class ReplayOptions(TurnOptions):
    """The command line of ``replay``."""

    as_json: bool = option("Print the result as JSON, and nothing else.", False, alias="json")


class DebugOptions(TurnOptions):
    """The command line of ``debug``; by default it opens the last failed turn with code."""

    pack: Path | None = option(
        "Answer calls that are not recorded from the simulator of this pack, after the recorded "
        "writes were repeated in it [the run's own].",
        None,
    )


def check(options: Options) -> None:
    """Raises BadParameter: options do not go together."""
    found = (_of_platform(options), _of_strategy(options), _of_debug_and_fork(options))
    if first := next(chain(*found), None):
        raise typer.BadParameter(first)


def _of_platform(o: Options) -> Iterator[str]:
    real_ids = platform_ids(o.benchmark)
    if o.benchmark not in BENCHMARKS:
        there = ", ".join(BENCHMARKS)
        yield f"--benchmark {o.benchmark!r} is not supported; there are tools for: {there}"
    elif o.real and real_ids and o.benchmark not in real_ids:
        what = f"--benchmark {o.benchmark} is a name of the simulator"
        yield f"{what}; with --real use one of: {', '.join(real_ids)}"
    if o.real and o.pack and not o.allow_scripted:
        yield "--pack is for the simulator and cannot be combined with --real"
    if o.faults and o.real:
        yield "--faults is for the simulator and cannot be combined with --real"
    if o.allow_scripted and not (o.real and o.pack):
        yield "--allow-scripted needs --real and --pack"
    if o.record and o.playback:
        yield "--record and --playback cannot be combined"
    if o.force and not o.resume:
        yield "--force needs --resume"
    fixed = [name for name, field in Options.model_fields.items() if field.json_schema_extra]
    given = sorted(option_of(Options, name) for name in fixed if name in o.model_fields_set)
    if o.resume and given:
        yield f"--resume continues a run with its own options: leave out {', '.join(given)}"


def _of_strategy(o: Options) -> Iterator[str]:
    has_worker = STRATEGIES[o.strategy].has_worker
    if "prompt_tokens" in o.model_fields_set and has_worker and not o.resume:
        yield "--prompt-tokens needs --strategy next-step"
    if "worker" in o.model_fields_set and not has_worker:
        one_model = f"--strategy {o.strategy} asks one model"
        yield f"{one_model}: name it with --evaluator, leave out --worker"
    if o.debug and not has_worker:
        yield f"--debug steps through code, and --strategy {o.strategy} has none"


def _of_debug_and_fork(o: Options) -> Iterator[str]:
    if o.debug and not at_terminal():
        yield "--debug needs a terminal, but standard input is not one"
    if o.debug and o.jobs != 1:
        yield "--debug needs --jobs 1: it can stop only one task at a time"
    if o.verbose and o.quiet:
        yield "--verbose and --quiet cannot be combined"
    if o.debug and o.as_json:
        yield "--debug writes to standard output and cannot be combined with --json"

    has_turn = "turn" in o.model_fields_set
    if has_turn and not o.fork:
        yield "--turn needs --fork"
    if o.fork and not (has_turn and len(o.tasks) == 1):
        yield "--fork needs one --task and a --turn"
    if o.fork and o.real:
        yield "--fork plays on the simulator and cannot be combined with --real"
    if o.fork and o.turn > o.max_turns:
        yield f"--turn {o.turn} is beyond the {o.max_turns} turns of --max-turns"
