"""A task small enough to learn in a blink, a command line without a process, and no network."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import run_submission
from semaniacs.embeddings import loading
from semaniacs.embeddings.configuration import Training
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.runs import recipes
from semaniacs.runs.pipeline import translate_pairs
from semaniacs.runs.pipeline.recipe_parts import (
    Ensemble,
    GradedYears,
    Regressor,
    RoundTrips,
    Tuning,
    Vectors,
)
from semaniacs.runs.pipeline.run import Run
from semaniacs.sts.command_line import run_tool
from semaniacs.sts.data import catalog
from semaniacs.sts.data.catalog import DataFile, DataSet, Task
from semaniacs.sts.translation import Translation

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_network_and_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the person's own data or cache, or fetches anything."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise urllib.error.URLError("no network in tests")

    monkeypatch.delenv("STS_DATA", raising=False)
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(urllib.request, "urlopen", refuse)


# --- command lines


@dataclass(frozen=True)
class Ended:
    """How a command line ended."""

    code: int
    out: str
    err: str

    def refused(self, *said: str) -> None:
        """It said one line, which begins "error:" and holds all of ``said``; exit code 2."""
        assert self.code == 2, self.err
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        for part in said:
            assert part in self.err


Cli = Callable[..., Ended]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """``run_submission.py`` with these arguments, or another ``main``, in this process.

    ``cli("score", ..., main=semaniacs.cli.run)`` is a command of ``semaniacs``.
    """

    def call(*arguments: object, main: Callable[[], None] = run_submission.main) -> Ended:
        monkeypatch.setattr(sys, "argv", ["semaniacs", *map(str, arguments)])
        capsys.readouterr()
        code: Any = 0
        try:
            run_tool(main)
        except SystemExit as ended:
            code = ended.code
        return Ended(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def shell() -> Cli:
    """``run_submission.py`` with these arguments, in a process of its own."""

    def call(*arguments: object, folder: Path, **environment: str) -> Ended:
        base = {name: value for name, value in os.environ.items() if name != "STS_DATA"}
        ended = subprocess.run(
            [sys.executable, str(ROOT / "run_submission.py"), *map(str, arguments)],
            cwd=folder,
            env=base | {"STS_CACHE": str(folder / "cache")} | environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    return call


@pytest.fixture(scope="session")
def contents() -> Callable[[Path], dict[str, bytes]]:
    """The bytes of every file below a folder, by relative path."""

    def read(folder: Path) -> dict[str, bytes]:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    return read


# --- a task


WHO = ("the cat", "a tall pilot", "my sister", "the old horse", "our teacher", "Maria")
DOES = (("eats", "is eating"), ("paints", "is painting"), ("carries", "is carrying"))
WHAT = ("an apple", "two maps", "the blue box", "a fence", "7 stones")

SPANISH = {
    "El gato come una manzana.": "the cat eats an apple",
    "Mi hermana pinta la caja azul.": "my sister paints the blue box",
    "Nuestra profesora lleva dos mapas.": "our teacher carries two maps",
    "El caballo viejo come siete piedras.": "the old horse eats 7 stones",
}
"""Spanish sentences and what the translator of the tests makes of them."""

CROSS_LINGUAL = (
    ("El gato come una manzana.", "The cat is eating an apple.", 5.0),
    ("A tall pilot paints a fence.", "Mi hermana pinta la caja azul.", 1.5),
    ("Nuestra profesora lleva dos mapas.", "Our teacher carries 7 stones.", 3.0),
    ("My sister carries the blue box.", "El caballo viejo come siete piedras.", 0.0),
    ("Mi hermana pinta la caja azul.", "My sister is painting the blue box.", 4.8),
)


Row = tuple[str, str, float]


def make_rows(n: int, seed: int) -> list[Row]:
    """Pairs whose gold counts what both sides share; the last one is unscored."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        who, verb, what = (int(rng.integers(len(x))) for x in (WHO, DOES, WHAT))
        other = int(rng.integers(len(WHO))), int(rng.integers(len(DOES)))
        keeps = rng.random(2) < 0.6
        subject, action = (who if keeps[0] else other[0]), (verb if keeps[1] else other[1])
        left = f"{WHO[who]} {DOES[verb][0]} {WHAT[what]}"
        right = f"{WHO[subject]} {DOES[action][1]} {WHAT[what]}"
        rows.append((left, right, 0.8 + 2.0 * (subject == who) + 2.0 * (action == verb)))
    rows[-1] = (*rows[-1][:2], float("nan"))
    return rows


@dataclass
class Toy:
    """A task of four data sets and the folder that holds its files."""

    data: Path
    year: int
    rows: dict[str, list[Row]]
    task: Task = field(init=False)

    def __post_init__(self) -> None:
        train, test = ("lessons", "drills"), ("zeta", "alpha", "es-en")
        self.task = Task(
            "toy",
            self.year,
            tuple(self.dataset(name) for name in test),
            tuple(self.dataset(name) for name in train),
            title="a toy",
            citation="none",
            licence="none",
        )

    def dataset(self, name: str) -> DataSet:
        """Write the files of a data set; its record."""
        rows = self.rows[name]
        gold = ["" if np.isnan(score) else f"{score:g}" for _, _, score in rows]
        return DataSet(
            name,
            self.year,
            self.file(f"toy/{name}.input.txt", [f"{a}\t{b}" for a, b, _ in rows]),
            self.file(f"toy/{name}.gs.txt", gold),
            scored=sum(map(bool, gold)),
            languages=("es", "en") if name == "es-en" else ("en",),
        )

    def file(self, path: str, lines: Sequence[str]) -> DataFile:
        """Write one file; its record."""
        content = "".join(f"{line}\n" for line in lines).encode()
        (self.data / path).parent.mkdir(parents=True, exist_ok=True)
        (self.data / path).write_bytes(content)
        return DataFile(path, len(lines), hashlib.sha256(content).hexdigest(), archive=None)

    def gold_path(self, name: str) -> Path:
        """The gold file of a data set."""
        return self.data / "toy" / f"{name}.gs.txt"


MakeToy = Callable[..., Toy]


@pytest.fixture
def make_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeToy:
    """A toy task in the catalogue; the gold of the data sets in ``reverse`` is upside down."""

    def make(folder: str = "data", reverse: Sequence[str] = (), year: int = 2015) -> Toy:
        rows = {
            "lessons": make_rows(40, 1),
            "drills": make_rows(20, 2),
            "zeta": make_rows(12, 3),
            "alpha": make_rows(9, 4),
            "es-en": list(CROSS_LINGUAL),
        }
        for name in reverse:
            rows[name] = [(left, right, 5.0 - score) for left, right, score in rows[name]]
        toy = Toy(tmp_path / folder, year, rows)
        monkeypatch.setitem(catalog.TASKS, "toy", toy.task)
        return toy

    return make


@pytest.fixture
def toy(make_toy: MakeToy) -> Toy:
    """The toy task, in the catalogue."""
    return make_toy()


# --- a translator


@dataclass
class FakeTranslator:
    """Knows ``SPANISH`` and takes any sentence there and back; counts what it is asked."""

    leaves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    calls: list[tuple[str, str, list[str]]] = field(default_factory=list)
    name: str = "fake"
    version: str = "1"
    install_hint: str = "none needed"

    def available(self) -> bool:
        return True

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        self.calls.append((source, target, list(texts)))
        if source == "en":
            return [Translation(f"~{text}") for text in texts]
        left = [self.leaves.get(text.removeprefix("~"), ()) for text in texts]
        return list(map(Translation, map(self.back, texts), left))

    def back(self, text: str) -> str:
        if text.startswith("~"):
            return text[1:].replace("the ", "that ").replace(" is ", " keeps ")
        return SPANISH[text]

    def signature(self) -> dict[str, str]:
        return {"provider": self.name, "version": self.version, "sha256": "0"}


@pytest.fixture
def translator(monkeypatch: pytest.MonkeyPatch) -> FakeTranslator:
    """Every run translates with this one."""
    fake = FakeTranslator()
    monkeypatch.setattr(translate_pairs, "get_translator", lambda *_, **__: fake)
    return fake


# --- runs


def tiny_encoder() -> Encoder:
    """Random vectors of the words of the toy task."""
    sentences = [s for rows in (make_rows(40, 1), make_rows(20, 2)) for r in rows for s in r[:2]]
    known = sorted({word for sentence in sentences for word in sentence.lower().split()})
    table = np.random.default_rng(5).standard_normal((len(known) + 16, 12)).astype(np.float32)
    return Encoder(WordTokenizer(known, 16), table)


TUNED = Tuning(Training(epochs=1, optimizer="adam", learning_rate=0.1))
ROUND_TRIPPED = Tuning(
    Training(epochs=1, optimizer="adam", learning_rate=0.1),
    round_trips=RoundTrips(Training(epochs=1, optimizer="adam", learning_rate=0.1)),
)
BOOSTING = Regressor.of(
    "boosting", library="sklearn", n_estimators=20, learning_rate=0.2, min_samples_leaf=2
)
TOY_RUNS = (
    Run("toy-raw", "untuned", vectors=Vectors("tiny")),
    Run("toy-tuned", "tuned", vectors=Vectors("tiny", (TUNED,)), learns=GradedYears()),
    Run(
        "toy-trips",
        "tuned with round trips",
        vectors=Vectors("tiny", (ROUND_TRIPPED,)),
        learns=GradedYears(),
    ),
    Run(
        "toy-fusion",
        "fused",
        columns=("content_1gram", "number_match", "det_1", "paraphrase1", "paraphrase2"),
        head=Ensemble((BOOSTING,)),
        vectors=Vectors("tiny", (TUNED, ROUND_TRIPPED)),
        learns=GradedYears(),
    ),
)


@pytest.fixture
def toy_runs(monkeypatch: pytest.MonkeyPatch, translator: FakeTranslator) -> dict[str, Run]:
    """The toy runs by name, in the registry, over a tiny encoder; they translate with the fake."""
    encoder, load = tiny_encoder(), loading.load_static
    monkeypatch.setattr(
        loading, "load_static", lambda name: encoder if name == "tiny" else load(name)
    )
    for run in TOY_RUNS:
        monkeypatch.setitem(recipes.RUNS, run.name, run)
    return {run.name: run for run in TOY_RUNS}
