"""Text to row numbers by parts of words, after a sentence is normalised and put in lower case.

SentencePiece (Kudo and Richardson, 2018; the unigram model of Kudo, 2018) learns subwords from the
training data. The encoder TRIGRAM (Wieting et al., 2016a) has every three characters in a row of a
sentence that is framed by spaces. A stretch of characters that SentencePiece has never seen, or a
trigram that is not listed, takes a hashed row, as an unknown word does in
:mod:`semaniacs.embeddings.tokenizers.row_numbers`, so that nothing is dropped.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.tokenizers.row_numbers import HashedVocabulary, Ragged
from semaniacs.sts.text.tokenizer import normalise

SPACE = "\u2581"  # how SentencePiece writes a space; a piece that begins a word begins with it


def readable(text: str) -> str:
    """The text that is segmented: normalised, lower case, single spaces, no lone surrogates."""
    folded = " ".join(normalise(text).lower().split())
    return folded if folded.isascii() else folded.encode("utf-8", "replace").decode()


class SentencePieceTokenizer(HashedVocabulary):
    """Subword pieces have a row each, in the order given; hashed rows follow.

    Args:
        model: the bytes of a SentencePiece model; a ValueError if it is none.
        known: the pieces that have a row; the model's own by default. A table that two
            languages share lists the pieces of both, each once. A ValueError if one is missing.
        buckets: rows shared by all stretches that the model cannot segment.
    """

    def __init__(self, model: bytes, known: Iterable[str] | None = None, buckets: int = 64) -> None:
        from sentencepiece import SentencePieceProcessor

        self.model = model
        self.processor = SentencePieceProcessor()
        try:
            self.processor.load_from_serialized_proto(model)
        except RuntimeError as error:
            raise ValueError(f"no SentencePiece model ({error})") from None
        super().__init__(self.pieces if known is None else known, buckets)
        missing = [piece for piece in self.pieces if piece not in self.rows]
        if missing:
            raise ValueError(
                f"{len(missing)} pieces of the model have no row, {missing[0]!r} is one"
            )

    @property
    def pieces(self) -> tuple[str, ...]:
        """The pieces of the model in its own order, without its control marks."""
        own = self.processor
        return tuple(
            own.id_to_piece(i)
            for i in range(own.get_piece_size())
            if not (own.is_control(i) or own.is_unknown(i) or own.is_unused(i))
        )

    def entries(self, text: str) -> list[str]:
        """The pieces of a sentence, and stretches that the model does not know; none if blank."""
        pieces: list[str] = self.processor.encode(readable(text), out_type=str)
        return pieces

    @cached_property
    def _rows_of_pieces(self) -> NDArray[np.int32]:
        names = map(self.processor.id_to_piece, range(self.processor.get_piece_size()))
        return np.array([self.rows.get(name, -1) for name in names], np.int32)

    def ids_of_many(self, texts: Sequence[str]) -> Ragged:
        """Return the row numbers of many sentences; equal to those of :meth:`ids`."""
        found = Ragged.of(self.processor.encode([readable(text) for text in texts], out_type=int))
        unknown = found.flat == self.processor.unk_id()
        rows = Ragged(self._rows_of_pieces[found.flat], found.offsets)
        if not unknown.any():
            return rows
        # The library does not say which characters were unknown.
        sentences = np.repeat(np.arange(len(texts)), found.lengths)[unknown]
        again = np.unique(sentences)
        order = np.arange(len(texts))
        order[again] = len(texts) + np.arange(len(again))
        exact = super().ids_of_many([texts[place] for place in again.tolist()])
        return Ragged.joined([rows, exact]).take(order)

    def identity(self) -> str:
        """Everything that decides :meth:`ids`: the model too."""
        return super().identity() + sha256(self.model).hexdigest()


def train_pieces(sentences: Sequence[str], size: int) -> bytes:
    """A SentencePiece model learned from sentences, repetitions counted: the bytes of its file.

    It has ``size`` pieces, or fewer if the sentences do not hold so many. A ValueError if they hold no
    character, or more different ones than ``size``.
    """
    from sentencepiece import SentencePieceTrainer

    lines = [line for line in map(readable, sentences) if line]
    if not lines:
        raise ValueError("no character to learn pieces from")
    written = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=written,
            vocab_size=size,
            hard_vocab_limit=False,
            character_coverage=1.0,
            normalization_rule_name="identity",  # the text is normalised already
            bos_id=-1,
            eos_id=-1,
            num_threads=2,
            minloglevel=2,
        )
    except RuntimeError as error:
        reason = str(error).rpartition("] ")[2]  # without a line of the library before it
        raise ValueError(f"no {size} pieces can be learned ({reason})") from None
    return written.getvalue()


def trigrams(text: str) -> list[str]:
    """Return every three characters in a row of a sentence framed by spaces; none if it is blank."""
    padded = f" {readable(text)} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)] if padded.strip() else []


class TrigramTokenizer(HashedVocabulary):
    """Trigrams have a row each, in the order given; hashed rows follow."""

    def entries(self, text: str) -> list[str]:
        """Return the trigrams of a sentence; none if it is blank."""
        return trigrams(text)

    def identity(self) -> str:
        """Return everything that decides :meth:`ids`."""
        return "trigrams" + super().identity()

    def ids_of_many(self, texts: Sequence[str]) -> Ragged:
        """Return the row numbers of many sentences; each different trigram is looked up once."""
        found = [trigrams(text) for text in texts]
        rows = {entry: self.row(entry) for entry in set().union(*found)}
        return Ragged.of([[rows[entry] for entry in entries] for entries in found])


def frequent(entries: Iterable[str], size: int) -> list[str]:
    """Return the ``size`` most frequent entries; of equal ones the first in the alphabet."""
    counts = Counter(entries)
    return sorted(counts, key=lambda entry: (-counts[entry], entry))[:size]
