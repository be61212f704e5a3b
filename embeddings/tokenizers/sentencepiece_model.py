"""Text to ids by SentencePiece: subwords learned from the material, spaces among them.

A sentence is folded as every text of this house is, put in lower case, and cut by
the ``sentencepiece`` library (Kudo and Richardson, 2018; the unigram model of Kudo,
2018). A stretch of characters that the model has never seen takes a hashed row, as
an unknown word does in :mod:`embeddings.tokenizers.words`, so that nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from embeddings.tokenizers.unigram import log_probabilities
from embeddings.tokenizers.words import Entries, Finder
from sts.text.tokenizer import normalise

SPACE = "\u2581"
"""How SentencePiece writes a space; a piece that begins a word begins with it."""


def readable(text: str) -> str:
    """What is cut: folded, in lower case, one space between words, no lone surrogate."""
    folded = " ".join(normalise(text).lower().split())
    return folded.encode("utf-8", "replace").decode()


class PieceVocabulary(Entries):
    """The rows of a piece table: pieces in the order given, then the hashed rows.

    Args:
        model: a trained SentencePiece model, the bytes of its file.
        known: the pieces that have a row; the model's own if left out. A table that
            two languages share lists the pieces of both, each once.
        buckets: rows shared by all stretches that the model cannot spell.

    Raises:
        ValueError: no SentencePiece model, or pieces of it that ``known`` lacks.
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

    def ids(self, text: str) -> list[int]:
        """Rows of the pieces of a sentence; empty only for a blank sentence."""
        found = self.processor.encode(readable(text), out_type=str)
        return [self.rows[piece] if piece in self.rows else self.bucket(piece) for piece in found]

    def finder(self) -> Finder | None:
        """The compiled twin of :meth:`ids`; None unless the model is a plain unigram model."""
        try:
            plain = log_probabilities(self.model)
        except ValueError:  # the library reads more than we do
            return None
        if plain is None:
            return None
        from embeddings.compiled.piece_finder import PieceFinder

        return PieceFinder(self, *plain)

    def unknown_rate(self, texts: Iterable[str]) -> float:
        """Fraction of running pieces that have no row of their own."""
        running = [row for text in texts for row in self.ids(text)]
        return sum(row >= len(self.known) for row in running) / max(1, len(running))


def train_pieces(sentences: Sequence[str], size: int) -> bytes:
    """A SentencePiece model learned from the sentences: the bytes of its file.

    Args:
        sentences: any number; repetitions count.
        size: pieces wanted; fewer if the sentences do not hold so many.

    Raises:
        ValueError: the sentences hold no character, or more different ones than ``size``.
    """
    import io

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
            normalization_rule_name="identity",  # the house has a normaliser, and it has run
            bos_id=-1,
            eos_id=-1,
            num_threads=2,
            minloglevel=2,
        )
    except RuntimeError as error:
        reason = str(error).rpartition("] ")[2]  # before it stands a line of the library's source
        raise ValueError(f"no {size} pieces can be learned ({reason})") from None
    return written.getvalue()
