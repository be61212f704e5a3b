"""The sections of docs/extending.md do what they say, in a copy of the checkout."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.documents.checkout import Checkout
from tests.sts.translation.local_service import serving

KITCHEN = Path(__file__).with_name("kitchen")
"""Twenty pairs of our own, with gold."""

PAIRS = (KITCHEN / "input.txt").read_text(encoding="utf-8").splitlines()
GOLD = (KITCHEN / "gs.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    copy = Checkout.copy(tmp_path)
    write(copy.root / "pairs.tsv", PAIRS)
    yield copy
    shutil.rmtree(copy.root)  # 90 MB


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def assert_tests_passed(printed: str) -> None:
    assert re.search(r"^[1-9]\d* passed", printed, re.MULTILINE), printed


def correlation(printed: str) -> float:
    """Pearson's r of printed scores and the gold."""
    scores = [float(line) for line in printed.splitlines()]
    return float(np.corrcoef(scores, [float(line) for line in GOLD])[0, 1])


def write_small_years(checkout: Checkout) -> None:
    """Leave one data set of five pairs in each official year: 2015 learns from twenty pairs."""
    catalog = checkout.root / "sts" / "data" / "checksums.tsv"
    with catalog.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file, delimiter="\t")]
    names = {row["files"]: row["name"] for row in rows}
    lines = ["\t".join(rows[0])]
    for number, (files, name) in enumerate(names.items()):
        lines.append(f"{files}\t{name}\t5\t5\t\t\t")
        first = 5 * number % len(PAIRS)
        for kind, text in (("input", PAIRS), ("gs", GOLD)):
            write(checkout.data / f"{files}.{kind}.{name}.txt", text[first : first + 5])
    write(catalog, lines)


def test_a_run_is_found_fitted_to_twenty_pairs_shipped_and_scores(checkout: Checkout) -> None:
    write_small_years(checkout)
    table, _, scores, tested = checkout.follow("A run")
    assert table.startswith("overlap on sts2015\n")
    folder = checkout.root / "output" / "sts2015" / "overlap"
    result = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert len(result["signature"]["training"]) * 5 == len(PAIRS)
    assert result["weighted_mean"] > 0.5
    assert correlation(scores) > 0.8
    assert_tests_passed(tested)


USE_FEATURE = """
from dataclasses import replace
from pathlib import Path
from semaniacs.features.registry import FeatureColumns
from semaniacs.runs.pipeline.fitting import fit
from semaniacs.runs.pipeline.recipe_parts import Ensemble, GradedYears, Regressor
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.sts.data.readers import parse_gold, read_pairs
from semaniacs.sts.files import read_lines

gold = Path("tests/documents/kitchen/gs.txt")
pairs = read_pairs("kitchen", Path("pairs.tsv"))
pairs = replace(pairs, gold=parse_gold(read_lines(gold), gold))
columns = "exclamation_match", "paragram"
features = FeatureColumns(columns)
print(*features.compute(pairs)[:, 0])
print(*features.compute(pairs.with_sentences(pairs.left, pairs.left))[:, 0])
head = Ensemble((Regressor.of("boosting", min_samples_leaf=2),))
run = Run("mine", "", columns=columns, head=head, learns=GradedYears())
print(*fit(run, TrainingData([pairs])).predict(pairs), sep="\\n")
"""


def test_a_feature_is_registered_computed_and_used_by_a_run(checkout: Checkout) -> None:
    (tested,) = checkout.follow("A feature")
    assert_tests_passed(tested)
    table = "tests/features/test_every_feature.py -k test_every_feature_is_expected"
    assert_tests_passed(checkout.run(f".venv/bin/python -m pytest {table}"))
    values, of_equal_sentences, *scores = checkout.python(USE_FEATURE).splitlines()
    sides = [pair.split("\t") for pair in PAIRS]
    assert values.split() == [str(float(("!" in a) == ("!" in b))) for a, b in sides]
    assert of_equal_sentences.split() == ["1.0"] * len(PAIRS)
    assert correlation("\n".join(scores)) > 0.8


def test_a_data_set_is_declared_read_and_scored(checkout: Checkout) -> None:
    write(checkout.data / "2016" / "README", [])
    shutil.copytree(KITCHEN, checkout.data / "kitchen")
    table, tested = checkout.follow("A data set")
    assert re.search(r"^kitchen +20 +20 +0\.8", table, re.MULTILINE), table
    assert_tests_passed(tested)
    assert "skipped" not in tested
    write(checkout.data / "kitchen" / "gs.txt", GOLD[::-1])
    with pytest.raises(AssertionError, match=r"gs.txt: sha256 \w+, expected fcb4593"):
        checkout.run(".venv/bin/python run_submission.py --run raw --task kitchen --data DIR")


USE_ENCODER = """
from pathlib import Path
from semaniacs import embeddings
from semaniacs.runs.pipeline.fitting import fit
from semaniacs.runs.pipeline.recipe_parts import Vectors
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.sts.data.readers import read_pairs

pairs = read_pairs("kitchen", Path("tests/documents/kitchen/input.txt"))
cosines = embeddings.load("kitchen", "en").similarity_pairwise(pairs.left, pairs.right)
model = fit(Run("mine", "", vectors=Vectors(start="kitchen")), TrainingData())
assert abs(model.predict(pairs)[0] / 5 - cosines[0]) < 1e-5
print(*cosines, sep="\\n")
"""


def test_an_encoder_is_trained_named_and_compares(checkout: Checkout) -> None:
    alike = [pair for pair, gold in zip(PAIRS, GOLD, strict=True) if float(gold) > 3.5]
    write(checkout.root / "pairs.tsv", alike)
    write(checkout.root / "sentences.txt", ["Boil the pasta.", ""])
    _, cosines, tested = checkout.follow("An encoder")
    assert [float(cosine) > 0.7 for cosine in cosines.split()] == [True] * len(alike)
    assert_tests_passed(tested)
    assert correlation(checkout.python(USE_ENCODER)) > 0.8


USE_TRANSLATOR = """
from pathlib import Path
from semaniacs.sts.translation import get_translator

for _ in range(2):
    translator = get_translator("shout", memory_folder=Path("memory"))
    print([one.text for one in translator.translate(["hola"], "es", "en")])
"""


def test_a_translator_translates_once_and_remembers(checkout: Checkout) -> None:
    write(checkout.root / "spanish.txt", ["hola"])
    checkout.environment.update(NO_PROXY="127.0.0.1", no_proxy="127.0.0.1", SHOUT_API_KEY="KEY")
    with serving("libre") as server:
        server.replies = [(200, {"text": "HOLA"}, {}) for _ in range(2)]
        checkout.replaced["https://shout.example"] = server.address
        _, translated = checkout.follow("A translator")
        assert translated == "HOLA\n"
        assert checkout.python(USE_TRANSLATOR) == "['HOLA']\n" * 2
    assert len(server.requests) == 2
    for request in server.requests:
        assert request["headers"]["Authorization"] == "KEY"
        assert (request["path"], request["q"], request["to"]) == ("/v1", "hola", "en")


def test_a_language_is_taught_and_told_apart(checkout: Checkout) -> None:
    lines = ["A casa vermelha.", "O cão dorme no sofá."]
    write(checkout.root / "portuguese.txt", lines)
    write(checkout.root / "mixed.txt", ["The dog sleeps on the sofa.", *lines])
    with gzip.open(checkout.root / "en-pt.tsv.gz", "wt", encoding="utf-8") as file:
        file.write(f"The red house.\t{lines[0]}\nThe dog sleeps on the sofa.\t{lines[1]}\n")
    _, _, told = checkout.follow("A language")
    vectors = np.load(checkout.root / "vectors.npy")
    assert vectors.shape == (2, 256) and vectors.any(axis=1).all()
    assert [line.split("\t")[0] for line in told.splitlines()] == ["en", "pt", "pt"]
