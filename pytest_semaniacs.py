"""Pytest plugin with the fixtures ``similar`` and ``different``.

Pytest loads it in every project, so it imports nothing of ours before a test uses a fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--semaniacs-model``, and ``semaniacs_model`` for the configuration file."""
    about = "model of the fixtures similar and different: a run that ships fitted, or a folder that fit wrote"
    parser.getgroup("semaniacs").addoption("--semaniacs-model", metavar="MODEL", help=about)
    parser.addini("semaniacs_model", f"{about} (default: contextual)", default="contextual")


@pytest.fixture(scope="session")
def similar(semaniacs_model: str) -> Callable[..., None]:
    """Return ``similar(a, b, at_least=4)``, which fails if two sentences differ in meaning."""
    from semaniacs.testing import assert_similar

    return partial(assert_similar, model=semaniacs_model)


@pytest.fixture(scope="session")
def different(semaniacs_model: str) -> Callable[..., None]:
    """Return ``different(a, b, at_most=2)``, which fails if two sentences are alike in meaning."""
    from semaniacs.testing import assert_different

    return partial(assert_different, model=semaniacs_model)


@pytest.fixture(scope="session")
def semaniacs_model(request: pytest.FixtureRequest) -> str:
    """Return the name or folder of the model."""
    named: str | None = request.config.getoption("--semaniacs-model")
    # pyproject.toml has quotes around the value, pytest.ini has none.
    return named or str(request.config.getini("semaniacs_model")).strip("\"'")
