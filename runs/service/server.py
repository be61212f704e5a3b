"""The process that listens: from the first address to the last answer."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from semaniacs.embeddings.compiled import FEW
from semaniacs.runs.service.application import build_application
from semaniacs.runs.service.guards import Access
from semaniacs.runs.service.served_models import ServedModels
from semaniacs.sts.errors import StsError, warned

LAST_ANSWERS = 60
"""Seconds for running requests to finish when the server is stopped."""

SHORTEST_TOKEN = 16


class LimitedConnection(H11Protocol):
    """An HTTP/1.1 connection that is closed after ``patience`` seconds without progress.

    uvicorn itself waits forever for a request that is never finished, and for a client that does
    not read its answer. Progress is a complete answer, or a client that reads some of one; the
    body of a request has a time limit of its own. Of more than ``most`` connections one is closed.
    """

    patience: ClassVar[float] = 30.0
    most: ClassVar[int] = 512

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to watch the connection."""
        super().connection_made(transport)
        self._progress, self._unread = self.loop.time(), 0
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._watch()

    def on_response_complete(self) -> None:
        """Note that a request was answered."""
        self._progress = self.loop.time()
        super().on_response_complete()

    def _watch(self) -> None:
        """Close the connection if there is no progress, else look again later."""
        if self.transport.is_closing():
            return
        unread = self.transport.get_write_buffer_size()
        is_working = self.cycle is not None and not self.cycle.response_complete and not unread
        if is_working or unread < self._unread:
            self._progress = self.loop.time()
        self._unread = unread
        if self.loop.time() - self._progress > self.patience:
            self.transport.abort()
        else:
            self.loop.call_later(self.patience / 4, self._watch)


def serve(access: Access, port: int, *names: Sequence[str]) -> None:
    """Answer requests until SIGTERM or Ctrl-C; running requests are finished first.

    The address is printed once, when the models are loaded and connections are accepted; port 0
    chooses a free one. An StsError is raised if other machines could reach the server without a
    token, if the address cannot be used, or if a model cannot be loaded.
    """
    warned.add("repaired")  # its example would be a sentence of a request, and none is logged
    check_token(access)
    is_ipv6 = ":" in access.host
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    # asyncio sends small answers at once only if the protocol is named.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((access.host, port))
        except OSError as error:
            raise StsError(
                f"cannot listen on {access.host} port {port} ({error.strerror}); "
                "choose another --port"
            ) from None
        served = ServedModels(*names)
        for name in served.scorers:  # compiles code and reads tables before the first request
            served.explain(name, "a dog", "a cat")
            served.score(name, ["a dog"] * (FEW + 1), ["a cat"] * (FEW + 1))
        config = configure(build_application(served, access))
        listener.listen(config.backlog)
        name = f"[{access.host}]" if is_ipv6 else access.host
        print(f"http://{name}:{listener.getsockname()[1]}", flush=True)
        # uvicorn finishes what runs, then raises the signal that it caught once more.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])


def configure(
    application: FastAPI, connection: type[LimitedConnection] = LimitedConnection
) -> uvicorn.Config:
    """Return the settings of uvicorn: no log, limited connections."""
    return uvicorn.Config(
        application,
        http=connection,
        log_config=None,  # a new configuration of all logging closes the handlers of libraries
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=LAST_ANSWERS,
    )


def check_token(access: Access) -> None:
    """Raise an StsError if a token is missing where one is needed, or is too short."""
    if access.token is None and not access.is_local:
        raise StsError(
            f"--host {access.host} lets other machines ask; give them a --token, "
            "or listen on 127.0.0.1"
        )
    if access.token is not None and len(access.token) < SHORTEST_TOKEN:
        raise StsError(
            f"--token has {len(access.token)} characters; expected {SHORTEST_TOKEN} or more, "
            "such as: openssl rand -hex 16"
        )
