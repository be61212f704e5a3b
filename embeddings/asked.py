"""What the teacher was asked: its vectors, kept sentence by sentence, so that it is asked once."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from embeddings.tensors import FORMAT, read_tensors, to_bytes
from embeddings.transformer import Transformer
from sts.errors import DataError
from sts.files import write_bytes

PART = 16384
"""Sentences that are asked, and kept, at once."""

_KEY = 16
"""Bytes of the hash that stands for a sentence."""

Answers = NDArray[np.float16]


class Asked:
    """A folder of answers of one teacher.

    Args:
        teacher: who is asked what is not there yet.
        folder: where the answers are kept, a file for each part.
    """

    def __init__(self, teacher: Transformer, folder: Path) -> None:
        self.teacher, self.folder = teacher, folder
        self.salt = teacher.digest.encode()
        self.answers: dict[bytes, NDArray[np.float16]] = {}
        self.name = teacher.digest[:12]
        for path in sorted(folder.glob(f"{self.name}-*.safetensors")):
            self._keep(path)

    def _key(self, sentence: str) -> bytes:
        return sha256(self.salt + sentence.encode("utf-8", "surrogatepass")).digest()[:_KEY]

    def _keep(self, path: Path) -> None:
        tensors, _ = read_tensors(path, ("keys", "vectors"))
        keys, vectors = tensors["keys"], tensors["vectors"]
        expected = (len(keys), self.teacher.dim)
        if vectors.shape != expected or vectors.dtype != np.float16 or keys.dtype != np.uint8:
            raise DataError(
                f"{path}: {vectors.shape} {vectors.dtype}, expected {expected} float16; "
                "delete it to ask again"
            )
        self.answers |= {key.tobytes(): row for key, row in zip(keys, vectors, strict=True)}

    def encode(self, sentences: Sequence[str]) -> Answers:
        """The teacher's vectors (n, dim) float16 of the sentences, in order.

        Raises:
            DataError: a kept file is damaged.
        """
        keys = [self._key(sentence) for sentence in sentences]
        new = {k: s for k, s in zip(keys, sentences, strict=True) if k not in self.answers}
        unasked = list(new.items())
        for start in tqdm(
            range(0, len(unasked), PART), desc="asking the teacher", unit=" parts", leave=False
        ):
            self._ask(unasked[start : start + PART])
        vectors = np.empty((len(keys), self.teacher.dim), np.float16)
        for row, key in enumerate(keys):
            vectors[row] = self.answers[key]
        return vectors

    def _ask(self, part: list[tuple[bytes, str]]) -> None:
        keys = np.frombuffer(b"".join(key for key, _ in part), np.uint8).reshape(-1, _KEY)
        vectors = self.teacher.encode([sentence for _, sentence in part]).astype(np.float16)
        path = self.folder / f"{self.name}-{sha256(keys.tobytes()).hexdigest()[:12]}.safetensors"
        write_bytes(path, to_bytes({"keys": keys, "vectors": vectors}, {"format": FORMAT}))
        self._keep(path)
