"""HTTP connections that the application can close without an answer."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

CONNECTION = "connection"
"""Where a request's `state` holds its `Connection`."""


class Connection(HttpToolsProtocol):
    """A connection that shows itself to the application.

    While `late` is set, its client waits for an answer that is held back on purpose: a server
    that stops then hangs up.
    """

    late = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection."""
        super().connection_made(transport)
        self.app_state = self.app_state | {CONNECTION: self}

    def hang_up(self) -> None:
        """Close the connection as it is."""
        self.transport.close()

    def shutdown(self) -> None:
        """End with the server: at once, or when the request at hand is answered."""
        if self.late:
            self.hang_up()
        else:
            super().shutdown()
