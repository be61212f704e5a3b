"""Model folders that we, model2vec and sentence-transformers can read.

``model.safetensors``, ``config.json``, ``tokenizer.json`` and ``modules.json``
are what ``StaticModel.from_pretrained`` and ``SentenceTransformer`` read: the
known rows, and a row of zeros for ``[UNK]``. The same file holds, under other names,
the words and the hashed rows, so that :func:`load_folder` gives back the very same
encoder.

The other libraries give the same similarities for sentences whose words are
known or can be spelled; but model2vec has no place for the limit, and leaves it
out. They ignore a word that only a hashed row knows, and a sentence of nothing
but marks; see :mod:`embeddings.tokenizers.wordpiece`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np

from embeddings.encoder import Encoder
from embeddings.formats.static_models import load_foreign, read_config
from embeddings.formats.stored_table import limit_of, read_limit
from embeddings.table import Table, as_int8
from embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from embeddings.tokenizers.wordpiece import to_wordpiece
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import DataError, StsError
from sts.files import (
    replace_folder,
    sha256_of,
    sha256_of_bytes,
    working_folder,
    write_bytes,
)
from sts.tensors import FORMAT, Tensors, pack, read_metadata, read_tensors, to_bytes, unpack

DType = Literal["int8", "float16", "float32"]

MARK = "word_table"
"""The key in ``config.json`` that marks our folders; its value is the format version."""

DENSE = ("1_Dense", "2_Dense")
"""Two layers of sentence-transformers that cut the numbers of a mean."""

FILES = frozenset({"model.safetensors", "config.json", "tokenizer.json", "modules.json", *DENSE})
_STATIC = "sentence_transformers.models.StaticEmbedding"
_MODULES = [{"idx": 0, "name": "0", "path": "", "type": _STATIC}]
_DENSE_MODULES = [
    {
        "idx": int(folder[0]),
        "name": folder[0],
        "path": folder,
        "type": "sentence_transformers.models.Dense",
    }
    for folder in DENSE
]


def save_folder(
    path: Path,
    encoder: Encoder,
    dtype: DType = "int8",
    *,
    overwrite: bool = False,
    **about: str,
) -> None:
    """Write a model folder, whole or not at all.

    Args:
        path: the folder; one that an earlier call wrote is replaced.
        encoder: what to write. One with another library's tokenizer is written
            for that library alone.
        dtype: of the rows. int8 comes with one scale per row, and is exact for an
            encoder of such rows; one with one scale per column is rounded again.
            float16 rounds, and model2vec then rounds every sentence vector
            too. float32 is exact.
        overwrite: whether to replace a folder that holds anything else.
        **about: metadata of ``model.safetensors``.

    Raises:
        StsError: the tokenizer is one of trigrams or SentencePiece, or the folder was not
            written by this program, or cannot be written.
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
            "holds a tokenizer of words; save it as one file: embeddings.formats.single_file"
        )
    write_together(path, files)


def load_folder(path: Path) -> Encoder:
    """The encoder in a folder: ours, bit for bit, or another library's.

    Raises:
        DataError: a file is missing, damaged or does not fit the others, or was
            written in a newer format.
    """
    config = path / "config.json"
    version = read_config(config).get(MARK) if config.exists() else None
    if version is None:
        return load_foreign(path)
    if version != FORMAT:
        raise DataError(
            f"{config}: format {version!r}, and this version reads {FORMAT!r}; "
            "load it with the version that wrote it"
        )
    return _load_own(path)


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
        "config.json": as_json(_config(encoder, dtype) | {MARK: FORMAT}),
        "modules.json": as_json(
            _MODULES if encoder.limit is None else [*_MODULES, *_DENSE_MODULES]
        ),
    }
    return files if encoder.limit is None else files | _dense_files(encoder.dim, encoder.limit)


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
    """All rows (V + buckets, dim), without the one of [UNK]."""
    values = np.vstack([tensors["embeddings"][:-1], tensors["hashed"]])
    if values.dtype in (np.float16, np.float32):
        return Table(values.astype(np.float32))
    if values.dtype != np.int8 or not {"weights", "hashed_weights"} <= tensors.keys():
        raise ValueError(f"rows of {values.dtype}; expected float32, float16 or int8 with weights")
    scale = np.concatenate([tensors["weights"][:-1], tensors["hashed_weights"]])
    return Table(values, scale.astype(np.float32))


def _foreign_files(
    encoder: Encoder, vocabulary: HuggingFaceTokenizer, dtype: DType, about: dict[str, str]
) -> dict[str, bytes]:
    """Files for the library of the tokenizer: it is model2vec if unknown tokens are dropped."""
    values, scale = _numbers(encoder.rows, dtype)
    tensors: Tensors = {"embeddings": values}
    if scale is not None:
        tensors["weights"] = scale
    files = {
        "model.safetensors": to_bytes(tensors, {"format": FORMAT, **about}),
        "tokenizer.json": vocabulary.to_json().encode(),
        "modules.json": as_json(_MODULES),
    }
    if not vocabulary.keep_unknown:
        config = _config(encoder, dtype) | {"max_length": vocabulary.longest}
        files["config.json"] = as_json(config)
    return files


def _numbers(table: Table, dtype: DType) -> tuple[Any, Any]:
    """The rows as they are stored, and the scale of int8 rows."""
    if dtype == "int8":
        whole = as_int8(table)
        return whole.values, whole.scale
    return table.dense.astype(dtype), None


def _config(encoder: Encoder, dtype: DType) -> dict[str, Any]:
    """The ``config.json`` of model2vec; ``max_length`` null keeps it from truncating."""
    return {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": encoder.dim,
        "embedding_dtype": dtype,
        "normalize": False,
        "max_length": None,
    }


def _dense_files(dim: int, limit: float) -> dict[str, bytes]:
    """The files of the two layers: one divides by the limit and cuts to ±1, one multiplies again."""
    cut = _dense(DENSE[0], dim, np.float32(1 / limit), "activation.Hardtanh")
    return cut | _dense(DENSE[1], dim, np.float32(limit), "linear.Identity")


def _dense(folder: str, dim: int, factor: np.float32, activation: str) -> dict[str, bytes]:
    config = {
        "in_features": dim,
        "out_features": dim,
        "bias": False,
        "activation_function": f"torch.nn.modules.{activation}",
    }
    weights = {"linear.weight": np.eye(dim, dtype=np.float32) * factor}
    return {
        f"{folder}/config.json": as_json(config),
        f"{folder}/model.safetensors": to_bytes(weights, {"format": "pt"}),
    }


def as_json(value: Any) -> bytes:
    """Return a file of a configuration."""
    return (json.dumps(value, indent=2) + "\n").encode()


def check_replaceable(path: Path, *, overwrite: bool = False) -> None:
    """Check that writing a folder at ``path`` replaces nothing but a folder of ours.

    Raises:
        StsError: it would replace something else.
    """
    if not path.exists() or (overwrite and path.is_dir()):
        return
    if not path.is_dir():
        raise StsError(f"{path}: a file stands there; name a folder")
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


def write_together(path: Path, files: dict[str, bytes]) -> None:
    """Write a folder beside its destination, then move it there."""
    try:
        with working_folder(path) as folder:
            for file, data in files.items():
                write_bytes(folder / "new" / file, data)
            replace_folder(folder / "new", path)
    except OSError as error:
        raise StsError(
            f"{path}: cannot be written ({error.strerror}); choose another folder with --output"
        ) from None
