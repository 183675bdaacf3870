"""The command ``openenv``: drawn tasks for trainers."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from typing import Annotated

import typer

from core.models.extras import ExtraMissing
from core.runs.errors import Usage
from workshop.simulator.pack_files import PackError


def openenv(
    benchmark: Annotated[
        str, typer.Option(help="Draw tasks of this benchmark: store or company.")
    ] = "store",
    seed: Annotated[
        str,
        typer.Option(help="Draw the series from this seed; the seed of a reset is a number in it."),
    ] = "0",
    host: Annotated[str, typer.Option(help="Listen on this address.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Listen on this port; 0 takes a free one.")
    ] = 8000,
    sessions: Annotated[
        int, typer.Option(min=1, max=10_000, help="Allow this many episodes at once.")
    ] = 64,
) -> None:
    """Serve drawn tasks as an environment of OpenEnv until interrupted.

    Prints its address.
    """
    if find_spec("openenv") is None:
        raise ExtraMissing("openenv", "openenv")
    import uvicorn

    from workshop.environments.openenv_server import build_app

    try:
        app = build_app(benchmark, seed, sessions)
        listener = socket.create_server((host, port), reuse_port=False)
    except PackError as error:
        raise Usage(str(error)) from None
    except OSError as error:
        raise Usage(f"cannot listen on {host}, port {port}: {error}") from None
    with listener:
        print(f"http://{host}:{listener.getsockname()[1]}", flush=True)
        # Sessions that are open when it is interrupted end with it.
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run([listener])
