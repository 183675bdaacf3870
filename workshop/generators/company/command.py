"""`erc3-agent generate --benchmark company`: a pack of fresh companies and tasks."""

from __future__ import annotations

import argparse

from workshop.generators.company.company import LEAST, MOST
from workshop.generators.company.scenario import NoScenario, People
from workshop.generators.company.writer import WrongScenario, blocks, pack_text
from workshop.generators.generating import add_arguments, positive, written


def define_generate(parser: argparse.ArgumentParser) -> None:
    """write a pack of fresh companies and tasks with known answers"""
    add_arguments(parser)
    parser.add_argument(
        "--people",
        type=people,
        default=People(),
        metavar="A[-B]",
        help=f"people of a company, {LEAST} to {MOST}: a number, or a range from which each "
        "company draws (default: %(default)s)",
    )
    parser.set_defaults(run=_generate)


def people(text: str) -> People:
    """The type of an argument: a number of people, or a range."""
    first, _, last = text.partition("-")
    ends = (positive(first), positive(last or first))
    if not LEAST <= ends[0] <= ends[1] <= MOST:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give a number from {LEAST} to {MOST}, or a range such as 20-60"
        )
    return People(*ends)


def _generate(parsed: argparse.Namespace) -> int:
    found = blocks(parsed.seed, parsed.count, parsed.people, parsed.jobs)
    return written(pack_text(f"generated-{parsed.seed}", found), NoScenario, WrongScenario)
