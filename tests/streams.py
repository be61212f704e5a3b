"""Streams in place of stderr, for ``contextlib.redirect_stderr``."""

from __future__ import annotations

import io
import threading


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Log(io.StringIO):
    """A stream that is no terminal, and on which one can wait for a text."""

    def __init__(self) -> None:
        super().__init__()
        self._written = threading.Condition()

    def write(self, text: str) -> int:
        with self._written:
            count = super().write(text)
            self._written.notify_all()
        return count

    def line_with(self, text: str) -> str:
        """The first line that contains the text, once it is there."""
        with self._written:
            assert self._written.wait_for(lambda: text in self.getvalue(), timeout=60)
        return next(line for line in self.getvalue().splitlines() if text in line)
