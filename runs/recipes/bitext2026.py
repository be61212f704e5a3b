"""What two encoders of several languages say of a pair, averaged; nothing is translated.

    python run_submission.py --run bitext-both --task sts2016-es-en --data DIR

``bitext-teacher`` knows what English words mean and ``bitext-sp`` what translations share: they
err on different pairs. The weight was chosen on the Spanish tasks of 2014 and 2015, see
``docs/bitext.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from embeddings.bitext import named_encoders
from embeddings.bitext.named_encoders import BitextRecipe
from embeddings.encoder import SentenceEncoder
from runs.pipeline.bitext_run import BitextModel, BitextRun
from runs.pipeline.run import SAMPLE, SHIPPED, Languages, Model, Run
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.pairs import Pairs, Scores
from sts.data.schema import DataSet, Task
from sts.text.languages_found import LanguagesFound


@dataclass(frozen=True)
class AveragedRun(Run):
    """The weighted mean of the scores of two encoders; the first has weight 1.

    Attributes:
        made, beside: how they are made.
        weight: of the other one.
    """

    made: BitextRecipe = named_encoders.TEACHER
    beside: BitextRecipe = named_encoders.SP
    weight: float = 0.5

    def with_seed(self, seed: int) -> Run:
        """Both recipes drawn with another seed."""
        super().with_seed(seed)  # refuses what the libraries cannot take
        made, beside = self.made.with_seed(seed), self.beside.with_seed(seed)
        return replace(self, seed=seed, made=made, beside=beside)

    def check(self, translator: str | None) -> None:
        """Raise an :class:`StsError` if a translator is named."""
        replace(self.parts[0], name=self.name).check(translator)

    def read(
        self, dataset: DataSet, data: Path | None, translating: Translating
    ) -> tuple[Pairs, Languages | None]:
        """A test set as it is, without gold, and the language of each sentence."""
        return self.parts[0].read(dataset, data, translating)

    def training_data(
        self, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
    ) -> TrainingData:
        """Where the bitext is looked for."""
        return self.parts[0].training_data(task, data, translating, tests)

    @property
    def parts(self) -> tuple[BitextRun, BitextRun]:
        """A run for each encoder."""
        one, other = (BitextRun(made.name, "", made=made) for made in (self.made, self.beside))
        return one, other

    def fit(self, training: TrainingData) -> AveragedModel:
        """Both encoders from the cache, or learned from the bitext now."""
        return AveragedModel(self, *(part.fit(training) for part in self.parts))

    def ships(self, task: str = SAMPLE) -> bool:
        """Whether both encoders come with the project."""
        return all(part.ships(task) for part in self.parts)

    def load(self, folder: Path = SHIPPED) -> AveragedModel:
        """Both encoders, see :meth:`BitextRun.load`."""
        return AveragedModel(self, *(part.load(folder) for part in self.parts))


@dataclass(frozen=True)
class AveragedModel(Model):
    """Scores a pair by two models, each of which encodes a sentence in its own language."""

    run: AveragedRun
    one: BitextModel
    other: BitextModel

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """Those of both models."""
        return {
            f"{model.run.name}.{code}": encoder
            for model in (self.one, self.other)
            for code, encoder in model.encoders.items()
        }

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that both read."""
        return tuple(code for code in self.one.languages if code in self.other.languages)

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]; without languages those of the sentences are identified."""
        if languages is None:
            languages = LanguagesFound(self.languages).codes_of_sides(pairs.left, pairs.right, None)
        one, other = (model.compare(pairs, languages) for model in (self.one, self.other))
        return (one + self.run.weight * other) / (1 + self.run.weight)

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Copy the files of both."""
        files = {}
        for model in (self.one, self.other):
            model.save_parts(folder)
            files[model.run.name] = model.run.file
        return {"encoders": files}


RUNS = (
    AveragedRun(
        "bitext-both",
        "what bitext-teacher and bitext-sp say of the sentences as they are, averaged",
    ),
)
