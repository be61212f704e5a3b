"""Pairs to a matrix: the scikit-learn transformer over the registry."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from tqdm import tqdm

from embeddings.encoder import threads
from features.batch import Batch
from features.registry import Feature, get_feature
from features.resources import Resources
from features.undisturbed import undisturbed
from sts.data.pairs import Pairs
from sts.text.analysis import analyse

PAIRS_AT_ONCE = 4096
"""Pairs that a thread works on at once: bounds memory to some hundred megabytes."""


class FeatureExtractor(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Named features of sentence pairs.

    Nothing is fitted: the same pair has the same row in every file.

    Args:
        columns: names from the registry, in the order wanted.
        resources: where features look things up; by default what is installed.
        progress: show a progress bar on stderr.
    """

    def __init__(
        self,
        columns: Sequence[str],
        resources: Resources | None = None,
        progress: bool = False,
    ) -> None:
        self.columns = columns
        self.resources = resources
        self.progress = progress

    def fit(self, pairs: Pairs, y: object = None) -> FeatureExtractor:
        """Nothing to learn; here so that a scikit-learn Pipeline can hold it."""
        return self

    def __sklearn_tags__(self) -> Any:
        """It takes pairs of sentences, and needs no fit."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.requires_fit = False
        tags.no_validation = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The columns' names, (k,)."""
        return np.array(list(self.columns), dtype=object)

    @cached_property
    def lookup(self) -> Resources:
        """The resources given, or what is installed."""
        return self.resources or Resources()

    def missing(self) -> dict[str, str]:
        """Columns that cannot be computed here, with the command that brings what they need."""
        absent = {}
        for name in self.columns:
            commands = map(self.lookup.missing, get_feature(name).needs)
            command = next((command for command in commands if command), None)
            if command:
                absent[name] = command
        return absent

    def transform(self, pairs: Pairs) -> NDArray[np.float64]:
        """The matrix (n, k) float64; a column whose resource is missing is NaN."""
        present = self._present()
        # Sides in one order whichever way round a pair is given: what compares them is symmetric,
        # but sums of floats are so only up to their last digits.
        sides = [sorted(pair) for pair in zip(pairs.left, pairs.right, strict=True)]
        matrix = np.full((len(pairs), len(self.columns)), np.nan)

        def fill(start: int) -> int:
            some = sides[start : start + PAIRS_AT_ONCE]
            analysed = analyse(text for pair in some for text in pair)
            left, right = ([analysed[pair[side]] for pair in some] for side in (0, 1))
            batch = Batch(left, right, self.lookup)
            for column, feature in present.items():
                matrix[start : start + len(some), column] = feature.compute(batch)
            return len(some)

        # Compiled features leave the interpreter to the other threads.
        starts = range(0, len(pairs), PAIRS_AT_ONCE)
        with self._bar(pairs) as bar, undisturbed(), ThreadPoolExecutor(threads()) as pool:
            for count in pool.map(fill, starts):
                bar.update(count)
        return matrix

    def _present(self) -> dict[int, Feature]:
        """The features that can be computed here, by their column; what they need is opened."""
        absent = self.missing()
        present = {
            column: get_feature(name)
            for column, name in enumerate(self.columns)
            if name not in absent
        }
        self.lookup.open({need for feature in present.values() for need in feature.needs})
        return present

    def _bar(self, pairs: Pairs) -> tqdm:
        return tqdm(
            total=len(pairs),
            desc=f"features {pairs.name}",
            unit=" pairs",
            leave=False,
            disable=None if self.progress else True,
        )


def describe_missing(absent: dict[str, str]) -> list[str]:
    """A line for each command that would bring columns back, with the columns' names."""
    return [
        f"without {', '.join(n for n, c in absent.items() if c == command)}; "
        f"NaN for this run. To have it: {command}"
        for command in dict.fromkeys(absent.values())
    ]
