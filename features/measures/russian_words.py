"""Russian words: their stems, how much they say, and what two bags of them share."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernel import kernel
from features.measures.untagged_alignment import frequencies, frequent
from sts.text.tokenizer import is_word, tokenize

LANGUAGE = "ru"

RAREST = 1e-7
"""Share of running words of a stem that wordfreq's list does not have."""

HIGHEST = 17.0
"""Nats above every information, of a list or of headlines."""

NAMES = (
    "information", "contained", "contained_information", "shared", "shared_information",
    "shared_rarest", "unshared_least", "unshared_most", "left_least", "left_most",
    "left_rarest_least", "left_rarest_most",
)  # fmt: skip
"""Columns of :func:`compare_bags`."""


def plain(token: str) -> str | None:
    """A word in small letters, ё as е, which most texts write; None for a mark."""
    return token.lower().replace("ё", "е") if is_word(token) else None


@lru_cache(maxsize=2**17)
def stem(token: str) -> str | None:
    """Return the stem of a Russian word (Porter's Snowball); None for a mark."""
    word = plain(token)
    if word is None or not "а" <= word[0] <= "я":
        return word
    return _stemmer()(word) or word


def content(token: str) -> str | None:
    """A word that is no function word; None for others."""
    word = plain(token)
    return None if word in function_words() else word


def content_stem(token: str) -> str | None:
    """The stem of such a word."""
    return stem(token) if content(token) else None


@cache
def function_words() -> frozenset[str]:
    """The most frequent words of Russian."""
    return frozenset(word.replace("ё", "е") for word in frequent(LANGUAGE))


def information(word: str, learned: Mapping[str, float] | None = None) -> float:
    """−ln of how frequent a stem is, in nats, to 2⁻¹⁶: sums of them are exact in any order.

    Args:
        word: the stem.
        learned: that of stems in headlines, see :func:`learn_information`; by default wordfreq's
            shares, those of all forms of a stem together.
    """
    if learned is not None:
        return learned.get(word, learned[""])
    return _rounded(-log(_share(word)))


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
def _stemmer():
    from nltk.stem.snowball import SnowballStemmer

    return SnowballStemmer("russian").stem


def _share(word: str) -> float:
    return _shares().get(word, RAREST)


@cache
def _shares() -> Mapping[str, float]:
    shares: dict[str, float] = {}
    for form, share in frequencies(LANGUAGE).items():
        found = stem(form)
        if found:
            shares[found] = shares.get(found, RAREST) + share
    return shares


def compare_bags(
    keys: NDArray[np.uint64],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(n, k) the columns called ``NAMES``; a share of nothing is 1.

    Args:
        keys, begins, ends: of :class:`features.measures.counts.Bags` of single words.
        left, right: (n,) the sentences of each pair.
        weights: (v,) the information of each distinct word.
    """
    found = np.zeros((len(left), len(NAMES)))
    _compare(keys.astype(np.int64), begins, ends, left, right, weights, found)
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


@kernel(nogil=True)
def match_equal(flat, offsets, left, right, same, values, begins):
    """Set the cosine of words that are forms of one to 1, see :func:`.compare_words`.

    Args:
        same: (v,) a number of each distinct word, equal for the forms of one.
    """
    for p in range(len(left)):
        a, b = (
            flat[offsets[left[p]] : offsets[left[p] + 1]],
            flat[offsets[right[p]] : offsets[right[p] + 1]],
        )
        for i in range(len(a)):
            for j in range(len(b)):
                if same[a[i]] == same[b[j]]:
                    values[begins[p] + i * len(b) + j] = np.float32(1.0)
