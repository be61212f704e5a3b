"""What a run learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from embeddings.training.pairs.corpora import SentencePair
from sts.data.pairs import Pairs, concatenate


@dataclass(frozen=True)
class TrainingData:
    """What a run learns from.

    Attributes:
        sets: data sets with gold; pairs without it take no part.
        round_trips: for each data set to be scored, (sentence, what came back).
        back_translated: the data sets again, one side of each pair translated and back.
        labelled: labelled pairs with a grade for each label; regressors alone learn from them.
        folder: the folder of the official files, as given with ``--data``.
        years: of each graded data set, if it is known.
    """

    sets: Sequence[Pairs] = ()
    round_trips: Sequence[Sequence[SentencePair]] = ()
    back_translated: Sequence[Pairs] = ()
    labelled: Sequence[Pairs] = ()
    folder: Path | None = None
    years: Sequence[int] = ()

    @property
    def graded_sets(self) -> list[Pairs]:
        """Of each graded data set the pairs that have gold."""
        return [pairs.select(pairs.scored) for pairs in self.sets]

    @property
    def scored_sets(self) -> list[Pairs]:
        """Of each graded data set the pairs that have gold; the back-translated ones last."""
        return [pairs.select(pairs.scored) for pairs in (*self.sets, *self.back_translated)]

    @property
    def scored(self) -> Pairs:
        """The pairs of :attr:`scored_sets` in one list, then the labelled ones."""
        return concatenate([*self.scored_sets, *self.labelled])
