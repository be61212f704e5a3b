"""Check whether a tokenizer has words for a text, or only spells it: then vectors mean little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_WORD, _LETTER = 1, 2
_MARKS = ("##", "▁", "Ġ", "Ċ")
_ENOUGH = 50
"""Tokens with letters that such a claim needs."""
_UNKNOWN = frozenset({"[UNK]", "<unk>"})
_IDEOGRAPHS = "\u2e80"
"""From here on a character may be a word: Chinese is not spelled."""


class Spelling:
    """Counts tokens that hold letters, and those of them that are a single letter or unknown.

    Args:
        kinds: what :meth:`of_tokens` made.
    """

    def __init__(self, kinds: NDArray[np.int8]) -> None:
        self.kinds = kinds
        self.counts = np.zeros(3, np.int64)

    @staticmethod
    def of_tokens(vocabulary: Mapping[str, int]) -> NDArray[np.int8]:
        """The kind of each token by number: 0 without letters, 1 a word or part, 2 a letter."""
        kinds = np.zeros(max(vocabulary.values(), default=-1) + 1, np.int8)
        for token, number in vocabulary.items():
            text = token
            for mark in _MARKS:
                text = text.removeprefix(mark)
            if token in _UNKNOWN or (len(text) == 1 and text.isalpha() and text < _IDEOGRAPHS):
                kinds[number] = _LETTER
            elif text.isalpha():
                kinds[number] = _WORD
        return kinds

    def count(self, ids: Sequence[Sequence[int]]) -> None:
        """Look at the tokens of some sentences."""
        flat = np.concatenate([np.asarray(one, np.int32) for one in ids]) if ids else ids
        self.counts += np.bincount(self.kinds[flat], minlength=3) if len(flat) else 0

    def warning(self) -> str | None:
        """Return a warning if most tokens with letters are single letters; None otherwise."""
        _, words, letters = self.counts.tolist()
        if words + letters < _ENOUGH or letters <= words:
            return None
        return (
            f"the model has no words for most of this text: {letters / (words + letters):.0%} of its "
            "tokens are single letters or unknown; choose a model that knows the language"
        )
