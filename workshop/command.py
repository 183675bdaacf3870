"""The commands `serve`, `baselines` and `generate`, as `python -m workshop` offers them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from workshop.simulator import server
from workshop.simulator.faults import FAULT_KINDS, Chaos, ChaosError
from workshop.simulator.pack_files import PackError
from workshop.simulator.state import StateError
from workshop.simulator.worlds import DEFAULT, FORMATS, load_pack, world_of

DEFAULT_COMMAND = "serve"


def main(arguments: Sequence[str] | None = None, prog: str = "python -m workshop") -> int:
    """Run a command, `serve` where none is named; the exit code is 2 for wrong input.

    ``prog``: what its help calls it.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    wants_help = words[:1] in (["-h"], ["--help"])
    described = {**COMMANDS, "generate": _generator(words)}
    if not wants_help and (not words or words[0] not in described):
        words.insert(0, DEFAULT_COMMAND)
    parser = argparse.ArgumentParser(
        prog=prog,
        description="An ERC3 platform on this machine's loopback.",
        epilog=f"Without a command, {DEFAULT_COMMAND} is meant: see `{DEFAULT_COMMAND} --help`.",
    )
    commands = parser.add_subparsers(metavar="command", required=True)
    for name, define in described.items():
        define(commands.add_parser(name, help=define.__doc__))
    parsed = parser.parse_args(words)
    try:
        return int(parsed.run(parsed))
    except PackError as error:
        print(error, file=sys.stderr)
        return 2


def _define_serve(parser: argparse.ArgumentParser) -> None:
    """serve packs until Ctrl-C"""
    parser.add_argument(
        "--pack",
        type=Path,
        action="append",
        help="pack file; may be given again for a pack of another kind (default: the bundled one)",
    )
    parser.add_argument("--port", type=int, default=0, help="port (default: a free one)")
    parser.add_argument(
        "--state", type=Path, help="file that keeps sessions and tasks; goes on where it ends"
    )
    parser.add_argument("--chaos-seed", type=int, help="let faults happen, drawn by this seed")
    parser.add_argument(
        "--chaos-rate", type=float, help="share of calls that are hit (default: 0.1)"
    )
    parser.add_argument(
        "--chaos-kinds",
        metavar="KIND,...",
        help=f"kinds of faults (default: {','.join(FAULT_KINDS)})",
    )
    parser.set_defaults(run=_serve)


def _serve(parsed: argparse.Namespace) -> int:
    packs = [load_pack(path) for path in parsed.pack or (DEFAULT.bundled,)]
    try:
        simulator = server.serve(*packs, port=parsed.port, state=parsed.state, chaos=_chaos(parsed))
    except (OSError, OverflowError) as error:
        print(f"cannot listen on port {parsed.port}: {error}", file=sys.stderr)
        return 2
    except (StateError, ChaosError) as error:
        print(error, file=sys.stderr)
        return 2
    with simulator, suppress(KeyboardInterrupt):
        print(simulator.base_url)
        print(f"export ERC3_BASE_URL={simulator.base_url} ERC3_API_KEY=key-local", flush=True)
        simulator.wait()
    return 0


def _define_baselines(parser: argparse.ArgumentParser) -> None:
    """play a pack without understanding it: the scores that any agent has to beat"""
    parser.add_argument("--pack", type=Path, required=True, help="pack file")
    parser.add_argument("--score", type=float, help="a score of this pack to show beside them")
    parser.set_defaults(run=_baselines_of)


def _baselines_of(parsed: argparse.Namespace) -> int:
    pack = load_pack(parsed.pack)
    found = world_of(pack.format).baselines
    if found is None:
        print(
            f"{parsed.pack}: there are no baselines for packs of {pack.format!r}", file=sys.stderr
        )
        return 2
    scores = dict(found(pack))
    if parsed.score is not None:
        scores["this score"] = parsed.score
    width = max(map(len, scores))
    for name, score in scores.items():
        print(f"{name:<{width}}  {score:.3f}")
    return 0


def _chaos(parsed: argparse.Namespace) -> Chaos | None:
    given: dict[str, Any] = {}
    if parsed.chaos_rate is not None:
        given["rate"] = parsed.chaos_rate
    if parsed.chaos_kinds is not None:
        given["kinds"] = tuple(parsed.chaos_kinds.split(","))
    if parsed.chaos_seed is not None:
        return Chaos(parsed.chaos_seed, **given)
    if given:
        raise ChaosError("--chaos-rate and --chaos-kinds need --chaos-seed")
    return None


def _generator(words: Sequence[str]) -> Define:
    """What describes the command `generate` for the world that the words name."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(_BENCHMARK, choices=tuple(FORMATS), default=DEFAULT.name)
    known = _known(parser, words)
    define = GENERATORS[known]

    def described(command: argparse.ArgumentParser) -> None:
        define(command)
        command.add_argument(
            _BENCHMARK,
            choices=tuple(FORMATS),
            default=DEFAULT.name,
            help="of which benchmark; each has options of its own (default: %(default)s)",
        )

    described.__doc__ = define.__doc__
    return described


def _known(parser: argparse.ArgumentParser, words: Sequence[str]) -> str:
    """The world that is named; the usual one where that is wrong, and the real parser says so."""
    parser.exit_on_error = False
    with suppress(argparse.ArgumentError):
        found: str = parser.parse_known_args(words)[0].benchmark
        return found
    return DEFAULT.name


Define = Callable[[argparse.ArgumentParser], None]
"""Describes a command to its parser."""


def _define_generate_store(parser: argparse.ArgumentParser) -> None:
    """write a pack of fresh shops with known best answers"""
    from workshop.generators.store.command import define_generate

    define_generate(parser)


def _define_generate_company(parser: argparse.ArgumentParser) -> None:
    """write a pack of fresh companies and tasks with known answers"""
    from workshop.generators.company.generate import define_generate

    define_generate(parser)


GENERATORS: dict[str, Define] = {
    "store": _define_generate_store,
    "company": _define_generate_company,
}
"""By world what describes its `generate`; a generator is loaded when it is asked for."""
_BENCHMARK = "--benchmark"
COMMANDS: dict[str, Define] = {"serve": _define_serve, "baselines": _define_baselines}
"""Every command that is the same for all worlds; `generate` hangs on the benchmark."""
