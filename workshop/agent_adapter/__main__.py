"""Runs a script that was written for the official SDK, with our client in the SDK's place."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from workshop.agent_adapter.stand_in import FOLDER, PLATFORM, ROOT

USAGE = """\
usage: python -m workshop.agent_adapter SCRIPT.py [ARGUMENT ...]

Run a script that was written for the official ERC3 SDK as `python SCRIPT.py` does, with this
project's client as its modules erc3, erc3.store and erc3.erc3. The platform is that of
ERC3_BASE_URL, the account that of ERC3_API_KEY, whatever the script says."""
NEEDED = {
    "ERC3_BASE_URL": "the address of a platform, such as http://127.0.0.1:8000",
    "ERC3_API_KEY": "an account key; the embedded platform takes any that begins with key-",
}
_PATH = "PYTHONPATH"
_OURS = "workshop.agent_adapter"


class _Wrong(Exception):
    """What the user can mend."""


def main(arguments: Sequence[str]) -> int:
    """Become the interpreter that runs the script; 2 for wrong input, 0 for `--help`."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    try:
        _check(arguments)
    except _Wrong as wrong:
        print(f"agent_adapter: {wrong}", file=sys.stderr)
        return 2
    _become(arguments)


def _check(arguments: Sequence[str]) -> None:
    if not arguments:
        raise _Wrong(f"no script is named\n{USAGE}")
    script = Path(arguments[0])
    if not script.is_file():
        what = "is a folder" if script.is_dir() else "there is no such file"
        raise _Wrong(f"{script}: {what}; name the script to run")
    if not os.access(script, os.R_OK):
        raise _Wrong(f"{script}: this file may not be read")
    unset = [f"set {name} to {what}" for name, what in NEEDED.items() if not os.environ.get(name)]
    if unset:
        raise _Wrong("; ".join(unset))
    _check_url(os.environ["ERC3_BASE_URL"])
    if sys.flags.ignore_environment:
        raise _Wrong("the script finds its modules by PYTHONPATH: leave out -E and -I")


def _check_url(text: str) -> None:
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise _Wrong(f"ERC3_BASE_URL={text} is no address such as http://127.0.0.1:8000")


def _become(arguments: Sequence[str]) -> NoReturn:
    # A fresh interpreter is the one way to give the script its own `__main__`, module path,
    # tracebacks, signals and child processes exactly as it has them without us.
    known = os.environ.get(_PATH)
    paths = [str(FOLDER), *([known] if known else [])]
    if sys.path and Path(sys.path[0] or ".").resolve() == ROOT.resolve():
        paths.append(str(ROOT))
    environment = {
        **os.environ,
        _PATH: os.pathsep.join(paths),
        PLATFORM: os.environ["ERC3_BASE_URL"],
    }
    command = [sys.executable, *_options(len(arguments)), *arguments]
    os.execve(sys.executable, command, environment)


def _options(count: int) -> list[str]:
    """The interpreter's own options before `-m workshop.agent_adapter` and ``count`` arguments."""
    words = sys.orig_argv[1 : len(sys.orig_argv) - count]
    if len(words) < 2 or words[-1] != _OURS:
        return []
    *options, last = words[:-1]
    return options if last == "-m" else [*options, last.removesuffix("m")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
