"""The packs that a run keeps: which of their files holds a task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.files import read_bytes
from core.runs.errors import NotRecorded
from core.runs.folder import pack_files
from core.runs.reader import parsed


def kept_packs(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Each file of a run's packs with what it holds. Raises NotRecorded."""
    for path in pack_files(folder):
        try:
            body = parsed(read_bytes(path))
        except (OSError, ValueError, RecursionError) as error:
            raise NotRecorded(f"{path} cannot be read: {type(error).__name__}") from None
        if not isinstance(body, dict) or not isinstance(body.get("scenarios"), list):
            raise NotRecorded(f"{path} is not a pack")
        yield path, body


def pack_with(folder: Path, spec_id: str, pack: str | None = None) -> Path | None:
    """The file of a run's packs that has this task; None if none has.

    ``pack``: the name of the pack; None or "": of any. Raises NotRecorded.
    """
    for path, body in kept_packs(folder):
        specs = (one.get("spec_id") for one in body["scenarios"] if isinstance(one, dict))
        if (not pack or body.get("name") == pack) and spec_id in specs:
            return path
    return None
