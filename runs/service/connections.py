"""Connections that stand still are ended, so that nobody holds the server by doing nothing.

uvicorn waits without end for a request that is begun and never finished, and for a client that
does not read its answer; what is measured here is whether anything moves.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientConnection(H11Protocol):
    """HTTP/1.1; ends a connection on which nothing has moved for a while.

    It moves when a request is complete, when its body arrives (which has a limit of its own),
    while the server works on it, and when the client reads some of its answer.

    Attributes:
        patience: seconds without a move.
        most: connections at once; one more is ended when it begins.
    """

    patience: ClassVar[float] = 30.0
    most: ClassVar[int] = 512

    _moved = 0.0
    _unread = 0
    _next_look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
            return
        self._moved = self.loop.time()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """End looking."""
        if self._next_look is not None:
            self._next_look.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """A request was answered."""
        self._moved = self.loop.time()
        super().on_response_complete()

    def _look(self) -> None:
        """End the connection if nothing has moved, else look again later."""
        now, unread = self.loop.time(), self.transport.get_write_buffer_size()
        works = self.cycle is not None and not self.cycle.response_complete and not unread
        if works or unread < self._unread:
            self._moved = now
        self._unread = unread
        if now - self._moved > self.patience:
            self.transport.abort()
        else:
            self._next_look = self.loop.call_later(self.patience / 4, self._look)
