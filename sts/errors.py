"""Errors and warnings for users.

Every error that bad input can cause is an :class:`StsError`. Its message says where (file and
line), what was found, what was expected and what to do next. The command lines print it without
a traceback and exit with code 2.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


class StsError(Exception):
    """An input, a file, a setting or a service is not as expected."""


class DataError(StsError):
    """A file is missing, malformed or not the expected one."""


class UnknownNameError(StsError):
    """A name that does not exist; the message lists those that do, and the nearest again."""

    def __init__(self, kind: str, name: str, known: list[str] | tuple[str, ...]) -> None:
        from difflib import get_close_matches

        near = "".join(f". Did you mean {n!r}?" for n in get_close_matches(name, known, n=1))
        super().__init__(f"unknown {kind} {name!r}; choose one of: {', '.join(known)}{near}")


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


warned: set[str] = set()
"""Kinds of warnings that this process has given by :func:`warn_once`."""


def warn_once(kind: str, text: str) -> None:
    """Give a warning as :func:`warn_caller`, the first time that there is one of its kind."""
    if kind not in warned:
        warned.add(kind)
        warn_caller(text)


# Optional libraries

EXTRAS = {
    "mine": ("faiss", "scipy"),
    "train": ("gensim", "jax", "lightgbm", "optax", "scipy", "sklearn"),
    "mt": ("deep_translator", "requests", "tenacity"),
    "report": ("jinja2", "matplotlib"),
    "scale": ("pandas", "ray"),
    "tables": ("pyarrow",),
    "xlsx": ("defusedxml", "openpyxl"),
    "serve": ("fastapi", "fastapi_offline", "uvicorn"),
    "metrics": ("prometheus_client",),
}
"""Modules to import, by extra; ``pyproject.toml`` lists their distributions."""


def how_to_install(library: str) -> str:
    """Return the command that installs a library that is imported by this name."""
    extra = next((name for name, brings in EXTRAS.items() if library in brings), None)
    return f"pip install 'semaniacs[{extra}]'" if extra else f"pip install {library}"


def require(*libraries: str) -> None:
    """Raise a MissingResourceError that says how to install a library that is missing."""
    for library in libraries:
        if find_spec(library) is None:
            raise MissingResourceError(f"this needs {library}: {how_to_install(library)}")


@contextmanager
def naming_missing_libraries() -> Iterator[None]:
    """Turn a failed import into the error of :func:`require`, if the library is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library and library not in sys.stdlib_module_names:
            require(library)
        raise  # a part of what is installed was not found
