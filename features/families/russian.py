"""Russian headlines: words by their stems, names, numbers, and our Russian vectors.

For pairs in Russian, of which no tagger and no lemmas are here. Words say as much as they are rare
in the headlines that a run learned from, or else in wordfreq's list. Names and rare words are also
compared by a key that all ways to write them in Latin letters have in common.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial
from math import log

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel
from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features import lexicon
from semaniacs.features.batch import (
    LONGEST,
    Batch,
    Column,
    View,
    frequencies,
    frequent,
    once,
    where_empty,
)
from semaniacs.features.measures.counts import count
from semaniacs.features.measures.word_matching import (
    BERTSCORE,
    compare_words,
    cover_words,
    pair_cosines,
)
from semaniacs.features.registry import columnwise
from semaniacs.sts.text.tokenizer import is_word, tokenize
from semaniacs.sts.text.transliteration import loose_key

STEMS = "Dice (1945), of stems (Porter, Snowball)"
DIFFERENT = "what one side says beside the other"
MANY = float(LONGEST)

RAREST = 1e-7  # share of running words of a stem that wordfreq's list does not have

HIGHEST = 17.0  # nats above every information, of a list or of headlines

DENIALS = lexicon.words("Russian denial")
ENCODERS = {"ru_network": "multilingual:ru", "ru_subwords": "bitext-sp:ru"}

See = Callable[[str], str | None]


def plain(token: str) -> str | None:
    """Return a word in small letters, ё as е, which most texts write; None for a mark."""
    return token.lower().replace("ё", "е") if is_word(token) else None


@lru_cache(maxsize=2**17)
def stem(token: str) -> str | None:
    """Return the stem of a Russian word (Porter's Snowball); None for a mark."""
    word = plain(token)
    if word is None or not "а" <= word[0] <= "я":
        return word
    return _stemmer()(word) or word


@cache
def _stemmer():
    from nltk.stem.snowball import SnowballStemmer

    return SnowballStemmer("russian").stem


def content(token: str) -> str | None:
    """Return a word that is no function word; None for others."""
    word = plain(token)
    return None if word in function_words() else word


def content_stem(token: str) -> str | None:
    """Return the stem of a word that is no function word; None for others."""
    return stem(token) if content(token) else None


@cache
def function_words() -> frozenset[str]:
    """Return the most frequent words of Russian."""
    return frozenset(word.replace("ё", "е") for word in frequent("ru"))


def information(word: str, learned: Mapping[str, float] | None = None) -> float:
    """−ln of how frequent a stem is, in nats, to 2⁻¹⁶: sums of them are exact in any order.

    Args:
        word: the stem.
        learned: information of stems in headlines, see :func:`learn_information`; by default
            wordfreq's shares, those of all forms of a stem together.
    """
    if learned is not None:
        return learned.get(word, learned[""])
    return _rounded(-log(_shares().get(word, RAREST)))


def learn_information(headlines: Iterable[str]) -> Mapping[str, float]:
    """ln((n + 1) / (d + ½)) of the stems that stand in d of n distinct headlines; "" is any other.

    Robertson (2004), Understanding inverse document frequency.
    """
    distinct = dict.fromkeys(headlines)
    counts = Counter(s for text in distinct for s in {*map(stem, tokenize(text))} if s)
    n = len(distinct) + 1
    found = {word: _rounded(log(n / (count + 0.5))) for word, count in sorted(counts.items())}
    return found | {"": _rounded(log(n / 0.5))}


def _rounded(nats: float) -> float:
    return min(max(round(nats * 2**16) / 2**16, 0.0), HIGHEST)


@cache
def _shares() -> Mapping[str, float]:
    shares: dict[str, float] = {}
    for form, share in frequencies("ru").items():
        found = stem(form)
        if found:
            shares[found] = shares.get(found, RAREST) + share
    return shares


# Words, stems, names and numbers in common


def _beginning(token: str) -> str | None:
    word = content(token)
    return word[:4] if word else None


def _name(token: str) -> str | None:
    return stem(token) if token[:1].isupper() and content(token) else None


def _number(token: str) -> str | None:
    return token if token[:1].isdigit() else None


def _key(token: str) -> str | None:
    word = content(token)
    return loose_key(word) if word else None


def _dice(batch: Batch, see: See, n: int = 1) -> Column:
    return count(batch.tokens(see).sequences, n).distinct().dice(batch, neither=1.0)


for _kind, _see, _size in (
    ("words", plain, 1),
    ("stems", stem, 1),
    ("content", content_stem, 1),
    ("beginnings", _beginning, 1),
    ("names", _name, 1),
    ("numbers", _number, 1),
    ("keys", _key, 1),
    ("stem_2gram", stem, 2),
    ("stem_3gram", stem, 3),
):
    columnwise(f"ru_{_kind}", "russian", STEMS)(partial(_dice, see=_see, n=_size))


@once
def _key_characters(batch: Batch) -> Ragged:
    view = batch.tokens(_key)
    texts = [[ord(letter) for letter in f"{word} "] for word in view.words]
    flat, offsets = view.sequences
    letters = Ragged.of(texts).take(flat.astype(np.int64))
    return Ragged(letters.flat, letters.offsets[offsets])


def _letters(batch: Batch, n: int) -> Column:
    return count(_key_characters(batch), n).distinct().dice(batch, neither=1.0)


for _size in (3, 4):
    columnwise(f"ru_key_{_size}gram", "russian", "Dice (1945), of words in Latin letters")(
        partial(_letters, n=_size)
    )


# Information of shared and of unshared stems

COMPARED = {
    "information": 1,
    "contained": 1,
    "contained_information": 1,
    "shared": MANY,
    "shared_information": MANY * HIGHEST,
    "shared_rarest": HIGHEST,
    "unshared_least": MANY,
    "unshared_most": MANY,
    "left_least": MANY * HIGHEST,
    "left_most": MANY * HIGHEST,
    "left_rarest_least": HIGHEST,
    "left_rarest_most": HIGHEST,
}
"""Columns of :func:`compare_bags`, with the upper end of their range."""


@once
def _weights(batch: Batch, see: See) -> Column:
    """(v,) the information of each distinct word of a view, by its stem."""
    learned = batch.resources.headlines
    stems = [stem(word) or word for word in batch.tokens(see).words]
    return np.array([information(one, learned) for one in stems], np.float64)


@once
def compare_bags(batch: Batch) -> NDArray[np.float64]:
    """(n, k) the columns called ``COMPARED``; a share of nothing is 1."""
    bags = count(batch.tokens(content_stem).sequences, 1)
    weights = _weights(batch, content_stem)
    found = np.zeros((len(batch), len(COMPARED)))
    _compare(bags.keys.astype(np.int64), bags.begins, bags.ends, *batch.pairs, weights, found)
    return found


@kernel(nogil=True)
def _compare(keys, begins, ends, left, right, weights, found):
    for p in range(len(left)):
        i, j = begins[left[p]], begins[right[p]]
        sums, counts, rarest = np.zeros(3), np.zeros(3), np.zeros(3)
        while i < ends[left[p]] or j < ends[right[p]]:
            only_right = i == ends[left[p]] or (j < ends[right[p]] and keys[j] < keys[i])
            only_left = j == ends[right[p]] or (i < ends[left[p]] and keys[i] < keys[j])
            place = 1 if only_left else (2 if only_right else 0)
            weight = weights[keys[j] if only_right else keys[i]]
            sums[place] += weight
            counts[place] += 1
            rarest[place] = max(rarest[place], weight)
            i += not only_right
            j += not only_left
        row = found[p]
        row[0] = _share_of(2 * sums[0], 2 * sums[0] + sums[1] + sums[2])
        row[1] = _share_of(counts[0], counts[0] + min(counts[1], counts[2]))
        row[2] = _share_of(sums[0], sums[0] + min(sums[1], sums[2]))
        row[3], row[4], row[5] = counts[0], sums[0], rarest[0]
        row[6], row[7] = min(counts[1], counts[2]), max(counts[1], counts[2])
        row[8], row[9] = min(sums[1], sums[2]), max(sums[1], sums[2])
        row[10], row[11] = min(rarest[1], rarest[2]), max(rarest[1], rarest[2])


@kernel(nogil=True)
def _share_of(part, whole):
    return part / whole if whole > 0 else 1.0


def _place_of(batch: Batch, table: Callable[[Batch], Column], place: int) -> Column:
    return table(batch)[:, place]


for _place, (_column, _high) in enumerate(COMPARED.items()):
    columnwise(f"ru_{_column}", "russian", DIFFERENT, high=_high)(
        partial(_place_of, table=compare_bags, place=_place)
    )


# Words matched by vectors

SOFT = {
    "soft": (-1.0, 1.0),
    "soft_least": (-1.0, 1.0),
    "soft_most": (-1.0, 1.0),
    "soft_even": (-1.0, 1.0),
    "soft_gap": (0.0, 2 * HIGHEST),
    "soft_worst": (0.0, 2.0),
    "soft_left_least": (-1.0, 2 * MANY * HIGHEST),
    "soft_left_most": (-1.0, 2 * MANY * HIGHEST),
}
"""Columns of :func:`_covered`, with their range."""


@once
def _covered(batch: Batch) -> NDArray[np.float64]:
    view = batch.tokens(content)
    same = np.unique([stem(word) or word for word in view.words], return_inverse=True)[1]
    cosines = compare_words(view.sequences, batch.pairs, _vectors(batch, view))
    match_equal(*view.sequences, *batch.pairs, same, *cosines)
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
    encoder = batch.resources.encoder(ENCODERS["ru_subwords"])
    return unit(encoder.encode(list(view.words)).reshape(len(view.words), encoder.dim))


@kernel(nogil=True)
def match_equal(flat, offsets, left, right, same, values, begins):
    """Set the cosine of words that are forms of one to 1, see :func:`.compare_words`.

    ``same`` is (v,) a number of each distinct word, equal for the forms of one.
    """
    for p in range(len(left)):
        a = flat[offsets[left[p]] : offsets[left[p] + 1]]
        b = flat[offsets[right[p]] : offsets[right[p] + 1]]
        for i in range(len(a)):
            for j in range(len(b)):
                if same[a[i]] == same[b[j]]:
                    values[begins[p] + i * len(b) + j] = np.float32(1.0)


for _place, (_column, (_low, _high)) in enumerate(SOFT.items()):
    columnwise(
        f"ru_{_column}", "russian", BERTSCORE, low=_low, high=_high, needs=("bitext-sp:ru",)
    )(partial(_place_of, table=_covered, place=_place))


def _of_encoder(batch: Batch, encoder: str) -> Column:
    texts = [sentence.text for sentence in batch.sentences]
    cosines = pair_cosines(batch.pairs, batch.resources.encoder(encoder).encode(texts))
    return np.round(cosines, 4)  # a network's last digits depend on how many texts there are


for _column, _encoder in ENCODERS.items():
    columnwise(
        _column,
        "russian",
        "cosine of our encoders of several languages",
        low=-1.0,
        needs=(_encoder,),
    )(partial(_of_encoder, encoder=_encoder))


# What only one side says


def _unshared(batch: Batch, see: See) -> Column:
    """(n,) how many distinct words of a view stand alone on the side that has fewer of them."""
    bags = count(batch.tokens(see).sequences, 1).distinct()
    return np.minimum(*batch.sides(bags.totals())) - bags.shared(batch)


for _column, _see in {"number": _number, "name": _name}.items():
    columnwise(f"ru_{_column}_conflict", "russian", DIFFERENT, high=MANY)(
        partial(_unshared, see=_see)
    )


def _denial(token: str) -> str | None:
    return plain(token) if token.lower() in DENIALS else None


@columnwise("ru_denials", "russian", DIFFERENT, high=MANY)
def denials(batch: Batch) -> Column:
    """How many more words deny on one side than on the other."""
    left, right = batch.sides(batch.tokens(_denial).sequences.lengths)
    return np.asarray(np.abs(left - right), np.float64)


def _same_end(batch: Batch, last: bool) -> Column:
    flat, offsets = batch.tokens(stem).sequences
    ends = np.full(len(offsets) - 1, -1)
    some = np.diff(offsets) > 0
    ends[some] = flat[(offsets[1:] - 1 if last else offsets[:-1])[some]]
    left, right = batch.sides(ends)
    return np.asarray(left == right, np.float64)


for _column in ("first", "last"):
    columnwise(f"ru_{_column}", "russian", "whether both begin, or end, alike")(
        partial(_same_end, last=_column == "last")
    )
