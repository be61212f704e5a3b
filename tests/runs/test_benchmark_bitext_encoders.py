"""The benchmark of encoders learned from bitext: who takes part, what is kept and shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings import loading
from embeddings.bitext.bitext_configuration import Shape
from embeddings.bitext.named_encoders import LSTM, SP, TRIGRAM, WORD, BitextRecipe
from embeddings.formats.single_file import save_shared
from runs.benchmarks import bitext_encoders, peers
from runs.benchmarks.peers import PeerEncoder
from runs.tables import kept_results, pages
from sts.errors import StsError
from tests.embeddings.bitext.synthetic import made_up

BITEXT = made_up(200, name=True)


def small(made: BitextRecipe) -> BitextRecipe:
    assert made.shape is not None
    return replace(made, shape=Shape(made.shape.encoder, 50, 4))


# Sentences


def test_the_sentences_are_the_english_side_in_random_order() -> None:
    found = bitext_encoders.english_sentences(BITEXT, 10**6)
    assert sorted(found) == sorted(BITEXT.side(0))
    assert found != BITEXT.side(0)
    assert bitext_encoders.english_sentences(BITEXT, 7) == found[:7]


# Encoders


def test_the_recipes_are_the_papers_encoders() -> None:
    shapes = [made.shape for made in bitext_encoders.ENCODERS]
    assert [shape.encoder for shape in shapes if shape] == ["SP", "TRIGRAM", "WORD", "LSTM-SP"]
    assert all(made.training for made in bitext_encoders.ENCODERS)


@pytest.mark.parametrize("made", [SP, TRIGRAM, WORD, LSTM], ids=lambda made: made.name)
def test_an_untrained_encoder_is_read_from_its_file(
    made: BitextRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "PRETRAINED", tmp_path / "none")
    contestant = bitext_encoders.bilingual(small(made), BITEXT, tmp_path)
    file = tmp_path / f"{made.name}.safetensors"
    assert contestant.size == file.stat().st_size / 1e6
    assert contestant.name == f"{made.shape.encoder if made.shape else ''}, untrained"
    vectors = contestant.encode(BITEXT.side(0)[:3])
    assert vectors.shape == (3, 4)
    assert np.abs(vectors).min() > 0
    assert b'"encoder"' in file.read_bytes()[:600]


def test_a_trained_encoder_is_taken_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from embeddings.bitext.vocabularies import starting_point

    monkeypatch.setattr(loading, "PRETRAINED", tmp_path)
    shape = Shape(size=50, dim=6)
    model = starting_point([BITEXT], shape)
    save_shared(tmp_path / "bitext-sp.safetensors", model, "SP")
    contestant = bitext_encoders.bilingual(SP, BITEXT, tmp_path / "not made")
    assert contestant.name == "SP"
    assert contestant.encode(["bat"]).shape == (1, 6)


def test_the_yardsticks_are_among_the_peers() -> None:
    names = {peer["name"] for peer in json.loads(pages.PEERS.read_text("utf-8"))}
    assert {bitext_encoders.MINILM, bitext_encoders.MODEL2VEC} <= names


# Measuring


def test_all_encode_the_same_and_slow_ones_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: dict[str, list[Sequence[str]]] = {"quick": [], "slow": []}

    def turns(work: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
        for call in work.values():
            call()
        return {"quick": 0.5, "slow": 3.0}

    monkeypatch.setattr(peers, "take_turns", turns)
    monkeypatch.setattr(peers, "SLOW", 6)
    everyone = [
        PeerEncoder("quick", 1.26, encoded["quick"].append),
        PeerEncoder("slow", 90.04, encoded["slow"].append, slow=True),
    ]
    sentences = ["one two three", "one"] * 5
    found = bitext_encoders.measure_speed(everyone, sentences)
    assert encoded == {"quick": [sentences], "slow": [sentences[:6]]}
    assert (found["sentences"], found["words"]) == (10, 2.0)
    assert found["encoders"] == [
        {"name": "quick", "megabytes": 1.3, "sentences": 10, "sentences_per_second": 20},
        {"name": "slow", "megabytes": 90.0, "sentences": 6, "sentences_per_second": 2},
    ]


FIGURES = {
    "sentences": 128_000,
    "words": 7.4,
    "encoders": [
        {"name": name, "megabytes": 12.0, "sentences": 5, "sentences_per_second": rate}
        for name, rate in (
            ("SP", 300_000),
            (bitext_encoders.MODEL2VEC, 40_000),
            (bitext_encoders.MINILM, 240),
        )
    ],
}


def test_the_table_has_the_ratios() -> None:
    lines = bitext_encoders.speed_table(FIGURES).splitlines()
    assert lines[0] == "| encoder | MB | sentences/s | times MiniLM | times model2vec |"
    assert lines[2] == "| SP | 12.0 | 300,000 | 1,250 | 7.5 |"
    assert lines[3] == f"| {bitext_encoders.MODEL2VEC} | 12.0 | 40,000 | 167 | 1 |"
    assert lines[4] == f"| {bitext_encoders.MINILM} | 12.0 | 240 | 1 | 0.006 |"
    assert lines[-1] == "128,000 English sentences of 7.4 words on average."


# The command


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(bitext_encoders, "SPEED", tmp_path / "studies" / "speed.json")
    monkeypatch.setattr(bitext_encoders, "BITEXT", tmp_path / "bitext.md")
    (tmp_path / "bitext.md").write_text("a\n<!-- speed: begin -->old<!-- speed: end -->\nb\n")
    monkeypatch.setattr(bitext_encoders, "_measured", lambda options: FIGURES)
    monkeypatch.setattr(bitext_encoders, "require_peers", lambda *_: None)
    (tmp_path / "teacher.whl").touch()
    return tmp_path


def test_the_figures_are_kept_and_shown(kept: Path, cli: Any) -> None:
    cli("--write", main=bitext_encoders.main).refused("speed.json: no such file")
    options = ("--data", kept, "--teacher", kept / "teacher.whl")
    trial = cli(*options, "--sentences", 10, main=bitext_encoders.main)
    assert (trial.code, trial.out) == (0, bitext_encoders.speed_table(FIGURES) + "\n")
    assert not (kept / "studies").exists()
    assert cli(*options, main=bitext_encoders.main) == trial
    assert json.loads((kept / "studies" / "speed.json").read_text("utf-8")) == FIGURES
    assert cli("--write", main=bitext_encoders.main) == trial
    shown = (kept / "bitext.md").read_text("utf-8")
    assert shown == f"a\n<!-- speed: begin -->\n\n{trial.out}\n<!-- speed: end -->\nb\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--data", "here"), "--data without --teacher: name the wheel; --help says how to get it"),
        (("--data", "here", "--teacher", "gone.whl"), "gone.whl: no such file"),
        (("--sentences", "0"), "--sentences 0: expected 1 or more"),
        (("--sentences", "9", "--write"), "leave out one"),
    ],
)
def test_what_cannot_be_is_refused(kept: Path, cli: Any, arguments: Any, said: str) -> None:
    cli(*arguments, main=bitext_encoders.main).refused(said)


def test_help_teaches(cli: Any) -> None:
    said = cli("--help", main=bitext_encoders.main).out
    assert "python -m runs.benchmarks.bitext_encoders --data DIR --teacher" in said


# Beside the results of tasks


def test_studies_are_no_results_of_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "speed.json").write_text("[]")
    assert kept_results.read_results() == []
    assert pages.STUDIES.parent.name == "results"


def test_a_document_without_marks_is_named(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("nothing\n")
    with pytest.raises(StsError, match=r"page\.md: no lines <!-- speed: begin -->"):
        pages.show(document, "speed", "table")
    assert document.read_text() == "nothing\n"
