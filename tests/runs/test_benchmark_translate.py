"""What the translation benchmark measures: new sentences, in the right language, all four ways."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from runs.benchmarks import translate
from sts.text.language import identify


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_sentences_are_new_and_in_the_language(language: str) -> None:
    sentences = translate.sentences_in(language)
    assert len(set(sentences)) == len(sentences) == translate.SENTENCES
    found = [one.language for one in identify(sentences[:200])]
    assert found.count(language) > 0.98 * 200
    assert translate.sentences_in(language)[:50] == sentences[:50]


def test_every_way_is_told_with_its_ratio(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    filled: list[str] = []

    def command(source: str, target: str, lines: Path, memory: Path, translator: str) -> None:
        assert lines.read_text().count("\n") == translate.SENTENCES
        filled.append(f"{memory.name} {translator}")

    def in_turn(ways: dict[str, Any], rounds: int) -> dict[str, float]:
        for work in ways.values():
            work()
        return dict.fromkeys(ways, 2.0)

    def asked(where: str, *rest: str | Sequence[str]) -> None:
        filled.append(where)

    monkeypatch.setattr(translate, "command", command)
    monkeypatch.setattr(translate, "take_turns", in_turn)
    monkeypatch.setattr(translate, "one_by_one", asked)
    monkeypatch.setattr(translate, "once_a_sentence", asked)
    monkeypatch.setattr(translate.Apertium, "translate", lambda *_: [])
    times = iter([1.0, 3.0, 3.0, 4.0])
    monkeypatch.setattr(translate, "cpu_seconds", lambda: next(times))
    monkeypatch.setattr(translate, "threads", lambda: 2)
    monkeypatch.setattr("sys.argv", ["translate"])
    translate.main()
    expected = ["warm apertium", "warm memory", "cold0 apertium"]
    assert filled == [*expected, "es", "spa-eng", *expected, "en", "eng-spa"]
    header, *rows, there, back = capsys.readouterr().out.splitlines()
    cores = "sentences a second on 2 cores"
    assert there == f"es->en: 1.00 ms of processor time a sentence, so at most 2,000 {cores}"
    assert back == f"en->es: 0.50 ms of processor time a sentence, so at most 4,000 {cores}"
    assert header.split() == ["way", "sentences", "seconds", "sentences/s", "ratio"]
    assert [row.rsplit(maxsplit=4)[1:] for row in rows] == [
        ["10,000", "2.00", "5,000", "500"],
        ["10,000", "2.00", "5,000", "500"],
        ["1,000", "2.00", "500", "50"],
        ["20", "2.00", "10", "1"],
    ] * 2
