"""The process that listens: from the first address to the last answer."""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence
from contextlib import suppress

import uvicorn
from fastapi import FastAPI

from semaniacs.embeddings.compiled import FEW
from semaniacs.runs.service.application import build_application
from semaniacs.runs.service.guards import Access
from semaniacs.runs.service.served_models import ServedModels
from semaniacs.sts.errors import StsError, warned

LAST_ANSWERS, MOST_CONNECTIONS, SHORTEST_TOKEN = 60, 512, 16
"""Seconds for running requests to finish when the server is stopped, connections at once, and characters."""


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


def configure(application: FastAPI) -> uvicorn.Config:
    """Return the settings of uvicorn: no log, limited connections."""
    return uvicorn.Config(
        application,
        limit_concurrency=MOST_CONNECTIONS,
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
