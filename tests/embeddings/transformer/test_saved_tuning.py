"""What a training changed: rounded to four bits, written in as few as hold it, and read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import (
    load_tuning,
    rounded,
    save_tuning,
)
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from tests.embeddings.transformer import tiny

START = tiny.network()
MATRICES = {name: value for name, value in START.weights.items() if np.ndim(value) == 2}


def trained(seed: int = 0) -> Transformer:
    """Every matrix moved by normal numbers, each row by others as large as it likes; one bias too."""
    rng = np.random.default_rng(seed)
    moved = {
        name: value + rng.normal(0, rng.uniform(1e-5, 1e-2, (len(value), 1)), value.shape)
        for name, value in MATRICES.items()
    }
    name = "encoder.layer.0.output.dense.bias"
    moved[name] = START.weights[name] + 0.01
    found = {name: value.astype(np.float32) for name, value in moved.items()}
    return START.with_weights({**START.weights, **found})


@pytest.mark.parametrize("kind", ["pairs", "moved"])
def test_what_was_read_is_written_as_it_was(kind: str, tmp_path: Path) -> None:
    network = trained()
    if kind == "pairs":
        network = rounded(START, network)
    save_tuning(tmp_path / "one", START, network, {})
    again, _ = load_tuning(tmp_path / "one", START)
    save_tuning(tmp_path / "two", START, again, {})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    kinds = {name.partition("/")[0] for name in load_file(tmp_path / "one")}
    assert kinds == {kind, "exponent", "network"}
    if kind == "pairs":  # nothing more is lost
        for name, value in network.weights.items():
            np.testing.assert_array_equal(again.weights[name], value)


def test_four_bits_lose_an_eighth_of_a_difference() -> None:
    network = trained()
    small = rounded(START, network)
    for name, value in MATRICES.items():
        moved, kept = network.weights[name] - value, small.weights[name] - value
        lost = np.linalg.norm(kept - moved, axis=1) / np.linalg.norm(moved, axis=1)
        assert lost.max() < 0.3
        assert lost.mean() < 0.14
    bias = "encoder.layer.0.output.dense.bias"
    np.testing.assert_array_equal(small.weights[bias], network.weights[bias])
