"""The environment of an agent: the simulator's address, a key, and the SDK replacement."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import regex

from core.models.redact import ENDINGS
from workshop.agent_adapter.stand_in import KEY, PLATFORM

GIT_SECONDS = 5.0
ENV_BYTES = 100_000
_KEY_LINE = regex.compile(
    r"^[^\S\n]*(?:export[^\S\n]+)?ERC3_API_KEY[^\S\n]*=[^\S\n]*['\"]?[^\s'\"#]", regex.MULTILINE
)


def environment_for(
    base_url: str, key: str, stand_in: Path, environment: Mapping[str, str]
) -> dict[str, str]:
    """The environment of an agent that shall play on the platform of an address.

    It is the user's, without the account key that this may hold, under whatever name.
    ``stand_in``: the folder with the package `erc3`.
    """
    real = environment.get("ERC3_API_KEY")
    variables = {name: value for name, value in environment.items() if not real or value != real}
    # No proxy can reach this machine's loopback.
    for name in ("NO_PROXY", "no_proxy"):
        variables[name] = ",".join(filter(None, (variables.get(name), "127.0.0.1,localhost")))
    paths = str(stand_in), variables.get("PYTHONPATH")
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    address = {"ERC3_BASE_URL": base_url, "ERC3_API_KEY": key, PLATFORM: base_url, KEY: key}
    return {**variables, **address}


def without_keys(
    environment: Mapping[str, str], named: Collection[str]
) -> tuple[dict[str, str], list[str]]:
    """The variables without keys and other secrets that are not named, and the names of these.

    An agent of somebody else gets no key that its user did not mean for it.
    """
    kept = {n: v for n, v in environment.items() if n in named or not n.upper().endswith(ENDINGS)}
    return kept, sorted(name for name, value in environment.items() if value and name not in kept)


def folders_of(command: Sequence[str]) -> list[Path]:
    """The folders of an agent: that of the file in its command, and the working folder."""
    if command[:1] == ["cd"]:
        return [Path("".join(command[1:2])).expanduser()]
    files = [Path(word) for word in (*command[1:], *command[:1]) if os.path.isfile(word)]
    # Interpreters lie elsewhere, or in an environment of the agent's.
    folders = [file.parent for file in files if file.parent.name != "bin"]
    return [*folders[:1], Path.cwd()]


def commit_of(command: str) -> str | None:
    """The commit of the agent's folder, with `-dirty` where files differ; None outside of git."""
    folder, *_ = folders_of(command.split())
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
    for folder in map(Path.resolve, folders_of(command)):
        files = (place / ".env" for place in (folder, *folder.parents))
        if (nearest := next(filter(Path.is_file, files), None)) and _holds_key(nearest):
            return nearest
    return None


def shadow_of(command: Sequence[str]) -> Path | None:
    """A folder or file `erc3` of the agent's own, which Python finds before any SDK."""
    for folder in folders_of(command):
        for name in ("erc3", "erc3.py"):
            if (path := folder / name).exists():
                return path
    return None


def _holds_key(path: Path) -> bool:
    with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
        return _KEY_LINE.search(file.read(ENV_BYTES)) is not None
    return False
