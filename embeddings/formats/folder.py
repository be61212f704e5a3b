"""Model folders: ours, which model2vec and sentence-transformers can read, and theirs.

``model.safetensors`` holds the known rows, and a row of zeros for ``[UNK]``, as the other libraries
read them. Under other names it holds the words and the hashed rows, so that :func:`load_folder`
returns the very same encoder.

The other libraries give the same similarities for sentences whose words are known or can be
spelled; but model2vec has no place for the limit. See :mod:`semaniacs.embeddings.tokenizers.wordpiece`.

Their own folders average one row per token. model2vec leaves out the unknown token,
sentence-transformers averages its row like any other. Vectors here are the mean rows; where the
folder asks for unit length, similarities are the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.formats import model_files
from semaniacs.embeddings.single_file import limit_of, read_limit, save_encoder
from semaniacs.embeddings.table import Table, as_int8
from semaniacs.embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.tokenizers.wordpiece import to_wordpiece
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import check_writable, read_text, sha256_of, sha256_of_bytes
from semaniacs.sts.tensors import (
    FORMAT,
    Tensors,
    open_tensors,
    pack,
    read_metadata,
    read_tensors,
    to_bytes,
    unpack,
)

DType = Literal["int8", "float16", "float32"]

MARK = "word_table"
"""The key in ``config.json`` that marks our folders; its value is the format version."""

DENSE = ("1_Dense", "2_Dense")  # two layers of sentence-transformers that cut the numbers of a mean

FILES = frozenset({"model.safetensors", "config.json", "tokenizer.json", "modules.json", *DENSE})

_MODULES = [
    {"idx": i, "name": path or "0", "path": path, "type": f"sentence_transformers.models.{kind}"}
    for i, (path, kind) in enumerate(
        [("", "StaticEmbedding"), *((name, "Dense") for name in DENSE)]
    )
]
"""The table, and the layers that follow it in a model with a limit."""


def save_folder(
    path: Path, encoder: Encoder, dtype: DType = "int8", *, overwrite: bool = False, **about: str
) -> None:
    """Write a model folder, whole or not at all; one that an earlier call wrote is replaced.

    Args:
        encoder: one with another library's tokenizer is written for that library alone.
        dtype: of the rows. int8 has one scale per row, and is exact for an encoder of such rows;
            scales per column are rounded again. float16 rounds, and model2vec then rounds every
            sentence vector too. float32 is exact.
        overwrite: whether to replace a folder that holds anything else.
        **about: metadata of ``model.safetensors``.

    Raises an StsError if the tokenizer is one of trigrams or SentencePiece, or the folder was written by
    another program, or cannot be written.
    """
    path = path.resolve()
    check_replaceable(path, overwrite=overwrite)
    if isinstance(encoder.tokenizer, HuggingFaceTokenizer):
        files = _foreign_files(encoder, encoder.tokenizer, dtype, about)
    elif isinstance(encoder.tokenizer, WordTokenizer):
        files = _own_files(encoder, encoder.tokenizer, dtype, about)
    else:
        raise StsError(
            f"{path}: a {type(encoder.tokenizer).__name__} cannot be written as a folder, which "
            "holds a tokenizer of words; save it as one file: semaniacs.embeddings.single_file"
        )
    model_files.write_together(path, files)


def check_output(path: Path, encoder: Encoder) -> None:
    """Raise an StsError before the work if :func:`save_by_name` cannot write the encoder."""
    check_writable(path.absolute().parent)
    if path.suffix != ".safetensors":
        check_replaceable(path)
    elif isinstance(encoder.tokenizer, HuggingFaceTokenizer):
        raise StsError(
            f"{path}: another library's tokenizer cannot be written as one file; name a folder"
        )


def save_by_name(path: Path, encoder: Encoder, **about: str) -> None:
    """Write one file if the name ends in .safetensors, else a folder; both in int8."""
    if path.suffix == ".safetensors":
        save_encoder(path, encoder, **about)
    else:
        save_folder(path, encoder, "int8", overwrite=False, **about)


def _own_files(
    encoder: Encoder, vocabulary: WordTokenizer, dtype: DType, about: dict[str, str]
) -> dict[str, bytes]:
    tokenizer = to_wordpiece(vocabulary).to_str().encode()
    known = len(vocabulary.known)
    values, scale = _numbers(encoder.rows, dtype)
    nothing = np.zeros((1, encoder.dim), values.dtype)
    tensors: Tensors = {
        "embeddings": np.vstack([values[:known], nothing]),
        "hashed": values[known:],
        "words": pack(vocabulary.known),
    }
    if scale is not None:
        tensors["weights"] = np.append(scale[:known], np.float32(0))
        tensors["hashed_weights"] = scale[known:]
    metadata = {"format": FORMAT, "tokenizer": sha256_of_bytes(tokenizer), **about}
    metadata |= limit_of(encoder)
    files = {
        "model.safetensors": to_bytes(tensors, metadata),
        "tokenizer.json": tokenizer,
        "config.json": model_files.as_json(_config(encoder, dtype) | {MARK: FORMAT}),
        "modules.json": model_files.as_json(_MODULES if encoder.limit else _MODULES[:1]),
    }
    return files if encoder.limit is None else files | _dense_files(encoder.dim, encoder.limit)


def _foreign_files(
    encoder: Encoder, vocabulary: HuggingFaceTokenizer, dtype: DType, about: dict[str, str]
) -> dict[str, bytes]:
    """Return files for the library of the tokenizer; model2vec's drops unknown tokens."""
    values, scale = _numbers(encoder.rows, dtype)
    tensors: Tensors = {"embeddings": values}
    if scale is not None:
        tensors["weights"] = scale
    files = {
        "model.safetensors": to_bytes(tensors, {"format": FORMAT, **about}),
        "tokenizer.json": vocabulary.to_json().encode(),
        "modules.json": model_files.as_json(_MODULES[:1]),
    }
    if not vocabulary.keep_unknown:
        config = _config(encoder, dtype) | {"max_length": vocabulary.longest}
        files["config.json"] = model_files.as_json(config)
    return files


def _numbers(table: Table, dtype: DType) -> tuple[Any, Any]:
    if dtype == "int8":
        whole = as_int8(table)
        return whole.values, whole.scale
    return table.dense.astype(dtype), None


def _config(encoder: Encoder, dtype: DType) -> dict[str, Any]:
    """Return the ``config.json`` of model2vec; ``max_length`` null keeps it from truncating."""
    return {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": encoder.dim,
        "embedding_dtype": dtype,
        "normalize": False,
        "max_length": None,
    }


def _dense_files(dim: int, limit: float) -> dict[str, bytes]:
    """Return two layers: one divides by the limit and cuts to ±1, one multiplies again."""
    layers = zip(DENSE, (1 / limit, limit), ("activation.Hardtanh", "linear.Identity"), strict=True)
    files = {}
    for folder, factor, activation in layers:
        config = {
            "in_features": dim,
            "out_features": dim,
            "bias": False,
            "activation_function": f"torch.nn.modules.{activation}",
        }
        weights = {"linear.weight": np.eye(dim, dtype=np.float32) * np.float32(factor)}
        files[f"{folder}/config.json"] = model_files.as_json(config)
        files[f"{folder}/model.safetensors"] = to_bytes(weights, {"format": "pt"})
    return files


def check_replaceable(path: Path, *, overwrite: bool = False) -> None:
    """Raise an StsError if writing a folder at ``path`` would replace anything but a folder of ours."""
    if not path.exists() or (overwrite and path.is_dir()):
        return
    if not path.is_dir():
        raise StsError(f"{path}: a file; name a folder")
    names = {file.name for file in path.iterdir()}
    if names and (names - FILES or not _is_ours(path / "model.safetensors")):
        held = ", ".join(sorted(names - FILES or names)[:3])
        raise StsError(
            f"{path}: holds {held}, not written by this program; "
            "name another folder, or replace all of it with --overwrite"
        )


def _is_ours(model: Path) -> bool:
    """Return whether the metadata name a format of ours; other libraries write none or a name."""
    try:
        return read_metadata(model).get("format", "").isdigit()
    except DataError:
        return False


def load_folder(path: Path) -> Encoder:
    """Return the encoder in a folder: ours, bit for bit, or another library's.

    Raises a DataError if a file is missing, damaged, of a newer format, or does not fit the others.
    """
    config = path / "config.json"
    version = model_files.read_config(config).get(MARK) if config.exists() else None
    if version is None:
        return _load_foreign(path)
    if version != FORMAT:
        raise DataError(
            f"{config}: format {version!r}, and this version reads {FORMAT!r}; "
            "load it with the version that wrote it"
        )
    return _load_own(path)


def _load_own(path: Path) -> Encoder:
    model, tokenizer = path / "model.safetensors", path / "tokenizer.json"
    tensors, metadata = read_tensors(model, ("embeddings", "hashed", "words"))
    if not tokenizer.exists():
        raise DataError(f"{tokenizer}: no such file; export the folder again")
    if metadata.get("tokenizer") != sha256_of(tokenizer):
        raise DataError(f"{tokenizer}: belongs to another {model.name}; export the folder again")
    try:
        vocabulary = WordTokenizer(unpack(tensors["words"]), len(tensors["hashed"]))
        return Encoder(vocabulary, _own_table(tensors), read_limit(metadata))
    except (ValueError, IndexError, TypeError) as error:
        raise DataError(f"{model}: damaged ({error}); export the folder again") from None


def _own_table(tensors: Tensors) -> Table:
    """Return all rows (V + buckets, dim), without the one of [UNK]."""
    values = np.vstack([tensors["embeddings"][:-1], tensors["hashed"]])
    if values.dtype in (np.float16, np.float32):
        return Table(values.astype(np.float32))
    if values.dtype != np.int8 or not {"weights", "hashed_weights"} <= tensors.keys():
        raise ValueError(f"rows of {values.dtype}; expected float32, float16 or int8 with weights")
    scale = np.concatenate([tensors["weights"][:-1], tensors["hashed_weights"]])
    return Table(values, scale.astype(np.float32))


def _load_foreign(folder: Path) -> Encoder:
    if all((folder / name).exists() for name in ("config.json", "model.safetensors")):
        place, keep_unknown, longest = folder, False, _max_length(folder / "config.json")
    elif (folder / "modules.json").exists():
        place, keep_unknown, longest = _static_embedding(folder), True, None
    else:
        raise DataError(
            f"{folder}: no model folder; expected model.safetensors, config.json and "
            "tokenizer.json, or the modules.json of a StaticEmbedding"
        )
    weights, tokens = place / "model.safetensors", place / "tokenizer.json"
    model_files.refuse_pickle(weights)
    tensors, _ = open_tensors(weights)
    try:
        vocabulary = HuggingFaceTokenizer(
            read_text(tokens), keep_unknown=keep_unknown, longest=longest
        )
    except ValueError as error:
        raise DataError(f"{tokens}: {error}; save the model again") from None
    try:
        return Encoder(vocabulary, _table(tensors, len(vocabulary)))
    except (ValueError, IndexError, TypeError) as error:
        raise DataError(f"{weights}: does not fit {tokens.name} ({error})") from None


def _max_length(config: Path) -> int | None:
    """Return how many tokens a model of model2vec reads; None for all."""
    longest = model_files.read_config(config).get("max_length", 512)
    if longest is None or (isinstance(longest, int) and 1 <= longest < 2**31):
        return longest
    raise DataError(f"{config}: max_length {longest!r:.40}; expected a count of tokens or null")


def _static_embedding(folder: Path) -> Path:
    modules = model_files.read_modules(folder)
    kinds = [kind for kind, _ in modules]
    if kinds[0] != "StaticEmbedding" or set(kinds[1:]) - {"Normalize"}:
        raise DataError(
            f"{folder / 'modules.json'}: modules {', '.join(kinds)[:200]}; only StaticEmbedding, "
            "followed by nothing or Normalize, is a table of word rows"
        )
    return modules[0][1]


def _table(tensors: Tensors, tokens: int) -> Table:
    """Return the table with one row per token, in any form that both libraries store."""
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
