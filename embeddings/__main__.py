"""The command line of the encoders: ``python -m embeddings``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from embeddings import loading
from embeddings.bitext.identifying import note_languages
from embeddings.encoder import SentenceEncoder
from embeddings.formats.export import TARGETS, export_model
from embeddings.formats.fingerprint import facts_of, fingerprint
from embeddings.formats.lines import utf8_batches, write_out
from embeddings.loading import BUNDLED, DEFAULT, ENGLISH, load
from embeddings.mining.commands.similar_command import EXAMPLES as SIMILAR
from embeddings.mining.commands.similar_command import (
    add_model,
    add_pairs,
    add_similar,
    reading,
    sides_of,
)
from embeddings.pretraining.masked_language_model.adapt import EXAMPLES as ADAPT
from embeddings.pretraining.masked_language_model.adapt import add_adapt
from embeddings.table import Vectors
from embeddings.training.pairs.corpora import keep_useful_round_trips
from embeddings.training.pairs.train_command import EXAMPLES as TRAIN
from embeddings.training.pairs.train_command import add_train
from embeddings.transformer.fine_tuning.cross_encoders.folders import (
    network_of,
    scores_pairs,
)
from embeddings.transformer.fine_tuning.tuning_command.tune import EXAMPLES as TUNE
from embeddings.transformer.fine_tuning.tuning_command.tune import add_tune
from sts.command_line import command_line, count, run_tool
from sts.data.tables.pair_options import add_format
from sts.data.tables.table_writer import on_a_line
from sts.data.tables.text_rows import read_texts
from sts.errors import StsError
from sts.files import check_distinct, check_writable
from sts.progress import Bar
from sts.text.languages_found import AUTO
from sts.text.not_english import NotEnglish

Parser = argparse.ArgumentParser
Options = argparse.Namespace

EXAMPLES = {
    "": """\
examples:
  python -m embeddings encode sentences.txt -o vectors.npy
  printf 'A cat sat.\\tA cat was sitting.\\n' | python -m embeddings similar -
  python -m embeddings similar questions.txt --against answers.txt -k 3
  python -m embeddings train pairs.tsv -o tuned.safetensors --dev dev.tsv
  python -m embeddings export paragram -o model --to sentence-transformers
  python -m embeddings info

A MODEL is a bundled name, a .safetensors file of ours, word2vec or GloVe vectors, or
a folder: ours, model2vec's, a StaticEmbedding of sentence-transformers, or a BERT's.
""",
    "encode": """\
examples:
  python -m embeddings encode sentences.txt -o vectors.npy
  zcat many.txt.gz | python -m embeddings encode - -o vectors.npy --model tuned.safetensors
  python -m embeddings encode questions.csv --text question -o vectors.npy
  python -m embeddings encode spanish.txt -o vectors.npy --model bitext-teacher --language es

FILE has a sentence a line, or is CSV, TSV, lines of JSON or Parquet; gzip too. Sentence i is row i of
the array: numpy.load('vectors.npy', mmap_mode='r'). A blank one is a row of zeros.
""",
    "similar": SIMILAR,
    "keep": """\
examples:
  python -m sts.translation roundtrip FILE --pivot es | python -m embeddings keep - -o OUT.tsv
  python -m embeddings keep pairs.tsv --lowest 0.6 --highest 0.95

For paraphrases: pairs of the same words teach nothing and are left out too; pairs below the
band have lost the meaning. Counts are printed on stderr.
""",
    "train": TRAIN,
    "tune": TUNE,
    "adapt": ADAPT,
    "export": """\
examples:
  python -m embeddings export paragram -o model --to sentence-transformers
  python -m embeddings export tuned.safetensors -o vectors.bin --to gensim
  python -m embeddings export bitext-teacher --language es -o spanish --to model2vec

then, in Python:
  folder, model2vec      model2vec.StaticModel.from_pretrained('model')
  sentence-transformers  sentence_transformers.SentenceTransformer('model')
  gensim                 KeyedVectors.load_word2vec_format('vectors.bin', binary=True)
  word2vec               the same as text, without binary=True

file is one .safetensors file of ours, int8 or, at half the size, int4; the last two write a file,
too. The others are one folder, which python -m embeddings reads as well; their usual --dtype is
int8, int8 and float32. Words that only a hashed row knows are unknown to the other libraries.
""",
    "info": """\
examples:
  python -m embeddings info
  python -m embeddings info tuned.safetensors
  python -m embeddings info bitext-teacher --language es
""",
}


def parse(arguments: list[str] | None = None) -> Options:
    """The command line."""
    parser, command = command_line(
        "python -m embeddings",
        "Sentence vectors by averaging words: encode, compare, train, export.",
        EXAMPLES,
    )
    _add_encode(command("encode", "write the vectors of sentences, one a line"))
    add_similar(command("similar", "write cosines of pairs, or the nearest lines of a list"))
    _add_keep(command("keep", "keep the pairs whose cosine lies in a band"))
    add_train(command("train", "tune a model on pairs that mean the same"))
    add_tune(command("tune", "train a transformer on pairs with gold"))
    add_adapt(command("adapt", "train a transformer on raw text"))
    _add_export(command("export", "write a model for another library"))
    _add_info(command("info", "show the sizes and the metadata of a model"))
    return parser.parse_args(arguments)


def main() -> None:
    """Parse the command line and run the command."""
    options = parse()
    options.run(options)


def _add_language(parser: Parser) -> None:
    about = "code, for a model of several languages"
    parser.add_argument("--language", type=_one_language, help=about)


def _one_language(text: str) -> str:
    if text == AUTO:
        raise argparse.ArgumentTypeError(f"{text}; expected the code of one language")
    return text


def _add_encode(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="one sentence a line, or a table; - is stdin")
    add("--text", metavar="COL", help="column of the sentences; a number without a header")
    add_format(parser)
    add("-o", "--output", type=Path, required=True, metavar="OUT.npy", help="(n, dim) float32")
    add("--batch", type=count, default=65536, metavar="N", help="lines at once (default: 65536)")
    add("--language", help="code, for a model of several; auto identifies that of each line")
    add_model(parser, BUNDLED)
    parser.set_defaults(run=encode)


def encode(options: Options) -> None:
    """Write the vectors of all lines as an (n, dim) float32 .npy file."""
    from embeddings.formats.numpy_file import write_rows

    output = options.output
    check_distinct(options.file, output)
    encoder = load(options.model, options.language, "--language")
    check_writable(output.absolute().parent)
    seen = NotEnglish()
    with Bar("vectors", "sentences") as bar:

        def batches() -> Iterator[Vectors]:
            for sentences, beyond_ascii in _sentences(options):
                if options.model in ENGLISH:
                    seen.count_few(sentences, beyond_ascii)
                yield encoder.encode(sentences)
                bar.update(len(sentences))

        written = write_rows(output, encoder.dim, batches())
    seen.note(options.model, "--language")
    note_languages([encoder], options.model, "--language")
    print(f"{written:,} vectors of {encoder.dim} numbers written to {output}", file=sys.stderr)


def _sentences(options: Options) -> Iterator[tuple[Sequence[str], Iterable[int]]]:
    """The sentences of a file, some at a time, and the places of those beyond ASCII."""
    how = reading(options, options.text)
    if how.is_plain(options.file):
        for some in utf8_batches(options.file, options.batch):
            yield some, some.beyond_ascii()
        return
    texts = read_texts(options.file, how)
    while rows := list(islice(texts, options.batch)):
        yield rows, (i for i, text in enumerate(rows) if not text.isascii())


def _add_keep(parser: Parser) -> None:
    add_pairs(parser)
    parser.add_argument("--lowest", type=float, default=0.5, help="cosine (default: 0.5)")
    parser.add_argument("--highest", type=float, default=1.0, help="cosine (default: 1)")
    add_model(parser, ENGLISH)
    parser.set_defaults(run=keep)


def keep(options: Options) -> None:
    """Write the pairs whose cosine lies in a band; print how many were dropped and why."""
    lowest, highest = options.lowest, options.highest
    if not -1 <= lowest <= highest <= 1:
        raise StsError(
            f"--lowest {lowest:g} --highest {highest:g}: expected two cosines from -1 to 1, "
            "the lower one first"
        )
    check_distinct(options.file, options.output)
    pairs = [
        (on_a_line(left), on_a_line(right))
        for sides in sides_of(options)
        for left, right in zip(*sides, strict=True)
    ]
    encoder = loading.load_static(options.model)
    kept, counts = keep_useful_round_trips(pairs, encoder, lowest=lowest, highest=highest)
    write_out((f"{left}\t{right}" for left, right in kept), options.output)
    summary = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
    print(f"{len(pairs):,} pairs: {summary}", file=sys.stderr)


def _add_export(parser: Parser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", help="bundled name, file or folder")
    add("-o", "--output", type=Path, required=True, help="folder or file")
    add("--to", required=True, choices=list(TARGETS), help="format to write")
    add("--dtype", choices=["int4", "int8", "float16", "float32"], help="of the rows")
    add("--overwrite", action="store_true", help="replace a folder whatever it holds")
    _add_language(parser)
    parser.set_defaults(run=export)


def export(options: Options) -> None:
    """Write an encoder, with its metadata, for another library."""
    export_model(
        options.model,
        options.language,
        options.output,
        options.to,
        options.dtype,
        overwrite=options.overwrite,
    )
    print(f"written to {options.output}", file=sys.stderr)


def _add_info(parser: Parser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", nargs="?", default=DEFAULT, help="name, file or folder")
    _add_language(parser)
    parser.set_defaults(run=info)


def info(options: Options) -> None:
    """Print the sizes, the fingerprint and the metadata of an encoder."""
    path = loading.find_model(options.model)
    if scores_pairs(path):
        encoder: SentenceEncoder = network_of(path)
    else:
        encoder = load(options.model, options.language, "--language", auto=False)
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    facts = {
        "model": str(path),
        **facts_of(encoder, sum(file.stat().st_size for file in files)),
        "fingerprint": fingerprint(encoder),
        **dict(sorted(loading.metadata_of(options.model).items())),
    }
    width = max(map(len, facts))
    write_out((f"{name:{width}}  {fact}" for name, fact in facts.items()), None)


if __name__ == "__main__":
    run_tool(main)
