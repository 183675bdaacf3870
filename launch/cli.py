"""The command line of a run; everything heavy is imported after the options are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from launch.options import Options

DEFAULT_MODEL = "playbook/store"
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    benchmark: Annotated[str, typer.Option(help="Benchmark id on the platform.")] = "store",
    pack: Annotated[
        Path | None,
        typer.Option(
            help="A store-pack/1 file for the embedded platform; default: the bundled pack."
        ),
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="Run only this spec, outside of a session. Repeatable.")
    ] = None,
    evaluator: Annotated[
        str | None,
        typer.Option(help="LiteLLM id of the evaluator's model [EVALUATOR_MODEL; playbook/store]."),
    ] = None,
    worker: Annotated[
        str | None,
        typer.Option(help="LiteLLM id of the worker's model [WORKER_MODEL; playbook/store]."),
    ] = None,
    real: Annotated[
        bool, typer.Option("--real", help="Use the platform of ERC3_API_KEY and ERC3_BASE_URL.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --real: submit without asking.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Tasks side by side.")] = 1,
    max_turns: Annotated[int, typer.Option(min=1, max=50, help="Turns for a task.")] = 7,
    out: Annotated[Path, typer.Option(help="Folder for run folders.")] = Path("logs"),
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print the results as JSON, and nothing else, to standard output."
        ),
    ] = False,
    workspace: Annotated[str, typer.Option(help="Workspace of the session.")] = "default",
    name: Annotated[str, typer.Option(help="Name of the session.")] = "evaluator-worker",
    architecture: Annotated[
        str, typer.Option(help="Architecture of the session.")
    ] = "evaluator LLM decides, stateless code worker acts",
    flag: Annotated[
        list[str] | None,
        typer.Option(help="Flag of the session, such as compete_accuracy. Repeatable."),
    ] = None,
    require_wall: Annotated[
        bool,
        typer.Option(
            "--require-wall",
            help="Refuse to run where the sandbox has no wall of the operating system.",
        ),
    ] = False,
    fork: Annotated[
        Path | None,
        typer.Option(help="A run folder: go on from a --turn of its --task, on the embedded one."),
    ] = None,
    turn: Annotated[
        int | None, typer.Option(min=1, help="With --fork: the first turn that is taken anew.")
    ] = None,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="Stop at each tool call of the worker's code and ask; needs a terminal."
        ),
    ] = False,
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
    _check_debug(debug, jobs, as_json)
    _check_fork(fork, turn, task or [], real, max_turns)
    options = Options(
        benchmark=benchmark,
        pack=pack,
        tasks=tuple(task or ()),
        evaluator=evaluator or os.environ.get("EVALUATOR_MODEL") or DEFAULT_MODEL,
        worker=worker or os.environ.get("WORKER_MODEL") or DEFAULT_MODEL,
        real=real,
        yes=yes,
        jobs=jobs,
        max_turns=max_turns,
        out=out,
        as_json=as_json,
        workspace=workspace,
        name=name,
        architecture=architecture,
        flags=tuple(flag or ()),
        require_wall=require_wall,
        fork=fork,
        turn=turn or 1,
        debug=debug,
    )
    from launch.run import start

    raise typer.Exit(start(options))


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


def main() -> None:
    """Read the command line and exit with what the command returns."""
    app()
