"""``semaniacs tune`` without gold: pairs that mean the same, and how well they are found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from semaniacs import embeddings
from semaniacs.cli import run as main
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.transformer.fine_tuning.held_out_gain import (
    mean_reciprocal_rank,
    paraphrase_gains,
    ranks,
)
from semaniacs.embeddings.transformer.fine_tuning.own_pairs import (
    Paraphrases,
    has_gold,
    of_labels,
    read_paraphrases,
)
from semaniacs.sts.data.pair_table import PairColumns
from semaniacs.sts.data.pairs import Pairs
from tests.embeddings.conftest import Command
from tests.embeddings.transformer import tiny

QUICK = "--batch 16 --learning-rate 0.01 --dropout 0"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tiny.save(tmp_path / "start")
    return tmp_path


def translations(n: int, seed: int = 0) -> list[tuple[str, str]]:
    """Pairs whose right side has the partner of each word of the left one; no side comes twice."""
    rng = np.random.default_rng(seed)
    found: dict[tuple[int, ...], None] = {}
    while len(found) < n:
        found[tuple(sorted(rng.integers(0, 4, 5).tolist()))] = None
    words = tiny.KNOWN
    return [(" ".join(words[i] for i in a), " ".join(words[4 + i] for i in a)) for a in found]


class Given:
    """Vectors by sentence."""

    def __init__(self, **vectors: tuple[float, float]) -> None:
        self.vectors = vectors

    def encode(self, sentences: Sequence[str]) -> Vectors:
        return np.array([self.vectors[one] for one in sentences], np.float32)


# What is read


def test_pairs_are_read_with_and_without_a_hard_negative() -> None:
    Path("p.tsv").write_text("x\tb\nc\td\te\nf\tg\t\n")
    found = read_paraphrases("p.tsv", PairColumns())
    assert (found.left, found.right) == (("x", "c", "f"), ("b", "d", "g"))
    assert found.given == (None, "e", None)
    kinds = {"x\tb\n": False, "x\tb\tc\n": False, "a\tb\t1\n": True, "0\ta\tb\n": True}
    for text, expected in kinds.items():
        Path("p.tsv").write_text(text)
        assert has_gold("p.tsv", PairColumns()) == expected


def test_hard_negatives_of_a_table_have_a_column_of_their_own() -> None:
    Path("p.csv").write_text("id,left,right,Negative\n1,a,b,\n2,c,d,41\n")
    found = read_paraphrases("p.csv", PairColumns())
    assert (found.left, found.right, found.given) == (("a", "c"), ("b", "d"), (None, "41"))
    assert not has_gold("p.csv", PairColumns())
    Path("q.csv").write_text("left,right,score\na,b,\n")
    assert has_gold("q.csv", PairColumns())
    Path("r.tsv").write_text("x\ty\trating\na\tb\t2\n")
    assert has_gold("r.tsv", PairColumns("x", "y"), "rating")
    Path("s.tsv").write_text("a\tb\tno\nc\td\t\n")
    for where in (PairColumns("1", "2"), PairColumns(header=False)):
        assert read_paraphrases("s.tsv", where).given == ("no", None)


def test_labels_of_zero_give_hard_negatives() -> None:
    gold = np.array([0.0, 1, 0, 1, 0, 1])
    pairs = Pairs("p", tuple("aabedh"), tuple("xbyfei"), gold)
    found = of_labels(pairs)
    assert (found.left, found.right) == (("a", "e", "h"), ("b", "f", "i"))
    assert found.given == ("x", "d", None)  # of a first, of e by the other side, of h none


# How it is compared


def test_ranks_by_hand() -> None:
    rights = {"x": (3, 1), "y": (1, 3), "z": (5, 0), "no": (2, 2), "same": (1, 0)}
    model = Given(a=(1, 0), b=(0, 1), c=(1, 1), **rights)
    pairs = Paraphrases(
        "p", ("a", "b", "c", "a"), ("x", "y", "z", "same"), (None, "no", None, None)
    )
    # a: z (same direction) is ahead of x, and "same" means the same; of its other pair: z ties.
    # b: y is first.  c: no, x and y are ahead of z, and "same" ties with it.
    assert ranks(model, pairs).tolist() == [2, 1, 5, 2]
    assert mean_reciprocal_rank(np.array([2, 1, 5, 2])) == pytest.approx(0.55)


def test_a_gain_is_claimed_only_outside_of_the_interval() -> None:
    names = [str(i) for i in range(120)]
    pairs = Paraphrases("p", tuple(names[:60]), tuple(names[60:]), (None,) * 60)
    rng = np.random.default_rng(0)
    bad, good = rng.integers(1, 30, 60), rng.integers(1, 3, 60)
    recall, rank = paraphrase_gains(pairs, bad, good)
    assert recall.metric == "recall at 1 among 60 sentences"
    assert recall.difference.a == pytest.approx((good == 1).mean())
    assert rank.difference.b == pytest.approx((1 / bad).mean())
    assert (rank.verdict, rank.pairs, rank.groups) == ("a gain", 60, 60)
    assert paraphrase_gains(pairs, good, good)[1].verdict.startswith("no gain is claimed")


# The command


def test_paraphrases_are_found_by_a_network_that_learned_from_others(command: Command) -> None:
    made = translations(50)
    negatives = [made[(i + 1) % 40][1] if i < 5 else "" for i in range(40)]
    lines = (f"{a}\t{b}\t{no}\n" for (a, b), no in zip(made, negatives, strict=False))
    Path("pairs.tsv").write_text("".join(lines))
    Path("dev.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in made[40:]))
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


PAIR = "x\ty\nc\td\ne\tf\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a\n", "--loss margin-scale", "pairs.tsv:1: 1 columns; expected 2 or 3"),
        ("x\tb\n\tc\n", "--loss margin-scale", "pairs.tsv:2: the left side is empty"),
        ("x\tb\n", "--loss margin-scale", "1 of 1 pairs to learn from; expected two or more"),
        (PAIR, "--loss margin-scale --dev pairs.tsv", "6 of its sentences are in pairs.tsv too"),
        (PAIR, "--loss margin-scale --dev one.tsv", "one.tsv: 1 pair to compare on"),
        (PAIR, "", "pairs.tsv: 2 columns; expected 3: left, right, gold; "
            "without it, learn with --loss multiple-negatives"),
        (PAIR, "--margin 0.1", "--margin belongs to --loss margin-scale or multiple-negatives"),
        (PAIR, "--cross --mega-batch 2", "--mega-batch belongs to --loss"),
        (PAIR, "--loss multiple-negatives --margin 0.1", "multiple-negatives has no margin"),
        (PAIR, "--loss margin-scale --closest 2", "give it too"),
        ("a\tb\t3\nc\td\t2\n", "--loss margin-scale", "learns from gold of two values"),
        ("", "--loss margin-scale", "pairs.tsv: the file is empty"),
    ],
)  # fmt: skip
def test_what_is_refused(command: Command, text: str, options: str, message: str) -> None:
    Path("pairs.tsv").write_text(text)
    Path("one.tsv").write_text("g\th\n")
    refused = command(main, f"tune pairs.tsv --from start -o tuned {options}").error
    assert message in refused
    assert not Path("tuned").exists()


def test_stdin_is_refused(command: Command) -> None:
    line = "tune - --from start -o tuned --loss margin-scale"
    assert "PAIRS - is stdin" in command(main, line, b"a\tb\n").error
