"""``semaniacs tune``: a person's own pairs, the folder that is written, and its claim."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

from semaniacs import embeddings
from semaniacs.cli import run as main
from semaniacs.embeddings.transformer.bert_folder import is_cross_encoder, load_bert
from semaniacs.embeddings.transformer.fine_tuning.held_out_gain import (
    gain,
    mean_reciprocal_rank,
    ranks,
)
from semaniacs.embeddings.transformer.fine_tuning.own_pairs import (
    Paraphrases,
    has_gold,
    of_labels,
    read_paraphrases,
)
from semaniacs.embeddings.transformer.fine_tuning.reader import Reader
from semaniacs.embeddings.transformer.fine_tuning.transformer_folder import load_pair_scorer
from semaniacs.sts.data.pair_table import PairColumns
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import DataError
from semaniacs.sts.scoring.classification import roc_auc
from tests.embeddings.conftest import Command
from tests.embeddings.transformer import tiny

QUICK = "--batch 16 --learning-rate 0.02 --dropout 0"
SENTENCES = ["aa bb", "hh", "", "cc cc dd zz"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tiny.save(tmp_path / "start")
    Path("pairs.tsv").write_text(tiny.lines(150))
    return tmp_path


def tuned(command: Command, arguments: str = "") -> str:
    return command(main, f"tune pairs.tsv --from start {QUICK} -o tuned {arguments}").printed


def test_a_bi_encoder_learns_and_the_gain_is_told(command: Command) -> None:
    told = tuned(command, "--epochs 6 --curve curve")
    first, verdict = told.splitlines()
    assert first.startswith("AUC on ") and verdict == "a gain"
    before, after = (float(part.split()[0]) for part in first.split(": ")[1].split(", ")[:2])
    assert after > 0.8 > before
    points = Path("curve.csv").read_text().splitlines()
    assert points[0] == "epochs,steps,loss,metric" and len(points) == 1 + 6 * 8  # batches
    assert float(points[-1].split(",")[3]) == pytest.approx(after, abs=1e-4)
    assert Path("curve.png").stat().st_size > 1000
    assert not Path("tuned.checkpoint.safetensors").exists()
    with safe_open("tuned/model.safetensors", "np") as file:
        recipe = json.loads(file.metadata()["recipe"])
    assert (recipe["epochs"], recipe["seed"]) == (6, 0)
    read = embeddings.load("tuned")
    left, right, gold = tiny.pairs(100, 5, 6)
    assert roc_auc(gold, read.similarity_pairwise(left, right)) > 0.8
    Path("new.tsv").write_text(
        "aa bb cc dd aa bb\tdd aa aa cc bb dd\naa bb cc dd aa bb\tee ff gg hh ee ff\n"
    )
    near, far = map(float, command(main, "similar new.tsv --model tuned").out.split())
    assert near > far
    assert "recipe" in command(main, "info tuned").out


def write_pairs(path: str, *columns: Any) -> None:
    rows = zip(*columns, strict=True)
    Path(path).write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))


def assert_scored(command: Command, expected: Any) -> None:
    """``similar`` scores new.tsv with the folder; ``info`` describes it, and ``encode`` refuses it."""
    printed = command(main, "similar new.tsv --model tuned --digits 9").out.split()
    np.testing.assert_allclose([float(one) for one in printed], expected, atol=1e-9)
    assert "reads" in command(main, "info tuned").out
    refused = command(main, "encode pairs.tsv -o v.npy --model tuned").error
    assert "a cross-encoder, which has no vectors" in refused and "similar PAIRS" in refused


def sentence_transformers() -> Any:
    pytest.importorskip("torch")
    return pytest.importorskip("sentence_transformers")


@pytest.mark.parametrize("pooling", ["max", "weighted-layers"])
def test_vectors_are_those_of_sentence_transformers(command: Command, pooling: str) -> None:
    library = sentence_transformers()
    tuned(command, f"--epochs 1 --pooling {pooling} --frozen 1")
    expected = library.SentenceTransformer("tuned", device="cpu").encode(SENTENCES)
    found = embeddings.load("tuned").encode(SENTENCES)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    start = embeddings.load("start").encode(SENTENCES)
    assert np.abs(found - start / np.linalg.norm(start, axis=1, keepdims=True)).max() > 0.01


def test_a_cross_encoder_is_that_of_sentence_transformers(command: Command) -> None:
    library = sentence_transformers()
    tuned(command, "--cross --epochs 1")
    assert is_cross_encoder(Path("tuned"))
    left, right, _ = tiny.pairs(10, seed=3)
    other = library.CrossEncoder("tuned", device="cpu")
    ways = [
        other.predict(list(zip(*order, strict=True))) for order in ((left, right), (right, left))
    ]
    model = load_pair_scorer(Path("tuned"))
    found = model.predict(left, right)
    np.testing.assert_allclose(found, np.mean(ways, axis=0), atol=1e-5)
    np.testing.assert_array_equal(found, model.predict(right, left))
    write_pairs("new.tsv", left, right)
    assert_scored(command, found)
    refused = command(main, "similar new.tsv --model tuned --against new.tsv").error
    assert "leave out --against" in refused
    with pytest.raises(DataError, match=r"start: no cross-encoder"):
        load_pair_scorer(Path("start"))


@pytest.mark.parametrize("grades", [2, 6])
def test_a_reader_is_saved_read_and_refused_elsewhere(command: Command, grades: int) -> None:
    """Of labels a score is a chance, of grades a number like a cosine."""
    left, right, _ = tiny.pairs(60, words_of=6)
    gold = np.arange(60) % grades
    write_pairs("pairs.tsv", left, right, gold)
    tuned(command, "--reader --same-token 6 --epochs 1 --frozen 1 --held-out 0.3")
    model = load_pair_scorer(Path("tuned"))
    assert isinstance(model, Reader)
    assert model.graded == (grades > 2)
    assert model.head["gates"].shape == (tiny.LAYERS - 1, tiny.HEADS)
    found = model.predict(left[:8], right[:8])
    write_pairs("new.tsv", left[:8], right[:8])
    assert_scored(command, found)
    with pytest.raises(DataError, match="semaniacs-reader"):
        load_bert(Path("tuned"))
    Path("tuned/head.safetensors").unlink()
    with pytest.raises(DataError, match="no head.safetensors"):
        load_pair_scorer(Path("tuned"))


def test_labels_in_words_teach_a_reader(command: Command) -> None:
    left, right, gold = tiny.pairs(60, words_of=6)
    others = ("neutral", "contradiction")
    labels = ["Entailment" if same else others[n % 2] for n, same in enumerate(gold)]
    columns = (["premise", *left], ["hypothesis", *right], ["gold_label", *labels])
    write_pairs("pairs.tsv", *columns)
    ended = command(main, f"tune pairs.tsv --from start {QUICK} -o tuned --epochs 1")
    assert ended.code == 0 and "pairs.tsv: labels in words, so --reader" in ended.err
    assert ended.out.startswith("AUC on ")  # of what rather means the same, against the others
    model = load_pair_scorer(Path("tuned"))
    assert isinstance(model, Reader) and not model.graded
    Path("dev.tsv").write_text("x\ty\tneutral\nz\tw\tparaphrase\n")
    assert tuned(command, "--epochs 1 --dev dev.tsv --overwrite").startswith("AUC on 2 held-out")


KILLED = """
import os, signal, sys
from semaniacs.cli import run as main
from semaniacs.embeddings.training import checkpoint, loop
written = 0
save = checkpoint.Checkpoint.save
def save_and_die(self, *state):
    global written
    save(self, *state)
    written += 1
    if written == 3:
        os.kill(os.getpid(), signal.SIGKILL)
checkpoint.Checkpoint.save = save_and_die
loop.SECONDS = 0.0
main()
"""


def test_a_killed_training_goes_on_to_the_same_bytes(command: Command, folder: Path) -> None:
    line = f"tune pairs.tsv --from start {QUICK} --epochs 2 -o tuned"
    root = Path(__file__).parents[3]
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, *line.split()],
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    checkpoint = Path("tuned.checkpoint.safetensors")
    assert checkpoint.exists() and not Path("tuned").exists()
    assert "another training (seed 0, here 1;" in command(main, f"{line} --seed 1").error
    tuned(command, "--epochs 2")
    assert not checkpoint.exists()
    resumed = {p: p.read_bytes() for p in Path("tuned").rglob("*") if p.is_file()}
    tuned(command, "--epochs 2 --overwrite")
    assert resumed == {p: p.read_bytes() for p in Path("tuned").rglob("*") if p.is_file()}


def test_a_gain_is_claimed_only_outside_of_the_interval() -> None:
    rng = np.random.default_rng(0)
    names = tuple(map(str, range(600)))
    pairs = Pairs("made", names[:300], names[300:], rng.uniform(size=300))
    noise = rng.standard_normal((3, 300))
    worse, same, better = (pairs.gold + noise[i] * (1, 1, 0.1)[i] for i in range(3))
    assert gain(pairs, worse, better).verdict == "a gain"
    assert gain(pairs, better, worse).verdict == "training did harm"
    unclear = gain(pairs, worse, same)
    assert unclear.difference.low < 0 < unclear.difference.high
    assert str(unclear).endswith("\nno gain is claimed: the interval contains 0")
    assert not gain(pairs, worse, worse).difference.real
    collapsed = gain(pairs, better, np.full(300, 0.5))  # an r of 0, not of nothing
    assert collapsed.verdict == "training did harm" and collapsed.difference.a == 0


def translations(n: int, seed: int = 0) -> list[tuple[str, str]]:
    """Pairs whose right side has the partner of each word of the left one; no side comes twice."""
    rng = np.random.default_rng(seed)
    found: dict[tuple[int, ...], None] = {}
    while len(found) < n:
        found[tuple(sorted(rng.integers(0, 4, 5).tolist()))] = None
    words = tiny.KNOWN
    return [(" ".join(words[i] for i in a), " ".join(words[4 + i] for i in a)) for a in found]


def test_pairs_are_read_with_and_without_a_hard_negative() -> None:
    Path("p.tsv").write_text("x\tb\nc\td\te\nf\tg\t\n")
    found = read_paraphrases("p.tsv", PairColumns())
    assert (found.left, found.right) == (("x", "c", "f"), ("b", "d", "g"))
    assert found.given == (None, "e", None)
    kinds = {"x\tb\n": False, "x\tb\tc\n": False, "a\tb\t1\n": True, "0\ta\tb\n": True}
    for text, expected in kinds.items():
        Path("p.tsv").write_text(text)
        assert has_gold("p.tsv", PairColumns()) == expected


def test_labels_of_zero_give_hard_negatives() -> None:
    gold = np.array([0.0, 1, 0, 1, 0, 1])
    pairs = Pairs("p", tuple("aabedh"), tuple("xbyfei"), gold)
    found = of_labels(pairs)
    assert (found.left, found.right) == (("a", "e", "h"), ("b", "f", "i"))
    assert found.given == ("x", "d", None)  # of a first, of e by the other side, of h none


def test_ranks_by_hand() -> None:
    vectors = {"a": (1, 0), "b": (0, 1), "c": (1, 1), "x": (3, 1), "y": (1, 3), "z": (5, 0)}
    vectors |= {"no": (2, 2), "same": (1, 0)}
    model = SimpleNamespace(encode=lambda texts: np.array([vectors[t] for t in texts], np.float32))
    pairs = Paraphrases(
        "p", ("a", "b", "c", "a"), ("x", "y", "z", "same"), (None, "no", None, None)
    )
    # a: z (same direction) is ahead of x, and "same" means the same; of its other pair: z ties.
    # b: y is first.  c: no, x and y are ahead of z, and "same" ties with it.
    assert ranks(model, pairs).tolist() == [2, 1, 5, 2]
    assert mean_reciprocal_rank(np.array([2, 1, 5, 2])) == pytest.approx(0.55)


def test_paraphrases_are_found_by_a_network_that_learned_from_others(command: Command) -> None:
    made = translations(50)
    negatives = [made[(i + 1) % 40][1] if i < 5 else "" for i in range(40)]
    write_pairs("pairs.tsv", *zip(*made[:40], strict=True), negatives)
    write_pairs("dev.tsv", *zip(*made[40:], strict=True))
    ended = command(
        main,
        f"tune pairs.tsv --dev dev.tsv --from start {QUICK} -o tuned --epochs 20 --curve curve "
        "--loss margin-scale --margin 0.05 --scale 10 --mega-batch 2 --closest 2 --threshold -0.5",
    )
    assert ended.code == 0, ended.err
    assert "40 pairs mean the same, 5 of them with a hard negative" in ended.err
    recall, rank, verdict = ended.out.splitlines()
    assert recall.startswith("recall at 1 among 10 sentences on 10 held-out pairs in 10 groups")
    before, after = (float(part.split()[0]) for part in rank.split(": ")[1].split(", ")[:2])
    assert after > before + 0.2 and verdict == "a gain"
    point = Path("curve.csv").read_text().splitlines()[-1]
    assert float(point.split(",")[3]) == pytest.approx(after, abs=1e-4)
    read, dev = embeddings.load("tuned"), read_paraphrases("dev.tsv", PairColumns())
    assert mean_reciprocal_rank(ranks(read, dev)) == pytest.approx(after, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a\tb\t1\na\t \t0\n", "", "pairs.tsv:2: the cell in column 2 is empty"),
        ("a\tb\t1\nc\td\t9\n", "", "gold from 1 to 9: say what is unrelated"),
        ("a\tb\t1\nc\td\t9\n", "--range 0 5", "--range 0 5, but gold goes from 1 to 9"),
        ("a\tb\t1\nc\td\t1\n", "", "all 2 pairs have one gold"),
        ("a\tb\t1\nc\td\t2\n", "--loss contrastive", "--loss contrastive learns from gold of two"),
        ("a\tb\t1\nc\td\t0\n", "--dev pairs.tsv", "4 of its sentences are in pairs.tsv too"),
        ("a\tb\t1\nc\td\t0\n", "--dev two.tsv --tokens 900", "reads 40 at most"),
        ("p\tq\tneutral\nc\td\tmaybe\n", "", "pairs.tsv:2: gold 'maybe'; expected one of"),
        ("p\tq\tneutral\nc\td\t1\n", "", "pairs.tsv:2: gold '1'; expected one of"),
        ("p\tq\tmaybe\nc\td\tneutral\n", "", "'maybe'; expected numbers, or one of the labels para"),
        ("p\tq\tneutral\nc\td\tcontradiction\n", "", "add pairs with a label of the other kind: para"),
        ("p\tq\tneutral\nc\td\tentailment\n", "--loss cosent", "without --loss; leave it out, or write"),
        ("p\tq\tneutral\nc\td\tentailment\n", "--loss margin-scale", "without --loss"),
        ("a\tb\t1\nc\td\t0\n", "--dev two.tsv --cross --loss cosent", "have no meaning with --cross"),
        ("x\tb\n\tc\n", "--loss margin-scale", "pairs.tsv:2: the left side is empty"),
        ("x\ty\nc\td\ne\tf\n", "--loss margin-scale --dev pairs.tsv", "6 of its sentences are in pairs.tsv too"),
        ("x\ty\nc\td\ne\tf\n", "", "pairs.tsv: 2 columns; expected 3: left, right, gold; "
            "without it, learn with --loss multiple-negatives"),
        ("x\ty\nc\td\ne\tf\n", "--cross --mega-batch 2", "--mega-batch belongs to --loss"),
        ("x\ty\nc\td\ne\tf\n", "--loss multiple-negatives --margin 0.1", "multiple-negatives has no margin"),
        ("x\ty\nc\td\ne\tf\n", "--loss margin-scale --closest 2", "give it too"),
    ],
)  # fmt: skip
def test_what_is_refused(command: Command, text: str, options: str, message: str) -> None:
    Path("pairs.tsv").write_text(text)
    Path("one.tsv").write_text("1\te\tf\n")
    Path("two.tsv").write_text("1\te\tf\n0\tg\th\n")
    refused = command(main, f"tune pairs.tsv --from start -o tuned {options}").error
    assert message in refused
    assert not Path("tuned").exists()
