"""What a training needs of memory: the estimate by hand, and what is said when there is less."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from embeddings.transformer.fine_tuning.tuning_command import memory_need
from embeddings.transformer.fine_tuning.tuning_command.memory_need import estimate, within_memory
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from semaniacs.cli import run as main
from sts.errors import StsError
from tests.embeddings.conftest import Command
from tests.embeddings.transformer.fine_tuning import tiny

TEXTS = ["aa bb cc"] * 5000 + ["dd"] * 5000


def test_the_estimate_by_hand() -> None:
    network = tiny.network()
    a_layer = 4 * (8 * 8 + 8) + (12 * 8 + 12) + (8 * 12 + 8) + 4 * 8  # dense layers and norms
    whole = 12 * 8 + 40 * 8 + 2 * 8 + 2 * 8 + 3 * a_layer
    of_a_token = 8 * 8 + 3 * 12 + 2 * 2 * 64
    two = estimate(network, FineTuning(frozen=1), texts=10, length=7)
    assert two.weights == 4 * (whole + 6 * 2 * a_layer)
    assert two.batch == 4 * 10 * 7 * 2 * of_a_token
    every = estimate(network, FineTuning(frozen=None, accumulate=2), 10, 7, words=100)
    assert every.weights == 4 * (whole + 7 * whole)
    assert every.batch == pytest.approx(4 * 10 * 7 * (3 * of_a_token + 30))
    assert every.total == every.weights + every.batch


def refused(monkeypatch: pytest.MonkeyPatch, free: float, **settings: Any) -> str:
    """What is said where so many bytes are free."""
    monkeypatch.setattr(memory_need, "free_memory", lambda: free)
    how = FineTuning(**settings)
    with (
        pytest.raises(StsError) as told,
        within_memory(tiny.network(), how, TEXTS, 2),
    ):
        raise AssertionError("it began")
    return str(told.value)


def test_a_batch_that_is_too_large_says_which_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = 1 << 20
    needs = estimate(tiny.network(), FineTuning(accumulate=4), batch / 4 * 2, 4).total
    told = refused(monkeypatch, needs + 1, batch=batch)
    assert "training needs 35.8 GB or more (0.0 GB for weights, 35.8 GB for a batch)" in told
    assert f"and {needs / 1e9:.1f} GB are free: set --batch {batch // 4} --accumulate 4," in told
    told = refused(monkeypatch, needs - 1, batch=batch)
    assert f"--batch {batch // 8} --accumulate 8" in told
    told = refused(monkeypatch, 1000.0)
    assert told.endswith("are free: set fewer --tokens, or a higher --frozen")


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes.")]
)
def test_what_runs_out_of_memory_says_so_too(error: Exception) -> None:
    with (
        pytest.raises(StsError, match=r"^out of memory: .* set --batch 16 --accumulate 2"),
        within_memory(tiny.network(), FineTuning(), TEXTS, 2),
    ):
        raise error
    with (
        pytest.raises(RuntimeError, match="another"),
        within_memory(tiny.network(), FineTuning(), TEXTS, 2),
    ):
        raise RuntimeError("another")


LIMITED = """
import resource
from pathlib import Path
from embeddings.transformer.fine_tuning.tuning_command.memory_need import free_memory
held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (1 << 28), resource.RLIM_INFINITY))
print(free_memory() / (1 << 28))
"""


def test_a_limit_of_the_process_counts() -> None:
    if not Path("/proc/meminfo").exists():
        pytest.skip("no /proc")
    root = Path(__file__).parents[4]
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED], cwd=root, capture_output=True, check=True
    )
    assert 0.5 < float(ended.stdout) <= 1


@pytest.mark.parametrize(
    "line",
    [
        "tune pairs.tsv",
        "tune pairs.tsv --cross",
        "tune pairs.tsv --loss multiple-negatives",
        "adapt text.txt",
    ],
)
def test_no_command_begins_what_does_not_fit(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    tiny.save(tmp_path / "start")
    named = tmp_path / "start" / "tokenizer_config.json"
    named.write_text(named.read_text().replace("{", '{"mask_token": "[UNK]", ', 1))
    Path("pairs.tsv").write_text(tiny.lines(150))
    Path("text.txt").write_text("".join(f"{line}\n" for line in tiny.pairs(400, words_of=6)[0]))
    monkeypatch.setattr(memory_need, "free_memory", lambda: 1000.0)
    told = command(main, f"{line} --from start -o made").error
    assert "training needs 0.0 GB or more" in told and "0.0 GB are free" in told
    assert not Path("made").exists()
