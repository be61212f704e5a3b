"""The command line of bitext: ``python -m embeddings.bitext``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from embeddings import loading
from embeddings.bitext import named_encoders
from embeddings.bitext.bitext_configuration import BitextTraining, Shape, Teaching
from embeddings.bitext.corpus import ENGLISH, Bitext, clean, read_sides
from embeddings.bitext.multilingual import Multilingual, scaled_by_frequency
from embeddings.formats.single_file import save_shared, save_taught
from embeddings.table import Vectors
from embeddings.training.configuration import MEANINGS
from embeddings.training.pairs.corpora import read_corpus, read_held_out
from sts.command_line import command_line, count, positive, run_tool, seed
from sts.errors import DataError, StsError
from sts.extras import require
from sts.files import check_writable

Parser = argparse.ArgumentParser
Options = argparse.Namespace

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
  python -m embeddings.bitext train en-es.tsv -o m.safetensors --languages en es --encoder LSTM-SP \\
      --start bitext-sp --epochs 1 --learning-rate 1e-4

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
bitext-sp also reads DIR/paraphrases/ and DIR/paraphraser/, and wants Apertium with apertium-eng-spa.
A training that was stopped goes on when it is started again.
""",
    "list": """\
examples:
  python -m embeddings.bitext list
""",
}


def parse(arguments: list[str] | None = None) -> Options:
    """The command line."""
    parser, command = command_line(
        "python -m embeddings.bitext",
        "Sentence vectors of two languages in one space, learned from translations.",
        EXAMPLES,
    )
    _add_train(command("train", "train an encoder of two languages on your own bitext"))
    _add_teach(command("teach", "teach a language what its words mean in English"))
    _add_make(command("make", "make one of the named encoders"))
    listing = command("list", "show the named encoders and how each is made")
    listing.set_defaults(run=show)
    return parser.parse_args(arguments)


def main() -> None:
    """Parse the command line and run the command."""
    options = parse()
    options.run(options)


def _add_material(parser: Parser) -> None:
    add = parser.add_argument
    add("files", nargs="*", metavar="BITEXT", help="left<TAB>right a line, may be .gz; - is stdin")
    sides = "two files, line by line, instead"
    add("--sides", nargs=2, metavar=("LEFT", "RIGHT"), help=sides)
    add("--held-out", metavar="FILE", help=_HELD_OUT)
    add(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="MODEL.safetensors",
        help="file to write",
    )
    add("--checkpoint", type=Path, metavar="FILE", help="to resume from")


_HELD_OUT = "sentences, one a line, that nothing is learned from"


def _read_material(options: Options, languages: tuple[str, str]) -> Bitext:
    """The pairs that the options name, each once, without held-out ones.

    Raises:
        StsError: neither files nor sides, or both, or nothing is left.
        DataError: a file is missing or malformed.
    """
    if bool(options.files) == bool(options.sides):
        raise StsError("name one BITEXT file or more, or two files after --sides")
    pairs = (
        read_sides(*options.sides)
        if options.sides
        else [pair for file in options.files for pair in read_corpus(file)]
    )
    held_out = read_held_out(options.held_out) if options.held_out else set()
    kept = clean(pairs, held_out)
    if len(kept) < 2:
        raise StsError(f"{len(kept)} of {len(pairs)} pairs are left; at least two are needed")
    return Bitext(languages, kept)


def _add_train(parser: Parser) -> None:
    _add_material(parser)
    add, shape, how = parser.add_argument, Shape(), BitextTraining()
    add(
        "--languages",
        nargs=2,
        type=code,
        required=True,
        metavar=("LEFT", "RIGHT"),
        help="codes: en es",
    )
    encoders, usual = ["SP", "TRIGRAM", "WORD", "LSTM-SP"], shape.encoder
    add(
        "--encoder",
        choices=encoders,
        default=usual,
        help=f"what is averaged or read (default: {usual})",
    )
    size, dim = shape.size, shape.dim
    add("--size", type=count, help=f"of the vocabulary (default: {size})")
    add("--dim", type=count, help=f"of a vector (default: {dim})")
    add("--separate", action="store_true", help="a SentencePiece model for each language")
    add("--sentencepiece", type=Path, metavar="FILE", help="a model to cut by")
    about = (
        "an encoder of both languages that is trained further, of its size and dimensions; "
        "LSTM-SP begins as its average"
    )
    add("--start", metavar="MODEL", help=about)
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
        about = f"{MEANINGS[name]} (default: {default})"
        add(f"--{name}", type=kind, default=default, help=about)
    add(
        "--teacher",
        metavar="MODEL",
        help="an English encoder, or the wheel of MiniLM, that the left side is pulled towards",
    )
    weight = "of that pull (default: 1)"
    add("--teacher-weight", type=positive, metavar="WEIGHT", help=weight)
    add(
        "--smoothing",
        type=positive,
        metavar="A",
        help="scale each row by A / (A + its share of the text) at the end, such as 0.001",
    )
    add("--curve", type=Path, metavar="PREFIX", help="write the loss as .csv and .png")
    parser.set_defaults(run=train)


def train(options: Options) -> None:
    """Train on a person's own bitext."""
    _check_outputs(options.output, options.checkpoint, options.curve)
    if options.curve:
        require("matplotlib")
    _check_shape(options)
    bitext = _read_material(options, tuple(options.languages))
    teacher = read_teacher(options.teacher) if options.teacher else None
    shape = _shape(options)
    how = BitextTraining(
        epochs=options.epochs,
        batch=options.batch,
        margin=options.margin,
        megabatch=options.megabatch,
        anneal=options.anneal,
        dropout=options.dropout,
        shuffle=options.shuffle,
        teacher_weight=(options.teacher_weight or 1.0) if teacher else 0.0,
        learning_rate=options.learning_rate,
        seed=options.seed,
    )
    from embeddings.bitext.bitext_training import train_on_bitext

    start = _start(options, bitext, shape)
    if options.start:
        first = start.of(options.languages[0])
        shape = Shape(options.encoder, len(first.rows), first.dim)
    model = train_on_bitext(
        start,
        [bitext],
        how,
        teacher=teacher,
        checkpoint=options.checkpoint,
        curve=options.curve,
        label="training",
    )
    if options.smoothing:
        model = scaled_by_frequency(model, [bitext], options.smoothing)
    about = {"shape": vars(shape), "training": vars(how), "smoothing": options.smoothing}
    about |= {"start": options.start} if options.start else {}
    recipe = json.dumps(about, sort_keys=True)
    save_shared(options.output, model, shape.encoder, recipe=recipe, pairs=str(len(bitext)))
    _tell(options.output, len(bitext))


def _shape(options: Options) -> Shape:
    usual = Shape()
    size, dim = options.size or usual.size, options.dim or usual.dim
    return Shape(options.encoder, size, dim, options.separate)


def _start(options: Options, bitext: Bitext, shape: Shape) -> Multilingual:
    from embeddings.bitext.vocabularies import learned_start, starting_point

    if options.start:
        return learned_start(options.start, options.languages, options.encoder)
    pieces = _read_bytes(options.sentencepiece) if options.sentencepiece else None
    try:
        return starting_point([bitext], shape, pieces)
    except ValueError as error:
        place = options.sentencepiece or " ".join(options.files or options.sides)
        raise DataError(f"{place}: {error}") from None


def _check_shape(options: Options) -> None:
    left, right = options.languages
    if left == right:
        raise StsError(f"--languages {left} {right}: expected two different codes, such as en es")
    if options.encoder == "LSTM-SP" and options.smoothing:
        raise StsError("--smoothing is for encoders that average; leave it out with LSTM-SP")
    if options.encoder == "LSTM-SP" and options.dim and options.dim % 2:
        raise StsError(f"--dim {options.dim}: expected an even number, half for each direction")
    if options.encoder in ("WORD", "TRIGRAM") and (options.separate or options.sentencepiece):
        flag = "--separate" if options.separate else "--sentencepiece"
        raise StsError(f"{flag} has no meaning with --encoder {options.encoder}; leave it out")
    for name in ("size", "dim", "separate", "sentencepiece"):
        if options.start and vars(options)[name]:
            raise StsError(f"--{name} has no meaning with --start, which has its own; leave it out")
    if options.separate and options.sentencepiece:
        raise StsError("--separate learns models, --sentencepiece names one; leave one of them out")
    if options.teacher_weight and not options.teacher:
        raise StsError("--teacher-weight has no meaning without --teacher; leave it out")


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None


def read_teacher(name: str) -> Callable[[Sequence[str]], Vectors]:
    """The encode of a model of ours, or of MiniLM in its wheel."""
    if name.endswith(".whl"):
        from embeddings.transformer.bert_folder import read_transformer

        return read_transformer(Path(name)).encode
    return loading.load_static(name).encode


def _add_teach(parser: Parser) -> None:
    _add_material(parser)
    parser.add_argument("--language", type=code, required=True, help="code of the right side: es")
    parser.set_defaults(run=teach)


def teach(options: Options) -> None:
    """Learn a person's own language from the bundled English vectors."""
    language, output = options.language, options.output
    _check_outputs(output, options.checkpoint)
    if language == ENGLISH:
        raise StsError("--language en: expected the code of the other language, such as es")
    bitext = _read_material(options, (ENGLISH, language))
    from embeddings.bitext.teaching import teach_language

    how, english = Teaching(), loading.load_static()
    taught = {language: teach_language(english, bitext, how, checkpoint=options.checkpoint)}
    recipe = json.dumps({"teaching": vars(how)}, sort_keys=True)
    save_taught(output, taught, loading.DEFAULT, english, recipe=recipe, pairs=str(len(bitext)))
    _tell(output, len(bitext))


def _add_make(parser: Parser) -> None:
    add = parser.add_argument
    add("name", metavar="NAME", help="see: list")
    data = "folder with bitext/, paraphrases/ and paraphraser/"
    add("--data", type=Path, required=True, metavar="DIR", help=data)
    add("--held-out", required=True, metavar="FILE", help=_HELD_OUT)
    add(
        "-o",
        "--output",
        type=Path,
        metavar="MODEL.safetensors",
        help="file (default: a bundled one)",
    )
    add("--work", type=Path, default=Path("output/bitext"), help="folder for checkpoints")
    parser.set_defaults(run=make)


def make(options: Options) -> None:
    """Make a named encoder."""
    made = named_encoders.get_recipe(options.name)
    path = options.output or loading.PRETRAINED / f"{options.name}.safetensors"
    _check_outputs(path)
    check_writable(options.work)
    held_out = read_held_out(options.held_out)
    bitexts = named_encoders.read_bitexts(made, options.data / "bitext", held_out, options.work)
    named_encoders.make(made, bitexts, path, options.work)
    _tell(path, sum(map(len, bitexts)))


def show(_: Options) -> None:
    """The named encoders, one a line."""
    for made in named_encoders.RECIPES.values():
        languages = " ".join((ENGLISH, *made.languages))
        how = made.shape.encoder if made.shape else f"taught by {made.english}"
        trained = "" if made.training or made.teaching else ", random"
        print(f"{made.name:16} {languages:16} {how}{trained}")


def _check_outputs(output: Path, *others: Path | None) -> None:
    """Fail now, not after the work, if something cannot be written."""
    if output.suffix != ".safetensors":
        raise StsError(f"{output}: expected a name that ends in .safetensors")
    for path in (output, *filter(None, others)):
        check_writable(path.absolute().parent)


def _tell(path: Path, pairs: int) -> None:
    size = path.stat().st_size / 1e6
    print(f"{path}: learned from {pairs:,} pairs, {size:.1f} MB", file=sys.stderr)


def code(text: str) -> str:
    """The type of an option: what a language is called, also in the file that is written."""
    if not re.fullmatch(r"[A-Za-z]+(-[A-Za-z0-9]+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r}; expected a code, such as es or pt-BR")
    return text


def fraction(text: str) -> float:
    """The type of an option: a number from 0 to below 1."""
    number = float(text)
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected a number from 0 to below 1")
    return number


if __name__ == "__main__":
    run_tool(main)
