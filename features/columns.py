"""Pairs to a matrix of named features, each computed by its function in the registry."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled.kernel import interpret_few
from semaniacs.features.batch import Batch
from semaniacs.features.measures.spelling import written_alike
from semaniacs.features.registry import Feature, get_feature
from semaniacs.features.resources import Resources
from semaniacs.sts import progress
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.text.analysis import analyse

_lock = threading.Lock()
_inside: list[bool] = []
"""For each thread inside, whether the collector was enabled when the first of them came."""


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable garbage collection, which would take 40 % more time and finds no cycle here.

    The collector belongs to the process: the last of several threads to leave enables it again.
    """
    with _lock:
        _inside.append(_inside[0] if _inside else gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _inside.pop() and not _inside:
                if not gc.get_freeze_count():  # make every object old, so that none is walked now
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()


PAIRS_AT_ONCE = 4096
"""Pairs that are worked on at once, up to half as many more: bounds memory to some hundred
megabytes."""


def part_size(pairs: int, processes: int = 1) -> int:
    """How many pairs a process takes at once, so that all of them have the same to do.

    What is computed for the distinct words of a part is cheaper a pair the larger it is.
    """
    rounds = max(1, round(pairs / (processes * PAIRS_AT_ONCE)))
    return max(1, -(-pairs // (processes * rounds)))


@dataclass(frozen=True)
class FeatureColumns:
    """Columns of a matrix of features. The same pair has the same row in every file.

    Attributes:
        names: of features in the registry, in the order wanted.
        resources: where features look things up; by default what is installed.
        progress: show a progress bar on stderr.
        written_alike: whether the sides of a pair are written alike before they are compared, see
            :mod:`semaniacs.features.measures.spelling`.
    """

    names: Sequence[str]
    resources: Resources = field(default_factory=Resources)
    progress: bool = False
    written_alike: bool = False

    def missing(self) -> dict[str, str]:
        """Columns that cannot be computed here, with the command that brings what they need."""
        absent = {}
        for name in self.names:
            commands = map(self.resources.missing, get_feature(name).needs)
            command = next((command for command in commands if command), None)
            if command:
                absent[name] = command
        return absent

    def compute(self, pairs: Pairs) -> NDArray[np.float64]:
        """The matrix (n, k) float64; a column whose resource is missing is NaN."""
        matrix = np.full((len(pairs), len(self.names)), np.nan)
        label = f"features of {pairs.name}"
        bar_of = progress.Bar(label, "pairs", len(pairs), show=self.progress)
        with bar_of as bar, gc_disabled(), interpret_few(len(pairs)):
            present = self._present()
            size = part_size(len(pairs))
            for start in range(0, len(pairs), size):
                part = slice(start, start + size)
                batch = self._batch(pairs.left[part], pairs.right[part])
                for column, feature in present.items():
                    matrix[part, column] = feature.compute(batch)
                bar.update(len(batch))
        return matrix

    def compared(self, left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
        """The sides of each pair as they are compared, see :attr:`written_alike`."""
        if not self.written_alike:
            return list(zip(left, right, strict=True))
        batch, found = self._batch(left, right), []
        for one, other, a, b in zip(left, right, batch.left, batch.right, strict=True):
            found.append((a.text, b.text) if one <= other else (b.text, a.text))
        return found

    def _batch(self, left: Sequence[str], right: Sequence[str]) -> Batch:
        # Sides in one order whichever way round a pair is given: what compares them is symmetric,
        # but sums of floats are so only up to their last digits.
        sides = [sorted(pair) for pair in zip(left, right, strict=True)]
        analysed = analyse(text for pair in sides for text in pair)
        first, second = ([analysed[pair[side]] for pair in sides] for side in (0, 1))
        batch = Batch(first, second, self.resources)
        return written_alike(batch) if self.written_alike else batch

    def _present(self) -> dict[int, Feature]:
        """The features that can be computed here, by their column; what they need is opened."""
        absent = self.missing()
        present = {
            column: get_feature(name)
            for column, name in enumerate(self.names)
            if name not in absent
        }
        self.resources.open({need for feature in present.values() for need in feature.needs})
        return present


def describe_missing(absent: dict[str, str]) -> list[str]:
    """A line for each command that would bring columns back, with the columns' names."""
    return [
        f"without {', '.join(n for n, c in absent.items() if c == command)}; "
        f"NaN for this run. To have it: {command}"
        for command in dict.fromkeys(absent.values())
    ]
