"""Several languages in one ``.safetensors`` file.

Languages that share a table are stored with it once, and with one SentencePiece model for all or
one each. *Taught* languages extend the bundled English vectors: the file holds each language's own
words, every other word has its English row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings import single_file
from semaniacs.embeddings.bitext.multilingual import Multilingual, Taught, with_fallback
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.embeddings.tokenizers.row_numbers import Tokenizer, WordTokenizer
from semaniacs.embeddings.tokenizers.subwords import SentencePieceTokenizer, TrigramTokenizer
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import write_bytes
from semaniacs.sts.tensors import (
    FORMAT,
    Tensors,
    inflate,
    name_held,
    read_metadata,
    read_tensors,
    tensor_names,
    to_bytes,
    unpack,
)

_PIECES = "pieces."
"""Prefix of the tensor that holds a SentencePiece model; a language's code follows."""

_LSTM = "lstm."  # prefix of the parameters of an LSTM


def save_shared(
    path: Path,
    model: Multilingual,
    encoder_name: str,
    dtype: single_file.StoredType = "int8",
    /,
    **about: str,
) -> None:
    """Write languages that share one table; ``about`` is further metadata.

    ``encoder_name`` is SP, TRIGRAM, WORD or LSTM-SP, ``dtype`` that of the stored rows. Raises an
    StsError if ``path`` cannot be written.
    """
    first = next(iter(model.encoders.values()))
    tensors, metadata = single_file.table_with_words(first, dtype)
    separate = len(set(map(id, model.encoders.values()))) > 1
    for language, encoder in model.encoders.items():
        if isinstance(encoder.tokenizer, SentencePieceTokenizer):
            name = _PIECES + (language if separate else "")
            tensors |= single_file.small(
                {name: np.frombuffer(encoder.tokenizer.model, np.uint8)}, dtype
            )
    tensors |= {_LSTM + name: value for name, value in first.parameters.items()}
    metadata |= {single_file.LANGUAGES: " ".join(model.languages), "encoder": encoder_name, **about}
    write_bytes(path, to_bytes(tensors, metadata))


def save_taught(
    path: Path,
    taught: Mapping[str, Taught],
    english_name: str,
    english: Encoder,
    dtype: single_file.StoredType = "int8",
    /,
    **about: str,
) -> None:
    """Write taught languages by two-letter code, only each one's own rows; ``about`` is further metadata.

    ``english_name`` is the bundled name, or file, of the ``english`` encoder. Raises an StsError if
    ``path`` cannot be written.
    """
    tensors: Tensors = {}
    for language, (encoder, count) in taught.items():
        own = encoder.rows.part(np.arange(count, dtype=np.int32))
        tensors |= single_file.table_tensors(own, dtype, f"{language}.")
        tensors |= single_file.words_tensor(encoder.tokenizer.known[:count], dtype, f"{language}.")
    metadata = {
        "format": FORMAT,
        single_file.LANGUAGES: " ".join(("en", *taught)),
        "english": english_name,
        "start": english.digest,
        **about,
    }
    write_bytes(path, to_bytes(tensors, metadata))


def differ_by_language(path: Path) -> bool:
    """Return whether each language of a file has an encoder of its own."""
    first = single_file.languages_in(path)[0]
    own = any(name.startswith(_PIECES + first) for name in tensor_names(path))
    return own or "english" in read_metadata(path)


def read_languages(
    path: Path, languages: Sequence[str], load_english: Callable[[str], Encoder]
) -> dict[str, SentenceEncoder]:
    """Return the encoders of some languages of a file; the others are not built.

    ``load_english`` loads the English encoder that taught languages extend, by its name. Raises a
    DataError if the file is missing or damaged, or its tokenizer does not fit its weights.
    """
    taught = "english" in read_metadata(path)
    try:
        if taught:
            return _read_taught(path, languages, load_english)
        return _read_shared(path, languages)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise DataError(f"{path}: damaged ({error}); train it again, or fetch it again") from None


def _read_shared(path: Path, languages: Sequence[str]) -> dict[str, SentenceEncoder]:
    table, tensors, about = single_file.read_table(path)
    known, buckets = unpack(tensors["words"]), int(about["buckets"])
    if len(known) + buckets != len(table):
        raise ValueError(
            f"a vocabulary of {len(known)} entries and {buckets} hashed rows does not fit "
            f"{len(table)} rows"
        )
    lstm = {n.removeprefix(_LSTM): tensors[n] for n in sorted(tensors) if n.startswith(_LSTM)}

    def encoder(pieces: NDArray[Any] | None) -> SentenceEncoder:
        tokenizer: Tokenizer
        if about["encoder"] == "WORD":
            tokenizer = WordTokenizer(known, buckets)
        elif about["encoder"] == "TRIGRAM":
            tokenizer = TrigramTokenizer(known, buckets)
        elif pieces is None:
            raise ValueError("no SentencePiece model in it")
        else:
            tokenizer = SentencePieceTokenizer(pieces.tobytes(), known, buckets)
        if not lstm:
            return Encoder(tokenizer, table, single_file.read_limit(about))
        from semaniacs.embeddings.bitext.lstm import RecurrentEncoder

        return RecurrentEncoder(tokenizer, table, lstm)

    if differ_by_language(path):
        return {language: encoder(tensors[_PIECES + language]) for language in languages}
    return dict.fromkeys(languages, encoder(tensors.get(_PIECES)))


def _read_taught(
    path: Path, languages: Sequence[str], load_english: Callable[[str], Encoder]
) -> dict[str, SentenceEncoder]:
    english_code = single_file.languages_in(path)[0]
    taught = [code for code in languages if code != english_code]
    held = tensor_names(path)
    names = [name for code in taught for name in single_file.table_names(held, f"{code}.")]
    expected = (*names, *(name_held(f"{code}.words", held) for code in taught))
    tensors, about = read_tensors(path, expected, only_these=True)
    tensors = inflate(tensors)
    english = load_english(about["english"])
    if english.digest != about["start"]:
        raise ValueError(f"it extends other {about['english']} vectors than those here")
    encoders: dict[str, SentenceEncoder] = {}
    for code in languages:
        if code == english_code:
            encoders[code] = english
        else:
            own = single_file.table_in(tensors, f"{code}.")
            encoders[code] = with_fallback(english, unpack(tensors[f"{code}.words"]), own)
    return encoders
