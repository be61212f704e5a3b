"""Russian headlines: words by their stems, names, numbers, and our Russian vectors.

For pairs in Russian, of which no tagger and no lemmas are here. Words say as much as they are rare
in the headlines that a run learned from, or else in wordfreq's list. Names and rare words are also
compared by a key that all ways to write them in Latin letters have in common.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import unit
from embeddings.tokenizers.ragged import Ragged
from features import lexicon
from features.batch import LONGEST, Batch, Column, View, once
from features.measures import russian_words
from features.measures.counts import count
from features.measures.formulas import where_empty
from features.measures.russian_words import HIGHEST, content, content_stem, plain, stem
from features.measures.sums import pair_cosines
from features.measures.word_matching import BERTSCORE, compare_words, cover_words
from features.registry import columnwise
from sts.text.transliteration import loose_key

STEMS = "Dice (1945), of stems (Porter, Snowball)"
DIFFERENT = "what one side says beside the other"
MANY = float(LONGEST)
BEGINNING = 4
"""Letters of a word's beginning that stand for it."""

DENIALS = lexicon.words("Russian denial")
ENCODERS = {"ru_teacher": "bitext-teacher:ru", "ru_subwords": "bitext-sp:ru"}


def _beginning(token: str) -> str | None:
    word = content(token)
    return word[:BEGINNING] if word else None


def _name(token: str) -> str | None:
    return stem(token) if token[:1].isupper() and content(token) else None


def _number(token: str) -> str | None:
    return token if token[:1].isdigit() else None


def _denial(token: str) -> str | None:
    return plain(token) if token.lower() in DENIALS else None


def _key(token: str) -> str | None:
    word = content(token)
    return loose_key(word) if word else None


def _dice(batch: Batch, see: Callable[[str], str | None], n: int = 1) -> Column:
    return count(batch.tokens(see).sequences, n).distinct().dice(batch, neither=1.0)


def _register_dice(name: str, see: Callable[[str], str | None], n: int = 1) -> None:
    @columnwise(f"ru_{name}", "russian", STEMS)
    def column(batch: Batch) -> Column:
        return _dice(batch, see, n)


_SEEN: dict[str, Callable[[str], str | None]] = {
    "words": plain, "stems": stem, "content": content_stem, "beginnings": _beginning,
    "names": _name, "numbers": _number, "keys": _key,
}  # fmt: skip
for _kind, _see in _SEEN.items():
    _register_dice(_kind, _see)
for _size in (2, 3):
    _register_dice(f"stem_{_size}gram", stem, _size)


@once
def _key_characters(batch: Batch) -> Ragged:
    """The letters of the keys of each distinct sentence's words, a blank between them."""
    view = batch.tokens(_key)
    texts = [[ord(letter) for letter in f"{word} "] for word in view.words]
    flat, offsets = view.sequences
    letters = Ragged.of(texts).take(flat.astype(np.int64))
    return Ragged(letters.flat, letters.offsets[offsets])


def _register_letters(n: int) -> None:
    @columnwise(f"ru_key_{n}gram", "russian", "Dice (1945), of words in Latin letters")
    def column(batch: Batch) -> Column:
        return count(_key_characters(batch), n).distinct().dice(batch, neither=1.0)


for _size in (3, 4):
    _register_letters(_size)


@once
def _weights(batch: Batch, see: Callable[[str], str | None]) -> Column:
    """(v,) the information of each distinct word of a view, by its stem."""
    learned = batch.resources.headlines
    stems = [stem(word) or word for word in batch.tokens(see).words]
    return np.array([russian_words.information(one, learned) for one in stems], np.float64)


@once
def _compared(batch: Batch) -> NDArray[np.float64]:
    bags = count(batch.tokens(content_stem).sequences, 1)
    weights = _weights(batch, content_stem)
    return russian_words.compare_bags(bags.keys, bags.begins, bags.ends, *batch.pairs, weights)


def _register_compared(name: str, high: float) -> None:
    place = russian_words.NAMES.index(name)

    @columnwise(f"ru_{name}", "russian", DIFFERENT, high=high)
    def column(batch: Batch) -> Column:
        return _compared(batch)[:, place]


for _name_, _high in zip(
    russian_words.NAMES,
    (1, 1, 1, MANY, MANY * HIGHEST, HIGHEST, MANY, MANY, *[MANY * HIGHEST] * 2, HIGHEST, HIGHEST),
    strict=True,
):
    _register_compared(_name_, _high)


@once
def _covered(batch: Batch) -> NDArray[np.float64]:
    """(n, 8) the columns called ``SOFT``."""
    view = batch.tokens(content)
    same = np.unique([stem(word) or word for word in view.words], return_inverse=True)[1]
    cosines = compare_words(view.sequences, batch.pairs, _vectors(batch, view))
    russian_words.match_equal(*view.sequences, *batch.pairs, same, *cosines)
    weights = _weights(batch, content)
    weighted = cover_words(view.sequences, batch.pairs, weights, cosines)
    even = cover_words(view.sequences, batch.pairs, np.ones(len(weights)), cosines)
    totals = batch.sides(count(view.sequences, 1).totals(weights))
    left, right = (total * (1 - one) for total, one in zip(totals, weighted[:2], strict=True))
    found = (
        weighted.mean, weighted.least, np.maximum(*weighted[:2]), even.mean, weighted.gap, even.gap,
        np.minimum(left, right), np.maximum(left, right),
    )  # fmt: skip
    lengths = batch.sides(view.sequences.lengths)
    return np.column_stack([where_empty(column, *lengths, neither=1.0) for column in found])


def _vectors(batch: Batch, view: View) -> NDArray[np.float32]:
    """(v, dim) the vector of each distinct word, of length 1."""
    encoder = batch.resources.encoder(ENCODERS["ru_teacher"])
    return unit(encoder.encode(list(view.words)).reshape(len(view.words), encoder.dim))


SOFT = {
    "soft": (-1.0, 1.0), "soft_least": (-1.0, 1.0), "soft_most": (-1.0, 1.0),
    "soft_even": (-1.0, 1.0), "soft_gap": (0.0, 2 * HIGHEST), "soft_worst": (0.0, 2.0),
    "soft_left_least": (-1.0, 2 * MANY * HIGHEST), "soft_left_most": (-1.0, 2 * MANY * HIGHEST),
}  # fmt: skip


def _register_soft(name: str, place: int, low: float, high: float) -> None:
    @columnwise(
        f"ru_{name}", "russian", BERTSCORE, low=low, high=high, needs=("bitext-teacher:ru",)
    )
    def column(batch: Batch) -> Column:
        return _covered(batch)[:, place]


for _place, (_name_, (_low, _high)) in enumerate(SOFT.items()):
    _register_soft(_name_, _place, _low, _high)


def _register_encoder(name: str, encoder: str) -> None:
    @columnwise(
        name,
        "russian",
        "Wieting et al. (2016), 3, of our bitext encoders",
        low=-1.0,
        needs=(encoder,),
    )
    def column(batch: Batch) -> Column:
        texts = [sentence.text for sentence in batch.sentences]
        return pair_cosines(batch, batch.resources.encoder(encoder).encode(texts))


for _name_, _encoder in ENCODERS.items():
    _register_encoder(_name_, _encoder)


def _apart(batch: Batch, see: Callable[[str], str | None]) -> tuple[Column, Column]:
    """(n,) how many distinct words of a view stand on the left alone, and on the right alone."""
    bags = count(batch.tokens(see).sequences, 1).distinct()
    shared = bags.shared(batch)
    left, right = batch.sides(bags.totals())
    return left - shared, right - shared


@columnwise("ru_number_conflict", "russian", DIFFERENT, high=MANY)
def number_conflict(batch: Batch) -> Column:
    """The numbers that are unshared on the side that has fewer of them."""
    return np.minimum(*_apart(batch, _number))


@columnwise("ru_name_conflict", "russian", DIFFERENT, high=MANY)
def name_conflict(batch: Batch) -> Column:
    """Unshared capitalised words on the side that has fewer of them."""
    return np.minimum(*_apart(batch, _name))


@columnwise("ru_denials", "russian", DIFFERENT, high=MANY)
def denials(batch: Batch) -> Column:
    """How many more words deny on one side than on the other."""
    left, right = batch.sides(batch.tokens(_denial).sequences.lengths)
    return np.asarray(np.abs(left - right), np.float64)


def _register_end(name: str, last: bool) -> None:
    @columnwise(f"ru_{name}", "russian", "whether both begin, or end, alike")
    def column(batch: Batch) -> Column:
        flat, offsets = batch.tokens(stem).sequences
        ends = np.full(len(offsets) - 1, -1)
        some = np.diff(offsets) > 0
        ends[some] = flat[(offsets[1:] - 1 if last else offsets[:-1])[some]]
        left, right = batch.sides(ends)
        return np.asarray(left == right, np.float64)


_register_end("first", last=False)
_register_end("last", last=True)
