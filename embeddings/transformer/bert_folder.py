"""Folders of transformers: BERT, RoBERTa, XLM-R, as transformers or sentence-transformers save them.

They hold ``config.json``, ``model.safetensors`` and ``tokenizer.json``; the ``modules.json`` of
sentence-transformers lists the head: pooling, dense layers (LaBSE has one), unit length.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.formats.model_files import read_config, read_modules, refuse_pickle
from semaniacs.embeddings.tokenizers.huggingface import open_tokenizer
from semaniacs.embeddings.transformer.plain_forward import HIDDEN_ACTS, Shape
from semaniacs.embeddings.transformer.sentence_head import (
    AFTER_DENSE,
    POOLINGS,
    Attention,
    Dense,
    Head,
)
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import read_text
from semaniacs.sts.tensors import check_finite, open_tensors, read_metadata

FIRST_POSITIONS: dict[str, int | None]
FIRST_POSITIONS = {"bert": 0, "roberta": None, "xlm-roberta": None, "camembert": None}
"""Architectures by ``model_type``, with the row of the first position; None: after padding's."""

_PREFIXES = ("bert.", "roberta.", "model.", "auto_model.")
_RENAMED = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
_POSITIONS = "embeddings.position_ids"
_SPARE = 1024  # rows without a token that a table may have: some are padded to a round number

POOLING_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""Names of poolings in sentence-transformers before 5.7, in the order in which it joins them."""

_MOST_LAYERS = 1000  # most layers of a network

ATTENTION = "semaniacs.embeddings.transformer.poolings.MultiHead"
"""The module of ``modules.json`` that sentence-transformers does not have."""

_COUNTS = (
    *("num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size"),
    *("max_position_embeddings", "vocab_size"),
)
"""Entries of ``config.json`` that are counts."""

_NO_TOKENS = 10**9  # A limit this high means none; transformers writes 1e30

Weights = dict[str, NDArray[Any]]


def is_transformer(folder: Path) -> bool:
    """Return whether a folder holds a transformer of any architecture, and no table of rows."""
    if (folder / "modules.json").exists():
        return read_modules(folder)[0][0] == "Transformer"
    path = folder / "config.json"
    return path.exists() and read_config(path).get("model_type", "model2vec") != "model2vec"


def is_cross_encoder(folder: Path) -> bool:
    """Return whether a folder holds a transformer that gives one number to a text or pair."""
    path = folder / "config.json"
    if not path.exists():
        return False
    config = read_config(path)
    named, labels = config.get("architectures"), config.get("id2label")
    if not (isinstance(named, list) and named and isinstance(labels, dict)):
        return False
    return str(named[0]).endswith("ForSequenceClassification") and len(labels) == 1


def load_bert(folder: Path) -> Transformer:
    """Load the transformer in a folder of transformers or of sentence-transformers.

    The sentence vector of the first is the mean of the last states. Raises a DataError if a file is
    missing or damaged, the architecture or a module is not known, or the parts do not fit each other.
    """
    try:
        return _load_bert(folder)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise DataError(f"{folder}: {error}; save the model again") from None


def _load_bert(folder: Path) -> Transformer:
    modules = read_modules(folder) if (folder / "modules.json").exists() else []
    where = modules[0][1] if modules else folder
    config = read_config(where / "config.json")
    shape = _shape(where / "config.json", config)
    weights = _read_weights(where, config)
    width = config["hidden_size"]
    head = _head(folder, modules[1:], shape, width) if modules else Head(normalize=False)
    rows = len(weights["embeddings.word_embeddings.weight"])
    tokenizer = _tokenizer(where / "tokenizer.json", rows)
    limit, lowercase = _limit(where, config["max_position_embeddings"] - shape.first_position)
    names_signs = read_metadata(where / "model.safetensors").get("names_signs") == "1"
    return Transformer(
        weights, shape, tokenizer, head, limit, lowercase=lowercase, names_signs=names_signs
    )


def _shape(path: Path, config: dict[str, Any]) -> Shape:
    kind = config.get("model_type")
    if kind not in FIRST_POSITIONS:
        raise DataError(f"{path}: model_type {kind!r}; known are: {', '.join(FIRST_POSITIONS)}")
    first = FIRST_POSITIONS[kind]
    activation, positions = config.get("hidden_act"), config.get("position_embedding_type")
    if activation not in HIDDEN_ACTS:
        known = ", ".join(HIDDEN_ACTS)
        raise DataError(f"{path}: hidden_act {activation!r}; known are: {known}")
    if positions not in (None, "absolute"):
        raise DataError(f"{path}: position_embedding_type {positions!r}; known is: absolute")
    for name in _COUNTS:
        if not isinstance(config.get(name), int) or config[name] < 1:
            raise DataError(f"{path}: {name} {config.get(name)!r}; expected a count")
    if config["num_hidden_layers"] > _MOST_LAYERS:
        raise DataError(f"{path}: num_hidden_layers {config['num_hidden_layers']:.3g}")
    heads, width = config["num_attention_heads"], config["hidden_size"]
    if width % heads:
        raise DataError(f"{path}: hidden_size {width} is no multiple of {heads} attention heads")
    return Shape(
        config["num_hidden_layers"],
        heads,
        float(config.get("layer_norm_eps", 1e-12)),
        int(config.get("pad_token_id") or 0) + 1 if first is None else first,
        activation,
    )


def expected_shapes(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor of a network of this configuration, by name."""
    width, inner = config["hidden_size"], config["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], width),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], width),
        "embeddings.token_type_embeddings.weight": (config.get("type_vocab_size", 2), width),
    }
    dense = {f"attention.self.{part}": (width, width) for part in ("query", "key", "value")} | {
        "attention.output.dense": (width, width),
        "intermediate.dense": (inner, width),
        "output.dense": (width, inner),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        norms += [f"{name}attention.output.LayerNorm", f"{name}output.LayerNorm"]
        for part, size in dense.items():
            shapes |= {f"{name}{part}.weight": size, f"{name}{part}.bias": size[:1]}
    for norm in norms:
        shapes |= {f"{norm}.weight": (width,), f"{norm}.bias": (width,)}
    return shapes


def config_of(network: Transformer) -> dict[str, Any]:
    """Return the ``config.json`` of a BERT."""
    weights, shape = network.weights, network.shape
    rows, width = weights["embeddings.word_embeddings.weight"].shape
    return {
        "model_type": "bert",
        "hidden_size": width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": len(weights["encoder.layer.0.intermediate.dense.weight"]),
        "hidden_act": shape.activation,
        "layer_norm_eps": shape.epsilon,
        "max_position_embeddings": len(weights["embeddings.position_embeddings.weight"]),
        "vocab_size": rows,
        "type_vocab_size": len(weights["embeddings.token_type_embeddings.weight"]),
    }


def _read_weights(folder: Path, config: dict[str, Any]) -> Weights:
    path = folder / "model.safetensors"
    held = {usual_name(name): tensor for name, tensor in _tensors(path).items()}
    width = config["hidden_size"]
    pooler = {"pooler.dense.weight": (width, width), "pooler.dense.bias": (width,)}
    shapes = expected_shapes(config) | {name: size for name, size in pooler.items() if name in held}
    weights = read_shaped(path, held, shapes)
    positions = held.get(_POSITIONS)  # counted from 0 in old files; their digest holds them
    return weights if positions is None else weights | {_POSITIONS: positions}


def read_shaped(
    path: Path, held: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]
) -> Weights:
    """Return the tensors of these names, as float32.

    Raises a DataError if one is not there, has another shape than these, or is not finite.
    """
    weights: Weights = {}
    for name, size in shapes.items():
        if name not in held:
            raise DataError(f"{path}: no tensor {name}; config.json asks for one of {size}")
        if held[name].shape != size:
            raise DataError(f"{path}: {name} is {held[name].shape}; config.json asks for {size}")
        try:
            check_finite(held[name], name)
        except ValueError as error:
            raise DataError(f"{path}: {error}") from None
        weights[name] = np.asarray(held[name], np.float32, order="C")
    return weights


def _tensors(path: Path) -> Weights:
    refuse_pickle(path)
    if not path.exists():
        raise DataError(f"{path}: no such file; expected the weights of the model, in one file")
    return open_tensors(path)[0]


def usual_name(name: str) -> str:
    """Return the name of a tensor in the release of BERT, without the prefix of a task's model."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for old, new in _RENAMED.items():
        name = name.replace(old, new)
    return name


def _tokenizer(path: Path, rows: int) -> Any:
    try:
        tokenizer = open_tokenizer(read_text(path))
    except ValueError as error:
        raise DataError(f"{path}: {error}; save the model again") from None
    size = max(tokenizer.get_vocab().values(), default=-1) + 1
    if not rows - _SPARE <= size <= rows:
        raise DataError(
            f"{path}: a tokenizer of {size:,} tokens, and weights for {rows:,}; "
            "it is that of another model"
        )
    return tokenizer


def _limit(folder: Path, positions: int) -> tuple[int, bool]:
    found: dict[str, Any] = {}
    for name in ("tokenizer_config.json", "sentence_bert_config.json"):
        if (folder / name).exists():
            found |= read_config(folder / name)
            if name == "tokenizer_config.json":
                found.pop("do_lower_case", None)  # of the tokenizer, which does it by itself
    named = [found.get("max_seq_length"), found.get("model_max_length")]
    limits = [int(n) for n in named if isinstance(n, int | float) and 1 <= n < _NO_TOKENS]
    return min([positions, *limits]), bool(found.get("do_lower_case"))


def _head(folder: Path, modules: list[tuple[str, Path]], shape: Shape, width: int) -> Head:
    head = Head((), normalize=False)
    for kind, path in modules:
        pooled = head.poolings or head.attention
        if kind == "WeightedLayerPooling" and not pooled:
            head = head._replace(layers=_layer_weights(path, shape.layers))
        elif kind == "Pooling" and not pooled:
            head = head._replace(poolings=_poolings(path / "config.json"))
        elif kind == "MultiHead" and not pooled:
            head = head._replace(attention=_attention(path, width))
        elif kind == "Dense" and pooled and not head.normalize:
            head = head._replace(dense=(*head.dense, _dense(path)))
        elif kind == "Normalize" and pooled:
            head = head._replace(normalize=True)
        else:
            raise DataError(
                f"{folder / 'modules.json'}: {kind} after Transformer; "
                "expected Pooling, then Dense layers if any, then Normalize or nothing"
            )
    if not (head.poolings or head.attention):
        raise DataError(f"{folder / 'modules.json'}: no Pooling; expected one after Transformer")
    return head


def _layer_weights(folder: Path, layers: int) -> tuple[float, ...]:
    path = folder / "model.safetensors"
    start = read_config(folder / "config.json").get("layer_start")
    if not isinstance(start, int) or not 0 <= start <= layers:
        raise DataError(f"{folder / 'config.json'}: layer_start {start!r}; expected 0 to {layers}")
    named = {"layer_weights": (layers + 1 - start,)}
    weights = read_shaped(path, open_tensors(path)[0], named)["layer_weights"].astype(np.float64)
    return tuple((weights / weights.sum()).tolist())


def _attention(folder: Path, width: int) -> Attention:
    path = folder / "model.safetensors"
    held = open_tensors(path)[0]
    (heads, hidden), (_, out) = (np.shape(held.get(name, 0))[:2] or (0, 0) for name in ("b1", "b2"))
    shapes = {"w1": (heads, hidden, width), "b1": (heads, hidden)}
    shapes |= {"w2": (heads, out, hidden), "b2": (heads, out)}
    return Attention(**read_shaped(path, held, shapes))


def _poolings(path: Path) -> tuple[str, ...]:
    config = read_config(path)
    named = config.get("pooling_mode") or [
        name for key, name in POOLING_MODES.items() if config.get(key)
    ]
    poolings = (named,) if isinstance(named, str) else tuple(named)
    if not poolings or set(poolings) - set(POOLINGS):
        raise DataError(f"{path}: pooling {', '.join(poolings)}; known are: {', '.join(POOLINGS)}")
    return poolings


def _dense(folder: Path) -> Dense:
    config, path = read_config(folder / "config.json"), folder / "model.safetensors"
    activation = str(config.get("activation_function", "Tanh")).rpartition(".")[2]
    if activation not in AFTER_DENSE or config.get("use_residual"):
        raise DataError(
            f"{folder / 'config.json'}: activation_function {activation}; "
            f"known are: {', '.join(AFTER_DENSE)}, without use_residual"
        )
    tensors, (out, given) = _tensors(path), (config.get("out_features"), config.get("in_features"))
    shapes: dict[str, Any] = {"linear.weight": (out, given), "linear.bias": (out,)}
    if "linear.bias" not in tensors:
        tensors["linear.bias"] = np.zeros(len(tensors.get("linear.weight", ())), np.float32)
    weight, bias = read_shaped(path, tensors, shapes).values()
    return Dense(weight, bias, activation)
