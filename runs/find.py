"""A run folder by what a person types: a folder, ``latest``, or how a run's name begins."""

from __future__ import annotations

from pathlib import Path

from runs.reader import NotRecorded

LOGS = Path("logs")
NAMED_AT_MOST = 8


def run_folders(logs: Path) -> list[Path]:
    """The run folders in a folder, the newest first; their names begin with the time."""
    try:
        inside = [path for path in logs.iterdir() if path.is_dir() and is_run(path)]
    except OSError:
        return []
    return sorted(inside, key=lambda path: path.name, reverse=True)


def is_run(folder: Path) -> bool:
    """Whether a folder is one that a run leaves behind."""
    return (folder / "tasks").is_dir() or (folder / "results.json").is_file()


def find_run(name: str, logs: Path = LOGS) -> Path:
    """The run folder that is meant. Raises NotRecorded, which says what there is instead."""
    folder = Path(name)
    if folder.is_dir():
        if is_run(folder):
            return folder
        raise NotRecorded(f"{folder} is no run folder: it has no tasks/*.jsonl")
    runs = run_folders(logs)
    if name == "latest" and runs:
        return runs[0]
    found = [path for path in runs if name and path.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    there = ", ".join(path.name for path in (found or runs)[:NAMED_AT_MOST]) or "none"
    if found:
        raise NotRecorded(f"{name!r} fits {len(found)} runs in {logs}: {there}")
    raise NotRecorded(f"there is no run {name!r}; runs in {logs}: {there}")
