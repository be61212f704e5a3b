"""A line on stderr where Numba compiles something of ours: else the first start is long and silent.

Numba keeps what it compiled on disk; nothing is said where that is only read, or where no person
reads stderr.
"""

# mypy: disable-error-code="misc,no-untyped-call"

from __future__ import annotations

import sys
from functools import cache

from numba.core import event

from sts.progress import note

TEXT = "compiling, once on this machine: up to half a minute; later starts take seconds"

_ROOMS = ("embeddings", "features")


class _Announcement(event.Listener):
    """Says once that one of our functions is being compiled."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: event.Event) -> None:
        """Say it, if the function is ours and not one of a library or of a user."""
        module: str = event.data["dispatcher"].py_func.__module__ or ""
        if self.said or module.partition(".")[0] not in _ROOMS:
            return
        self.said = True
        if sys.stderr is not None and sys.stderr.isatty():
            note(TEXT)

    def on_end(self, event: event.Event) -> None:
        """Nothing: what follows speaks for itself."""


@cache
def announce_compiling() -> None:
    """Have the line printed when Numba first compiles one of our functions in this process."""
    event.register("numba:compile", _Announcement())
