"""The report: what it finds, and that the page is whole, escaped, alone and the same every time."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jinja2 import Environment, FileSystemLoader

from semaniacs.cli import run
from semaniacs.features.registry import get_feature
from semaniacs.runs.contribution.summary import Loss, StudySummary
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.task_run import predict
from semaniacs.runs.report.findings import ERRORS, Findings, collect
from semaniacs.runs.report.page import (
    CONTRIBUTIONS,
    IMPORTANCES,
    TEMPLATES,
    Bar,
    limits_of,
    page,
    place,
)
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.scoring.shared_task.gold_standard import gold_of_task

EVIL = """<script>alert("1")</script> 'quoted' & "more" <b>"""
VOID = {"meta", "br", "hr", "img", "input", "link"}

STUDIES = StudySummary(
    "toy",
    "0123",
    without=(Loss("paraphrases", 0.02, 0.01, 0.03), Loss("numbers", -0.001, -0.004, 0.002)),
    alone=(("paraphrases", 0.7), ("numbers", math.nan)),
    cumulative=(("paraphrases", 0.7), ("numbers", 0.71)),
    permutation=(
        Loss("paraphrase1", 0.05, 0.04, 0.06),
        Loss("det_1", math.nan, math.nan, math.nan),
    ),
)


class Tree(HTMLParser):
    """Reads a page strictly: every element is closed, in the order in which it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def under(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


MADE: dict[str, Findings] = {}
"""Findings do not change, and fitting takes seconds: they are made once."""


@pytest.fixture
def findings(toy: Any, toy_runs: dict[str, Run]) -> Findings:
    if "fusion" not in MADE:
        outcome = predict(toy_runs["toy-fusion"], toy.task, toy.data)
        MADE["fusion"] = collect(outcome, gold_of_task(toy.task, toy.data).scores, STUDIES)
    return MADE["fusion"]


@pytest.fixture
def plain(toy: Any, toy_runs: dict[str, Run]) -> Findings:
    outcome = predict(toy_runs["toy-raw"], toy.task, toy.data)
    return collect(outcome, gold_of_task(toy.task, toy.data).scores)


def with_evil(findings: Findings) -> Findings:
    """The same with text everywhere that would be a script if it were not escaped."""
    datasets = {}
    for name, scored in findings.datasets.items():
        pairs = Pairs(name, (EVIL, *scored.pairs.left[1:]), scored.pairs.right, scored.pairs.gold)
        datasets[name] = replace(scored, pairs=pairs)
    errors = [
        replace(error, explained=replace(error.explained, left=EVIL, right=EVIL))
        for error in findings.errors
    ]
    vocabulary = {name: replace(v, examples=(EVIL,)) for name, v in findings.vocabulary.items()}
    return replace(
        findings,
        datasets=datasets,
        errors=errors,
        vocabulary=vocabulary,
        signature={"recipe": EVIL},
        about=EVIL,
        task=replace(findings.task, title=EVIL, citation=EVIL, licence=EVIL),
    )


# --- what is found


def test_the_largest_errors_come_first_and_are_explained(findings: Findings) -> None:
    sizes = [abs(error.explained.score - error.gold) for error in findings.errors]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == ERRORS
    for error in findings.errors:
        scored, explained = findings.datasets[error.dataset], error.explained
        assert scored.pairs.left[error.line - 1] == explained.left
        assert scored.gold[error.line - 1] == error.gold
        assert scored.predicted[error.line - 1] == explained.score
        parts = explained.contributions
        assert sorted(p.feature for p in parts) == sorted(findings.run.columns)
        assert explained.base + sum(p.contribution for p in parts) == pytest.approx(explained.score)
        lengths = [abs(part.contribution) for part in parts]
        assert lengths == sorted(lengths, reverse=True)
    every = [
        abs(p - g)
        for scored in findings.datasets.values()
        for p, g in zip(scored.predicted, scored.gold, strict=True)
        if not math.isnan(g)
    ]
    assert sorted(every, reverse=True)[:ERRORS] == sizes


def test_an_unscored_pair_is_no_error(plain: Findings) -> None:
    unscored = {(n, len(d.pairs)) for n, d in plain.datasets.items() if np.isnan(d.gold[-1])}
    assert unscored
    assert not unscored & {(error.dataset, error.line) for error in plain.errors}


def test_a_run_without_features_has_nothing_to_explain(plain: Findings) -> None:
    assert plain.importances == {}
    assert plain.studies is None
    for error in plain.errors:
        assert error.explained.contributions == ()
        assert math.isnan(error.explained.base)
        predicted = plain.datasets[error.dataset].predicted
        assert error.explained.score == predicted[error.line - 1]


# --- the page


def test_the_page_is_whole(findings: Findings) -> None:
    tree = Tree(page(findings, "make it"))
    headings = [int(tag[1]) for tag, _ in tree.elements if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))
    identifiers = Counter(a["id"] for _, a in tree.elements if "id" in a)
    assert set(identifiers.values()) == {1}
    assert [a["href"] for a in tree.all("a")] == [
        f"#{name}"
        for name in (
            "scores", "predicted", "importance", "ablation", "errors", "vocabulary", "signature",
        )
    ]  # fmt: skip
    assert {str(a["href"])[1:] for a in tree.all("a")} <= set(identifiers)
    assert tree.all("html") == [{"lang": "en"}]
    assert any(a.get("name") == "viewport" for a in tree.all("meta"))


def test_everything_is_named_for_those_who_do_not_see_it(findings: Findings) -> None:
    tree = Tree(page(findings, "make it"))
    charts = [a for _, a in tree.elements if a.get("role") == "img"]
    assert charts and all(a.get("aria-label") for a in charts)
    assert all(a.get("role") == "img" for a in tree.all("svg"))
    assert {a.get("scope") for a in tree.all("th")} == {"col", "row"}
    assert len(tree.all("caption")) == len(tree.all("table")) == 2
    assert len(tree.all("figcaption")) == len(tree.all("figure"))


def bar_widths(text: str) -> dict[str, tuple[str, float, float]]:
    """Class, left end and width, in percent, of the bar of each name in a chart."""
    row = r'<dt[^>]*>([^<]+?) *(?:<small>.*?</small>)?</dt>\s*<dd[^>]*>\s*<div class="(up|down)"'
    found = re.findall(row + r' style="left: ([-\d.]+)%; width: ([-\d.]+)%"', text)
    return {name: (kind, float(left), float(width)) for name, kind, left, width in found}


def test_a_bar_is_as_long_as_its_value() -> None:
    charts = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    charts.globals["place"] = place
    rows = [Bar("a", 3.0, "3"), Bar("b", -1.0, "-1", low=-1.5, high=-0.5)]
    low, high = limits_of(rows)
    assert (low, high) == (-1.5, 3.0)
    text = str(charts.get_template("charts.html").module.bars(rows, "both", low, high))
    assert bar_widths(text) == {"a": ("up", 33.33, 66.67), "b": ("down", 11.11, 22.22)}
    assert 'aria-label="both: a 3; b -1"' in text
    assert 'class="whisker" style="left: 0.0%; width: 22.22%"' in text


def test_the_page_needs_nothing_else(findings: Findings) -> None:
    text = page(findings, "make it")
    tree = Tree(text)
    assert not {tag for tag, _ in tree.elements} & {"script", "link", "img", "iframe", "object"}
    attributes = {name for _, given in tree.elements for name in given}
    assert not attributes & {"src", "srcset", "onclick", "onload", "xlink:href", "xmlns"}
    assert not re.search(r"https?:|url\(|@import|@font-face|javascript:", text)


def test_what_data_say_is_text_and_nothing_else(findings: Findings) -> None:
    text = page(with_evil(findings), EVIL)
    tree = Tree(text)
    kinds = {tag for tag, _ in Tree(page(findings, "make it")).elements}
    assert {tag for tag, _ in tree.elements} == kinds
    assert tree.under("p").count(EVIL) == 2 * len(findings.errors)
    assert sum(EVIL in title for title in tree.under("title")) == len(findings.datasets)
    assert EVIL in tree.under("code")
    assert any(EVIL in line for line in tree.under("td"))


def test_contributions_are_cut_and_summed(findings: Findings) -> None:
    error = findings.errors[0]
    one = replace(error.explained.contributions[0], contribution=0.01)
    many = replace(error.explained, contributions=(one,) * (CONTRIBUTIONS + 3))
    errors = [replace(error, explained=many)]
    text = page(replace(findings, errors=errors), "make it")
    assert re.search(r">3 others</dt>.*?>\+0\.03</dd>", text, re.DOTALL)


def test_a_page_without_features(plain: Findings) -> None:
    tree = Tree(page(plain, "make it"))
    assert [str(a["href"])[1:] for a in tree.all("a")] == [
        "scores", "predicted", "errors", "vocabulary", "signature",
    ]  # fmt: skip


def test_a_fusion_that_could_not_be_studied_says_so(findings: Findings) -> None:
    text = page(replace(findings, studies=None), "make it")
    assert "Not studied" in text
    assert "--quick" in text
    Tree(text)


def test_an_undefined_correlation_is_a_dash(findings: Findings) -> None:
    scores = {
        name: replace(score, pearson=math.nan, spearman=math.nan)
        for name, score in findings.score.datasets.items()
    }
    score = replace(findings.score, datasets=scores, weighted_mean=math.nan)
    undefined = replace(findings, score=score, interval=(math.nan, math.nan))
    text = page(undefined, "make it")
    assert "–" in Tree(text).under("td")
    assert not re.search(r"\bnan\b", text)


def test_every_feature_in_a_chart_has_a_sentence(findings: Findings) -> None:
    tree = Tree(page(findings, "make it"))
    shown = {
        one.feature for e in findings.errors for one in e.explained.contributions[:CONTRIBUTIONS]
    }
    for name in shown | {*list(findings.importances)[:IMPORTANCES]}:
        assert name in tree.under("dt")
        assert get_feature(name).about in tree.under("dd")


# --- the colours


def palettes() -> Iterator[tuple[str, dict[str, str]]]:
    """The colours of the light and of the dark page."""
    blocks = re.findall(r":root \{([^}]*)\}", (TEMPLATES / "style.css").read_text(encoding="utf-8"))
    for name, block in zip(("light", "dark", "print"), blocks, strict=True):
        yield name, dict(re.findall(r"--(\w+): #([0-9a-f]{6})", block))


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2) of rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("name", "colours"), list(palettes()))
def test_everything_can_be_read(name: str, colours: dict[str, str]) -> None:
    for ink in ("ink", "soft", "plus", "minus", "mark"):
        for ground in ("paper", "card"):
            light, dark = sorted((luminance(colours[ink]), luminance(colours[ground])))[::-1]
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (name, ink, ground)


# --- the command


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the command is typed in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_the_same_command_gives_the_same_bytes(
    toy: Any, toy_runs: dict[str, Run], cli: Any, at: Path
) -> None:
    options = ("--run", "toy-fusion", "--task", "toy", "--data", toy.data, "--jobs", 1)
    ended = cli("report", *options, main=run)
    assert ended.code == 0, ended.err
    assert "written to output/toy/toy-fusion/report.html" in ended.err
    written = (at / "output/toy/toy-fusion/report.html").read_bytes()
    assert cli("report", *options, "--output", at / "again.html", main=run).code == 0
    assert (at / "again.html").read_bytes() == written
    text = written.decode()
    Tree(text)
    assert "semaniacs report --run toy-fusion --task toy --data DIR" in text
    assert "Loss of the weighted mean on toy without a group of features" in text
    assert str(at) not in text
    assert str(toy.data) not in text


def test_a_task_that_is_reported_on_is_studied_without_its_gold(
    make_toy: Any, toy_runs: dict[str, Run], cli: Any, at: Path
) -> None:
    toy = make_toy(year=2016)  # and the data of 2015 are not there
    options = ("--run", "toy-fusion", "--task", "toy", "--data", toy.data, "--output", "r.html")
    ended = cli("report", *options, main=run)
    assert ended.code == 0, ended.err
    assert "Not studied" in (at / "r.html").read_text(encoding="utf-8")


def test_a_report_on_files_beside_a_run(
    toy: Any, toy_runs: dict[str, Run], cli: Any, at: Path
) -> None:
    files = at / "their-files"
    files.mkdir()
    for name, rows in toy.rows.items():
        scores = [(3 * len(left) + len(right)) % 11 / 2 for left, right, _ in rows]
        (files / f"STS.OUTPUT.Them.first.{name}.txt").write_text("\n".join(map(str, scores)))
    options = ("--system", files, "--task", "toy", "--data", toy.data)
    ended = cli("report", *options, main=run)
    assert ended.code == 0, ended.err
    alone = (at / "output/toy/Them.first/report.html").read_text(encoding="utf-8")
    tree = Tree(alone)
    assert [str(a["href"])[1:] for a in tree.all("a")] == [
        "scores", "predicted", "errors", "signature",
    ]  # fmt: skip
    assert "Them first" in tree.under("title")[0]
    assert "semaniacs report --system their-files --task toy --data DIR" in alone
    assert cli("report", *options, "--run", "toy-raw", "--output", "b.html", main=run).code == 0
    beside = (at / "b.html").read_text(encoding="utf-8")
    assert "toy-raw" in Tree(beside).under("th") and "resamples of the pairs" in beside
    for name in toy.rows:
        (files / f"other.{name}.txt").write_text("1\n")
    cli("report", *options, main=run).refused("2 submissions", "give --system one of")
