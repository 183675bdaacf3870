"""The command line of a run; everything heavy is imported after the options are read."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import typer

from erc3_compat.bounds import PATIENCE_SECONDS
from launch import arguments
from launch.options import Options
from runs.errors import Exit

DEFAULT_MODEL = "playbook/store"


@dataclass(frozen=True)
class Way:
    """What a strategy means for the options that are not given."""

    model: str
    turns: int
    architecture: str
    has_worker: bool = True


WAYS = {
    "evaluator-worker": Way(DEFAULT_MODEL, 7, "evaluator LLM decides, stateless code worker acts"),
    "next-step": Way(
        "playbook/next-step", 30, "one LLM picks one typed tool per step", has_worker=False
    ),
}
_UNSAID = ("DEFAULT", "DEFAULT_MAP")
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback(
    invoke_without_command=True,
    epilog="Exit codes: " + "; ".join(f"{code.value} {code.means}" for code in Exit) + ".",
)
def run(
    context: typer.Context,
    benchmark: arguments.Benchmark = "store",
    pack: arguments.Pack = None,
    task: arguments.Task = None,
    evaluator: arguments.Evaluator = None,
    worker: arguments.Worker = None,
    real: arguments.Real = False,
    yes: arguments.Yes = False,
    no_preflight: arguments.NoPreflight = False,
    submit_as_is: arguments.SubmitAsIs = False,
    breaker: arguments.Breaker = 3,
    jobs: arguments.Jobs = 1,
    strategy: arguments.Strategy = "evaluator-worker",
    prompt_tokens: arguments.PromptTokens = 12_000,
    max_turns: arguments.MaxTurns = None,
    out: arguments.Out = Path("logs"),
    as_json: arguments.AsJson = False,
    workspace: arguments.Workspace = "default",
    name: arguments.Name = None,
    architecture: arguments.Architecture = None,
    flag: arguments.Flag = None,
    require_wall: arguments.RequireWall = False,
    fork: arguments.Fork = None,
    turn: arguments.Turn = None,
    debug: arguments.Debug = False,
    models: arguments.Models = None,
    record: arguments.Record = None,
    replay: arguments.Replay = None,
    resume: arguments.Resume = None,
    force: arguments.Force = False,
    quiet: arguments.Quiet = False,
    trace: arguments.Trace = None,
    max_seconds: arguments.MaxSeconds = None,
    max_tokens: arguments.MaxTokens = None,
    max_dollars: arguments.MaxDollars = None,
    task_seconds: arguments.TaskSeconds = None,
    task_tokens: arguments.TaskTokens = None,
    task_dollars: arguments.TaskDollars = None,
    patience: arguments.Patience = PATIENCE_SECONDS,
) -> None:
    """Run a benchmark session with an evaluator and a worker, and show its scores."""
    from dotenv import load_dotenv

    load_dotenv(Path.cwd() / ".env")
    if context.invoked_subcommand:
        return
    if real and pack is not None:
        raise typer.BadParameter("--pack is for the embedded platform, it does not go with --real")
    if benchmark != "store":
        text = f"{benchmark!r} is not supported; there are tools for: store"
        raise typer.BadParameter(text, param_hint="--benchmark")
    if record and replay:
        raise typer.BadParameter("--record and --replay do not go together")
    explicit = _explicit(context)
    _check_resume(resume, force, explicit)
    way = WAYS[strategy]
    turns = max_turns or way.turns
    _check_strategy(strategy, explicit, debug)
    _check_debug(debug, jobs, as_json)
    _check_fork(fork, turn, task or [], real, turns)
    eyes = evaluator or os.environ.get("EVALUATOR_MODEL") or way.model
    hands = worker or os.environ.get("WORKER_MODEL") or way.model
    options = Options(
        benchmark=benchmark,
        pack=pack,
        tasks=tuple(task or ()),
        evaluator=eyes,
        worker=hands if way.has_worker else eyes,
        real=real,
        yes=yes,
        submit_as_is=submit_as_is,
        breaker=breaker,
        jobs=jobs,
        max_turns=turns,
        out=out,
        as_json=as_json,
        workspace=workspace,
        name=name or strategy,
        architecture=architecture or way.architecture,
        flags=tuple(flag or ()),
        require_wall=require_wall,
        fork=fork,
        turn=turn or 1,
        debug=debug,
        models=models,
        record=record,
        replay=replay,
        resume=resume,
        force=force,
        quiet=quiet,
        trace=tuple(map(str, trace or ())),
        max_seconds=max_seconds,
        max_tokens=max_tokens,
        max_dollars=max_dollars,
        task_seconds=task_seconds,
        task_tokens=task_tokens,
        task_dollars=task_dollars,
        patience=patience,
        strategy=strategy,
        prompt_tokens=prompt_tokens,
        preflight=not no_preflight,
        explicit=explicit,
    )
    from launch.run import start

    raise typer.Exit(start(options))


def _explicit(context: typer.Context) -> frozenset[str]:
    """The options that were written on the command line."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(
        name for name, source in sources.items() if source and source.name not in _UNSAID
    )


def _check_resume(resume: Path | None, force: bool, explicit: frozenset[str]) -> None:
    if resume is None:
        if force:
            raise typer.BadParameter("--force goes with --resume")
        return
    own = {
        "strategy",
        "task",
        "fork",
        "turn",
        "debug",
        "real",
        "out",
        "benchmark",
        "workspace",
        "name",
    }
    if clash := sorted(explicit & own):
        words = ", ".join(f"--{name}" for name in clash)
        raise typer.BadParameter(f"--resume goes on with a run as it is: leave out {words}")


def _check_strategy(strategy: str, explicit: frozenset[str], debug: bool) -> None:
    if strategy == "evaluator-worker":
        if "prompt_tokens" in explicit and "resume" not in explicit:
            raise typer.BadParameter("--prompt-tokens goes with --strategy next-step")
    elif "worker" in explicit:
        raise typer.BadParameter(
            f"--strategy {strategy} asks one model: name it with --evaluator, leave out --worker"
        )
    elif debug:
        raise typer.BadParameter(f"--debug steps through code, and --strategy {strategy} has none")


def _check_debug(debug: bool, jobs: int, as_json: bool) -> None:
    wrong = (
        ""
        if not debug
        else "--debug asks at a terminal, and standard input is none"
        if not sys.stdin.isatty()
        else "--debug needs --jobs 1: one prompt, one task at a time"
        if jobs != 1
        else "--debug writes to standard output, it does not go with --json"
        if as_json
        else ""
    )
    if wrong:
        raise typer.BadParameter(wrong)


def _check_fork(
    fork: Path | None, turn: int | None, tasks: list[str], real: bool, max_turns: int
) -> None:
    if fork is None and turn is None:
        return
    wrong = (
        "--turn goes with --fork"
        if fork is None
        else "--fork needs one --task and a --turn"
        if turn is None or len(tasks) != 1
        else "--fork is for the embedded platform, it does not go with --real"
        if real
        else f"--turn {turn} is beyond the {max_turns} turns of --max-turns"
        if turn > max_turns
        else ""
    )
    if wrong:
        raise typer.BadParameter(wrong)


@app.command()
def doctor(
    evaluator: arguments.Evaluator = None,
    worker: arguments.Worker = None,
    models: arguments.Models = None,
    as_json: arguments.AsJson = False,
    no_calls: arguments.NoCalls = False,
) -> None:
    """Check what is configured and reachable, and say how to mend what is not."""
    from launch.doctor import DoctorOptions
    from launch.doctor import doctor as examine

    options = DoctorOptions(
        evaluator=evaluator or os.environ.get("EVALUATOR_MODEL") or DEFAULT_MODEL,
        worker=worker or os.environ.get("WORKER_MODEL") or DEFAULT_MODEL,
        models=models,
        as_json=as_json,
        calls=not no_calls,
    )
    raise typer.Exit(examine(options))


def main() -> None:
    """Read the command line and exit with what the command returns."""
    from launch.streams import steady

    steady()
    app()
