"""Assertions about similarity say why they fail; the plugin hands them to pytest."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from semaniacs.runs.scorer import load, score
from semaniacs.sts.errors import UnknownNameError
from semaniacs.testing import assert_different, assert_similar

pytest_plugins = ["pytester"]

SAME = ("A dog runs.", "A dog is running.")
OTHER = ("A dog runs.", "Stocks fell on Friday.")


def test_a_score_at_the_limit_passes() -> None:
    exactly = score(*SAME)
    assert_similar(*SAME)
    assert_similar(*SAME, at_least=exactly)
    assert_different(*SAME, at_most=exactly)
    assert_different(*OTHER)
    with pytest.raises(AssertionError):
        assert_similar(*SAME, at_least=exactly + 1e-9)
    with pytest.raises(AssertionError):
        assert_different(*SAME, at_most=exactly - 1e-9)


def test_a_failure_says_what_differs() -> None:
    pair = ("He has 3 dogs.", "He has 4 dogs.")
    with pytest.raises(AssertionError) as raised:
        assert_similar(*pair, model="fusion")
    first, *others, last = str(raised.value).splitlines()
    assert first == f"fusion says {load('fusion').score(*pair):.4f}, expected at least 4"
    assert others == ["", *pair, "The amounts differ: 3 dogs ≠ 4 dogs."]
    assert last.endswith("semaniacs explain LEFT RIGHT --model fusion")


def test_an_answer_may_leave_out_what_the_question_says() -> None:
    pair, question = (
        ("The pancreas", "Insulin comes from the pancreas."),
        "Where does insulin come from?",
    )
    assert_similar(*pair, at_least=4.9, question=question)
    assert_different("The liver", pair[1], at_most=2, question=question)
    with pytest.raises(AssertionError, match="expected at least 4.9\n\nThe pancreas\nInsulin"):
        assert_similar(*pair, at_least=4.9)


@pytest.mark.parametrize("model", ["raw", "fusion"])
def test_a_failure_shows_the_ends_of_long_texts(model: str) -> None:
    long = f"It begins here. {'A dog runs on 5 March. ' * 40}It ends there."
    with pytest.raises(AssertionError) as raised:
        assert_similar(long, "Stocks fell on Friday.", model=model)
    _, _, shown, short, *others = str(raised.value).splitlines()
    assert re.fullmatch("It begins here.*….*It ends there.", shown)
    assert short == "Stocks fell on Friday."
    assert max(map(len, [shown, *others])) <= 201


def test_strict_fails_a_contradiction_whatever_the_score() -> None:
    pair = (
        "The repair took six hours and was paid for.",
        "The repair took nine hours and was paid for.",
    )
    assert_similar(*pair, at_least=2)
    with pytest.raises(AssertionError, match="expected at least 2 and no contradiction"):
        assert_similar(*pair, at_least=2, strict=True)
    assert_similar(pair[0], [pair[1], pair[0].replace("six", "6")], at_least=2, strict=True)
    assert_different(*pair, at_most=1, strict=True)
    with pytest.raises(AssertionError, match="expected at most 1 or a contradiction"):
        assert_different(pair[0], [pair[1], pair[0].replace("six", "6")], at_most=1, strict=True)


def test_what_is_no_score_and_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="at_least=80: expected a score from 0 to 5"):
        assert_similar(*SAME, at_least=80)
    with pytest.raises(ValueError, match="at_most=nan"):
        assert_different(*SAME, at_most=float("nan"))
    with pytest.raises(UnknownNameError, match="fussion"):
        assert_similar(*SAME, model="fussion")
    with pytest.raises(ValueError, match="at_least=3 and threshold=4; give one"):
        assert_similar(*SAME, at_least=3, threshold=4)
    for a, b in (("A dog.", []), ([*SAME], [*SAME])):
        with pytest.raises(ValueError, match="expected one sentence, then one or a list"):
            assert_similar(a, b)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("", "A dog.", "a is ''"), ("A dog.", " \n", "b is ' \\n'"), (None, "A dog.", "a is None"),
        (float("nan"), ["A dog."], "a is nan"), ({}, "A dog.", "a is {}"),
        ("A dog.", ["A dog.", ""], "b[1] is ''"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_sentence_fails(a: Any, b: Any, said: str) -> None:
    for check in (assert_similar, assert_different):
        with pytest.raises(AssertionError) as raised:
            check(a, b)
        assert str(raised.value).startswith(f"{said}, not a sentence; expected at ")


@pytest.mark.parametrize("references", [list, tuple, iter, np.array])
def test_the_best_of_the_references_counts(references: Any) -> None:
    both = [OTHER[1], SAME[1]]
    assert_similar(SAME[0], references(both))
    with pytest.raises(ValueError, match="expected one sentence, then one or a list of references"):
        assert_similar(references(both), SAME[0], threshold=4)
    with pytest.raises(AssertionError, match=r"\(the best of 2 references\), expected at most 1"):
        assert_different(SAME[0], references(both), threshold=1)
    assert_different(SAME[0], references([OTHER[1]] * 2))


@pytest.mark.parametrize("limit", [0, 0.8, 1])
def test_a_limit_as_of_a_cosine_is_questioned(limit: float) -> None:
    with pytest.warns(UserWarning, match=f"at_least={limit:g}: scores go from 0 to 5") as warned:
        assert_similar(*SAME, threshold=limit)
    assert [warning.filename for warning in warned] == [__file__]


TESTS = """
def test_alike(similar):
    similar("A dog runs.", "A dog is running.", at_least=4)

def test_unlike(different):
    different("A dog runs.", "Stocks fell on Friday.", at_most=1)

def test_fails(similar):
    similar("A dog runs.", "Stocks fell on Friday.")

def test_blank(similar):
    similar("", ["Stocks fell on Friday."])

def test_model(similar):
    similar("A dog runs.", "Stocks fell on Friday.", model="fussion")
"""


def test_the_fixtures_judge(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    ended = pytester.runpytest_inprocess("-p", "pytest_semaniacs", "-p", "no:xdist")
    ended.assert_outcomes(passed=2, failed=3)
    ended.stdout.fnmatch_lines(
        ["*AssertionError: contextual says *, expected at least 4", "*semaniacs explain*"]
    )
    ended.stdout.fnmatch_lines(["*AssertionError: a is ''*", "*UnknownNameError: *fussion*"])
    # Our own lines are hidden in the traceback.
    places = re.findall(r"^(\S+\.py):\d+:", ended.stdout.str(), re.MULTILINE)
    assert places == ["test_the_fixtures_judge.py"] * 3


@pytest.mark.parametrize("by", ["option", "raw", "toml"])
def test_the_model_is_named_by_option_or_file(pytester: pytest.Pytester, by: str) -> None:
    pytester.makepyfile("def test_it(semaniacs_model): assert semaniacs_model == 'raw'")
    if by == "toml":
        pytester.makepyprojecttoml('[tool.pytest.ini_options]\nsemaniacs_model = "raw"')
    elif by != "option":
        pytester.makeini(f"[pytest]\nsemaniacs_model = {by}")
    options = ["--semaniacs-model", "raw"] if by == "option" else []
    plugin = ["-p", "pytest_semaniacs", "-p", "no:xdist"]
    ended = pytester.runpytest_inprocess(*plugin, *options)
    ended.assert_outcomes(passed=1)
    ended = pytester.runpytest_inprocess(*plugin, "--semaniacs-model", "rwa")
    assert ended.ret == pytest.ExitCode.USAGE_ERROR
    ended.stderr.fnmatch_lines(["ERROR: --semaniacs-model or *: unknown model 'rwa'; *raw*"])
