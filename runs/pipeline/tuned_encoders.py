"""Tuned encoders on disk: several runs want the same ones, and tuning takes a minute."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from embeddings.encoder import Encoder
from embeddings.formats import single_file
from runs.pipeline.recipe import Tuning
from sts.cache import cache_folder
from sts.errors import DataError, StsError
from sts.files import sha256_of, sha256_of_bytes
from sts.progress import note

if TYPE_CHECKING:
    from embeddings.training.pairs_trainer import Corpus


def kept(digest: str, start: Encoder, make: Callable[[], Encoder]) -> Encoder:
    """The tuned encoder of that digest, from the cache folder, or made now and kept there.

    It is always read back from what is kept, differences in int8, so that a
    first and a second run use the very same numbers.
    """
    path = cache_folder() / "tuned" / f"{digest[:32]}.safetensors"
    if path.is_file():
        try:
            return single_file.load_patch(path, start)
        except DataError as error:
            note(f"{error}; tuning again")
    tuned = make()
    with TemporaryDirectory() as folder:
        try:
            single_file.save_patch(path, tuned, start)
        except StsError as error:
            note(f"{error}; the tuned vectors are not kept")
            path = Path(folder) / path.name
            single_file.save_patch(path, tuned, start)
        return single_file.load_patch(path, start)


def digest_of(
    start: Encoder,
    tuning: Tuning,
    seed: int,
    corpora: Sequence[Corpus],
    trips: Sequence[Corpus],
) -> str:
    """sha256 of all that a tuned encoder rests on, the code too."""
    material = [[corpus.pairs, list(corpus.others)] for corpus in (*corpora, *trips)]
    rests_on = [single_file.fingerprint(start), repr(tuning), seed, len(corpora), material, _code()]
    return sha256_of_bytes(json.dumps(rests_on).encode())


@lru_cache(maxsize=1)
def _code() -> list[str]:
    """Hashes of the code that trains."""
    return [sha256_of(path) for path in sorted(Path(single_file.__file__).parents[1].rglob("*.py"))]
