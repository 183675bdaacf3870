"""The command line of a run; everything heavy is imported after the options are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_MODEL = "playbook/store"
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@dataclass(frozen=True)
class Options:
    """The command line, read."""

    benchmark: str
    pack: Path | None
    tasks: tuple[str, ...]
    evaluator: str
    worker: str
    real: bool
    yes: bool
    jobs: int
    max_turns: int
    out: Path
    as_json: bool
    workspace: str
    name: str
    architecture: str
    flags: tuple[str, ...]


@app.command()
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
) -> None:
    """Run a benchmark session with an evaluator and a worker, and show its scores."""
    from dotenv import load_dotenv

    load_dotenv(Path.cwd() / ".env")
    if real and pack is not None:
        raise typer.BadParameter("--pack is for the embedded platform, it does not go with --real")
    if benchmark != "store":
        text = f"{benchmark!r} is not supported; there are tools for: store"
        raise typer.BadParameter(text, param_hint="--benchmark")
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
    )
    raise typer.Exit(context.obj(options))


def main(start: Callable[[Options], int]) -> None:
    """Read the command line and exit with what ``start`` returns."""
    app(obj=start)
