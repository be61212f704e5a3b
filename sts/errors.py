"""Errors and warnings for users.

Every error that bad input can cause is an :class:`StsError`. Its message says where (file and
line), what was found, what was expected and what to do next. The command lines print it without
a traceback and exit with code 2.
"""

from __future__ import annotations

import sys
import warnings


class StsError(Exception):
    """An input, a file, a setting or a service is not as expected."""


class DataError(StsError):
    """A file is missing, malformed or not the expected one."""


class UnknownNameError(StsError):
    """A name that does not exist; the message lists those that do."""

    def __init__(self, kind: str, name: str, known: list[str] | tuple[str, ...]) -> None:
        super().__init__(f"unknown {kind} {name!r}; choose one of: {', '.join(known)}")


class ValuesError(StsError, ValueError):
    """Values that cannot be computed with; also a ValueError, for code that expects one."""


class MissingResourceError(StsError):
    """Something that must be installed or fetched first; the message says how."""


def warn_caller(text: str) -> None:
    """Give a UserWarning for the first line on the stack that is the user's own, not ours."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] == "semaniacs":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)
