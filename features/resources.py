"""WordNet, word spaces, encoders and the transformer: opened when first needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.features.lexicon import WordNet
from semaniacs.sts.text import analysis

if TYPE_CHECKING:
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer
    from semaniacs.features.contextual_rows import Contextual

PRETRAINED = Path(__file__).parent / "pretrained"
SPACES = ("lsa-news", "lsa-daily", "w2v")
NETWORK = "network"
"""The transformer that ships, and what it learned to read both sentences of a pair."""

INSTALL = {
    "lsa-news": "python -m semaniacs.features.word_spaces --data DIR",
    "lsa-daily": "python -m semaniacs.features.word_spaces --data DIR",
    "w2v": "python -m semaniacs.runs.recipes.shipped_vectors --data DIR --held-out FILE --teacher FOLDER",
}


class Resources:
    """WordNet, word spaces and encoders.

    Args:
        encoders: the encoders behind ``paraphrase1`` and ``paraphrase2``.
        word_vectors: a bundled name or a file for the *w2v features.
        headlines: how much the stems of Russian words say, as a run learned it from headlines; see
            :func:`semaniacs.features.families.russian.information`.
        tuned: returns the sentence encoder of the contextual columns, by default that which ships.
    """

    def __init__(
        self,
        encoders: Mapping[str, Encoder] | None = None,
        word_vectors: str = loading.DEFAULT,
        headlines: Mapping[str, float] | None = None,
        tuned: Callable[[], Transformer] | None = None,
    ) -> None:
        self.encoders = dict(encoders or {})
        self.word_vectors = word_vectors
        self.headlines = headlines
        self.tuned = tuned

    def encoder(self, name: str) -> SentenceEncoder:
        """The encoder given under this name, else the bundled one; ``NAME:ru`` is its Russian one."""
        if name in self.encoders:
            return self.encoders[name]
        model, _, language = name.partition(":")
        return loading.load_once(model, language) if language else loading.load_static(model)

    def open(self, names: Collection[str]) -> None:
        """Open these resources, and what every analysis needs, before several threads use them."""
        for table in analysis.TABLES:
            analysis.table(table)
        for name in names:
            if name in SPACES:
                _ = self.spaces
            elif name in ("wordnet", NETWORK):
                getattr(self, name)
            else:
                self.encoder(name)

    def missing(self, name: str) -> str | None:
        """None if the resource is here, else the command that brings it."""
        if name in ("wordnet", NETWORK):
            return None
        if name in SPACES:
            present = self._space_path(name).is_file()
        else:
            present = name in self.encoders or name.partition(":")[0] in loading.BUNDLED
        return None if present else INSTALL.get(name, f"fit the run that makes {name}")

    def _space_path(self, name: str) -> Path:
        if name == "w2v":
            bundled = loading.BUNDLED.get(self.word_vectors)
            return bundled.path if bundled else Path(self.word_vectors)
        return PRETRAINED / f"{name}.safetensors"

    @cached_property
    def wordnet(self) -> WordNet:
        """WordNet, which ships."""
        return WordNet()

    @cached_property
    def network(self) -> Contextual:
        """The sentence encoder and the reader of the contextual columns, with their cached rows."""
        from semaniacs.features.contextual_rows import Contextual

        encoder = (self.tuned or loading.load_network)()
        return Contextual(encoder, loading.load_reader())

    @cached_property
    def spaces(self) -> dict[str, Encoder]:
        """The word spaces that are here."""
        return {
            name: loading.load_static(
                self.word_vectors if name == "w2v" else self._space_path(name)
            )
            for name in SPACES
            if self.missing(name) is None
        }
