"""The command ``python -m playbooks.minimise``: a failing scenario made small."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lab.command import console, explained
from launch.cli import DEFAULT_MODEL
from runs.errors import CannotRun

if TYPE_CHECKING:
    from lab.packs import Raw
    from lab.store.shrink import Play

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def minimise(
    spec: Annotated[str, typer.Option(help="The failing scenario.")],
    pack: Annotated[
        str | None,
        typer.Option(help="bundled, variations, generated:SEED:COUNT[:options] or a file."),
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="A lab run that played it, in place of --pack.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The pack of one to write; default: SPEC-small.json.")
    ] = None,
    evaluator: Annotated[
        str | None, typer.Option(help="The evaluator's model [EVALUATOR_MODEL; playbook/store].")
    ] = None,
    worker: Annotated[
        str | None, typer.Option(help="The worker's model [WORKER_MODEL; playbook/store].")
    ] = None,
    any_words: Annotated[
        bool,
        typer.Option(
            "--any-words",
            help="Leave out any word of the task; read the result, its meaning may have changed.",
        ),
    ] = False,
) -> None:
    """Shrink a failing scenario while it fails in the same way, and write it as a pack of one."""
    from dotenv import load_dotenv

    load_dotenv(Path.cwd() / ".env")
    if (pack is None) == (run is None):
        raise typer.BadParameter("give either --pack or --run")
    eyes = evaluator or os.environ.get("EVALUATOR_MODEL") or DEFAULT_MODEL
    hands = worker or os.environ.get("WORKER_MODEL") or DEFAULT_MODEL
    explained(lambda: _minimise(_find(pack, run, spec), out, (eyes, hands), any_words))


def _find(pack: str | None, run: Path | None, spec: str) -> Raw:
    from lab.folder import RunFolder
    from lab.packs import source_of

    every = RunFolder(run).scenarios() if run else source_of(pack or "").scenarios()
    found = next((one for one in every if one.get("spec_id") == spec), None)
    if found is None:
        raise CannotRun(f"{run or pack} has no scenario {spec!r}")
    return found


def _minimise(raw: Raw, out: Path | None, brain: tuple[str, str], any_words: bool) -> None:
    from lab.packs import pack_text
    from lab.store.shrink import Shrinker, failure_class, holds
    from runs.journal import write_whole
    from runs.journal_names import file_name

    spec = str(raw["spec_id"])
    if not holds(raw):
        raise CannotRun(f"the scenario {spec!r} is not valid or does not expect the best answer")
    play = _player(brain)
    kind = failure_class(play(raw))
    if kind is None:
        raise CannotRun(f"{spec} passes; there is nothing to shrink")
    shrinker = Shrinker(play, kind, any_words)
    small = shrinker.run(raw)
    path = out or Path(f"{file_name(spec)}-small.json")
    write_whole(path, pack_text(f"{spec}-small", [small]))
    show = console()
    sizes = ", ".join(_sizes(raw, small))
    for line in (
        f"{spec} fails with {kind!r}; {len(shrinker.played)} smaller ones tried: {sizes}",
        f"task: {small['task_text']}",
        f"written: {path}",
    ):
        show.print(line, highlight=False, markup=False, soft_wrap=True)


def _player(brain: tuple[str, str]) -> Play:
    """Plays one scenario in this process."""
    from lab.job import Job
    from lab.packs import pack_text
    from lab.records import Settings
    from lab.work import do

    settings = Settings(packs=(), evaluator=brain[0], worker=brain[1])
    return lambda raw: do(Job(0, 0, pack_text("one", [raw]), None, settings))[0]


def _sizes(raw: Raw, small: Raw) -> list[str]:
    found = [
        f"{name} {len(_list(raw, name))} -> {len(_list(small, name))}"
        for name in ("products", "coupons")
    ]
    words = [len(str(one["task_text"]).split()) for one in (raw, small)]
    return [*found, f"words {words[0]} -> {words[1]}"]


def _list(raw: Raw, name: str) -> list[object]:
    value = raw.get(name)
    return value if isinstance(value, list) else []


def main() -> None:
    """Read the command line and exit with what the command returns."""
    app(prog_name="python -m playbooks.minimise")


if __name__ == "__main__":
    main()
