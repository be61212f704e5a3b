"""What counts as the same when a published result is made again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runs.reproduction import made_again
from runs.reproduction.made_again import check_made_again, differences, short_signature
from sts.errors import StsError

RESULT: dict[str, Any] = {
    "task": "sample", "run": "raw", "mean": 0.5,
    "signature": {"seed": 0, "translators": [], "code": "a", "encoders": {"encoder": "b"}},
}  # fmt: skip


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Compares the published result with one that is made now, without making it."""
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps(RESULT))

    def check(
        within: float = 0.0, mean: float = 0.5, name: str = "", **signature: Any
    ) -> list[str]:
        made = RESULT | {"mean": mean, "signature": RESULT["signature"] | signature}

        def write(outcome: None, score: None, output: Path, folder: str) -> Path:
            (output / "results.json").write_text(json.dumps(made))
            return output

        monkeypatch.setattr(made_again, "predict", lambda *_, **__: None)
        monkeypatch.setattr(made_again, "evaluate", lambda *_: None)
        monkeypatch.setattr(made_again, "write", write)
        return check_made_again(name or kept, None, within)

    return check


def test_sums_in_another_order_are_the_same() -> None:
    assert list(differences({"r": 0.7776871316502173}, {"r": 0.7776871316502172})) == []
    assert list(differences({"r": 0.777687131}, {"r": 0.777687132})) != []
    assert list(differences({"n": 3}, {"n": 4}, within=1.0)) != []


def test_a_figure_that_moved_is_told_with_what_allows_it(
    compare: Callable[..., list[str]],
) -> None:
    with pytest.raises(StsError, match=r"mean: 0.5, made again 0.5001; .* --within 0.003 allows"):
        compare(mean=0.5001)
    assert compare(within=1e-3, mean=0.5001)[0].endswith("made again, the same")


def test_another_encoder_is_another_result_but_on_another_processor(
    compare: Callable[..., list[str]],
) -> None:
    with pytest.raises(StsError, match=r"signature.encoders.encoder: 'b', made again 'c'"):
        compare(encoders={"encoder": "c"})
    told = compare(within=1e-4, encoders={"encoder": "c"})
    assert "but made with signature.encoders.encoder: 'b', made again 'c'" in told[-1]


def test_another_translation_is_told_with_what_leaves_it_aside(
    compare: Callable[..., list[str]],
) -> None:
    with pytest.raises(StsError, match=r"signature.translators: .* STS_MEMORY=EMPTY_FOLDER"):
        compare(translators=[{"provider": "apertium"}])


def test_other_code_that_computes_the_same_is_told(compare: Callable[..., list[str]]) -> None:
    assert "signature.code: 'a', made again 'd'" in compare(code="d")[-1]


def test_a_short_signature_is_enough(
    tmp_path: Path, compare: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A published result is named, and its digests are compared."""
    signature = RESULT["signature"] | {"code": "c" * 64, "run": "r" * 64}
    line = RESULT | {"name": "sample.raw", "signature": short_signature(signature)}
    assert len(line["signature"]["encoders"]) == 16
    (tmp_path / "results.jsonl").write_text(json.dumps(line) + "\n")
    monkeypatch.setattr(made_again, "PUBLISHED", tmp_path / "results.jsonl")
    told = compare(name="sample.raw", code="d" * 64, run="r" * 64)
    assert told[0] == "sample.raw: made again, the same"
    assert "signature.code: 'cccccccccccccccc', made again 'dddddddddddddddd'" in told[-1]
    with pytest.raises(StsError, match=r"signature.run: 'rrrrrrrrrrrrrrrr', made again 'ssss"):
        compare(name="sample.raw", code="c" * 64, run="s" * 64)
    with pytest.raises(StsError, match="no published result of this name"):
        compare(name="none")
    (tmp_path / "results.jsonl").unlink()
    with pytest.raises(StsError, match="in a checkout of the project alone"):
        compare(name="sample.raw")


def test_a_published_result_is_the_same_today(sts_data: Path) -> None:
    assert check_made_again("sts2015.raw", sts_data)[0] == "sts2015.raw: made again, the same"
