"""The commands that make and rank groups, and the groups of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.cli import run as semaniacs
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.runs.partial.partial_groups import (
    back_translated,
    ranking_figures,
    read_paraphrases,
    swapped_groups,
)
from semaniacs.sts.errors import DataError
from semaniacs.sts.partial_paraphrases.group_file import read_groups
from semaniacs.sts.translation import Translation, Translator

PAIRS = (
    ("The old cook sold two red apples .", "The old cook quickly sold and gave two red apples ."),
    ("Young Ann ate .", "A young cook ate old apples and slept while two men sang ."),
    ("A dog sleeps .", "A dog is asleep ."),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Three paraphrases and a pair that is none, with labels."""
    rows = [f"{i}\t{a}\t{b}\t1\n" for i, (a, b) in enumerate(PAIRS)]
    path = tmp_path / "pairs.tsv"
    path.write_text("id\tsentence1\tsentence2\tlabel\n" + "".join(rows) + "9\tA cat .\tA .\t0\n")
    return path


def test_pairs_with_label_1_are_read_by_their_lines(table: Path, tmp_path: Path) -> None:
    found = read_paraphrases(str(table))
    assert found == [(str(line), *pair) for line, pair in enumerate(PAIRS, 2)]
    plain = tmp_path / "plain.tsv"
    plain.write_text("a b\tb a\nc\td\n")
    assert read_paraphrases(str(plain)) == [("1", "a b", "b a"), ("2", "c", "d")]


def test_a_label_that_is_none_is_named(table: Path) -> None:
    table.write_text(table.read_text().replace("\t0\n", "\tno\n"))
    with pytest.raises(DataError, match=r"pairs\.tsv:5: column label is 'no'; expected 1 "):
        read_paraphrases(str(table))
    table.write_text("a\tb\tlabel\nx\ty\t0\n")
    with pytest.raises(DataError, match="no pair is a paraphrase"):
        read_paraphrases(str(table))


class Renaming(Translator):
    """Into Spanish nothing changes; back, some words do."""

    name, version, install_hint = "renaming", "1", ""

    def __init__(self, back: dict[str, str]) -> None:
        super().__init__()
        self.back = back

    def available(self) -> bool:
        return True

    def _find(self, texts: Sequence[str], source: str, target: str) -> dict[str, Translation]:
        def other(text: str) -> str:
            return " ".join(self.back.get(word, word) for word in text.split())

        return {text: Translation(other(text) if source == "es" else text) for text in texts}


def test_a_sentence_that_comes_back_as_another_is_dropped() -> None:
    made, _ = swapped_groups([("1", PAIRS[0][0], PAIRS[1][1]), ("2", "ann ate .", PAIRS[1][1])])
    assert [group.name for group in made] == ["1", "2"]
    words = "ann bea cal ate".split()
    rows = np.zeros((5, 3), np.float32)
    rows[0, 0], rows[1, :2], rows[2, 1], rows[3, 2] = 1, (0.8, 0.6), 1, 0
    encoder = Encoder(WordTokenizer(words, 1), rows)
    group = made[1]
    for came, lowest, kept in (("bea", 0.79, 1), ("bea", 0.81, 0), ("cal", 0.1, 0)):
        found, counts = back_translated([group], Renaming({"ann": came}), encoder, lowest=lowest)
        assert counts == {"kept": kept, "dropped": 1 - kept, "unchanged": 0}
        for one in found:
            assert one.pairs[0] == group.pairs[0]._replace(left=f"{came} ate .")
            assert one.pairs[1:] == group.pairs[1:]
    assert back_translated([group], Renaming({}), encoder)[1]["unchanged"] == 1


def test_the_interval_is_over_groups() -> None:
    groups = np.arange(40).reshape(10, 4)
    right, wrong = [4.0, 3, 2, 1], [1.0, 2, 3, 4]
    found = ranking_figures(np.array(right * 6 + wrong * 4), groups)
    assert found.r_precision == pytest.approx(0.6)
    assert found.spearman == pytest.approx(0.2)
    # Ten draws with success 0.6: 3 to 9 successes hold 95 %; ρ is 2 R - 1 here.
    assert found.r_precision_interval == pytest.approx((0.3, 0.9))
    assert found.spearman_interval == pytest.approx((-0.4, 0.8))
    all_right = ranking_figures(np.array(right * 10), groups)
    assert all_right.r_precision_interval == (1, 1)


# The commands


def test_groups_are_generated_and_ranked(table: Path, tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "groups.tsv"
    made = cli("partial", "generate", table, "-o", out, main=semaniacs)
    assert (made.code, made.out) == (0, "")
    assert "paraphrases 3, groups 2, skipped 1, flagged " in made.err
    assert len(read_groups(str(out)).groups) == 2
    scores = tmp_path / "scores.txt"
    scores.write_text("4\n3\n2\n1\n1\n2\n3\n4\n")
    ranked = cli("partial", "rank", out, "--scores", scores, "--threshold", 3, main=semaniacs)
    lines = [line.split() for line in ranked.out.splitlines()]
    assert lines[1:4] == [
        ["groups", "2"],
        ["R-Precision", "50.00", "0.00", "to", "100.00"],
        ["ρ", "0.00", "-100.00", "to", "100.00"],
    ]
    assert [line[-1] for line in lines[4:]] == ["50.00", "50.00", "50.00", "50.00"]


def test_stdout_and_options(table: Path, cli: Any) -> None:
    made = cli("partial", "generate", table, main=semaniacs)
    again = cli("partial", "generate", table, main=semaniacs)
    assert made.out == again.out and made.out.startswith(
        "group\tdegree\tleft\tright\tflags\n2\t4\t"
    )
    assert cli("partial", "generate", table, "--seed", 3, main=semaniacs).out != made.out
    assert (
        len(cli("partial", "generate", table, "--limit", 1, main=semaniacs).out.splitlines()) == 5
    )
    control = cli("partial", "generate", table, "--against", "a", main=semaniacs).out.splitlines()
    assert control[1].split("\t")[2:4] == list(PAIRS[0][::-1])
    longer = cli("partial", "generate", table, "--variant", "continuation", main=semaniacs)
    assert len(longer.out.splitlines()) == 1 + 3 * 4


def test_what_cannot_be_is_refused(table: Path, tmp_path: Path, cli: Any) -> None:
    def refused(*arguments: object) -> Any:
        return cli("partial", *arguments, main=semaniacs).refused

    refused("generate", table, "--against", "a", "--variant", "continuation")("leave one of them")
    short = tmp_path / "short.tsv"
    short.write_text("A dog sleeps .\tA dog is asleep .\n")
    refused("generate", short)("no group is left of 1 paraphrase")
    short.write_text("A dog .\t...\n")
    refused("generate", short)("short.tsv:1: the right side '...' has no words")
    out = tmp_path / "groups.tsv"
    cli("partial", "generate", table, "-o", out, main=semaniacs)
    short.write_text("1\n2\n")
    refused("rank", out, "--scores", short)("2 scores for 8 pairs; expected one per pair")
    out.write_text("".join(out.read_text().splitlines(keepends=True)[:4]))
    refused("rank", out, "--scores", short)("groups.tsv:2: group '2' has 3 pairs; expected 4")
