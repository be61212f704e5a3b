"""The commands of ``python -m embeddings``, one function each."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.formats.lines import columns, lines
from embeddings.formats.single_file import save_encoder
from embeddings.loading import load, load_languages
from embeddings.table import Vectors, as_int8
from embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from embeddings.tokenizers.words import INSIDE, WordTokenizer
from embeddings.training.configuration import Training
from embeddings.training.pairs.corpora import keep_useful_round_trips
from sts.errors import DataError, StsError
from sts.files import check_writable, sha256_of_bytes, write_lines

if TYPE_CHECKING:
    from embeddings.formats.folder import DType
    from embeddings.training.pairs.corpora import SentencePair
    from sts.data.pairs import Scores

_BATCH = 65536

TARGETS: dict[str, DType | None] = {
    "folder": "int8",
    "model2vec": "int8",
    "sentence-transformers": "float32",  # its older versions do not multiply by a scale
    "gensim": None,
    "word2vec": None,
}
"""Formats that an encoder can be exported to, and the default type of a folder's rows."""


def encode(source: str, output: Path, model: str, batch: int, language: str | None = None) -> None:
    """Write the vectors of all lines as an (n, dim) float32 .npy file."""
    from embeddings.formats.numpy_file import write_rows

    encoder = load(model, language)
    check_writable(output.absolute().parent)
    with tqdm(unit=" sentences", disable=None) as bar:

        def batches() -> Iterator[Vectors]:
            for vectors in encoder.encode_stream(lines(source), batch=batch):
                yield vectors
                bar.update(len(vectors))

        count = write_rows(output, encoder.dim, batches())
    print(f"{count:,} vectors of {encoder.dim} numbers written to {output}", file=sys.stderr)


Sides = tuple[str | None, str | None]
"""Codes of the languages of left and right; None for a model of one language."""


def similar(
    source: str, output: Path | None, model: str, digits: int, sides: Sides = (None, None)
) -> None:
    """Write the cosine of the two columns of each line."""
    one, other = load_languages(model, sides)
    rows = columns(source, "left right")

    def cosines() -> Iterator[str]:
        while chunk := list(islice(rows, _BATCH)):
            left, right = zip(*chunk, strict=True)
            for cosine in one.similarity_pairwise(left, right, other):
                yield f"{cosine:z.{digits}f}"

    _write(cosines(), output)


def keep(source: str, output: Path | None, model: str, lowest: float, highest: float) -> None:
    """Write the pairs whose cosine lies in a band; print how many were dropped and why."""
    if not -1 <= lowest <= highest <= 1:
        raise StsError(
            f"--lowest {lowest:g} --highest {highest:g}: expected two cosines from -1 to 1, "
            "the lower one first"
        )
    pairs = [(left, right) for left, right in columns(source, "left right")]
    kept, counts = keep_useful_round_trips(
        pairs, loading.load_static(model), lowest=lowest, highest=highest
    )
    _write((f"{left}\t{right}" for left, right in kept), output)
    summary = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
    print(f"{len(pairs):,} pairs: {summary}", file=sys.stderr)


def similar_of(
    source: str,
    against: str,
    k: int,
    output: Path | None,
    model: str,
    digits: int,
    sides: Sides = (None, None),
) -> None:
    """Write, for each line, the most similar lines of a list: query, cosine, sentence."""
    from embeddings.search.similar_sentences import most_similar

    one, other = load_languages(model, sides)
    sentences = [sentence for (sentence,) in columns(against, "sentence")]
    queries = (query for (query,) in columns(source, "sentence"))
    found = most_similar(one, queries, sentences, k, other)
    _write((f"{n.query}\t{n.cosine:z.{digits}f}\t{n.sentence}" for n in found), output)


def _write(out: Iterable[str], output: Path | None) -> None:
    """Lines to a file, whole or not at all, or to stdout as they come."""
    if output:
        check_writable(output.absolute().parent)
        write_lines(output, out)
    else:
        for line in out:
            print(line)


def train(
    source: str,
    output: Path,
    start: str,
    configuration: Training,
    *,
    dev: str | None = None,
    checkpoint: Path | None = None,
    curve: Path | None = None,
) -> None:
    """Tune an encoder on pairs and write it; print its correlation on ``dev`` before and after."""
    encoder = loading.load_static(start)
    _check_output(output, encoder)
    pairs: list[SentencePair] = [(left, right) for left, right in columns(source, "left right")]
    gold = read_scored_pairs(dev) if dev else None
    from embeddings.training.pairs.pair_data import Corpus
    from embeddings.training.pairs.pair_training import train as learn

    tuned = learn(
        encoder,
        [Corpus(pairs)],
        configuration,
        checkpoint=checkpoint,
        evaluate=(lambda so_far: correlation(so_far, *gold)) if gold else None,
        curve=curve,
    )
    # The correlation is that of the encoder as it is written: in int8.
    tuned = Encoder(tuned.tokenizer, as_int8(tuned.rows))
    recipe = configuration.as_dict() | {
        "start": fingerprint(encoder),
        "pairs": sha256_of_bytes(json.dumps(pairs).encode()),
    }
    _save(output, tuned, recipe=json.dumps(recipe))
    if gold:
        before, after = (correlation(e, *gold) for e in (encoder, tuned))
        print(f"dev correlation {before:.4f} before, {after:.4f} after")
    print(f"written to {output}", file=sys.stderr)


def _check_output(output: Path, encoder: Encoder) -> None:
    """Fail before the work if the encoder cannot be written there."""
    from embeddings.formats.folder import check_replaceable
    from embeddings.tokenizers.huggingface import HuggingFaceTokenizer

    check_writable(output.absolute().parent)
    if output.suffix != ".safetensors":
        check_replaceable(output)
    elif isinstance(encoder.tokenizer, HuggingFaceTokenizer):
        raise StsError(
            f"{output}: another library's tokenizer cannot be written as one file; name a folder"
        )


def _save(output: Path, encoder: Encoder, **about: str) -> None:
    """One file if the name ends in .safetensors, else a folder."""
    if output.suffix == ".safetensors":
        save_encoder(output, encoder, **about)
    else:
        from embeddings.formats.folder import save_folder

        save_folder(output, encoder, "int8", overwrite=False, **about)


def read_scored_pairs(source: str) -> tuple[list[str], list[str], Scores]:
    """The columns of a file of pairs and scores.

    Raises:
        DataError: a score that is no finite number (with the line).
    """
    left, right, gold = zip(*columns(source, "left right gold"), strict=True)
    scores = [_number(text, f"{source}:{i}") for i, text in enumerate(gold, 1)]
    return list(left), list(right), np.array(scores)


def _number(text: str, place: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"{place}: gold {text!r}; expected a number")
    return number


def correlation(encoder: Encoder, left: list[str], right: list[str], gold: Scores) -> float:
    """Pearson's r of the cosines with the gold scores."""
    from sts.scoring.correlation import pearson

    return pearson(encoder.similarity_pairwise(left, right), gold)


def export(
    model: str,
    output: Path,
    target: str,
    dtype: DType | None,
    *,
    overwrite: bool = False,
    language: str | None = None,
) -> None:
    """Write an encoder, with its metadata, for another library."""
    encoder = load(model, language)
    if not (isinstance(encoder, Encoder) and isinstance(encoder.tokenizer, _EXPORTED)):
        raise StsError(
            f"{model}: made of {type(encoder.tokenizer).__name__} and {type(encoder).__name__}, "
            "which the other libraries cannot read; expected an average of words"
        )
    usual = TARGETS[target]
    if usual is None:
        from embeddings.formats.word2vec import write_word2vec

        if dtype:
            raise StsError(f"--dtype has no meaning with --to {target}; leave it out")
        write_word2vec(output, encoder, binary=target == "gensim")
    else:
        from embeddings.formats.folder import save_folder

        kept = {k: v for k, v in loading.metadata_of(model).items() if k not in _OUR_KEYS}
        save_folder(output, encoder, dtype or usual, overwrite=overwrite, **kept)
    print(f"written to {output}", file=sys.stderr)


_OUR_KEYS = frozenset(
    "format buckets tokenizer path encoder dtype overwrite languages english start".split()
)
"""Metadata that the new file has of its own, and names of the writer's parameters."""


_EXPORTED = (WordTokenizer, HuggingFaceTokenizer)
"""Tokenizers that the other libraries can read."""


def info(model: str, language: str | None = None) -> None:
    """Print the sizes, the fingerprint and the metadata of an encoder."""
    encoder = load(model, language)
    path = loading.find_model(model)
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    known, table = encoder.tokenizer.known, encoder.rows
    pieces = sum(word.startswith(INSIDE) for word in known)
    of_words = isinstance(encoder.tokenizer, _EXPORTED)
    made_of = f"{len(known) - pieces:,} words, {pieces:,} pieces" if of_words else "subwords"
    facts = {
        "model": str(path),
        "rows": f"{len(table):,}: {made_of}, {encoder.tokenizer.buckets:,} hashed",
        "dim": str(encoder.dim),
        "dtype": str(table.values.dtype),
        "bytes": f"{table.values.nbytes + table.scale.nbytes:,} in memory, "
        f"{sum(file.stat().st_size for file in files):,} on disk",
        "fingerprint": fingerprint(encoder),
        **dict(sorted(loading.metadata_of(model).items())),
    }
    width = max(map(len, facts))
    _write((f"{name:{width}}  {fact}" for name, fact in facts.items()), None)
