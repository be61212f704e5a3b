"""``mine paraphrases``: pairs that mean the same in one file, or between two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from embeddings.bitext.identifying import note_languages
from embeddings.loading import DEFAULT, ENGLISH
from embeddings.mining.bucc import SentenceFile
from embeddings.mining.candidates import ScoredPairs, mine_paraphrases, remove_work
from embeddings.mining.commands.mining_options import (
    Options,
    Parser,
    add_mining,
    add_threshold,
    how_to_mine,
    keep_within,
    open_corpus,
    write_pairs,
)
from embeddings.mining.concatenated import mining_encoder, parts_of
from embeddings.mining.corpus_vectors import encode_corpus
from embeddings.mining.indexes import Rows
from embeddings.mining.ranked_pairs import DIGITS, texts_of
from sts.command_line import count
from sts.errors import StsError
from sts.files import temporary_folder
from sts.progress import note
from sts.text.not_english import watching

EXAMPLES = """\
examples:
  python -m embeddings.mining paraphrases questions.txt --top 100
  python -m embeddings.mining paraphrases new.txt --against old.txt -o pairs.tsv --threshold 0.8
  python -m embeddings.mining paraphrases questions.txt --margin ratio -k 8

A line written is sentence<TAB>sentence<TAB>score<TAB>id<TAB>id, the best first, the ids being line
numbers where the file has none: what cut -f 1,2 leaves is what python -m embeddings train learns
from. A sentence that stands in an earlier line of its file, but for case and punctuation, is passed
over and counted; --copies writes it first, with the sentence that it repeats and a score of 1.

A sentence is paired with its -k nearest. To find all pairs above a cosine, and groups of them:
python -m embeddings.mining duplicates
"""

USUAL_TOP = 1000
"""Pairs that are written if neither a number nor a threshold is given."""


def add_options(parser: Parser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("file", metavar="FILE", help="sentences, may be .gz")
    add("--against", metavar="OTHER", help="a second file, to pair with the first")
    usual = f"that encodes (default: {DEFAULT}, for English)"
    add("--model", default=DEFAULT, metavar="MODEL", help=usual)
    add("--language", metavar="LANG", help="of the sentences, as es; or auto")
    most = f"pairs at most (default: all with --threshold, otherwise {USUAL_TOP})"
    add("--top", type=count, metavar="N", help=most)
    add("--copies", action="store_true", help="write the lines that repeat one, too")
    add("--no-ids", action="store_true", help="leave out the ids, as before version 0.2")
    add_threshold(parser)
    add_mining(parser, "absolute")
    parser.set_defaults(run=paraphrases)


def paraphrases(options: Options) -> None:
    """Write the best pairs of one file, or of two, with their score and ids."""
    if options.copies and (options.against or options.margin != "absolute"):
        raise StsError("--copies is for one file and the cosine; leave out --against and --margin")
    how = how_to_mine(options)
    files = [options.file, *([options.against] if options.against else [])]
    corpora = [open_corpus(file, options, fewest=3 - len(files)) for file in files]
    encoder = mining_encoder(options.model, options.language)
    with (
        temporary_folder("mining") as folder,
        watching(options.model, ENGLISH, "--language") as seen,
    ):
        sides = [
            encode_corpus(corpus, encoder, folder / f"{i}.npy", distinct=True, seen=seen)
            for i, corpus in enumerate(corpora)
        ]
        note_languages(parts_of(encoder), options.model, "--language")
        keep_within(options, how, sides)
        mined = _mine([side.rows for side in sides], how)
    if options.threshold is not None:
        mined = mined.take(mined.scores >= options.threshold)
        _note_more(mined, how["k"], options.threshold)
    top = options.top or (USUAL_TOP if options.threshold is None else None)
    if top is not None and top < len(mined.scores):
        note(
            f"{top:,} of {len(mined.scores):,} pairs are written; --top N or --threshold gives more"
        )
        mined = mined.take(slice(top))
    x, y = (sides[i].places[rows].tolist() for i, rows in ((0, mined.source), (-1, mined.target)))
    scored = list(zip(x, y, mined.scores.tolist(), strict=True))
    if options.copies:
        scored[:0] = [(first, place, 1.0) for place, first in sides[0].copies.items()]
    elif copies := sum(len(side.copies) for side in sides):
        some = "1 line repeats" if copies == 1 else f"{copies:,} lines repeat"
        note(f"{some} an earlier one; passed over, see --copies")
    write_pairs(list(_lines(scored, corpora, ids=not options.no_ids)), options.output)
    if options.work:
        remove_work(options.work)


def _mine(rows: list[Rows], how: dict[str, Any]) -> ScoredPairs:
    """All pairs of neighbours; ``how["k"]`` is lowered to what there is, which is noted."""
    there = min(map(len, rows)) - (len(rows) == 1)
    if there < how["k"]:
        note(f"-k {how['k']}: there are {max(there, 0)} neighbours; all are compared")
        how["k"] = there
    if there < 1:
        none = np.empty(0, np.int64)
        return ScoredPairs(none, none, np.empty(0))
    return mine_paraphrases(rows[0], rows[1] if len(rows) > 1 else None, **how)


def _note_more(mined: ScoredPairs, k: int, threshold: float) -> None:
    """Note that a sentence with k pairs may have more."""
    counts = [np.bincount(side) for side in (mined.source, mined.target)]
    full = int((counts[0] >= k).sum() + (counts[1] >= k).sum())
    if full:
        note(
            f"{full:,} sentences have {k} pairs or more above {threshold:g}: a larger -k may find "
            "more, and mine duplicates --pairs finds all"
        )


def _lines(
    scored: list[tuple[int, int, float]], corpora: Sequence[SentenceFile], *, ids: bool
) -> Iterator[str]:
    one, other = corpora[0], corpora[-1]
    first, second = texts_of([(i, j) for i, j, _ in scored], (one, other))
    for i, j, score in scored:
        line = f"{first[i]}\t{second[j]}\t{score:z.{DIGITS}f}"
        yield f"{line}\t{one.ids[i]}\t{other.ids[j]}" if ids else line
