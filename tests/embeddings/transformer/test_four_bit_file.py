"""Files of four bits a weight: what is written comes back, can be cut, and is refused if damaged."""

from __future__ import annotations

import struct
import unicodedata
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sentencepiece  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from semaniacs import embeddings
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import NETWORK, Rounded
from semaniacs.embeddings.transformer.four_bit_file import (
    count_pieces,
    cut_to,
    xlm_roberta_tokenizer,
)
from semaniacs.embeddings.transformer.small_file import GROUP, load_small, save_small
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError
from semaniacs.sts.text.signs import name_signs
from tests.embeddings.transformer import tiny

WIDTH, INNER, HEADS = 32, 64, 2
PIECES = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
PIECES += [
    (piece, -1.0 - n / 10) for n, piece in enumerate("▁ ▁dog ▁d og s ▁кот r u n . é".split())
]
PIECES += [("<mask>", 0.0)]
SHAPES = {
    "q.w": (WIDTH, WIDTH), "k.w": (WIDTH, WIDTH), "v.w": (WIDTH, WIDTH), "ao.w": (WIDTH, WIDTH),
    "fi.w": (INNER, WIDTH), "fo.w": (WIDTH, INNER), "fi.b": (INNER,),
}  # fmt: skip


def blocks(numbers: NDArray[np.int64], scales: NDArray[np.float16]) -> bytes:
    """Blocks of 32 numbers from -8 to 7 with their scales, byte for byte."""
    found = b""
    for block, scale in zip(numbers.reshape(-1, 32) + 8, scales, strict=True):
        pairs = [
            int(low) | int(high) << 4 for low, high in zip(block[:16], block[16:], strict=True)
        ]
        found += scale.tobytes() + bytes(pairs)
    return found


def written(path: Path) -> dict[str, NDArray[Any]]:
    """Write a random network of one layer; return its tensors by the names in the file."""
    rng = np.random.default_rng(0)
    rows = len(PIECES)
    names = ["emb.word", "emb.pos", "emb.type", "emb.ln.w", "emb.ln.b"]
    names += [f"l0.{part}.{kind}" for part in "q k v ao fi fo aln oln".split() for kind in "wb"]
    shapes = {f"l0.{name}": shape for name, shape in SHAPES.items()}
    shapes |= {"emb.word": (rows, WIDTH), "emb.pos": (20, WIDTH), "emb.type": (2, WIDTH)}
    held, stored = {}, {}
    for name in names:
        shape = shapes.get(name, (WIDTH,))
        if name == "emb.word" or (name.startswith("l0.") and len(shape) == 2):
            numbers = rng.integers(-8, 8, shape)
            scales = rng.uniform(0.01, 0.05, numbers.size // 32).astype(np.float16)
            held[name] = (numbers.reshape(-1, 32) * scales[:, None].astype(np.float32)).reshape(
                shape
            )
            stored[name] = blocks(numbers, scales)
        else:
            held[name] = rng.normal(size=shape).astype(np.float32)
            stored[name] = held[name].tobytes()
    texts = [piece.encode() for piece, _ in PIECES]
    ends = np.cumsum([0, *map(len, texts)]).astype("<u4")
    start = b"E5S1" + struct.pack("<i7ifi", 1, WIDTH, 1, HEADS, INNER, rows, 20, 2, 1e-12, 32)
    start += struct.pack("<5iQ", rows, 0, 2, 1, 3, ends[-1]) + ends.tobytes()
    start += np.array([score for _, score in PIECES], "<f4").tobytes() + b"".join(texts)
    start += struct.pack("<iI", 1, 5) + b"?" * 5 + struct.pack("<i", len(names))
    offset = len(start) + sum(2 + len(name) + 21 for name in names)
    for name in names:
        in_blocks = len(stored[name]) != held[name].nbytes
        place = (int(in_blocks), held[name].size, offset, len(stored[name]))
        start += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", *place)
        offset += len(stored[name])
    path.write_bytes(start + b"".join(stored[name] for name in names))
    return held


@pytest.fixture
def network(tmp_path: Path) -> Transformer:
    written(tmp_path / "small.bin")
    found = embeddings.load(tmp_path / "small.bin")
    assert isinstance(found, Transformer)
    return found


def test_it_comes_back_as_it_was_written(tmp_path: Path) -> None:
    held = written(tmp_path / "small.bin")
    found = embeddings.load(tmp_path / "small.bin")
    weights = found.weights
    np.testing.assert_array_equal(weights["embeddings.word_embeddings.weight"], held["emb.word"])
    name = "encoder.layer.0.intermediate.dense"
    np.testing.assert_array_equal(weights[f"{name}.weight"], held["l0.fi.w"])
    np.testing.assert_array_equal(weights[f"{name}.bias"], held["l0.fi.b"])
    name = "encoder.layer.0.attention.output.LayerNorm.bias"
    np.testing.assert_array_equal(weights[name], held["l0.aln.b"])


def test_it_reads_pieces_as_sentencepiece_does(network: Transformer) -> None:
    read = network.tokenizer.encode("  dogs\u200bкот.\x07 ｒｕｎ ")
    expected = ["<s>", "▁dog", "s", "▁кот", ".", "▁", "r", "u", "n", "</s>"]
    assert read.tokens == expected


def test_normalisation_is_nmt_nfkc() -> None:
    """SentencePiece's own rule, for every character; Unicode has moved on for a few."""
    rule = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
    normalizer = Tokenizer.from_str(xlm_roberta_tokenizer(PIECES)).normalizer
    known = [c for c in map(chr, range(32, 0xD7FF)) if unicodedata.category(c) not in ("Cn", "Cc")]
    other = [
        c for c in known if normalizer.normalize_str(c).strip() != rule.normalize(c).strip("▁ ")
    ]
    assert len(other) < 20


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "small.bin")
    whole = (tmp_path / "small.bin").read_bytes()
    for size in (30, 200, len(whole) - 10):
        (tmp_path / "cut.bin").write_bytes(whole[:size])
        with pytest.raises(DataError, match=r"cut\.bin: damaged, or not four bits a weight"):
            embeddings.load(tmp_path / "cut.bin")
    with pytest.raises(DataError, match="a transformer; expected an encoder that averages words"):
        embeddings.loading.load_static(tmp_path / "small.bin")


def test_fewer_pieces_leave_the_others_as_they_were(network: Transformer) -> None:
    counts = count_pieces(network, ["dogs", "dogs", "run."])
    cut = cut_to(network, counts, 9, ["CYRILLIC"])
    known = cut.tokenizer.get_vocab()
    assert sorted(known) == sorted("<s> <pad> </s> <unk> <mask> ▁dog s r ▁".split())
    np.testing.assert_array_equal(cut.encode("dogs"), network.encode("dogs"))
    assert cut.tokenizer.encode("run").ids[-2] == known["<unk>"]


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


def test_a_small_file_comes_back_as_it_was_rounded(tmp_path: Path) -> None:
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


def test_a_damaged_small_file_is_refused(tmp_path: Path) -> None:
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
