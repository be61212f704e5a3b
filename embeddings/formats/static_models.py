"""Static encoders of other libraries: model2vec's folders, and StaticEmbedding's.

Both average one row per token. They differ in the unknown token: model2vec leaves
it out, sentence-transformers averages its row like any other. Vectors here are
the mean rows; where the folder asks for unit length, similarities are the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embeddings.encoder import Encoder
from embeddings.table import Table
from embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from sts.errors import DataError
from sts.files import parse_json, read_text
from sts.tensors import Tensors, open_tensors


class _Layout(NamedTuple):
    """Layout of a folder: where its files are, and whether unknown tokens count."""

    folder: Path
    keep_unknown: bool
    longest: int | None = None


_LONGEST_PATH = 200
"""Characters of a module's folder; a file system refuses longer ones by an error of its own."""


def load_foreign(folder: Path) -> Encoder:
    """The encoder in a folder of model2vec or sentence-transformers.

    Raises:
        DataError: a file is missing, damaged or does not fit the others, or the
            model is not static.
    """
    layout = _model2vec(folder) or _static_embedding(folder)
    if layout is None:
        raise DataError(
            f"{folder}: no model folder; expected model.safetensors, config.json and "
            "tokenizer.json, or the modules.json of a StaticEmbedding"
        )
    weights, tokens = layout.folder / "model.safetensors", layout.folder / "tokenizer.json"
    refuse_pickle(weights)
    tensors, _ = open_tensors(weights)
    try:
        vocabulary = HuggingFaceTokenizer(
            read_text(tokens), keep_unknown=layout.keep_unknown, longest=layout.longest
        )
    except ValueError as error:
        raise DataError(f"{tokens}: {error}; save the model again") from None
    try:
        return Encoder(vocabulary, _table(tensors, len(vocabulary)))
    except (ValueError, IndexError, TypeError) as error:
        raise DataError(f"{weights}: does not fit {tokens.name} ({error})") from None


def refuse_pickle(weights: Path) -> None:
    """Raise a DataError if a pickle stands where these weights are missing."""
    pickle = weights.with_name("pytorch_model.bin")
    if pickle.exists() and not weights.exists():
        raise DataError(
            f"{pickle}: a pickle, which may run code; save the model with safe_serialization=True"
        )


def _model2vec(folder: Path) -> _Layout | None:
    """The layout of model2vec's folder; None if it is not one."""
    if not all((folder / name).exists() for name in ("config.json", "model.safetensors")):
        return None
    longest = read_config(folder / "config.json").get("max_length", 512)
    if longest is not None and not (isinstance(longest, int) and 1 <= longest < 2**31):
        raise DataError(
            f"{folder / 'config.json'}: max_length {longest!r:.40}; expected a count of tokens or null"
        )
    return _Layout(folder, keep_unknown=False, longest=longest)


def _static_embedding(folder: Path) -> _Layout | None:
    """The layout of sentence-transformers' folder; None if it is not one."""
    path = folder / "modules.json"
    if not path.exists():
        return None
    modules = read_modules(folder)
    kinds, first = [kind for kind, _ in modules], modules[0][1]
    if kinds[0] != "StaticEmbedding" or set(kinds[1:]) - {"Normalize"}:
        raise DataError(
            f"{path}: modules {', '.join(kinds)[:200]}; only StaticEmbedding, "
            "followed by nothing or Normalize, is a table of word rows"
        )
    return _Layout(first, keep_unknown=True)


def read_modules(folder: Path) -> list[tuple[str, Path]]:
    """Kind and folder of each module in sentence-transformers' ``modules.json``, one or more.

    Raises:
        DataError: missing or malformed.
    """
    path = folder / "modules.json"
    modules = _read_json(path)
    try:
        kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
        paths = [str(module["path"]) for module in modules]
    except (TypeError, KeyError):
        kinds, paths = [], []
    if not kinds or max(map(len, paths)) > _LONGEST_PATH:
        raise DataError(f"{path}: expected a list of modules, each with path and type")
    places = [folder / name for name in paths]
    return list(zip(kinds, places, strict=True))


def _table(tensors: Tensors, tokens: int) -> Table:
    """The table with one row per token, in any form that both libraries store.

    Raises:
        ValueError: no such rows, or fewer than there are tokens.
    """
    name = next((name for name in ("embedding.weight", "embeddings") if name in tensors), None)
    if name is None:
        held = ", ".join(sorted(tensors)[:5])
        raise ValueError(f"no tensor 'embeddings' or 'embedding.weight' in {held}; not static")
    rows, scale = tensors[name], tensors.get("weights")
    if "mapping" in tensors:
        rows = rows[tensors["mapping"]]
    if rows.ndim != 2 or len(rows) < tokens:
        raise ValueError(f"rows of shape {rows.shape} for {tokens} tokens")
    rows = rows[:tokens]
    if scale is None:
        return Table(rows if rows.dtype == np.int8 else rows.astype(np.float32))
    scale = scale[:tokens].astype(np.float32)
    if rows.dtype == np.int8:
        return Table(rows, scale)
    return Table(rows.astype(np.float32) * scale[:, None])


def read_config(path: Path) -> dict[str, Any]:
    """The settings in a ``config.json``.

    Raises:
        DataError: missing, or no JSON object.
    """
    config = _read_json(path)
    if not isinstance(config, dict):
        raise DataError(f"{path}: a JSON {type(config).__name__}; expected an object of settings")
    return config


def _read_json(path: Path) -> Any:
    try:
        return parse_json(read_text(path))
    except ValueError as error:
        raise DataError(f"{path}: not JSON ({error}); save the model again") from None
