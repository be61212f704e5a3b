"""Runs whose encoders know several languages: they compare sentences as they are."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from embeddings import loading
from embeddings.bitext import named_encoders
from embeddings.bitext.multilingual import Multilingual
from embeddings.bitext.named_encoders import BitextRecipe
from embeddings.encoder import SentenceEncoder, cosine
from runs.pipeline.run import SAMPLE, SHIPPED, Languages, Model, Run
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.held_out import held_out_sentences
from runs.pipeline.tuning.training_data import TrainingData
from sts.cache import Cache, key
from sts.data.fetch import data_roots, load
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.data.schema import DataSet, Task
from sts.errors import StsError
from sts.files import sha256_of
from sts.progress import note
from sts.scoring.submission import clip
from sts.text.language import spanish_side
from sts.text.languages_found import LanguagesFound

CODE = ("embeddings.bitext.named_encoders:make", "runs.pipeline.tuning.held_out")
"""What computes the encoders."""


@dataclass(frozen=True)
class BitextRun(Run):
    """Cosine × 5 of encoders that were learned from bitext, each sentence in its own language.

    Attributes:
        made: how the encoders are made.
    """

    made: BitextRecipe = named_encoders.SP

    def with_seed(self, seed: int) -> Run:
        """The same recipe drawn with another seed."""
        super().with_seed(seed)  # refuses what the libraries cannot take
        return replace(self, seed=seed, made=self.made.with_seed(seed))

    def check(self, translator: str | None) -> None:
        """Raise an :class:`StsError` if a translator is named."""
        if translator is not None:
            raise StsError(
                f"--translator {translator}: run {self.name!r} reads Spanish as it is; leave it out"
            )

    def read(
        self, dataset: DataSet, data: Path | None, translating: Translating
    ) -> tuple[Pairs, Languages | None]:
        """A test set as it is, without gold, and the language of each sentence."""
        pairs = load(dataset, data, with_gold=False)
        return pairs, languages_of(dataset, pairs)

    def training_data(
        self, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
    ) -> TrainingData:
        """Where the bitext is looked for: it is the same for every task."""
        return TrainingData(folder=data)

    def fit(self, training: TrainingData) -> BitextModel:
        """The encoders from the cache, or learned from the bitext now."""
        official, bitext = self.find_bitext(training.folder)
        read = [bitext]
        if self.made.machine is not None:
            read += [bitext.parent / name for name in ("paraphrases", "paraphraser")]
        files = {p.name: sha256_of(p) for folder in read for p in sorted(folder.glob("*.tsv*"))}
        cache = Cache("bitext", CODE[0])

        def learn(path: Path) -> None:
            note(f"{self.name}: learned from bitext now, and cached in {cache.folder}")
            held_out = held_out_sentences(official, bitext)
            bitexts = named_encoders.read_bitexts(self.made, bitext, held_out, cache.folder)
            named_encoders.make(self.made, bitexts, path, cache.folder)

        return cache.get(
            key(*CODE, inputs=files, configuration=self.made),
            read=lambda path: BitextModel.of(self, path),
            write=learn,
            about=f"encoders of {self.name}, seed {self.seed}",
        )

    def find_bitext(self, data: Path | None) -> tuple[Path, Path]:
        """The folder of the official files and that of the bitext, in it or beside it.

        Raises:
            StsError: there is no bitext.
        """
        for official in data_roots(data):
            for folder in (official / "bitext", official.parent / "bitext"):
                if folder.is_dir():
                    return official, folder
        raise StsError(
            f"run {self.name!r} does not ship; it learns from bitext/, which must lie in or beside "
            "the folder of the official files: set STS_DATA=DIR or, with a task, pass --data DIR "
            "(English, a tab, the other language in files such as bitext/tatoeba.en-es.tsv.gz)"
        )

    def ships(self, task: str = SAMPLE) -> bool:
        """Whether the encoders of this very recipe come with the project, for any task."""
        return self._is_in(loading.PRETRAINED)

    def load(self, folder: Path = SHIPPED) -> BitextModel:
        """The encoders of a folder; of those that ship with the project; or learned now."""
        for place in filter(self._is_in, (folder, loading.PRETRAINED)):
            return BitextModel.of(self, place / self.file)
        return self.fit(TrainingData())

    def _is_in(self, folder: Path) -> bool:
        path = folder / self.file
        return path.exists() and loading.metadata_of(path).get("recipe") == self.made.as_json()

    @property
    def file(self) -> str:
        """The name of the file of the encoders."""
        return f"{self.name}.safetensors"


@dataclass(frozen=True)
class BitextModel(Model):
    """Cosine × 5, clipped, of sentences that are each encoded in their own language.

    Attributes:
        path: the file of the encoders.
    """

    run: BitextRun
    several: Multilingual
    path: Path

    @classmethod
    def of(cls, run: BitextRun, path: Path) -> BitextModel:
        """The model whose encoders are in a file."""
        return cls(run, loading.load_multilingual(path), path)

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """The encoder of each language."""
        return self.several.encoders

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it reads."""
        return tuple(self.several.encoders)

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]; without languages those of the sentences are identified."""
        if languages is None:
            languages = LanguagesFound(self.languages).codes_of_sides(pairs.left, pairs.right, None)
        sides = zip((pairs.left, pairs.right), languages, strict=True)
        one, other = (self.several.encode(s, c).astype(np.float64) for s, c in sides)
        return clip(HIGHEST * cosine(one, other))

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Copy the file of the encoders, which says by what recipe they were made."""
        shutil.copyfile(self.path, folder / self.run.file)
        return {"encoders": {"all languages": self.run.file}}


def languages_of(dataset: DataSet, pairs: Pairs) -> Languages:
    """The languages of both sides of every pair of an official set."""
    first, *others = dataset.languages
    if not others:
        return [first] * len(pairs), [first] * len(pairs)
    spanish = spanish_side(pairs.left, pairs.right)
    left, right = (["es" if side == where else "en" for side in spanish] for where in (0, 1))
    return left, right
