"""The command line of the encoders: ``python -m embeddings``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from embeddings import encoder_commands
from embeddings.loading import BUNDLED, DEFAULT, ENGLISH
from embeddings.training.configuration import OptimizerName, Training
from embeddings.training.objectives import NEGATIVES, OBJECTIVES, HingeLoss, NegativeSampling
from sts.command_line import command_line, count, positive, run_tool, seed
from sts.errors import StsError

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
a folder: ours, model2vec's, or a StaticEmbedding of sentence-transformers.
""",
    "encode": """\
examples:
  python -m embeddings encode sentences.txt -o vectors.npy
  zcat many.txt.gz | python -m embeddings encode - -o vectors.npy --model tuned.safetensors
  python -m embeddings encode spanish.txt -o vectors.npy --model bitext-teacher --language es

Line i of the input is row i of the array: numpy.load('vectors.npy', mmap_mode='r').
""",
    "similar": """\
examples:
  python -m embeddings similar pairs.tsv -o cosines.txt
  python -m embeddings similar questions.txt --against answers.txt -k 3
  python -m embeddings similar es-en.tsv --model bitext-teacher --languages es en

With --against, FILE has one sentence a line, and each line written is: sentence, cosine,
similar sentence, separated by tabs, the most similar first.
""",
    "keep": """\
examples:
  python -m sts.translation roundtrip FILE --pivot es | python -m embeddings keep - -o OUT.tsv
  python -m embeddings keep pairs.tsv --lowest 0.6 --highest 0.95

For paraphrases: pairs of the same words teach nothing and are left out too; pairs below the
band have lost the meaning. Counts are printed on stderr.
""",
    "train": """\
examples:
  python -m embeddings train pairs.tsv.gz -o tuned.safetensors --dev dev.tsv --curve curve
  python -m embeddings train pairs.tsv -o tuned --from glove.txt --objective ranking \\
      --optimizer adam --learning-rate 0.003 --batch 256

A line of PAIRS is two sentences that mean the same, separated by a tab; a line of DEV is
two sentences and a score. A name ending in .safetensors is written as one file, any other
as a folder.
""",
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

The first three are one folder, which python -m embeddings reads as well; they differ in
their usual --dtype: int8, int8 and float32. OUTPUT is a file for the last two. Words that
only a hashed row knows are unknown to the other libraries.
""",
    "info": """\
examples:
  python -m embeddings info
  python -m embeddings info tuned.safetensors
  python -m embeddings info bitext-teacher --language es
""",
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, command = command_line(
        "python -m embeddings",
        "Sentence vectors by averaging words: encode, compare, train, export.",
        EXAMPLES,
    )
    _add_encode(command("encode", "write the vectors of sentences, one a line"))
    _add_similar(command("similar", "write cosines of pairs, or the nearest lines of a list"))
    _add_keep(command("keep", "keep the pairs whose cosine lies in a band"))
    _add_train(command("train", "tune a model on pairs that mean the same"))
    _add_export(command("export", "write a model for another library"))
    _add_info(command("info", "show the sizes and the metadata of a model"))
    return parser.parse_args(arguments)


def _add_model(
    parser: argparse.ArgumentParser, bundled: Iterable[str], flag: str = "--model"
) -> None:
    parser.add_argument(
        flag,
        dest="model",
        default=DEFAULT,
        metavar="MODEL",
        help=f"bundled name ({', '.join(bundled)}), file or folder (default: {DEFAULT})",
    )


def _add_encode(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="one sentence a line; - is stdin")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT.npy", help="(n, dim) float32"
    )
    parser.add_argument(
        "--batch",
        type=count,
        default=65536,
        metavar="N",
        help="lines held in memory (default: 65536)",
    )
    parser.add_argument("--language", help="code, for a model of several languages")
    _add_model(parser, BUNDLED)


def _add_similar(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="left<TAB>right a line; - is stdin")
    parser.add_argument("-o", "--output", type=Path, help="file (default: stdout)")
    parser.add_argument("--digits", type=_digits, default=4, help="of a cosine (default: 4)")
    parser.add_argument("--against", metavar="LIST", help="file to find similar lines in")
    parser.add_argument("-k", type=count, help="how many similar lines to find (default: 5)")
    parser.add_argument(
        "--languages",
        nargs=2,
        default=(None, None),
        metavar=("LEFT", "RIGHT"),
        help="codes of the two sides, for a model of several languages",
    )
    _add_model(parser, BUNDLED)


def _add_keep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="left<TAB>right a line; - is stdin")
    parser.add_argument("-o", "--output", type=Path, help="file (default: stdout)")
    parser.add_argument("--lowest", type=float, default=0.5, help="cosine (default: 0.5)")
    parser.add_argument("--highest", type=float, default=1.0, help="cosine (default: 1)")
    _add_model(parser, ENGLISH)


def _add_train(parser: argparse.ArgumentParser) -> None:
    usual = Training()
    parser.add_argument("file", metavar="PAIRS", help="left<TAB>right a line, may be .gz")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="MODEL")
    _add_model(parser, ENGLISH, "--from")
    parser.add_argument("--dev", help="left<TAB>right<TAB>gold a line, to correlate with")
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="to resume from")
    parser.add_argument(
        "--curve", type=Path, metavar="PREFIX", help="write loss and correlation as .csv and .png"
    )
    choices: dict[str, Iterable[str]] = {
        "objective": OBJECTIVES,
        "negatives": NEGATIVES,
        "optimizer": get_args(OptimizerName),
    }
    defaults = {"objective": "paragram", "negatives": "random", "optimizer": usual.optimizer}
    for name, default in defaults.items():
        parser.add_argument(
            f"--{name}",
            choices=list(choices[name]),
            default=default,
            help=f"(default: {default})",
        )
    for name, kind, value in (
        ("epochs", count, usual.epochs),
        ("batch", count, usual.batch),
        ("megabatch", count, usual.negatives.megabatch),
        ("margin", positive, HingeLoss.margin),
        ("learning-rate", positive, usual.learning_rate),
        ("seed", seed, usual.seed),
    ):
        parser.add_argument(f"--{name}", type=kind, default=value, help=f"(default: {value})")


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="bundled name, file or folder")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder or file")
    parser.add_argument("--to", required=True, choices=list(encoder_commands.TARGETS))
    parser.add_argument(
        "--dtype", choices=["int8", "float16", "float32"], help="of the rows in a folder"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a folder whatever it holds"
    )
    parser.add_argument("--language", help="code, for a model of several languages")


def _add_info(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", nargs="?", default=DEFAULT)
    parser.add_argument("--language", help="code, for a model of several languages")


def _digits(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 17:
        raise argparse.ArgumentTypeError(f"{text}; expected 0 to 17")
    return number


def main() -> None:
    """Parse the command line and run the command."""
    options = parse()
    match options.command:
        case "encode":
            encoder_commands.encode(
                options.file, options.output, options.model, options.batch, options.language
            )
        case "similar":
            compare(options)
        case "keep":
            encoder_commands.keep(
                options.file, options.output, options.model, options.lowest, options.highest
            )
        case "train":
            train(options)
        case "export":
            encoder_commands.export(
                options.model,
                options.output,
                options.to,
                options.dtype,
                overwrite=options.overwrite,
                language=options.language,
            )
        case "info":
            encoder_commands.info(options.model, options.language)


def compare(options: argparse.Namespace) -> None:
    """Compare the sides of pairs, or each line with a list."""
    rest = (options.output, options.model, options.digits, tuple(options.languages))
    if options.against is None:
        if options.k is not None:
            raise StsError("-k has no meaning without --against; leave it out")
        encoder_commands.similar(options.file, *rest)
    elif options.against == options.file == "-":
        raise StsError("FILE and --against cannot both be stdin; put one in a file")
    else:
        encoder_commands.similar_of(options.file, options.against, options.k or 5, *rest)


def train(options: argparse.Namespace) -> None:
    """Train as the options say."""
    configuration = Training(
        epochs=options.epochs,
        batch=options.batch,
        objective=OBJECTIVES[options.objective](options.margin),
        negatives=NegativeSampling(NEGATIVES[options.negatives], options.megabatch),
        optimizer=options.optimizer,
        learning_rate=options.learning_rate,
        seed=options.seed,
    )
    encoder_commands.train(
        options.file,
        options.output,
        options.model,
        configuration,
        dev=options.dev,
        checkpoint=options.checkpoint,
        curve=options.curve,
    )


if __name__ == "__main__":
    run_tool(main)
