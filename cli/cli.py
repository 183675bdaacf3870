"""The command line: one command with subcommands, of which only the one asked for is loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module, metadata
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from cli import has_workshop, loading
from cli.standard_streams import loss, steady
from core.models.extras import ExtraMissing
from core.runs.errors import CannotRun, Exit, NothingToDo, Usage

CODES = "Exit codes: " + "; ".join(f"{code.value} {code.means}" for code in Exit) + "."
COMMANDS = {
    "run": "cli.commands:run",
    "doctor": "cli.commands:doctor",
    "show": "workshop.views.commands:show",
    "report": "workshop.views.commands:report",
    "view": "workshop.views.commands:view",
    "stats": "workshop.views.commands:stats",
    "export": "workshop.views.commands:export",
    "regress": "workshop.lab.regress:regress",
    "compare": "workshop.lab.compare:compare",
    "minimise": "workshop.lab.minimise:minimise",
    "replay": "cli.commands:replay",
    "debug": "cli.commands:debug",
    "serve": "workshop.command:serve",
    "generate": "workshop.generators.command:generate",
    "baselines": "workshop.command:baselines",
    "check": "workshop.check:check",
    "prompts": "cli.commands:prompts",
    "evolve": "workshop.lab.evolve.command:evolve",
    "wiki": "cli.wiki_command:app",
    "clean": "cli.clean:clean",
    "agent": "workshop.agent_adapter.play:agent",
}
"""By name the function of each subcommand, or its group of them."""
OF_THE_AGENT = frozenset({"run", "doctor", "prompts", "wiki", "clean"})
"""Subcommands that do without the workshop."""
_LOOK: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}


class Commands(typer.core.TyperGroup):
    """The subcommands; without the name of one, ``run`` is meant."""

    _name = ""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One subcommand, loaded now; None where there is none of the name."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in OF_THE_AGENT and not has_workshop():
            raise Usage(f"{cmd_name} needs the folder workshop, which this copy does not have")
        module, _, name = COMMANDS[cmd_name].partition(":")
        function = getattr(import_module(module), name)
        if cmd_name != "run":  # which loads more before its work begins
            loading.over()
        if isinstance(function, typer.Typer):  # with subcommands of its own
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
        """Put ``run`` before options that stand alone."""
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
        from cli.caches import cache_folder
        from cli.commands import judge, lab_context, note_baselines
        from core.models import openrouter_prices as listed

        ctx.obj = partial(lab_context, dict(os.environ))
        # Pages stand below the lab and the platform, whose verdicts and baselines they show.
        ctx.meta.update(judge=judge, baselines=note_baselines)
        with _explained(complete=self._name != "run"):
            env_file.load_for(self._name)
            # Nothing is sent before a price of OpenRouter is asked for.
            address = listed.address(os.environ.get(listed.VARIABLE))
            listed.use(listed.OpenRouterPrices(cache_folder(), address))
            return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The subcommands, then the options of ``run``."""
        self.format_commands(ctx, formatter)
        self.get_command(ctx, "run").format_options(ctx, formatter)


@contextmanager
def _explained(*, complete: bool) -> Iterator[None]:
    """Within this, what a user can fix or has asked for ends the command without a traceback.

    ``complete``: what is shown is all that the command leaves behind, so losing it is an error. Its
    code is none of the verdicts that some commands end with.

    Raises typer.Exit.
    """
    try:
        try:
            yield
        except typer.Exit as end:
            if end.exit_code:
                raise
        if complete and (lost := loss(heard=False)):
            raise Usage(f"standard output cannot be written: {lost}")
        return
    except NothingToDo as nothing:
        text, code = str(nothing), nothing.code
    except CannotRun as error:
        text, code = f"error: {error}", error.code
    except ExtraMissing as error:
        text, code = f"error: {error}", Exit.OUTSIDE
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
    steady()
    app()
