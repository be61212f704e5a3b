"""Which sentences may not be trained on: the official ones, recorded translations, NTREX."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from semaniacs.embeddings.training.corpora import read_held_out
from semaniacs.runs.pipeline.tuning import held_out
from semaniacs.runs.pipeline.tuning.held_out import KEPT_FOR_MINING, held_out_sentences
from semaniacs.sts.data.catalog import DataFile, get_task
from semaniacs.sts.text.tokenizer import fold
from tests.runs.made_files import write_corpus

RECORDED = (
    "Translated, line 1.\tEnglish, line 1.\nThe &quot;second&quot; line\tIt isn&#39;t new\n \t.\n"
)


def write_bitext(folder: Path) -> Path:
    for name in (*KEPT_FOR_MINING, "tatoeba.en-es"):
        write_corpus(folder / f"{name}.tsv.gz", [(f"{name} English", f"{name} foreign")])
    return folder


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder; the sample, which ships, is official, and one set of it has a recording."""
    file = DataFile("2016-es-en/recorded.txt", 2, "", archive=None)
    *others, last = get_task("sample").datasets
    datasets = (*others, replace(last, translation=file))
    monkeypatch.setattr(held_out, "all_data_sets", lambda: datasets)
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "data" / "sts" / file.path
    path.parent.mkdir(parents=True)
    path.write_text(RECORDED, encoding="utf-8")
    write_bitext(tmp_path / "data" / "bitext")
    return tmp_path / "data"


def sentences_of(data: Path) -> set[str]:
    return held_out_sentences(data / "sts", data / "bitext")


def test_every_official_sentence_is_held_out(tmp_path: Path, sts_data: Path) -> None:
    found = held_out_sentences(sts_data, write_bitext(tmp_path / "bitext"))
    for file in ("2016/STS.2016.input.headlines.txt", "2012/train/STS.2012.train.input.MSRpar.txt"):
        lines = (sts_data / file).read_text("utf-8").split("\n")[:-1]
        assert all(fold(side) in found for line in lines for side in line.split("\t")[:2])
    for name in ("news", "multisource"):
        recording = sts_data / f"2016-es-en/STS.2016.input.{name}.translation.txt"
        lines = [
            line for line in recording.read_text("utf-8").split("\n") if line and "&" not in line
        ]
        assert len(lines) > 200
        assert all(fold(side) in found for line in lines for side in line.split("\t"))
    assert fold(f"{KEPT_FOR_MINING[0]} English") in found
    assert fold("tatoeba.en-es English") not in found


@pytest.mark.parametrize(
    "sentence", ["Translated line 1", "english line 1", 'The "second" line.', "it isn't NEW"]
)
def test_recorded_translations_are_held_out(data: Path, sentence: str) -> None:
    """Character references such as &quot; are read as characters."""
    assert fold(sentence) in sentences_of(data)


def test_the_written_file_is_read_as_the_same_sentences(
    data: Path, tmp_path: Path, cli: Any
) -> None:
    path = tmp_path / "held-out.txt"
    ended = cli("--data", data, "-o", path, main=held_out.main)
    assert read_held_out(str(path)) == sentences_of(data)
    assert ended.err.startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["sts/2016-es-en/recorded.txt", "bitext/ntrex.en-ru.tsv.gz"])
def test_a_missing_file_is_named_and_nothing_written(
    data: Path, tmp_path: Path, cli: Any, name: str
) -> None:
    (data / name).unlink()
    ended = cli("--data", data, "-o", tmp_path / "out", main=held_out.main)
    ended.refused(Path(name).name)
    assert not (tmp_path / "out").exists()
