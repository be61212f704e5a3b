"""The pytest plugin: the fixtures ``similar`` and ``different``.

It stands beside the packages, so that pytest can begin it in every project at no cost: nothing is
imported, and no folder that hides one of our packages is found out, before a test asks for a
fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--semaniacs-model``, also ``semaniacs_model`` in the file of configuration."""
    about = "model of the fixtures similar and different: a run that ships, or a folder of fit"
    parser.getgroup("semaniacs").addoption("--semaniacs-model", metavar="MODEL", help=about)
    parser.addini("semaniacs_model", f"{about} (default: fusion)", default="fusion")


@pytest.fixture(scope="session")
def similar(semaniacs_model: str) -> Callable[..., None]:
    """``similar(a, b, at_least=4)`` fails where two sentences differ in meaning."""
    from semaniacs.testing import assert_similar

    return partial(assert_similar, model=semaniacs_model)


@pytest.fixture(scope="session")
def different(semaniacs_model: str) -> Callable[..., None]:
    """``different(a, b, at_most=2)`` fails where two sentences are alike in meaning."""
    from semaniacs.testing import assert_different

    return partial(assert_different, model=semaniacs_model)


@pytest.fixture(scope="session")
def semaniacs_model(request: pytest.FixtureRequest) -> str:
    """The model that judges, by name or folder."""
    named: str | None = request.config.getoption("--semaniacs-model")
    # In pytest.ini a value stands without quotes, in pyproject.toml with them.
    return named or str(request.config.getini("semaniacs_model")).strip("\"'")
