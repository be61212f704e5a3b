"""Records that recipes are composed of: heads, training, sources of pairs, ways of reading.

Importing this module imports no library that trains. Each record has a ``kind`` where two kinds
with equal fields must have different digests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning, Training
from semaniacs.features.regressors.fitted import REGRESSOR_KINDS, ConflictColumns
from semaniacs.sts.data.catalog import PAWS_WIKI_DEV, PAWS_WIKI_TEST, DataSet, Task, get_task
from semaniacs.sts.data.pairs import LOWEST, Pairs
from semaniacs.sts.errors import MissingResourceError, StsError, UnknownNameError

if TYPE_CHECKING:
    from semaniacs.embeddings.bitext.named_encoders import BitextRecipe
    from semaniacs.features.regressors.ensemble import ArrayRegressor
    from semaniacs.features.regressors.ensemble import Ensemble as Estimator

SAMPLE = "sample"
"""Task whose round trips the shipped models were fitted with."""


def kind(name: str) -> Any:
    """Return the field that names the kind of a record."""
    return field(default=name, init=False, repr=False)


# Training of encoders and networks


@dataclass(frozen=True)
class RoundTrips:
    """Synthetic paraphrases of the test sentences (paper, 3.2), the last stage of a tuning.

    Negatives must not be the hardest ones: the hardest negative of a test sentence would be the
    sentence that it is compared with.

    Attributes:
        pivot: language that each sentence is translated to and back from.
        lowest, highest: bounds of the similarity, under the starting vectors, between a sentence
            and its round trip, see
            :func:`semaniacs.embeddings.training.corpora.keep_useful_round_trips`.
    """

    training: Training
    pivot: str = "es"
    lowest: float = 0.0
    highest: float = 1.0


@dataclass(frozen=True)
class Tuning:
    """Training of word vectors on pairs that mean the same.

    Attributes:
        strong: gold score from which a training pair counts (paper, 2.1 and footnote 2).
        round_trips: a second stage on synthetic pairs, if any.
    """

    training: Training
    strong: float = 3.8
    round_trips: RoundTrips | None = None


@dataclass(frozen=True)
class NetworkTuning:
    """Training of a transformer that encodes sentences one by one.

    ``objective`` is a key of :data:`semaniacs.embeddings.training.losses.PAIR_LOSSES`, and ``pooling`` of
    :data:`semaniacs.embeddings.transformer.poolings.POOLINGS`.
    """

    training: FineTuning
    objective: str = "cosent"
    pooling: str = "mean"


@dataclass(frozen=True)
class Vectors:
    """Vectors behind the columns of a run, and how they are trained.

    Attributes:
        start: bundled name or file of the word vectors.
        tunings: training of the encoders ``paraphrase1``, ``paraphrase2``, ….
        headlines: whether the weights of Russian words are learned from the training headlines.
        network: training of the transformer behind the contextual columns, if it is trained further.
    """

    start: str = "paragram"
    tunings: tuple[Tuning, ...] = ()
    headlines: bool = False
    network: NetworkTuning | None = None


# Heads: a head makes a score of vectors or columns


@dataclass(frozen=True)
class Regressor:
    """One regressor of an ensemble: its kind, and its options without the seed, by name."""

    kind: str
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, kind: str, **options: Any) -> Regressor:
        """Return a regressor with these options; :class:`UnknownNameError` lists the kinds."""
        if kind not in REGRESSOR_KINDS:
            raise UnknownNameError("regressor", str(kind), REGRESSOR_KINDS)
        return cls(kind, tuple(sorted(options.items())))

    def make(self, seed: int) -> ArrayRegressor:
        """Return the estimator, not fitted, with this random seed if it has one."""
        from semaniacs.features.regressors.ensemble import REGRESSORS

        part: ArrayRegressor = REGRESSORS[self.kind](**dict(self.options))
        if "random_state" in part.get_params():
            part.set_params(random_state=seed)
        return part


@dataclass(frozen=True)
class Cosine:
    """5 times the cosine of two sentence vectors, clipped.

    Attributes:
        network: a transformer in place of word vectors, trained so if the run learns.
        bitext: encoders of several languages, in place of word vectors.
    """

    network: NetworkTuning | None = None
    bitext: BitextRecipe | None = None
    kind: str = kind("cosine")


@dataclass(frozen=True)
class ReadTogether:
    """5 times the score of a transformer whose upper layers read both sentences together.

    ``training`` None is the network that ships, which learned from labels.
    """

    training: CrossAttentionTuning | None = None
    kind: str = kind("reader")


@dataclass(frozen=True)
class Ensemble:
    """Mean of regressors over columns (Hokamp and Arora, 2016, 3.4).

    Attributes:
        anchors: columns whose simple regressions are averaged and blended into the score.
        blend_weight: weight of that average; all regressors together have weight 1.
        conflicts: columns that lower the score of the mean.
    """

    regressors: tuple[Regressor, ...]
    anchors: tuple[str, ...] = ()
    blend_weight: float = 0.0
    conflicts: tuple[ConflictColumns, ...] = ()
    kind: str = kind("ensemble")

    def make(self, columns: Sequence[str], seed: int) -> Estimator:
        """Return the estimator, not fitted, for a matrix of these columns.

        Anchors and conflicts that are not among the columns are left out.
        """
        from semaniacs.features.regressors.ensemble import Ensemble as Estimator

        anchors = tuple(list(columns).index(name) for name in self.anchors if name in columns)
        parts = tuple(part.make(seed) for part in self.regressors)
        conflicts = filter(None, (each.among(columns) for each in self.conflicts))
        return Estimator(parts, anchors, self.blend_weight, tuple(conflicts))


@dataclass(frozen=True)
class Classifier:
    """Regressors that learn from labels: 5 times the probability of a paraphrase.

    Attributes:
        mapped: languages whose columns are mapped to English ones by quantiles, see
            :mod:`semaniacs.features.regressors.quantile_map`. They are learned from the unlabelled
            development pairs of PAWS-X in that language, whose labels choose the threshold alone.
    """

    regressors: tuple[Regressor, ...]
    mapped: tuple[str, ...] = ()
    kind: str = kind("classifier")

    def make(self, columns: Sequence[str], seed: int) -> Estimator:
        """Return the estimator, not fitted, for a matrix of these columns."""
        return Ensemble(self.regressors).make(columns, seed)


Head = Cosine | ReadTogether | Ensemble | Classifier


# Sources: the data sets that a run learns from


@dataclass(frozen=True)
class LabelsAsGrades:
    """Pairs of PAWS-Wiki among graded ones, which hardly ever have the same words.

    Attributes:
        every: step between the pairs that are taken, from the first on.
        same, other: grades of a paraphrase and of another pair.
    """

    every: int
    same: float
    other: float

    def grades(self, pairs: Pairs) -> Pairs:
        """Return the pairs that are taken, label 1 (gold 5) and label 0 (gold 0) as these grades."""
        taken = pairs.select(np.arange(len(pairs)) % self.every == 0)
        return replace(taken, gold=np.where(taken.gold > LOWEST, self.same, self.other))


@dataclass(frozen=True)
class GradedYears:
    """Graded pairs of the years before a task; those of the sample for a labelled task.

    Attributes:
        labels: labelled pairs that the regressors learn from beside graded ones.
        back_translation: whether the run also learns from its training pairs with one side
            translated to Spanish and back, for a task all of whose data sets are translated.
    """

    labels: LabelsAsGrades | None = None
    back_translation: bool = False
    kind: str = kind("graded years")

    def data_sets(self, task: Task) -> tuple[DataSet, ...]:
        """Return the graded sets, then a set of PAWS-Wiki that shares no sentence with the task."""
        found = (get_task(SAMPLE) if task.labelled else task).train
        if self.labels is None:
            return found
        return (*found, PAWS_WIKI_TEST if PAWS_WIKI_TEST in task.train else PAWS_WIKI_DEV)


@dataclass(frozen=True)
class Labelled:
    """Training set of a labelled task; the development set of PAWS-Wiki for a graded one.

    Attributes:
        exchanges: step between the partial paraphrases that are also learned from, as no
            paraphrases; 0 for none. See :func:`semaniacs.runs.pipeline.training_data.partial_paraphrases`.
    """

    exchanges: int = 0
    kind: str = kind("labelled")

    def data_sets(self, task: Task) -> tuple[DataSet, ...]:
        """Return the labelled sets."""
        return task.train if task.labelled else (PAWS_WIKI_DEV,)


@dataclass(frozen=True)
class RussianHeadlines:
    """Training set of a labelled Russian task; that of ParaPhraser for another task."""

    kind: str = kind("russian headlines")

    def data_sets(self, task: Task) -> tuple[DataSet, ...]:
        """Return the labelled sets."""
        russian = task.labelled and task.datasets[0].languages == ("ru",)
        return (task if russian else get_task("paraphraser")).train


Source = GradedYears | Labelled | RussianHeadlines


# Reading: in translation, or as it is

Languages = tuple[Sequence[str], Sequence[str]]
"""Language codes of the left and of the right sentence of each pair."""


@dataclass(frozen=True, eq=False)
class TranslatedPairs(Pairs):
    """Pairs in English, the pairs before their translation, and the languages of those."""

    original: Pairs
    languages: Languages


@dataclass(frozen=True, eq=False)
class RecordedPairs(Pairs):
    """Pairs, and the same rows in English by each recorded translator."""

    translations: tuple[Pairs, ...] = ()


@dataclass(frozen=True)
class Reading:
    """A way to read sentences.

    Attributes:
        translated: whether Spanish sentences are translated into English; then no other language
            is read.
        languages: codes of the languages that are read as they are; empty for any.
        recorded: whether recorded translations are read beside the sentences.
    """

    translated: bool = True
    languages: tuple[str, ...] = ()
    recorded: bool = False

    def read(
        self,
        run: str,
        dataset: DataSet,
        data: Path | None,
        to_english: Callable[[DataSet, Pairs], Pairs],
    ) -> tuple[Pairs, Languages | None]:
        """Return a test set without gold, and the language of each sentence if that matters.

        ``to_english`` translates the Spanish sentences of a set. A :class:`StsError` is raised for
        a language that the run cannot read, or a translation that is not in the data folder.
        """
        from semaniacs.sts.data.fetch import load

        if self.translated:
            if foreign := set(dataset.languages) - {"en", "es"}:
                raise StsError(
                    f"run {run!r} reads English, and Spanish in translation; {dataset.name} is in "
                    f"{', '.join(foreign)}; type --run multilingual, which reads de, es, fr, ru"
                )
            return to_english(dataset, load(dataset, data, with_gold=False)), None
        alone = len(dataset.languages) == 1 and dataset.languages[0] in self.languages
        if self.languages and not alone:
            raise StsError(
                f"run {run!r} reads pairs in one of {', '.join(self.languages)}; "
                f"{dataset.name} is in {' and '.join(dataset.languages)}"
            )
        pairs = load(dataset, data, with_gold=False)
        if self.recorded:
            pairs = with_translations(dataset, data, pairs)
        return pairs, None if len(self.languages) == 1 else languages_of(dataset, pairs)


ENGLISH = Reading()
"""English, and Spanish in translation."""

AS_IT_IS = Reading(translated=False)
"""Any language, without translation."""


def with_translations(dataset: DataSet, data: Path | None, pairs: Pairs) -> RecordedPairs:
    """Return the pairs of an official set with their recorded translations."""
    from semaniacs.sts.data.fetch import load_translations

    instead = "type --run news-ru"
    if not dataset.translations:
        raise StsError(
            f"{dataset.name} comes without recorded translations; {instead}, which reads Russian"
        )
    try:
        translations = tuple(load_translations(dataset, data))
    except MissingResourceError as error:
        raise MissingResourceError(f"{error}; or {instead}, which needs no translation") from None
    return RecordedPairs(pairs.name, pairs.left, pairs.right, pairs.gold, translations)


def languages_of(dataset: DataSet, pairs: Pairs) -> Languages:
    """Return the languages of both sides of every pair of an official set."""
    first, *others = dataset.languages
    if not others:
        return all_in(first, pairs)
    from semaniacs.sts.text.language import spanish_side

    spanish = spanish_side(pairs.left, pairs.right)
    left, right = (["es" if side == where else "en" for side in spanish] for where in (0, 1))
    return left, right


def all_in(code: str, pairs: Pairs) -> Languages:
    """Return the languages of pairs that are all in one."""
    return [code] * len(pairs), [code] * len(pairs)
