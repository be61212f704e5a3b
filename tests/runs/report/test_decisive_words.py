"""Words that a score depends on: the differences that are undone, and which are named."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.report.decisive_words import MOST, DecisiveWords, decisive_words
from semaniacs.runs.scorer import load
from semaniacs.sts.data.pairs import Pairs, Scores


class Overlap:
    """A model whose score is the share of equal words at equal places; it keeps what it read."""

    def __init__(self) -> None:
        self.read: list[Pairs] = []
        self.languages: Any = None

    def predict(self, pairs: Pairs, languages: Any = None) -> Scores:
        """Return 5 × the share."""
        self.read.append(pairs)
        self.languages = languages
        return np.array([self.score(*pair) for pair in zip(pairs.left, pairs.right, strict=True)])

    def score(self, left: str, right: str) -> float:
        """Return the score of one pair."""
        one, other = left.split(), right.split()
        same = sum(a == b for a, b in zip(one, other, strict=False))
        return 5 * same / max(len(one), len(other))


def found(
    *texts: tuple[str, str], languages: Any = None
) -> tuple[Overlap, list[tuple[DecisiveWords, ...]]]:
    """Decisive words of pairs, and the model that scored them."""
    model = Overlap()
    left, right = zip(*texts, strict=True)
    pairs = Pairs("own", left, right, np.full(len(texts), np.nan))
    scores = [model.score(*pair) for pair in texts]
    return model, decisive_words(cast(Model, model), pairs, scores, languages)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("a dog bites the man", "a man bites the dog", '"man … dog" instead of "dog … man"'),
        ("New York beat Los Angeles", "Los Angeles beat New York",
         '"Los Angeles … New York" instead of "New York … Los Angeles"'),
        ("Only John came.", "John came only.", '"only" in another place'),
        ("a useful map", "a map", '"useful" in the first sentence only'),
        ("It rained", "Yesterday it rained", '"Yesterday" in the second sentence only'),
        ("It costs $3 million.", "It costs $3 billion.", '"billion" instead of "million"'),
        ("a > b", "a < b", '"<" instead of ">"'),
    ],
)  # fmt: skip
def test_a_difference_is_undone_and_named(left: str, right: str, said: str) -> None:
    model, ((words,),) = found((left, right))
    assert str(words).startswith(f"{said} (")
    (tried,) = model.read
    assert words.score == model.score(tried.left[0], tried.right[0])
    _, ((mirrored,),) = found((right, left))
    assert (mirrored.left, mirrored.right, mirrored.score) == (words.right, words.left, words.score)


def test_the_largest_changes_of_all_pairs_are_found_in_one_call() -> None:
    many = " ".join(f"same{number} one{number}" for number in range(40))
    texts = (
        ("a b c d e", "a b x d y"),
        ("a b", "a b"),
        (many, many.replace("one", "ten")),
        ("a", "b"),
    )
    model, (first, same, long, nothing) = found(*texts)
    assert len(model.read) == 1
    assert len(model.read[0]) == 2 + MOST
    assert [(words.left, words.right, words.score) for words in first] == [
        ("c", "x", 4.0),
        ("e", "y", 4.0),
    ]
    assert same == long == nothing == ()  # one word in 80 changes too little


def test_words_of_one_language_are_not_put_into_a_sentence_of_another() -> None:
    texts = ("die Straße war kurz", "die Reise war lang"), ("taxis are cars", "taxis war cars")
    model, words = found(*texts, languages=(["de", "en"], ["de", "de"]))
    assert model.languages == (["de", "de"], ["de", "de"])
    assert [len(one) for one in words] == [2, 0]


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        ("The dog bites the man.", "The man bites the dog.", ("dog … man", "man … dog")),
        ("She sold the old car.", "She bought the old car.", ("sold", "bought")),
        ("The manual is not useful.", "The manual is useful.", ("not", "")),
        ("It costs $3 million.", "It costs $3 billion.", ("million", "billion")),
    ],
)
def test_the_default_model_depends_on(left: str, right: str, words: tuple[str, str]) -> None:
    explained = load().explain(left, right)
    (only,) = explained.decisive_words
    assert ((only.left, only.right), only.score) == (words, 5.0)
