"""The triples of the behaviour suite: their reader, and what each of them must be."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from semaniacs.sts.behaviour.suite import REWRITINGS, accuracies, try_behaviour
from semaniacs.sts.behaviour.triples import HALVES, HEADER, Triple, read_triples, shipped_triples
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import DataError
from semaniacs.sts.text.tokenizer import is_word, tokenize

TITLE = "\t".join(HEADER)


def shared_words(left: str, right: str) -> float:
    """Return Jaccard's index of the lower-cased words of two sentences."""
    mine, theirs = ({t.lower() for t in tokenize(s) if is_word(t)} for s in (left, right))
    return len(mine & theirs) / max(1, len(mine | theirs))


def test_what_the_triples_that_ship_must_be() -> None:
    readme = Path(__file__).parents[3] / "sts" / "behaviour" / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines()
    phenomena = [line.split("`")[1] for line in lines if line.startswith("| `")]
    assert len(phenomena) == 27
    sentences: Counter[str] = Counter()
    for half in HALVES:
        triples = shipped_triples(half)
        assert Counter(t.phenomenon for t in triples) == dict.fromkeys(phenomena, 10)
        for triple in triples:
            anchor, closer, farther = triple.anchor, triple.closer, triple.farther
            assert shared_words(anchor, farther) > shared_words(anchor, closer)
            sentences.update((anchor, closer, farther))
    assert set(sentences.values()) == {1}


def test_a_file_is_read_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text(f'{TITLE}\nnegation\tHe "is".\tIndeed.\tHe "isn\'t".\n', encoding="utf-8")
    assert read_triples(file) == (Triple("negation", 'He "is".', "Indeed.", 'He "isn\'t".'),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("negation\ta\tb\tc\n", ":1: 'negation\\ta\\tb\\tc', expected the header"),
        (f"{TITLE}\nx\ta\tb\tc\nx\ta\tb\n", ":3: 3 columns, expected 4"),
        (f"{TITLE}\n", ":2: no triple"),
        (f"{TITLE}\nx\ta\t \tc\n", ":2: the closer is empty"),
        (f"{TITLE}\nx\ta\tb\ta\n", ":2: a sentence twice"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_triples(file)
    assert str(error.value).startswith(f"{file}{told}")


# The figures of the behaviour suite on scores whose answers are known


def words_in_common(left: Sequence[str], right: Sequence[str]) -> Scores:
    return np.array([5 * shared_words(a, b) for a, b in zip(left, right, strict=True)])


def test_a_count_of_common_words_gets_every_triple_wrong() -> None:
    found = try_behaviour(shipped_triples("development"), words_in_common)
    assert found.overall.value == 0
    assert set(found.phenomena) == {t.phenomenon for t in shipped_triples("development")}
    assert found.identity == found.symmetry == 1
    for name in ("upper case", "lower case", "no full stop"):
        assert found.invariances[name].kept == found.invariances[name].share == 1
    assert 0 < found.invariances["typo"].kept < 1


def test_what_is_kept_by_hand() -> None:
    triples = [Triple("x", "He left early.", "a", "b"), Triple("x", "Go", "c", "d")]
    score = {
        ("He left early.", "He left early."): 4.0,
        ("He left early.", "Go"): 1.0,
        ("He left early.", "He left eralY."): 0.0,
        ("He left early.", "He left eraly."): 2.5,
        ("He left early.", "a"): 2.0,
        ("a", "He left early."): 2.0,
        ("He left early.", "b"): 1.0,
        ("Go", "Go"): 5.0,
        ("Go", "c"): 2.0,
        ("c", "Go"): 2.5,
        ("Go", "d"): 2.0,  # a tie
    }
    found = try_behaviour(
        triples,
        lambda left, right: np.array(
            [score.get(pair, 0.0) for pair in zip(left, right, strict=True)]
        ),
    )
    assert found.overall.value == found.identity == found.symmetry == 0.5
    assert list(found.closer) == [2, 2] and list(found.farther) == [1, 2]
    typo = found.invariances["typo"]
    # (2.5 - 1) / (4 - 1) is half, and half is what a typo must keep
    assert (typo.sentences, typo.kept, typo.share) == (1, 0.5, 1.0)
    capitals = found.invariances["upper case"]
    # (0 - 1) / (4 - 1) and 0 / 5
    assert (capitals.sentences, capitals.kept) == (2, pytest.approx(-1 / 6))
    assert found.invariances["contraction"].sentences == 0
    assert math.isnan(found.invariances["contraction"].share)


def test_the_overall_figure_is_the_mean_of_the_phenomena() -> None:
    by_name, overall = accuracies(["a", "b", "a", "a", "a"], np.array([1, 1, 0, 0, 0], bool))
    assert {name: accuracy.value for name, accuracy in by_name.items()} == {"a": 0.25, "b": 1.0}
    assert overall.value == 0.625


@pytest.mark.parametrize(
    ("phenomena", "right"),
    [("abcdefghij", "1111111000"), ("a" * 10, "1" * 10), ("aabb", "0000"), ("a", "1")],
)
def test_the_interval_is_that_of_wilson(phenomena: str, right: str) -> None:
    _, overall = accuracies([*phenomena], np.array([*right]) == "1")
    one = scipy.stats.binomtest(right.count("1"), len(right)).proportion_ci(method="wilson")
    assert (overall.low, overall.high) == pytest.approx((one.low, one.high), abs=1e-6)


# Rewritings by rule, by hand


@pytest.mark.parametrize(
    ("name", "sentence", "rewritten"),
    [
        ("typo", "He received the package.", "He recieved the package."),
        ("typo", "A kaffee cup", None),  # the two letters are the same
        ("upper case", "It's Ana 👍", "IT'S ANA 👍"),
        ("lower case", "Ana ran.", "ana ran."),
        ("no full stop", "Rain.", "Rain"),
        ("no full stop", "Rain...", None),
        ("contraction", "I can't and won't; he doesn't.", "I cannot and will not; he does not."),
        ("contraction", "We cannot stay.", "We can't stay."),
        ("contraction", "You are late and it will not do.", "You're late and it won't do."),
        ("contraction", "Ana's dog ran.", None),
    ],
)
def test_rewritings(name: str, sentence: str, rewritten: str | None) -> None:
    assert REWRITINGS[name](sentence) == (rewritten or sentence)
