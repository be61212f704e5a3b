"""The report: what it finds, and that the page is whole, escaped, alone and the same every time."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from semaniacs.cli import run
from semaniacs.runs.contribution.ablation import Ablation, Cell, Figure, FusionFigures, Kind
from semaniacs.runs.contribution.importance import FeatureImportance, Importances
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.task_run import predict
from semaniacs.runs.report.findings import ERRORS, Findings, Studies, collect
from semaniacs.runs.report.page import page
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.scoring.shared_task.gold_standard import gold_of_task

EVIL = """<script>alert("1")</script> 'quoted' & "more" <b>"""
VOID = {"meta", "br", "hr", "img", "input", "link"}


def cell(kind: Kind, group: str, *figure: float) -> Cell:
    return Cell(kind, group, (), FusionFigures({}, Figure(*figure)))


def row(feature: str, permutation: float, spread: float) -> FeatureImportance:
    return FeatureImportance(feature, "", 0.5, permutation, spread, 0.1, None, math.nan)


CELLS = (
    cell("without", "paraphrases", 0.69, -0.02, -0.03, -0.01),
    cell("without", "numbers", 0.711, 0.001, -0.002, 0.004),
    cell("alone", "paraphrases", 0.7),
    cell("alone", "numbers"),
    cell("cumulative", "paraphrases", 0.7),
    cell("cumulative", "numbers", 0.71),
)
ROWS = (row("paraphrase1", 0.05, 0.01), row("det_1", math.nan, math.nan))
ABLATION = Ablation(FusionFigures({}, Figure(0.71)), CELLS)
STUDIES = Studies("toy", "0123", ABLATION, Importances(0.71, ROWS, ()))


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
