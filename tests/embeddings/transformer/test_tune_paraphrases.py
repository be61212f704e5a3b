"""``semaniacs tune`` without gold: pairs that mean the same, and how well they are found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from semaniacs import embeddings
from semaniacs.cli import run as main
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.transformer.fine_tuning.held_out_gain import mean_reciprocal_rank, ranks
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
        ("x\tb\n\tc\n", "--loss margin-scale", "pairs.tsv:2: the left side is empty"),
        (PAIR, "--loss margin-scale --dev pairs.tsv", "6 of its sentences are in pairs.tsv too"),
        (PAIR, "", "pairs.tsv: 2 columns; expected 3: left, right, gold; "
            "without it, learn with --loss multiple-negatives"),
        (PAIR, "--cross --mega-batch 2", "--mega-batch belongs to --loss"),
        (PAIR, "--loss multiple-negatives --margin 0.1", "multiple-negatives has no margin"),
        (PAIR, "--loss margin-scale --closest 2", "give it too"),
    ],
)  # fmt: skip
def test_what_is_refused(command: Command, text: str, options: str, message: str) -> None:
    Path("pairs.tsv").write_text(text)
    Path("one.tsv").write_text("g\th\n")
    refused = command(main, f"tune pairs.tsv --from start -o tuned {options}").error
    assert message in refused
    assert not Path("tuned").exists()
