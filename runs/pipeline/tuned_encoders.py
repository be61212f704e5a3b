"""Tuned encoders in the cache: several runs use the same ones, and tuning takes a minute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.formats.patch import load_patch, save_patch
from runs.pipeline.recipe import Tuning
from sts.cache import Cache, key

if TYPE_CHECKING:
    from embeddings.training.pair_data import Corpus

TRAINER = "embeddings.training.pair_training:train"


def cached(digest: str, start: Encoder, tune: Callable[[], Encoder], about: str) -> Encoder:
    """The tuned encoder of that key, from the cache or tuned now.

    Its differences from the starting vectors are kept in int8, and always read back, so that a
    first and a second run use the same numbers.
    """
    return Cache("tuned", TRAINER).get(
        digest,
        read=lambda path: load_patch(path, start),
        write=lambda path: save_patch(path, tune(), start),
        about=about,
    )


def key_of(
    start: Encoder,
    tuning: Tuning,
    seed: int,
    corpora: Sequence[Corpus],
    trips: Sequence[Corpus],
) -> str:
    """The key of a tuned encoder: starting vectors, configuration, sentences and code.

    The code is that of the trainer, the tokenizers and the file format; the first stage of a
    tuning is trained by the same.
    """
    pairs = [[[corpus.pairs, list(corpus.others)] for corpus in c] for c in (corpora, trips)]
    inputs = {"start": fingerprint(start), "seed": seed, "pairs": pairs}
    return key(TRAINER, __name__, inputs=inputs, configuration=tuning)
