"""The command ``serve``: the platform on this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from coordinator.config import FAULTS_HELP
from core.runs.errors import Usage
from workshop.simulator import server
from workshop.simulator.faults import BadFaults
from workshop.simulator.pack_files import PackError
from workshop.simulator.state import StateError
from workshop.simulator.world import Pack
from workshop.simulator.worlds import DEFAULT, load_pack


def serve(
    pack: Annotated[
        list[Path] | None,
        typer.Option(
            help="Serve this pack file [the store's bundled one]. Repeatable, one of each kind."
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Listen on this port; 0 takes a free one.")
    ] = 0,
    state: Annotated[
        Path | None, typer.Option(help="Keep sessions and tasks across restarts in this file.")
    ] = None,
    faults: Annotated[str | None, typer.Option(help=FAULTS_HELP)] = None,
) -> None:
    """Serve packs on loopback until interrupted.

    Prints its address, and the line to export for an agent.
    """
    packs = [_load(path) for path in pack or (DEFAULT.bundled,)]
    try:
        simulator = server.serve(*packs, port=port, state=state, faults=faults)
    except (StateError, PackError, BadFaults) as error:
        raise Usage(str(error)) from None
    except OSError as error:
        raise Usage(f"cannot listen on port {port}: {error}") from None
    with simulator, suppress(KeyboardInterrupt):
        print(simulator.base_url)
        print(f"export ERC3_BASE_URL={simulator.base_url} ERC3_API_KEY=key-local", flush=True)
        simulator.wait()


def _load(path: Path) -> Pack:
    try:
        return load_pack(path)
    except PackError as error:
        raise Usage(str(error)) from None
