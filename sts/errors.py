"""The errors that are meant for users.

Every error that bad input can cause is an :class:`StsError`. Its message says where (file and
line), what was found, what was expected and what to do next. The command lines print it without
a traceback and exit with code 2.
"""

from __future__ import annotations


class StsError(Exception):
    """An input, a file, a setting or a service is not as it must be."""


class DataError(StsError):
    """A file is missing, malformed or another one than expected."""


class UnknownNameError(StsError):
    """A name that does not exist; the message lists those that do."""

    def __init__(self, kind: str, name: str, known: list[str] | tuple[str, ...]) -> None:
        super().__init__(f"unknown {kind} {name!r}; choose one of: {', '.join(known)}")


class MissingResourceError(StsError):
    """Something that must be installed or fetched first; the message says how."""
