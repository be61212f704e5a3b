"""Scores of a long table, kept beside its output until that is whole: a killed command goes on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from runs.pipeline.result_file import modules_of
from runs.pipeline.run import SHIPPED
from runs.recipes.by_name import RUNS
from runs.scorer import Scorer
from sts.cache import key
from sts.data.pairs import Scores
from sts.errors import StsError
from sts.files import sha256_of
from sts.progress import counted, note

_HASH = 32
"""Bytes of a hash."""


class PartialScores:
    """Blocks of scores in ``OUTPUT.partial``, found again by the texts that they belong to.

    The file begins with the key of the scorer. A record is appended when a block is scored: the
    hash of its texts, the number of scores, the scores, and a hash of all that. What a killed
    process wrote in part is dropped, and so is what another scorer wrote.

    Args:
        output: the file that is being made.
        scorer: what scores.
        options: whatever else a score rests on, such as the languages.
    """

    def __init__(self, output: Path, scorer: Scorer, options: object) -> None:
        self.path = output.with_name(f"{output.name}.partial")
        self.scorer, self.options = scorer, options
        self.scored: dict[bytes, Scores] = {}
        if self.path.is_file():
            self._read()

    @cached_property
    def key(self) -> bytes:
        """The cache key of every score, but for its texts."""
        return _key_of(self.scorer, self.options).encode()

    def find(self, texts: Sequence[str]) -> Scores | None:
        """(n,) the scores of a block that was scored before."""
        return self.scored.get(_hash(texts)) if self.scored else None

    def add(self, texts: Sequence[str], scores: Scores) -> None:
        """Keep the scores (n,) of a block.

        Raises:
            StsError: the folder cannot be written.
        """
        body = _hash(texts) + len(scores).to_bytes(8, "little") + scores.tobytes()
        key = self.key  # it takes a moment, in which no file should stand open and empty
        try:
            with self.path.open("ab") as file:
                begin = b"" if file.tell() else key
                file.write(begin + body + sha256(body).digest())
        except OSError as error:
            raise StsError(f"{self.path}: cannot be written ({error.strerror})") from None

    def remove(self) -> None:
        """Delete the file: the output is whole."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        content = self.path.read_bytes()
        if len(content) < len(self.key):
            self.remove()
            return
        if not content.startswith(self.key):
            note(f"{self.path}: scored with another model or other options; it is not used")
            self.remove()
            return
        end = len(self.key)
        while begin := content[end : end + _HASH + 8]:
            size = len(begin) + 8 * int.from_bytes(begin[_HASH:], "little")
            body = content[end : end + size]
            if sha256(body).digest() != content[end + size : end + size + _HASH]:
                break
            self.scored[body[:_HASH]] = np.frombuffer(body[len(begin) :], np.float64)
            end += size + _HASH
        if end < len(content):
            with self.path.open("r+b") as file:
                file.truncate(end)
        pairs = sum(map(len, self.scored.values()))
        note(f"{self.path}: going on; {counted(pairs, 'pair')} scored before")


def _hash(texts: Sequence[str]) -> bytes:
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    return sha256(lengths.tobytes() + b"".join(parts)).digest()


def _key_of(scorer: Scorer, options: object) -> str:
    """The cache key of a score, but for the pair."""
    folder = SHIPPED if scorer.source in RUNS else Path(scorer.source or "")
    files = [sha256_of(path) for path in sorted(folder.iterdir()) if path.is_file()]
    model = scorer.model
    return key(
        "runs.scorer",
        *modules_of(model.run),
        inputs=[model.run.digest, files, model.encoder_hashes(), [*model.missing()]],
        configuration=options,
    )
