"""A folder that holds every file that a document names."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import pytest

from semaniacs.embeddings.single_file import save_encoder
from tests.documents.snippets import ROOT
from tests.embeddings.toy import make_encoder

SAMPLE = ROOT / "sts" / "data" / "sample"


def sample(name: str) -> tuple[list[list[str]], list[str]]:
    """The pairs and the gold of a data set of the sample."""
    pairs, gold = (
        (SAMPLE / f"STS.sample.{kind}.{name}.txt").read_text(encoding="utf-8").splitlines()
        for kind in ("input", "gs")
    )
    return [line.split("\t") for line in pairs], gold


def write(path: Path, rows: Iterable[Iterable[str]]) -> None:
    """A table, as CSV or TSV by its name; of one column, lines."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="," if path.suffix == ".csv" else "\t")
        writer.writerows(rows)


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what the pages cache."""
    return tmp_path_factory.mktemp("warm")


@pytest.fixture
def person(tmp_path: Path, warm: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's folder, entered."""
    folder = tmp_path / "person"
    folder.mkdir()
    headlines, gold = sample("headlines")
    answers, more_gold = sample("answers")
    spanish, _ = sample("es-en")
    labelled = [
        (*pair, score) for pair, score in zip(headlines + answers, gold + more_gold, strict=True)
    ]
    write(folder / "pairs.tsv", headlines)
    write(
        folder / "pairs.csv", [("id", "a", "b"), *((str(n), *p) for n, p in enumerate(headlines))]
    )
    write(folder / "answers.csv", [("answer", "ref1", "ref2"), *((*pair, "") for pair in answers)])
    write(folder / "labelled.csv", [("left", "right", "similarity"), *labelled])
    write(folder / "labels.csv", [("label",), *((int(i % 3 == 0),) for i in range(len(labelled)))])
    write(folder / "dev.tsv", labelled)
    triple = ("names", "Rome is old.", "Rome is ancient.", "Paris is old.")
    write(folder / "triples.tsv", [("phenomenon", "anchor", "closer", "farther"), triple])
    write(folder / "es-en.tsv", spanish)
    for name in ("sentences", "queries", "answers"):
        write(folder / f"{name}.txt", ([left] for left, _ in headlines))
    for name in ("corpus", "questions"):
        write(folder / f"{name}.txt", ([side] for pair in headlines for side in pair))
    asked = ["How can I lose weight?", "Where is Rome?", "How do I lose weight?", "Where is  Rome?"]
    write(folder / "asked.txt", ([text] for text in asked))
    lines = enumerate(side for pair in headlines for side in pair)
    write(folder / "questions.csv", [("qid", "question"), *((f"q{n}", text) for n, text in lines)])
    write(folder / "mixed.txt", ([side] for pair in spanish for side in pair))
    write(folder / "portuguese.txt", [["A casa é vermelha."], ["O cão dorme."]])
    write(folder / "news.es", ([left] for left, _ in spanish))
    write(folder / "news.en", ([right] for _, right in spanish))
    save_encoder(folder / "my-vectors.safetensors", make_encoder())
    monkeypatch.chdir(folder)
    monkeypatch.setenv("STS_CACHE", str(warm / "cache"))
    monkeypatch.setenv("STS_MEMORY", str(warm / "memory"))
    monkeypatch.setenv("COLUMNS", "100")
    return folder
