"""``mine paraphrases``: pairs that mean the same in one file, or between two."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from embeddings.loading import DEFAULT
from embeddings.mining.candidates import mine_paraphrases
from embeddings.mining.commands.mining_options import (
    Options,
    Parser,
    add_mining,
    add_threshold,
    how_to_mine,
    open_corpus,
    write_pairs,
)
from embeddings.mining.concatenated import mining_encoder
from embeddings.mining.corpus_vectors import encode_corpus
from embeddings.mining.ranked_pairs import DIGITS, texts_of
from sts.command_line import count

EXAMPLES = """\
examples:
  python -m embeddings.mining paraphrases questions.txt --top 100
  python -m embeddings.mining paraphrases new.txt --against old.txt -o pairs.tsv --threshold 0.8
  python -m embeddings.mining paraphrases questions.txt --margin ratio -k 8

A line written is sentence<TAB>sentence<TAB>score, the best first: what cut -f 1,2 leaves is
what python -m embeddings train learns from. A sentence that stands in an earlier line of its
file, but for case and punctuation, is passed over.
"""


def add_options(parser: Parser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("file", metavar="FILE", help="sentences, may be .gz")
    add("--against", metavar="OTHER", help="a second file, to pair with the first")
    usual = f"(default: {DEFAULT}, for English)"
    add("--model", default=DEFAULT, metavar="MODEL", help=usual)
    add("--language", metavar="LANG", help="of the sentences, as es")
    add("--top", type=count, default=1000, help="pairs at most (default: 1000)")
    add_threshold(parser)
    add_mining(parser, "absolute")
    parser.set_defaults(run=paraphrases)


def paraphrases(options: Options) -> None:
    """Write the best pairs of one file, or of two, with their score."""
    how = how_to_mine(options)
    files = [options.file, *([options.against] if options.against else [])]
    corpora = [open_corpus(file, options, same=len(files) == 1) for file in files]
    encoder = mining_encoder(options.model, options.language)
    with TemporaryDirectory(prefix="mine-") as folder:
        sides = [
            encode_corpus(corpus, encoder, Path(folder, f"{i}.npy"), distinct=True)
            for i, corpus in enumerate(corpora)
        ]
        against = sides[1].rows if options.against else None
        mined = mine_paraphrases(sides[0].rows, against, top=options.top, **how)
    if options.threshold is not None:
        mined = mined.take(mined.scores >= options.threshold)
    x, y = (sides[i].places[rows].tolist() for i, rows in ((0, mined.source), (-1, mined.target)))
    first, second = texts_of(list(zip(x, y, strict=True)), (corpora[0], corpora[-1]))
    scored = zip(x, y, mined.scores.tolist(), strict=True)
    found = [f"{first[i]}\t{second[j]}\t{score:z.{DIGITS}f}" for i, j, score in scored]
    write_pairs(found, options.output)
