"""The errors that a person is meant to read.

Every error that bad input can cause is an :class:`StsError`. Its message says
where (file and line), what was found, what was expected and what to do next.
The command lines print it without a traceback and exit with code 2.
"""

from __future__ import annotations


class StsError(Exception):
    """Something outside the program is not as it must be."""


class DataError(StsError):
    """A file does not hold what it should."""


class UnknownNameError(StsError):
    """A name that is not in a registry; the message lists the names that are."""

    def __init__(self, kind: str, name: str, known: list[str] | tuple[str, ...]) -> None:
        super().__init__(f"unknown {kind} {name!r}; choose one of: {', '.join(known)}")


class MissingResourceError(StsError):
    """Something that must be installed or fetched first; the message says how."""
