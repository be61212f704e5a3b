"""``SEMANIACS_OFFLINE=1`` forbids connections to everything that could open one.

And how long one may take, which the time-out of a socket does not bound.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from sts.errors import MissingResourceError

T = TypeVar("T")

OFFLINE = "SEMANIACS_OFFLINE"


def check_online(needed_by: str, instead: str) -> None:
    """Refuse what needs a connection if the user forbids connections.

    Args:
        needed_by: what would open one.
        instead: what the user can do without.

    Raises:
        MissingResourceError: the variable is set, to anything but 0.
    """
    value = os.environ.get(OFFLINE, "")
    if value not in ("", "0"):
        raise MissingResourceError(
            f"{needed_by} needs a connection, which {OFFLINE}={value} forbids; "
            f"unset it, or {instead}"
        )


def within(seconds: float, call: Callable[[], T]) -> T:
    """The result of ``call``, which is left behind in its thread if it takes longer.

    Raises:
        TimeoutError: it does.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(min(seconds, threading.TIMEOUT_MAX))
