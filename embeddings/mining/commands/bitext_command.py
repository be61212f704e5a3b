"""``mine bitext``: translations of each other in two files."""

from __future__ import annotations

from typing import get_args

from embeddings.bitext.identifying import note_languages
from embeddings.loading import ENGLISH
from embeddings.mining.bucc import check_gold_pairs, read_gold_pairs
from embeddings.mining.candidates import Candidates, mine, remove_work
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
from embeddings.mining.ranked_pairs import bitext_lines, rank_pairs, threshold_on_gold
from sts.errors import StsError
from sts.files import temporary_folder
from sts.text.not_english import watching

EXAMPLES = """\
examples:
  python -m embeddings.mining bitext es.txt en.txt --model MODEL --threshold 1.1 --texts
  python -m embeddings.mining bitext news.es news.en -o pairs.tsv \\
      --model bitext-teacher+bitext-sp --source-language es --target-language en
  python -m embeddings.mining bitext zh-en.dev.zh zh-en.dev.en -o pairs.tsv --model MODEL \\
      --source-language zh --target-language en --gold zh-en.dev.gold
  python -m embeddings.mining bitext large.es large.en -o pairs.tsv --model MODEL \\
      --search ivf --memory 4GB --work unfinished

A corpus has lines id<TAB>sentence as in BUCC, or plain sentences, whose ids are then the line
numbers. A line written is source-id<TAB>target-id<TAB>score, the best first, those of one score
by their ids. --gold has lines source-id<TAB>target-id and chooses the threshold with the best
F1 on it, told on stderr: a figure on that gold is flattered, so judge on other files, with
--threshold.

Vectors lie in a temporary file (4 bytes a number; TMPDIR says where) and are read block by
block. exact compares all with all; ivf only those in the nearest clusters, several times
quicker, and misses some. The more memory, the quicker. A command that was stopped goes on where
it was if it has a --work folder, and writes the same bytes.
"""


def add_options(parser: Parser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("source", metavar="SOURCE", help="a corpus, may be .gz")
    add("target", metavar="TARGET", help="the corpus of the other language")
    add("--model", required=True, metavar="MODEL", help="that knows both; A+B joins two")
    for side in ("source", "target"):
        add(f"--{side}-language", metavar="LANG", help=f"of {side.upper()}, as es; or auto")
    both = "the same for both, as --languages es en"
    add("--languages", nargs=2, metavar=("SOURCE", "TARGET"), help=both)
    add(
        "--candidates",
        choices=get_args(Candidates),
        default="max",
        help="max takes the best of both directions, each sentence once (default); intersection "
        "what both agree on; forward and backward the best of each sentence of one side",
    )
    cut = parser.add_mutually_exclusive_group()
    add_threshold(cut)
    cut.add_argument("--gold", metavar="FILE", help="choose the threshold on these pairs")
    add(
        "--distinct",
        action="store_true",
        help="pass over sentences that stand in an earlier line of their file, but for case and "
        "punctuation: a translation that is there often is no nearer than its neighbours",
    )
    add("--texts", action="store_true", help="add the sentences to each line")
    add_mining(parser, "ratio")
    parser.set_defaults(run=bitext)


def bitext(options: Options) -> None:
    """Write the pairs of two files, the best first; with ``gold``, down to the best threshold."""
    how = how_to_mine(options)
    gold = read_gold_pairs(options.gold) if options.gold else {}
    corpora = [
        open_corpus(file, options, fewest=options.k) for file in (options.source, options.target)
    ]
    if options.gold:
        check_gold_pairs(gold, options.gold, *corpora)
    languages = _languages(options)
    encoders = [mining_encoder(options.model, code) for code in dict.fromkeys(languages)]
    with (
        temporary_folder("mining") as folder,
        watching(options.model, ENGLISH, "--languages") as seen,
    ):
        sides = [
            encode_corpus(corpus, encoder, folder / name, distinct=options.distinct, seen=seen)
            for corpus, encoder, name in zip(
                corpora, (encoders[0], encoders[-1]), ("source.npy", "target.npy"), strict=True
            )
        ]
        parts = [part for encoder in encoders for part in parts_of(encoder)]
        note_languages(parts, options.model, "--languages", languages)
        keep_within(options, how, sides)
        mined = mine(sides[0].rows, sides[1].rows, candidates=options.candidates, **how)
    found = rank_pairs(mined, sides, corpora)
    threshold = options.threshold
    if options.gold:
        threshold = threshold_on_gold(found, gold, options.gold)
    if threshold is not None:
        found = [pair for pair in found if -pair.negated >= threshold]
    write_pairs(list(bitext_lines(found, corpora, texts=options.texts)), options.output)
    if options.work:
        remove_work(options.work)


def _languages(options: Options) -> tuple[str | None, str | None]:
    named = options.source_language, options.target_language
    if options.languages and named != (None, None):
        raise StsError("--languages names both sides; leave out the options for one of them")
    return tuple(options.languages) if options.languages else named
