"""What an agent is started with: the platform's address, a key of its own, and the stand-in."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import regex

from workshop.agent_adapter.stand_in import KEY, PLATFORM

GIT_SECONDS = 5.0
ENV_BYTES = 100_000
_KEY_LINE = regex.compile(
    r"^[^\S\n]*(?:export[^\S\n]+)?ERC3_API_KEY[^\S\n]*=[^\S\n]*['\"]?[^\s'\"#]", regex.MULTILINE
)
_MODULE_PATH = "PYTHONPATH"
_NO_PROXY = ("NO_PROXY", "no_proxy")


def environment_for(
    base_url: str, key: str, stand_in: Path | None, environment: Mapping[str, str]
) -> dict[str, str]:
    """The environment of an agent that shall play on the platform of an address.

    It is the user's, without the account key that this may hold, under whatever name.
    ``stand_in``: the folder with the package `erc3`; None: the agent's own SDK is used.
    """
    real = environment.get("ERC3_API_KEY")
    kept = {name: value for name, value in environment.items() if not real or value != real}
    # No proxy can reach this machine's loopback.
    direct = {n: ",".join(filter(None, (kept.get(n), "127.0.0.1,localhost"))) for n in _NO_PROXY}
    address = {"ERC3_BASE_URL": base_url, "ERC3_API_KEY": key, PLATFORM: base_url, KEY: key}
    if stand_in is None:
        return {**kept, **direct, **address}
    paths = os.pathsep.join(filter(None, (str(stand_in), kept.get(_MODULE_PATH))))
    return {**kept, **direct, **address, _MODULE_PATH: paths}


def folders_of(command: Sequence[str]) -> list[Path]:
    """Where the agent of a command lies: the folder of the file that is run, the working folder."""
    if command[:1] == ["cd"]:
        return [Path(command[1] if len(command) > 1 else "~").expanduser()]
    files = [Path(word) for word in (*command[1:], *command[:1]) if _is_file(word)]
    # Interpreters lie elsewhere, or in an environment of the agent's.
    folders = [file.parent for file in files if file.parent.name != "bin"]
    return [*folders[:1], Path.cwd()]


def commit_of(command: str) -> str | None:
    """The commit of the agent's folder, with `-dirty` where files differ; None outside of git."""
    folder, *_ = folders_of(_words(command))
    git = ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude", "*"]
    try:
        done = subprocess.run(
            git, cwd=folder, capture_output=True, text=True, timeout=GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def key_file(command: Sequence[str]) -> Path | None:
    """A `.env` with an account key that the agent may load: in its folder or above it."""
    for folder in folders_of(command):
        resolved = folder.resolve()
        for place in (resolved, *resolved.parents):
            path = place / ".env"
            if path.is_file():
                if _holds_key(path):
                    return path
                break
    return None


def _holds_key(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return _KEY_LINE.search(file.read(ENV_BYTES)) is not None
    except OSError:
        return False


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # of the shell's own language
        return command.split()
