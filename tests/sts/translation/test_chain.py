"""Several translators in a row: the first that answers, nobody silently, each under its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sts.errors import StsError, UnknownNameError
from sts.translation import (
    CachedTranslator,
    Chain,
    Recorded,
    Translation,
    TranslationError,
    TranslationMemory,
    check_name,
    get_translator,
)
from sts.translation.online.faults import (
    BadAnswerError,
    BudgetError,
    QuotaError,
    RejectedError,
    UnknownPairError,
    UnreachableError,
)
from tests.sts.translation.fakes import FakeProvider, plain


class Fake(FakeProvider):
    """Puts its name before each text."""

    def say(self, text: str, target: str) -> Translation:
        return Translation(f"{self.name} {text}", (text,) if text == "x" else ())


class Party:
    """A chain of fakes over one memory."""

    def __init__(self, memory: TranslationMemory, *fakes: Fake) -> None:
        self.chain = Chain([CachedTranslator(fake, memory) for fake in fakes])

    def translate(self, *texts: str) -> list[str]:
        return plain(self.chain.translate(texts, "es", "en"))


Notes = Callable[[], list[str]]


@pytest.fixture
def notes(capsys: pytest.CaptureFixture[str]) -> Notes:
    """Reads the new lines on stderr; nothing may be on stdout."""

    def read() -> list[str]:
        out, err = capsys.readouterr()
        assert out == ""
        return err.splitlines()

    return read


def test_the_first_serves_all_if_it_can(memory: TranslationMemory, notes: Notes) -> None:
    first, second = Fake("a"), Fake("b")
    party = Party(memory, first, second)
    assert party.translate("u", "7", "v", "u") == ["a u", "7", "a v", "a u"]
    assert second.asked == []
    assert notes() == ["es->en, texts by translator: a 2"]
    assert party.chain.name == "a,b"
    assert party.chain.version == "a: 1"


def test_one_that_is_not_there_is_passed_over_and_told(
    memory: TranslationMemory, notes: Notes
) -> None:
    party = Party(memory, Fake("a", ready=False), Fake("b"))
    assert party.translate("u", "v") == ["b u", "b v"]
    assert notes() == [
        "es->en, texts by translator: a 0, b 2 (a: 2 of 2 distinct texts have no es->en "
        "translation, the first is 'u'; install it: apt-get install fake)"
    ]


@pytest.mark.parametrize("kind", [QuotaError, UnreachableError, BudgetError, TranslationError])
def test_when_one_stops_the_next_goes_on_and_each_keeps_its_own(
    memory: TranslationMemory, kind: type[TranslationError], notes: Notes
) -> None:
    first, second = Fake("a"), Fake("b")
    first.faults = {"w": kind("a has had enough")}
    party = Party(memory, first, second)
    assert party.translate("u", "v", "w", "x", "y") == ["a u", "a v", "b w", "b x", "b y"]
    assert first.asked == ["u", "v", "w"]
    (line,) = notes()
    assert line.startswith("es->en, texts by translator: a 2, b 3 (a: a has had enough; 2")
    memory.refresh()
    for name, texts in (("a", "uv"), ("b", "wxy")):
        stored = {t for t in "uvwxy" if memory.get(name, "es", "en", t)}
        assert stored == set(texts)
    found = party.chain.translate(["u", "x", "7"], "es", "en")
    assert [translation.untranslated for translation in found] == [(), ("x",), ()]
    assert party.chain.version == "a: 1; b: 1"
    assert notes() == []


@pytest.mark.parametrize("kind", [RejectedError, BadAnswerError])
def test_a_single_refused_text_goes_to_the_next_alone(
    memory: TranslationMemory, kind: type[TranslationError]
) -> None:
    first, second = Fake("a"), Fake("b")
    first.faults = {text: kind("no") for text in "bdfhj"}
    party = Party(memory, first, second)
    expected = [f"{'b' if text in 'bdfhj' else 'a'} {text}" for text in "abcdefghijk"]
    assert party.translate(*"abcdefghijk") == expected
    assert second.asked == list("bdfhj")


def test_three_refusals_in_a_row_are_enough(memory: TranslationMemory) -> None:
    first = Fake("a")
    first.faults = {text: RejectedError("no") for text in "uvwxyz"}
    party = Party(memory, first, Fake("b"))
    assert party.translate(*"uvwxyz") == [f"b {text}" for text in "uvwxyz"]
    assert first.asked == ["u", "v", "w"]


def test_a_text_stays_with_the_one_that_served_it(memory: TranslationMemory) -> None:
    first, second = Fake("a", ready=False), Fake("b")
    party = Party(memory, first, second)
    assert party.translate("u") == ["b u"]
    first.ready = True
    assert party.translate("u", "v") == ["b u", "a v"]


def test_nobody_answers_and_everybodys_reason_is_told(memory: TranslationMemory) -> None:
    first, second = Fake("a"), Fake("b", ready=False)
    first.faults = {"v": QuotaError("a is spent")}
    with pytest.raises(TranslationError, match=r"1 of 2 texts .*any of a,b; a: a is spent.*; b: 1"):
        Party(memory, first, second).translate("u", "v")


def test_a_recording_can_be_the_first(memory: TranslationMemory, notes: Notes) -> None:
    chain = Chain([Recorded({"hola": "Hello"}), CachedTranslator(Fake("b"), memory)])
    assert plain(chain.translate(["hola", "adiós"], "es", "en")) == ["Hello", "b adiós"]
    assert plain(chain.translate(["hi"], "en", "es")) == ["b hi"]
    first, second = notes()
    assert "recorded 1, b 1" in first
    assert "recorded translations go es->en, not en->es" in second


def test_the_signature_is_of_what_was_served(memory: TranslationMemory) -> None:
    def signed(*texts: str) -> dict[str, str]:
        party = Party(memory, Fake("a"), Fake("b"))
        party.translate(*texts)
        return party.chain.signature()

    assert signed("u", "v") == signed("v", "7", "u")
    assert signed("u") != signed("v")
    assert signed("u")["provider"] == "a,b"
    assert signed("u")["version"] == "a: 1"


def test_a_chain_is_named_with_commas(tmp_path: Path) -> None:
    chain = get_translator("google, apertium", memory_folder=tmp_path)
    assert isinstance(chain, Chain)
    assert chain.name == "google,apertium"
    assert check_name(None) == ("apertium",)
    assert plain(chain.translate(["7"], "es", "en")) == ["7"]


@pytest.mark.parametrize("name", ["google,bing", "google,", ",", ""])
def test_an_unknown_link_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown translator '(bing)?'; choose"):
        get_translator(name, memory_folder=tmp_path)


def test_a_name_twice_is_refused() -> None:
    with pytest.raises(StsError, match="'google,google' names one twice"):
        check_name("google,google")
    assert issubclass(UnknownPairError, StsError)
