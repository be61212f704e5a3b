"""Encoders written under the name that a person gives, for us or for another library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

from embeddings.encoder import Encoder
from embeddings.formats.folder import DType, check_replaceable, save_folder
from embeddings.formats.single_file import save_encoder
from embeddings.formats.stored_table import StoredType
from embeddings.formats.word2vec import write_word2vec
from embeddings.loading import load, metadata_of
from embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from embeddings.tokenizers.words import WordTokenizer
from embeddings.transformer.transformer_encoder import Transformer
from sts.errors import StsError
from sts.files import check_writable

TARGETS: dict[str, DType | None] = {
    "file": "int8",
    "folder": "int8",
    "model2vec": "int8",
    "sentence-transformers": "float32",  # its older versions do not multiply by a scale
    "gensim": None,
    "word2vec": None,
}
"""Formats that an encoder can be exported to, and the default type of its rows."""

_OUR_KEYS = frozenset(
    "format buckets limit tokenizer path encoder dtype overwrite languages english start".split()
)
"""Metadata that the new file has of its own, and names of the writer's parameters."""


def export_model(
    model: str,
    language: str | None,
    output: Path,
    target: str,
    dtype: DType | StoredType | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Write the encoder of a model, with its metadata, in one of :data:`TARGETS`.

    Raises:
        StsError: the encoder is a transformer or no average of words, the format has no ``dtype``, or the
            output cannot be written.
    """
    encoder = load(model, language, auto=False)
    if isinstance(encoder, Transformer):
        raise StsError(f"{model}: a transformer, {_of_transformer(encoder, target)}")
    words = isinstance(encoder.tokenizer, WordTokenizer | HuggingFaceTokenizer)
    if not (isinstance(encoder, Encoder) and words):
        raise StsError(
            f"{model}: made of {type(encoder.tokenizer).__name__} and {type(encoder).__name__}, "
            "which the other libraries cannot read; expected an average of words"
        )
    if encoder.limit is not None and target in ("model2vec", "gensim", "word2vec"):
        print(
            f"{model}: cuts the large numbers of a vector, which {target} does not; "
            "its similarities will be a little worse there",
            file=sys.stderr,
        )
    usual = TARGETS[target]
    if usual is None:
        if dtype:
            raise StsError(f"--dtype has no meaning with --format {target}; leave it out")
        write_word2vec(output, encoder, binary=target == "gensim")
        return
    kept = {key: value for key, value in metadata_of(model).items() if key not in _OUR_KEYS}
    if target == "file":
        if dtype not in (None, *get_args(StoredType)):
            raise StsError(f"--dtype {dtype} with --format file; expected int8 or int4")
        save_encoder(output, encoder, "int4" if dtype == "int4" else "int8", **kept)
    elif dtype == "int4":
        raise StsError(f"--dtype int4 with --format {target}; only --format file holds it")
    else:
        save_folder(output, encoder, dtype or usual, overwrite=overwrite, **kept)


def _of_transformer(encoder: Transformer, target: str) -> str:
    """Why there is nothing to export."""
    if encoder.head.attention:
        return (
            "with attention over tokens (--pooling multi-head), which no other library reads; "
            "tune it with --pooling mean, cls, max or weighted-layers"
        )
    opens = "its folder opens in sentence-transformers as it is"
    return opens if target == "sentence-transformers" else f"which {target} cannot hold; {opens}"


def check_output(path: Path, encoder: Encoder) -> None:
    """Check before the work that :func:`save_by_name` can write the encoder.

    Raises:
        StsError: it cannot.
    """
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
