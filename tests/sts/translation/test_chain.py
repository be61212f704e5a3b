"""Several translators in a row: the first that answers, each under its own name."""

from __future__ import annotations

from pathlib import Path

import pytest

from semaniacs.sts.errors import StsError, UnknownNameError
from semaniacs.sts.translation import (
    CachedTranslator,
    Chain,
    Recorded,
    Translation,
    TranslationError,
    TranslationMemory,
    check_name,
    get_translator,
)
from semaniacs.sts.translation.translator import BadAnswerError, RejectedError, TemporaryError
from tests.sts.translation.fakes import FakeProvider, plain


class Fake(FakeProvider):
    """Puts its name before each text."""

    def say(self, text: str, target: str) -> Translation:
        return Translation(f"{self.name} {text}", (text,) if text == "x" else ())


def chain_of(memory: TranslationMemory, *fakes: Fake) -> Chain:
    return Chain([CachedTranslator(fake, memory) for fake in fakes])


def test_the_first_serves_all_if_it_can(
    memory: TranslationMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = Fake("a"), Fake("b")
    chain = chain_of(memory, first, second)
    assert plain(chain.translate(["u", "7", "v", "u"], "es", "en")) == ["a u", "7", "a v", "a u"]
    assert second.asked == []
    assert capsys.readouterr() == ("", "es->en, texts by translator: a 2\n")
    assert (chain.name, chain.version) == ("a,b", "a: 1")


def test_one_that_is_not_available_is_passed_over_with_a_note(
    memory: TranslationMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = chain_of(memory, Fake("a", ready=False), Fake("b"))
    assert plain(chain.translate(["u", "v"], "es", "en")) == ["b u", "b v"]
    assert capsys.readouterr().err == (
        "es->en, texts by translator: a 0, b 2 (a: 2 of 2 distinct texts have no es->en "
        "translation, the first is 'u'; install it: apt-get install fake)\n"
    )


@pytest.mark.parametrize("kind", [TemporaryError, TranslationError])
def test_when_one_stops_the_next_goes_on_and_each_stores_its_own(
    memory: TranslationMemory,
    kind: type[TranslationError],
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = Fake("a"), Fake("b")
    first.faults = {"w": kind("a has had enough")}
    chain = chain_of(memory, first, second)
    expected = ["a u", "a v", "b w", "b x", "b y"]
    assert plain(chain.translate("uvwxy", "es", "en")) == expected
    assert first.asked == ["u", "v", "w"]
    note = capsys.readouterr().err
    assert note.startswith("es->en, texts by translator: a 2, b 3 (a: a has had enough; 2")
    memory.refresh()
    for name, texts in (("a", "uv"), ("b", "wxy")):
        assert {t for t in "uvwxy" if memory.get(name, "es", "en", t)} == set(texts)
    found = chain.translate(["u", "x", "7"], "es", "en")
    assert [translation.untranslated for translation in found] == [(), ("x",), ()]
    assert chain.version == "a: 1; b: 1"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", [RejectedError, BadAnswerError])
def test_a_single_refused_text_goes_to_the_next_alone(
    memory: TranslationMemory, kind: type[TranslationError]
) -> None:
    first, second = Fake("a"), Fake("b")
    first.faults = {text: kind("no") for text in "bdfhj"}
    found = plain(chain_of(memory, first, second).translate("abcdefghijk", "es", "en"))
    assert found == [f"{'b' if text in 'bdfhj' else 'a'} {text}" for text in "abcdefghijk"]
    assert second.asked == list("bdfhj")


def test_three_refusals_in_a_row_are_enough(memory: TranslationMemory) -> None:
    first = Fake("a")
    first.faults = {text: RejectedError("no") for text in "uvwxyz"}
    found = plain(chain_of(memory, first, Fake("b")).translate("uvwxyz", "es", "en"))
    assert found == [f"b {text}" for text in "uvwxyz"]
    assert first.asked == ["u", "v", "w"]


def test_a_text_stays_with_the_one_that_served_it(memory: TranslationMemory) -> None:
    first, second = Fake("a", ready=False), Fake("b")
    chain = chain_of(memory, first, second)
    assert plain(chain.translate(["u"], "es", "en")) == ["b u"]
    first.ready = True
    assert plain(chain.translate(["u", "v"], "es", "en")) == ["b u", "a v"]


def test_if_nobody_answers_every_reason_is_given(memory: TranslationMemory) -> None:
    first, second = Fake("a"), Fake("b", ready=False)
    first.faults = {"v": TranslationError("a is spent")}
    with pytest.raises(TranslationError, match=r"1 of 2 texts .*any of a,b; a: a is spent.*; b: 1"):
        chain_of(memory, first, second).translate(["u", "v"], "es", "en")


def test_a_recording_can_be_the_first(
    memory: TranslationMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = Chain([Recorded({"hola": "Hello"}), CachedTranslator(Fake("b"), memory)])
    assert plain(chain.translate(["hola", "adiós"], "es", "en")) == ["Hello", "b adiós"]
    assert plain(chain.translate(["hi"], "en", "es")) == ["b hi"]
    first, second = capsys.readouterr().err.splitlines()
    assert "recorded 1, b 1" in first
    assert "recorded translations go es->en, not en->es" in second


def test_a_chain_is_named_with_commas(tmp_path: Path) -> None:
    chain = get_translator("google, apertium", memory_folder=tmp_path)
    assert isinstance(chain, Chain)
    assert chain.name == "google,apertium"
    assert check_name(None) == ("apertium",)
    for name in ("google,bing", "google,", ",", ""):
        with pytest.raises(UnknownNameError, match=r"unknown translator '(bing)?'; choose"):
            get_translator(name, memory_folder=tmp_path)
    with pytest.raises(StsError, match="'google,google' names one twice"):
        check_name("google,google")
