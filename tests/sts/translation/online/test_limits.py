"""Settings, rate, retries and budget, without a network."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from sts.errors import StsError
from sts.translation.online.faults import (
    BadAnswerError,
    BudgetError,
    BusyError,
    RejectedError,
    TemporaryError,
    UnreachableError,
)
from sts.translation.online.http import retry_after
from sts.translation.online.limits import LONGEST_WAIT, Limits, Settings, shared_limits
from sts.translation.online.service import is_page


def test_settings_come_from_the_environment() -> None:
    assert Settings.from_environment({}) == Settings(None, 30.0, 5, None)
    named = {
        "STS_TRANSLATION_RATE": "0.5",
        "STS_TRANSLATION_TIMEOUT": " 2 ",
        "STS_TRANSLATION_TRIES": "1",
        "STS_TRANSLATION_BUDGET": "0",
    }
    assert Settings.from_environment(named) == Settings(0.5, 2.0, 1, 0)
    assert Settings.from_environment(dict.fromkeys(named, "")) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, v) for name in ("RATE", "TIMEOUT") for v in ("0", "-1", "nan", "inf", "fast")],
        *[("TRIES", v) for v in ("0", "-1", "1.5", "²", "many", "9" * 5000)],
        *[("BUDGET", v) for v in ("-1", "1e3", "all")],
    ],
)
def test_a_setting_out_of_range_is_named(name: str, value: str) -> None:
    with pytest.raises(StsError, match=rf"STS_TRANSLATION_{name} is '.*', expected a .*unset it"):
        Settings.from_environment({f"STS_TRANSLATION_{name}": value})


# Rate and budget


def test_the_rate_is_kept_however_long_the_answers_take() -> None:
    limits, starts = Limits("e", rate=20), []
    for answer_takes in (0.01, 0.0, 0.08, 0.0):

        def request(seconds: float = answer_takes) -> None:
            starts.append(time.monotonic())
            time.sleep(seconds)

        limits.call(request, ["x"])
    gaps = [later - sooner for sooner, later in pairwise(starts)]
    assert min(gaps) >= 0.05
    assert gaps[2] >= 0.08


def test_every_try_keeps_the_rate(slept: list[float]) -> None:
    limits = Limits("e", rate=0.01)
    limits.call(failing(busy()), ["uno"])
    assert sum(wait > 90 for wait in slept) == 1


def test_the_budget_stops_before_it_is_exceeded(slept: list[float]) -> None:
    limits = Limits("e", 1e9, budget=10)
    limits.call(str, ["abc", "def"])
    with pytest.raises(BudgetError, match=r"e: 6 of the budget of 10 .* has 5; raise STS_TRANSL"):
        limits.call(str, ["abcde"])
    limits.call(str, ["abcd"])
    assert limits.spent == 10


def test_one_process_has_one_budget_for_a_service() -> None:
    assert shared_limits("test", 1, 5, 9) is shared_limits("test", 1, 5, 9)
    assert shared_limits("test", 1, 5, 9) is not shared_limits("other", 1, 5, 9)


# Retries


def failing(*faults: BaseException) -> Callable[[], str]:
    left = list(faults)

    def request() -> str:
        if left:
            raise left.pop(0)
        return "answer"

    return request


def busy(wait: float | None = None) -> BusyError:
    error = BusyError("e answered 429")
    error.retry_after = wait
    return error


def call(*faults: BaseException, tries: int = 5, budget: int | None = None) -> str:
    return Limits("e", 1e9, tries, budget).call(failing(*faults), ["hola"])


def waits(slept: list[float]) -> list[float]:
    """Those between tries, without the ones that keep the rate."""
    return [wait for wait in slept if wait > 1e-3]


def test_the_waits_double_and_vary(slept: list[float]) -> None:
    for _ in range(2):
        assert call(*[UnreachableError("e is gone")] * 4) == "answer"
    first, second = waits(slept)[:4], waits(slept)[4:]
    for n, wait in enumerate(first):
        assert 2**n <= wait <= 2**n + 1
    assert len(second) == 4
    assert second != first


def test_no_wait_is_longer_than_the_longest(slept: list[float]) -> None:
    call(*[busy()] * 1999, tries=2000)
    assert max(slept) <= LONGEST_WAIT


def test_the_service_is_given_the_time_it_asks_for(slept: list[float]) -> None:
    assert call(busy(7.0), busy(0.0)) == "answer"
    first, second = waits(slept)
    assert first == 7.0
    assert 2 <= second <= 3


def test_a_service_that_asks_for_hours_is_not_waited_for(slept: list[float]) -> None:
    with pytest.raises(BusyError, match=r"429, and asks to wait 3600 s \(tried once, with 'hola'"):
        call(busy(3600.0))
    assert waits(slept) == []


@pytest.mark.parametrize("kind", [UnreachableError, BusyError, BadAnswerError])
def test_the_last_fault_is_raised_with_the_number_of_tries(
    kind: type[TemporaryError], slept: list[float]
) -> None:
    with pytest.raises(kind, match=r"gone \(tried 3 times, with 'hola'\)"):
        call(*[kind("gone")] * 3, tries=3)


def test_what_is_not_temporary_is_not_repeated(slept: list[float]) -> None:
    with pytest.raises(RejectedError):
        call(RejectedError("no"))
    assert waits(slept) == []


def test_a_try_that_may_be_billed_counts_and_one_turned_down_does_not(slept: list[float]) -> None:
    assert call(busy(), busy(), budget=4) == "answer"
    with pytest.raises(BudgetError, match="4 of the budget of 7"):
        call(UnreachableError("late"), budget=7)


# Retry-After


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Wed, 21 Oct 2015 07:28:30 GMT", 30.0),
        ("Wed, 21 Oct 2015 07:27:00 GMT", 0.0),
        ("Wednesday, 21-Oct-15 07:28:05 GMT", 5.0),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(
    value: str | None, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_445_412_480.0  # date -u -d 'Wed, 21 Oct 2015 07:28:00 GMT' +%s
    monkeypatch.setattr(time, "time", lambda: now)
    assert retry_after(value) == seconds


def test_a_page_is_told_from_a_text() -> None:
    assert is_page("\n<!DOCTYPE html><html>")
    assert is_page("<HTML lang=en>")
    assert not is_page("The <b>house</b>")
    assert not is_page("<htmlish> it is")
