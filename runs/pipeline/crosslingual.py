"""Encoders of several languages: which to load, or to learn first, and how they score pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import embeddings
from embeddings import loading
from embeddings.bitext import named_encoders
from embeddings.encoder import cosine
from embeddings.loading import load_multilingual
from embeddings.multilingual import Multilingual
from runs.pipeline.held_out import held_out_sentences
from runs.recipes.wieting2019 import BitextRun
from sts.cache import cache_folder
from sts.data.fetch import data_roots
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.data.schema import DataSet
from sts.errors import DataError, StsError
from sts.files import sha256_of, sha256_of_bytes
from sts.progress import note
from sts.scoring.submission import clip
from sts.text.language import find_spanish, spanish_side

Codes = Sequence[str]
"""The language of each sentence."""


@dataclass(frozen=True)
class CrossLingualModel:
    """Cosine × 5, clipped, of sentences that are each encoded in their own language."""

    encoders: Multilingual

    def predict(self, pairs: Pairs) -> Scores:
        """Scores (n,) in [0, 5]; what looks Spanish rather than English is read as Spanish."""
        return self.predict_in(pairs, *(codes_of(side) for side in (pairs.left, pairs.right)))

    def predict_in(self, pairs: Pairs, left: Codes, right: Codes) -> Scores:
        """Scores (n,) in [0, 5] of pairs whose languages are known."""
        sides = zip((pairs.left, pairs.right), (left, right), strict=True)
        one, other = (self.encoders.encode(s, codes).astype(np.float64) for s, codes in sides)
        return clip(HIGHEST * cosine(one, other))


def codes_of(sentences: Sequence[str]) -> list[str]:
    """``es`` or ``en`` for each sentence, whichever it looks more like."""
    return ["es" if spanish else "en" for spanish in find_spanish(sentences)]


def languages_of(dataset: DataSet, pairs: Pairs) -> tuple[list[str], list[str]]:
    """The languages of both sides of every pair of an official set."""
    first, *others = dataset.languages
    if not others:
        return [first] * len(pairs), [first] * len(pairs)
    spanish = spanish_side(pairs.left, pairs.right)
    left, right = (["es" if side == where else "en" for side in spanish] for where in (0, 1))
    return left, right


def ships(run: BitextRun) -> bool:
    """Whether the encoder of this very recipe comes with the project."""
    bundled = loading.BUNDLED.get(run.name)
    if bundled is None or not bundled.path.exists():
        return False
    return loading.metadata_of(bundled.path).get("recipe") == run.made.as_json()


def load_model(run: BitextRun, data: Path | None) -> CrossLingualModel:
    """The encoders of a run: those that ship, or those learned from the bitext and kept.

    Args:
        run: the recipe.
        data: the folder of the official files; ``bitext/`` lies in it or beside it.

    Raises:
        StsError: the encoders do not ship and there is no bitext.
    """
    if ships(run):
        return CrossLingualModel(load_multilingual(run.name))
    official, bitext = find_bitext(run, data)
    path = cache_folder() / "bitext" / f"{_digest(run, bitext)[:32]}.safetensors"
    if path.is_file():
        try:
            return CrossLingualModel(load_multilingual(path))
        except DataError as error:
            note(f"{error}; learning it again")
    note(f"{run.name}: learned from bitext now, and kept in {path.parent}")
    bitexts = named_encoders.read_bitexts(run.made, bitext, held_out_sentences(official, bitext))
    named_encoders.make(run.made, bitexts, path, path.parent)
    return CrossLingualModel(load_multilingual(path))


def find_bitext(run: BitextRun, data: Path | None) -> tuple[Path, Path]:
    """The folder of the official files and that of the bitext, in it or beside it.

    Raises:
        StsError: there is no bitext.
    """
    for official in data_roots(data):
        for folder in (official / "bitext", official.parent / "bitext"):
            if folder.is_dir():
                return official, folder
    raise StsError(
        f"run {run.name!r} does not ship; it learns from bitext/, which must lie in or beside "
        "the folder of the official files: pass --data DIR (English, a tab, the other language "
        "in files such as bitext/tatoeba.en-es.tsv.gz)"
    )


def _digest(run: BitextRun, folder: Path) -> str:
    """sha256 of all that the encoders rest on, the code too."""
    bitext = [sha256_of(path) for path in sorted(folder.glob("*.tsv.gz"))]
    code = Path(embeddings.__file__).parent
    hashes = [sha256_of(path) for path in sorted(code.rglob("*.py"))]
    return sha256_of_bytes(json.dumps([run.made.as_json(), bitext, hashes]).encode())
