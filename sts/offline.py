"""``SEMANIACS_OFFLINE=1`` forbids connections, and a time limit for a whole connection."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from semaniacs.sts.errors import MissingResourceError

T = TypeVar("T")

OFFLINE = "SEMANIACS_OFFLINE"


def check_online(needed_by: str, instead: str) -> None:
    """Raise a MissingResourceError if the user forbids the connection that some work needs.

    The message says what to do ``instead``.
    """
    value = os.environ.get(OFFLINE, "")
    if value not in ("", "0"):
        raise MissingResourceError(
            f"{needed_by} needs a connection, which {OFFLINE}={value} forbids; "
            f"unset it, or {instead}"
        )


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return the result of ``call``; after a TimeoutError it is left behind in its thread."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(min(seconds, threading.TIMEOUT_MAX))
