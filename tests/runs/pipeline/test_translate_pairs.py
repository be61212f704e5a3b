"""Spanish sentences find their English, and round trips their way home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.runs.pipeline import translate_pairs as module
from semaniacs.runs.pipeline.translate_pairs import Translating, spanish_places
from semaniacs.sts.data.catalog import DataSet, get_task
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import StsError, UnknownNameError

SPANISH = ("El gato come una manzana.", "Mi hermana pinta la caja azul.")
ENGLISH = ("the cat eats an apple", "my sister paints the blue box")
OTHER = ("The dog sleeps on the sofa.", "A pilot carries two maps to the car.")


def data_set(*languages: str) -> DataSet:
    any_file = get_task("sample").datasets[0]
    return DataSet("mixed", 2016, any_file.input, any_file.gold, 0, languages)


def make_pairs(left: tuple[str, ...], right: tuple[str, ...]) -> Pairs:
    return Pairs("mixed", left, right, np.arange(len(left)) / 2)


# --- to English


def test_the_spanish_side_is_found_on_either_side_and_order_is_kept(translator: Any) -> None:
    pairs = make_pairs(
        (SPANISH[0], OTHER[0], SPANISH[1], SPANISH[0]), (OTHER[0], SPANISH[1], OTHER[1], OTHER[1])
    )
    english = Translating().to_english(data_set("es", "en"), pairs)
    assert english.left == (ENGLISH[0], OTHER[0], ENGLISH[1], ENGLISH[0])
    assert english.right == (OTHER[0], ENGLISH[1], OTHER[1], OTHER[1])
    assert english.name == pairs.name
    np.testing.assert_array_equal(english.gold, pairs.gold)
    asked = [SPANISH[0], SPANISH[1], SPANISH[1], SPANISH[0]]
    assert translator.calls == [("es", "en", asked)]  # once for all


def test_both_sides_of_a_spanish_task_are_translated(translator: Any) -> None:
    pairs = make_pairs(SPANISH, SPANISH[::-1])
    english = Translating().to_english(data_set("es"), pairs)
    assert (english.left, english.right) == (ENGLISH, ENGLISH[::-1])
    places = spanish_places(data_set("es"), pairs)
    assert sorted(places) == [(0, 0), (0, 1), (1, 0), (1, 1)]


# --- round trips


def test_a_round_trip_goes_there_and_back_in_order(translator: Any) -> None:
    trips = Translating().round_trips(["the cat is here", "7 maps", "the box"], "es")
    assert trips == [
        ("the cat is here", "that cat keeps here"),
        ("7 maps", "7 maps"),
        ("the box", "that box"),
    ]
    assert [call[:2] for call in translator.calls] == [("en", "es"), ("es", "en")]
    assert translator.calls[1][2] == ["~the cat is here", "~7 maps", "~the box"]


def test_a_round_trip_with_foreign_words_left_over_is_dropped(translator: Any) -> None:
    translator.leaves = {
        "a foreign word stays": ("queda",),
        "Zorglub came": ("Zorglub",),  # a name that no leg knows comes back as it went
        "Zorglub and a word": ("Zorglub", "palabra"),
    }
    sentences = ["the box", *translator.leaves, "two maps"]
    trips = Translating().round_trips(sentences, "es")
    assert [sentence for sentence, _ in trips] == ["the box", "Zorglub came", "two maps"]


def test_round_trips_ask_another_than_the_recording(
    translator: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = []

    def get(name: str | None, **_: object) -> Any:
        chosen.append(name)
        return translator

    monkeypatch.setattr(module, "get_translator", get)
    translating = Translating("recorded")
    for text in ("two maps", "the box"):  # a data set each
        translating.round_trips([text], "es")
    Translating("memory").round_trips(["two maps"], "es")
    assert chosen == [None, None, "memory"]
    assert capsys.readouterr().err == (
        "--translator recorded contains the sentences of official tasks alone; round trips "
        "are made by the memory, then by Apertium\n"
    )


# --- which translator


def test_an_unknown_translator_is_refused_at_once() -> None:
    with pytest.raises(UnknownNameError, match="unknown translator 'babel'; choose one of: apert"):
        Translating("babel")


def test_a_set_without_recording_is_told_apart() -> None:
    pairs = make_pairs(SPANISH, OTHER)
    with pytest.raises(StsError, match="'mixed' comes without a recorded translation; leave --tr"):
        Translating("recorded").to_english(data_set("es", "en"), pairs)


def test_each_translation_is_signed_once(translator: Any) -> None:
    translating = Translating()
    translating.to_english(data_set("es"), make_pairs(SPANISH, SPANISH))
    translating.round_trips(["two maps"], "es")
    assert len(translating.used) == 2
    assert translating.signatures() == [translator.signature()]


def test_missing_translations_are_counted_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    unheard = ("El zorglub verde duerme bajo la mesa.", "Nadie vio jamás aquel zorglub verde.")
    with pytest.raises(StsError, match=r"2 of 2 distinct texts have no es->en .*apt-get install"):
        Translating().to_english(data_set("es", "en"), make_pairs(unheard, OTHER))
    assert not (tmp_path / "cache").exists()


# --- back-translation


def test_one_side_of_each_pair_is_translated_and_back(translator: Any) -> None:
    pairs = make_pairs(tuple(f"the cat {i} is here" for i in range(40)), ("A dog.",) * 40)
    translated = Translating().back_translate(pairs, "es", seed=0)
    changed = [
        (a != b, c != d)
        for a, b, c, d in zip(
            pairs.left, translated.left, pairs.right, translated.right, strict=True
        )
    ]
    assert set(changed) == {(True, False), (False, False)}  # "A dog." comes back as it went
    assert 8 < sum(left for left, _ in changed) < 32
    assert "that cat 0 keeps here" in translated.left or "the cat 0 is here" in translated.left
    np.testing.assert_array_equal(translated.gold, pairs.gold)
    assert [call[:2] for call in translator.calls] == [("en", "es"), ("es", "en")]
    again = Translating().back_translate(pairs, "es", seed=0)
    assert (again.left, again.right) == (translated.left, translated.right)
    assert Translating().back_translate(pairs, "es", seed=1).left != translated.left
