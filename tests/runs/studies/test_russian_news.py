"""The study of long Russian texts and of three classes: its formulas by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runs.studies.russian_news import (
    best_matches,
    classes_of,
    macro_f1,
    pool_scores,
    pooled,
    sentences_of,
)
from sts.data import fetch
from sts.data.catalog import TGCONTEST
from sts.data.pairs import Pairs

EAST, NORTH = np.float32([1, 0]), np.float32([0, 1])


class Compass:
    """An encoder that knows two sentences."""

    def encode(self, sentences: list[str], normalize: bool = True) -> np.ndarray:
        return np.stack([NORTH if "Снег" in one else EAST for one in sentences])


def test_where_sentences_end() -> None:
    text = "Снег шел в г. Орел 3 дня. «Хватит», — сказал мэр! 5 дорог закрыты… да"
    assert sentences_of(text) == [
        "Снег шел в г.", "Орел 3 дня.", "«Хватит», — сказал мэр!", "5 дорог закрыты… да",
    ]  # fmt: skip
    assert sentences_of("  ") == []


def test_pooling_and_matching() -> None:
    both = np.stack([EAST, NORTH])
    assert pooled(both) == pytest.approx([0.5**0.5] * 2)
    assert pooled(np.stack([EAST, -EAST])).tolist() == [0, 0]
    assert best_matches(both, EAST[None]) == pytest.approx((1 + 0 + 1) / 3)


def test_what_is_compared() -> None:
    titles = Pairs("x", ("Снег",), ("Дождь",), np.zeros(1))
    texts = Pairs("x", ("Снег. Дождь.",), ("Дождь. Дождь.",), np.zeros(1))
    found = pool_scores(titles, texts, Compass())  # type: ignore[arg-type]
    whole = 0.5**0.5
    assert found["title"].tolist() == [0]
    assert found["body, mean of sentences"] == pytest.approx([whole])
    assert found["body, best matches"] == pytest.approx([(1 + 0 + 1 + 1) / 4])
    assert found["title and mean of sentences"] == pytest.approx([whole / 2])


def test_three_classes() -> None:
    loose, strict = np.array([1.0, 3, 3, 1]), np.array([1.0, 1, 4, 4])
    classes = classes_of(loose, strict, (2.0, 2.0))
    assert classes.tolist() == [-1, 0, 1, 1]
    # F1: −1 is 1 of 1 and 1 of 1, 0 is 0, 1 has 1 hit of 2 and of 2
    assert macro_f1(np.array([-1, 1, 1, 0]), classes) == pytest.approx((1 + 0 + 0.5) / 3)


def test_the_articles_are_those_of_the_catalogue(sts_data: Path) -> None:
    title, text = (TGCONTEST["exam", column] for column in ("title", "text"))
    if fetch.locate(title.input, sts_data) is None:
        pytest.skip("labelled data not found beside the STS data")
    titles, texts = (fetch.load(one, sts_data) for one in (title, text))
    assert (len(titles), int((titles.gold > 0).sum())) == (20, 12)
    assert np.array_equal(titles.gold, texts.gold)
    assert min(map(len, texts.left)) > max(map(len, titles.left)) > 50
