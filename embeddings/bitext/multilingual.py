"""Encoders of several languages in one vector space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.embeddings.table import Table, Vectors, as_int8, quantize_columns
from semaniacs.embeddings.tokenizers.row_numbers import INSIDE, WordTokenizer
from semaniacs.sts.errors import UnknownNameError
from semaniacs.sts.text.languages_found import AUTO, LanguagesFound

if TYPE_CHECKING:
    from semaniacs.embeddings.bitext.corpus import Bitext


class Multilingual:
    """An encoder for each of several languages; vectors of all of them can be compared.

    Several languages may share one. Their keys are two-letter codes; ``name`` is for messages.
    """

    def __init__(self, encoders: Mapping[str, SentenceEncoder], name: str = "this model") -> None:
        self.encoders = dict(encoders)
        self.name = name

    def of(self, language: str) -> SentenceEncoder:
        """Return the encoder of a language; an UnknownNameError lists those that the model has."""
        if language not in self.encoders:
            raise UnknownNameError(f"language of {self.name}", language, list(self.encoders))
        return self.encoders[language]

    def mapped(self, change: Callable[[SentenceEncoder], SentenceEncoder]) -> Multilingual:
        """Return every encoder changed; languages that share one share the changed one."""
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
        """Return vectors (n, dim) float32 of sentences, each in the language of its code.

        Raises a ValueError if they differ in number, an UnknownNameError for a language that the model
        does not have.
        """
        if len(sentences) != len(languages):
            raise ValueError(f"{len(sentences)} sentences in {len(languages)} languages")
        dim = next(iter(self.encoders.values())).dim
        vectors = np.zeros((len(sentences), dim), np.float32)
        for language in dict.fromkeys(languages):
            places = [i for i, code in enumerate(languages) if code == language]
            vectors[places] = self.of(language).encode([sentences[i] for i in places])
        return vectors


class IdentifyingEncoder(SentenceEncoder):
    """Encoder that identifies the language of each sentence; ``found`` counts those so far.

    A sentence in a language that the model does not know is read as English, or as the first that
    it knows. The tokenizer, the table and the limit are those of that language.
    """

    def __init__(self, several: Multilingual) -> None:
        self.several = several
        self.found = LanguagesFound(several.languages)
        usual = several.of(self.found.fallback)
        super().__init__(usual.tokenizer, usual.rows)
        self.limit = usual.limit

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""
        return self.several.of(self.found.fallback).dim

    def _encode_into(self, vectors: Vectors, sentences: Sequence[str]) -> Iterator[int]:
        vectors[:] = self.several.encode(sentences, self.found.codes(sentences))
        yield len(sentences)


def note_languages(
    encoders: Iterable[object],
    model: str,
    option: str,
    named: Sequence[str | None] = (AUTO, AUTO),
) -> None:
    """Print on stderr, once per encoder, which languages were identified.

    ``option`` is that of the command: ``--language`` names one language, ``--languages`` two;
    ``named`` are the languages that the user named.
    """
    for encoder in {id(encoder): encoder for encoder in encoders}.values():
        if isinstance(encoder, IdentifyingEncoder):
            encoder.found.note(model, option, named)


def scaled_by_frequency(
    model: Multilingual, bitexts: Sequence[Bitext], smoothing: float
) -> Multilingual:
    """Multiply each row by a / (a + p): smooth inverse frequency (Arora et al., 2017, eq. 3).

    p is the share of a row of all running rows of both sides, and a, ``smoothing``: the lower, the less
    a frequent row counts. The encoders average the rows of one table. Only the scales of the int8 rows
    change, so encoders from a file come to the same.
    """
    first = next(iter(model.encoders.values()))
    counts = np.zeros(len(first.rows), np.int64)
    for bitext in bitexts:
        for side, language in enumerate(bitext.languages):
            rows = model.of(language).ids(bitext.side(side)).flat
            counts += np.bincount(rows, minlength=len(counts))
    weight = smoothing / (smoothing + counts / max(1, counts.sum()))
    table = as_int8(first.rows)
    scaled = Table(table.values, table.scale * weight.astype(np.float32))
    return model.mapped(lambda encoder: Encoder(encoder.tokenizer, scaled))


class Taught(NamedTuple):
    """A language in the space of an English encoder, which it extends by :func:`with_fallback`; ``own`` of
    its rows are its own, and come first.
    """

    encoder: Encoder
    own: int


def with_fallback(english: Encoder, own: Sequence[str], rows: Table) -> Encoder:
    """Return an encoder with its own words and pieces, and English rows for all other words.

    Args:
        english: with a tokenizer of words; its pieces are not taken over.
        own: words, and pieces that begin with ``##``.
        rows: (len(own), dim), int8 or float32; a ValueError if they differ in number.
    """
    if len(own) != len(rows):
        raise ValueError(f"{len(own)} words do not fit {len(rows)} rows")
    listed = set(own)
    tokenizer = english.tokenizer
    others = [
        word for word in tokenizer.known if word not in listed and not word.startswith(INSIDE)
    ]
    taken = [tokenizer.rows[word] for word in others]
    taken += range(len(tokenizer.known), len(tokenizer))
    joint = WordTokenizer([*own, *others], tokenizer.buckets)
    theirs = english.rows
    if theirs.by_column:
        ours = rows if rows.by_column else quantize_columns(rows.dense, theirs.scale)
        values = np.vstack([ours.values, theirs.values[taken]])
        return Encoder(joint, Table(values, theirs.scale), english.limit)
    if rows.is_int8 and theirs.is_int8:
        values = np.vstack([rows.values, theirs.values[taken]])
        table = Table(values, np.concatenate([rows.scale, theirs.scale[taken]]))
    else:
        table = Table(np.vstack([rows.dense, theirs.dense[taken]]))
    return Encoder(joint, table, english.limit)


def without_repeated(taught: Taught, english: Encoder) -> Taught:
    """Remove the words that English rows serve as well, which are mostly names.

    A word is removed if its row is nearer to the English row of the same word than half of its own
    length: a seventh of the rows, and retrieval is no worse (chosen on NTREX and the Spanish tasks of
    2014 and 2015).
    """
    tokenizer = taught.encoder.tokenizer
    known, rows = tokenizer.known[: taught.own], taught.encoder.rows
    own = np.arange(taught.own, dtype=np.int32)
    shared = [i for i, w in enumerate(known) if w in english.tokenizer and not w.startswith(INSIDE)]
    theirs = english.rows.rows(
        np.array([english.tokenizer.rows[known[i]] for i in shared], np.int32)
    )
    ours = rows.rows(own[shared])
    near = np.linalg.norm(ours - theirs, axis=1) <= 0.5 * np.linalg.norm(ours, axis=1)
    kept = np.delete(own, own[shared][near])
    words = [known[i] for i in kept.tolist()]
    return Taught(with_fallback(english, words, rows.part(kept)), len(kept))
