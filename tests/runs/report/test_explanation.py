"""``run_submission.py --explain``: which features moved the score of one's own pairs."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from embeddings import loading
from features.columns import FeatureColumns
from features.registry import get_feature
from features.regressors.boosting import Boosting
from features.regressors.ensemble import Ensemble
from features.resources import Resources
from runs.pipeline.ensemble_run import EnsembleModel, EnsembleRun
from runs.pipeline.run import SHIPPED
from runs.pipeline.tuning.encoders import name_encoders
from runs.report.explanation import (
    Contribution,
    ExplainedPair,
    as_json,
    as_table,
    contributions_of,
    explain_pairs,
    figures_that_add_up,
)
from sts.data.fetch import load
from sts.data.pairs import Pairs, concatenate

COLUMNS = (
    "content_1gram", "content_2gram", "lemma_1gram", "lemma_2gram", "weighted_word_match",
    "number_match", "number_count", "case_match", "paraphrase1", "relative_len_difference",
)  # fmt: skip
OWN = (
    "the cat eats an apple\tthe cat is eating an apple\nmy café closes\tour teacher paints 7 maps\n"
)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.tsv"
    path.write_text(OWN, encoding="utf-8")
    return path


@pytest.fixture
def model(toy: Any, toy_runs: Any, monkeypatch: pytest.MonkeyPatch) -> EnsembleModel:
    """A small fusion, which "ships" as the run toy-fusion."""
    extractor = FeatureColumns(
        COLUMNS, Resources(name_encoders([loading.load_static("tiny")]), "tiny")
    )
    pairs = concatenate([load(dataset, toy.data) for dataset in toy.task.train])
    training = pairs.select(pairs.scored)
    fusion = Ensemble([Boosting("sklearn", n_estimators=20, learning_rate=0.2, min_samples_leaf=2)])
    fused = EnsembleModel(
        toy_runs["toy-fusion"],
        extractor,
        fusion.fit(extractor.compute(training), training.gold).fitted_,
    )

    load_saved = EnsembleRun.load

    def load_fused(run: EnsembleRun, folder: Path = SHIPPED) -> EnsembleModel:
        return fused if run.seed == 0 else load_saved(run, folder)

    monkeypatch.setattr(EnsembleRun, "load", load_fused)
    return fused


def explain(cli: Any, *options: object) -> Any:
    return cli("--explain", "--run", "toy-fusion", *options)


def lines_of(ended: Any) -> list[dict[str, Any]]:
    assert (ended.code, ended.err) == (0, "")
    return [json.loads(line) for line in ended.out.splitlines()]


def test_a_pair_that_is_compared_in_other_words_is_shown_as_it_is_compared(
    model: EnsembleModel,
) -> None:
    alike = replace(model, features=replace(model.features, written_alike=True))
    texts = (
        ("I recieved 2 maps", "a teacher paints"),
        ("I received two maps", "my teacher paints"),
    )
    pairs = Pairs("own", *texts, np.zeros(2))
    first, second = explain_pairs(alike, pairs, repeats=1)
    assert first.compared == ("I received two maps", "I received two maps")
    assert (first.left, second.compared) == ("I recieved 2 maps", None)
    assert as_table([first])[:6] == [first.left, first.right, "", "compared as", *first.compared]
    assert [json.loads(line).get("compared") for line in as_json([first, second])] == [
        ["I received two maps", "I received two maps"],
        None,
    ]
    assert all(one.compared is None for one in explain_pairs(model, pairs, repeats=1))


# JSON


def test_json_holds_every_feature_and_adds_up(cli: Any, model: EnsembleModel, own: Path) -> None:
    scores = cli("--pairs", own, "--run", "toy-fusion").out.split()
    pairs = lines_of(explain(cli, "--pairs", own, "--json"))
    assert [f"{pair['score']:.4f}" for pair in pairs] == scores
    for pair, line in zip(pairs, OWN.splitlines(), strict=True):
        assert list(pair) == ["left", "right", "score", "base", "contributions", "differences"]
        assert [pair["left"], pair["right"]] == line.split("\t")
        parts = pair["contributions"]
        assert {part["feature"] for part in parts} == set(COLUMNS)
        sizes = [abs(part["contribution"]) for part in parts]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > 0.1
        total = pair["base"] + sum(part["contribution"] for part in parts)
        assert total == pytest.approx(pair["score"], abs=1e-9)
    assert pairs[0]["base"] == pairs[1]["base"]


def test_json_holds_the_values_of_the_features(cli: Any, model: EnsembleModel, own: Path) -> None:
    for pair in lines_of(explain(cli, "--pairs", own, "--json")):
        for part in pair["contributions"]:
            assert list(part) == ["feature", "group", "value", "contribution"]
            feature = get_feature(part["feature"])
            assert part["group"] == feature.group
            assert feature.low <= part["value"] <= feature.high
    first = {part["feature"]: part["value"] for part in pair["contributions"]}
    assert first["content_1gram"] == 0  # the last pair shares no word


def test_a_pair_is_explained_alike_wherever_it_stands(
    cli: Any, model: EnsembleModel, own: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.tsv"
    lines = OWN.splitlines(keepends=True)
    other.write_text(lines[1] + lines[1] + lines[0], encoding="utf-8")
    first = explain(cli, "--pairs", own, "--json").out.splitlines()
    assert explain(cli, "--pairs", other, "--json").out.splitlines() == [
        first[1], first[1], first[0]
    ]  # fmt: skip


def test_a_missing_value_is_null_and_adds_nothing(
    cli: Any, model: EnsembleModel, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        FeatureColumns, "missing", lambda self: {"content_1gram": "apt-get install it"}
    )
    ended = explain(cli, "--pairs", own, "--json")
    assert "warning: without content_1gram" in ended.err
    for line in ended.out.splitlines():
        parts = {part["feature"]: part for part in json.loads(line)["contributions"]}
        assert parts["content_1gram"]["value"] is None
        assert parts["content_1gram"]["contribution"] == 0


def test_letters_stay_letters_and_a_pair_stays_a_line() -> None:
    pair = ExplainedPair("a café", "a\u2028b", 1.0, 1.0, ())
    (line,) = as_json([pair])
    assert "café" in line
    assert "\n" not in line
    assert json.loads(line)["right"] == "a\u2028b"


# The table


def test_the_table_leads_from_the_base_to_the_score(
    cli: Any, model: EnsembleModel, own: Path
) -> None:
    pairs = lines_of(explain(cli, "--pairs", own, "--json"))
    blocks = explain(cli, "--pairs", own).out.split("\n\n")
    assert len(blocks) == 4
    for pair, sentences, table in zip(pairs, blocks[::2], blocks[1::2], strict=True):
        assert sentences.split("\n") == [pair["left"], pair["right"]]
        header, base, *rows, score = [line.split() for line in table.rstrip("\n").split("\n")]
        assert header == ["feature", "group", "value", "contribution"]
        assert base == ["base", f"{pair['base']:.4f}"]
        assert score == ["score", f"{pair['score']:.4f}"]
        assert rows[-1][:2] == ["2", "others"]
        for row, part in zip(rows[:-1], pair["contributions"][:8], strict=True):
            assert row[:3] == [part["feature"], part["group"], f"{part['value']:.4f}"]
            assert row[3][0] in "+-"
            assert float(row[3]) == pytest.approx(part["contribution"], abs=1.01e-4)
        units = [round(float(row[-1]) * 10_000) for row in (base, *rows, score)]
        assert sum(units[:-1]) == units[-1]


def test_few_features_need_no_line_of_others() -> None:
    parts = tuple(Contribution(name, "g", None, 0.5) for name in "ab")
    table = as_table([ExplainedPair("l", "r", 3.0, 2.0, parts)])
    assert table[:3] == ["l", "r", ""]
    assert [line.split() for line in table[3:]] == [
        ["feature", "group", "value", "contribution"],
        ["base", "2.0000"],
        ["a", "g", "missing", "+0.5000"],
        ["b", "g", "missing", "+0.5000"],
        ["score", "3.0000"],
    ]
    rest = as_table([ExplainedPair("l", "r", 3.0, 2.0, parts)], shown=1)[-2]
    assert rest.split() == ["1", "other", "+0.5000"]


def test_rounded_figures_add_up_to_the_last_digit() -> None:
    assert figures_that_add_up(1.0, [0.00004, 0.00004, 0.00004]) == [1.0, 0.0, 0.0001, 0.0]
    rng = np.random.default_rng(0)
    for _ in range(50):
        base, *parts = rng.normal(size=9)
        figures = figures_that_add_up(base, parts)
        assert round(sum(figures), 4) == round(base + sum(parts), 4)
        np.testing.assert_allclose(figures, [base, *parts], rtol=0, atol=1.01e-4)


def test_the_largest_comes_first_and_ties_keep_their_order() -> None:
    names = ["case_match", "det_1", "number_match", "number_count"]
    ordered = contributions_of(names, [1, 2, np.nan, 4], [0.1, 0.0, -0.2, 0.0])
    assert [part.feature for part in ordered] == [
        "number_match", "case_match", "det_1", "number_count"
    ]  # fmt: skip
    assert ordered[0].value is None
    assert ordered[1].group == get_feature("case_match").group


# Where it comes from and goes to


def test_it_reads_stdin_and_writes_a_file(
    cli: Any, model: EnsembleModel, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for options in ([], ["--json"]):
        printed = explain(cli, "--pairs", own, *options)
        stdin = SimpleNamespace(buffer=io.BytesIO(OWN.encode()))
        monkeypatch.setattr(sys, "stdin", stdin)
        target = tmp_path / "new" / "explained.txt"
        written = explain(cli, "--pairs", "-", *options, "--output", target)
        assert (written.code, written.out) == (0, "")
        assert target.read_text(encoding="utf-8") == printed.out


# Bad input


def test_explain_and_json_say_what_to_type(cli: Any, own: Path) -> None:
    asked = "type: python run_submission.py --explain --pairs FILE"
    for options in (
        ["--explain"],
        ["--explain", "--json"],
        ["--json"],
        ["--explain", "--task", "x"],
    ):
        cli(*options).refused(asked)
    cli("--pairs", own, "--json").refused("--json is for --explain: type --explain --json")


def test_a_cosine_cannot_be_explained(cli: Any, toy_runs: Any, own: Path) -> None:
    for run in ("raw", "toy-raw", "toy-tuned"):
        ended = cli("--explain", "--pairs", own, "--run", run)
        ended.refused(f"run {run!r} is a cosine alone", "such as fusion")


def test_a_run_that_does_not_ship_is_refused(cli: Any, model: EnsembleModel, own: Path) -> None:
    explain(cli, "--pairs", own, "--seed", 3).refused("with seed 3 does not ship fitted")


def test_bad_pairs_are_refused(cli: Any, toy_runs: Any, own: Path) -> None:
    own.write_bytes(b"A\tB\nA\t\n")
    explain(cli, "--pairs", own).refused("own.tsv:2: the right sentence is empty")
