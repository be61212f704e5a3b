"""``semaniacs encode``, ``similar``, ``keep``, ``train``, ``export`` and ``info``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs import embeddings
from semaniacs.cli import run as main
from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext.language_files import save_taught
from semaniacs.embeddings.bitext.multilingual import Taught, with_fallback
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.table import Table, as_int4
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from tests.embeddings.conftest import Command

KNOWN = "a the cat dog sat ran mat lawn quick slow big small fast tiny huge".split()


def make_encoder() -> Encoder:
    rows = np.random.default_rng(0).standard_normal((len(KNOWN) + 4, 8)).astype(np.float32)
    return Encoder(WordTokenizer(KNOWN, 4), rows)


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    save_encoder(tmp_path / "toy.safetensors", make_encoder(), licence="MIT")
    return "toy.safetensors"


@pytest.fixture
def call(command: Command) -> Any:
    return lambda *arguments, stdin=b"": command(main, " ".join(arguments), stdin).printed


TEXT = b"the cat sat\r\n\nA\x0bdog \xe2\x80\xa8ran\nxyz"
SENTENCES = ["the cat sat", "", "A\x0bdog \u2028ran", "xyz"]


@pytest.mark.parametrize("batch", ["3", "65536"])
@pytest.mark.parametrize("source", ["plain.txt", "packed.gz", "-"])
def test_lines_are_encoded_in_order(call: Any, model: str, batch: str, source: str) -> None:
    Path("plain.txt").write_bytes(TEXT)
    Path("packed.gz").write_bytes(gzip.compress(TEXT))
    call("encode", source, "-o", "new/v.npy", "--model", model, "--batch", batch, stdin=TEXT)
    vectors = np.load("new/v.npy")
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, loading.load_static(model).encode(SENTENCES))
    assert [file.name for file in Path("new").iterdir()] == ["v.npy"]


def test_nothing_half_written_is_left(tmp_path: Path, command: Command) -> None:
    Path("bad.txt").write_bytes(b"the cat\n" * 10 + b"\xff\n")
    Path("v.npy").write_bytes(b"old")
    assert command(main, "encode bad.txt -o v.npy --model toy.safetensors --batch 2").error
    assert Path("v.npy").read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.txt", "toy.safetensors", "v.npy"]


def test_what_a_model_of_english_cannot_read_is_told_once(command: Command) -> None:
    Path("list.txt").write_text("Собака\nЁж\n", encoding="utf-8")
    line, text = "similar - --against list.txt", "a cat\nCafé\n".encode()
    ended = command(main, line, text)
    assert ended.code == 0
    (warning,) = [told for told in ended.err.splitlines() if told.startswith("warning")]
    assert warning.startswith("warning: 2 of 4 sentences are not in Latin script, such as '")
    assert "; paragram knows English alone: try --model multilingual, which reads" in warning
    toy = f"{line} --model toy.safetensors"  # of which nobody knows the language
    assert "warning" not in command(main, toy, text).err


SPANISH = ["el", "gato", "perro"]


def save_both() -> tuple[Encoder, Encoder]:
    """English and Spanish in a file, in which the, cat and dog have the rows of el, gato, perro."""
    english = loading.load_static("toy.safetensors")
    rows = Table(english.rows.values[1:4], english.rows.scale[1:4])
    spanish = with_fallback(english, SPANISH, rows)
    taught = {"es": Taught(spanish, 3)}
    save_taught(Path("both.safetensors"), taught, "toy.safetensors", english)
    return english, spanish


def test_sides_may_be_of_two_languages(call: Any) -> None:
    english, spanish = save_both()
    pairs = b"el gato\tthe cat\nel perro\tthe cat\n"
    both = ("--model", "both.safetensors", "--languages")
    expected = spanish.similarity_pairwise(["el gato", "el perro"], ["the cat"] * 2, english)
    assert call("similar", "-", *both, "es", "en", stdin=pairs).split() == [
        "1.0000",
        f"{expected[1]:z.4f}",
    ]
    turned = b"the cat\tel gato"
    assert call("similar", "-", *both, "en", "es", stdin=turned) == "1.0000\n"
    Path("list.txt").write_text("a dog\nthe cat\nthe dog\n")
    written = call("similar", "-", "--against", "list.txt", "-k", "1", *both, "es", "en",
                   stdin=b"el perro\nel gato")  # fmt: skip
    assert written == "el perro\t1.0000\tthe dog\nel gato\t1.0000\tthe cat\n"
    assert embeddings.load("both.safetensors", "es").encode(["gato"]).tobytes() == (
        english.encode(["cat"]).tobytes()
    )


TABLES = {
    "t.csv": 'id,question,answer\n1,the cat sat,the cat ran\n2,big cat,"cat\nbig"\n',
    "t.tsv": "question\tid\tanswer\nthe cat sat\t1\tthe cat ran\nbig cat\t2\tcat big\n",
    "t.jsonl": "".join(
        json.dumps({"question": a, "answer": b}) + "\n"
        for a, b in (("the cat sat", "the cat ran"), ("big cat", "cat big"))
    ),
}


@pytest.mark.parametrize("name", [*TABLES, "-"])
def test_a_column_of_a_table_is_encoded_and_pairs_are_compared(
    name: str, call: Any, model: str
) -> None:
    text = TABLES.get(name, TABLES["t.csv"])
    Path(name).write_text(text)
    how = ["--from", "csv"] if name == "-" else []
    header = ["--header"] if name == "t.tsv" else []
    given = text.encode()
    written = ["--model", model, *header, *how]
    call("encode", name, "--text", "answer", "-o", "v.npy", "--batch", "1", *written, stdin=given)
    encoder = loading.load_static(model)
    np.testing.assert_array_equal(np.load("v.npy"), encoder.encode(["the cat ran", "cat big"]))
    cosines = encoder.similarity_pairwise(["the cat sat", "big cat"], ["the cat ran", "cat big"])
    columns = ["--left", "question", "--right", "answer"]
    assert call("similar", name, *columns, *written, stdin=given).split() == [
        f"{cosine:.4f}" for cosine in cosines
    ]


PAIRS = b"the cat sat\tthe cat ran\nthe\tdog\n\tdog\nbig cat\tcat big\n"


def test_pairs_have_a_cosine_each(call: Any, model: str) -> None:
    pairs = [line.split("\t") for line in PAIRS.decode().split("\n")[:-1]]
    left, right = zip(*pairs, strict=True)
    cosines = loading.load_static(model).similarity_pairwise(left, right)
    written = call("similar", "-", "--model", model, "--missing", "skip", stdin=PAIRS)
    assert written.splitlines() == [
        f"{c:z.4f}" * bool(a) for a, c in zip(left, cosines, strict=True)
    ]
    assert written.splitlines()[2:] == ["", "1.0000"]
    Path("pairs.tsv").write_bytes(PAIRS)
    how = ("--model", model, "-o", "c.txt", "--digits", "2", "--missing", "dog")
    assert call("similar", "pairs.tsv", *how) == ""
    assert Path("c.txt").read_text().splitlines()[2] == "1.00"


def test_the_most_similar_lines_come_first(call: Any, model: str) -> None:
    listed = ["dog", "cat", "the cat", "", "cat", " "]  # blank ones are not found
    Path("list.txt").write_text("\n".join(listed) + "\n")
    written = call(
        "similar", "-", "--against", "list.txt", "-k", "3", "--model", model, stdin=b"\ncat"
    )
    rows = [line.split("\t") for line in written.splitlines()]
    assert [row[0] for row in rows] == ["cat"] * 3
    assert [row[2] for row in rows] == ["cat", "the cat", "dog"]  # copies are found once
    expected = loading.load_static(model).similarity(["cat"], ["cat", "the cat", "dog"])[0]
    np.testing.assert_allclose([float(row[1]) for row in rows], expected, atol=5e-5)
    everything = call("similar", "-", "--against", "list.txt", "--model", model, stdin=b"a\n\na\n")
    assert len(everything.splitlines()) == 6
    Path("list.txt").write_text("\n")
    assert call("similar", "-", "--against", "list.txt", "--model", model, stdin=b"a\n") == ""


TRAINING = "".join(
    f"{a} {noun}\t{b} {noun}\n"
    for noun in ("cat", "dog", "mat", "lawn")
    for a, b in (("quick", "fast"), ("small", "tiny"), ("big", "huge"))
)
DEV = "quick cat\tfast cat\t5\nbig cat\tslow dog\t0.5\nsmall mat\ttiny mat\t4\nthe dog\ta huge\t1\n"


def test_training_brings_the_sides_of_pairs_closer(call: Any, model: str) -> None:
    Path("pairs.tsv").write_text(TRAINING)
    Path("dev.tsv").write_text(DEV)
    written = call(
        *"train pairs.tsv -o tuned.safetensors --dev dev.tsv --epochs 8 --batch 4".split(),
        *"--optimizer adam --learning-rate 0.05 --curve out/curve --checkpoint c".split(),
        *("--from", model),
    )
    before, after = (float(written.split()[place]) for place in (2, 4))
    assert after > before
    tuned = embeddings.load("tuned.safetensors")
    left, right, gold = zip(*(line.split("\t") for line in DEV.splitlines()), strict=True)
    cosines = tuned.similarity_pairwise(left, right)
    assert np.corrcoef(cosines, [float(g) for g in gold])[0, 1] == pytest.approx(after, abs=5e-5)
    recipe = json.loads(loading.metadata_of("tuned.safetensors")["recipe"])
    assert (recipe["epochs"], recipe["optimizer"]) == (8, "adam")
    assert recipe["start"] == loading.load_static(model).digest
    assert sorted(p.name for p in Path("out").iterdir()) == ["curve.csv", "curve.png"]
    assert not Path("c").exists()


def test_one_file_is_exported_in_eight_bits_or_four(call: Any, model: str) -> None:
    call("export", model, "-o", "eight.safetensors", "--to", "file")
    assert embeddings.load("eight.safetensors").digest == loading.load_static(model).digest
    call("export", model, "-o", "four.safetensors", "--to", "file", "--dtype", "int4")
    four = loading.load_static("four.safetensors")
    assert four.digest == Encoder(four.tokenizer, as_int4(loading.load_static(model).rows)).digest
    assert loading.metadata_of("four.safetensors")["licence"] == "MIT"


def test_info_tells_what_a_model_is_made_of(call: Any, model: str) -> None:
    facts = dict(line.split(maxsplit=1) for line in call("info", model).splitlines())
    assert facts["rows"] == "19: 15 words, 0 pieces, 4 hashed"
    assert (facts["dim"], facts["dtype"], facts["licence"]) == ("8", "int8", "MIT")
    assert facts["bytes"].startswith("228 in memory")
    assert facts["fingerprint"] == loading.load_static(model).digest
    assert "fingerprint" in call("info")
    call("export", model, "-o", "out", "--to", "folder")
    assert facts["fingerprint"] in call("info", "out")


BAD = """
encode gone.txt -o v.npy => gone.txt: no such file
encode empty -o v.npy => empty: empty; expected at least one line
encode latin1 -o v.npy => latin1:2
encode cut.gz -o v.npy => cut.gz: damaged gzip (Compressed file ended
similar three => three:2: 3 cells, expected 2
similar wide => wide: which columns are the sentences? It has 1, 2, 3; name two with --left and --right
similar - --against - => cannot both be stdin
encode one -o . => cannot be written (not a regular file)
encode one -o v.npy --model paragrm => unknown encoder or vector file 'paragrm'
train blank -o t.safetensors => blank:2: the cell in column 2 is empty or NaN; a pair needs two sentences. Leave its row out
train pair -o t.safetensors => 1 training pairs; at least two
train pairs -o t.safetensors --dev pairs => pairs: 2 columns; expected 3: left, right, gold
train pairs -o pairs => two of the files to read and write are the same
train pairs -o t.safetensors --dev words => words:2: gold 'high'; expected a number
train pairs -o . => not written by this program
encode one -o v.npy --model both.safetensors --language fr => unknown language of both.safetensors 'fr'; choose one of: en, es
encode one -o v.npy --model both.safetensors => name the language, with --languages: en, es, or auto
keep pairs --model both.safetensors => several languages (en es)
export toy.safetensors -o v --to file --dtype float32 => --dtype float32 with --format file; expected int8 or int4
"""
"""A command, and what it is told."""


@pytest.fixture
def files() -> None:
    for name, text in {
        "empty": b"",
        "one": b"the cat\n",
        "pair": b"the cat\tthe dog\n",
        "pairs": b"the cat\tthe dog\na cat\ta dog\n",
        "three": b"a cat\tb\na\tb\tc\n",
        "wide": b"the cat\tthe dog\tran\n",
        "blank": b"the cat\tthe dog\na cat\t \n",
        "latin1": b"ok\nna\xefve\n",
        "words": b"a\tb\t1\na\tb\thigh\n",
        "cut.gz": gzip.compress(b"the cat\n" * 9)[:-9],
    }.items():
        Path(name).write_bytes(text)
    save_both()


@pytest.mark.parametrize("case", BAD.strip().splitlines())
def test_bad_input_ends_in_one_message_and_2(
    case: str, files: None, model: str, command: Command
) -> None:
    line, message = case.split(" => ")
    if line.startswith(("encode", "similar")) and "--model" not in line:
        line += f" --model {model}"
    if line.startswith("train") and "--from" not in line:
        line += f" --from {model} --epochs 1"
    assert message in command(main, line).error
    assert not Path("v.npy").exists() and not Path("t.safetensors").exists()


@pytest.mark.parametrize(
    "line", ["", "encoed x", "encode x -o y --batch 0", "export x -o y --to onnx"]
)
def test_a_bad_option_ends_in_2(line: str, command: Command) -> None:
    assert command(main, line).code == 2


def test_keep_leaves_out_what_teaches_nothing(command: Command) -> None:
    rows = [
        ("A man plays the guitar.", "a man plays the guitar"),
        ("A man plays the guitar.", "A guy is playing guitar."),
        ("A man plays the guitar.", "Stocks fell on Friday."),
    ]
    pairs = "".join(f"{a}\t{b}\n" for a, b in rows).encode()
    told = command(main, "keep -", pairs)
    assert told.out == "A man plays the guitar.\tA guy is playing guitar.\n"
    assert told.err == "3 pairs: 1 identical, 1 drifted, 0 too close, 1 kept\n"
    assert command(main, "keep - --lowest -1 -o out.tsv", pairs).code == 0
    assert len(Path("out.tsv").read_text(encoding="utf-8").splitlines()) == 2
    assert "1 too close, 0 kept" in command(main, "keep - --highest 0.5", pairs).err
