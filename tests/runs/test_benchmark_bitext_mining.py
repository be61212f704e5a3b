"""What the mining benchmark measures: the threshold of one half on the other, and honest growth."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.table import Vectors
from runs.benchmarks import bitext_mining, search_cost
from runs.benchmarks.bitext_mining import MiningVectors, judge
from sts.errors import MissingResourceError
from tests.runs.made_files import write_corpus


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Planted pairs and news that know their number."""
    for name, count in (("ntrex", 60), ("news", 1600)):
        pairs = [(f"{name} {i} this is", f"{name} {i} esto es") for i in range(count)]
        for language in bitext_mining.LANGUAGES:
            write_corpus(tmp_path / "data" / "bitext" / f"{name}.en-{language}.tsv.gz", pairs)
    return tmp_path / "data"


def perfect(sentences: list[str], language: str) -> Vectors:
    """A direction of its own for each name and number, whatever the language."""
    seeds = [zlib.crc32(" ".join(s.split()[:2]).encode()) for s in sentences]
    return np.stack([np.random.default_rng(s).standard_normal(64) + 1 for s in seeds]).astype("f4")


def test_vectors_that_know_everything_find_everything(data: Path) -> None:
    row = judge(MiningVectors("perfect", perfect, ("es",)), "es", data, draws=2)
    assert (row["f1"], row["precision"], row["recall"], row["f1_deviation"]) == (1, 1, 1, 0)
    assert (row["sentences"], row["gold"], row["draws"]) == (400, 10, 2)


def test_vectors_that_know_nothing_find_nothing(data: Path) -> None:
    def blind(sentences: list[str], language: str) -> Vectors:
        return perfect([f"{language} {s}" for s in map(str, range(len(sentences)))], language)

    assert judge(MiningVectors("blind", blind, ("es",)), "es", data, draws=2)["f1"] < 0.2


def test_the_threshold_is_that_of_the_other_half(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    results = [
        (np.array([0.9, 0.8, 0.4]), np.array([True, False, False])),
        (np.array([0.9, 0.86, 0.5]), np.array([True, False, True])),
    ]

    def mined(task: Any, encode: Any, language: str) -> Any:
        asked.append(task)
        return results[len(asked) - 1]

    monkeypatch.setattr(bitext_mining, "mined", mined)
    row = judge(MiningVectors("any", perfect, ("es",)), "es", data, draws=1)
    assert asked == list(bitext_mining.planted(data, "es", 0))
    assert row["threshold"] == pytest.approx(0.85)
    assert (row["precision"], row["recall"]) == (0.5, 1 / 10)


def test_a_row_needs_a_translator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(self: Any, texts: Any, source: str, target: str) -> list[str]:
        if source == "de":
            raise MissingResourceError("no such pair")
        return ["Radio"]

    monkeypatch.setattr(bitext_mining.Apertium, "translate", ask)
    contestant = bitext_mining.translated("toy", lambda s: perfect(s, "en"), tmp_path)
    assert contestant.languages == ("es",)
    assert capsys.readouterr().out == "toy of Apertium: no row for de (no such pair)\n"


def test_a_part_is_measured_anew_and_the_other_kept(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "mining.json"
    speed = {"search": "exact", "sentences": 9, "seconds": 1.0, "peak_mb": 2.0, "recall": 1.0}
    kept.write_text(json.dumps({"quality": [], "speed": [{**speed, "extrapolated": True}]}))
    monkeypatch.setattr(bitext_mining, "MINING", kept)
    everyone = [MiningVectors("perfect", perfect, ("es", "de"))]
    monkeypatch.setattr(bitext_mining, "vectors_to_compare", lambda *_: everyone)
    arguments = ["mining", "--data", str(data), "--draws", "1", "--part", "quality"]
    monkeypatch.setattr("sys.argv", arguments)
    bitext_mining.main()
    written = json.loads(kept.read_text())
    assert [row["language"] for row in written["quality"]] == ["es", "de"]
    assert written["speed"][0]["sentences"] == 9
    table = capsys.readouterr().out.splitlines()
    assert table[1].startswith("es, perfect  1.000  0.000")
    assert table[-1].split() == "exact, extrapolated 9 1.0 2 1.000".split()


# speed


def test_a_fresh_process_is_measured() -> None:
    exact, ivf = search_cost.measure_search([300])
    assert (exact["search"], exact["recall"], exact["extrapolated"]) == ("exact", 1, False)
    assert (ivf["search"], ivf["sentences"], ivf["recall"]) == ("ivf", 300, 1)
    assert all(record["seconds"] > 0 and record["peak_mb"] > 10 for record in (exact, ivf))


def test_sides_are_of_length_one_and_share_one_in_forty(tmp_path: Path) -> None:
    search_cost.write_sides(tmp_path, 200)
    source, target = (np.load(tmp_path / f"{side}.npy") for side in ("source", "target"))
    assert source.shape == target.shape == (200, 300)
    np.testing.assert_allclose(np.linalg.norm(target, axis=1), 1, atol=1e-6)
    cosines = (source * target).sum(axis=1)
    assert (np.flatnonzero(cosines > 0.7) == np.arange(0, 200, 40)).all()


def test_a_million_is_carried_on_from_the_largest() -> None:
    measured = [
        {"search": name, "sentences": size, "seconds": seconds, "peak_mb": peak}
        for name in ("exact", "ivf")
        for size, seconds, peak in ((10_000, 1.0, 100.0), (100_000, 50.0, 190.0))
    ]
    exact, ivf = search_cost.carried_on(measured)
    assert (exact["seconds"], exact["peak_mb"]) == (5000, 190 + 900)
    assert ivf["seconds"] == round(50 * 10**1.5)
    assert exact["extrapolated"]
    assert ivf["recall"] is None
    (row, _) = search_cost.rows_of([exact, ivf])
    assert row == ("exact, extrapolated", "1,000,000", "5,000.0", "1,090", "1.000")


def test_the_far_measurement_keeps_within_its_memory_and_takes_the_place_of_what_was_carried_on() -> (
    None
):
    far = search_cost.measure_far(2000, "600MB")
    assert far["recall"] > 0.9
    assert 50 < far["peak_mb"] * 2**20 / 10**6 <= 600
    speed = [{"search": s, "extrapolated": e} for s in ("exact", "ivf") for e in (False, True)]
    kept = search_cost.with_far(search_cost.with_far(speed, [far]), [far])
    assert kept == [speed[0], speed[1], speed[2], far]
    (row,) = search_cost.rows_of([far])
    assert row[:2] == ("ivf, --memory 600MB", "2,000")
