"""A run to go on with: its folder, its options as they were, and what is another one now."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cli.options import Options
from cli.platform import STATE, load_pack
from core.runs.errors import CannotRun, NothingToDo
from core.runs.folder import PACK_COPY, held
from core.runs.manifest import Identity, NoManifest, changes, read_manifest
from core.runs.prompts import read_prompts
from core.runs.reader import NotRecorded, results_of
from core.runs.results import RunResults

if TYPE_CHECKING:
    from workshop.simulator.world import Pack


class Resumed:
    """The run of ``--resume``, held by this process."""

    def __init__(self, options: Options, stack: ExitStack) -> None:
        """``stack`` keeps the folder's lock.

        Raises:
            NothingToDo: the run was submitted.
            CannotRun: the folder holds no run, is in use, or its pack is gone.
        """
        self.folder: Path = options.resume or Path()
        try:
            read_manifest(self.folder)
            stack.enter_context(held(self.folder))
            self.manifest = read_manifest(self.folder)
            self.options = options.restored(self.manifest.options)
        except (NoManifest, ValueError) as error:
            raise CannotRun(f"cannot resume: {error}") from None
        self.results: RunResults | None = None
        with suppress(NotRecorded):
            self.results = results_of(self.folder)
        if self.results and self.results.submitted:
            raise NothingToDo(submitted_already(self.folder, self.manifest.session_id))
        try:
            datetime.fromisoformat(self.manifest.created)
        except ValueError:
            raise CannotRun(f"cannot resume: {self.folder}/run.json: created: is no time") from None
        self._force = options.force
        self.pack = None if self.options.real else self._pack(options)
        self.anew = False
        """Whether the world begins anew because the pack is another one."""

    def _pack(self, options: Options) -> Pack:
        """The pack of today where there is one, else the copy that the run keeps."""
        from workshop.simulator.pack_files import PackError

        original = options.pack if "pack" in options.model_fields_set else self.options.pack
        copy = self.folder / PACK_COPY
        try:
            return load_pack(original if original and original.exists() else copy)
        except PackError as error:
            raise CannotRun(f"cannot resume: {error}") from None

    def check(self, now: Identity, prompts: dict[str, str]) -> None:
        """Refuse another pack, model or prompt, with what differs.

        Raises CannotRun: something differs and ``--force`` is not given.
        """
        then = self.manifest.identity
        texts = {now.prompts[role]: text for role, text in prompts.items()}
        try:
            kept = read_prompts(self.folder)
        except NotRecorded as error:
            raise CannotRun(f"cannot resume: {error}") from None
        found = changes(then, now, kept, texts)
        if found and not self._force:
            listed = "\n  ".join(found)
            raise CannotRun(
                f"cannot resume {self.folder}, it would be another run:\n  {listed}\n"
                "with --force it goes on all the same"
            )
        self.anew = (then.pack, then.scenarios) != (now.pack, now.scenarios)
        state = self.folder / STATE
        if self.anew and state.exists():
            os.replace(state, state.with_suffix(".before.jsonl"))


def submitted_already(folder: Path, session_id: str | None) -> str:
    """What is said of a run that was handed in."""
    return f"{folder}: session {session_id} was submitted already, nothing is left to do"
