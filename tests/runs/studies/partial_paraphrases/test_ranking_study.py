"""The study of ranking: scorers by hand, and the command on made-up pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.studies.partial_paraphrases import pair_scorers, ranking_study
from runs.studies.partial_paraphrases.pair_scorers import PairScorer
from sts.translation import Translation, Translator

SENTENCE = "A young cook ate {} apples and slept while two men sang and old Ann flew to Lima ."


def test_words_by_hand() -> None:
    found = pair_scorers.by_words(["a b c", "a", "a b"], ["c b a d", "b", "b a"])
    np.testing.assert_allclose(found["binary bag cosine"], [3 / np.sqrt(12), 0, 1])
    np.testing.assert_allclose(found["bigram F1"], [0, 0, 0])
    assert pair_scorers.by_words(["x a b"], ["a b c d"])["bigram F1"] == pytest.approx(2 / 5)
    np.testing.assert_allclose(pair_scorers.jaccard(["a b c"], ["c b d"]), [0.5])


def test_states_by_hand() -> None:
    """Tokens e1 e2 against e2 and a word at 60° to e2; [CLS] is at 90°, [SEP] counts in the mean."""
    e = np.eye(3, dtype=np.float32)
    near = 0.5 * e[1] + np.sqrt(0.75) * e[2]
    left, right = np.stack([e[0], e[0], e[1], e[2]]), np.stack([e[1], e[1], near, e[2]])
    mean, first, f1 = pair_scorers.by_states(left, right)
    a, b = left.mean(0), right.mean(0)
    assert mean == pytest.approx(float(a @ b / np.sqrt((a @ a) * (b @ b))))
    assert first == 0
    precision, recall = (0 + 1) / 2, (1 + 0.5) / 2
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


class Same(Translator):
    """Everything comes back as it was."""

    name, version, install_hint = "same", "1", ""

    def available(self) -> bool:
        return True

    def _find(self, texts: Any, source: str, target: str) -> dict[str, Translation]:
        return {text: Translation(text) for text in texts}


def test_the_command_records_and_shows(
    tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(SENTENCE.format("six"), SENTENCE.format(n), 1) for n in ("six", "ripe", "red")]
    lines = [f"{i}\t{a}\t{b}\t{label}" for i, (a, b, label) in enumerate([*rows, ("x", "y", 0)])]
    (tmp_path / "paws").mkdir()
    text = "\n".join(["id\tsentence1\tsentence2\tlabel", *lines, ""])
    (tmp_path / "paws" / "wiki-test.tsv").write_text(text)
    calls: list[int] = []

    def scores(left: Any, right: Any) -> dict[str, Any]:
        calls.append(len(left))
        return pair_scorers.by_words(left, right)

    scorer = PairScorer(("binary bag cosine", "bigram F1"), "toy", scores)
    monkeypatch.setattr(ranking_study, "pair_scorers", lambda: [scorer])
    monkeypatch.setattr(ranking_study, "get_translator", lambda *_, **__: Same())
    monkeypatch.setattr(ranking_study, "RECORDED", tmp_path / "kept.json")
    main = ranking_study.main
    cli(main=main).refused("nothing is kept yet; give --data ALL")
    options = ("--data", tmp_path, "--work", tmp_path / "work")
    few = cli(*options, "--limit", 2, main=main)
    assert few.code == 0 and few.out.startswith("2 groups; of 3 paraphrases 3 have three groups")
    assert not (tmp_path / "kept.json").exists()
    ended = cli(*options, main=main)
    assert ended.out.startswith("3 groups; ")
    assert "3 kept (3 unchanged), 0 dropped" in ended.out
    # A continuation only adds words, so that both fall from degree to degree.
    bag, bigram = (line.split(" | ") for line in ended.out.splitlines()[4:6])
    assert bag[5] == bigram[5] == "100.00 / 100.00 |"
    assert float(bag[1].split(" / ")[1]) < 0 < float(bigram[1].split(" / ")[1])
    assert "| RoBERTa, cross-encoder (paper) | 85.31 / 69.90 |" in ended.out
    assert len(calls) == 2
    assert cli(*options, main=main).out == ended.out and len(calls) == 2  # kept in the ledger
    assert cli(main=main).out == ended.out
