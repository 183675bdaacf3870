"""Names of packs that are drawn from a seed: ``generated:SEED:COUNT[:option=value…]``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from core.runs.errors import CannotRun


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CannotRun(f"generated:SEED:COUNT[:option=value…]: {message}")


def parsed(asked: str, define: Callable[[argparse.ArgumentParser], None]) -> argparse.Namespace:
    """What a name asks for, as the generator's own command would take it.

    Raises CannotRun: there is no such option, or its value is not one.
    """
    parser = _Parser(prog="generated", add_help=False, allow_abbrev=False)
    define(parser)
    seed, count, *more = [*asked.split(":")[1:], "", ""][: max(2, asked.count(":"))]
    words = ["--seed", seed, "--count", count]
    for option in more:
        key, _, value = option.partition("=")
        words += [f"--{key}", value]
    return parser.parse_args(words)


def name_of(asked: str, define: Callable[[argparse.ArgumentParser], None]) -> str:
    """The name of a generated pack: its count left out, so that runs of other sizes pair.

    Raises CannotRun: there is no such option, or its value is not one.
    """
    return ":".join([f"generated-{parsed(asked, define).seed}", *asked.split(":")[3:]])
