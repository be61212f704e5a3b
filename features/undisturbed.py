"""Work that makes millions of small objects, without garbage collection."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside: list[bool] = []
"""For each thread that is inside, whether the first of them found the collector at work."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Without garbage collection.

    The collector would walk the many small objects made here again and again, for a quarter of
    the time, and nothing here makes a cycle. It is the process's: the last of several threads to
    leave turns it on again, and counts what was made as old, lest it be walked at once.
    """
    with _lock:
        _inside.append(_inside[0] if _inside else gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _inside.pop() and not _inside:
                _age()
                gc.enable()


def _age() -> None:
    """Move every object to the oldest generation, unless the process froze some for itself."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
