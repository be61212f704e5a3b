"""The model of an index: what its queries are encoded with."""

from __future__ import annotations

import threading
from pathlib import Path

from embeddings.encoder import SentenceEncoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.loading import load_once
from embeddings.search.column_store import Settings
from sts.errors import StsError

ModelName = str | Path | SentenceEncoder
"""A bundled name, a file or a folder; or an encoder that is loaded."""

_SHOWN = 12
"""Digits of a fingerprint in messages."""


class IndexModel:
    """The encoder of an index, loaded when it is first needed.

    Args:
        name: None where the index does not know it.
        language: of the sentences, for a model of several.
        expected: fingerprint that the encoder must have; None for any.
        dim: length of the vectors that it must make; None for any.
    """

    def __init__(
        self,
        name: ModelName | None,
        language: str | None = None,
        expected: str | None = None,
        dim: int | None = None,
    ) -> None:
        self.name, self.language, self.expected, self.dim = name, language, expected, dim
        self._loaded: dict[str | None, SentenceEncoder] = {}
        self._lock = threading.Lock()

    @staticmethod
    def of(settings: Settings, given: ModelName | None) -> IndexModel:
        """The model that an index names, or the one that a caller names instead.

        Raises:
            StsError: the caller names another one.
        """
        named = settings["model"] if given is None else given
        model = IndexModel(named, settings["language"], settings["fingerprint"], settings["dim"])
        if given is not None:
            model.encoder()
        return model

    @property
    def shown(self) -> str | None:
        """Its name as the index keeps it; None of an encoder that has none."""
        return (
            None if isinstance(self.name, SentenceEncoder) or self.name is None else str(self.name)
        )

    def fingerprint(self) -> str | None:
        """Of the encoder; None where there is none."""
        return None if self.name is None else fingerprint(self.encoder())

    def encoder(self, language: str | None = None) -> SentenceEncoder:
        """The encoder of the index, or that of another language in the same model.

        Raises:
            StsError: the index does not know its model, or the model is another one now.
        """
        with self._lock:
            own = self._load(self.language)
            return own if language is None else self._load(language)

    @property
    def loaded(self) -> list[SentenceEncoder]:
        """The encoders that were used so far."""
        return [*self._loaded.values()]

    def _load(self, language: str | None) -> SentenceEncoder:
        if self.name is None:
            raise StsError(
                "the index holds vectors and does not know the model that made them; ask it with "
                "vectors, or name the model with --model (model= in Python)"
            )
        if language not in self._loaded:
            given = self.name
            encoder = given if isinstance(given, SentenceEncoder) else load_once(given, language)
            if language == self.language:
                self._check(encoder)
            self._loaded[language] = encoder
        return self._loaded[language]

    def _check(self, encoder: SentenceEncoder) -> None:
        if self.dim not in (None, encoder.dim):
            raise StsError(
                f"vectors of {self.dim} numbers, but {self.shown or 'the encoder'} makes "
                f"{encoder.dim}; name the model that made them with --model (model= in Python)"
            )
        if self.expected not in (None, found := fingerprint(encoder)):
            raise StsError(
                f"the index was built with the model of fingerprint {self.expected[:_SHOWN]}, and "
                f"{self.shown or 'this one'} has {found[:_SHOWN]}; name that model, or build the "
                "index again"
            )
