"""Fitted heads, one for each kind: cosines, networks that score pairs, regressors over columns."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder, cosine
from semaniacs.embeddings.single_file import load_patch, save_patch
from semaniacs.features.cross_language import doubts, lowered
from semaniacs.features.registry import FeatureColumns, get_feature
from semaniacs.features.regressors.fitted import FittedEnsemble, Matrix
from semaniacs.features.regressors.saved_ensemble import load_ensemble, save_ensemble
from semaniacs.features.resources import NETWORK, Resources
from semaniacs.runs.pipeline.recipe_parts import Languages, RecordedPairs
from semaniacs.runs.pipeline.run import Run
from semaniacs.sts.data.pairs import HIGHEST, Pairs, Scores, clip
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import sha256_of, write_bytes
from semaniacs.sts.tensors import FORMAT, digest, read_tensors, to_bytes
from semaniacs.sts.text.languages_found import LanguagesFound

if TYPE_CHECKING:
    from semaniacs.embeddings.bitext.multilingual import Multilingual
    from semaniacs.embeddings.transformer.fine_tuning.reader import Reader
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer
    from semaniacs.features.regressors.quantile_map import Quantiles
    from semaniacs.features.regressors.shapley import Explained

Record = dict[str, Any]
"""Names of a saved model's files, and values that are in no file."""

FEW_WORDS, WORDS_ALONE, OF_TWO = 3, "bitext-sp", 1.6
"""Words up to which a text is also compared by averaged subwords, and what the sum is divided by: of
eighty labels of buttons the nearest one in English was right for 67 %, by both for 84 %."""


class FittedHead(ABC):
    """Scores pairs; one class for each kind of head.

    Attributes:
        unrelated: cosine that its encoders give to what has nothing in common.
    """

    unrelated = 0.0

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it reads."""
        return ("en",)

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """Sentence encoders by name."""
        return {}

    def hashes(self) -> dict[str, str]:
        """Return sha256 of every encoder and network."""
        return {name: encoder.digest for name, encoder in self.encoders.items()}

    @abstractmethod
    def compare(self, pairs: Pairs, languages: Languages | None) -> Scores:
        """Return scores (n,) in [0, 5], before the rule of identical texts.

        Languages that matter and are not given are identified.
        """

    def missing(self) -> dict[str, str]:
        """Return columns that cannot be computed here, with the command that installs each."""
        return {}

    @abstractmethod
    def save(self, folder: Path, name: str) -> Record:
        """Write the files of the model of a run; return their names for its record."""


@dataclass(frozen=True)
class StaticCosine(FittedHead):
    """Cosine × 5, clipped (Hokamp and Arora, 2016, 3.3), of averaged word vectors.

    ``start`` is the name of the vectors that the encoder was tuned from.
    """

    encoder: SentenceEncoder
    start: str

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """Name and encoder."""
        return {"encoder": self.encoder}

    def compare(self, pairs: Pairs, languages: Languages | None) -> Scores:
        """Return scores (n,) in [0, 5]."""
        return clip(HIGHEST * self.encoder.similarity_pairwise(pairs.left, pairs.right))

    def save(self, folder: Path, name: str) -> Record:
        """Write the encoder as a patch of the starting vectors."""
        if not isinstance(self.encoder, Encoder):
            raise StsError(f"run {name!r} has no word vectors to save")
        return {"encoders": save_encoders({"encoder": self.encoder}, self.start, folder)}


@dataclass(frozen=True)
class BitextCosine(FittedHead):
    """Cosine × 5, clipped, of sentences that are each encoded in their own language.

    Numbers and negation that contradict each other lower it, and so does the doubt of a network that
    reads both sentences, if one ships beside the encoder. A cosine of ``unrelated`` or less gives 0.
    """

    path: Path
    several: Multilingual = field(repr=False)
    unrelated: float = 0.0

    @classmethod
    def load(cls, path: Path) -> BitextCosine:
        """Return the head whose encoders are in a file."""
        unrelated = float(loading.metadata_of(path).get(loading.UNRELATED, 0))
        return cls(path, loading.load_multilingual(path), unrelated)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it reads."""
        return tuple(self.several.encoders)

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """Encoders by language."""
        return self.several.encoders

    @cached_property
    def reader(self) -> Reader | None:
        """Network that reads both sentences of a pair."""
        return loading.reader_beside(next(iter(self.encoders.values())))

    def hashes(self) -> dict[str, str]:
        """Return the hashes of the encoders and of the reader."""
        return super().hashes() | ({"reader": self.reader.digest} if self.reader else {})

    def compare(self, pairs: Pairs, languages: Languages | None) -> Scores:
        """Return scores (n,) in [0, 5]."""
        codes = languages or languages_found(self.languages, pairs)
        related = (_cosines(self.several, pairs, codes) - self.unrelated) / (1 - self.unrelated)
        sides = pairs.left, pairs.right
        longest = [max(len(text.split()) for text in pair) for pair in zip(*sides, strict=True)]
        few = np.array(longest, int) <= FEW_WORDS
        if few.any() and loading.is_small(self.path):
            alone = loading.load_multilingual(WORDS_ALONE)
            one, other = ([*compress(side, few)] for side in codes)
            related[few] += _cosines(alone, pairs.select(few), (one, other)).clip(0)
            related[few] /= OF_TWO
        doubted = doubts(self.reader, related, *sides, codes)
        return lowered(clip(HIGHEST * related), *sides, codes, doubted)

    def save(self, folder: Path, name: str) -> Record:
        """Copy the file of the encoders, which contains the recipe that they were made by."""
        shutil.copyfile(self.path, folder / f"{name}.safetensors")
        return {"encoders": {"all languages": f"{name}.safetensors"}}


def _cosines(several: Multilingual, pairs: Pairs, codes: Languages) -> Scores:
    """Return the cosine (n,) of both sides of pairs in languages with these codes."""
    sides = zip((pairs.left, pairs.right), codes, strict=True)
    return np.asarray(cosine(*(several.encode(s, c).astype(np.float64) for s, c in sides)))


class PairScorer(Protocol):
    """A network that scores pairs, alone or through its pooling."""

    def predict(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Return (n,) from 0 (nothing in common) to 1 (the same); symmetric."""
        ...

    @property
    def digest(self) -> str:
        """A hash of everything that decides a score."""
        ...


@dataclass(frozen=True)
class NetworkScore(FittedHead):
    """Mean score of networks × 5; there are several if each learned from all folds but one."""

    networks: tuple[PairScorer, ...]
    languages: tuple[str, ...] = ("en",)

    def hashes(self) -> dict[str, str]:
        """Return a hash of the networks and of everything that was trained with them."""
        digests = [network.digest for network in self.networks]
        return {"transformer": digests[0] if len(digests) == 1 else digest(digests)}

    def compare(self, pairs: Pairs, languages: Languages | None) -> Scores:
        """Return scores (n,) in [0, 5]."""
        scores = [network.predict(pairs.left, pairs.right) for network in self.networks]
        mean = scores[0] if len(scores) == 1 else np.mean(scores, axis=0)
        return clip(HIGHEST * mean)

    def save(self, folder: Path, name: str) -> Record:
        """Raise an :class:`StsError`: trained networks are in the cache."""
        raise StsError(f"run {name!r} keeps its network in the cache; it is not saved")


@dataclass(frozen=True)
class FittedColumns(FittedHead):
    """Features of a pair, then an ensemble (Hokamp and Arora, 2016, 3.4).

    Attributes:
        translated: how many of the last columns are computed on recorded translations, and
            averaged over translators.
        languages: codes of the languages that are read; the first is the one that was learned.
        quantiles: by language, (q, k) quantiles of the columns, which map the columns of other
            languages to those of the first.
    """

    features: FeatureColumns
    ensemble: FittedEnsemble
    translated: int = 0
    languages: tuple[str, ...] = ("en",)
    quantiles: Mapping[str, Quantiles] = field(default_factory=dict)

    @property
    def encoders(self) -> Mapping[str, Encoder]:
        """Tuned encoders by name."""
        return self.features.resources.encoders

    def hashes(self) -> dict[str, str]:
        """Return sha256 of every tuned encoder, and of the networks that columns come from."""
        found = super().hashes()
        if any(NETWORK in get_feature(name).needs for name in self.features.names):
            network = self.features.resources.network
            found |= {"gte": network.encoder.digest, "reader": network.reader.digest}
        return found

    def compare(self, pairs: Pairs, languages: Languages | None) -> Scores:
        """Return scores (n,) in [0, 5]."""
        return self.ensemble.predict(self.describe(pairs, languages))

    def describe(self, pairs: Pairs, languages: Languages | None = None) -> Matrix:
        """Return the columns (n, k) that the ensemble scores.

        Languages that are not given are identified. A pair in two languages is not mapped.
        """
        matrix = compute_columns(self.features, pairs, self.translated)
        if not self.quantiles:
            return matrix
        from semaniacs.features.regressors.quantile_map import QuantileMap

        first, *others = self.languages
        left, right = map(np.asarray, languages or languages_found(self.languages, pairs))
        for code in others:
            rows = (left == code) & (right == code)
            if rows.any():
                to_first = QuantileMap(self.quantiles[code], self.quantiles[first])
                matrix[rows] = to_first(matrix[rows])
        return matrix

    def explain(
        self, pairs: Pairs, repeats: int, seed: int, languages: Languages | None
    ) -> Explained:
        """Return what each feature adds to the score of each pair."""
        from semaniacs.features.regressors.shapley import Explained, explain

        matrix = self.describe(pairs, languages)
        parts = explain(self.ensemble, matrix, repeats=repeats, seed=seed)
        compared = self.features.compared(pairs.left, pairs.right)
        names = tuple(self.features.names)
        return Explained(
            names, matrix, parts.base, parts.scores, parts.contributions, compared=compared
        )

    def missing(self) -> dict[str, str]:
        """Return columns that cannot be computed here, with the command that installs each."""
        return self.features.missing()

    def save(self, folder: Path, name: str) -> Record:
        """Write the ensemble, encoders, and the columns of some pairs for a check."""
        from semaniacs.runs.pipeline.feature_check import save_feature_check

        names, resources = tuple(self.features.names), self.features.resources
        files = {"ensemble": f"{name}.safetensors", "features": f"{name}.features.safetensors"}
        save_ensemble(folder / files["ensemble"], self.ensemble, names)
        if not self.translated:
            save_feature_check(folder / files["features"], self.features)
        if self.quantiles:
            files["quantiles"] = f"{name}.quantiles.safetensors"
            metadata = {"format": FORMAT, "columns": "\n".join(names)}
            write_bytes(folder / files["quantiles"], to_bytes(dict(self.quantiles), metadata))
        if resources.headlines is not None:
            files["headlines"] = f"{name}.headlines.safetensors"
            values = {"information": np.array([*resources.headlines.values()], np.float64)}
            metadata = {"format": FORMAT, "stems": "\n".join(resources.headlines)}
            write_bytes(folder / files["headlines"], to_bytes(values, metadata))
        if resources.tuned is not None:
            from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import save_tuning

            files["transformer"] = f"{name}.transformer.safetensors"
            tuned, start = resources.network.encoder, loading.load_network()
            save_tuning(folder / files["transformer"], start, tuned, {})
        encoders = save_encoders(self.encoders, resources.word_vectors, folder)
        return {"encoders": encoders, **files}

    @classmethod
    def load(cls, run: Run, folder: Path, record: Record) -> FittedColumns:
        """Return the head of a run whose files a record names; a :class:`DataError` if damaged."""
        start = run.vectors.start
        resources = Resources(load_encoders(record["encoders"], start, folder), start)
        if "headlines" in record:
            resources.headlines = load_headlines(folder / record["headlines"])
        if "transformer" in record:
            resources.tuned = partial(load_transformer, folder / record["transformer"])
        ensemble, names = load_ensemble(folder / record["ensemble"])
        languages = run.reads.languages or ("en",)
        quantiles: Mapping[str, Quantiles] = {}
        if "quantiles" in record:
            path = folder / record["quantiles"]
            quantiles, metadata = read_tensors(path, languages)
            if metadata.get("columns") != "\n".join(names):
                raise DataError(f"{path}: quantiles of other columns; ship the model again")
        features = FeatureColumns(names, resources, True, run.written_alike)
        return cls(features, ensemble, run.translated, languages, quantiles)


def compute_columns(features: FeatureColumns, pairs: Pairs, translated: int) -> Matrix:
    """Return the columns (n, k), the last ones on recorded translations."""
    if not translated:
        return features.compute(pairs)
    if not isinstance(pairs, RecordedPairs):
        raise StsError(
            f"{pairs.name}: no recorded translations; type --run news-ru, which reads Russian"
        )
    place = len(features.names) - translated
    original = replace(features, names=features.names[:place])
    english = replace(features, names=features.names[place:])
    mean = np.mean([english.compute(one) for one in pairs.translations], axis=0)
    return np.concatenate([original.compute(pairs), mean], axis=1)


def load_headlines(path: Path) -> dict[str, float]:
    """Read the information of word stems, as it was learned from headlines."""
    tensors, metadata = read_tensors(path, ("information",))
    stems, values = metadata.get("stems", "").split("\n"), tensors["information"]
    if len(stems) != len(values) or "" not in stems:
        raise DataError(f"{path}: {len(values)} values for {len(stems)} stems; ship it again")
    return dict(zip(stems, values.tolist(), strict=True))


def languages_found(known: Sequence[str], pairs: Pairs) -> Languages:
    """Return the languages that the sentences are identified as, among those that are known."""
    return LanguagesFound(known).codes_of_sides(pairs.left, pairs.right, None)


def save_encoders(encoders: Mapping[str, Encoder], start: str, folder: Path) -> dict[str, str]:
    """Write encoders as patches of the starting vectors; return the names of the files.

    Encoders that are the same are written once.
    """
    vectors, files = loading.load_static(start), {}
    for name, encoder in encoders.items():
        draft = folder / ".encoder.safetensors"
        save_patch(draft, encoder, vectors)
        files[name] = f"encoder-{sha256_of(draft)[:12]}.safetensors"
        draft.replace(folder / files[name])
    return files


def load_encoders(files: Mapping[str, str], start: str, folder: Path) -> dict[str, Encoder]:
    """Return the encoders of a saved model by name; a :class:`DataError` if a file is damaged."""
    vectors = loading.load_static(start)
    return {name: load_patch(folder / file, vectors) for name, file in files.items()}


def load_transformer(path: Path) -> Transformer:
    """Return the transformer of a saved model; a :class:`DataError` if its file is damaged."""
    from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import load_tuning

    return load_tuning(path, loading.load_network())[0]
