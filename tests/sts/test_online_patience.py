"""Pace, budget, repetition and pieces: everything around one request, without a network."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts.errors import StsError
from sts.translation.online.faults import (
    BadAnswerError,
    BudgetError,
    BusyError,
    RejectedError,
    TemporaryError,
    UnreachableError,
)
from sts.translation.online.http import is_page, retry_after
from sts.translation.online.rate_limit import (
    LONGEST_WAIT,
    Budget,
    Meter,
    Pace,
    Patience,
    Settings,
    meter_of,
)
from sts.translation.online.splitting import Load, cleaned, cut, translate_in_pieces, utf8_bytes
from tests.sts.still import StillClock

# Settings


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


# Pace and budget


def test_the_pace_is_kept_however_long_the_answers_take() -> None:
    clock, pace, starts = StillClock(), Pace(2), []
    for answer_takes in (0.1, 0.0, 3.0, 0.2):
        pace.wait(clock)
        starts.append(clock.now - 1_000_000)
        clock.now += answer_takes
    assert starts == pytest.approx([0, 0.5, 1.0, 4.0])


def test_a_clock_set_back_holds_nothing_up() -> None:
    clock, pace = StillClock(), Pace(2)
    pace.wait(clock)
    clock.now -= 86400
    pace.wait(clock)
    assert clock.slept == [0.5]


def test_the_budget_stops_before_it_is_exceeded() -> None:
    budget = Budget(10)
    budget.spend("e", 6)
    with pytest.raises(BudgetError, match=r"e: 6 of the budget of 10 .* has 5; raise STS_TRANSL"):
        budget.spend("e", 5)
    budget.spend("e", 4)
    budget.give_back(4)
    assert budget.spent == 6


def test_one_process_has_one_meter_for_an_engine() -> None:
    assert meter_of("test", 1, 5) is meter_of("test", 1, 5)
    assert meter_of("test", 1, 5) is not meter_of("other", 1, 5)


# Repetition


def patience(clock: StillClock, tries: int = 5, budget: int | None = None) -> Patience:
    meter = Meter(Pace(1e9), Budget(budget))
    return Patience("e", tries, meter, clock, random.Random(0))


def failing(*faults: BaseException) -> Callable[[], str]:
    left = list(faults)

    def request() -> str:
        if left:
            raise left.pop(0)
        return "answer"

    return request


def busy(wait: float | None = None) -> BusyError:
    error = BusyError("e answered 429")
    error.wait = wait
    return error


def test_the_waits_double_and_vary() -> None:
    clock = StillClock()
    faults = [UnreachableError("e is gone")] * 4
    assert patience(clock).call(failing(*faults), "hola", 4) == "answer"
    assert len(clock.slept) == 4
    for n, wait in enumerate(clock.slept):
        assert 2**n / 2 <= wait <= 2**n
    other = StillClock()
    meter = Meter(Pace(1e9), Budget(None))
    Patience("e", 5, meter, other, random.Random(1)).call(failing(*faults), "hola", 4)
    assert other.slept != clock.slept


def test_every_try_keeps_the_pace() -> None:
    clock = StillClock()
    slow = Patience("e", 5, Meter(Pace(0.1), Budget(None)), clock, random.Random(0))
    for text in ("uno", "dos"):
        slow.call(failing(busy()), text, 3)
    assert clock.now - 1_000_000 == pytest.approx(30)


def test_no_wait_is_longer_than_the_longest() -> None:
    clock = StillClock()
    patience(clock, tries=3000).call(failing(*[busy()] * 2999), "hola", 4)
    assert max(clock.slept) <= LONGEST_WAIT


def test_the_engine_is_given_the_time_it_asks_for() -> None:
    clock = StillClock()
    assert patience(clock).call(failing(busy(7.0), busy(0.0)), "hola", 4) == "answer"
    assert clock.slept[0] == 7.0
    assert 1 <= clock.slept[1] <= 2


def test_who_asks_for_hours_is_not_waited_for() -> None:
    clock = StillClock()
    with pytest.raises(BusyError, match=r"429, and asks to wait 3600 s \(asked once, with 'hola'"):
        patience(clock).call(failing(busy(3600.0)), "hola", 4)
    assert clock.slept == []


@pytest.mark.parametrize("kind", [UnreachableError, BusyError, BadAnswerError])
def test_the_last_fault_is_raised_with_the_number_of_tries(kind: type[TemporaryError]) -> None:
    with pytest.raises(kind, match=r"gone \(asked 3 times, with 'hola'\)"):
        patience(StillClock(), tries=3).call(failing(*[kind("gone")] * 3), "hola", 4)


def test_what_will_not_pass_is_not_repeated() -> None:
    clock = StillClock()
    with pytest.raises(RejectedError):
        patience(clock).call(failing(RejectedError("no")), "hola", 4)
    assert clock.slept == []


def test_a_try_that_may_be_billed_counts_and_one_turned_down_does_not() -> None:
    clock = StillClock()
    assert patience(clock, budget=4).call(failing(busy(), busy()), "hola", 4) == "answer"
    with pytest.raises(BudgetError, match="4 of the budget of 7"):
        patience(clock, budget=7).call(failing(UnreachableError("late")), "hola", 4)


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
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    clock = StillClock(now=1_445_412_480.0)  # date -u -d 'Wed, 21 Oct 2015 07:28:00 GMT' +%s
    assert retry_after(value, clock) == seconds


def test_a_page_is_told_from_a_text() -> None:
    assert is_page("\n<!DOCTYPE html><html>")
    assert is_page("<HTML lang=en>")
    assert not is_page("The <b>house</b>")
    assert not is_page("<htmlish> it is")


# Pieces

TEXT = "Hola.  ¿Qué tal? «Bien.»\n\tMuy bien, gracias… Adiós"


def test_a_short_text_is_one_piece() -> None:
    assert cut(TEXT, 1000).pieces == (TEXT,)
    assert cut("  hola\n", 1000).gaps == ("  ", "\n")
    assert cut("", 10).pieces == ()
    assert cut(" \n", 10).joined([]) == " \n"


def test_cuts_are_at_sentence_ends_and_as_few_as_can_be() -> None:
    assert cut(TEXT, 20).pieces == ("Hola.  ¿Qué tal?", "«Bien.»", "Muy bien, gracias…", "Adiós")
    assert cut(TEXT, 20).gaps == ("", " ", "\n\t", " ", "")
    assert cut("Costó 3.5 euros. Y ya.", 17).pieces == ("Costó 3.5 euros.", "Y ya.")


def test_a_line_ends_a_sentence() -> None:
    assert cut("Un título\nUna frase larga", 16).pieces == ("Un título", "Una frase larga")


def test_a_long_sentence_is_cut_between_words_and_a_long_word_inside() -> None:
    assert cut("uno dos tres", 8).pieces == ("uno dos", "tres")
    assert cut("abcdefghij kl", 4).pieces == ("abcd", "efgh", "ij", "kl")
    assert cut("abce\u0301fgh", 4).pieces == ("abc", "e\u0301fg", "h")


def test_bytes_are_counted_where_the_engine_counts_bytes() -> None:
    text = "ñ" * 10 + " " + "ñ" * 10
    assert len(cut(text, 21).pieces) == 1
    assert cut(text, 21, utf8_bytes).pieces == ("ñ" * 10, "ñ" * 10)
    assert utf8_bytes("\ud800") == 1


@given(st.text(st.sampled_from("ab .?!”\n\té\u0301ñ\u2028😀\ud800")), st.integers(4, 12))
def test_pieces_fit_and_give_the_text_back(text: str, limit: int) -> None:
    for measure in (len, utf8_bytes):
        found = cut(text, limit, measure)
        assert found.joined(found.pieces) == text
        assert all(piece == piece.strip() != "" for piece in found.pieces)
        assert all(measure(piece) <= limit for piece in found.pieces)
        assert all(gap.strip() == "" for gap in found.gaps)


@given(
    st.lists(st.text(st.sampled_from("ab .?\n7é😀"), max_size=40)),
    st.integers(1, 4),
    st.integers(4, 20),
)
def test_texts_come_back_in_order_whatever_a_request_takes(
    texts: list[str], most: int, size: int
) -> None:
    load = Load(most, size)

    def upper(pieces: list[str]) -> list[str]:
        assert 1 <= len(pieces) <= most
        assert sum(map(len, pieces)) <= size
        return [piece.upper() for piece in pieces]

    found = list(translate_in_pieces(texts, load, upper))
    assert len(found) == len(texts)
    for text, got in zip(texts, found, strict=True):
        assert got.replace("\n", " ") == text.upper().replace("\n", " ")


def test_what_holds_no_letter_is_not_sent() -> None:
    sent: list[str] = []

    def note(pieces: list[str]) -> list[str]:
        sent.extend(pieces)
        return pieces

    texts = ["", " ", "12,5 %", "😀👍🏽", "...", "¡¿?!", "٣", "hola"]
    assert list(translate_in_pieces(texts, Load(3, 100), note)) == texts
    assert sent == ["hola"]


def test_control_characters_are_sent_as_spaces() -> None:
    assert cleaned("a\0b\tc\nd\x85e\u2028f\x7fg") == "a b c d e f g"
    assert cleaned("\ud800 ñ\u200d😀") == "? ñ\u200d😀"


def test_what_came_before_an_error_counts() -> None:
    def send(pieces: list[str]) -> list[str]:
        if "c" in pieces:
            raise RejectedError("no")
        return pieces

    found = translate_in_pieces(["a", "7", "b", "c", "d"], Load(1, 10), send)
    got = []
    with pytest.raises(RejectedError):
        for text in found:
            got.append(text)
    assert got == ["a", "7", "b"]
