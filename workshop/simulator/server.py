"""The platform as a server on loopback, inside of another program or of the command line."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack
from pathlib import Path

import uvicorn

from workshop.simulator.app import Connection, build_app
from workshop.simulator.faults import Chaos
from workshop.simulator.platform import Platform
from workshop.simulator.request_handler import RequestHandler
from workshop.simulator.state import StateFile
from workshop.simulator.world import Pack

HOST = "127.0.0.1"
BACKLOG = 2048
KEEP_ALIVE_S = 75
STOP_S = 10.0


class Simulator:
    """A running platform; `stop` or the end of a `with` block shuts it down."""

    def __init__(self, handler: RequestHandler, listener: socket.socket) -> None:
        self.platform = handler.platform
        self.base_url = f"http://{HOST}:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            build_app(handler),
            http=Connection,
            lifespan="off",
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            # Longer than clients keep idle connections, or a POST may meet a closing one.
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=1,
        )
        self._handler = handler
        self._listener = listener
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="simulator", daemon=True)
        self._thread.start()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait(self) -> None:
        """Block until the server has stopped."""
        self._thread.join()

    def stop(self, *, wait: bool = True) -> None:
        """Shut the server down and free its port; a second call does nothing.

        Without ``wait`` it does so a moment after this has returned.
        """
        self._server.should_exit = True
        if wait:
            self._thread.join(STOP_S)

    def _run(self) -> None:
        try:
            self._server.run([self._listener])
        finally:
            self._listener.close()
            self._handler.close()


def serve(
    *packs: Pack,
    port: int = 0,
    state: str | Path | None = None,
    chaos: Chaos | None = None,
    key: str | None = None,
) -> Simulator:
    """Start a platform for `packs`, one of each kind, on 127.0.0.1; port 0 takes a free one.

    With `state`, sessions and tasks are kept in that file, and what it holds already goes on
    where it stood. `chaos` draws faults beside those of the packs. `key` is the only account key
    that is taken.

    The socket listens before this returns, so the first request cannot come too early.
    Raises OSError when the port is taken, OverflowError when it is beyond 65535, `StateError`
    when the state file cannot be used, `PackError` when two packs are of the same kind.
    """
    platform = Platform(*packs, key=key)
    file = StateFile(state, *packs) if state else None
    with ExitStack() as on_failure:
        if file:
            on_failure.callback(file.close)
        handler = RequestHandler(platform, chaos, file)
        listener = socket.create_server((HOST, port), backlog=BACKLOG)
        # Connections inherit it; with Nagle's algorithm every answer takes 40 ms.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        simulator = Simulator(handler, listener)
        on_failure.pop_all()
    return simulator
