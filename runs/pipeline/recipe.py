"""What a run is: a frozen record whose repr says all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from embeddings.loading import DEFAULT
from embeddings.training.configuration import Training
from features.regressors.ensemble import Ensemble, Part
from features.regressors.saved_ensemble import KINDS
from sts.errors import StsError
from sts.files import sha256_of_bytes

LARGEST_SEED = 2**31 - 1
"""LightGBM keeps its seed in 32 bits, one of them the sign."""


@dataclass(frozen=True)
class RoundTrips:
    """Synthetic paraphrases of the test sentences (paper, 3.2), learned from last.

    Attributes:
        training: objective and schedule. Negatives must not be the hardest ones: that
            of a test sentence would be the very sentence it is to be compared with.
        pivot: the language that each sentence is translated to and back from.
        lowest, highest: similarity, under the starting vectors, that a round trip
            must have with its sentence, see
            :func:`embeddings.training.corpora.keep_useful_round_trips`.
    """

    training: Training
    pivot: str = "es"
    lowest: float = 0.0
    highest: float = 1.0


@dataclass(frozen=True)
class Tuning:
    """How an encoder is tuned from its start on pairs that mean the same.

    Attributes:
        training: objective and schedule of the strong pairs.
        strong: gold score from which a training pair counts (paper, 2.1).
        round_trips: synthetic pairs to go on with, if any.
    """

    training: Training
    strong: float = 3.8
    round_trips: RoundTrips | None = None


@dataclass(frozen=True)
class Regressor:
    """One part of a fusion: its kind, a key of ``features.regressors.saved_ensemble.KINDS``, and all its options."""

    kind: str
    options: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, part: Part) -> Regressor:
        """The recipe of a regressor."""
        return cls(type(part).__name__, tuple(sorted(part.get_params().items())))

    def make(self, seed: int) -> Part:
        """The regressor, drawn with ``seed`` if it draws."""
        options = dict(self.options)
        if "random_state" in options:
            options["random_state"] = seed
        part: Part = KINDS[self.kind](**options)
        return part


@dataclass(frozen=True)
class Run:
    """A named recipe.

    Attributes:
        name: as typed after ``--run`` and written in file names.
        about: one line for ``--list``.
        start: bundled name or file of the starting vectors.
        tuning: of the encoder whose cosine is the score; None scores with the start.
        fusion: the regressors whose mean is the score, if features are fused; ``columns``
            are their features, ``paraphrases`` the tunings behind paraphrase1, paraphrase2, ….
        echo: whether a fusion also learns from its training pairs with one side translated
            to Spanish and back, for a task whose every data set has to be translated.
        anchor, blend_weight: the feature whose simple regression is blended into the fused
            score, and its weight.
        seed: of everything that is drawn.
    """

    name: str
    about: str
    start: str = DEFAULT
    tuning: Tuning | None = None
    fusion: tuple[Regressor, ...] | None = None
    columns: tuple[str, ...] = ()
    paraphrases: tuple[Tuning, ...] = ()
    echo: bool = False
    anchor: str | None = None
    blend_weight: float = 0.0
    seed: int = 0

    def with_seed(self, seed: int) -> Run:
        """The same recipe drawn with another seed.

        Raises:
            StsError: the libraries that draw cannot take the seed.
        """
        if not 0 <= seed <= LARGEST_SEED:
            raise StsError(f"--seed {seed}: expected a whole number from 0 to {LARGEST_SEED}")
        return replace(self, seed=seed)

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """Every tuning the run makes."""
        return self.paraphrases if self.tuning is None else (self.tuning,)

    @property
    def learns(self) -> bool:
        """Whether the run needs training data at all."""
        return bool(self.tunings)

    @property
    def pivot(self) -> str | None:
        """The language of the round trips that the run wants of the test sentences, if any."""
        return next((t.round_trips.pivot for t in self.tunings if t.round_trips), None)

    @property
    def digest(self) -> str:
        """sha256 of the repr: two runs that differ in anything differ in it."""
        return sha256_of_bytes(repr(self).encode())

    def tuning_digest(self, number: int) -> str:
        """sha256 of what the ``number``-th encoder is made by: start, tuning and seed."""
        return sha256_of_bytes(repr((self.start, self.tunings[number - 1], self.seed)).encode())


def make_ensemble(run: Run, columns: Sequence[str]) -> Ensemble:
    """The scikit-learn estimator that a recipe describes, for a matrix of these columns.

    Without the column that the recipe names as its anchor, nothing is blended in.
    """
    assert run.fusion is not None
    anchor = None
    if run.anchor is not None and run.anchor in columns:
        anchor = list(columns).index(run.anchor)
    return Ensemble(tuple(part.make(run.seed) for part in run.fusion), anchor, run.blend_weight)
