"""The process that listens: from the first address to the last answer."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

import uvicorn
from starlette.applications import Starlette

from runs.service.application import build_application
from runs.service.connections import PatientConnection
from runs.service.guards import Access
from runs.service.served_models import ServedModels
from sts.errors import StsError

LAST_ANSWERS = 60
"""Seconds in which the requests that run are finished when the server is stopped."""

SHORTEST_TOKEN = 16
"""Characters of a token that is not soon guessed."""


def serve(access: Access, port: int, models: Sequence[str], encoders: Sequence[str]) -> None:
    """Answer until SIGTERM or an interrupt; requests that run then are finished first.

    The address is printed once, when models are loaded and connections are taken.

    Args:
        access: where to listen, and who may ask.
        port: 0 takes one that is free.
        models, encoders: see :class:`.ServedModels`.

    Raises:
        StsError: others than this machine would reach the server without a token, the address
            cannot be had, or a model cannot be loaded.
    """
    check_token(access)
    with _listening(access.host, port) as listener:
        served = ServedModels(models, encoders)
        served.warm_up()
        config = configured(build_application(served, access))
        name = f"[{access.host}]" if ":" in access.host else access.host
        listener.listen(config.backlog)
        print(f"http://{name}:{listener.getsockname()[1]}", flush=True)
        with _stopped_by_signals():
            uvicorn.Server(config).run(sockets=[listener])


def configured(application: Starlette) -> uvicorn.Config:
    """How the application is served: quietly, and no longer than anything moves."""
    return uvicorn.Config(
        application,
        http=PatientConnection,
        log_config=None,  # a new configuration of all logging closes the handlers of libraries
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=LAST_ANSWERS,
    )


def check_token(access: Access) -> None:
    """Raise an :class:`StsError` if a token is missing where one is needed, or is too short."""
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


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that is bound, before models are loaded in vain."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once only if the protocol is named.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise StsError(
                f"cannot listen on {host} port {port} ({error.strerror}); choose another --port"
            ) from None
        yield listener


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Both signals end the server as a person wants it: without an error.

    uvicorn finishes what runs, then raises the signal that it caught once more.
    """

    def stop(_: int, __: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)
