"""What counts as the same when a published result is made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from semaniacs.runs.reproduction.made_again import (
    check_made_again,
    compare,
    conclude,
    differences,
    read_result,
    short_signature,
)
from semaniacs.sts.errors import StsError

RESULT: dict[str, Any] = {
    "task": "sample", "run": "raw", "mean": 0.5,
    "signature": {"seed": 0, "translators": [], "code": "a", "encoders": {"encoder": "b"}},
}  # fmt: skip


def check(
    within: float = 0.0, mean: float = 0.5, kept: dict[str, Any] = RESULT, **signature: Any
) -> list[str]:
    """Compare a recorded result with one that has other values."""
    made = RESULT | {"mean": mean, "signature": RESULT["signature"] | signature}
    return conclude("a result", *compare(kept, made, within), {"a.txt": "0123"})


def test_sums_in_another_order_are_the_same() -> None:
    assert list(differences({"r": 0.7776871316502173}, {"r": 0.7776871316502172})) == []
    assert list(differences({"r": 0.777687131}, {"r": 0.777687132})) != []
    assert list(differences({"n": 3}, {"n": 4}, within=1.0)) != []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mean": 0.5001}, r"mean: 0.5, made again 0.5001; .* --within 0.003 allows"),
        ({"encoders": {"encoder": "c"}}, r"signature.encoders.encoder: 'b', made again 'c'"),
        ({"translators": [{"provider": "apertium"}]},
         r"signature.translators: .* STS_MEMORY=EMPTY_FOLDER"),
    ],
)  # fmt: skip
def test_another_result_is_named_with_the_option_that_allows_it(
    changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(StsError, match=said):
        check(**changes)


def test_a_short_signature_is_enough(tmp_path: Path) -> None:
    """A published result is named, and its digests are compared."""
    signature = RESULT["signature"] | {"code": "c" * 64, "run": "r" * 64}
    line = RESULT | {"name": "sample.raw", "signature": short_signature(signature)}
    assert len(line["signature"]["encoders"]) == 16
    published = tmp_path / "results.jsonl"
    published.write_text(json.dumps(line) + "\n")
    kept = read_result("sample.raw", published)
    told = check(kept=kept, code="d" * 64, run="r" * 64)
    assert "signature.code: 'cccccccccccccccc', made again 'dddddddddddddddd'" in told[-1]
    with pytest.raises(StsError, match=r"signature.run: 'rrrrrrrrrrrrrrrr', made again 'ssss"):
        check(kept=kept, code="c" * 64, run="s" * 64)
    with pytest.raises(StsError, match="no published result of this name"):
        read_result("none", published)
    published.unlink()
    with pytest.raises(StsError, match="in a checkout of the project alone"):
        read_result("sample.raw", published)


def test_a_published_result_is_the_same_today(sts_data: Path) -> None:
    assert check_made_again("sts2015.raw", sts_data)[0] == "sts2015.raw: made again, the same"
