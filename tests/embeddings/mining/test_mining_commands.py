"""``semaniacs mine``: output and errors."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.cli import run
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.mining.bucc import open_sentences
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from tests.embeddings.conftest import Command

ENGLISH = "a dog cat sat ran mat lawn quick slow big small fast tiny huge old".split()
SPANISH = "un perro gato sentó corrió estera césped veloz lento gran chico ágil mini enorme viejo"
WORDS = dict(zip(ENGLISH, SPANISH.split(), strict=True))


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors in which a word and its translation are one; files that a test works in."""
    monkeypatch.chdir(tmp_path)
    # They lean one way, as real ones do: the mean cosine with neighbours is positive.
    rows = np.random.default_rng(0).standard_normal((len(WORDS), 32)).astype(np.float32)
    rows += np.float32(0.5)
    both = np.concatenate([rows, rows, np.zeros((1, 32), np.float32)])
    encoder = Encoder(WordTokenizer([*WORDS, *WORDS.values()], 1), both)
    save_encoder(tmp_path / "toy.safetensors", encoder)
    Path("en").write_text(
        "en-1\ta big dog sat\nen-2\ta cat ran\nen-3\t\nen-4\thuge slow mat\nen-5\ttiny lawn\n"
    )
    Path("es").write_text(
        "es-1\tun gato corrió\nes-2\tun gran perro sentó\nes-3\tveloz estera\nes-4\tágil viejo\n"
    )
    Path("gold").write_text("es-1\ten-2\nes-2\ten-1\n")


@pytest.fixture
def call(command: Command) -> Any:
    def called(line: str) -> tuple[str, str]:
        ended = command(run, f"mine {line}")
        return ended.printed, ended.err

    return called


BITEXT = "bitext es en --model toy.safetensors -k 2"


def test_translations_are_found_the_best_first(call: Any) -> None:
    out, _ = call(BITEXT)
    names, *lines = [line.split("\t") for line in out.splitlines()]
    assert names == ["source_id", "target_id", "score", "source", "target"]
    assert call(f"{BITEXT} --no-texts")[0].splitlines() == ["\t".join(line[:3]) for line in lines]
    assert {("es-1", "en-2"), ("es-2", "en-1")} == {tuple(line[:2]) for line in lines[:2]}
    scores = [float(line[2]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert all(re.fullmatch(r"-?\d+\.\d{6}", line[2]) for line in lines)
    assert "en-3" not in out


def test_the_threshold_is_chosen_on_gold_and_told(call: Any) -> None:
    everything, _ = call(f"{BITEXT} -o all")
    _, err = call(f"{BITEXT} --gold gold -o best")
    assert everything == ""
    assert Path("best").read_text().splitlines() == Path("all").read_text().splitlines()[:3]
    told = re.search(r"--threshold (\S+) is best on gold: F1 1.0000", err)
    assert told
    assert "2 pairs written to best" in err
    call(f"{BITEXT} --threshold {told[1]} -o again")
    assert Path("again").read_bytes() == Path("best").read_bytes()
    out, _ = call(f"score all --gold gold --threshold {told[1]}")
    assert (
        out.split()
        == (
            f"pairs 2 gold 2 correct 2 precision 1.0000 recall 1.0000 F1 1.0000 threshold {told[1]}"
        ).split()
    )
    assert call("score all --gold gold --threshold best")[0] == out


@pytest.mark.parametrize("options", ["", "--search ivf --clusters 2 --probe 2", "--block 2"])
def test_the_same_bytes_whatever_the_way(call: Any, options: str) -> None:
    assert call(f"{BITEXT} {options}") == call(BITEXT)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{BITEXT} -k 5", "es: 4 sentences that are not blank are too few for 5 neighbours"),
        ("bitext en es --model toy.safetensors -k 2 --gold gold", "the other way round"),
        (f"{BITEXT} --gold wrong", "wrong:1: 'en-77' is no id of en (its first is 'en-1')"),
        (f"{BITEXT} --gold unlike", "none of its 1 pairs is among the"),
        (f"{BITEXT} --probe 3", "--clusters and --probe have no meaning without --search ivf"),
        ("bitext es - --model toy.safetensors", "put stdin into a file"),
        ("bitext es void --model toy.safetensors -k 1", "--top-k 1 neighbours among 0 sentences"),
    ],
)
def test_what_cannot_be_mined_is_refused(command: Command, line: str, message: str) -> None:
    Path("wrong").write_text("es-1\ten-77\n")
    Path("unlike").write_text("es-1\ten-5\n")
    Path("void").write_text("qqq\nzzz\n")
    before = sorted(Path().iterdir())
    assert message in command(run, f"mine {line}").error
    assert sorted(Path().iterdir()) == before


def test_a_mined_file_is_scored_as_it_is(call: Any) -> None:
    Path("mined").write_text("es-1\ten-2\t3\nes-2\ten-4\t2\nes-7\ten-9\t1\tun\ta\n")
    Path("gold").write_text("es-1\ten-2\nes-2\ten-1\n")
    assert call("score mined --gold gold")[0] == (
        "pairs              3\n"
        "gold               2\n"
        "correct            1\n"
        "precision     0.3333\n"
        "recall        0.5000\n"
        "F1            0.4000\n"
    )
    assert "precision     1.0000" in call("score mined --gold gold --threshold 3")[0]
    assert "F1            0.0000" in call("score mined --gold gold --threshold 3.1")[0]
    assert "threshold        2.5" in call("score mined --gold gold --threshold best")[0]


LIST = "a cat ran\nold mat\nran cat a\nA cat ran!\n\ncat a ran fast\n"


def test_paraphrases_come_once_and_the_best_first(call: Any) -> None:
    Path("list").write_text(LIST)
    out, err = call("paraphrases list --model toy.safetensors -k 2 --top 2 -o pairs")
    assert out == ""
    first, second = (line.split("\t") for line in Path("pairs").read_text().splitlines())
    assert first == ["a cat ran", "ran cat a", "1.000000", "1", "3"]
    assert (second[1], second[4]) == ("cat a ran fast", "6")
    assert "1 line repeats an earlier one and is skipped; see --copies" in err
    assert re.search(r"2 of \d pairs are written; --top N or --threshold gives more", err)
    everything, _ = call("paraphrases list --model toy.safetensors -k 3 --threshold -1")
    assert len(everything.splitlines()) == 4 * 3 / 2


def test_a_task_is_planted_as_bucc_has_it(call: Any) -> None:
    pairs = "".join(f"the good line {i}\tla buena línea {i}\n" for i in range(20))
    Path("good.gz").write_bytes(gzip.compress(pairs.encode()))
    news = (f"any other line {i}\tcualquier otra línea {i}\n" for i in range(400))
    Path("news").write_text("".join(news))
    command = "plant good.gz --unrelated news --languages en,es --share 0.04 -o out/dev"
    _, err = call(command)
    assert "8 pairs planted among 200 sentences of each side (4.00%)" in err
    files = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert sorted(files) == ["dev.en", "dev.es", "dev.gold"]
    sides: dict[str, dict[str, str]] = {}
    for name in ("en", "es"):
        lines = [line.split("\t") for line in files[f"dev.{name}"].decode().splitlines()]
        assert [line[0] for line in lines] == [f"{name}-{i:09d}" for i in range(1, 201)]
        sides[name] = dict(lines)  # type: ignore[arg-type]
    gold = [line.split("\t") for line in files["dev.gold"].decode().splitlines()]
    assert gold == sorted(gold)
    for spanish, english in gold:
        number = sides["en"][english].removeprefix("the good line ")
        assert sides["es"][spanish] == f"la buena línea {number}"
    call(command)
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == files


BUCC = "es-1\tHola.\nes-2\t \nes-3\tAdiós \u2028.\n"


def test_a_line_with_an_id_makes_a_corpus_of_bucc() -> None:
    Path("es").write_text(BUCC, encoding="utf-8", newline="")
    corpus = open_sentences("es")
    assert (corpus.format, corpus.ids, corpus.filled) == ("bucc", ["es-1", "es-2", "es-3"], 2)
    assert list(corpus.sentences()) == ["Hola.", " ", "Adiós \u2028."]
    assert corpus.texts([2, 0]) == {0: "Hola.", 2: "Adiós \u2028."}
