"""The registry of features: named, grouped, with a range, a source and what they need.

A feature is a pure function. Its name is the column's name in every matrix, so
a report can always say what a number means. :func:`pairwise` registers a
function of two sentences, :func:`columnwise` one that is faster on all pairs at
once; both become a function from a :class:`Batch` to a column.

The files of ``features/families`` are the families: each registers its features when it is
imported. A look-up imports the family that ``descriptions.tsv`` names first, and then the others
until the feature is there.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import numpy as np

from semaniacs.features.batch import Batch, Column, Gate
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
        return described(self.name)[1]


def described(name: str) -> tuple[str, str]:
    """Return the family of a feature and a sentence about it, both empty if it has no row."""
    return _descriptions().get(name, ("", ""))


@cache
def _descriptions() -> dict[str, tuple[str, str]]:
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
    where: Gate | None = None,
    elsewhere: float = 0.0,
) -> Callable[[Pairwise], Pairwise]:
    """Register a function of two sentences that needs nothing else.

    Args:
        where: (n,) which pairs it is asked of, by default all.
        elsewhere: what it is known to be for the others.
    """

    def register(function: Pairwise) -> Pairwise:
        column = partial(_pair_by_pair, function=function, where=where, elsewhere=elsewhere)
        columnwise(name, group, source, low=low, high=high)(column)
        return function

    return register


def _pair_by_pair(batch: Batch, function: Pairwise, where: Gate | None, elsewhere: float) -> Column:
    values = np.full(len(batch), elsewhere)
    asked = np.flatnonzero(where(batch)) if where else np.arange(len(batch))
    for place in asked.tolist():
        values[place] = function(batch.left[place], batch.right[place])
    return values


def _families(first: str = "") -> list[str]:
    """Return the modules of ``features/families``, beginning with the one of this name."""
    from semaniacs.features import families

    names = [module.name for module in pkgutil.iter_modules(families.__path__)]
    return [f"{families.__name__}.{name}" for name in sorted(names, key=lambda n: n != first)]


def get_feature(name: str) -> Feature:
    """Return the feature of that name; :class:`UnknownNameError` lists the names there are."""
    if name not in _FEATURES:
        for family in _families(described(name)[0]):
            import_module(family)
            if name in _FEATURES:
                break
        else:
            known = tuple(feature.name for feature in all_features())
            raise UnknownNameError("feature", name, known)
    return _FEATURES[name]


def all_features() -> tuple[Feature, ...]:
    """Return every registered feature, family by family."""
    for family in _families():
        import_module(family)
    return tuple(sorted(_FEATURES.values(), key=lambda feature: described(feature.name)[0]))
