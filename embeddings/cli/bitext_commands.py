"""``semaniacs bitext``: train encoders of several languages on translations."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext import named_encoders
from semaniacs.embeddings.bitext.bitext_configuration import BitextTraining, Shape, Teaching
from semaniacs.embeddings.bitext.corpus import ENGLISH, Bitext, clean, read_sides
from semaniacs.embeddings.bitext.language_files import save_shared, save_taught
from semaniacs.embeddings.bitext.multilingual import Multilingual, scaled_by_frequency
from semaniacs.embeddings.bitext.vocabularies import learned_start, starting_point
from semaniacs.embeddings.cli.shared_options import FILE, checkpoint_option, choice, flag, together
from semaniacs.embeddings.training.corpora import read_corpus, read_held_out
from semaniacs.sts.command_line import (
    COUNT,
    POSITIVE,
    Number,
    data_option,
    examples,
    languages_option,
    option,
    output_option,
    seed_option,
)
from semaniacs.sts.data.table_kinds import encoding_option
from semaniacs.sts.errors import DataError, StsError, require
from semaniacs.sts.files import check_writable, read_bytes

FRACTION = Number(0, 1, max_open=True)
USUAL = BitextTraining()


@click.group(
    epilog=examples(
        "semaniacs bitext train en-es.tsv.gz -o model.safetensors --languages en es",
        "semaniacs bitext train --sides news.en news.de -o model.safetensors --languages en de",
        "semaniacs bitext teach en-es.tsv.gz -o taught.safetensors --languages es",
        "semaniacs bitext make bitext-sp --data DIR --held-out held-out.txt",
        "semaniacs bitext list",
        "",
        "then:",
        "semaniacs encode spanish.txt -o vectors.npy --model model.safetensors --languages es",
        "semaniacs mine bitext --help",
    )
)
def bitext() -> None:
    """Train sentence vectors of two languages in one space on translations."""


held_out_option = option(
    "--held-out", metavar="FILE", help="Sentences to leave out of the training, one per line."
)
material_options = together(
    click.argument("files", nargs=-1, metavar="[BITEXT]..."),
    option("--sides", nargs=2, metavar="LEFT RIGHT", help="Two files of lines, instead of BITEXT."),
    held_out_option,
    output_option(required=True, metavar="MODEL.safetensors", help="File to write."),
    checkpoint_option,
    encoding_option,
)

SCHEDULE = (
    ("--epochs", "epochs", COUNT, "Passes over the pairs."),
    ("--batch", "batch", COUNT, "Pairs per step."),
    ("--margin", "margin", POSITIVE, "Margin by which a pair should be nearer than its negatives."),
    ("--mega-batch", "megabatch", COUNT, "Batches to search for hard negatives."),
    ("--anneal", "anneal", COUNT, "Steps after which a mega-batch grows by one batch."),
    ("--dropout", "dropout", FRACTION, "Share of the numbers to leave out of a step."),
    ("--shuffle", "shuffle", FRACTION, "Share of the sentences to read in random order."),
    ("--learning-rate", "learning_rate", POSITIVE, "Learning rate of the first step."),
)
"""Name, field of :class:`BitextTraining`, type and help of the options of the training."""

schedule_options = together(
    *(
        option(
            name,
            field,
            old=("--megabatch",) if field == "megabatch" else (),
            type=kind,
            default=getattr(USUAL, field),
            help=text,
        )
        for name, field, kind, text in SCHEDULE
    )
)


def _code(_: click.Context, __: click.Parameter, value: Any) -> Any:
    for code in value if isinstance(value, tuple) else (value,):
        if not re.fullmatch(r"[A-Za-z]+(-[A-Za-z0-9]+)*", code):
            raise click.BadParameter(f"{code!r}; expected a code, such as es or pt-BR")
    return value


@bitext.command(
    short_help="Train an encoder of two languages on your own translations.",
    epilog=examples(
        "semaniacs bitext train en-es.tsv.gz -o model.safetensors --languages en es",
        "semaniacs bitext train --sides news.en news.de -o m.safetensors --languages en de \\",
        "    --encoder TRIGRAM --size 200000 --dropout 0.3",
        "semaniacs bitext train en-es.tsv -o m.safetensors --languages en es --dim 256 \\",
        "    --teacher paragram --teacher-weight 1",
        "semaniacs bitext train en-es.tsv -o m.safetensors --languages en es --encoder LSTM-SP \\",
        "    --start bitext-sp --epochs 1 --learning-rate 1e-4",
    ),
)
@material_options
@languages_option(
    old=(),
    nargs=2,
    required=True,
    callback=_code,
    metavar="LEFT RIGHT",
    help="Languages of the left and right sentences: en es.",
)
@choice("--encoder", "SP TRIGRAM WORD LSTM-SP", "Tokens to average, or the LSTM to read them with.")
@option("--size", type=COUNT, help=f"Size of the vocabulary (default: {Shape().size}).")
@option("--dim", type=COUNT, help=f"Dimensions of a vector (default: {Shape().dim}).")
@flag("--separate", "Learn one SentencePiece model per language.")
@option("--sentencepiece", type=FILE, metavar="FILE", help="SentencePiece model to use.")
@option("--start", metavar="MODEL", help="Encoder of both languages to train further.")
@schedule_options
@seed_option()
@option("--teacher", metavar="MODEL", help="English encoder to learn from.")
@option("--teacher-weight", type=POSITIVE, help="Weight of the teacher (default: 1).")
@option(
    "--smoothing",
    type=POSITIVE,
    metavar="A",
    help="Scale each row by A / (A + its share of the text) at the end, such as 0.001.",
)
@option("--curve", type=FILE, metavar="PREFIX", help="Write the loss as .csv and .png.")
def train(**given: Any) -> None:
    """Train an encoder on BITEXT: files with left<TAB>right per line, gzip too; - is stdin.

    Both sides of a translation come close to each other, and stay away from the hardest other
    sentence of the other side (Wieting et al., 2019).
    """
    options = SimpleNamespace(**given)
    _check_outputs(options.output, options.checkpoint, options.curve)
    if options.curve:
        require("matplotlib")
    _check_shape(options)
    pairs = _read_material(options, options.languages)
    teacher = loading.load(options.teacher).encode if options.teacher else None
    size, dim = options.size or Shape().size, options.dim or Shape().dim
    shape = Shape(options.encoder, size, dim, options.separate)
    how = BitextTraining(
        **{field: getattr(options, field) for _, field, *_ in SCHEDULE},
        teacher_weight=(options.teacher_weight or 1.0) if teacher else 0.0,
        seed=options.seed,
    )
    from semaniacs.embeddings.bitext.bitext_training import train_on_bitext

    start = _start(options, pairs, shape)
    if options.start:
        first = start.of(options.languages[0])
        shape = Shape(options.encoder, len(first.rows), first.dim)
    model = train_on_bitext(
        start,
        [pairs],
        how,
        teacher=teacher,
        checkpoint=options.checkpoint,
        curve=options.curve,
        label="training",
    )
    if options.smoothing:
        model = scaled_by_frequency(model, [pairs], options.smoothing)
    about = {"shape": vars(shape), "training": vars(how), "smoothing": options.smoothing}
    about |= {"start": options.start} if options.start else {}
    recipe = json.dumps(about, sort_keys=True)
    save_shared(options.output, model, shape.encoder, recipe=recipe, pairs=str(len(pairs)))
    _tell(options.output, len(pairs))


def _start(options: SimpleNamespace, pairs: Bitext, shape: Shape) -> Multilingual:
    if options.start:
        return learned_start(options.start, options.languages, options.encoder)
    pieces = read_bytes(options.sentencepiece) if options.sentencepiece else None
    try:
        return starting_point([pairs], shape, pieces)
    except ValueError as error:
        place = options.sentencepiece or " ".join(options.files or options.sides)
        raise DataError(f"{place}: {error}") from None


def _check_shape(options: SimpleNamespace) -> None:
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


def _read_material(options: SimpleNamespace, languages: tuple[str, str]) -> Bitext:
    """Return the pairs that the options name, each once, without held-out ones."""
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


@bitext.command(
    short_help="Teach another language to the English vectors.",
    epilog=examples("semaniacs bitext teach en-es.tsv.gz -o taught.safetensors --languages es"),
)
@material_options
@languages_option("language", required=True, callback=_code, help="Language of the right side: es.")
def teach(language: str, **given: Any) -> None:
    """Teach another language to the English vectors, from BITEXT with English on the left.

    The English vectors stay as they are; the words of the other language learn to mean what their
    translations mean. A few thousand translations are enough.
    """
    options = SimpleNamespace(**given)
    _check_outputs(options.output, options.checkpoint)
    if language == ENGLISH:
        raise StsError("--languages en: expected the code of the other language, such as es")
    pairs = _read_material(options, (ENGLISH, language))
    from semaniacs.embeddings.bitext.teaching import teach_language

    how, english = Teaching(), loading.load_static()
    taught = {language: teach_language(english, pairs, how, checkpoint=options.checkpoint)}
    recipe = json.dumps({"teaching": vars(how)}, sort_keys=True)
    save_taught(
        options.output, taught, loading.DEFAULT, english, recipe=recipe, pairs=str(len(pairs))
    )
    _tell(options.output, len(pairs))


@bitext.command(
    short_help="Make one of the named encoders.",
    epilog=examples(
        "semaniacs bitext make bitext-sp --data DIR --held-out held-out.txt",
        "semaniacs bitext make bitext-word --data DIR --held-out held-out.txt -o m.safetensors",
        "python -m semaniacs.runs.pipeline.tuning.held_out --data DIR -o held-out.txt",
    ),
)
@click.argument("name")
@data_option(required=True, help="Folder with bitext/, paraphrases/ and paraphraser/.")
@option("--held-out", required=True, metavar="FILE", help="Sentences to leave out, one per line.")
@output_option(metavar="MODEL.safetensors", help="Output file (default: the bundled one).")
@option("--work", type=FILE, default=Path("output/bitext"), help="Folder for checkpoints.")
def make(name: str, data: Path, held_out: str, output: Path | None, work: Path) -> None:
    """Make the encoder NAME; semaniacs bitext list shows the names.

    The data folder holds bitext/ with {news,tatoeba}.en-XX.tsv.gz. bitext-sp also reads
    paraphrases/ and paraphraser/, and needs Apertium with apertium-eng-spa. If the training was
    stopped, the same command resumes it.
    """
    made = named_encoders.get_recipe(name)
    path = output or loading.PRETRAINED / f"{name}.safetensors"
    _check_outputs(path)
    check_writable(work)
    bitexts = named_encoders.read_bitexts(made, data / "bitext", read_held_out(held_out), work)
    named_encoders.make(made, bitexts, path, work)
    _tell(path, sum(map(len, bitexts)))


@bitext.command("list", epilog=examples("semaniacs bitext list"))
def show() -> None:
    """Show the named encoders, their languages, and how each is made."""
    for made in named_encoders.RECIPES.values():
        languages = " ".join((ENGLISH, *made.languages))
        how = made.shape.encoder if made.shape else f"taught by {made.english}"
        trained = "" if made.training or made.teaching else ", random"
        click.echo(f"{made.name:16} {languages:16} {how}{trained}")


def _check_outputs(output: Path, *others: Path | None) -> None:
    if output.suffix != ".safetensors":
        raise StsError(f"{output}: expected a name that ends in .safetensors")
    for path in (output, *filter(None, others)):
        check_writable(path.absolute().parent)


def _tell(path: Path, pairs: int) -> None:
    size = path.stat().st_size / 1e6
    print(f"{path}: learned from {pairs:,} pairs, {size:.1f} MB", file=sys.stderr)
