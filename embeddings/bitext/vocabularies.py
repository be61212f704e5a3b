"""Start of training on bitext: a vocabulary of both languages, and random or learned rows.

Without training random ones are the random baselines of Table 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext.bitext_configuration import EncoderName, Shape
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.language_files import differ_by_language
from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import Tokenizer, WordTokenizer
from semaniacs.embeddings.tokenizers.subwords import (
    SentencePieceTokenizer,
    TrigramTokenizer,
    frequent,
    train_pieces,
    trigrams,
)
from semaniacs.sts.errors import StsError
from semaniacs.sts.text.tokenizer import words

BUCKETS = 64  # hashed rows, for words that the vocabulary does not list


def starting_point(
    bitexts: Sequence[Bitext], shape: Shape, pieces: bytes | None = None
) -> Multilingual:
    """Return an untrained encoder for every language; all of them share one table.

    ``pieces`` is a SentencePiece model to use instead of one learned from the bitexts. A ValueError if
    it is none, or there is too little text, or more characters in it than ``shape.size``.
    """
    texts: dict[str, list[str]] = {}
    for bitext in bitexts:
        for side, language in enumerate(bitext.languages):
            texts.setdefault(language, []).extend(bitext.side(side))
    vocabularies = make_vocabularies(texts, shape, pieces)
    size = len(next(iter(vocabularies.values())))
    rng = np.random.default_rng(shape.seed)
    table = rng.normal(0.0, shape.deviation, (size, shape.dim)).astype(np.float32)
    made = {id(v): Encoder(v, table) for v in vocabularies.values()}
    start = Multilingual({code: made[id(v)] for code, v in vocabularies.items()})
    if shape.encoder != "LSTM-SP":
        return start
    from semaniacs.embeddings.bitext.lstm import network_over

    return start.mapped(network_over)


def learned_start(model: str | Path, languages: Sequence[str], encoder: str) -> Multilingual:
    """Return encoders of some languages that were learned before, to train further.

    ``model`` is a bundled name, or a file, whose languages share one table. ``encoder`` is that of the
    model, or ``LSTM-SP`` for a network over its subwords. Raises an StsError if there is no such model
    or language, or it is damaged, of another encoder, with a table per language, or of an odd length.
    """
    was = loading.metadata_of(model).get("encoder")
    if was not in get_args(EncoderName) or differ_by_language(loading.find_model(model)):
        raise StsError(
            f"{model}: no encoder of several languages over one table; start from one that was "
            "made by: semaniacs bitext train"
        )
    if encoder != was and (was, encoder) != ("SP", "LSTM-SP"):
        raise StsError(f"{model} is of the encoder {was}; type --encoder {was}")
    found = loading.load_multilingual(model)
    known = Multilingual({code: found.of(code) for code in languages}, found.name)
    if encoder == was:
        return known
    dim = known.of(languages[0]).dim
    if dim % 2:
        raise StsError(f"{model}: vectors of {dim} numbers; a network takes an even length")
    from semaniacs.embeddings.bitext.lstm import network_over

    return known.mapped(network_over)


def make_vocabularies(
    texts: dict[str, list[str]], shape: Shape, pieces: bytes | None = None
) -> dict[str, Tokenizer]:
    """Return a vocabulary for each language: one, or several over the same rows."""
    every = [text for language in texts.values() for text in language]
    if shape.encoder == "WORD":
        listed = frequent((word for text in every for word in words(text)), shape.size)
        return dict.fromkeys(texts, WordTokenizer(listed, BUCKETS))
    if shape.encoder == "TRIGRAM":
        listed = frequent((entry for text in every for entry in trigrams(text)), shape.size)
        return dict.fromkeys(texts, TrigramTokenizer(listed, BUCKETS))
    if pieces is not None or not shape.separate:
        model = train_pieces(every, shape.size) if pieces is None else pieces
        return dict.fromkeys(texts, SentencePieceTokenizer(model, buckets=BUCKETS))
    models = {code: train_pieces(language, shape.size) for code, language in texts.items()}
    own = [SentencePieceTokenizer(model).known for model in models.values()]
    joint = tuple(dict.fromkeys(piece for known in own for piece in known))
    return {code: SentencePieceTokenizer(model, joint, BUCKETS) for code, model in models.items()}
