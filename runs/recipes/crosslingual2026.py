"""Spanish and English: what is read in translation, and what is read as it is, side by side.

    python run_submission.py --run crosslingual --task sts2016-es-en --translator apertium --data DIR

A translation loses some of the meaning, and encoders of several languages lose another part of
it. The score is a weighted mean of ``fusion`` on the translated pairs and of the cosines of
``bitext-sp`` and ``bitext-teacher`` on the pairs as they came. The weights were chosen on 2014
and 2015, see ``docs/fusion.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from embeddings.bitext import named_encoders
from embeddings.encoder import SentenceEncoder
from runs.pipeline.bitext_run import BitextRun
from runs.pipeline.ensemble_run import EnsembleRun
from runs.pipeline.run import SAMPLE, SHIPPED, Languages, Model, Run
from runs.pipeline.translate_pairs import TranslatedPairs, Translating
from runs.pipeline.tuning.training_data import TrainingData
from runs.recipes.ensemble2026 import FUSION
from sts.data.pairs import Pairs, Scores
from sts.data.schema import DataSet, Task


@dataclass(frozen=True)
class Across:
    """A run that reads the sentences as they came, and its weight; the English run has weight 1."""

    run: BitextRun
    weight: float


@dataclass(frozen=True)
class CrosslingualRun(Run):
    """The weighted mean of an English run on translated pairs and of runs on the originals.

    It ships where its English run ships, and needs no file of its own.

    Attributes:
        english: scores the pairs in English; it alone is fitted to a task.
        across: score the pairs as they came.
    """

    english: EnsembleRun = FUSION
    across: tuple[Across, ...] = ()

    @property
    def learns(self) -> bool:
        """Whether the English run learns from the training sets of a task."""
        return self.english.learns

    def learns_from(self, task: Task) -> tuple[DataSet, ...]:
        """What the English run learns from."""
        return self.english.learns_from(task)

    def with_seed(self, seed: int) -> Run:
        """The same recipe, its English run drawn with another seed."""
        super().with_seed(seed)  # refuses what the libraries cannot take
        return replace(self, seed=seed, english=replace(self.english, seed=seed))

    def check(self, translator: str | None) -> None:
        """Refuse to work without what the English run needs."""
        self.english.check(translator)

    def without_round_trips(self) -> CrosslingualRun:
        """Recipe whose English run learns from no round trips."""
        return replace(self, english=self.english.without_round_trips())

    def training_data(
        self, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
    ) -> TrainingData:
        """What the English run learns from."""
        return self.english.training_data(task, data, translating, tests)

    def missing(self) -> dict[str, str]:
        """Features of the English run that cannot be computed here."""
        return self.english.missing()

    def fit(self, training: TrainingData) -> CrosslingualModel:
        """The English run fitted; the encoders of the others come with the project."""
        return self._beside(self.english.fit(training))

    def ships(self, task: str = SAMPLE) -> bool:
        """Whether the fitted English run comes with the project."""
        return self.english.ships(task)

    def record_in(self, folder: Path) -> dict[str, Any]:
        """Record of the English model in a folder."""
        return self.english.record_in(folder)

    def load(self, folder: Path = SHIPPED) -> CrosslingualModel:
        """The model whose English one was saved in a folder."""
        return self._beside(self.english.load(folder))

    def _beside(self, english: Model) -> CrosslingualModel:
        return CrosslingualModel(self, english, tuple(part.run.load() for part in self.across))


@dataclass(frozen=True)
class CrosslingualModel(Model):
    """Scores translated pairs by what they are in English and by what they were.

    Attributes:
        english: reads the translation.
        others: read the original, one for each of ``run.across``.
    """

    run: CrosslingualRun
    english: Model
    others: tuple[Model, ...]

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """Those of all its models."""
        found = dict(self.english.encoders)
        for model in self.others:
            found |= {f"{model.run.name}.{code}": e for code, e in model.encoders.items()}
        return found

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]; pairs that nobody translated are English on both sides."""
        original: Pairs = pairs
        codes: Languages = ["en"] * len(pairs), ["en"] * len(pairs)
        if isinstance(pairs, TranslatedPairs):
            original, codes = pairs.original, pairs.languages
        total = self.english.compare(pairs)
        for part, model in zip(self.run.across, self.others, strict=True):
            total = total + part.weight * model.compare(original, codes)
        return total / (1.0 + sum(part.weight for part in self.run.across))

    def missing(self) -> dict[str, str]:
        """Features of the English model that cannot be computed here."""
        return self.english.missing()

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Write the English model; the encoders of the others come with the project."""
        self.english.save(folder)
        return {"encoders": {}, "english": f"{self.english.run.name}.json"}


def _run(made: named_encoders.BitextRecipe) -> BitextRun:
    return BitextRun(made.name, "", made=made)


CROSSLINGUAL = CrosslingualRun(
    "crosslingual",
    "fusion on the translation, with what bitext-sp and bitext-teacher say of the original",
    across=(Across(_run(named_encoders.SP), 0.4), Across(_run(named_encoders.TEACHER), 0.2)),
)

RUNS = (CROSSLINGUAL,)
