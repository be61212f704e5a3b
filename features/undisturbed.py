"""Settings of the interpreter for work that makes millions of small objects."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside: list[tuple[bool, float]] = []
"""For each thread that is inside, the settings that the first of them found."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Without garbage collection, and with threads that take turns sooner.

    The collector would walk the many small objects made here again and again, for a quarter of
    the time, and nothing here makes a cycle. A thread that comes back from compiled code would
    else wait 5 ms for the interpreter. Both settings are the process's: the last of several threads
    to leave puts them back.
    """
    with _lock:
        found = _inside[0] if _inside else (gc.isenabled(), sys.getswitchinterval())
        _inside.append(found)
        gc.disable()
        sys.setswitchinterval(2e-4)
    try:
        yield
    finally:
        with _lock:
            collecting, interval = _inside.pop()
            if not _inside:
                sys.setswitchinterval(interval)
                if collecting:
                    gc.enable()
