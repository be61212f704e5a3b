"""Runs: frozen records that say everything that a score depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from semaniacs.runs.pipeline.recipe_parts import (
    ENGLISH,
    SAMPLE,
    Classifier,
    Cosine,
    Ensemble,
    GradedYears,
    Head,
    Reading,
    ReadTogether,
    Source,
    Vectors,
)
from semaniacs.sts.data.catalog import DataSet, Task, get_task
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import parse_json, read_text
from semaniacs.sts.tensors import canonical, digest

if TYPE_CHECKING:
    from semaniacs.embeddings.bitext.named_encoders import BitextRecipe
    from semaniacs.features.regressors.ensemble import Ensemble as Estimator

LARGEST_SEED = 2**31 - 1
"""LightGBM keeps its seed in 32 bits, one of them the sign."""

SHIPPED = Path(__file__).parent / "bundled"
"""Fitted models that come with the project."""

EARLIER_DIGESTS = Path(__file__).with_name("digests_0_2.json")
"""Digests that version 0.2 wrote for the recipes that have not changed since."""

VERSION = 1
"""Raise it when fitting means something else, so that older models are not used."""


class NotFittedError(StsError):
    """Error: a run has to be fitted first."""


class Recipe:
    """Identity of a recipe: its fields, and their hash."""

    @property
    def digest(self) -> str:
        """Hexadecimal sha256 of the recipe, see :func:`semaniacs.sts.tensors.canonical`."""
        return digest(self)

    @property
    def recipe(self) -> dict[str, Any]:
        """Fields that the digest is made of, as JSON holds them."""
        fields: dict[str, Any] = canonical(self)
        return fields


@dataclass(frozen=True)
class Run(Recipe):
    """A named recipe.

    Attributes:
        name: as typed after ``--run`` and written in file names.
        about: one line for the list of runs; no part of the run's identity.
        columns: names of its features; none for a cosine or a network.
        head: turns columns, vectors or a network into a score.
        vectors: word vectors and networks behind the columns, and their training.
        learns: data sets that it learns from before it scores a task, if any.
        reads: languages that it reads, and how.
        translated: how many of its last columns are computed on recorded translations.
        written_alike: whether a pair is compared with one spelling for each word and one form
            for each amount of both sides.
        seed: random seed.
    """

    name: str
    about: str = field(metadata={"identity": False})
    columns: tuple[str, ...] = ()
    head: Head = field(default_factory=Cosine)
    vectors: Vectors = field(default_factory=Vectors)
    learns: Source | None = None
    reads: Reading = ENGLISH
    translated: int = 0
    written_alike: bool = False
    seed: int = 0

    @property
    def main(self) -> Run:
        """Run that is fitted: itself."""
        return self

    @property
    def pivot(self) -> str | None:
        """Language of the round trips that it needs of the test sentences, if any."""
        trips = (tuning.round_trips for tuning in self.vectors.tunings)
        return next((each.pivot for each in trips if each), None)

    @property
    def is_network(self) -> bool:
        """True if a transformer alone makes the score."""
        head = self.head
        return isinstance(head, ReadTogether) or (
            isinstance(head, Cosine) and head.network is not None
        )

    @property
    def kind(self) -> str:
        """Source of the score, in a word or two."""
        if self.columns:
            return f"{len(self.columns)} features"
        return "a network" if self.is_network else "a cosine of sentence vectors"

    @property
    def reader(self) -> str | None:
        """Network whose reader, as it ships, takes part in the score."""
        if self.head == ReadTogether() and self.vectors.start == "multilingual":
            return "multilingual"
        return "gte" if self.head == ReadTogether() or "reader" in self.columns else None

    @property
    def can_ship(self) -> bool:
        """True if its fitted model is small enough to be saved."""
        return self.learns is not None and not self.is_network and not self.translated

    def with_seed(self, seed: int) -> Run:
        """Return the same recipe with another random seed; a :class:`StsError` if it is too large."""
        check_seed(seed)
        head = self.head
        if isinstance(head, Cosine) and head.bitext is not None:
            head = replace(head, bitext=head.bitext.with_seed(seed))
        return replace(self, seed=seed, head=head)

    def without_round_trips(self) -> Run | None:
        """Return the recipe that learns from no round trips; None if the run cannot do without.

        Two tunings that differ in their last stage alone become equal. Only the last of their
        columns is kept, so that no importance is divided between two copies.
        """
        if not self.columns:
            return None
        from semaniacs.features.registry import get_feature

        first = tuple(replace(tuning, round_trips=None) for tuning in self.vectors.tunings)
        copies = {
            f"paraphrase{number}"
            for number, tuning in enumerate(first, start=1)
            if tuning in first[number:]
        }
        columns = tuple(c for c in self.columns if copies.isdisjoint(get_feature(c).needs))
        learns = self.learns
        if isinstance(learns, GradedYears):
            learns = replace(learns, back_translation=False)
        return replace(
            self, columns=columns, vectors=replace(self.vectors, tunings=first), learns=learns
        )

    def learns_from(self, task: Task) -> tuple[DataSet, ...]:
        """Return the data sets that it learns from before it scores a task."""
        return () if self.learns is None else self.learns.data_sets(task)

    def make_ensemble(self, columns: Sequence[str]) -> Estimator:
        """Return the estimator, not fitted, for a matrix of some of the columns."""
        if not isinstance(self.head, Ensemble | Classifier):
            raise no_features(self.name)
        return self.head.make(columns, self.seed)

    def key(self, task: Task) -> str:
        """Return the key of the model that is fitted for a task.

        It is made of the recipe, the hashes of the data sets it learns from, and
        :data:`VERSION`. A model with the same key that is shipped or saved is loaded instead of
        fitted.
        """
        learned = [dataset.gold.sha256 for dataset in self.learns_from(task)]
        trips = (SAMPLE if task.labelled else task.name) if self.pivot else None
        return digest([self.recipe, learned, trips, VERSION])

    def ships(self, task: str = SAMPLE) -> bool:
        """Return whether everything that scores this task comes with the project."""
        if self.learns is not None:
            return self.is_saved(SHIPPED, task)
        bitext = self.head.bitext if isinstance(self.head, Cosine) else None
        return bitext is None or shipped_file(bitext) is not None

    def is_saved(self, folder: Path, task: str = SAMPLE) -> bool:
        """Return whether a folder holds the model of this recipe, with this random seed."""
        return self._is_of(self.record_in(folder), task)

    def _is_of(self, record: dict[str, Any], task: str) -> bool:
        key = self.key(get_task(task))
        if "key" in record or "digest" not in record:
            return record.get("key") == key
        digests: dict[str, str] = parse_json(read_text(EARLIER_DIGESTS))
        same_data = key == self.key(get_task(SAMPLE))
        return same_data and record["digest"] == digests.get(self.digest)

    def read_record(self, folder: Path) -> dict[str, Any]:
        """Return the record of a saved model, which names its files.

        Raises:
            NotFittedError: the folder contains no model of this very recipe.
        """
        record = self.record_in(folder)
        if not self._is_of(record, SAMPLE):
            raise NotFittedError(
                f"run {self.name!r} with seed {self.seed} does not ship fitted; use --seed 0, "
                "or fit and ship it with: python -m semaniacs.runs.recipes.ship --data DIR"
            )
        return record

    def record_in(self, folder: Path) -> dict[str, Any]:
        """Return the record of this run's model in a folder; empty if there is none."""
        path = folder / f"{self.name}.json"
        try:
            return dict(parse_json(read_text(path))) if path.exists() else {}
        except (ValueError, TypeError) as error:
            raise DataError(f"{path}: not JSON ({error}); restore it, or fit it again") from None


@dataclass(frozen=True)
class Mean(Recipe):
    """Weighted mean of the scores of several runs.

    The first part is the main one: it alone is fitted to a task, and the mean reads what it
    reads. Where pairs are translated for it, parts that read sentences as they are get the
    sentences as they came.
    """

    name: str
    about: str = field(metadata={"identity": False})
    parts: tuple[tuple[Run, float], ...] = ()
    seed: int = 0

    columns: ClassVar[tuple[str, ...]] = ()
    can_ship: ClassVar[bool] = False

    @property
    def main(self) -> Run:
        """First part."""
        return self.parts[0][0]

    @property
    def kind(self) -> str:
        """Source of the score, in a word or two."""
        return f"mean of {' and '.join(run.name for run, _ in self.parts)}"

    @property
    def reader(self) -> str | None:
        """Network whose reader, as it ships, takes part in the score."""
        return next((run.reader for run, _ in self.parts if run.reader), None)

    def with_seed(self, seed: int) -> Mean:
        """Return the same recipe whose runs that are not shipped parts have another seed."""
        check_seed(seed)
        parts = (
            (run.with_seed(seed) if run is self.main or not self.main.learns else run, weight)
            for run, weight in self.parts
        )
        return replace(self, seed=seed, parts=tuple(parts))

    def without_round_trips(self) -> Mean | None:
        """Return the mean whose main part learns from no round trips, if it can do without."""
        (_, weight), *others = self.parts
        simpler = self.main.without_round_trips()
        return None if simpler is None else replace(self, parts=((simpler, weight), *others))

    def ships(self, task: str = SAMPLE) -> bool:
        """Return whether everything that scores this task comes with the project."""
        return self.main.ships(task) and all(run.ships() for run, _ in self.parts[1:])


AnyRun = Run | Mean


def shipped_file(made: BitextRecipe, folder: Path | None = None) -> Path | None:
    """Return the file of encoders of this very recipe; None without one.

    It is looked for in the folder of a saved model, by default among the pretrained encoders.
    """
    from semaniacs.embeddings import loading

    path = (folder or loading.PRETRAINED) / f"{made.name}.safetensors"
    same = path.exists() and loading.metadata_of(path).get("recipe") == made.as_json()
    return path if same else None


def check_seed(seed: int) -> None:
    """Raise an :class:`StsError` if a random seed is not one that all libraries take."""
    if not 0 <= seed <= LARGEST_SEED:
        raise StsError(f"--seed {seed}: expected a whole number from 0 to {LARGEST_SEED}")


def no_features(name: str) -> StsError:
    """Return the error that a run has no features."""
    return StsError(
        f"run {name!r} is a cosine alone and has no features; choose another, such as fusion"
    )
