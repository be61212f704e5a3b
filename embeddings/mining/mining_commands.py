"""The commands of ``python -m embeddings.mining``, one function each."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

import numpy as np

from embeddings.formats.lines import columns
from embeddings.mining.bucc import (
    LineFormat,
    PairIds,
    SentenceFile,
    check_gold_pairs,
    open_sentences,
    read_gold_pairs,
    read_mined_pairs,
)
from embeddings.mining.candidates import Candidates, ScoredPairs, mine
from embeddings.mining.concatenated import mining_encoder
from embeddings.mining.corpus_vectors import CorpusVectors, encode_corpus
from embeddings.mining.margin import Margin
from embeddings.mining.paraphrase_mining import mine_paraphrases
from embeddings.mining.synthetic_task import Split, make_task
from embeddings.search.indexes import BLOCK, Search
from sts.errors import DataError, StsError
from sts.files import check_writable, write_lines
from sts.scoring.mined_pairs import MiningScore, best_threshold, score_mined

DIGITS = 6
"""Digits of a score in a file. Thresholds are compared with the rounded scores."""


@dataclass(frozen=True)
class MiningOptions:
    """Options of both kinds of mining, see :func:`embeddings.mining.candidates.mine`."""

    k: int = 4
    margin: Margin = "ratio"
    search: Search | None = None
    block: int = BLOCK


class RankedPair(NamedTuple):
    """A pair: its rounded score, negated so that sorting puts the best first, ids and places."""

    negated: float
    ids: PairIds
    places: tuple[int, int]


def bitext(
    files: tuple[str, str],
    output: Path | None,
    model: str,
    languages: tuple[str | None, str | None],
    options: MiningOptions,
    *,
    kind: LineFormat | None = None,
    candidates: Candidates = "max",
    threshold: float | None = None,
    gold: str | None = None,
    distinct: bool = False,
    texts: bool = False,
) -> None:
    """Write the pairs of two files, the best first; with ``gold``, down to the best threshold."""
    _check_output(output)
    wanted = read_gold_pairs(gold) if gold else {}
    source, target = (_corpus(file, kind, options.k) for file in files)
    if gold:
        check_gold_pairs(wanted, gold, source, target)
    encoders = [mining_encoder(model, language) for language in dict.fromkeys(languages)]
    with TemporaryDirectory(prefix="mine-") as folder:
        sides = [
            encode_corpus(corpus, encoder, Path(folder, name), distinct=distinct)
            for corpus, encoder, name in (
                (source, encoders[0], "source.npy"),
                (target, encoders[-1], "target.npy"),
            )
        ]
        mined = mine(
            sides[0].rows,
            sides[1].rows,
            options.k,
            margin=options.margin,
            candidates=candidates,
            search=options.search,
            block=options.block,
        )
    found = rank_pairs(mined, sides, (source, target))
    if gold:
        threshold = _best_threshold(found, wanted, gold)
    if threshold is not None:
        found = [pair for pair in found if -pair.negated >= threshold]
    _write(list(bitext_lines(found, (source, target), texts=texts)), output)


def _corpus(file: str, kind: LineFormat | None, k: int, *, same: bool = False) -> SentenceFile:
    corpus = open_sentences(file, kind)
    if corpus.filled - same < k:
        raise DataError(
            f"{file}: {corpus.filled} sentences that are not blank are too few for {k} neighbours"
            "; give a smaller -k"
        )
    return corpus


def rank_pairs(
    mined: ScoredPairs, sides: Sequence[CorpusVectors], corpora: Sequence[SentenceFile]
) -> list[RankedPair]:
    """The pairs with their ids, the best first, those of one score by their ids."""
    source, target = (
        side.places[rows].tolist() for side, rows in zip(sides, mined[:2], strict=True)
    )
    scores = np.round(mined.scores, DIGITS).tolist()
    return sorted(
        RankedPair(-score, (corpora[0].ids[x], corpora[1].ids[y]), (x, y))
        for score, x, y in zip(scores, source, target, strict=True)
    )


def _best_threshold(found: Sequence[RankedPair], gold: dict[PairIds, int], name: str) -> float:
    """The threshold with the best F1 on the gold; it is printed on stderr."""
    correct = np.array([pair.ids in gold for pair in found], bool)
    if not correct.any():
        raise StsError(
            f"{name}: none of its {len(gold):,} pairs is among the {len(found):,} mined, so no "
            "threshold can be chosen; is it the gold of these files, and does the model know "
            "both languages?"
        )
    scores = np.array([-pair.negated for pair in found])
    threshold = _rounded(best_threshold(scores, correct, len(gold)))
    passed = scores >= threshold
    score = MiningScore(int(passed.sum()), len(gold), int(correct[passed].sum()))
    print(
        f"--threshold {threshold} is best on {name}: F1 {score.f1:.4f}, "
        f"precision {score.precision:.4f}, recall {score.recall:.4f}",
        file=sys.stderr,
    )
    return threshold


def _rounded(threshold: float) -> float:
    """Rounded to one digit more than a score has, because it lies between two scores."""
    return round(threshold, DIGITS + 1)


def bitext_lines(
    found: Sequence[RankedPair], corpora: Sequence[SentenceFile], *, texts: bool
) -> Iterator[str]:
    """A line for each pair: its ids, its score and, with ``texts``, the sentences."""
    sentences = _texts([pair.places for pair in found], corpora) if texts else None
    for pair in found:
        cells = [*pair.ids, f"{-pair.negated:z.{DIGITS}f}"]
        if sentences:
            cells += [sentences[0][pair.places[0]], sentences[1][pair.places[1]]]
        yield "\t".join(cells)


def _texts(
    places: Sequence[tuple[int, int]], corpora: Sequence[SentenceFile]
) -> tuple[dict[int, str], dict[int, str]]:
    first, second = ({pair[i] for pair in places} for i in range(2))
    return corpora[0].texts(first), corpora[1].texts(second)


def score(file: str, gold: str, threshold: float | Literal["best"] | None) -> None:
    """Print precision, recall and F1 of a mined file."""
    pairs, scores = read_mined_pairs(file)
    wanted = read_gold_pairs(gold)
    correct = np.array([pair in wanted for pair in pairs], bool)
    if not correct.any() and any((target, source) in wanted for source, target in pairs):
        raise DataError(f"{gold}: source and target are the other way round than in {file}")
    if threshold == "best":
        if not correct.any():
            raise StsError(f"{file}: no pair of {gold} is in it, so no threshold is the best")
        threshold = _rounded(best_threshold(scores, correct, len(wanted)))
    if threshold is not None:
        pairs = [pair for pair, passed in zip(pairs, scores >= threshold, strict=True) if passed]
    result = score_mined(pairs, wanted)
    figures = {
        "pairs": f"{result.mined:,}",
        "gold": f"{result.gold:,}",
        "correct": f"{result.correct:,}",
        "precision": f"{result.precision:.4f}",
        "recall": f"{result.recall:.4f}",
        "F1": f"{result.f1:.4f}",
        **({} if threshold is None else {"threshold": str(threshold)}),
    }
    for name, figure in figures.items():
        print(f"{name:9}  {figure:>9}")


def paraphrases(
    file: str,
    against: str | None,
    output: Path | None,
    model: str,
    language: str | None,
    options: MiningOptions,
    *,
    kind: LineFormat | None = None,
    top: int,
    threshold: float | None = None,
) -> None:
    """Write the best pairs of one file, or of two, with their score."""
    _check_output(output)
    files = [file] if against is None else [file, against]
    corpora = [_corpus(one, kind, options.k, same=against is None) for one in files]
    encoder = mining_encoder(model, language)
    with TemporaryDirectory(prefix="mine-") as folder:
        sides = [
            encode_corpus(corpus, encoder, Path(folder, f"{i}.npy"), distinct=True)
            for i, corpus in enumerate(corpora)
        ]
        mined = mine_paraphrases(
            sides[0].rows,
            sides[1].rows if against else None,
            options.k,
            top=top,
            margin=options.margin,
            search=options.search,
            block=options.block,
        )
    if threshold is not None:
        mined = mined.take(mined.scores >= threshold)
    x, y = (sides[i].places[rows].tolist() for i, rows in ((0, mined.source), (-1, mined.target)))
    first, second = _texts(list(zip(x, y, strict=True)), (corpora[0], corpora[-1]))
    scored = zip(x, y, mined.scores.tolist(), strict=True)
    _write([f"{first[i]}\t{second[j]}\t{score:z.{DIGITS}f}" for i, j, score in scored], output)


def plant(
    pairs: str,
    unrelated: Sequence[str],
    prefix: Path,
    languages: tuple[str, str],
    *,
    share: float,
    split: Split | None,
    shortest: int,
    seed: int,
) -> None:
    """Write a mining task: PREFIX.first, PREFIX.second and PREFIX.gold."""
    outputs = [Path(f"{prefix}.{end}") for end in (*languages, "gold")]
    for output in outputs:
        _check_output(output)
    task = make_task(
        _pairs(pairs),
        [_pairs(file) for file in unrelated],
        share=share,
        split=split,
        shortest=shortest,
        seed=seed,
    )
    for output, language, side in zip(outputs, languages, (task.first, task.second), strict=False):
        write_lines(output, (f"{_id(language, i)}\t{text}" for i, text in enumerate(side)))
    gold = [(_id(languages[1], y), _id(languages[0], x)) for x, y in task.gold]
    write_lines(outputs[2], ("\t".join(pair) for pair in sorted(gold)))
    count, whole = len(task.gold), len(task.first)
    print(
        f"{count:,} pairs planted among {whole:,} sentences of each side ({count / whole:.2%}): "
        f"{', '.join(map(str, outputs))}",
        file=sys.stderr,
    )


def _pairs(file: str) -> list[tuple[str, str]]:
    return [(first, second) for first, second in columns(file, "first second")]


def _id(language: str, place: int) -> str:
    """The id of a sentence, counted from 1 as in BUCC."""
    return f"{language}-{place + 1:09d}"


def _check_output(output: Path | None) -> None:
    """Fail before the work rather than after it."""
    if output:
        check_writable(output.absolute().parent)
        if output.exists() and not output.is_file():
            raise StsError(f"{output}: not a regular file; give --output another")


def _write(out: list[str], output: Path | None) -> None:
    """Write lines to a file, whole or not at all, or to stdout."""
    if output:
        write_lines(output, out)
        print(f"{len(out):,} pairs written to {output}", file=sys.stderr)
    else:
        for line in out:
            print(line)
