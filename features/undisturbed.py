"""Settings of the interpreter for work that makes millions of small objects."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def undisturbed() -> Iterator[None]:
    """Without garbage collection, and with threads that take turns sooner.

    The collector would walk the many small objects made here again and again, for a quarter of
    the time, and nothing here makes a cycle. A thread that comes back from compiled code would
    else wait 5 ms for the interpreter.
    """
    collecting, interval = gc.isenabled(), sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(2e-4)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if collecting:
            gc.enable()
