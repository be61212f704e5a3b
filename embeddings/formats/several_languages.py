"""Encoders of several languages in one ``.safetensors`` file.

Two layouts exist. Languages that share a table are stored with the table once, and with one
SentencePiece model for all or one each. *Taught* languages extend the bundled English
vectors: the file holds each language's own words, every other word has its English row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.multilingual import Multilingual, with_fallback
from embeddings.table import Table, as_int8
from embeddings.tokenizers.protocol import Tokenizer
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from embeddings.tokenizers.trigrams import TrigramTokenizer
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import DataError
from sts.files import write_bytes
from sts.tensors import (
    FORMAT,
    Tensors,
    pack,
    read_metadata,
    read_tensors,
    tensor_names,
    to_bytes,
    unpack,
)

_LANGUAGES = "languages"
"""The metadata key that lists the languages."""

_PIECES = "pieces."
"""Prefix of the tensor that holds a SentencePiece model; a language's code follows."""


def save_shared(path: Path, model: Multilingual, encoder_name: str, **about: str) -> None:
    """Write languages that share one table, as int8; ``about`` goes into the metadata.

    Args:
        path: the file.
        model: all of its encoders have the same rows.
        encoder_name: SP, TRIGRAM, WORD or LSTM-SP.
        **about: further metadata.

    Raises:
        StsError: ``path`` cannot be written.
    """
    first = next(iter(model.encoders.values()))
    table = as_int8(first.rows)
    tensors: Tensors = {
        "rows": table.values,
        "scale": table.scale,
        "words": pack(first.tokenizer.known),
    }
    separate = len(set(map(id, model.encoders.values()))) > 1
    for language, encoder in model.encoders.items():
        if isinstance(encoder.tokenizer, SentencePieceTokenizer):
            name = _PIECES + (language if separate else "")
            tensors[name] = np.frombuffer(encoder.tokenizer.model, np.uint8)
    if first.parameters:
        from embeddings.recurrent.lstm import to_tensors

        tensors |= to_tensors(first.parameters)
    metadata = {
        "format": FORMAT,
        _LANGUAGES: " ".join(model.languages),
        "encoder": encoder_name,
        "buckets": str(first.tokenizer.buckets),
        **about,
    }
    write_bytes(path, to_bytes(tensors, metadata))


def save_taught(
    path: Path,
    taught: Mapping[str, Encoder],
    own: Mapping[str, int],
    english_name: str,
    english: Encoder,
    **about: str,
) -> None:
    """Write taught languages: only each language's own rows, in int8.

    Args:
        path: the file.
        taught: by two-letter code, as :func:`~embeddings.multilingual.with_fallback` makes them.
        own: how many rows of each are its own words and pieces.
        english_name: bundled name, or file, of the English encoder.
        english: that encoder.
        **about: further metadata.

    Raises:
        StsError: ``path`` cannot be written.
    """
    tensors: Tensors = {}
    for language, encoder in taught.items():
        count = own[language]
        tensors[f"{language}.rows"] = encoder.rows.values[:count]
        tensors[f"{language}.scale"] = encoder.rows.scale[:count]
        tensors[f"{language}.words"] = pack(encoder.tokenizer.known[:count])
    metadata = {
        "format": FORMAT,
        _LANGUAGES: " ".join(("en", *taught)),
        "english": english_name,
        "start": fingerprint(english),
        **about,
    }
    write_bytes(path, to_bytes(tensors, metadata))


def languages_in(path: Path) -> tuple[str, ...]:
    """Codes of the languages that a file holds; none if it is not of this format.

    Raises:
        DataError: the file is missing or damaged, or its list of languages is empty.
    """
    if path.suffix != ".safetensors":
        return ()
    about = read_metadata(path)
    languages = tuple(about.get(_LANGUAGES, "").split())
    if _LANGUAGES in about and not languages:
        raise DataError(f"{path}: damaged (no languages); train it again, or fetch it again")
    return languages


def differ_by_language(path: Path) -> bool:
    """Whether the languages of a file have an encoder each rather than one for all."""
    first = languages_in(path)[0]
    return "english" in read_metadata(path) or _PIECES + first in tensor_names(path)


def read_languages(
    path: Path, languages: Sequence[str], load_english: Callable[[str], Encoder]
) -> dict[str, SentenceEncoder]:
    """The encoders of some languages of a file; the others are not built.

    Args:
        path: the file.
        languages: codes of languages that the file holds.
        load_english: loads the English encoder that taught languages extend, by its name.

    Raises:
        DataError: the file is missing or damaged, or its tokenizer does not fit its weights.
    """
    read = _read_taught if "english" in read_metadata(path) else _read_shared
    try:
        return read(path, languages, load_english)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise DataError(f"{path}: damaged ({error}); train it again, or fetch it again") from None


def _read_shared(
    path: Path, languages: Sequence[str], _: Callable[[str], Encoder]
) -> dict[str, SentenceEncoder]:
    tensors, about = read_tensors(path, ("rows", "scale", "words"))
    table = Table(tensors["rows"], tensors["scale"])
    known, buckets = unpack(tensors["words"]), int(about["buckets"])
    if len(known) + buckets != len(table):
        raise ValueError(
            f"a vocabulary of {len(known)} entries and {buckets} hashed rows does not fit "
            f"{len(table)} rows"
        )

    def encoder(pieces: NDArray[Any] | None) -> SentenceEncoder:
        return _encoder(_tokenizer(about["encoder"], known, buckets, pieces), table, tensors)

    if differ_by_language(path):
        return {language: encoder(tensors[_PIECES + language]) for language in languages}
    return dict.fromkeys(languages, encoder(tensors.get(_PIECES)))


def _tokenizer(
    encoder_name: str, known: Sequence[str], buckets: int, pieces: NDArray[Any] | None
) -> Tokenizer:
    if encoder_name == "WORD":
        return WordTokenizer(known, buckets)
    if encoder_name == "TRIGRAM":
        return TrigramTokenizer(known, buckets)
    if pieces is None:
        raise ValueError("no SentencePiece model in it")
    return SentencePieceTokenizer(pieces.tobytes(), known, buckets)


def _encoder(tokenizer: Tokenizer, table: Table, tensors: Tensors) -> SentenceEncoder:
    if any(name.startswith("lstm.") for name in tensors):
        from embeddings.recurrent.lstm import RecurrentEncoder, from_tensors

        return RecurrentEncoder(tokenizer, table, from_tensors(tensors))
    return Encoder(tokenizer, table)


def _read_taught(
    path: Path, languages: Sequence[str], load_english: Callable[[str], Encoder]
) -> dict[str, SentenceEncoder]:
    english_code = languages_in(path)[0]
    taught = [code for code in languages if code != english_code]
    expected = tuple(f"{code}.{part}" for code in taught for part in ("rows", "scale", "words"))
    tensors, about = read_tensors(path, expected, only_these=True)
    english = load_english(about["english"])
    if fingerprint(english) != about["start"]:
        raise ValueError(f"it extends other {about['english']} vectors than those here")
    encoders: dict[str, SentenceEncoder] = {}
    for code in languages:
        if code == english_code:
            encoders[code] = english
        else:
            own = Table(tensors[f"{code}.rows"], tensors[f"{code}.scale"])
            encoders[code] = with_fallback(english, unpack(tensors[f"{code}.words"]), own)
    return encoders
