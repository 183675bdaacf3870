"""The command ``check``: what is wrong with a pack, and whether each of its worlds scores rightly.

A pack is read, then every scenario is played in each way whose score is known, see
``plays`` of ``World``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
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
from workshop.simulator.world import Pack, World


def _lines(mistakes: Sequence[str], worlds: Sequence[Checked]) -> Iterator[str]:
    """What was found, for a person: a line for each mistake or world, and a summary."""
    if mistakes:
        yield from mistakes
        yield f"{counted(len(mistakes), 'mistake')}: nothing was played"
        return
    for one in worlds:
        if one.wrong:
            yield f"WRONG  {one.spec_id}: {'; '.join(one.wrong)}"
        elif one.underivable:
            yield f"?      {one.spec_id}: not played: {one.underivable}"
        else:
            yield f"ok     {one.spec_id}: {counted(one.plays, 'play')}"
    wrong = sum(bool(one.wrong) for one in worlds)
    unknown = sum(bool(one.underivable) for one in worlds)
    played = f"{counted(len(worlds), 'world')}, {counted(sum(w.plays for w in worlds), 'play')}"
    yield f"{played}: {wrong} wrong" + (f", {unknown} not played" if unknown else "")


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
    mistakes, checked = tuple[str, ...](), list[Checked]()
    source = str(pack) if pack else f"generated:{generated}"
    try:
        read = worlds.load_pack(source) if pack else _drawn(_world(benchmark), source)
        checked = list(check_worlds(read))
    except PackError as error:
        mistakes = error.mistakes
    if as_json:
        found = {"source": source, "mistakes": mistakes, "worlds": [asdict(one) for one in checked]}
        typer.echo(json.dumps({"format": "check/1", **found}, ensure_ascii=False, indent=1))
    else:
        typer.echo(clean("\n".join(_lines(mistakes, checked))))
    raise typer.Exit(2 if mistakes else int(any(one.wrong for one in checked)))


def _world(name: str) -> World:
    if name not in worlds.FORMATS:
        raise Usage(f"there is no benchmark {name!r}; {instead(name, list(worlds.FORMATS))}")
    return worlds.world_of(worlds.FORMATS[name])


def _drawn(world: World, source: str) -> Pack:
    """A pack of drawn scenarios. Raises Usage."""
    generator = generator_of(world.name)
    assert generator
    try:
        options = options_of(source, generator.options)
        text = world.pack_text(source, list(generator.scenarios(options)))
    except CannotRun as error:
        raise Usage(f"--{source.replace(':', ' ', 1)}: {error}") from None
    return worlds.read_pack(text, source)
