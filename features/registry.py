"""The registry of features: named, grouped, with a range, a source and what they need.

A feature is a pure function. Its name is the column's name in every matrix, so
a report can always say what a number means. :func:`pairwise` registers a
function of two sentences, :func:`columnwise` one that is faster on all pairs at
once; both become a function from a :class:`Batch` to a column.

The files of ``features/families`` are the families: each registers its features when it is
imported, which is when one of them is first looked up.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semaniacs.features.batch import Batch, Column
from semaniacs.sts.errors import UnknownNameError
from semaniacs.sts.text.analysis import Sentence


@dataclass(frozen=True)
class Feature:
    """One column.

    Attributes:
        name: the column's name.
        group: the family, for ablation.
        low, high: the range of its values.
        source: where it is defined.
        needs: names of resources without which the column is NaN.
        compute: (n,) float64 from a batch of n pairs.
    """

    name: str
    group: str
    low: float
    high: float
    source: str
    needs: tuple[str, ...]
    compute: Callable[[Batch], Column]

    @property
    def about(self) -> str:
        """One sentence for people who read a report; empty if ``descriptions.tsv`` has none."""
        return _descriptions().get(self.name, ("", ""))[1]


@cache
def _descriptions() -> dict[str, tuple[str, str]]:
    """The file of each feature, without its ending, and a sentence about it."""
    text = Path(__file__).with_name("descriptions.tsv").read_text("utf-8")
    _, *rows = (line.split("\t") for line in text.splitlines())
    return {name: (family, about) for name, family, about in rows}


_FEATURES: dict[str, Feature] = {}


def columnwise(
    name: str,
    group: str,
    source: str,
    *,
    low: float = 0.0,
    high: float = 1.0,
    needs: tuple[str, ...] = (),
) -> Callable[[Callable[[Batch], Column]], Callable[[Batch], Column]]:
    """Register a function from a batch of n pairs to an (n,) column."""

    def register(function: Callable[[Batch], Column]) -> Callable[[Batch], Column]:
        if name in _FEATURES:
            raise ValueError(f"feature {name!r} is registered twice")
        _FEATURES[name] = Feature(name, group, low, high, source, needs, function)
        return function

    return register


Pairwise = Callable[[Sentence, Sentence], float]


def pairwise(
    name: str,
    group: str,
    source: str,
    *,
    low: float = 0.0,
    high: float = 1.0,
    where: Callable[[Batch], NDArray[np.bool_]] | None = None,
    elsewhere: float = 0.0,
) -> Callable[[Pairwise], Pairwise]:
    """Register a function of two sentences that needs nothing else.

    Args:
        where: (n,) which pairs it is asked of, by default all.
        elsewhere: what it is known to be for the others.
    """

    def register(function: Pairwise) -> Pairwise:
        def column(batch: Batch) -> Column:
            values = np.full(len(batch), elsewhere)
            asked = np.flatnonzero(where(batch)) if where else np.arange(len(batch))
            for place in asked.tolist():
                values[place] = function(batch.left[place], batch.right[place])
            return values

        columnwise(name, group, source, low=low, high=high)(column)
        return function

    return register


@cache
def _import_families() -> None:
    """Import every file of ``features/families``."""
    from semaniacs.features import families

    for module in pkgutil.iter_modules(families.__path__):
        import_module(f"{families.__name__}.{module.name}")


def get_feature(name: str) -> Feature:
    """Return the feature of that name; :class:`UnknownNameError` lists the names there are.

    Only the family that ``descriptions.tsv`` names is imported, or all if it has no such name.
    """
    if name not in _FEATURES and name in _descriptions():
        import_module(f"{__package__}.families.{_descriptions()[name][0]}")
    if name not in _FEATURES:
        _import_families()
    if name not in _FEATURES:
        raise UnknownNameError("feature", name, tuple(_FEATURES))
    return _FEATURES[name]


def all_features() -> tuple[Feature, ...]:
    """Return every registered feature, family by family."""
    _import_families()
    described = _descriptions()
    return tuple(sorted(_FEATURES.values(), key=lambda f: described.get(f.name, ("", ""))[0]))
