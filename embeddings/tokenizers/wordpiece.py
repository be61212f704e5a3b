"""Our word tokenizer as a WordPiece model of Hugging Face's ``tokenizers``, for other libraries.

It differs in these cases: a word that cannot be spelled is ``[UNK]``, because a hashed
row cannot be expressed; a sentence of nothing but marks has no words; a Greek
abbreviation in capitals, Ο.Σ., ends in σ; ß and ss are told apart; HTML, terminal colours and
misread UTF-8 are not repaired. Otherwise it gives the row numbers of
:meth:`semaniacs.embeddings.tokenizers.row_numbers.WordTokenizer.ids` for a text in the form of
:func:`semaniacs.sts.text.normalisation.normalise_all`.
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from typing import Any

from semaniacs.embeddings.tokenizers.row_numbers import INSIDE, LONGEST, WordTokenizer
from semaniacs.sts.text.normalisation import INVISIBLE, KEPT, PLAIN, POWER, UNIT, VOWELS
from semaniacs.sts.text.tokenizer import normalise

_ALNUM = r"[\p{L}\p{N}]"
_LETTER = r"[\p{L}\p{Nl}\p{No}]"
_CASED = r"[\p{Lowercase}\p{Uppercase}\p{Lt}]"
_WORD_ENDS = r"(?![\p{L}\p{N}_])"

PATTERN = "|".join(
    (
        r"\p{Nd}+(?:[.,]\p{Nd}+)+",
        rf"(?<![\p{{L}}\p{{N}}])(?:{_LETTER}\.){{2,}}",
        rf"{_ALNUM}+?(?=n't{_WORD_ENDS})",
        rf"n't{_WORD_ENDS}",
        rf"'(?:[sſ]|re|ve|ll|d|m){_WORD_ENDS}",
        rf"{_ALNUM}+",
    )
)
r"""The alternatives of the pattern in :mod:`semaniacs.sts.text.tokenizer` that hold a letter or a digit, lower-cased.

Its third, a stock index symbol, yields the word that the last one yields here.
``\w`` is spelled out, because in this dialect it holds combining marks too.
"""


def to_wordpiece(words: WordTokenizer) -> Any:
    """A ``tokenizers.Tokenizer`` whose ids are the known rows, and the row after them for [UNK]."""
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import WordPiece

    names = _names(words)
    tokenizer = Tokenizer(
        WordPiece(
            {name: row for row, name in enumerate(names)},
            unk_token=names[-1],
            continuing_subword_prefix=INSIDE,
            max_input_chars_per_word=LONGEST,
        )
    )
    folds = [normalizers.Replace(Regex(f"[{old}]"), new) for new, old in _folded().items()]
    tokenizer.normalizer = normalizers.Sequence(
        [
            *_one_form(),
            *folds,
            normalizers.Replace(Regex(f"(?<={_CASED})Σ(?!{_CASED})"), "ς"),
            normalizers.Lowercase(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PATTERN), "removed", invert=True)
    return tokenizer


def _one_form() -> list[Any]:
    """The steps of :func:`semaniacs.sts.text.normalisation.normalise_all` that repair nothing."""
    from tokenizers import Regex, normalizers

    # Noncharacters take the place of what NFKC would change.
    held = [(rf"(?<!\p{{L}})(?:{UNIT})\K{sign}(?!{_ALNUM})", sign) for sign in "²³"]
    held += [(sign, sign) for sign in "ªº"]
    apart = [(Regex(pattern), chr(0xFDD0 + i), sign) for i, (pattern, sign) in enumerate(held)]
    return [
        normalizers.Replace(Regex(f"[{INVISIBLE}]+"), ""),
        *(normalizers.Replace(old, new) for old, new in PLAIN.items()),
        *(normalizers.Replace(pattern, room) for pattern, room, _ in apart),
        normalizers.Replace("´", "'"),
        normalizers.Replace(Regex(f"[{KEPT}]"), "-"),  # all others are marks
        normalizers.Replace(Regex(f"(?<=.){POWER}"), "^"),
        normalizers.NFKC(),
        *(normalizers.Replace(room, sign) for _, room, sign in apart),
        normalizers.Replace(Regex(f"[{VOWELS}{INVISIBLE}]+"), ""),
        normalizers.NFC(),
        normalizers.Replace("İ", "I"),
    ]


def _names(words: WordTokenizer) -> list[str]:
    taken = set(words.known)

    def free(name: str) -> str:
        while name in taken:
            name = f"[{name}]"
        taken.add(name)
        return name

    def has_utf8(word: str) -> bool:
        return word.isascii() or not any("\ud800" <= character <= "\udfff" for character in word)

    names = [
        word if has_utf8(word) else free(f"[row {row}]") for row, word in enumerate(words.known)
    ]
    return [*names, free("[UNK]")]


@cache
def _folded() -> dict[str, str]:
    """The characters that :func:`semaniacs.sts.text.tokenizer.normalise` replaces beyond NFC, by replacement."""
    folded: dict[str, str] = {}
    for character in map(chr, range(sys.maxunicode + 1)):
        composed = unicodedata.normalize("NFC", character)
        if composed == character and (plain := normalise(character)) != character:
            folded[plain] = folded.get(plain, "") + character
    return folded
