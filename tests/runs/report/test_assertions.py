"""Assertions about similarity say why they fail; the plugin hands them to pytest."""

from __future__ import annotations

import pytest

from semaniacs.runs.scorer import load, score
from semaniacs.sts.errors import StsError, UnknownNameError
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


def test_a_failure_says_what_moved_the_score() -> None:
    with pytest.raises(AssertionError) as raised:
        assert_similar(*OTHER, at_least=3.5)
    first, _, *others = str(raised.value).splitlines()
    assert first == f"fusion says {score(*OTHER):.4f}, expected at least 3.5"
    assert others[:2] == [*OTHER]
    explained = load("fusion").explain(*OTHER)
    assert explained.contributions[0].feature in others[5]
    assert ["score", f"{explained.score:.4f}"] in [line.split() for line in others]


def test_what_is_no_score_and_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="at_least=80: expected a score from 0 to 5"):
        assert_similar(*SAME, at_least=80)
    with pytest.raises(ValueError, match="at_most=nan"):
        assert_different(*SAME, at_most=float("nan"))
    with pytest.raises(UnknownNameError, match="fussion"):
        assert_similar(*SAME, model="fussion")
    with pytest.raises(StsError, match="empty"):
        assert_similar("", "A dog.")


TESTS = """
def test_alike(similar):
    similar("A dog runs.", "A dog is running.", at_least=4)

def test_unlike(different):
    different("A dog runs.", "Stocks fell on Friday.", at_most=1)

def test_fails(similar):
    similar("A dog runs.", "Stocks fell on Friday.")
"""


def test_the_fixtures_judge(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    ended = pytester.runpytest_inprocess("-p", "pytest_semaniacs", "-p", "no:xdist")
    ended.assert_outcomes(passed=2, failed=1)
    ended.stdout.fnmatch_lines(["*AssertionError: fusion says *, expected at least 4", "*dynamax*"])
    # Our own lines are hidden in the traceback.
    assert "assertions.py" not in ended.stdout.str()


@pytest.mark.parametrize("by", ["option", "raw", "toml"])
def test_the_model_is_named_by_option_or_file(pytester: pytest.Pytester, by: str) -> None:
    pytester.makepyfile("def test_it(semaniacs_model): assert semaniacs_model == 'raw'")
    if by == "toml":
        pytester.makepyprojecttoml('[tool.pytest.ini_options]\nsemaniacs_model = "raw"')
    elif by != "option":
        pytester.makeini(f"[pytest]\nsemaniacs_model = {by}")
    options = ["--semaniacs-model", "raw"] if by == "option" else []
    ended = pytester.runpytest_inprocess("-p", "pytest_semaniacs", "-p", "no:xdist", *options)
    ended.assert_outcomes(passed=1)
