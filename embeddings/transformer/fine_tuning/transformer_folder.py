"""Folders of trained transformers, written as sentence-transformers reads them.

A bi-encoder is a ``SentenceTransformer`` there and a cross-encoder a ``CrossEncoder`` with one
label, with equal vectors and scores; but no module there is the attention over tokens. A reader
with cross-attention is in a folder ``network``, with its head beside it; no other library reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from semaniacs.embeddings.configuration import CrossAttentionTuning
from semaniacs.embeddings.formats import model_files
from semaniacs.embeddings.transformer import bert_folder
from semaniacs.embeddings.transformer.fine_tuning.reader import (
    CrossEncoder,
    Reader,
    ScoringHead,
    untrained_head,
)
from semaniacs.embeddings.transformer.fine_tuning.reader import Head as ReadingHead
from semaniacs.embeddings.transformer.sentence_head import Head
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.tensors import Tensors, open_tensors, to_bytes

TOKENIZER = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"),
    *("vocab.json", "merges.txt", "added_tokens.json", "sentencepiece.bpe.model"),
)
"""Files of a tokenizer; they are written as they were read."""

CLASSES = {
    "bert": "Bert",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "camembert": "Camembert",
}
"""Names of an architecture in the library transformers, by ``model_type``."""

_OF_BERT = ("bert.", "bert.pooler.dense", "classifier")
_OF_OTHERS = ("roberta.", "classifier.dense", "classifier.out_proj")
"""Parts of a model with one label: prefix of the network, dense layer, and output layer."""

_OF_A_TASK = ("id2label", "label2id", "num_labels", "problem_type", "output_hidden_states")
"""Settings of the layers above a network."""

_LIBRARY = "sentence_transformers.models"

READER = "semaniacs-reader"  # the model_type of a folder of a reader

_NETWORK, _HEAD = "network", "head.safetensors"

Files = dict[str, bytes]


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raise an StsError if ``path`` exists, and is not to be replaced by a folder."""
    if path.is_dir() and (overwrite or not any(path.iterdir())):
        return
    if path.exists():
        raise StsError(f"{path}: exists; name another folder, or replace it with --overwrite")


def save_transformer(path: Path, network: Transformer, source: Path | None, **about: str) -> None:
    """Write a network that encodes sentences, whole or not at all; an existing folder is replaced.

    ``source`` is the folder whose network it was trained from, for its configuration and its
    tokenizer; None for the one that ships. ``about`` is metadata of the weights.
    """
    modules, files = _modules(network)
    about |= {"names_signs": "1"} if network.names_signs else {}
    files |= network_files(network, source, **about) | {
        "modules.json": model_files.as_json(modules)
    }
    model_files.write_together(path.resolve(), files)


def save_cross_encoder(path: Path, model: CrossEncoder, source: Path | None, **about: str) -> None:
    """Write a cross-encoder; the arguments are those of :func:`save_transformer`."""
    held = source_files(model.network, source)
    config = _config(held, "ForSequenceClassification") | {
        "id2label": {"0": "LABEL_0"},
        "label2id": {"LABEL_0": 0},
        "sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid"},
    }
    prefix, dense, out = _names(config)
    held_weights = _floats(model.network).items()
    tensors = {prefix + name: value for name, value in held_weights if "pooler." not in name}
    tensors |= {
        f"{dense}.weight": model.head["dense"],
        f"{dense}.bias": model.head["bias"],
        f"{out}.weight": model.head["out"][None],
        f"{out}.bias": model.head["level"][None],
    }
    files = _tokenizer_files(held, model.network)
    model_files.write_together(path.resolve(), files | _config_and_weights(config, tensors, about))


def save_reader(path: Path, model: Reader, source: Path | None, **about: str) -> None:
    """Write a reader; the arguments are those of :func:`save_transformer`."""
    graded = {"graded": str(int(model.graded))}
    network = network_files(model.network, source)
    files = {f"{_NETWORK}/{name}": data for name, data in network.items()}
    files["config.json"] = model_files.as_json({"model_type": READER})
    files[_HEAD] = to_bytes(model.head, graded | about)
    model_files.write_together(path.resolve(), files)


def scores_pairs(folder: Path) -> bool:
    """Return whether a folder holds a network that gives one number to a pair."""
    return bert_folder.is_cross_encoder(folder) or _is_reader(folder)


def network_of(folder: Path) -> Transformer:
    """Return the network of a folder that :func:`scores_pairs`; errors as :func:`.load_bert`."""
    return bert_folder.load_bert(folder / _NETWORK if _is_reader(folder) else folder)


def load_pair_scorer(folder: Path) -> CrossEncoder | Reader:
    """Load a scorer of pairs from its folder: ours, or another's cross-encoder with one label.

    Raises a DataError as :func:`.load_bert`, or if there is none.
    """
    if not scores_pairs(folder):
        raise DataError(f"{folder}: no cross-encoder; train one with: semaniacs tune --cross")
    network = network_of(folder)
    if not _is_reader(folder):
        return CrossEncoder(network, _head_of_labels(folder, network))
    path = folder / _HEAD
    if not path.exists():
        raise DataError(f"{folder}: no {_HEAD}; train it again")
    tensors, about = open_tensors(path)
    return Reader(network, checked_head(path, network, tensors), about.get("graded") == "1")


def checked_head(path: Path, network: Transformer, tensors: Mapping[str, Any]) -> ReadingHead:
    """Return the head of a reader among the tensors of a file; a DataError if it does not fit the network."""
    gated = len(tensors["gates"]) if "gates" in tensors and np.ndim(tensors["gates"]) else 0
    if not 0 < gated <= network.shape.layers:
        raise DataError(
            f"{path}: gates of {gated} layers, of {network.shape.layers}; train it again"
        )
    how = CrossAttentionTuning(frozen=network.shape.layers - gated)
    usual = untrained_head(network, how, graded=False)
    return bert_folder.read_shaped(
        path, tensors, {name: np.shape(value) for name, value in usual.items()}
    )


def _is_reader(folder: Path) -> bool:
    path = folder / "config.json"
    return path.exists() and model_files.read_config(path).get("model_type") == READER


def _head_of_labels(folder: Path, network: Transformer) -> ScoringHead:
    path = folder / "model.safetensors"
    _, dense, out = _names(model_files.read_config(folder / "config.json"))
    width = network.width
    shapes = {f"{dense}.weight": (width, width), f"{dense}.bias": (width,)}
    shapes |= {f"{out}.weight": (1, width), f"{out}.bias": (1,)}
    weight, bias, row, level = bert_folder.read_shaped(path, open_tensors(path)[0], shapes).values()
    return {"dense": weight, "bias": bias, "out": row[0], "level": level[0]}


def network_files(network: Transformer, source: Path | None, **about: str) -> Files:
    """The files of a network alone, as transformers has them; see :func:`save_transformer`."""
    held = source_files(network, source)
    config = _config(held, "Model")
    if network.head.layers:
        config["output_hidden_states"] = True
    return _tokenizer_files(held, network) | _config_and_weights(config, _floats(network), about)


def _config_and_weights(config: dict[str, Any], tensors: Tensors, about: dict[str, str]) -> Files:
    return {
        "config.json": model_files.as_json(config),
        "model.safetensors": to_bytes(tensors, {"format": "pt", **about}),
    }


def source_files(network: Transformer, source: Path | None) -> Files:
    """Configuration and tokenizer of a folder by file name, or made from the network that ships."""
    if source is None:
        config = model_files.as_json(bert_folder.config_of(network))
        return {"config.json": config, "tokenizer.json": network.tokenizer.to_str().encode()}
    names = ("config.json", *TOKENIZER)
    where = network_folder(source)
    return {name: (where / name).read_bytes() for name in names if (where / name).exists()}


def network_folder(source: Path) -> Path:
    """The folder with the files of the network itself, of a folder that is opened."""
    return model_files.read_modules(source)[0][1] if (source / "modules.json").exists() else source


def _config(held: Files, suffix: str) -> dict[str, Any]:
    config: dict[str, Any] = {"model_type": "bert"} | json.loads(held["config.json"])
    for name in _OF_A_TASK:
        config.pop(name, None)
    config["architectures"] = [CLASSES[config["model_type"]] + suffix]
    return config


def _names(config: Mapping[str, Any]) -> tuple[str, str, str]:
    return _OF_BERT if config["model_type"] == "bert" else _OF_OTHERS


def _tokenizer_files(held: Files, network: Transformer) -> Files:
    files = {name: data for name, data in held.items() if name in TOKENIZER}
    named = json.loads(files.get("tokenizer_config.json", b"{}"))
    if len(network.weights["embeddings.token_type_embeddings.weight"]) > 1:
        named["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    read = {"max_seq_length": network.longest, "do_lower_case": network.lowercase}
    return files | {
        "tokenizer_config.json": model_files.as_json(named | {"model_max_length": network.longest}),
        "sentence_bert_config.json": model_files.as_json(read),
    }


def _modules(network: Transformer) -> tuple[list[dict[str, Any]], Files]:
    """Return the entries of ``modules.json`` for a network, and the files of the modules after it."""
    parts = [*_parts(network.head, network.width, network.shape.layers)]
    modules = [{"idx": 0, "name": "0", "path": "", "type": f"{_LIBRARY}.Transformer"}]
    files: Files = {}
    for place, (kind, config, tensors) in enumerate(parts, 1):
        path = f"{place}_{kind.rpartition('.')[2]}"
        modules.append({"idx": place, "name": str(place), "path": path, "type": kind})
        files[f"{path}/config.json"] = model_files.as_json(config)
        if tensors:
            files[f"{path}/model.safetensors"] = to_bytes(tensors, {"format": "pt"})
    return modules, files


def _parts(head: Head, width: int, layers: int) -> Iterator[tuple[str, dict[str, Any], Tensors]]:
    config: dict[str, Any]
    if head.layers:
        config = {"layer_start": head.reads(layers).start, "num_hidden_layers": layers}
        weights = np.array(head.layers, np.float32)
        config = {"word_embedding_dimension": width, **config}
        yield f"{_LIBRARY}.WeightedLayerPooling", config, {"layer_weights": weights}
    if head.attention:
        yield bert_folder.ATTENTION, {"heads": len(head.attention.b1)}, head.attention._asdict()
    else:
        modes = {mode: name in head.poolings for mode, name in bert_folder.POOLING_MODES.items()}
        one = len(head.poolings) == 1
        config = modes if one else {"pooling_mode": list(head.poolings)}
        yield f"{_LIBRARY}.Pooling", {"word_embedding_dimension": width, **config}, {}
    for weight, bias, activation in head.dense:
        function = f"torch.nn.modules.{'linear' if activation == 'Identity' else 'activation'}"
        config = {
            "in_features": weight.shape[1],
            "out_features": weight.shape[0],
            "bias": True,
            "activation_function": f"{function}.{activation}",
        }
        yield f"{_LIBRARY}.Dense", config, {"linear.weight": weight, "linear.bias": bias}
    if head.normalize:
        yield f"{_LIBRARY}.Normalize", {}, {}


def _floats(network: Transformer) -> Tensors:
    arrays = {name: np.asarray(value) for name, value in network.weights.items()}
    return {n: value for n, value in arrays.items() if np.issubdtype(value.dtype, np.floating)}
