"""A sentence with itself has 5, no other pair has, and the sides may be exchanged."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from semaniacs.runs.pipeline.translate_pairs import TranslatedPairs
from semaniacs.runs.report.explanation import RULE, as_table
from semaniacs.runs.scorer import load
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load as load_pairs
from semaniacs.sts.data.pairs import Pairs, concatenate
from tests.runs.made_files import pairs_of

SCRIPTS = {
    "Latin": (0x61, 0x7A), "Latin with marks": (0xE0, 0xF6), "Greek": (0x3B1, 0x3C9),
    "Cyrillic": (0x430, 0x44F), "Armenian": (0x561, 0x586), "Hebrew": (0x5D0, 0x5EA),
    "Arabic": (0x627, 0x64A), "Devanagari": (0x905, 0x939), "Bengali": (0x995, 0x9A8),
    "Tamil": (0xB95, 0xBB9), "Thai": (0xE01, 0xE3A), "Georgian": (0x10D0, 0x10F0),
    "Ethiopic": (0x1200, 0x1240), "Khmer": (0x1780, 0x17A2), "Hiragana": (0x3041, 0x3096),
    "Han": (0x4E00, 0x9FA5), "Hangul": (0xAC00, 0xD7A3), "emoji": (0x1F600, 0x1F64F),
    "marks": (0x21, 0x2F), "symbols": (0x2200, 0x22FF),
}  # fmt: skip
DOG, MAN = "The dog bit the man.", "The man bit the dog."


@cache
def sentences() -> list[str]:
    """Fifty sentences of each script, of one to eight words."""
    rng = random.Random(0)

    def word(low: int, high: int) -> str:
        return "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 7)))

    return [
        " ".join(word(*bounds) for _ in range(rng.randint(1, 8)))
        for bounds in SCRIPTS.values()
        for _ in range(50)
    ]


@cache
def real() -> Pairs:
    task = get_task("sample")
    english = [d for d in task.datasets if d.languages == ("en",)]
    return concatenate([load_pairs(dataset, None, with_gold=False) for dataset in english])


@pytest.mark.parametrize("name", ["fusion", "bitext-sp"])
def test_a_sentence_of_any_script_with_itself_is_exactly_five(name: str) -> None:
    texts = sentences()
    assert len(texts) == 1000
    codes = (["en"] * 1000, ["en"] * 1000) if name == "bitext-sp" else None
    scores = load(name).model.predict(pairs_of(*zip(texts, texts, strict=True)), codes)
    assert scores.tolist() == [5.0] * len(texts)


@pytest.mark.parametrize("name", ["raw", "fusion", "crosslingual"])
def test_the_sides_may_be_exchanged_and_others_have_less_than_five(name: str) -> None:
    model, pairs = load(name).model, real()
    both = model.languages != ("en",)
    codes = ["en"] * len(pairs), ["es" if row % 2 else "en" for row in range(len(pairs))]
    scores = model.predict(pairs, codes if both else None)
    turned = Pairs(pairs.name, pairs.right, pairs.left, pairs.gold)
    np.testing.assert_array_equal(scores, model.predict(turned, codes[::-1] if both else None))
    assert scores.max() < 5


@pytest.mark.parametrize("name", ["raw", "fusion"])
def test_the_same_words_in_another_order_are_another_text(name: str) -> None:
    scorer = load(name)
    assert scorer.score(DOG, MAN) <= 4.99
    assert scorer.score(
        [DOG, "Straße", "👍", "👍"], ["the dog bit the man", "STRASSE", "👍", "👎"]
    )[:3].tolist() == [5, 5, 5]
    assert scorer.score("👍", "👎") <= 4.99


def test_translations_are_the_same_text_if_they_were_so_before() -> None:
    original = pairs_of((DOG, "El perro"), ("El perro", "El perro!"))
    codes = ["en", "es"], ["es", "es"]
    english = TranslatedPairs("x", (DOG, MAN), (DOG, "A cat."), original.gold, original, codes)
    for name in ("fusion", "crosslingual"):
        scores = load(name).model.predict(english)
        assert scores[0] <= 4.99
        assert scores[1] == 5


def test_an_explanation_names_the_rule_and_adds_up() -> None:
    scorer = load("fusion")
    same, other = scorer.explain([DOG, DOG], [DOG.upper(), "A cat sleeps."])
    (rule,) = [part for part in same.contributions if part.group == RULE]
    assert (same.score, rule.feature, rule.value) == (5.0, "identical", None)
    assert rule.contribution > 0
    assert not [part for part in other.contributions if part.group == RULE]
    for one in (same, other):
        total = one.base + sum(part.contribution for part in one.contributions)
        assert total == pytest.approx(one.score, abs=1e-9)
    assert any(line.split()[:1] == ["identical"] for line in as_table([same], shown=80))
