"""The command ``check``: what is wrong with a pack, and whether each of its worlds scores rightly.

A pack is read, then every scenario is played in each way whose score is known, see
``plays`` of ``World``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from core.runs.errors import CannotRun, Usage
from core.terminal.figures import counted
from core.text import clean, instead
from workshop.generators.generating import generator_of, options_of
from workshop.simulator import worlds
from workshop.simulator.open_world import Checked
from workshop.simulator.open_world import check as check_worlds
from workshop.simulator.pack_files import PackError
from workshop.simulator.world import World


@dataclass(frozen=True)
class Report:
    """What a check has found."""

    source: str
    mistakes: tuple[str, ...] = ()
    """Why the pack cannot be used; it has no worlds then."""
    worlds: tuple[Checked, ...] = ()

    @property
    def code(self) -> int:
        """The exit code."""
        return 2 if self.mistakes else int(any(one.wrong for one in self.worlds))

    def as_json(self) -> str:
        """The report for another program."""
        return json.dumps({"format": "check/1", **asdict(self)}, ensure_ascii=False, indent=1)

    def lines(self) -> list[str]:
        """The report for a person: a line for each mistake or world, and what all of them say."""
        if self.mistakes:
            count = counted(len(self.mistakes), "mistake")
            return [*self.mistakes, f"{count}: nothing was played"]
        wrong = sum(bool(one.wrong) for one in self.worlds)
        unknown = sum(bool(one.underivable) for one in self.worlds)
        plays = sum(one.plays for one in self.worlds)
        summary = f"{counted(len(self.worlds), 'world')}, {counted(plays, 'play')}: {wrong} wrong"
        return [*map(_line, self.worlds), summary + (f", {unknown} not played" if unknown else "")]


def _line(world: Checked) -> str:
    if world.wrong:
        return f"WRONG  {world.spec_id}: {'; '.join(world.wrong)}"
    if world.underivable:
        return f"?      {world.spec_id}: not played: {world.underivable}"
    return f"ok     {world.spec_id}: {counted(world.plays, 'play')}"


def check(
    pack: Annotated[Path | None, typer.Argument(help="A pack file.")] = None,
    generated: Annotated[
        str | None,
        typer.Option(metavar="SEED:COUNT[:OPTIONS]", help="Check generated scenarios instead."),
    ] = None,
    benchmark: Annotated[
        str,
        typer.Option(help=f"Generate scenarios of this benchmark: {', '.join(worlds.FORMATS)}."),
    ] = worlds.DEFAULT.name,
    schema: Annotated[
        str | None,
        typer.Option(metavar="BENCHMARK", help="Print the JSON Schema of its packs instead."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Check a pack: every mistake, and whether its tasks can be solved.

    Name every mistake in the file, then play each task's world in each known way. The right play
    must score 1; doing nothing and refusing must score as the pack expects;
    every spoilt play must score 0.

    Exit codes: 0 all is right; 1 a scenario is wrong; 2 the pack cannot be used.
    """
    if [pack, generated, schema].count(None) != 2:
        raise Usage("name one: a pack file, --generated SEED:COUNT or --schema BENCHMARK")
    if schema:
        typer.echo(json.dumps(_world(schema).pack.model_json_schema(), indent=1))
        return
    if generated:
        report = _drawn(_world(benchmark), generated)
    else:
        try:
            report = Report(str(pack), worlds=tuple(check_worlds(worlds.load_pack(str(pack)))))
        except PackError as error:
            report = Report(str(pack), error.mistakes)
    typer.echo(report.as_json() if as_json else clean("\n".join(report.lines())))
    raise typer.Exit(report.code)


def _world(name: str) -> World:
    if name not in worlds.FORMATS:
        raise Usage(f"there is no benchmark {name!r}; {instead(name, list(worlds.FORMATS))}")
    return worlds.world_of(worlds.FORMATS[name])


def _drawn(world: World, asked: str) -> Report:
    """Draw scenarios and check them. Raises Usage."""
    source, generator = f"generated:{asked}", generator_of(world.name)
    assert generator
    try:
        options = options_of(source, generator.options)
        text = world.pack_text(source, list(generator.scenarios(options)))
    except CannotRun as error:
        raise Usage(f"--generated {asked}: {error}") from None
    return Report(source, worlds=tuple(check_worlds(worlds.read_pack(text, source))))
