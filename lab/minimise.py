"""The command ``minimise``: a failing scenario made small."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lab.command import PACKS, Evaluator, Worker, no_verdict
from runs.errors import CannotRun
from views.console import answers, say

if TYPE_CHECKING:
    from lab.kit import Invitation, KitOf, Raw
    from lab.lab_run import Trial


def minimise(
    context: typer.Context,
    spec: Annotated[str, typer.Option(help="The failing scenario.")],
    pack: Annotated[str | None, typer.Option(help=f"{PACKS}.")] = None,
    run: Annotated[
        Path | None, typer.Option(help="A lab run that played it, in place of --pack.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The pack of one to write; default: SPEC-small.json.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option(help="Whose pack it is; default: the first there is.")
    ] = None,
    evaluator: Evaluator = None,
    worker: Worker = None,
    any_words: Annotated[
        bool,
        typer.Option(
            "--any-words",
            help="Leave out any word of the task; read the result, its meaning may have changed.",
        ),
    ] = False,
) -> None:
    """Shrink a failing scenario while it fails in the same way.

    What is left is written as a pack of one.
    """
    if (pack is None) == (run is None):
        raise typer.BadParameter("give either --pack or --run")
    invitation: Invitation = context.obj()
    with no_verdict():
        kit_of, raw = _find(invitation, benchmark or invitation.default, pack, run, spec)
        played = kit_of().guest.id
        brain = invitation.models(played, "evaluator-worker", evaluator, worker)
        _minimise(kit_of, raw, out, brain, any_words)


def _find(
    invitation: Invitation, benchmark: str, pack: str | None, run: Path | None, spec: str
) -> tuple[KitOf, Raw]:
    from lab.lab_folder import LabFolder
    from lab.packs import source_of

    if run:
        folder = LabFolder(run)
        kit_of = invitation.kits[folder.read().settings.benchmark]
        every = folder.scenarios()
    else:
        invitation.kit(benchmark)
        kit_of = invitation.kits[benchmark]
        every = source_of(pack or "", kit_of()).scenarios()
    found = next((one for one in every if one.get("spec_id") == spec), None)
    if found is None:
        raise CannotRun(f"{run or pack} has no scenario {spec!r}")
    return kit_of, found


def _minimise(
    kit_of: KitOf, raw: Raw, out: Path | None, brain: dict[str, str], any_words: bool
) -> None:
    from lab.engines import Job
    from lab.lab_run import Settings
    from lab.play_job import play_job
    from lab.shrink import Shrinker, failure_class
    from runs.journal import write_whole
    from runs.journal_names import file_name

    kit, spec = kit_of(), str(raw["spec_id"])
    if not kit.holds(raw):
        raise CannotRun(f"the scenario {spec!r} is not valid or does not expect the best answer")
    settings = Settings.model_validate({"benchmark": kit.guest.id, "packs": (), **brain})

    def play(raw: Raw) -> Trial:
        return play_job(Job(0, 0, kit.pack_text("one", [raw]), None, settings), kit_of)[0]

    kind = failure_class(play(raw), kit.guest.harm_name)
    if kind is None:
        raise CannotRun(f"{spec} passes; there is nothing to shrink")
    shrinker = Shrinker(kit, play, kind, any_words)
    small = shrinker.run(raw)
    path = out or Path(f"{file_name(spec)}-small.json")
    write_whole(path, kit.pack_text(f"{spec}-small", [small]))
    sizes = ", ".join(_sizes(raw, small))
    say(
        answers(),
        f"{spec} fails with {kind!r}; {len(shrinker.played)} smaller ones tried: {sizes}",
        f"task: {small['task_text']}",
        f"written: {path}",
    )


def _sizes(raw: Raw, small: Raw) -> list[str]:
    found = [
        f"{name} {len(value)} -> {len(small[name])}"
        for name, value in raw.items()
        if isinstance(value, list) and len(value) != len(small[name])
    ]
    words = [len(str(one["task_text"]).split()) for one in (raw, small)]
    return [*found, f"words {words[0]} -> {words[1]}"]
