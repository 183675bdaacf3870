"""`python -m simulator generate`: a pack of fresh shops on standard output."""

from __future__ import annotations

import argparse
import os
import re
import sys
from difflib import get_close_matches
from typing import get_args

from simulator.store.generate.level import LEVELS
from simulator.store.generate.mechanics import MECHANICS
from simulator.store.generate.scenario import NoScenario, Options
from simulator.store.generate.wording import Wording
from simulator.store.generate.writer import pack_text, scenario_lines
from simulator.store.oracle.cpsat import SolverMissing

LARGEST_PAGE = 50


def define_generate(parser: argparse.ArgumentParser) -> None:
    """write a pack of fresh shops with known best answers"""
    parser.epilog = f"Mechanics: {', '.join(MECHANICS)}."
    parser.add_argument("--seed", type=_seed, required=True, help="letters, digits, - _ .")
    parser.add_argument("--count", type=_positive, required=True, help="how many scenarios")
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
    parser.add_argument(
        "--jobs", type=_positive, default=os.cpu_count() or 1, help="processes (default: cores)"
    )
    parser.set_defaults(run=_generate)


def _generate(parsed: argparse.Namespace) -> int:
    options = Options(parsed.mechanics, parsed.difficulty, parsed.wording, parsed.page_limits)
    lines = scenario_lines(parsed.seed, parsed.count, options, parsed.jobs)
    try:
        for piece in pack_text(f"generated-{parsed.seed}", lines):
            sys.stdout.write(piece)
        sys.stdout.flush()
    except (NoScenario, SolverMissing) as error:
        print(f"generate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever reads has had enough; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _seed(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", text):
        raise argparse.ArgumentTypeError(f"{text!r}: use letters, digits, - _ . only")
    return text


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number from 1 on")
    return int(text)


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
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        ends = (_positive(first), _positive(last or first))
        if not 1 <= ends[0] <= ends[1] <= LARGEST_PAGE:
            raise argparse.ArgumentTypeError(
                f"{part!r}: give page limits from 1 to {LARGEST_PAGE}, such as 5,10 or 1-8"
            )
        found += range(ends[0], ends[1] + 1)
    return tuple(dict.fromkeys(found))
