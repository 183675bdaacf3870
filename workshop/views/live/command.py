"""The command ``view``: all runs of a folder in a browser."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from core.runs.errors import Usage

HOST = "127.0.0.1"


def view(
    context: typer.Context,
    logs: Annotated[Path, typer.Argument(help="The folder that holds the run folders.")] = Path(
        "logs"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8310,
) -> None:
    """Serve all runs of a folder on loopback until interrupted."""
    import uvicorn
    from uvicorn.server import HANDLED_SIGNALS

    from core.runs.find import is_run
    from workshop.views.live.app import build_app

    if not logs.is_dir():
        raise Usage(f"there is no folder {logs}; a run makes one, or name the one that was used")
    if is_run(logs):
        raise Usage(f"{logs} is one run; name the folder above it")
    listener = _listener(port)
    typer.echo(f"runs of {logs}: http://{HOST}:{listener.getsockname()[1]}/  (Ctrl-C stops)")
    config = uvicorn.Config(
        build_app(logs, context.meta["judge"]),
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
    )

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """A signal that is ignored, as those who start us in the background have it, stays
            ignored."""
            ignored = [n for n in HANDLED_SIGNALS if signal.getsignal(n) is signal.SIG_IGN]
            with super().capture_signals():
                for number in ignored:
                    signal.signal(number, signal.SIG_IGN)
                yield

    Server(config).run([listener])


def _listener(port: int) -> socket.socket:
    """A socket that listens before the address is printed, so that nobody comes too early."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise Usage(f"port {port} cannot be used: {error.strerror}; try another --port") from None
    return listener
