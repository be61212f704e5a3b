"""The study of overlap: figures by hand, languages that share nothing, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import comb, factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr, permutation_test, spearmanr

from embeddings.bitext.bitext_configuration import BitextTraining, Shape
from embeddings.bitext.bitext_data import BitextData
from embeddings.bitext.bitext_training import train_on_bitext
from embeddings.bitext.corpus import Bitext
from embeddings.bitext.vocabularies import starting_point
from embeddings.encoder import Encoder
from embeddings.tokenizers.words import WordTokenizer
from runs.studies.languages import language_overlap, shared_pieces
from runs.studies.languages.shared_pieces import (
    Cell,
    Design,
    EnglishTest,
    Material,
    pieces_of,
    without_sharing,
)
from sts.data.pairs import Pairs
from sts.errors import DataError
from sts.text.tokenizer import fold
from tests.embeddings.bitext.synthetic import little_compiled, made_up
from tests.runs.made_files import write_corpus

# Overlap


def test_the_overlap_of_types_by_hand() -> None:
    one, other = ("▁the", "▁", "s", "a"), ("a", "▁", "▁el")
    assert shared_pieces.type_overlap(one, other) == 2 / 5
    assert shared_pieces.type_overlap(other, one) == 2 / 5
    assert shared_pieces.type_overlap(one, one) == 1
    assert shared_pieces.type_overlap(one, ("x",)) == 0


def test_the_overlap_of_tokens_counts_every_time() -> None:
    known = ("▁the", "s", "a")
    assert shared_pieces.token_overlap(["a", "▁el", "a", "s", "▁la"], known) == 3 / 5
    assert shared_pieces.token_overlap(iter(["x"]), known) == 0
    assert shared_pieces.token_overlap([], known) == 0


# Nothing shared

SHAPE = Shape(size=60, dim=4, separate=True, seed=3)
BITEXT = made_up(60, name=True)


def rows_of(model: Any, bitext: Bitext, side: int) -> set[int]:
    return set(model.of(bitext.languages[side]).ids(bitext.side(side)).flat.tolist())


def test_disjoint_vocabularies_share_no_row_and_cut_alike() -> None:
    shared = starting_point([BITEXT], SHAPE)
    assert rows_of(shared, BITEXT, 0) & rows_of(shared, BITEXT, 1)
    split = without_sharing(shared, SHAPE)
    assert not rows_of(split, BITEXT, 0) & rows_of(split, BITEXT, 1)
    for side, language in enumerate(BITEXT.languages):
        for sentence in BITEXT.side(side):
            before, after = (
                [pieces_of(m, language).known[r] for r in pieces_of(m, language).ids(sentence)]
                for m in (shared, split)
            )
            assert before == after
    english = pieces_of(shared, "en").pieces
    assert len(split.of("en").table) == len(english) + len(pieces_of(shared, "xx").pieces) + 64
    np.testing.assert_array_equal(
        split.of("en").table[: len(english)], shared.of("en").table[: len(english)]
    )


@pytest.fixture
def _compile_little() -> Iterator[None]:
    with little_compiled():
        yield


@pytest.mark.usefixtures("_compile_little")
def test_training_apart_moves_all_rows_that_are_read_and_no_bucket() -> None:
    start = without_sharing(starting_point([BITEXT], SHAPE), SHAPE)
    how = BitextTraining(epochs=1, batch=32)
    trained = train_on_bitext(start, [BITEXT], how)
    moved = np.flatnonzero((trained.of("en").table != start.of("en").table).any(axis=1))
    read = BitextData.of([BITEXT], lambda code, s: start.of(code).ids(s), how).active
    assert set(moved.tolist()) <= set(read.tolist())
    assert len(moved) > 0.9 * len(read)
    assert read.max() < len(pieces_of(start, "en").known)


# Material


def test_only_english_that_all_languages_translate_is_kept() -> None:
    pairs = {
        "es": [("a", "a1"), ("b", "b1"), ("c", "c1"), ("a", "again")],
        "de": [("c", "c2"), ("a", "a2"), ("d", "d2")],
    }
    assert shared_pieces.same_english(pairs) == {
        "es": [("a", "a1"), ("c", "c1")],
        "de": [("a", "a2"), ("c", "c2")],
    }


DESIGN = Design("toy", "Toys", ("aa", "bb"), ("one", "two"), size=60)


def test_a_language_may_lack_a_corpus_but_not_all(tmp_path: Path) -> None:
    write_corpus(tmp_path / "one.en-aa.tsv.gz", [("x", "y"), ("Held out.", "z"), ("x", "y")])
    write_corpus(tmp_path / "two.en-aa.tsv.gz", [("v", "w")])
    write_corpus(tmp_path / "two.en-bb.tsv.gz", [("v", "w")])
    held_out = {fold("held out.")}
    read = shared_pieces.pairs_with_english
    assert read(DESIGN, "aa", tmp_path, held_out) == [("x", "y"), ("v", "w")]
    assert read(DESIGN, "bb", tmp_path, held_out) == [("v", "w")]
    with pytest.raises(DataError, match=r"one\.en-cc\.tsv\.gz: no such file; toy needs"):
        read(DESIGN, "cc", tmp_path, held_out)


def material(count: int = 7, pairs: int = 10) -> Material:
    every = [(f"e{i}", f"f{i}") for i in range(pairs)]
    return Material(DESIGN, {"aa": every, "bb": every}, count, EnglishTest(()))


def test_a_seed_draws_as_many_pairs_of_each_language() -> None:
    drawn = {seed: material().bitext(Cell("aa", seed)) for seed in (0, 1)}
    assert drawn[0].languages == ("en", "aa")
    assert all(len(set(bitext.pairs)) == 7 for bitext in drawn.values())
    assert set(drawn[0].pairs) != set(drawn[1].pairs)
    assert drawn[0] == material().bitext(Cell("aa", 0))


def test_a_key_says_what_a_cell_rests_on() -> None:
    cell, one = Cell("aa", 0), material()
    others = (
        one.key(Cell("aa", 1)),
        one.key(Cell("bb", 0)),
        material(count=6).key(cell),
        material(pairs=11).key(cell),
        replace(one, design=replace(DESIGN, size=50)).key(cell),
    )
    assert len({one.key(cell), *others}) == 6
    assert material().key(cell) == one.key(cell)


def test_too_few_pairs_are_refused() -> None:
    few = Material(DESIGN, {"aa": [("", "")] * 2}, 2, EnglishTest(()))
    with pytest.raises(DataError, match="2 pairs of en-aa: .*; draw more"):
        shared_pieces.measure_cell(few, Cell("aa", 0))


# The exam

WORDS = "cat dog bird tree house road".split()


def toy_pairs(name: str, count: int, seed: int) -> tuple[Pairs, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    left, right = ([" ".join(rng.choice(WORDS, 3)) for _ in range(count)] for _ in "ab")
    gold = rng.uniform(0, 5, count)
    gold[0] = np.nan  # nobody scored it
    return Pairs(name, tuple(left), tuple(right), np.full(count, np.nan)), gold


def toy_exam() -> EnglishTest:
    years = []
    for sizes in ((20, 40), (30,)):
        found = [toy_pairs(f"set {size}", size, size) for size in sizes]
        years.append(([p for p, _ in found], {p.name: gold for p, gold in found}))
    return EnglishTest(years)


def test_the_score_is_the_mean_of_the_years_weighted_means() -> None:
    rows = np.random.default_rng(0).standard_normal((len(WORDS) + 1, 5)).astype(np.float32)
    vectors = {word: rows[i].astype(float) for i, word in enumerate(WORDS)}

    def r(size: int) -> float:
        pairs, gold = toy_pairs("", size, size)
        cosines = []
        for left, right in list(zip(pairs.left, pairs.right, strict=True))[1:]:
            a, b = (sum(vectors[word] for word in side.split()) for side in (left, right))
            cosines.append(a @ b / np.sqrt((a @ a) * (b @ b)))
        return float(pearsonr(cosines, gold[1:]).statistic)

    expected = ((19 * r(20) + 39 * r(40)) / 58 + r(30)) / 2
    score = toy_exam().score(Encoder(WordTokenizer(WORDS, 1), rows))
    assert score == pytest.approx(expected, abs=1e-6)


def test_the_exam_is_2012_to_2015(sts_data: Path) -> None:
    years = shared_pieces.read_english_test(sts_data).years
    assert [len(gold) for _, gold in years] == [5, 3, 6, 5]
    assert all(np.isnan(p.gold).all() for every, _ in years for p in every)


# Correlations


@pytest.mark.parametrize("seed", range(4))
def test_the_p_of_a_correlation_is_that_of_all_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, 5)).round(1 if seed else 0)  # with ties at first

    def statistic(x: Any) -> float:
        return abs(float(spearmanr(x, b).statistic))

    expected = permutation_test(
        (a,), statistic, permutation_type="pairings", n_resamples=np.inf, alternative="greater"
    ).pvalue
    assert language_overlap.exact_p(a, b) == pytest.approx(expected)


def test_a_perfect_order_has_the_least_p() -> None:
    a = np.arange(5.0)
    assert language_overlap.exact_p(a, -(a**3)) == pytest.approx(2 / factorial(5))
    assert np.isnan(language_overlap.exact_p(a, np.ones(5)))


# The table


def figures(scores: Mapping[str, tuple[float, ...]]) -> dict[str, Any]:
    types = {"aa": 0.1, "bb": 0.3, "cc": 0.2, "dd": 0.4}
    return {
        "what": "Toys",
        "pairs": 1234,
        "pieces": 500,
        "languages": {
            code: {
                "types": [types[code]] * len(own),
                "tokens": [types[code] / 2 + 0.25] * len(own),
                "shared": list(own),
                "apart": [0.5 - score for score in own],
            }
            for code, own in scores.items()
        },
    }


def test_the_table_shows_means_and_what_they_are_worth() -> None:
    scores = {"aa": (0.1, 0.3), "bb": (0.3, 0.3), "cc": (0.4, 0.4), "dd": (0.5, 0.5)}
    lines = language_overlap.design_table(figures(scores)).splitlines()
    assert lines[0].startswith("**Toys**: 1,234 pairs of each language, up to 500 pieces a side, 2")
    assert lines[2] == "| with English | types | tokens | shared | ± | apart | ± |"
    assert [line[2:4] for line in lines[4:8]] == ["dd", "bb", "cc", "aa"]
    assert lines[7] == "| aa | 0.100 | 0.300 | 0.2000 | 0.1414 | 0.3000 | 0.1414 |"
    rho = spearmanr([0.1, 0.3, 0.2, 0.4], [0.2, 0.3, 0.4, 0.5]).statistic
    assert rho == pytest.approx(0.8)
    # Of 24 orders 1 has a rho of 1, 3 have one of .8, and as many are as far below 0.
    p = 2 * (comb(4, 4) + 3) / 24
    assert f"types, shared 80 (p = {p:.2f}); types, apart -80 (p = {p:.2f}); tokens" in lines[-1]
    assert "These are 4 points: even a perfect order has p = 0.083, so that no" in lines[-1]


def test_one_seed_has_no_deviation() -> None:
    lines = language_overlap.design_table(
        figures(dict.fromkeys(("aa", "bb"), (0.25,)))
    ).splitlines()
    assert "1 seed;" in lines[0]
    assert lines[5] == "| aa | 0.100 | 0.300 | 0.2500 |  | 0.2500 |  |"


# The command


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A study of two made-up languages, and a document to show it in."""
    for language, seed in (("aa", 1), ("bb", 2)):
        path = tmp_path / "bitext" / f"one.en-{language}.tsv.gz"
        write_corpus(path, made_up(60, seed, name=True).pairs)
    monkeypatch.setattr(shared_pieces, "all_data_sets", tuple)
    monkeypatch.setattr(shared_pieces, "read_english_test", lambda folder: toy_exam())
    monkeypatch.setattr(shared_pieces, "TRAINING", BitextTraining(epochs=1, batch=32))
    monkeypatch.setattr(language_overlap, "DESIGNS", {"toy": DESIGN})
    monkeypatch.setattr(language_overlap, "OVERLAP", tmp_path / "kept" / "overlap.json")
    monkeypatch.setattr(language_overlap, "BITEXT", tmp_path / "bitext.md")
    (tmp_path / "bitext.md").write_text("a\n<!-- overlap: begin --><!-- overlap: end -->\nb\n")
    with little_compiled():
        yield tmp_path


def test_a_study_is_measured_once_kept_and_shown(
    toy: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = toy / "work"
    options = ("--data", toy, "--work", work, "--seeds", 1)
    ended = cli(*options, main=language_overlap.main)
    assert (ended.code, ended.err) == (0, "")
    assert "**Toys**: 60 pairs of each language, up to 60 pieces a side, 1 seed;" in ended.out
    own = json.loads((toy / "kept" / "overlap.json").read_text("utf-8"))["toy"]["languages"]["bb"]
    assert {name: len(found) for name, found in own.items()} == dict.fromkeys(
        ("types", "tokens", "shared", "apart"), 1
    )
    assert all(0 < share < 1 for kind in ("types", "tokens") for share in own[kind])
    assert own["shared"] != own["apart"]
    assert len((work / "cells.jsonl").read_bytes().splitlines()) == 2

    def refuse(*_: Any) -> Any:
        raise AssertionError("it was measured before")

    monkeypatch.setattr(shared_pieces, "type_overlap", refuse)
    assert cli(*options, main=language_overlap.main) == ended
    assert cli("--write", main=language_overlap.main) == ended
    shown = (toy / "bitext.md").read_text("utf-8")
    assert shown == f"a\n<!-- overlap: begin -->\n\n{ended.out}\n<!-- overlap: end -->\nb\n"


def test_a_trial_keeps_nothing_but_its_cells(
    toy: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[tuple[int, Cell]] = []

    def measure(material: Material, cell: Cell) -> dict[str, float]:
        measured.append((len(material.bitext(cell)), cell))
        return dict.fromkeys(("types", "tokens", "shared", "apart"), cell.seed / 2)

    monkeypatch.setattr(language_overlap, "measure_cell", measure)
    options = ("--data", toy, "--work", toy / "work", "--seeds", 2, "--limit", 50)
    ended = cli(*options, main=language_overlap.main)
    assert ended.code == 0
    assert "**Toys**: 50 pairs of each language, up to 60 pieces a side, 2 seeds" in ended.out
    assert "| bb | 0.250 | 0.250 | 0.2500 | 0.3536 | 0.2500 | 0.3536 |" in ended.out
    assert measured == [(50, Cell(code, seed)) for seed in (0, 1) for code in ("aa", "bb")]
    assert not (toy / "kept").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing is kept yet; give --data DIR"),
        (("--seeds", "0"), "--seeds 0: expected 1 or more"),
        (("--limit", "1"), "--limit 1: expected 2 pairs or more"),
        (("--limit", "5", "--write"), "leave out one"),
        (("--jobs", "0"), "--jobs 0"),
    ],
)
def test_what_cannot_be_is_refused(
    toy: Path, cli: Any, arguments: tuple[str, ...], said: str
) -> None:
    cli(*arguments, main=language_overlap.main).refused(said)
