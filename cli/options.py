"""The command line: each option once, with its default, help and bounds."""

from __future__ import annotations

import os
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
    """Forms of traces; typer does not accept a Literal in a list of options."""

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
        "Send a trace of every task to an OpenTelemetry collector (OTEL_*); needs the extra otel.",
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


def check(options: Options) -> None:
    """Raises BadParameter where options do not go together."""
    contradictions = _contradictions(options)
    if first := next((text for text, is_so in contradictions.items() if is_so), None):
        raise typer.BadParameter(first)


def _contradictions(options: Options) -> dict[str, object]:
    """Maps each forbidden combination of options, as an error text, to whether it is present."""
    given, strategy = options.model_fields_set, options.strategy
    typed = not STRATEGIES[strategy].has_worker
    fixed = [name for name, field in Options.model_fields.items() if field.json_schema_extra]
    clash = sorted(option_of(Options, name) for name in fixed if name in given)
    entry = BENCHMARKS.get(options.benchmark)
    real_ids = entry.platform_ids if entry else ()
    fork, turn, debug = options.fork, "turn" in given, options.debug
    one_model = f"--strategy {strategy} asks one model: name it with --evaluator"
    return {
        f"--benchmark {options.benchmark!r} is not supported; there are tools for: "
        f"{', '.join(BENCHMARKS)}": options.benchmark not in BENCHMARKS,
        f"--benchmark {options.benchmark} is a name of the simulator; with --real use one of: "
        f"{', '.join(real_ids)}": options.real and real_ids and options.benchmark not in real_ids,
        "--pack is for the simulator and cannot be combined with --real": (
            options.real and options.pack
        ),
        "--record and --replay cannot be combined": options.record and options.replay,
        "--force needs --resume": options.force and not options.resume,
        f"--resume continues a run with its own options: leave out {', '.join(clash)}": (
            options.resume and clash
        ),
        "--prompt-tokens needs --strategy next-step": (
            "prompt_tokens" in given and not typed and not options.resume
        ),
        f"{one_model}, leave out --worker": "worker" in given and typed,
        f"--debug steps through code, and --strategy {strategy} has none": debug and typed,
        "--debug needs a terminal, but standard input is not one": (debug and not at_terminal()),
        "--debug needs --jobs 1: it can stop only one task at a time": debug and options.jobs != 1,
        "--verbose and --quiet cannot be combined": options.verbose and options.quiet,
        "--debug writes to standard output and cannot be combined with --json": debug
        and options.as_json,
        "--turn needs --fork": turn and not fork,
        "--fork needs one --task and a --turn": fork and not (turn and len(options.tasks) == 1),
        "--fork plays on the simulator and cannot be combined with --real": fork and options.real,
        f"--turn {options.turn} is beyond the {options.max_turns} turns of --max-turns": (
            fork and options.turn > options.max_turns
        ),
    }
