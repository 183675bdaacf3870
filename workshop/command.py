"""The command ``serve``: the platform on this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from core.models.file_checks import first_problem
from core.runs.errors import Usage
from workshop.simulator import server
from workshop.simulator.faults import FAULT_KINDS, Chaos
from workshop.simulator.pack_files import PackError
from workshop.simulator.state import StateError
from workshop.simulator.world import Pack
from workshop.simulator.worlds import DEFAULT, load_pack


def _chaos(seed: int | None, rate: float | None, kinds: str | None) -> Chaos | None:
    given: dict[str, Any] = {} if rate is None else {"rate": rate}
    if kinds is not None:
        given["kinds"] = tuple(kinds.split(","))
    if given and seed is None:
        raise typer.BadParameter("--chaos-rate and --chaos-kinds need --chaos-seed")
    try:
        return None if seed is None else Chaos(seed, **given)
    except ValidationError as error:
        raise typer.BadParameter(first_problem(error), param_hint="--chaos-kinds") from None


def serve(
    pack: Annotated[
        list[Path] | None,
        typer.Option(help="Pack file [the store's bundled one]. Repeatable, one of each kind."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    state: Annotated[
        Path | None, typer.Option(help="File that keeps sessions and tasks across restarts.")
    ] = None,
    chaos_seed: Annotated[
        int | None, typer.Option(help="Let faults happen, drawn by this seed.")
    ] = None,
    chaos_rate: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of calls that are hit [0.1].")
    ] = None,
    chaos_kinds: Annotated[
        str | None,
        typer.Option(help=f"Kinds of faults, with commas [all]: {', '.join(FAULT_KINDS)}."),
    ] = None,
) -> None:
    """Serve packs on loopback until interrupted.

    Prints its address, and the line to export for an agent.
    """
    packs = [_load(path) for path in pack or (DEFAULT.bundled,)]
    try:
        chaos = _chaos(chaos_seed, chaos_rate, chaos_kinds)
        simulator = server.serve(*packs, port=port, state=state, chaos=chaos)
    except (StateError, PackError) as error:
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
