"""Scores of many files of pairs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from features.columns import PAIRS_AT_ONCE
from runs.pipeline.result_file import modules_of
from runs.pipeline.run import Model
from runs.pipeline.task_run import announce_missing
from runs.recipes.by_name import get_run
from runs.scale.many_files import LineWork
from runs.scale.parts import Part, cut
from sts.data.pairs import Pairs, pairs_from_text
from sts.files import decode, whole
from sts.scoring import submission


@dataclass(frozen=True)
class Scoring(LineWork):
    """Lines ``left<TAB>right`` to lines of scores.

    A part is as many pairs as the features are computed of at once. So a pair is scored
    beside the very pairs that it is scored beside where a whole file is: sums of floats are
    added up in one order, and the last digit is the same.

    Attributes:
        run: name of a run that ships fitted.
    """

    run: str
    suffix: ClassVar[str] = ".txt"

    def cut(self, source: str) -> list[Part]:
        """The parts of a file; a :class:`DataError` names a line that is no pair."""
        return cut(source, PAIRS_AT_ONCE, _pairs)

    @property
    def code(self) -> tuple[str, ...]:
        """What fits and computes the scores."""
        return (__name__, *modules_of(get_run(self.run)))

    def rests_on(self) -> object:
        """The recipe, the encoders, and the features that are missing here."""
        model = _model(self.run)
        return [model.run.digest, model.encoder_hashes(), list(model.missing())]

    def make(self, part: Part, target: Path) -> None:
        """Write a score a line."""
        pairs = _pairs(part.read(), part.source, part.first)
        submission.write(target, _model(self.run).predict(pairs), submission.PEOPLES_DIGITS)

    def join(self, made: Sequence[Path], target: Path) -> None:
        """Write the lines of all parts into one file."""
        with whole(target) as out:
            for path in made:
                with path.open("rb") as scores:
                    shutil.copyfileobj(scores, out)


def _pairs(raw: bytes, source: str, first: int) -> Pairs:
    return pairs_from_text(decode(raw, source, first), source, first)


@lru_cache(maxsize=1)
def _model(run: str) -> Model:
    shipped = get_run(run)
    shipped.check(translator=None)
    model = shipped.load()
    announce_missing(model)
    return model
