"""An encoder that finds out the language of each sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.encoder import SentenceEncoder
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.text.languages_found import AUTO, LanguagesFound


class IdentifyingEncoder(SentenceEncoder):
    """Encoder that identifies the language of each sentence; ``found`` counts those so far.

    A sentence in a language that the model does not know is read as English, or as the first that
    it knows. The tokenizer, the table and the limit are those of that language.
    """

    def __init__(self, several: Multilingual) -> None:
        self.several = several
        self.found = LanguagesFound(several.languages)
        usual = several.of(self.found.fallback)
        super().__init__(usual.tokenizer, usual.rows)
        self.limit = usual.limit

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""
        return self.several.of(self.found.fallback).dim

    def _encode_into(self, vectors: Vectors, sentences: Sequence[str]) -> Iterator[int]:
        vectors[:] = self.several.encode(sentences, self.found.codes(sentences))
        yield len(sentences)


def note_languages(
    encoders: Iterable[object],
    model: str,
    option: str,
    named: Sequence[str | None] = (AUTO, AUTO),
) -> None:
    """Print on stderr, once per encoder, which languages were identified.

    ``option`` is that of the command: ``--language`` names one language, ``--languages`` two;
    ``named`` are the languages that the user named.
    """
    for encoder in {id(encoder): encoder for encoder in encoders}.values():
        if isinstance(encoder, IdentifyingEncoder):
            encoder.found.note(model, option, named)
