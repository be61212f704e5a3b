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


def misspell(sentence: str) -> str | None:
    """Exchange two neighbouring letters in the middle of the longest word, the first of its length.

    Capitalised words and those of fewer than five letters stay as they are.

    Returns:
        None if no word can be misspelt.
    """
    words = [
        match
        for match in re.finditer(r"\b[a-z]{5,}\b", sentence)
        if match[0][len(match[0]) // 2 - 1] != match[0][len(match[0]) // 2]
    ]
    if not words:
        return None
    longest = max(words, key=lambda match: len(match[0]))
    at = longest.start() + len(longest[0]) // 2
    return sentence[: at - 1] + sentence[at] + sentence[at - 1] + sentence[at + 1 :]


def upper(sentence: str) -> str | None:
    """Make every letter a capital; None if that changes nothing."""
    return _changed(sentence, sentence.upper())


def lower(sentence: str) -> str | None:
    """Make every letter small; None if that changes nothing."""
    return _changed(sentence, sentence.lower())


def without_full_stop(sentence: str) -> str | None:
    """Leave out the final full stop; None if there is none, or dots."""
    ends = sentence.endswith(".") and not sentence.endswith("..")
    return sentence[:-1] if ends else None


def contract(sentence: str) -> str | None:
    """Spell out contractions; where there are none, contract.

    Returns:
        None if there is nothing of either kind. *'s*, *'d* and *'ve* stay, as they are short for
        several words or verbs, and so does *n't* before a pronoun, as in questions.
    """
    spelt_out = _SHORT.sub(lambda match: _SHORT_TO_LONG[match[0]], sentence)
    if spelt_out != sentence:
        return spelt_out
    return _changed(sentence, _LONG.sub(lambda match: _LONG_TO_SHORT[match[0]], sentence))


REWRITINGS: dict[str, Callable[[str], str | None]] = {
    "typo": misspell,
    "upper case": upper,
    "lower case": lower,
    "no full stop": without_full_stop,
    "contraction": contract,
}
"""Rewritings by the name that tables show; None for a sentence that one would not change."""


def _changed(before: str, after: str) -> str | None:
    return None if after == before else after
