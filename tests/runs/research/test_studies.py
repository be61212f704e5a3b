"""One test of each study, by hand or on little data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from research import partial_paraphrases, sentence_training, speed, tables
from research.language_overlap import exact_p, overlap_tables, token_overlap, type_overlap
from research.paws_across import Side, judged, measure, paws_table
from research.russian_news import classes_of, macro_f1
from research.sentence_training import (
    FIGURES,
    Budget,
    Material,
    alignment,
    given_negatives,
    material_of,
    uniformity,
)
from research.translation_retrieval import accuracy, f1, retrieve
from semaniacs.embeddings.encoder import unit
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.translation import Translation, Translator
from tests.embeddings.transformer import tiny

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
ENGLISH = np.array([True, False, False])
SENTENCE = "A young cook ate {} apples and slept while two men sang and old Ann flew to Lima ."


def side(left: list[list[float]], right: list[list[float]], translated: list[bool]) -> Side:
    there = np.array(translated)
    return Side(np.float32(left), np.float32(right), ENGLISH & there, there)


ONE = side([EAST, EAST, NORTH], [EAST, NORTH, NORTH], [True, True, True])
OTHER = side([EAST, NORTH, NORTH], [NORTH, NORTH, EAST], [False, True, True])


def test_translations_beside_those_of_what_means_something_else() -> None:
    found = judged("inter-same", ONE, OTHER, ENGLISH)
    assert found.scores.tolist() == [0, 1, 0, 0]
    assert found.labels.tolist() == [True, True, False, False]


def test_thresholds_of_a_pair_of_languages_and_of_all() -> None:
    same = side([EAST] * 3, [EAST, NORTH, NORTH], [True] * 3)
    near = side([EAST] * 3, [[1, 1], NORTH, [0.2, 1]], [True] * 3)
    languages = {"aa": same, "bb": near}
    rows = measure(languages, languages, {"dev": ENGLISH, "test": ENGLISH})
    intra = [row for row in rows if row["kind"] == "intra"]
    assert [row["languages"] for row in intra] == ["aa", "bb"]
    assert [row["accuracy"] for row in intra] == [1, 1]
    assert [row["one_threshold"] for row in intra] == [1, 1]  # 45° and nearer
    assert [row["languages"] for row in rows if row["kind"] == "inter-para"] == ["aa–bb", "bb–aa"]
    assert "| inter-same | mean | 10 |" in paws_table(rows)


def test_the_figures_are_those_of_mteb() -> None:
    rng = np.random.default_rng(0)
    english = unit(rng.standard_normal((60, 8)).astype("f4"))
    other = unit(english + 0.4 * rng.standard_normal((60, 8)).astype("f4"))
    found, gold = (english @ other.T).argmax(axis=1), np.arange(60)
    assert 0 < accuracy(found) < 1
    assert accuracy(found) == pytest.approx(accuracy_score(gold, found))
    expected = f1_score(gold, found, average="weighted", zero_division=0)
    assert f1(found) == pytest.approx(expected)
    figures = retrieve(english, other)
    assert figures["from_english"] == pytest.approx(accuracy(found), abs=1e-4)
    assert figures["to_english"] == pytest.approx(
        accuracy_score(gold, (other @ english.T).argmax(axis=1)), abs=1e-4
    )


def test_states_by_hand() -> None:
    """Tokens e1 e2 against e2 and a word at 60° to e2; [CLS] is at 90°, [SEP] counts in the mean."""
    e = np.eye(3, dtype=np.float32)
    near = 0.5 * e[1] + np.sqrt(0.75) * e[2]
    left, right = np.stack([e[0], e[0], e[1], e[2]]), np.stack([e[1], e[1], near, e[2]])
    mean, first, f1 = partial_paraphrases.by_states(left, right)
    a, b = left.mean(0), right.mean(0)
    assert mean == pytest.approx(float(a @ b / np.sqrt((a @ a) * (b @ b))))
    assert first == 0
    precision, recall = (0 + 1) / 2, (1 + 0.5) / 2
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


class Same(Translator):
    """Everything comes back as it was."""

    name, version, install_hint = "same", "1", ""

    def available(self) -> bool:
        return True

    def _find(self, texts: Any, source: str, target: str) -> dict[str, Translation]:
        return {text: Translation(text) for text in texts}


def test_partial_paraphrases_are_ranked(tmp_path: Path) -> None:
    rows = [(SENTENCE.format("six"), SENTENCE.format(n), 1) for n in ("six", "ripe", "red")]
    lines = [f"{i}\t{a}\t{b}\t{label}" for i, (a, b, label) in enumerate([*rows, ("x", "y", 0)])]
    (tmp_path / "paws").mkdir()
    text = "\n".join(["id\tsentence1\tsentence2\tlabel", *lines, ""])
    (tmp_path / "paws" / "wiki-test.tsv").write_text(text)
    words = {"words": partial_paraphrases.by_words}
    figures = partial_paraphrases.measure(tmp_path, 0, None, Same(), words)
    table = partial_paraphrases.ranking_table(figures)
    assert table.startswith("3 groups; of 3 paraphrases 3 have three groups")
    # A continuation only adds words, so that both scores fall from degree to degree.
    bag, bigram = (line.split(" | ") for line in table.splitlines()[4:6])
    assert bag[5] == bigram[5] == "100.00 / 100.00 |"


def test_three_classes() -> None:
    loose, strict = np.array([1.0, 3, 3, 1]), np.array([1.0, 1, 4, 4])
    classes = classes_of(loose, strict, (2.0, 2.0))
    assert classes.tolist() == [-1, 0, 1, 1]
    # F1: −1 is 1 of 1 and 1 of 1, 0 is 0, 1 has 1 hit of 2 and of 2
    assert macro_f1(np.array([-1, 1, 1, 0]), classes) == pytest.approx((1 + 0 + 0.5) / 3)


BUDGET = Budget(learned=24, chosen=30, tested=50, epochs=1, batch=8)


def toy_pairs(n: int) -> Pairs:
    """Pairs of six words: paraphrases if both sides are of one half of the vocabulary."""
    halves, gold = np.random.default_rng(0).integers(0, 2, (2, n))

    def words(half: int, drawn: Any) -> str:
        return " ".join(tiny.KNOWN[4 * half + word] for word in drawn)

    drawn = np.random.default_rng(1).integers(0, 4, (2, n, 6))
    left = [words(half, row) for half, row in zip(halves, drawn[0], strict=True)]
    right = [
        words(half if same else 1 - half, row)
        for half, same, row in zip(halves, gold, drawn[1], strict=True)
    ]
    return Pairs("toy", tuple(left), tuple(right), 5.0 * gold)


@pytest.fixture
def material() -> Material:
    return material_of(tiny.network(), toy_pairs(120), BUDGET)


def test_given_negatives_by_hand() -> None:
    own = np.array([[0, 1], [0, 2], [3, 1], [4, 5], [6, 0]])
    labels = np.array([1, 0, 0, 1, 1])
    np.testing.assert_array_equal(given_negatives(own, labels), [[2], [2], [1], [-1], [2]])


def test_alignment_and_uniformity_by_hand() -> None:
    rows = np.float32([EAST, NORTH, [-1, 0]])
    assert alignment(rows[:2], rows[1:]) == pytest.approx(2)  # of unit vectors at 90°
    # squared distances 2, 4 and 2
    expected = np.log((2 * np.exp(-4) + np.exp(-8)) / 3)
    assert uniformity(rows) == pytest.approx(expected)


def test_a_training_changes_the_figures(
    material: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved(model: Any, *_: Any, label: str) -> None:
        model.dense = jax.tree.map(lambda value: 1.5 * value, model.dense)

    monkeypatch.setattr(sentence_training, "run", moved)
    train, recipes = sentence_training.train_negatives, sentence_training.RECIPES
    before, after = (
        train(material, sentence_training.Negatives(recipes[name], 0))
        for name in ("untrained", "mega-batch 5, 2 closest")
    )
    assert set(before) == set(after) == set(FIGURES)
    assert before["uniformity"] != after["uniformity"]


def test_overlaps_by_hand() -> None:
    assert type_overlap("abc", "bcd") == 0.5
    assert token_overlap("aabx", "ab") == 0.75
    assert exact_p(np.arange(5.0), np.arange(5.0)) == pytest.approx(2 / 120)
    assert overlap_tables(tables.read_record("overlap")).startswith("**News of NTREX")


def test_speed_is_a_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    def contests(_: list[str]) -> Iterator[speed.Contest]:
        yield speed.Contest("w", "pairs", lambda: None, 2000, "p", lambda: None, 100)

    monkeypatch.setitem(speed.KINDS, "search", contests)
    monkeypatch.setattr(speed, "SHORTEST", 0.001)
    (row,) = speed.measure(["search"], [], 1)
    assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"], rel=0.01)
    row = {"work": "w", "unit": "pairs", "ours": 2000, "peer": "p", "theirs": 100, "ratio": 20.0}
    assert "| w | 2,000 pairs | p | 100 | 20 |" in speed.speed_table([row])


def test_every_recorded_table_can_be_made() -> None:
    for name, table in tables.TABLES.items():
        rows = [line for line in table().splitlines() if line.startswith("| ")]
        assert len(rows) > 2, name
