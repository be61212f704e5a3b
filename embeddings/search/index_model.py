"""The model of an index, which encodes its queries."""

from __future__ import annotations

import threading
from pathlib import Path

from embeddings.encoder import SentenceEncoder, fingerprint
from embeddings.loading import load_once
from sts.errors import StsError

ModelName = str | Path | SentenceEncoder
"""A bundled name, a file or a folder; or an encoder that is loaded."""


class IndexModel:
    """The encoder of an index, loaded when it is first needed.

    Args:
        name: None where the index does not know it.
        language: of the sentences, for a model of several.
        expected: required fingerprint; None for any.
        dim: required length of a vector; None for any.
    """

    def __init__(
        self,
        name: ModelName | None,
        language: str | None = None,
        expected: str | None = None,
        dim: int | None = None,
    ) -> None:
        self.name, self.language, self.expected, self.dim = name, language, expected, dim
        self.loaded: dict[str | None, SentenceEncoder] = {}
        self._lock = threading.Lock()
        named = isinstance(name, str | Path)
        self.shown = str(name) if named else None

    def encoder(self, language: str | None = None) -> SentenceEncoder:
        """Return the encoder of the index, or that of another language in the same model.

        Raises:
            StsError: the index does not know its model, or the model is another one now.
        """
        if self.name is None:
            raise StsError(
                "the index holds vectors and does not know the model that made them; ask it with "
                "vectors, or name the model with --model (model= in Python)"
            )
        with self._lock:
            for code in (self.language, language or self.language):
                if code not in self.loaded:
                    is_loaded = isinstance(self.name, SentenceEncoder)
                    made = self.name if is_loaded else load_once(self.name, code)  # type: ignore[arg-type]
                    assert isinstance(made, SentenceEncoder)
                    if code == self.language:
                        self._check(made)
                    self.loaded[code] = made
            return self.loaded[language or self.language]

    def _check(self, encoder: SentenceEncoder) -> None:
        if self.dim not in (None, encoder.dim):
            raise StsError(
                f"vectors of {self.dim} numbers, but {self.shown or 'the encoder'} makes "
                f"{encoder.dim}; name the model that made them with --model (model= in Python)"
            )
        if self.expected not in (None, found := fingerprint(encoder)):
            raise StsError(
                f"the index was built with the model of fingerprint {self.expected[:12]}, and "
                f"{self.shown or 'this one'} has {found[:12]}; name that model, or build the "
                "index again"
            )
