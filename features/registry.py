"""Features, and the matrix that a set of them makes of pairs.

The registry names features and groups them, with a range, a source and what they need. A feature
is a pure function. Its name is the column's name in every matrix, so
a report can always say what a number means. :func:`pairwise` registers a
function of two sentences, :func:`columnwise` one that is faster on all pairs at
once; both become a function from a :class:`Batch` to a column.

The files of ``features/families`` are the families: each registers its features when it is
imported. A look-up imports the family that ``descriptions.tsv`` names first, and then the others
until the feature is there.
"""

from __future__ import annotations

import gc
import pkgutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import interpret_few
from semaniacs.features.batch import Batch, Column, Gate
from semaniacs.features.measures.spelling import written_alike
from semaniacs.features.resources import Resources
from semaniacs.features.windows import in_parts
from semaniacs.sts import progress
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import UnknownNameError
from semaniacs.sts.text.analysis import Sentence, analyse
from semaniacs.sts.text.normalisation import normalise_all


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


def plain_name(name: str) -> str:
    """Return what a feature compares, for people; the name of a rule as words."""
    return described(name)[1] or name.replace("_", " ")


# The matrix of some features of some pairs

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
        """The matrix (n, k) float64, means over the parts of a long text; NaN without a resource."""
        left, right, parts = in_parts(normalise_all(pairs.left), normalise_all(pairs.right))
        count = len(left)
        matrix = np.full((count, len(self.names)), np.nan)
        label = f"features of {pairs.name}"
        bar_of = progress.Bar(label, "pairs", count, show=self.progress)
        both = zip(left, right, strict=True)
        with bar_of as bar, gc_disabled(), interpret_few(len(pairs), both):
            present = self._present()
            size = part_size(count)
            for start in range(0, count, size):
                part = slice(start, start + size)
                batch = self._batch(left[part], right[part])
                for column, feature in present.items():
                    matrix[part, column] = feature.compute(batch)
                bar.update(len(batch))
        if count == len(pairs):
            return matrix
        means = np.add.reduceat(matrix, np.cumsum(parts) - parts, axis=0) / parts[:, None]
        return np.asarray(means)

    def compared(self, left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
        """The sides of each pair as they are compared, see :attr:`written_alike`."""
        if not self.written_alike:
            return list(zip(left, right, strict=True))
        left, right = normalise_all(left), normalise_all(right)
        batch, found = self._batch(left, right), []
        for one, other, a, b in zip(left, right, batch.left, batch.right, strict=True):
            found.append((a.text, b.text) if one <= other else (b.text, a.text))
        return found

    def _batch(self, left: Sequence[str], right: Sequence[str]) -> Batch:
        # Sides in one order whichever way round a pair is given: what compares them is symmetric,
        # but sums of floats are so only up to their last digits.
        both = zip(normalise_all(left), normalise_all(right), strict=True)
        sides = [sorted(pair) for pair in both]
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
