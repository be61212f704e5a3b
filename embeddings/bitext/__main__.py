"""The command line of bitext: ``python -m embeddings.bitext``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from embeddings.bitext import train_files
from embeddings.bitext.bitext_configuration import BitextTraining, Shape
from sts.command_line import command_line, count, positive, run_tool, seed

EXAMPLES = {
    "": """\
examples:
  python -m embeddings.bitext train en-es.tsv.gz -o model.safetensors --languages en es
  python -m embeddings.bitext train --sides news.en news.de -o model.safetensors --languages en de
  python -m embeddings.bitext teach en-es.tsv.gz -o taught.safetensors --language es
  python -m embeddings.bitext make bitext-sp --data DIR --held-out held-out.txt
  python -m embeddings.bitext list

then:
  python -m embeddings encode spanish.txt -o vectors.npy --model model.safetensors --language es
  python -m embeddings.mining bitext --help
""",
    "train": """\
examples:
  python -m embeddings.bitext train en-es.tsv.gz -o model.safetensors --languages en es
  python -m embeddings.bitext train --sides news.en news.de -o m.safetensors --languages en de \\
      --encoder TRIGRAM --size 200000 --dropout 0.3
  python -m embeddings.bitext train en-es.tsv -o m.safetensors --languages en es --dim 256 \\
      --teacher paragram --teacher-weight 1

A line is a sentence, a tab, and its translation. Both sides come close to each other, and
stay away from the hardest other sentence of the other side (Wieting et al., 2019).
""",
    "teach": """\
examples:
  python -m embeddings.bitext teach en-es.tsv.gz -o taught.safetensors --language es

English comes first in a line. Its vectors stay as they are; the words of the other language
learn to mean what their translations mean. Little bitext is enough.
""",
    "make": """\
examples:
  python -m embeddings.bitext make bitext-sp --data DIR --held-out held-out.txt
  python -m embeddings.bitext make bitext-word --data DIR --held-out held-out.txt -o m.safetensors

DIR holds bitext/ with {news,tatoeba}.en-XX.tsv.gz. The sentences of the STS files are
written to held-out.txt by: python -m runs.pipeline.tuning.held_out --data DIR -o held-out.txt
A training that was stopped goes on when it is started again.
""",
    "list": """\
examples:
  python -m embeddings.bitext list
""",
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, command = command_line(
        "python -m embeddings.bitext",
        "Sentence vectors of two languages in one space, learned from translations.",
        EXAMPLES,
    )
    _add_train(command("train", "train an encoder of two languages on your own bitext"))
    _add_teach(command("teach", "teach a language what its words mean in English"))
    _add_make(command("make", "make one of the named encoders"))
    command("list", "show the named encoders and how each is made")
    return parser.parse_args(arguments)


def _add_material(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", metavar="BITEXT", help="left<TAB>right a line, may be .gz; - is stdin"
    )
    parser.add_argument(
        "--sides", nargs=2, metavar=("LEFT", "RIGHT"), help="two files, line by line, instead"
    )
    parser.add_argument(
        "--held-out", metavar="FILE", help="sentences, one a line, that nothing is learned from"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="MODEL.safetensors")
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="to resume from")


def _add_train(parser: argparse.ArgumentParser) -> None:
    _add_material(parser)
    shape, how = Shape(), BitextTraining()
    parser.add_argument(
        "--languages",
        nargs=2,
        type=code,
        required=True,
        metavar=("LEFT", "RIGHT"),
        help="codes: en es",
    )
    parser.add_argument(
        "--encoder",
        choices=["SP", "TRIGRAM", "WORD", "LSTM-SP"],
        default=shape.encoder,
        help=f"(default: {shape.encoder})",
    )
    parser.add_argument(
        "--size", type=count, default=shape.size, help=f"of the vocabulary (default: {shape.size})"
    )
    parser.add_argument(
        "--dim", type=count, default=shape.dim, help=f"of a vector (default: {shape.dim})"
    )
    parser.add_argument(
        "--separate", action="store_true", help="a SentencePiece model for each language"
    )
    parser.add_argument("--sentencepiece", type=Path, metavar="FILE", help="a model to cut by")
    for name, kind in (
        ("epochs", count),
        ("batch", count),
        ("margin", positive),
        ("megabatch", count),
        ("anneal", count),
        ("dropout", fraction),
        ("shuffle", fraction),
        ("learning-rate", positive),
        ("seed", seed),
    ):
        default = getattr(how, name.replace("-", "_"))
        parser.add_argument(f"--{name}", type=kind, default=default, help=f"(default: {default})")
    parser.add_argument(
        "--teacher",
        metavar="MODEL",
        help="an English encoder, or the wheel of MiniLM, that the left side is pulled towards",
    )
    parser.add_argument(
        "--teacher-weight", type=positive, metavar="WEIGHT", help="of that pull (default: 1)"
    )
    parser.add_argument(
        "--smoothing",
        type=positive,
        metavar="A",
        help="scale each row by A / (A + its share of the text) at the end, such as 0.001",
    )
    parser.add_argument(
        "--curve", type=Path, metavar="PREFIX", help="write the loss as .csv and .png"
    )


def _add_teach(parser: argparse.ArgumentParser) -> None:
    _add_material(parser)
    parser.add_argument("--language", type=code, required=True, help="code of the right side: es")


def _add_make(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="see: python -m embeddings.bitext list")
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder with bitext/ and paraphrases/",
    )
    parser.add_argument(
        "--held-out",
        required=True,
        metavar="FILE",
        help="sentences, one a line, that nothing is learned from",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="MODEL.safetensors")
    parser.add_argument(
        "--work", type=Path, default=Path("output/bitext"), help="folder for checkpoints"
    )


def code(text: str) -> str:
    """What a language is called, also in the file that is written."""
    if not re.fullmatch(r"[A-Za-z]+(-[A-Za-z0-9]+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r}; expected a code, such as es or pt-BR")
    return text


def fraction(text: str) -> float:
    """A number from 0 to below 1."""
    number = float(text)
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected a number from 0 to below 1")
    return number


def main() -> None:
    """Parse, then hand over to the command."""
    options = parse()
    match options.command:
        case "train":
            train_files.train(options)
        case "teach":
            train_files.teach(options)
        case "make":
            train_files.make(
                options.name, options.data, options.held_out, options.output, options.work
            )
        case "list":
            train_files.show()


if __name__ == "__main__":
    run_tool(main)
