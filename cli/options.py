"""What the command line asks for: every option once, with its default, help and bounds."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel, ConfigDict, ValidationError, field_serializer

from cli.registry import BENCHMARKS, DEFAULT
from cli.standard_streams import at_terminal
from coordinator.config import STRATEGIES, PlayOptions, RunConfig, fixed, once, option
from core.erc3_client.bounds import RETRY_SECONDS
from core.runs.find import LATEST, LOGS, NAMED
from core.terminal.record_command import argument, option_of

_IN_MANIFEST = {"steps": "stages", "patience": "retry_seconds"}
"""Options that manifests know by another name."""
_FORMER = {"retry_policy": "retry_seconds", "embedding": None}
"""Options in manifests of earlier versions: what they are called now; None is gone."""


class TraceKind(StrEnum):
    """Where traces can go; a list of options takes no Literal."""

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
        "LiteLLM id of the model that decides [EVALUATOR_MODEL; the reference model where the key "
        "of a provider of it is set; the benchmark's rule-based model].",
        default_factory=_evaluator,
    )
    worker: str = option(
        "LiteLLM id of the worker's model [WORKER_MODEL; as the evaluator's].",
        default_factory=_worker,
    )
    retry_seconds: float = option(
        "Seconds for which an outage of the platform is waited for.", RETRY_SECONDS, ge=0
    )
    pack: Path | None = option("A pack file for the embedded platform [the bundled pack].", None)
    rule_based: bool = fixed(
        "Let rule-based models play, without an LLM, where no option names another one; needed for "
        "that with --real.",
        False,
    )
    real: bool = fixed("Use the platform of ERC3_API_KEY and ERC3_BASE_URL.", False)
    yes: bool = once(
        "With --real: submit without asking, where every task was played to its end.", False
    )
    submit_as_is: bool = once(
        "With --real: submit without asking, also where tasks failed for reasons outside of the "
        "agent, were cut off by a limit, or were never played.",
        False,
    )
    no_preflight: bool = once("With --real: ask no model before the session begins.", False)
    models: Path | None = option(
        "Settings of models (TOML) over the shipped ones [MODELS_FILE].", None
    )
    rulebook: tuple[str, ...] = option(
        "A page of the wiki that the briefing has whole; for the company. Repeatable.",
        (),
    )
    record: Path | None = option("Record every exchange with a model into this new file.", None)
    replay: Path | None = option(
        "Answer every exchange with a model from this recorded file.", None
    )
    resume: Path | None = once("A run folder: go on with that run where it was cut off.", None)
    force: bool = once("With --resume: go on although pack, model or prompt has changed.", False)
    debug: bool = fixed(
        "Stop at each tool call of the worker's code and ask; needs a terminal.", False
    )
    fork: Path | None = fixed(
        "A run folder: go on from a --turn of its --task, on the embedded one.", None
    )
    turn: int = fixed(
        "With --fork: the first turn that is played again.", default_factory=lambda: 1, ge=1
    )
    trace: tuple[TraceKind, ...] = option(
        "Write a trace of every task: mlflow (MLFLOW_TRACKING_URI) or otel (OTEL_*). Needs the "
        "extra of that name. Repeatable.",
        (),
    )
    require_wall: bool = option(
        "Refuse to run where nothing of the system isolates generated code.", False
    )
    verbose: bool = once(
        "Show thoughts, instructions and tool calls line by line while they happen.", False
    )
    quiet: bool = once("Show no progress and no table, only errors.", False)

    @field_serializer(
        "pack", "fork", "models", "prompts", "record", "replay", when_used="unless-none"
    )
    def _absolute(self, path: Path) -> str:
        return str(path.resolve())

    def stored(self) -> dict[str, Any]:
        """What a run was asked for, as plain data for its manifest."""
        stored = self.model_dump(mode="json")
        return stored | {key: stored.pop(name) for key, name in _IN_MANIFEST.items()}

    def restored(self, stored: dict[str, Any]) -> Options:
        """The options of a run to go on with: as they were kept, except for those given now.

        Raises ValueError: what is kept is not of this program, or cannot have been asked for.
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
    """What the command line of ``doctor`` says; of the options of a run it takes a few."""

    no_calls: bool = option("Ask no model, spend nothing.", False)


class TurnOptions(BaseModel):
    """Which turn of which run a command is about."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    run: str = argument(NAMED, LATEST)
    task: str | None = option("Only this task, by its spec.", None)
    turn: int | None = option("Only the turn of this number.", None, ge=1)
    logs: Path = option("Where run folders are looked for.", LOGS)


class ReplayOptions(TurnOptions):
    """What ``replay`` takes."""

    as_json: bool = option("The result as JSON, and nothing else.", False, alias="json")


class DebugOptions(TurnOptions):
    """What ``debug`` takes; by default it steps through the last turn with code that failed."""

    pack: Path | None = option(
        "A pack whose world answers where the work leaves the record, after the recorded writes "
        "were repeated in it [the run's own].",
        None,
    )


def check(options: Options) -> None:
    """Raises BadParameter where options do not go together."""
    contradictions = _contradictions(options)
    if first := next((text for text, is_so in contradictions.items() if is_so), None):
        raise typer.BadParameter(first)


def _contradictions(options: Options) -> dict[str, object]:
    """What cannot be wished together, in words, each with whether it is."""
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
        f"--benchmark {options.benchmark} is the embedded platform's name; with --real there are: "
        f"{', '.join(real_ids)}": options.real and real_ids and options.benchmark not in real_ids,
        "--pack is for the embedded platform, it does not go with --real": (
            options.real and options.pack
        ),
        "--record and --replay do not go together": options.record and options.replay,
        "--force goes with --resume": options.force and not options.resume,
        f"--resume goes on with a run as it is: leave out {', '.join(clash)}": (
            options.resume and clash
        ),
        "--prompt-tokens goes with --strategy next-step": (
            "prompt_tokens" in given and not typed and not options.resume
        ),
        f"{one_model}, leave out --worker": "worker" in given and typed,
        f"--debug steps through code, and --strategy {strategy} has none": debug and typed,
        "--debug asks at a terminal, and standard input is none": (debug and not at_terminal()),
        "--debug needs --jobs 1: one prompt, one task at a time": debug and options.jobs != 1,
        "--verbose and --quiet do not go together": options.verbose and options.quiet,
        "--debug writes to standard output, it does not go with --json": debug and options.as_json,
        "--turn goes with --fork": turn and not fork,
        "--fork needs one --task and a --turn": fork and not (turn and len(options.tasks) == 1),
        "--fork is for the embedded platform, it does not go with --real": fork and options.real,
        f"--turn {options.turn} is beyond the {options.max_turns} turns of --max-turns": (
            fork and options.turn > options.max_turns
        ),
    }
