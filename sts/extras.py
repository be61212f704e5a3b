"""Optional libraries, and the extra of the distribution that installs each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from semaniacs.sts.errors import MissingResourceError

EXTRAS = {
    "train": ("gensim", "jax", "lightgbm", "optax", "scipy", "sklearn", "tokenizers"),
    "mine": ("faiss",),
    "mt": ("deep_translator", "requests", "tenacity"),
    "report": ("jinja2", "matplotlib"),
    "scale": ("pandas", "ray"),
    "tables": ("pyarrow",),
    "serve": ("fastapi", "fastapi_offline", "uvicorn"),
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
