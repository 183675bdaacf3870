"""What a run takes up of an earlier one: ``--resume`` all of it, ``--fork`` its first turns."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from cli.options import Options
from cli.platform import STATE, load_pack
from coordinator.config import STRATEGIES
from coordinator.fork import Past
from core.models.file_checks import first_problem
from core.runs.errors import CannotRun, NothingToDo, NotRecorded, Usage
from core.runs.find import find_run
from core.runs.folder import PACK_COPY, held
from core.runs.manifest import (
    Identity,
    Manifest,
    NoManifest,
    changes,
    manifest_of,
    read_manifest,
)
from core.runs.reader import read_one_task

if TYPE_CHECKING:
    from workshop.simulator.world import Pack

OF_A_FORK = (
    "benchmark", "strategy", "evaluator", "worker", "models", "prompts", "stages", "guards",
    "rulebook", "embedding", "max_turns", "prompt_tokens",
)  # fmt: skip
"""Options that a fork has from its run, where it is given no others."""


def located(options: Options) -> Options:
    """The same options, with folders in place of names; those of a fork as its run has them.

    Raises NotRecorded: there is no such run, or its options are none.
    """
    given = {name: getattr(options, name) for name in options.model_fields_set}
    if options.resume:
        given["resume"] = find_run(str(options.resume), options.out)
    if options.fork:
        given["fork"] = find_run(str(options.fork), options.out)
        manifest = manifest_of(given["fork"])
        stored = manifest.options if manifest else {}
        strategy = str(given.get("strategy") or stored.get("strategy"))
        has_worker = strategy not in STRATEGIES or STRATEGIES[strategy].has_worker
        # One model is named for both roles, and the worker's alone by its own option.
        left_out = {"prompt_tokens"} if has_worker else {"worker"}
        left_out |= {"worker"} if "evaluator" in given else set()
        own = {k: stored[k] for k in OF_A_FORK if stored.get(k) and k not in left_out}
        given = own | given
    try:
        return Options.model_validate(given, by_name=True)
    except ValidationError as error:
        raise NotRecorded(f"{given.get('fork')}/run.json: options.{first_problem(error)}") from None


@dataclass
class Resumed:
    """The run of ``--resume``, held by this process."""

    folder: Path
    manifest: Manifest
    options: Options
    pack: Pack | None
    starts_over: bool = False
    """Whether the world begins again because the pack has changed."""

    def check(self, now: Identity, *, force: bool) -> None:
        """Refuse another pack, model or prompt, with what differs.

        Raises CannotRun: something differs and nobody forces it.
        """
        then = self.manifest.identity
        differences = changes(then, now)
        if differences and not force:
            listed = "\n  ".join(differences)
            raise CannotRun(
                f"cannot resume {self.folder}, because these have changed:\n  {listed}\n"
                "use --force to resume anyway"
            )
        self.starts_over = (then.pack, then.scenarios) != (now.pack, now.scenarios)
        state = self.folder / STATE
        if self.starts_over and state.exists():
            os.replace(state, state.with_suffix(".before.jsonl"))

    def submitted_already(self) -> NothingToDo:
        """The error of a run that was submitted."""
        session = f"session {self.manifest.session_id} was already submitted"
        return NothingToDo(f"{self.folder}: {session}; there is nothing left to do")


def resumed(options: Options, stack: ExitStack) -> Resumed:
    """Take a run up; ``stack`` keeps its folder's lock.

    Raises:
        NothingToDo: the run was submitted.
        CannotRun: the folder holds no run, is in use, or its pack is gone.
    """
    folder = options.resume or Path()
    try:
        read_manifest(folder)
        stack.enter_context(held(folder))
        manifest = read_manifest(folder)
        restored = options.restored(manifest.options)
    except (NoManifest, ValueError) as error:
        raise CannotRun(f"cannot resume: {error}") from None
    run = Resumed(folder, manifest, restored, None)
    if manifest.submitted:
        raise run.submitted_already()
    try:
        datetime.fromisoformat(manifest.created)
    except ValueError:
        raise CannotRun(f"cannot resume: {folder}/run.json: created: is not a time") from None
    if not restored.real:
        from workshop.simulator.pack_files import PackError

        # The pack of today where there is one, else the copy that the run keeps.
        original = options.pack if "pack" in options.model_fields_set else restored.pack
        try:
            is_there = original and original.exists()
            run.pack = load_pack(original if original and is_there else folder / PACK_COPY)
        except PackError as error:
            raise CannotRun(f"cannot resume: {error}") from None
    return run


def past_of(options: Options) -> Past | None:
    """Return the recorded turns that a fork starts with; None without ``--fork``. Raises Usage."""
    if options.fork is None:
        return None
    try:
        was = "evaluator-worker"  # runs without a manifest are older than the second strategy
        if manifest := manifest_of(options.fork):
            was = str(manifest.options.get("strategy", was))
        if was != options.strategy:
            raise NotRecorded(f"the run was played with --strategy {was}; use the same one")
        return Past(read_one_task(options.fork, options.tasks[0]), options.turn, options.edited)
    except NotRecorded as error:
        raise Usage(f"cannot fork: {error}") from None
