"""`python -m workshop generate`: a pack of fresh shops on standard output."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from typing import get_args

from workshop.generators.generating import add_arguments, positive, written
from workshop.generators.store.level import LEVELS
from workshop.generators.store.mechanics import MECHANICS
from workshop.generators.store.scenario import NoScenario, Options, pack_text, scenario_lines
from workshop.generators.store.wording import Wording

LARGEST_PAGE = 50


def define_generate(parser: argparse.ArgumentParser) -> None:
    """write a pack of fresh shops with known best answers"""
    parser.epilog = f"Mechanics: {', '.join(MECHANICS)}."
    add_arguments(parser)
    parser.add_argument(
        "--mechanics",
        type=_mechanics,
        default=tuple(MECHANICS),
        metavar="A,B",
        help="only these (default: all)",
    )
    parser.add_argument("--difficulty", choices=tuple(LEVELS), default="normal")
    parser.add_argument("--wording", choices=get_args(Wording), default="standard")
    parser.add_argument(
        "--page-limits",
        type=_page_limits,
        metavar="A,B-C",
        help=f"draw page limits from these, 1 to {LARGEST_PAGE} (default: all sorts)",
    )
    parser.set_defaults(run=_generate)


def _generate(parsed: argparse.Namespace) -> int:
    options = Options(parsed.mechanics, parsed.difficulty, parsed.wording, parsed.page_limits)
    lines = scenario_lines(parsed.seed, parsed.count, options, parsed.jobs)
    return written(pack_text(f"generated-{parsed.seed}", lines), NoScenario)


def _mechanics(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in MECHANICS:
            near = get_close_matches(name, MECHANICS, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            known = ", ".join(MECHANICS)
            raise argparse.ArgumentTypeError(f"unknown mechanic {name!r}; {hint}known: {known}")
    return names


def _page_limits(text: str) -> tuple[int, ...]:
    limits: list[int] = []
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        ends = (positive(first), positive(last or first))
        if not 1 <= ends[0] <= ends[1] <= LARGEST_PAGE:
            raise argparse.ArgumentTypeError(
                f"{part!r}: give page limits from 1 to {LARGEST_PAGE}, such as 5,10 or 1-8"
            )
        limits += range(ends[0], ends[1] + 1)
    return tuple(dict.fromkeys(limits))
