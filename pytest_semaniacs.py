"""Pytest plugin with the fixtures ``similar`` and ``different``.

Pytest loads it in every project, so it imports nothing of ours before a test uses a fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--semaniacs-model``, and ``semaniacs_model`` for the configuration file."""
    about = "model of the fixtures similar and different: a run that ships fitted, or a folder that fit wrote"
    parser.getgroup("semaniacs").addoption("--semaniacs-model", metavar="MODEL", help=about)
    parser.addini("semaniacs_model", f"{about} (default: contextual)", default="contextual")


def pytest_configure(config: pytest.Config) -> None:
    """Stop at once if there is no model of the name that was given."""
    if (name := _named(config)) != "contextual":
        from semaniacs.runs.recipes import RUNS, run_in
        from semaniacs.sts.errors import StsError

        try:
            name in RUNS or run_in(Path(name))
        except StsError as error:
            raise pytest.UsageError(f"--semaniacs-model or semaniacs_model: {error}") from None


@pytest.fixture(scope="session")
def similar(semaniacs_model: str) -> Callable[..., None]:
    """Return ``similar(a, b, at_least=4)``, which fails if two sentences differ in meaning."""
    from semaniacs.testing import assert_similar

    return partial(assert_similar, model=semaniacs_model)


@pytest.fixture(scope="session")
def different(semaniacs_model: str) -> Callable[..., None]:
    """Return ``different(a, b, at_most=3)``, which fails if two sentences are alike in meaning."""
    from semaniacs.testing import assert_different

    return partial(assert_different, model=semaniacs_model)


@pytest.fixture(scope="session")
def semaniacs_model(request: pytest.FixtureRequest) -> str:
    """Return the name or folder of the model."""
    return _named(request.config)


def _named(config: pytest.Config) -> str:
    named: str | None = config.getoption("--semaniacs-model")
    # pyproject.toml has quotes around the value, pytest.ini has none.
    return named or str(config.getini("semaniacs_model")).strip("\"'")
