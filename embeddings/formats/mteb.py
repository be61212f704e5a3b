"""An encoder as MTEB, the Massive Text Embedding Benchmark, asks for it.

>>> import mteb  # doctest: +SKIP
>>> from embeddings.formats.mteb import MtebEncoder
>>> mteb.evaluate(MtebEncoder(), mteb.get_tasks(["STS16"]))  # doctest: +SKIP

Written to ``mteb.models.EncoderProtocol`` of version 2. mteb itself, and the
torch that comes with it, are imported only where its own types are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from embeddings import loading
from embeddings.encoder import Encoder, cosine, unit
from embeddings.formats.fingerprint import fingerprint
from embeddings.table import Vectors
from sts.errors import MissingResourceError


class MtebEncoder:
    """Sentence vectors in the calling convention of MTEB.

    Args:
        model_name: bundled name, file or folder, see :func:`embeddings.load`; or
            an encoder that is loaded already.
        revision: names the results; the encoder's fingerprint if left out.
        device: accepted, as the protocol asks for it; the table lies in memory.
        **kwargs: accepted and ignored, likewise.
    """

    def __init__(
        self,
        model_name: str | Path | Encoder = loading.DEFAULT,
        revision: str | None = None,
        *,
        device: str | None = None,
        **kwargs: Any,
    ) -> None:
        given = isinstance(model_name, Encoder)
        self.encoder = (
            model_name if isinstance(model_name, Encoder) else loading.load_static(model_name)
        )
        self.model_name = "encoder" if given else Path(str(model_name)).name
        self.revision = revision or fingerprint(self.encoder)[:16]

    def encode(self, inputs: Iterable[dict[str, Any]], **kwargs: Any) -> Vectors:
        """Sentence vectors (n, dim) float32 of the ``text`` of all batches, in order.

        Args:
            inputs: batches, each a mapping with a list of strings under ``text``.
            **kwargs: task, split, prompt type and batch size, which change nothing here.
        """
        return self.encoder.encode([text for batch in inputs for text in batch["text"]])

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Cosine of each row with each: (n, m) tensor; 0 with a zero vector."""
        return _tensor(unit(_rows(embeddings1)) @ unit(_rows(embeddings2)).T)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Cosine of row i with row i: (n,) tensor; 0 with a zero vector."""
        return _tensor(cosine(_rows(embeddings1), _rows(embeddings2)))

    @property
    def mteb_model_meta(self) -> Any:
        """What MTEB writes beside the results.

        Raises:
            MissingResourceError: mteb is not installed.
        """
        try:
            from mteb.models.model_meta import ModelMeta
        except ImportError:
            raise MissingResourceError("mteb is not installed: pip install mteb") from None
        numbers = len(self.encoder.rows) * self.encoder.dim
        about = {
            "name": f"sts-semaniacs/{self.model_name}",
            "revision": self.revision,
            "embed_dim": self.encoder.dim,
            "n_parameters": numbers,
            "n_embedding_parameters": numbers,
            "memory_usage_mb": self.encoder.rows.values.nbytes / 2**20,
            "max_tokens": float("inf"),
            "similarity_fn_name": "cosine",
            "framework": ["NumPy"],
            "use_instructions": False,
            "open_weights": True,
        }
        return ModelMeta.create_empty(overwrites=about)


def _rows(vectors: Any) -> Any:
    """(n, dim) float32 of one vector or many, an array or a tensor."""
    return np.atleast_2d(np.asarray(vectors, np.float32))


def _tensor(similarities: Any) -> Any:
    from torch import from_numpy

    return from_numpy(np.clip(similarities, -1.0, 1.0))
