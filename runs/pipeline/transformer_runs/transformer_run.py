"""What the runs whose score is that of a transformer have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from embeddings.encoder import SentenceEncoder
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.weights import INSTALL, find_transformer
from runs.pipeline.run import SAMPLE, SHIPPED, Languages, Model, Run
from runs.pipeline.transformer_runs.held_out_groups import split_groups
from runs.pipeline.tuning.network_tuning import starting_network
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.catalog import PAWS_WIKI_DEV
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.data.schema import DataSet, Task
from sts.errors import MissingResourceError, StsError
from sts.scoring.classification import Threshold
from sts.scoring.submission import clip

if TYPE_CHECKING:
    from embeddings.transformer.transformer_encoder import Transformer


class PairEncoder(Protocol):
    """What a transformer with its head, or its pooling, says of pairs."""

    def predict(self, left: Any, right: Any) -> Scores:
        """(n,) 1 for the same and 0 for nothing in common; the same with sides exchanged."""
        ...

    @property
    def digest(self) -> str:
        """A hash of everything that decides a score."""
        ...


@dataclass(frozen=True)
class TransformerRun(Run):
    """A transformer that is trained where a task asks for it, and kept in the cache.

    Attributes:
        training: how; None leaves the network as it comes.
        labelled: whether it learns from labelled pairs, and from those of PAWS-Wiki where a task
            has none; else from graded ones.
        held_out: the share of the labelled pairs that it does not learn from; the threshold is
            chosen on them.
    """

    training: FineTuning | None = None
    labelled: bool = False
    held_out: float = 0.1
    fitted_when_needed: ClassVar[bool] = True

    @abstractmethod
    def fit(self, training: TrainingData) -> TransformerModel:
        """Train what is trained, or take it from the cache."""

    @property
    def learns(self) -> bool:
        """Whether the network is trained."""
        return self.training is not None

    def learns_from(self, task: Task) -> tuple[DataSet, ...]:
        """Labelled pairs, see :attr:`labelled`; or the earlier years of the task."""
        if self.learns and self.labelled:
            return task.train if task.labelled else (PAWS_WIKI_DEV,)
        return super().learns_from(task)

    def check(self, translator: str | None) -> None:
        """Refuse to work without weights.

        Raises:
            MissingResourceError: it names the command that brings them.
        """
        if find_transformer() is None:
            raise MissingResourceError(
                f"run {self.name!r} needs the weights of all-MiniLM-L6-v2; to have them: {INSTALL}"
            )

    def ships(self, task: str = SAMPLE) -> bool:
        """Whether nothing is to be trained."""
        return not self.learns

    def start_network(self) -> Transformer:
        """The network that training starts from."""
        self.check(None)
        return starting_network()

    def load(self, folder: Path = SHIPPED) -> Model:
        """The network as it comes.

        Raises:
            StsError: the run trains it.
        """
        raise StsError(
            f"run {self.name!r} does not ship: it is trained where a task asks for it; type: "
            f"python run_submission.py --run {self.name} --task TASK --data DIR"
        )

    def choose(self, model: TransformerModel, held_out: Pairs) -> TransformerModel:
        """The model with a threshold from labelled pairs that it did not learn from."""
        scores = model.predict(held_out)
        return replace(model, chosen=Threshold.of(held_out, scores, out_of_fold=True))

    def split(self, training: TrainingData) -> tuple[Pairs, Pairs]:
        """The labelled pairs to learn from, and those that are held out."""
        return split_groups(self.all_pairs_of(training), self.held_out, self.seed)

    def all_pairs_of(self, training: TrainingData) -> Pairs:
        """The pairs with gold, by the names of their sets."""
        return replace(training.scored, name=" and ".join(one.name for one in training.sets))


@dataclass(frozen=True)
class TransformerModel(Model):
    """What the encoder says × 5, clipped to [0, 5].

    Attributes:
        encoder: reads the pairs.
        chosen: from which score on a pair is a paraphrase; None if it was trained on grades.
        out_of_fold: (n,) scores of the pairs that several networks learned from, each by the one
            that did not; of no pair if it is empty.
    """

    run: TransformerRun
    encoder: PairEncoder
    chosen: Threshold | None = None
    out_of_fold: Scores = field(default_factory=lambda: np.empty(0))

    @property
    def thresholds(self) -> Mapping[str, Threshold]:
        """From which score on a pair is a paraphrase; empty if it was trained on grades."""
        return {"en": self.chosen} if self.chosen else {}

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """None that is made of word rows."""
        return {}

    def encoder_hashes(self) -> dict[str, str]:
        """A hash of the network and of what was trained with it."""
        return {"transformer": self.encoder.digest}

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]."""
        return clip(HIGHEST * self.encoder.predict(pairs.left, pairs.right))

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Refused: what was trained is kept in the cache."""
        raise StsError(f"run {self.run.name!r} keeps its network in the cache; it is not saved")
