"""What ``python -m embeddings.bitext`` does, command by command."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from embeddings import loading
from embeddings.bitext import named_encoders
from embeddings.bitext.bitext_configuration import BitextTraining, Shape, Teaching
from embeddings.bitext.corpus import ENGLISH, Bitext, clean, read_pairs, read_sides
from embeddings.formats.several_languages import save_shared, save_taught
from embeddings.table import Vectors
from embeddings.training.pairs.corpora import read_held_out
from sts.errors import DataError, StsError
from sts.files import check_writable


def train(options: argparse.Namespace) -> None:
    """Train on a person's own bitext."""
    _check(options)
    _check_shape(options)
    bitext = read_material(options, tuple(options.languages))
    teacher = read_teacher(options.teacher) if options.teacher else None
    shape = Shape(options.encoder, options.size, options.dim, options.separate)
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
    from embeddings.bitext.vocabularies import starting_point

    pieces = read_pieces(options.sentencepiece) if options.sentencepiece else None
    try:
        start = starting_point([bitext], shape, pieces)
    except ValueError as error:
        place = options.sentencepiece or " ".join(options.files or options.sides)
        raise DataError(f"{place}: {error}") from None
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
        from embeddings.bitext.frequency import scaled_by_frequency

        model = scaled_by_frequency(model, [bitext], options.smoothing)
    about = json.dumps(
        {"shape": vars(shape), "training": vars(how), "smoothing": options.smoothing},
        sort_keys=True,
    )
    save_shared(options.output, model, shape.encoder, recipe=about, pairs=str(len(bitext)))
    _tell(options.output, len(bitext))


def teach(options: argparse.Namespace) -> None:
    """Learn a person's own language from the bundled English vectors."""
    _check(options)
    if options.language == ENGLISH:
        raise StsError("--language en: expected the code of the other language, such as es")
    bitext = read_material(options, (ENGLISH, options.language))
    from embeddings.bitext.teaching import teach_language

    how = Teaching()
    english = loading.load_static()
    taught = teach_language(english, bitext, how, checkpoint=options.checkpoint)
    save_taught(
        options.output,
        {options.language: taught.encoder},
        {options.language: taught.own},
        loading.DEFAULT,
        english,
        recipe=json.dumps({"teaching": vars(how)}, sort_keys=True),
        pairs=str(len(bitext)),
    )
    _tell(options.output, len(bitext))


def make(name: str, data: Path, held_out: str, output: Path | None, work: Path) -> None:
    """Make a named encoder."""
    made = named_encoders.get_recipe(name)
    path = output or loading.PRETRAINED / f"{name}.safetensors"
    _check_name(path)
    check_writable(work)
    bitexts = named_encoders.read_bitexts(made, data / "bitext", read_held_out(held_out))
    named_encoders.make(made, bitexts, path, work)
    _tell(path, sum(map(len, bitexts)))


def show() -> None:
    """The named encoders, one a line."""
    for made in named_encoders.RECIPES.values():
        languages = " ".join((ENGLISH, *made.languages))
        how = made.shape.encoder if made.shape else f"taught by {made.english}"
        trained = "" if made.training or made.teaching else ", random"
        print(f"{made.name:16} {languages:16} {how}{trained}")


def read_material(options: argparse.Namespace, languages: tuple[str, str]) -> Bitext:
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
        else [pair for file in options.files for pair in read_pairs(file)]
    )
    held_out = read_held_out(options.held_out) if options.held_out else set()
    kept = clean(pairs, held_out)
    if len(kept) < 2:
        raise StsError(f"{len(kept)} of {len(pairs)} pairs are left; at least two are needed")
    return Bitext(languages, kept)


def read_pieces(path: Path) -> bytes:
    """A SentencePiece model as it lies in its file.

    Raises:
        DataError: there is no such file.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None


def read_teacher(name: str) -> Callable[[Sequence[str]], Vectors]:
    """The encode of a model of ours, or of MiniLM in its wheel."""
    if name.endswith(".whl"):
        from embeddings.transformer.network import read_transformer

        return read_transformer(Path(name)).encode
    return loading.load_static(name).encode


def _check(options: argparse.Namespace) -> None:
    """Fail now, not after the work, if something cannot be written."""
    _check_name(options.output)
    for path in (options.checkpoint, getattr(options, "curve", None)):
        if path:
            check_writable(path.absolute().parent)


def _check_name(path: Path) -> None:
    if path.suffix != ".safetensors":
        raise StsError(f"{path}: expected a name that ends in .safetensors")
    check_writable(path.absolute().parent)


def _check_shape(options: argparse.Namespace) -> None:
    left, right = options.languages
    if left == right:
        raise StsError(f"--languages {left} {right}: expected two different codes, such as en es")
    if options.encoder == "LSTM-SP" and options.smoothing:
        raise StsError("--smoothing is for encoders that average; leave it out with LSTM-SP")
    if options.encoder == "LSTM-SP" and options.dim % 2:
        raise StsError(f"--dim {options.dim}: expected an even number, half for each direction")
    if options.encoder in ("WORD", "TRIGRAM") and (options.separate or options.sentencepiece):
        flag = "--separate" if options.separate else "--sentencepiece"
        raise StsError(f"{flag} has no meaning with --encoder {options.encoder}; leave it out")
    if options.separate and options.sentencepiece:
        raise StsError("--separate learns models, --sentencepiece names one; leave one of them out")
    if options.teacher_weight and not options.teacher:
        raise StsError("--teacher-weight has no meaning without --teacher; leave it out")


def _tell(path: Path, pairs: int) -> None:
    size = path.stat().st_size / 1e6
    print(f"{path}: learned from {pairs:,} pairs, {size:.1f} MB", file=sys.stderr)
