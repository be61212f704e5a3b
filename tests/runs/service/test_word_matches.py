"""Which word each word is nearest to, and aligned with."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder
from semaniacs.features.registry import all_features
from semaniacs.runs.service.served_models import LEGEND
from semaniacs.runs.service.word_matches import MatchedSide, match_words
from semaniacs.sts.text.tokenizer import words


def by_word(side: MatchedSide) -> dict[str, tuple[str | None, str | None]]:
    return {word.word: (word.best, word.aligned) for word in side.words}


def test_the_best_match_is_the_nearest_vector() -> None:
    left, right = "A dog runs home.", "Cats were running to the house."
    bundled = loading.load()
    encoder = Encoder(bundled.tokenizer, bundled.rows)  # words alone are not cut
    cosines = encoder.similarity(words(left), words(right))
    found = match_words(left, right)["left"].words
    assert [word.best for word in found] == [
        words(right)[place].replace("cats", "Cats") for place in cosines.argmax(axis=1)
    ]
    np.testing.assert_allclose([word.similarity for word in found], cosines.max(axis=1), atol=1e-6)


def test_words_are_aligned_one_to_one() -> None:
    sides = match_words("The dog runs in the park.", "A dog is running through the park.")
    left = by_word(sides["left"])
    assert left["dog"] == ("dog", "dog")
    assert left["runs"] == ("running", "running")
    assert left["park"] == ("park", "park")
    back = {word.aligned: word.word for word in sides["right"].words if word.aligned}
    assert back == {w.word: w.aligned for w in sides["left"].words if w.aligned}


def test_the_sides_change_places_with_the_sentences() -> None:
    one, two = "Maria saw a dog and a dog.", "A dog was seen by Maria."
    there, back = match_words(one, two), match_words(two, one)
    assert (there["left"], there["right"]) == (back["right"], back["left"])


@pytest.mark.parametrize(
    "text", ["", " ", "!?", "😀 😀", "dog", "it’s—a   “dog”", "e\u0301te\u0301"]
)
def test_odd_sentences(text: str) -> None:
    for other in ("a dog", text):
        for side in match_words(text, other).values():
            assert all(side.text[w.start : w.end] == w.word for w in side.words)
            assert all(-1 <= w.similarity <= 1.0001 for w in side.words)
    if not text.strip():
        found = match_words(text, "a dog")
        assert found["left"].words == ()
        assert [(w.best, w.aligned) for w in found["right"].words] == [(None, None)] * 2


def test_every_group_of_features_is_explained() -> None:
    assert {feature.group for feature in all_features()} | {"rule"} == set(LEGEND)
