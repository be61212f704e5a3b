"""An encoder in the calling convention of MTEB, the Massive Text Embedding Benchmark.

>>> import mteb  # doctest: +SKIP
>>> from embeddings.formats.mteb import MtebEncoder
>>> mteb.evaluate(MtebEncoder(), mteb.get_tasks(["STS16"]))  # doctest: +SKIP

Written to ``mteb.models.EncoderProtocol`` of version 2. mteb itself, and the
torch that comes with it, are imported only where its own types are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.encoder import SentenceEncoder, cosine, unit
from embeddings.formats.fingerprint import fingerprint
from embeddings.formats.single_file import differ_by_language, languages_in
from embeddings.loading import DEFAULT, find_model, load
from embeddings.table import Vectors
from sts.errors import MissingResourceError, StsError
from sts.files import sha256_of


class MtebEncoder:
    """Sentence vectors in the calling convention of MTEB.

    A model whose languages have an encoder each takes the language of every task from the
    task's own description.

    Args:
        model_name: bundled name, file or folder, see :func:`embeddings.load`; or
            an encoder that is loaded already.
        revision: names the results; by default the fingerprint of the encoder, or the hash of
            the file for a model with an encoder for each language.
        language: two-letter code, for all tasks whatever they say.
        device, **kwargs: accepted and ignored, because the protocol passes them.
    """

    def __init__(
        self,
        model_name: str | Path | SentenceEncoder = DEFAULT,
        revision: str | None = None,
        *,
        language: str | None = None,
        device: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.language = language
        self.by_language = False
        self._encoders: dict[str | None, SentenceEncoder] = {}
        self._model: str | Path = ""
        if isinstance(model_name, SentenceEncoder):
            self._encoders[language] = model_name
            self.model_name = "encoder"
        else:
            self._model = model_name
            path = find_model(model_name)
            self.by_language = bool(languages_in(path)) and differ_by_language(path)
            self.model_name = Path(str(model_name)).name
        if self.by_language and language is None:
            self.revision = revision or sha256_of(path)[:16]
        else:
            self.revision = revision or fingerprint(self._encoder(language))[:16]

    def encode(
        self,
        inputs: str | Iterable[Any],
        *,
        task_metadata: Any = None,
        hf_subset: str = "default",
        normalize: bool = False,
        truncate_dim: int | None = None,
        progress: bool = False,
        **kwargs: Any,
    ) -> Vectors:
        """Sentence vectors of the ``text`` of all batches, in order.

        Args:
            inputs: batches, each a mapping with a list of strings under ``text``; or sentences,
                as for :meth:`embeddings.encoder.SentenceEncoder.encode`.
            task_metadata: MTEB's description of the task.
            hf_subset: the part of the task that is evaluated.
            normalize, truncate_dim, progress: as for that encoder.
            **kwargs: split, prompt type and batch size, which change nothing here.

        Returns:
            (n, dim) float32, or (dim,) for one string.

        Raises:
            StsError: the language of the task is needed and not known, or as for that encoder.
            UnknownNameError: the model does not know the language.
        """
        language = self.language
        if self.by_language and language is None:
            language = task_language(task_metadata, hf_subset)
        return self._encoder(language).encode(
            _texts(inputs), normalize=normalize, truncate_dim=truncate_dim, progress=progress
        )

    def _encoder(self, language: str | None) -> SentenceEncoder:
        if language not in self._encoders:
            self._encoders[language] = load(self._model, language)
        return self._encoders[language]

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Cosine of every row with every row: (n, m) tensor; 0 with a zero vector."""
        return _tensor(unit(_rows(embeddings1)) @ unit(_rows(embeddings2)).T)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Cosine of row i with row i: (n,) tensor; 0 with a zero vector."""
        return _tensor(cosine(_rows(embeddings1), _rows(embeddings2)))

    @property
    def mteb_model_meta(self) -> Any:
        """What MTEB writes beside the results; sizes are those of one language's encoder.

        Raises:
            MissingResourceError: mteb is not installed.
        """
        try:
            from mteb.models.model_meta import ModelMeta
        except ImportError:
            raise MissingResourceError("mteb is not installed: pip install mteb") from None
        encoder = self._encoder(self.language or ("en" if self.by_language else None))
        numbers = len(encoder.rows) * encoder.dim
        about = {
            "name": f"sts-semaniacs/{self.model_name}",
            "revision": self.revision,
            "embed_dim": encoder.dim,
            "n_parameters": numbers,
            "n_embedding_parameters": numbers,
            "memory_usage_mb": encoder.rows.values.nbytes / 2**20,
            "max_tokens": float("inf"),
            "similarity_fn_name": "cosine",
            "framework": ["NumPy"],
            "use_instructions": False,
            "open_weights": True,
        }
        return ModelMeta.create_empty(overwrites=about)


def task_language(task_metadata: Any, hf_subset: str) -> str:
    """The two-letter code of the language of a part of a task.

    Raises:
        StsError: the task does not say, or its sentences are in two languages: MTEB encodes
            both sides of a pair by the same call.
    """
    from langcodes import Language

    found = getattr(task_metadata, "eval_langs", None) or ()
    scripts = found.get(hf_subset, ()) if isinstance(found, dict) else found
    codes = list(dict.fromkeys(Language.get(script).language or "" for script in scripts))
    if len(codes) != 1:
        name = getattr(task_metadata, "name", "the task")
        raise StsError(
            f"{name}, {hf_subset}: in {' and '.join(codes) or 'a language it does not name'}; "
            "the model has an encoder for each language, so name one: MtebEncoder(..., language=)"
        )
    return codes[0]


def _texts(inputs: str | Iterable[Any]) -> str | Iterable[Any]:
    """The sentences of MTEB's batches; sentences as they are."""
    if isinstance(inputs, str) or hasattr(inputs, "__array__"):
        return inputs
    parts = list(inputs)
    if not all(isinstance(part, Mapping) for part in parts):
        return parts
    return [text for batch in parts for text in batch["text"]]


def _rows(vectors: Any) -> Any:
    """(n, dim) float32 of one vector or many, an array or a tensor."""
    return np.atleast_2d(np.asarray(vectors, np.float32))


def _tensor(similarities: Any) -> Any:
    from torch import from_numpy

    return from_numpy(np.clip(similarities, -1.0, 1.0))
