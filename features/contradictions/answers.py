"""Answers to a question: what they say beside it.

"The pancreas" and "Insulin is produced by the pancreas" say the same if the question is known, whose words say
nothing (question demoting: Mohler et al., 2011). "No" says what contradicts the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from semaniacs.features.contradictions.differences import contradictions
from semaniacs.features.families.small_words import NEGATIONS, question_type
from semaniacs.sts.text.analysis import Sentence, analyse, content_lemmas, lemma
from semaniacs.sts.text.tokenizer import STOP_WORDS

_LONGEST, _SMALL = 4, STOP_WORDS - NEGATIONS  # words of what is no sentence, those at its ends
_MARKS = ".,;:!?…\"'“”‘’()[]"
_YES_NO = {"yes": "Yes", "no": "No", "not": "No"}


def beside_questions(
    questions: Iterable[str], left: Sequence[str], right: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return n answers and n others to n questions, see :func:`beside_question`."""
    found = [*map(beside_question, questions, left, right)]
    return [one for one, _ in found], [other for _, other in found]


def beside_question(question: str, left: str, right: str) -> tuple[str, str]:
    """Return two answers without what the question says if one is no sentence; of some "Yes" or "No"."""
    if not all(map(str.strip, (question, left, right))):
        return left, right
    asked, *answers = (analyse([text])[text] for text in (question, left, right))
    short = min((answer.words for answer in answers), key=len)
    if (
        _YES_NO.keys() & {*short[:1]}
        and len(short) <= _LONGEST
        and question_type(asked) == "yes or no"
    ):
        said = [_yes_or_no(asked, answer) for answer in answers]
        return (said[0], said[1]) if all(said) else (left, right)
    if not any(map(_is_fragment, answers)):
        return left, right
    known = {*content_lemmas(asked.tokens, asked.tags)}
    own = [_own(answer, known) for answer in answers]
    return (own[0], own[1]) if all(own) else (left, right)


def _yes_or_no(question: Sentence, answer: Sentence) -> str:
    """Return "Yes" or "No" as an answer says; "" if it does not speak of what is asked."""
    if first := _YES_NO.get(answer.words[0] if answer.words else ""):
        return first
    asked = {*question.lemmas}
    if 2 * len(asked & {*answer.lemmas}) < len(asked):
        return ""
    found = contradictions([question.text], [answer.text])[0]
    asks_not, says_not = (
        sum(word in NEGATIONS for word in side.words) % 2 for side in (question, answer)
    )
    contradicts = asks_not != says_not or any(one.column == "polarity_conflict" for one in found)
    return "Yes" if contradicts == bool(asks_not) else "No"  # "Isn't it a fish?" – "Yes, it is."


def _is_fragment(answer: Sentence) -> bool:
    """Return whether an answer has few words, and none is a verb that says something."""
    tagged = zip(answer.words, answer.word_tags, strict=True)
    verbs = [word for word, tag in tagged if tag[:2] == "VB" and word not in STOP_WORDS]
    return len(answer.words) <= _LONGEST and not verbs


def _own(answer: Sentence, known: set[str]) -> str:
    """Return an answer without known words, but for units of new numbers, and without small ones at its ends."""
    names = [lemma(*word) for word in zip(map(str.lower, answer.tokens), answer.tags, strict=True)]
    numbers = [name[:1].isdigit() and name not in known for name in names]
    drop = {
        token
        for at, token in enumerate(answer.tokens)
        if names[at] in known and not any(numbers[max(0, at - 3) : at])
    }
    said = [word for word in answer.text.split() if word.strip(_MARKS) not in drop]
    own = [at for at, word in enumerate(said) if word.strip(_MARKS).lower() not in _SMALL | {""}]
    return " ".join(said[own[0] : own[-1] + 1]).strip(_MARKS) if own else ""
