"""Packs that are drawn from a seed while they are read: ``generated:SEED:COUNT[:option=value…]``.

The options are those of ``submission.py generate``, such as ``difficulty=hard``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any, NoReturn

from lab.cores import cores
from runs.errors import CannotRun
from simulator.store.generate.command import define_generate
from simulator.store.generate.scenario import NoScenario, Options
from simulator.store.generate.writer import scenario_lines
from simulator.store.oracle.cpsat import SolverMissing


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CannotRun(f"generated:SEED:COUNT[:option=value…]: {message}")


def name_of(asked: str) -> str:
    """The name of a generated pack: its count left out, so that runs of other sizes pair.

    Raises CannotRun: there is no such option, or its value is not one.
    """
    seed, _ = _options(asked)[:2]
    return ":".join([f"generated-{seed}", *asked.split(":")[3:]])


def scenarios(asked: str) -> Iterator[dict[str, Any]]:
    """The scenarios, drawn as they are asked for.

    Raises CannotRun: no shop can be drawn, or the solver for hard ones is not installed.
    """
    seed, count, options = _options(asked)
    try:
        for line in scenario_lines(seed, count, options, cores()):
            yield json.loads(line)
    except (NoScenario, SolverMissing) as error:
        raise CannotRun(f"{asked}: {error}") from None


def _options(asked: str) -> tuple[str, int, Options]:
    parser = _Parser(prog="generated", add_help=False, allow_abbrev=False)
    define_generate(parser)
    seed, count, *more = [*asked.split(":")[1:], "", ""][: max(2, asked.count(":"))]
    words = ["--seed", seed, "--count", count]
    for option in more:
        key, _, value = option.partition("=")
        words += [f"--{key}", value]
    parsed = parser.parse_args(words)
    options = Options(parsed.mechanics, parsed.difficulty, parsed.wording, parsed.page_limits)
    return parsed.seed, parsed.count, options
