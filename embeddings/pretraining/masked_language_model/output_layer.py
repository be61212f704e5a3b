"""The output layer of masked language modelling: from the state of a token to the vocabulary.

A dense layer, a function, a norm; then the word embeddings are the matrix, and each token has a
bias (Devlin et al., 2019, in their release). RoBERTa's is the same by other names.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np

from embeddings.formats.static_models import read_config
from embeddings.transformer.bert_folder import read_shaped, usual_name
from embeddings.transformer.fine_tuning.transformer_folder import network_folder
from embeddings.transformer.network import ACTIVATIONS, Weights, dense, layer_norm
from embeddings.transformer.shape import Shape
from embeddings.transformer.transformer_encoder import Transformer
from sts.tensors import Tensors, open_tensors

WORDS = "embeddings.word_embeddings.weight"

PARTS = (
    "transform.dense.weight", "transform.dense.bias",
    "transform.LayerNorm.weight", "transform.LayerNorm.bias", "bias",
)  # fmt: skip
"""Names of its weights here."""


class OutputLayer(NamedTuple):
    """Its weights, and what the file that they came from says of them.

    Attributes:
        weights: by :data:`PARTS`.
        bert: whether it is named, and computed, as BERT's; else as RoBERTa's.
        new: whether it is untrained.
    """

    weights: Weights
    bert: bool
    new: bool

    def activation(self, shape: Shape) -> str:
        """The function after the dense layer, of a network."""
        return shape.activation if self.bert else "gelu"

    def tensors(self) -> Tensors:
        """Its weights, by the names that they have in a file."""
        return {_in_file(part, self.bert): np.asarray(self.weights[part]) for part in PARTS}


def vocabulary_logits(
    output: Weights, words: jax.Array, shape: Shape, activation: str, states: jax.Array
) -> jax.Array:
    """Logits (n, vocabulary) of the tokens whose states are (n, dim), from ``words``, the embeddings."""
    hidden = ACTIVATIONS[activation](dense(output, "transform.dense", states))
    normed = layer_norm(output, "transform.LayerNorm", hidden, shape.epsilon)
    logits: jax.Array = normed @ words.T + output["bias"]
    return logits


def output_layer(source: Path, network: Transformer) -> OutputLayer:
    """The output layer that stands in a folder with a network, or a new one.

    One whose matrix is not that of the word embeddings is left aside.

    Raises:
        DataError: a part of it is missing, or does not fit the network.
    """
    rows, width = network.weights[WORDS].shape
    sizes = [(width, width), (width,), (width,), (width,), (rows,)]
    bert, path = True, network_folder(source) / "model.safetensors"
    if path.exists():
        bert = read_config(path.with_name("config.json")).get("model_type", "bert") == "bert"
        held = {usual_name(name): tensor for name, tensor in open_tensors(path)[0].items()}
        matrix = held.get(("cls.predictions" if bert else "lm_head") + ".decoder.weight")
        tied = matrix is None or np.array_equal(matrix, network.weights[WORDS])
        names = [_in_file(part, bert) for part in PARTS]
        if tied and set(names) & set(held):
            found = read_shaped(path, held, dict(zip(names, sizes, strict=True)))
            return OutputLayer(dict(zip(PARTS, found.values(), strict=True)), bert, False)
    new = {part: np.zeros(size, np.float32) for part, size in zip(PARTS, sizes, strict=True)}
    new["transform.dense.weight"] = np.eye(width, dtype=np.float32)
    new["transform.LayerNorm.weight"] = np.ones(width, np.float32)
    return OutputLayer(new, bert, True)


def _in_file(part: str, bert: bool) -> str:
    if bert:
        return f"cls.predictions.{part}"
    return "lm_head." + part.removeprefix("transform.").replace("LayerNorm", "layer_norm")
