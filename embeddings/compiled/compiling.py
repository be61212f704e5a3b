"""Compile with Numba, and keep what was compiled on disk where that is possible.

A line on stderr says that something of ours is being compiled, because it takes half a minute: on a
terminal at once, in a log when it has taken so long. None is printed where compiled code is only read.
"""

# mypy: disable-error-code="misc,no-untyped-call"

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba.core import event
from numba.core.caching import FunctionCache, NullCache

from semaniacs.sts import progress
from semaniacs.sts.progress import note

TEXT = "compiling, once on this machine: half a minute; later starts take seconds"

NOT_KEPT = (
    "compiled code cannot be kept ({why}), so every start compiles; "
    "set NUMBA_CACHE_DIR to a folder that can be written"
)

_ROOMS = ("semaniacs.embeddings.", "semaniacs.features.")


def njit(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``numba.njit`` that keeps the compiled function on disk if it can, and works if it cannot."""

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher: Any = numba.njit(**{"no_cfunc_wrapper": True, **options})(function)
        try:
            dispatcher._cache = _Kept(function)
        except RuntimeError:  # Numba found no folder for it
            dispatcher._cache = _NotKept()
        return dispatcher

    return compiled


class _Kept(FunctionCache):
    """Files of a function; if they cannot be read, it is compiled again."""

    def load_overload(self, sig: object, target_context: object) -> object:
        """Return the compiled function, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything
            return None

    def save_overload(self, sig: object, data: object) -> None:
        """Write a compiled function; damaged files of it are replaced."""
        try:
            try:
                super().save_overload(sig, data)
            except OSError:
                raise
            except Exception:  # the index is damaged
                self.flush()
                super().save_overload(sig, data)
        except OSError as error:
            _say_not_kept(str(error.strerror))


class _NotKept(NullCache):
    def save_overload(self, sig: object, cres: object) -> None:
        """Print a note."""
        _say_not_kept("neither the program's folders nor ~/.cache/numba can be written")


@cache
def _say_not_kept(why: str) -> None:
    note(NOT_KEPT.format(why=why))


class _Announcement(event.Listener):
    def __init__(self) -> None:
        self.said, self.began = False, 0.0

    def on_start(self, event: event.Event) -> None:
        """Print it, if the function is ours and not one of a library or of a user."""
        module: str = event.data["dispatcher"].py_func.__module__ or ""
        if self.said or not module.startswith(_ROOMS):
            return
        self.began = self.began or time.monotonic()
        terminal = sys.stderr is not None and sys.stderr.isatty()
        if terminal or time.monotonic() - self.began >= progress.INTERVAL:
            self.said = True
            note(TEXT)

    def on_end(self, event: event.Event) -> None:
        """Do nothing."""


@cache
def announce_compiling() -> None:
    """Have the line printed when Numba first compiles one of our functions in this process."""
    event.register("numba:compile", _Announcement())
