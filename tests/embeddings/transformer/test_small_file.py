"""A transformer in one file: its vectors come back, and what is damaged is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semaniacs import embeddings
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import NETWORK, Rounded
from semaniacs.embeddings.transformer.small_file import GROUP, load_small, save_small
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError
from semaniacs.sts.text.signs import name_signs
from tests.embeddings.transformer import tiny


def wide() -> Transformer:
    """The tiny network with its matrices repeated until groups of weights fit a row."""
    network = tiny.network()
    times = GROUP // 4  # of the 12 numbers inside a layer too
    weights = {n: np.tile(w, [times] * np.ndim(w)) for n, w in network.weights.items()}
    few = ("word_embeddings", "position_embeddings", "token_type_embeddings")
    for name, value in network.weights.items():
        if any(part in name for part in few):
            weights[name] = np.tile(value, (1, times))
    return network.with_weights(weights)


def test_it_comes_back_as_it_was_rounded(tmp_path: Path) -> None:
    network, path = wide(), tmp_path / "small.safetensors"
    save_small(path, network, {"licence": "none"})
    again = load_small(path)
    moved = [np.square(again.weights[n] - w).sum() for n, w in network.weights.items()]
    whole = [np.square(w).sum() for w in network.weights.values()]
    assert 0.002 < sum(moved) / sum(whole) < 0.02
    save_small(tmp_path / "again", again, {"licence": "none"})
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_training_sees_the_network_as_the_file_has_it(tmp_path: Path) -> None:
    network, path = wide(), tmp_path / "small.safetensors"
    save_small(path, network, {})
    written = load_small(path).weights

    def loss(parameters: Any) -> Any:
        return sum(jnp.sum(weight**3) for weight in parameters[NETWORK].values())

    slopes = jax.grad(Rounded(loss))({NETWORK: network.weights})[NETWORK]
    for name, weight in written.items():
        np.testing.assert_allclose(slopes[name], 3 * weight**2, rtol=1e-4, atol=1e-6)
        few = any(part in name for part in ("position_embeddings", "token_type_embeddings"))
        assert np.array_equal(weight, network.weights[name]) == (weight.ndim < 2 or few)


def test_what_is_damaged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.safetensors"
    save_small(path, wide(), {})
    held = bytearray(path.read_bytes())
    held[-3] ^= 1
    path.write_bytes(held)
    with pytest.raises(DataError, match=r"small.safetensors: damaged, or not a transformer"):
        load_small(path)


def test_the_one_that_ships_reads_emoji_by_their_names() -> None:
    names = ["I won 🎉", "I won party popper"]
    one, other = embeddings.encode(names, "gte")
    np.testing.assert_array_equal(one, other)
    assert name_signs("Well 👍🏽 done, naïve ©") == "Well thumbs up sign done, naïve ©"
    with pytest.raises(DataError, match="gte: a transformer; expected an encoder that averages"):
        embeddings.loading.load_static("gte")
