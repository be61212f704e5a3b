"""Encoders of every tokenizer, and the text that is hard for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import LONGEST, WordTokenizer
from semaniacs.embeddings.tokenizers.subwords import (
    SentencePieceTokenizer,
    TrigramTokenizer,
    frequent,
    trigrams,
)
from tests.embeddings.models import LINES, learned
from tests.embeddings.twins import FRAGMENTS, encoder_for


@dataclass(frozen=True)
class Kind:
    """A kind of tokenizer.

    Attributes:
        encoders: of that kind, over different tables and vocabularies.
        fragments: text that sentences are put together from.
    """

    encoders: dict[str, Encoder]
    fragments: Sequence[str]


WORDS = [
    *"a b n't 's 're the u.s. dji 1 1,000 1.5 é й σ ς 한국 日 xx слов".split(),
    *"😀 . ' - # ## \ud800 \x00".split(),
    *"##a ##b ##é ##日 ##n't ##' ##1 ##x ##xx ##о ##а".split(),
    "a" * LONGEST,
    "##" + "b" * (LONGEST - 1),
]


ENGLISH = learned(80, only="the")


TRIGRAMS = list(dict.fromkeys([
    *frequent((entry for line in LINES for entry in trigrams(line)), 200),
    *(" n'", "n't", "日本語", "😀😀😀", " 😀 ", "\0\0\0", " \0 ", "\U0010ffffab", " ? ", "▁ ▁"),
    *("", "a", "ab", "abcd", "\ud800ab"),  # which no text holds
]))  # fmt: skip

KINDS = {
    "words": Kind(
        {
            "float32": encoder_for(WordTokenizer(WORDS, 7), int8=False),
            "int8": encoder_for(WordTokenizer(WORDS, 1000), int8=True),
            "int8 by column": encoder_for(
                WordTokenizer(WORDS, 9), int8=True, dim=40, by_column=True
            ),
            "without pieces": encoder_for(
                WordTokenizer([w for w in WORDS if not w.startswith("##")], 3), int8=False
            ),
            "no word known": encoder_for(WordTokenizer([], 5), int8=True),
        },
        [*WORDS, *FRAGMENTS],
    ),
    "pieces": Kind(
        {
            "float32": encoder_for(SentencePieceTokenizer(ENGLISH, buckets=7), int8=False),
            "int8": encoder_for(SentencePieceTokenizer(learned()), int8=True),
        },
        [*FRAGMENTS, "▁", "▁a", *LINES, *" ".join(LINES).split()],
    ),
    "trigrams": Kind(
        {
            "float32": encoder_for(TrigramTokenizer(TRIGRAMS, 7), int8=False),
            "int8": encoder_for(TrigramTokenizer(TRIGRAMS, 1000), int8=True),
        },
        [*FRAGMENTS, *TRIGRAMS, *LINES],
    ),
}
