"""The command line: `python -m simulator --pack FILE --port N` serves a pack until Ctrl-C."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from simulator.pack import PackError, load_pack
from simulator.server import serve

BUNDLED_PACK = Path(__file__).parent / "packs" / "store-bundled.json"
DEFAULT_COMMAND = "serve"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, `serve` where none is named; the exit code is 2 for wrong input."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    wants_help = words[:1] in (["-h"], ["--help"])
    if not wants_help and (not words or words[0] not in COMMANDS):
        words.insert(0, DEFAULT_COMMAND)
    parser = argparse.ArgumentParser(
        prog="python -m simulator",
        description="An ERC3 platform on this machine's loopback.",
        epilog=f"Without a command, {DEFAULT_COMMAND} is meant: see `{DEFAULT_COMMAND} --help`.",
    )
    commands = parser.add_subparsers(metavar="command", required=True)
    for name, define in COMMANDS.items():
        define(commands.add_parser(name, help=define.__doc__))
    parsed = parser.parse_args(words)
    try:
        return int(parsed.run(parsed))
    except PackError as error:
        print(error, file=sys.stderr)
        return 2


def _define_serve(parser: argparse.ArgumentParser) -> None:
    """serve a pack until Ctrl-C"""
    parser.add_argument(
        "--pack", type=Path, default=BUNDLED_PACK, help="store pack (default: the bundled one)"
    )
    parser.add_argument("--port", type=int, default=0, help="port (default: a free one)")
    parser.set_defaults(run=_serve)


def _serve(parsed: argparse.Namespace) -> int:
    pack = load_pack(parsed.pack)
    try:
        simulator = serve(pack, parsed.port)
    except (OSError, OverflowError) as error:
        print(f"cannot listen on port {parsed.port}: {error}", file=sys.stderr)
        return 2
    with simulator:
        try:
            print(simulator.base_url, flush=True)
            simulator.wait()
        except KeyboardInterrupt:
            return 0
    return 0


COMMANDS: dict[str, Callable[[argparse.ArgumentParser], None]] = {"serve": _define_serve}
"""Every command and the function that describes it to the parser."""
