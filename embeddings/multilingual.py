"""Encoders of several languages in one space, and the file that holds them.

Languages that share a table are one encoder, or several that cut text in their own
way and look up the same rows. A *taught* language stands on the bundled English
vectors: its file holds its own words, every other word is looked up in theirs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.formats import single_file
from embeddings.formats.single_file import DEFAULT, LANGUAGES
from embeddings.table import Table, Vectors
from embeddings.tokenizers.protocol import Tokenizer
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from embeddings.tokenizers.trigrams import TrigramTokenizer
from embeddings.tokenizers.words import INSIDE, WordTokenizer
from sts.errors import DataError, UnknownNameError
from sts.files import write_bytes
from sts.tensors import FORMAT, Tensors, pack, read_tensors, to_bytes, unpack

_PIECES = "pieces."
"""How a tensor is called that holds the SentencePiece model of a language."""


class Multilingual:
    """An encoder for each of some languages; cosines between languages are meant.

    Args:
        encoders: by two-letter code; several may be the same.
        name: of the model, for messages.
    """

    def __init__(self, encoders: Mapping[str, SentenceEncoder], name: str = "this model") -> None:
        self.encoders = dict(encoders)
        self.name = name

    def of(self, language: str) -> SentenceEncoder:
        """The encoder of a language.

        Raises:
            UnknownNameError: the model has none; it lists those it has.
        """
        if language not in self.encoders:
            raise UnknownNameError(f"language of {self.name}", language, list(self.encoders))
        return self.encoders[language]

    def mapped(self, change: Callable[[SentenceEncoder], SentenceEncoder]) -> Multilingual:
        """Every encoder changed; languages that share one share what it is changed to."""
        made: dict[int, SentenceEncoder] = {}
        for encoder in self.encoders.values():
            if id(encoder) not in made:
                made[id(encoder)] = change(encoder)
        return Multilingual({code: made[id(e)] for code, e in self.encoders.items()}, self.name)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of its languages."""
        return tuple(self.encoders)

    def encode(self, sentences: Sequence[str], languages: Sequence[str]) -> Vectors:
        """Vectors (n, dim) of sentences, each in its language, given by its code.

        Raises:
            UnknownNameError: the model has no such language.
            ValueError: more or fewer codes than sentences.
        """
        if len(sentences) != len(languages):
            raise ValueError(f"{len(sentences)} sentences in {len(languages)} languages")
        dim = next(iter(self.encoders.values())).dim
        vectors = np.zeros((len(sentences), dim), np.float32)
        told = np.array(languages)
        for language in dict.fromkeys(languages):
            places = np.flatnonzero(told == language)
            vectors[places] = self.of(language).encode([sentences[i] for i in places.tolist()])
        return vectors


def encoder_for(model: str | Path = DEFAULT, language: str | None = None) -> SentenceEncoder:
    """The encoder of a language in a model, see :func:`encoders_for`."""
    return encoders_for(model, [language])[0]


def encoders_for(model: str | Path, languages: Sequence[str | None]) -> list[SentenceEncoder]:
    """The encoders of some languages in a model, which is read once.

    A model that knows no languages has one encoder for all; that of a model whose
    languages share one need not be named.

    Raises:
        UnknownNameError: neither a bundled name nor a file, or the model has no such
            language (it lists those it has).
        DataError: the file or folder is missing, damaged or not an encoder, or its
            languages differ and none was named.
    """
    if LANGUAGES not in single_file.about(model):
        return [single_file.load(model)] * len(languages)
    known = load_multilingual(model)
    return [_shared_by_all(known) if code is None else known.of(code) for code in languages]


def _shared_by_all(model: Multilingual) -> SentenceEncoder:
    first, *others = model.encoders.values()
    if any(other is not first for other in others):
        raise DataError(
            f"{model.name}: its languages have an encoder each; name the language, "
            f"with --language or --languages: {', '.join(model.languages)}"
        )
    return first


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
    table = single_file.as_int8(first.rows)
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
    if hasattr(first, "parameters"):
        from embeddings.recurrent import to_tensors

        tensors |= to_tensors(first.parameters)
    metadata = {
        "format": FORMAT,
        LANGUAGES: " ".join(model.languages),
        "encoder": encoder_name,
        "buckets": str(first.tokenizer.buckets),
        **about,
    }
    write_bytes(path, to_bytes(tensors, metadata))


def save_taught(
    path: Path, taught: Mapping[str, Encoder], own: Mapping[str, int], english: str, **about: str
) -> None:
    """Write taught languages: of each its own rows alone, in int8.

    Args:
        path: the file.
        taught: by two-letter code, as :func:`stand_on` makes them.
        own: how many rows of each are its own words and pieces.
        english: bundled name of the English encoder.
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
        LANGUAGES: " ".join(("en", *taught)),
        "english": english,
        "start": single_file.fingerprint(single_file.load(english)),
        **about,
    }
    write_bytes(path, to_bytes(tensors, metadata))


def load_multilingual(name_or_path: str | Path) -> Multilingual:
    """The languages of a model, by bundled name or from a file.

    Raises:
        UnknownNameError: neither a bundled name nor a file.
        DataError: the file is missing or damaged, holds no languages, or its
            vocabulary does not fit its weights.
    """
    path = single_file.find(name_or_path)
    about = single_file.about(path)
    if LANGUAGES not in about:
        raise DataError(
            f"{path}: an encoder without languages; expected one that was trained on bitext, "
            "see: python -m embeddings.bitext --help"
        )
    try:
        languages = about[LANGUAGES].split()
        encoders = _taught(path, languages) if "english" in about else _shared(path, languages)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise DataError(f"{path}: damaged ({error}); train it again, or fetch it again") from None
    return Multilingual(encoders, str(name_or_path))


def _shared(path: Path, languages: Sequence[str]) -> dict[str, SentenceEncoder]:
    tensors, about = read_tensors(path, ("rows", "scale", "words"))
    table = Table(tensors["rows"], tensors["scale"])
    known, buckets = unpack(tensors["words"]), int(about["buckets"])
    if len(known) + buckets != len(table):
        raise ValueError(
            f"a vocabulary of {len(known)} entries and {buckets} hashed rows does not fit "
            f"{len(table)} rows"
        )
    if _PIECES + languages[0] in tensors:
        return {
            language: _encoder(
                _vocabulary(about["encoder"], known, buckets, tensors[_PIECES + language]),
                table,
                tensors,
            )
            for language in languages
        }
    vocabulary = _vocabulary(about["encoder"], known, buckets, tensors.get(_PIECES))
    return dict.fromkeys(languages, _encoder(vocabulary, table, tensors))


def _vocabulary(
    encoder_name: str, known: Sequence[str], buckets: int, pieces: NDArray[Any] | None
) -> Tokenizer:
    if encoder_name == "WORD":
        return WordTokenizer(known, buckets)
    if encoder_name == "TRIGRAM":
        return TrigramTokenizer(known, buckets)
    if pieces is None:
        raise ValueError("no SentencePiece model in it")
    return SentencePieceTokenizer(pieces.tobytes(), known, buckets)


def _encoder(vocabulary: Tokenizer, table: Table, tensors: Tensors) -> SentenceEncoder:
    if any(name.startswith("lstm.") for name in tensors):
        from embeddings.recurrent import RecurrentEncoder, from_tensors

        return RecurrentEncoder(vocabulary, table, from_tensors(tensors))
    return Encoder(vocabulary, table)


def _taught(path: Path, languages: Sequence[str]) -> dict[str, SentenceEncoder]:
    expected = tuple(f"{code}.{part}" for code in languages[1:] for part in ("rows", "words"))
    tensors, about = read_tensors(path, expected)
    english = single_file.load(about["english"])
    if single_file.fingerprint(english) != about["start"]:
        raise ValueError(f"it stands on other {about['english']} vectors than those here")
    encoders: dict[str, SentenceEncoder] = {languages[0]: english}
    for code in languages[1:]:
        own = Table(tensors[f"{code}.rows"], tensors[f"{code}.scale"])
        encoders[code] = stand_on(english, unpack(tensors[f"{code}.words"]), own)
    return encoders


def stand_on(english: Encoder, own: Sequence[str], rows: Table) -> Encoder:
    """An encoder with its own words and pieces, and for all other words the English ones.

    Names and numbers are written alike in both languages, so that a word that the
    other language does not list is best taken for what it is in English.

    Args:
        english: with a vocabulary of ours.
        own: words, and pieces that begin with ``##``: those of the English are not taken over.
        rows: (len(own), dim) of both kinds of numbers, int8 or float32.

    Raises:
        ValueError: words and rows differ in number.
    """
    if len(own) != len(rows):
        raise ValueError(f"{len(own)} words do not fit {len(rows)} rows")
    listed = set(own)
    vocabulary = english.tokenizer
    others = [
        word for word in vocabulary.known if word not in listed and not word.startswith(INSIDE)
    ]
    taken = [vocabulary.rows[word] for word in others]
    taken += range(len(vocabulary.known), len(vocabulary))
    joint = WordTokenizer([*own, *others], vocabulary.buckets)
    theirs = english.rows
    if rows.values.dtype == theirs.values.dtype == np.int8:
        values = np.vstack([rows.values, theirs.values[taken]])
        return Encoder(joint, Table(values, np.concatenate([rows.scale, theirs.scale[taken]])))
    return Encoder(joint, np.vstack([rows.dense, theirs.dense[taken]]))


def recipe(**parts: Any) -> str:
    """Settings as a line of JSON for the metadata of a file."""
    return json.dumps(parts, sort_keys=True)
