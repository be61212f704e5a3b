"""What the teacher was asked: its vectors, kept sentence by sentence, so that it is asked once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.formats.row_cache import Kept
from embeddings.transformer.network import Transformer
from sts import progress

PART = 16384
"""Sentences that are asked, and kept, at once."""

Answers = NDArray[np.float16]


class Asked:
    """A folder of answers of one teacher.

    Args:
        teacher: who is asked what is not there yet.
        folder: where the answers are kept, a file for each part.
    """

    def __init__(self, teacher: Transformer, folder: Path) -> None:
        self.teacher = teacher
        self.kept = Kept(folder, teacher.digest, teacher.dim, np.float16)

    def encode(self, sentences: Sequence[str]) -> Answers:
        """The teacher's vectors (n, dim) float16 of the sentences, in order.

        Raises:
            DataError: a kept file is damaged.
        """
        keys = [self.kept.key(sentence) for sentence in sentences]
        new = {k: s for k, s in zip(keys, sentences, strict=True) if k not in self.kept.rows}
        unasked = list(new.items())
        for start in progress.bar(
            range(0, len(unasked), PART),
            desc="asking the teacher",
            unit=" parts",
            leave=False,
            disable=None,
        ):
            part = unasked[start : start + PART]
            vectors = self.teacher.encode([sentence for _, sentence in part])
            self.kept.add([key for key, _ in part], vectors)
        return self.kept.get(keys)
