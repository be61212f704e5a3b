"""What kind of question is asked."""

from __future__ import annotations

from functools import lru_cache

from features import lexicon
from features.measures.values.value_differences import Difference, worst
from features.registry import pairwise
from sts.text.analysis import Sentence
from sts.text.tokenizer import is_word

_ASKING = lexicon.words("question word")
_AUXILIARY = lexicon.words("asking auxiliary")
_AFTER_HOW = lexicon.words("after how")

_ASKED_AND_SAID = {frozenset("?."), frozenset("?!")}


@lru_cache(maxsize=1 << 16)
def question_type(sentence: Sentence) -> str:
    """The question word, "how many" and the like, "yes or no" or "other"; empty if none is asked.

    A sentence asks if it ends in a question mark, or begins with a question word and an auxiliary
    verb: "what is the best way". Quotation marks around it do not matter.
    """
    if "?" not in sentence.tokens[-2:] and _first_word(sentence) not in _ASKING:
        return ""
    words = sentence.words
    asks = len(words) > 1 and words[0] in _ASKING and words[1] in _AUXILIARY
    if not asks and "?" not in sentence.tokens[-2:]:  # the last may be a quote
        return ""
    for place, word in enumerate(words):
        if word in _ASKING:
            following = words[place + 1] if place + 1 < len(words) else ""
            return f"how {following}" if word == "how" and following in _AFTER_HOW else word
    return "yes or no" if words[0] in _AUXILIARY else "other"


def _first_word(sentence: Sentence) -> str:
    return next((t.lower().lstrip(".") for t in sentence.tokens if is_word(t)), "")


@pairwise("question_match", "questions", "Li and Roth (2002), coarse types by the asking word")
def question_match(a: Sentence, b: Sentence) -> float:
    """1 if both ask for the same kind of thing or nothing, ½ if only one asks, else 0."""
    left, right = question_type(a), question_type(b)
    if left == right:
        return 1.0
    return 0.0 if left and right else 0.5


@pairwise("question_count", "questions", "plain count")
def question_count(a: Sentence, b: Sentence) -> float:
    """The share of the two sides that ask: 0, ½ or 1."""
    return (bool(question_type(a)) + bool(question_type(b))) / 2


def question_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """That one sentence asks with a question mark what the other says with a full stop."""
    ends = frozenset((a.tokens[-1], b.tokens[-1])) if a.tokens and b.tokens else frozenset()
    asks = bool(question_type(a)), bool(question_type(b))
    if asks[0] == asks[1] or ends not in _ASKED_AND_SAID:
        return ()
    left, right = ("asks" if asked else "says" for asked in asks)
    return (Difference(left, right, 1.0),)


@pairwise("question_conflict", "questions", "after Li and Roth (2002): one side alone asks")
def question_conflict(a: Sentence, b: Sentence) -> float:
    """1 if one side alone asks, and both end in the mark that fits; else 0."""
    return worst(question_differences(a, b))
