"""Encoders of several languages: cached, or learned from bitext."""

from __future__ import annotations

from pathlib import Path

from semaniacs.embeddings.bitext import named_encoders
from semaniacs.embeddings.bitext.named_encoders import BitextRecipe
from semaniacs.runs.pipeline.tuning.held_out import held_out_sentences
from semaniacs.sts.cache import Cache, key
from semaniacs.sts.data.fetch import data_roots
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import sha256_of
from semaniacs.sts.progress import note

VERSION = 1
"""Part of the cache key: raise it when an encoder learned from the same files differs."""

LIBRARIES = ("gensim", "jax", "numba", "numpy", "optax", "scipy", "sentencepiece", "wordfreq")
"""Part of the cache key, with their versions."""


def learned_file(made: BitextRecipe, data: Path | None) -> Path:
    """Return the file of encoders in the cache; learn them from the bitext if it is not there."""
    official, bitext = find_bitext(made.name, data)
    read = [bitext]
    if made.machine is not None:
        read += [bitext.parent / name for name in ("paraphrases", "paraphraser")]
    files = {p.name: sha256_of(p) for folder in read for p in sorted(folder.glob("*.tsv*"))}
    cache = Cache("bitext", named_encoders.__name__)

    def learn(path: Path) -> None:
        note(f"{made.name}: learned from bitext now, and cached in {cache.folder}")
        held_out = held_out_sentences(official, bitext)
        bitexts = named_encoders.read_bitexts(made, bitext, held_out, cache.folder)
        named_encoders.make(made, bitexts, path, cache.folder)

    return cache.get(
        key(VERSION, LIBRARIES, inputs=files, configuration=made),
        read=lambda path: path,
        write=learn,
        about=f"encoders of {made.name}",
    )


def find_bitext(name: str, data: Path | None) -> tuple[Path, Path]:
    """Return the folder of the official files, and that of the bitext in it or beside it.

    Raises:
        StsError: there is no bitext.
    """
    for official in data_roots(data):
        for folder in (official / "bitext", official.parent / "bitext"):
            if folder.is_dir():
                return official, folder
    raise StsError(
        f"run {name!r} does not ship; it learns from bitext/, which must lie in or beside "
        "the folder of the official files: set STS_DATA=DIR or, with a task, pass --data DIR "
        "(English, a tab, the other language in files such as bitext/tatoeba.en-es.tsv.gz)"
    )
