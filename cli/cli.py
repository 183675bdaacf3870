"""The command line: one command with subcommands, of which only the one asked for is loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import metadata
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from cli import has_workshop, loading
from cli.registry import load
from core.models.extras import ExtraMissing
from core.runs.errors import CannotRun, Exit, NothingToDo, Usage
from worker.descriptors import reserve

CODES = "Exit codes: " + "; ".join(f"{code.value} {code.means}" for code in Exit) + "."
COMMANDS = {
    "run": ("cli.commands:run", "Run a benchmark session and show its scores."),
    "doctor": ("cli.commands:doctor", "Check what is set up, and say how to fix what is not."),
    "show": (
        "workshop.views.commands:show",
        "Show a run: a table, failed tasks, or the record of one.",
    ),
    "report": ("workshop.views.commands:report", "Write a page about a run, or about two."),
    "view": (
        "workshop.views.commands:view",
        "Serve all runs of a folder on loopback until interrupted.",
    ),
    "stats": (
        "workshop.views.commands:stats",
        "Show score, cost and failures of many runs in groups.",
    ),
    "export": ("workshop.views.commands:export", "Hand a run to OpenTelemetry or MLflow."),
    "regress": ("workshop.lab.regress:regress", "Play packs and report scores with intervals."),
    "effects": (
        "workshop.lab.effects:effects",
        "Play agents under faults and count effects: lost, doubled, unauthorised.",
    ),
    "compare": (
        "workshop.views.compare:compare",
        "Compare two runs task by task: is the second one worse?",
    ),
    "minimise": (
        "workshop.lab.minimise:minimise",
        "Shrink a failing scenario while it fails in the same way.",
    ),
    "replay": ("cli.commands:replay", "Run recorded code again and report what differs."),
    "debug": ("cli.commands:debug", "Step through the code of one recorded turn, line by line."),
    "serve": ("workshop.command:serve", "Serve packs on loopback until interrupted."),
    "generate": (
        "workshop.generators.command:generate",
        "Write a pack of fresh scenarios to standard output.",
    ),
    "openenv": (
        "workshop.environments.command:openenv",
        "Serve drawn tasks as an environment of OpenEnv until interrupted.",
    ),
    "check": (
        "workshop.check:check",
        "Check a pack: every mistake, and whether its tasks can be solved.",
    ),
    "prompts": ("cli.commands:prompts", "Write every text that a model reads into a folder."),
    "evolve": (
        "workshop.lab.evolve:evolve",
        "Let a model improve prompts; propose only what is proven.",
    ),
    "wiki": ("cli.wiki_command:wiki", "List, write out and fetch the wikis of companies."),
    "agent": ("workshop.lab.agents:agent", "Play any agent on the embedded platform."),
}
"""By name the function of each subcommand, and what the list says of it.

The list of subcommands comes from here alone, so that ``--help`` loads none of them.
"""
OF_THE_AGENT = frozenset({"run", "doctor", "prompts", "wiki"})
"""Subcommands that do without the workshop."""
_LOOK: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}


class Commands(typer.core.TyperGroup):
    """The subcommands; without the name of one, ``run`` is meant."""

    _name = ""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load one subcommand; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in OF_THE_AGENT and not has_workshop():
            raise Usage(f"{cmd_name} needs the folder workshop, which is missing from this copy")
        function = load(COMMANDS[cmd_name][0])
        if cmd_name != "run":  # which loads more before its work begins
            loading.over()
        if isinstance(function, typer.Typer):  # a command with commands of its own
            return typer.main.get_command(function)
        # What follows the name of an agent's program is the program's.
        settings = {"allow_interspersed_args": False} if cmd_name == "agent" else None
        single = typer.Typer(**_LOOK)
        single.command(
            cmd_name,
            epilog=CODES if cmd_name == "run" else None,
            context_settings=settings,
        )(function)
        return typer.main.get_command(single)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert ``run`` if the arguments begin with an option."""
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "--version")):
            args.insert(0, "run")
        self._name = args[0]
        # What a mistyped name is compared with; nothing of it is looked up here.
        names: dict[str, Any] = dict.fromkeys(COMMANDS)
        self.commands = names
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand; what cannot be done is one line for the user."""
        from cli import env_file

        ctx.obj = partial(_late, "cli.lab:lab_context", dict(os.environ))
        # Pages stand below the lab, whose trivial players they show.
        ctx.meta["play_trivial"] = partial(_late, "cli.lab:play_trivial")
        with _explained():
            env_file.load_for(self._name)
            return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The subcommands, then the options of ``run``."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, said) for name, (_, said) in COMMANDS.items()])
        self.get_command(ctx, "run").format_options(ctx, formatter)


def _late(place: str, *arguments: object) -> Any:
    """Import a function now, and call it."""
    return load(place)(*arguments)


@contextmanager
def _explained() -> Iterator[None]:
    """End the command without a traceback for errors that a user can fix.

    The exit code differs from the verdicts of other commands. Raises typer.Exit.
    """
    try:
        yield
        return
    except NothingToDo as nothing:
        text, code = str(nothing), nothing.code
    except CannotRun as error:
        text, code = f"error: {error}", error.code
    except ExtraMissing as error:
        text, code = f"error: {error}", Exit.OUTSIDE
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise typer.Exit from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        text, code = f"error: {where}{error.strerror or error}", Exit.OUTSIDE
    except KeyboardInterrupt:
        text, code = "interrupted", Exit.INTERRUPTED
    # Late: what a folder or a model wrote may stand in the text.
    from core.text import clean

    print(clean(text), file=sys.stderr)
    raise typer.Exit(code)


app = typer.Typer(cls=Commands, **_LOOK)


def _version(wanted: bool) -> None:
    if wanted:
        try:
            typer.echo(metadata.version("erc3-agent"))
        except metadata.PackageNotFoundError:
            raise typer.BadParameter("this copy is not installed: pip install -e .") from None
        raise typer.Exit


@app.callback(epilog=CODES)
def commands(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    """Run a benchmark session with an evaluator and a worker; look at runs; compare them.

    Without a command the options are those of `run`. Each command has a --help of its own;
    --version shows the version of this program.
    """


def main() -> None:
    """Read the command line and exit with what the command returns."""
    loading.begin()
    reserve()
    # A stream that was closed from the start takes everything, as long as the process is.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    app()
