"""Rewritings by rule that leave the meaning of a sentence as it is, or hardly touch it."""

from __future__ import annotations

import re
from collections.abc import Callable

_VERBS = "do does did is are was were has have had would could should".split()
_SUBJECTS = {"am": ["I"], "are": "you we they".split(), "will": "I you he she we they".split()}
_ENDINGS = {"am": "'m", "are": "'re", "will": "'ll"}
_LONG_TO_SHORT = {
    "cannot": "can't",
    "will not": "won't",
    **{f"{verb} not": f"{verb}n't" for verb in _VERBS},
    **{
        f"{subject} {verb}": f"{subject}{_ENDINGS[verb]}"
        for verb, subjects in _SUBJECTS.items()
        for word in subjects
        for subject in dict.fromkeys((word, word.capitalize()))
    },
}
_SHORT_TO_LONG = {short: long for long, short in _LONG_TO_SHORT.items()}
_LONG = re.compile(rf"\b(?:{'|'.join(_LONG_TO_SHORT)})\b")
_SHORT = re.compile(
    rf"\b(?:{'|'.join(_SHORT_TO_LONG)})\b(?! (?:I|you|he|she|it|we|they|there|anyone)\b)"
)


def misspell(sentence: str) -> str:
    """Exchange two neighbouring letters in the middle of the longest word, the first of its length.

    Capitalised words and those of fewer than five letters stay as they are.
    """
    words = [
        match
        for match in re.finditer(r"\b[a-z]{5,}\b", sentence)
        if match[0][len(match[0]) // 2 - 1] != match[0][len(match[0]) // 2]
    ]
    if not words:
        return sentence
    longest = max(words, key=lambda match: len(match[0]))
    at = longest.start() + len(longest[0]) // 2
    return sentence[: at - 1] + sentence[at] + sentence[at - 1] + sentence[at + 1 :]


def without_full_stop(sentence: str) -> str:
    """Leave out the final full stop, but no dots."""
    return sentence if sentence.endswith("..") else sentence.removesuffix(".")


def contract(sentence: str) -> str:
    """Spell out contractions; where there are none, contract.

    *'s*, *'d* and *'ve* stay, as they are short for several words or verbs, and so does *n't*
    before a pronoun, as in questions.
    """
    spelt_out = _SHORT.sub(lambda match: _SHORT_TO_LONG[match[0]], sentence)
    if spelt_out != sentence:
        return spelt_out
    return _LONG.sub(lambda match: _LONG_TO_SHORT[match[0]], sentence)


REWRITINGS: dict[str, Callable[[str], str]] = {
    "typo": misspell,
    "upper case": str.upper,
    "lower case": str.lower,
    "no full stop": without_full_stop,
    "contraction": contract,
}
"""Rewritings by the name that tables show; a sentence may come back as it was."""
