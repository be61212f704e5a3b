"""The command line of mining: ``python -m embeddings.mining``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

import numpy as np

from embeddings.formats.lines import columns, write_out
from embeddings.loading import DEFAULT
from embeddings.mining.bucc import (
    LineFormat,
    SentenceFile,
    check_gold_pairs,
    open_sentences,
    read_gold_pairs,
    read_mined_pairs,
)
from embeddings.mining.candidates import Candidates, Margin, mine, mine_paraphrases
from embeddings.mining.concatenated import mining_encoder
from embeddings.mining.corpus_vectors import encode_corpus
from embeddings.mining.indexes import BLOCK, Ivf
from embeddings.mining.ranked_pairs import (
    DIGITS,
    bitext_lines,
    rank_pairs,
    rounded,
    texts_of,
    threshold_on_gold,
)
from embeddings.mining.synthetic_task import SHARE, SHORTEST, Split, make_task
from sts.command_line import command_line, count, run_tool
from sts.errors import DataError, StsError
from sts.files import check_writable, write_lines
from sts.scoring.mined_pairs import best_threshold, score_mined

Parser = argparse.ArgumentParser
Options = argparse.Namespace

EXAMPLES = {
    "": """\
examples:
  python -m embeddings.mining bitext news.es news.en -o pairs.tsv --model MODEL \\
      --source-language es --target-language en --threshold 1.1 --texts
  python -m embeddings.mining paraphrases questions.txt --top 100

a task to try it on, with the threshold chosen on one half and judged on the other:
  python -m embeddings.mining plant ntrex.en-es.tsv.gz --unrelated news.en-es.tsv.gz \\
      --languages en,es --split dev -o dev        # and --split test -o test
  python -m embeddings.mining bitext dev.es dev.en --gold dev.gold -o dev.pairs --model MODEL
  python -m embeddings.mining bitext test.es test.en --threshold T -o test.pairs --model MODEL
  python -m embeddings.mining score test.pairs --gold test.gold
""",
    "bitext": """\
examples:
  python -m embeddings.mining bitext es.txt en.txt --model MODEL --threshold 1.1 --texts
  python -m embeddings.mining bitext news.es news.en -o pairs.tsv \\
      --model bitext-teacher+bitext-sp --source-language es --target-language en
  python -m embeddings.mining bitext zh-en.dev.zh zh-en.dev.en -o pairs.tsv --model MODEL \\
      --source-language zh --target-language en --gold zh-en.dev.gold
  python -m embeddings.mining bitext large.es large.en -o pairs.tsv --model MODEL --search ivf

A corpus has lines id<TAB>sentence as in BUCC, or plain sentences, whose ids are then the line
numbers. A line written is source-id<TAB>target-id<TAB>score, the best first, those of one score
by their ids. --gold has lines source-id<TAB>target-id and chooses the threshold with the best
F1 on it, told on stderr: a figure on that gold is flattered, so judge on other files, with
--threshold.

Vectors lie in a temporary file (4 bytes a number; TMPDIR says where) and are read block by
block. exact compares all with all; ivf only those in the nearest clusters, several times
quicker, and misses some.
""",
    "score": """\
examples:
  python -m embeddings.mining score pairs.tsv --gold test.gold
  python -m embeddings.mining score pairs.tsv --gold test.gold --threshold 1.1
  python -m embeddings.mining score pairs.tsv --gold dev.gold --threshold best

A pair is correct if it is in the gold; all others are wrong. best is the threshold with the
highest F1 on this very gold: use it to choose, not to judge.
""",
    "paraphrases": """\
examples:
  python -m embeddings.mining paraphrases questions.txt --top 100
  python -m embeddings.mining paraphrases new.txt --against old.txt -o pairs.tsv --threshold 0.8
  python -m embeddings.mining paraphrases questions.txt --margin ratio -k 8

A line written is sentence<TAB>sentence<TAB>score, the best first: what cut -f 1,2 leaves is
what python -m embeddings train learns from. A sentence that stands in an earlier line of its
file, but for case and punctuation, is passed over.
""",
    "plant": """\
examples:
  python -m embeddings.mining plant ntrex.en-es.tsv.gz --unrelated news.en-es.tsv.gz \\
      --languages en,es --split dev -o dev

writes dev.en, dev.es and dev.gold as BUCC does. PAIRS are planted; of the pairs in --unrelated
one half gives the sentences of the first language, the other half those of the second, so that
none has its translation. Sentences that stand anywhere twice are left out. The same command
draws the same; dev and test share nothing.
""",
}


def parse(arguments: list[str] | None = None) -> Options:
    """The command line."""
    parser, command = command_line(
        "python -m embeddings.mining",
        "Find pairs of sentences that mean the same, by their vectors.",
        EXAMPLES,
    )
    _add_bitext(command("bitext", "find translations of each other in two files"))
    _add_score(command("score", "compare mined pairs with gold pairs"))
    _add_paraphrases(command("paraphrases", "find paraphrases in one file, or between two"))
    _add_plant(command("plant", "make a mining task from bitext, with gold"))
    return parser.parse_args(arguments)


def main() -> None:
    """Parse the command line and run the command."""
    options = parse()
    options.run(options)


def _add_bitext(parser: Parser) -> None:
    add = parser.add_argument
    add("source", metavar="SOURCE", help="a corpus, may be .gz")
    add("target", metavar="TARGET", help="the corpus of the other language")
    add("--model", required=True, metavar="MODEL", help="that knows both; A+B joins two")
    for side in ("source", "target"):
        add(f"--{side}-language", metavar="LANG", help=f"of {side.upper()}, as es")
    add(
        "--candidates",
        choices=get_args(Candidates),
        default="max",
        help="max takes the best of both directions, each sentence once (default); intersection "
        "what both agree on; forward and backward the best of each sentence of one side",
    )
    cut = parser.add_mutually_exclusive_group()
    _add_threshold(cut)
    cut.add_argument("--gold", metavar="FILE", help="choose the threshold on these pairs")
    add(
        "--distinct",
        action="store_true",
        help="pass over sentences that stand in an earlier line of their file, but for case and "
        "punctuation: a translation that is there often is no nearer than its neighbours",
    )
    add("--texts", action="store_true", help="add the sentences to each line")
    _add_mining(parser, "ratio")
    parser.set_defaults(run=bitext)


def bitext(options: Options) -> None:
    """Write the pairs of two files, the best first; with ``gold``, down to the best threshold."""
    how = _how_to_mine(options)
    gold = read_gold_pairs(options.gold) if options.gold else {}
    corpora = [_corpus(file, options) for file in (options.source, options.target)]
    if options.gold:
        check_gold_pairs(gold, options.gold, *corpora)
    languages = dict.fromkeys((options.source_language, options.target_language))
    encoders = [mining_encoder(options.model, language) for language in languages]
    with TemporaryDirectory(prefix="mine-") as folder:
        sides = [
            encode_corpus(corpus, encoder, Path(folder, name), distinct=options.distinct)
            for corpus, encoder, name in zip(
                corpora, (encoders[0], encoders[-1]), ("source.npy", "target.npy"), strict=True
            )
        ]
        mined = mine(sides[0].rows, sides[1].rows, candidates=options.candidates, **how)
    found = rank_pairs(mined, sides, corpora)
    threshold = options.threshold
    if options.gold:
        threshold = threshold_on_gold(found, gold, options.gold)
    if threshold is not None:
        found = [pair for pair in found if -pair.negated >= threshold]
    _write(list(bitext_lines(found, corpora, texts=options.texts)), options.output)


def _add_score(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="PAIRS", help="source-id<TAB>target-id<TAB>score a line")
    add("--gold", required=True, metavar="GOLD", help="source-id<TAB>target-id")
    lowest = "lowest score to count, or best"
    add("--threshold", type=_threshold, metavar="SCORE", help=lowest)
    parser.set_defaults(run=score)


def score(options: Options) -> None:
    """Print precision, recall and F1 of a mined file."""
    file, gold, threshold = options.file, options.gold, options.threshold
    pairs, scores = read_mined_pairs(file)
    wanted = read_gold_pairs(gold)
    correct = np.array([pair in wanted for pair in pairs], bool)
    if not correct.any() and any((target, source) in wanted for source, target in pairs):
        raise DataError(f"{gold}: source and target are the other way round than in {file}")
    if threshold == "best":
        if not correct.any():
            raise StsError(f"{file}: no pair of {gold} is in it, so no threshold is the best")
        threshold = rounded(best_threshold(scores, correct, len(wanted)))
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


def _add_paraphrases(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="sentences, may be .gz")
    add("--against", metavar="OTHER", help="a second file, to pair with the first")
    usual = f"(default: {DEFAULT}, for English)"
    add("--model", default=DEFAULT, metavar="MODEL", help=usual)
    add("--language", metavar="LANG", help="of the sentences, as es")
    add("--top", type=count, default=1000, help="pairs at most (default: 1000)")
    _add_threshold(parser)
    _add_mining(parser, "absolute")
    parser.set_defaults(run=paraphrases)


def paraphrases(options: Options) -> None:
    """Write the best pairs of one file, or of two, with their score."""
    how = _how_to_mine(options)
    files = [options.file, *([options.against] if options.against else [])]
    corpora = [_corpus(file, options, same=len(files) == 1) for file in files]
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
    _write(found, options.output)


def _add_plant(parser: Parser) -> None:
    add = parser.add_argument
    add("pairs", metavar="PAIRS", help="first<TAB>second a line, may be .gz")
    add("--unrelated", nargs="+", required=True, metavar="FILE", help="other such pairs")
    add(
        "--languages",
        type=_languages,
        required=True,
        metavar="FIRST,SECOND",
        help="of the columns: names of the files and of the ids",
    )
    add("-o", "--output", type=Path, required=True, metavar="PREFIX")
    planted = f"of the sentences of a side that are planted (default: {SHARE})"
    add("--share", type=_share, default=SHARE, help=planted)
    add("--split", choices=get_args(Split), help="one half (default: everything)")
    add("--shortest", type=count, default=SHORTEST, help=f"words (default: {SHORTEST})")
    add("--seed", type=int, default=0, help="(default: 0)")
    parser.set_defaults(run=plant)


def plant(options: Options) -> None:
    """Write a mining task: PREFIX.first, PREFIX.second and PREFIX.gold."""
    languages = options.languages
    outputs = [Path(f"{options.output}.{end}") for end in (*languages, "gold")]
    for output in outputs:
        _check_output(output)
    planted, *unrelated = (
        [(first, second) for first, second in columns(file, "first second")]
        for file in (options.pairs, *options.unrelated)
    )
    task = make_task(
        planted,
        unrelated,
        share=options.share,
        split=options.split,
        shortest=options.shortest,
        seed=options.seed,
    )
    for output, language, side in zip(outputs, languages, (task.first, task.second), strict=False):
        write_lines(output, (f"{_id(language, i)}\t{text}" for i, text in enumerate(side)))
    gold = [(_id(languages[1], y), _id(languages[0], x)) for x, y in task.gold]
    write_lines(outputs[2], ("\t".join(pair) for pair in sorted(gold)))
    pairs, whole = len(task.gold), len(task.first)
    print(
        f"{pairs:,} pairs planted among {whole:,} sentences of each side ({pairs / whole:.2%}): "
        f"{', '.join(map(str, outputs))}",
        file=sys.stderr,
    )


def _id(language: str, place: int) -> str:
    """The id of a sentence, counted from 1 as in BUCC."""
    return f"{language}-{place + 1:09d}"


def _add_threshold(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--threshold", type=_finite, metavar="SCORE", help="lowest to be written")


def _add_mining(parser: Parser, margin: Margin) -> None:
    add = parser.add_argument
    add("-o", "--output", type=Path, help="file (default: stdout)")
    found = "(default: bucc if the first line has an id)"
    add("--format", choices=get_args(LineFormat), help=found)
    add(
        "--margin",
        choices=get_args(Margin),
        default=margin,
        help="the score: absolute is the cosine, ratio and distance compare it with those of the "
        f"neighbours (default: {margin})",
    )
    add("-k", type=count, default=4, help="neighbours (default: 4)")
    add("--search", choices=["exact", "ivf"], default="exact", help="(default: exact)")
    add("--clusters", type=count, help="of ivf (default: 2 √sentences)")
    add("--probe", type=count, help="clusters looked into (default: 32)")
    held = f"vectors of each side in memory (default: {BLOCK})"
    add("--block", type=count, default=BLOCK, metavar="ROWS", help=held)


def _how_to_mine(options: Options) -> dict[str, Any]:
    """The options of both kinds of mining, for their functions; the output is checked too."""
    ivf = options.search == "ivf"
    if not ivf and (options.clusters or options.probe):
        raise StsError(
            "--clusters and --probe have no meaning without --search ivf; leave them out"
        )
    if options.output:
        _check_output(options.output)
    search = Ivf(options.clusters, options.probe) if ivf else None
    return {"k": options.k, "margin": options.margin, "search": search, "block": options.block}


def _check_output(output: Path) -> None:
    """Fail before the work rather than after it."""
    check_writable(output.absolute().parent)
    if output.exists() and not output.is_file():
        raise StsError(f"{output}: not a regular file; give --output another")


def _corpus(file: str, options: Options, *, same: bool = False) -> SentenceFile:
    corpus = open_sentences(file, options.format)
    if corpus.filled - same < options.k:
        raise DataError(
            f"{file}: {corpus.filled} sentences that are not blank are too few for {options.k} "
            "neighbours; give a smaller -k"
        )
    return corpus


def _write(out: list[str], output: Path | None) -> None:
    write_out(out, output)
    if output:
        print(f"{len(out):,} pairs written to {output}", file=sys.stderr)


def _finite(text: str) -> float:
    number = float(text)
    if not np.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text}; expected a number")
    return number


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected a share between 0 and 1")
    return number


def _threshold(text: str) -> float | Literal["best"]:
    return "best" if text == "best" else _finite(text)


def _languages(text: str) -> tuple[str, str]:
    first, _, second = text.partition(",")
    if not (first.isalnum() and second.isalnum()) or first == second or "gold" in (first, second):
        raise argparse.ArgumentTypeError(f"{text!r}; expected two, as en,es")
    return first, second


if __name__ == "__main__":
    run_tool(main)
