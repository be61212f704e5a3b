"""Command lines, run in this process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from semaniacs.sts.command_line import run_tool


class Ended(NamedTuple):
    """How a command line ended; ``err`` is without progress bars."""

    code: int
    out: str
    err: str

    @property
    def printed(self) -> str:
        """What a command that succeeded wrote to stdout."""
        assert self.code == 0, self.err
        return self.out

    @property
    def error(self) -> str:
        """The one line that says what was wrong; nothing was written to stdout."""
        assert (self.code, self.out) == (2, ""), self
        errors = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1 and "Traceback" not in self.err, self.err
        return errors[0]


Command = Callable[..., Ended]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a ``main`` with a line of arguments and bytes on stdin."""

    def run(main: Callable[[], None], line: str, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "argv", ["tool", *line.split()])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = 0
        try:
            run_tool(main)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        return Ended(code, *capsys.readouterr())

    return run
