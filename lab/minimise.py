"""The command ``python -m playbooks.minimise``: a failing scenario made small."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lab.command import console, explained
from launch.cli import DEFAULT_MODEL
from launch.errors import CannotRun

if TYPE_CHECKING:
    from lab.packs import Raw
    from lab.shrink import Play

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def minimise(
    spec: Annotated[str, typer.Option(help="The failing scenario.")],
    pack: Annotated[
        str, typer.Option(help="bundled, variations, generated:SEED:COUNT[:options] or a file.")
    ],
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
    eyes = evaluator or os.environ.get("EVALUATOR_MODEL") or DEFAULT_MODEL
    hands = worker or os.environ.get("WORKER_MODEL") or DEFAULT_MODEL
    explained(lambda: _minimise(pack, spec, out, (eyes, hands), any_words))


def _minimise(
    pack: str, spec: str, out: Path | None, brain: tuple[str, str], any_words: bool
) -> None:
    from coordinator.journal import file_name, write_whole
    from lab.packs import pack_text, source_of
    from lab.shrink import Shrinker, failure_class, holds

    source = source_of(pack)
    raw = next((one for one in source.scenarios() if one.get("spec_id") == spec), None)
    if raw is None:
        raise CannotRun(f"the pack {pack!r} has no scenario {spec!r}")
    if not holds(raw):
        raise CannotRun(f"the scenario {spec!r} is not valid or does not expect the best answer")
    play = _player(brain)
    kind = failure_class(play(raw))
    if kind is None:
        raise CannotRun(f"{spec} passes; there is nothing to shrink")
    shrinker = Shrinker(play, kind, any_words)
    small = shrinker.run(raw)
    path = out or Path(f"{file_name(spec)}-small.json")
    write_whole(path, pack_text(f"{source.name}-{spec}", [small]))
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
    from lab.job import Job, do
    from lab.packs import pack_text
    from lab.records import Settings

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
