"""``semaniacs bitext``: what it writes, and how it refuses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext import named_encoders
from semaniacs.embeddings.bitext.bitext_configuration import BitextTraining, Shape, Teaching
from semaniacs.embeddings.bitext.corpus import Bitext, read_bitext
from semaniacs.embeddings.cli.bitext_commands import bitext as main
from semaniacs.embeddings.cli.encode import encode as encode_command
from semaniacs.embeddings.cli.encode import similar
from semaniacs.embeddings.loading import load, load_multilingual
from tests.embeddings.bitext.synthetic import made_up, retrieved, save_english, write_pairs
from tests.embeddings.conftest import Command

pytestmark = pytest.mark.usefixtures("little_compiled")

ALL = made_up(260)
BITEXT, HELD_OUT = (
    Bitext(ALL.languages, ALL.pairs[part]) for part in (slice(192), slice(200, 260))
)
PACE = "--epochs 3 --batch 32 --learning-rate 0.03"
QUICK = f"--size 60 --dim 8 {PACE}"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small English encoder in the place of the bundled one, and files that a test works in."""
    monkeypatch.chdir(tmp_path)
    save_english(tmp_path / "english.safetensors")
    english = loading.Bundled(tmp_path / "english.safetensors", ("en",))
    monkeypatch.setitem(loading.BUNDLED, loading.DEFAULT, english)
    write_pairs(tmp_path / "pairs.tsv", BITEXT)


@pytest.fixture
def call(command: Command) -> Any:
    return lambda line, stdin=b"", main=main: command(main, line, stdin).printed


@pytest.mark.parametrize("encoder", ["SP", "LSTM-SP --epochs 1"])
def test_a_model_is_trained_and_used(encoder: str, call: Any) -> None:
    line = f"train pairs.tsv -o new/m.safetensors --languages en xx {QUICK} --encoder {encoder}"
    assert call(line) == ""
    assert [file.name for file in Path("new").iterdir()] == ["m.safetensors"]
    first = Path("new/m.safetensors").read_bytes()
    model = load_multilingual("new/m.safetensors")
    if not encoder.startswith("LSTM"):  # which has read all of it once only
        assert retrieved(model, HELD_OUT) > 0.5
    for number, code in enumerate(("en", "xx")):
        text = "\n".join(HELD_OUT.side(number)).encode()
        encode = f"- -o v.npy --model new/m.safetensors --language {code}"
        call(encode, text, main=encode_command)
        expected = load("new/m.safetensors", code).encode(HELD_OUT.side(number))
        np.testing.assert_array_equal(np.load("v.npy"), expected)
    call(line)
    assert Path("new/m.safetensors").read_bytes() == first


def test_files_sides_and_stdin_are_the_same_bitext(call: Any) -> None:
    line = f"-o m.safetensors --languages en xx --encoder WORD {QUICK}"
    call(f"train pairs.tsv {line}")
    expected = Path("m.safetensors").read_bytes()
    raw = Path("pairs.tsv").read_bytes()
    rows = raw.splitlines(keepends=True)
    Path("one.tsv").write_bytes(b"".join(rows[:70]))
    Path("two.tsv.gz").write_bytes(gzip.compress(b"".join(rows[60:])))  # some of them again
    for number in (0, 1):
        Path(f"side{number}").write_text("\n".join(BITEXT.side(number)) + "\n", encoding="utf-8")
    held_out = ["Fun, fun!", "dup"]
    Path("held").write_text("\n".join(held_out) + "\n")
    extra = b"fun fun\tdin\nbat\tDup.\n"
    for source, stdin in (
        ("-", raw),
        ("one.tsv two.tsv.gz", b""),
        ("--sides side0 side1", b""),
        ("--sides - side1", "\n".join(BITEXT.side(0)).encode()),
        ("- --held-out held", extra + raw),
    ):
        Path("m.safetensors").unlink()
        call(f"train {source} {line}", stdin)
        assert Path("m.safetensors").read_bytes() == expected, source


def test_a_language_is_taught_and_used(call: Any) -> None:
    call("teach pairs.tsv -o taught.safetensors --language xx --checkpoint kept")
    first = Path("taught.safetensors").read_bytes()
    model = load_multilingual("taught.safetensors")
    assert model.languages == ("en", "xx")
    assert retrieved(model, HELD_OUT) > 0.8
    assert model.of("en").table.tobytes() == loading.load_static().table.tobytes()
    write_pairs(Path("held.tsv"), HELD_OUT)
    written = call("held.tsv --model taught.safetensors --languages en xx", main=similar)
    cosines = np.array(written.split(), float)
    expected = model.of("en").similarity_pairwise(
        HELD_OUT.side(0), HELD_OUT.side(1), model.of("xx")
    )
    np.testing.assert_allclose(cosines, expected, atol=6e-5)
    Path("taught.safetensors").unlink()
    call("teach pairs.tsv -o taught.safetensors --language xx")
    assert Path("taught.safetensors").read_bytes() == first
    assert loading.metadata_of("taught.safetensors")["pairs"] == "192"


def test_both_sources_are_read_each_pair_once() -> None:
    one, two, three = ("A dog runs.", "Un perro corre."), ("Hi!", "¡Hola!"), ("Bye", "Adiós")
    for name, pairs in (
        ("news", [two, one, two]),
        ("tatoeba", [one, three]),
        ("ntrex", [("kept", "for mining")]),
    ):
        text = "".join(f"{left}\t{right}\n" for left, right in pairs)
        Path(f"{name}.en-es.tsv.gz").write_bytes(gzip.compress(text.encode()))
    assert read_bitext(Path(), "es", set()) == Bitext(("en", "es"), (two, one, three))


SHAPE, HOW = Shape("WORD", 60, 8), BitextTraining(epochs=3, batch=32, learning_rate=0.03)
MADE = {
    "trained": named_encoders.BitextRecipe("trained", ("xx", "yy"), SHAPE, HOW),
    "random": named_encoders.BitextRecipe("random", ("xx",), SHAPE, None),
    "taught": named_encoders.BitextRecipe(
        "taught", ("xx", "yy"), shape=None, training=None, teaching=Teaching(batch=64, pieces=20)
    ),
}


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with bitext of two languages, and recipes that take little time."""
    monkeypatch.setattr(named_encoders, "RECIPES", MADE)
    Path("held-out.txt").write_text(f"{BITEXT.pairs[0][0]}\n{BITEXT.pairs[1][1]}\n")
    Path("data/bitext").mkdir(parents=True)
    for language in ("xx", "yy"):
        raw = Path("pairs.tsv").read_bytes()
        Path(f"data/bitext/tatoeba.en-{language}.tsv.gz").write_bytes(gzip.compress(raw))


@pytest.mark.parametrize("name", MADE)
def test_a_named_encoder_is_made(name: str, data: None, call: Any) -> None:
    line = f"make {name} --data data --held-out held-out.txt -o m.safetensors --work work"
    assert call(line) == ""
    first, about = Path("m.safetensors").read_bytes(), loading.metadata_of("m.safetensors")
    languages = MADE[name].languages
    assert about["languages"] == " ".join(("en", *languages))
    assert about["pairs"] == " ".join(["190"] * len(languages))
    assert json.loads(about["recipe"])["name"] == name
    learned_well = retrieved(load_multilingual("m.safetensors"), HELD_OUT) > 0.5
    assert learned_well == (name != "random")
    assert not list(Path("work").glob("*")) if Path("work").exists() else True
    call(line)
    assert Path("m.safetensors").read_bytes() == first


MORE = "-o m.safetensors --languages en xx"
TRAIN = f"{MORE} {QUICK}"
TEACH = "-o m.safetensors --language xx"
BAD = """
train TRAIN => name one BITEXT file or more, or two files after --sides
train three.tsv TRAIN => three.tsv:2: 3 columns; expected 2
teach hole.tsv TEACH => hole.tsv:2: the right side is empty
train --sides long short TRAIN => long:3: short has no line 3; expected as many lines in both
train --sides short space TRAIN => space:2: empty; expected a sentence on every line
train --sides none short TRAIN => none: empty
teach one.tsv TEACH => 1 of 2 pairs are left; at least two are needed
train pairs.tsv TRAIN --size 3 => pairs.tsv: no 3 pieces can be learned (Vocabulary size is smaller
teach pairs.tsv -o m.safetensors --language en => the other language
train pairs.tsv -o pairs.tsv/m.safetensors --languages en xx => cannot be written
train pairs.tsv TRAIN --sentencepiece one.tsv => one.tsv: no SentencePiece model
train pairs.tsv TRAIN --teacher paragram --dim 6 => have 8 numbers, these 6; train with --dim 8
train pairs.tsv MORE --start bitext-sp => unknown language of bitext-sp 'xx'; choose one of: en
train pairs.tsv TRAIN --checkpoint one.tsv => one.tsv: not a whole checkpoint
make bitext-best --data data --held-out held -o m.safetensors => unknown recipe 'bitext-best'; choose one of: bitext-sp
"""
"""A command, in which TRAIN, MORE and TEACH stand for the options above, and what it is told."""


@pytest.mark.parametrize("case", BAD.strip().splitlines())
def test_bad_input_ends_in_one_message_and_2(case: str, command: Command) -> None:
    Path("three.tsv").write_text("a\tb\na\tb\tc\n")
    Path("hole.tsv").write_text("a\tb\na\t\n")
    Path("one.tsv").write_text("a\tb\na\tb\n")
    Path("long").write_text("a\nb\nc\n")
    Path("short").write_text("a\nb\n")
    Path("space").write_text("d\n \n")
    Path("none").write_text("")
    before = {path.name for path in Path().iterdir()}
    line, message = (
        case.replace("TRAIN", TRAIN).replace("MORE", MORE).replace("TEACH", TEACH).split(" => ")
    )
    assert message in command(main, line).error
    assert {path.name for path in Path().iterdir()} == before
