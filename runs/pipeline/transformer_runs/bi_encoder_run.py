"""Runs that score by the cosine of two sentence vectors of a transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from embeddings.encoder import SentenceEncoder
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.weights import INSTALL, find_transformer
from runs.pipeline.run import SAMPLE, SHIPPED, Languages, Model, Run
from runs.pipeline.transformer_runs.held_out_groups import split_groups
from runs.pipeline.tuning.network_tuning import NetworkTuning, checkpoint_of, starting_network
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.catalog import PAWS_WIKI_DEV
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.data.schema import DataSet, Task
from sts.errors import MissingResourceError, StsError
from sts.scoring.classification import Threshold
from sts.scoring.submission import clip

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder
    from embeddings.transformer.transformer_encoder import Transformer

__all__ = ["BiEncoderModel", "BiEncoderRun", "TransformerRun", "checkpoint_of"]


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

    def pairs_of(self, training: TrainingData) -> tuple[Pairs, Pairs | None]:
        """The pairs to learn from, and those to choose a threshold on if they are labelled."""
        pairs = self.all_pairs_of(training)
        return split_groups(pairs, self.held_out, self.seed) if self.labelled else (pairs, None)

    def all_pairs_of(self, training: TrainingData) -> Pairs:
        """The pairs with gold, by the names of their sets."""
        return replace(training.scored, name=" and ".join(one.name for one in training.sets))


@dataclass(frozen=True)
class BiEncoderRun(TransformerRun):
    """Cosine × 5 of the sentence vectors of a transformer.

    Attributes:
        objective: a key of :data:`embeddings.training.losses.labelled_pairs.PAIR_LOSSES`.
        pooling: a key of :data:`embeddings.transformer.poolings.POOLINGS`.
    """

    objective: str = "cosent"
    pooling: str = "mean"

    def load(self, folder: Path = SHIPPED) -> Model:
        """The network as it comes, if nothing is to be trained."""
        if self.learns:
            return super().load(folder)
        from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder

        return BiEncoderModel(self, BiEncoder(self.start_network()))

    def fit(self, training: TrainingData) -> BiEncoderModel:
        """Train the network, or take the one that the cache holds; choose a threshold."""
        self.check(None)
        if not self.labelled:
            return BiEncoderModel(self, self._trained(training.scored_sets))
        pairs, held_out = self.pairs_of(training)
        assert held_out is not None
        model = BiEncoderModel(self, self._trained([pairs]))
        return replace(
            model, chosen=Threshold.of(held_out, model.predict(held_out), out_of_fold=True)
        )

    def _trained(self, sets: Sequence[Pairs]) -> BiEncoder:
        assert self.training is not None
        how = NetworkTuning(self.training, self.objective, self.pooling).with_seed(self.seed)
        return how.train(sets, self.name)


@dataclass(frozen=True)
class BiEncoderModel(Model):
    """Cosine × 5, clipped.

    Attributes:
        encoder: whose sentence vectors are compared.
        chosen: from which score on a pair is a paraphrase; None if it was trained on grades.
    """

    run: TransformerRun
    encoder: BiEncoder
    chosen: Threshold | None = None

    @property
    def thresholds(self) -> Mapping[str, Threshold]:
        """From which score on a pair is a paraphrase; empty if it was trained on grades."""
        return {"en": self.chosen} if self.chosen else {}

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """None that is made of word rows."""
        return {}

    def encoder_hashes(self) -> dict[str, str]:
        """A hash of the network and its pooling."""
        return {"transformer": self.encoder.digest}

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]."""
        return clip(HIGHEST * self.encoder.similarity_pairwise(pairs.left, pairs.right))

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Refused: the network is kept in the cache."""
        raise StsError(f"run {self.run.name!r} keeps its network in the cache; it is not saved")
