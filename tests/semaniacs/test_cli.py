"""The command ``semaniacs``."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import semaniacs
from semaniacs.cli import semaniacs as command
from semaniacs.sts.errors import StsError

DOG, DOGS, STOCKS = "A dog runs.", "A dog is running.", "Stocks fell on Friday."


def call(*arguments: object, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(
        command, [str(a) for a in arguments], input=text, catch_exceptions=False
    )


@pytest.fixture(scope="module")
def scores() -> list[float]:
    from semaniacs.runs.scorer import load

    return load().score([DOG, DOG], [DOGS, STOCKS]).round(4).tolist()


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(f'id,a,note,b\n1,{DOG},x,{DOGS}\n2,{DOG},"y, z",{STOCKS}\n', encoding="utf-8")
    return path


def test_the_version() -> None:
    assert call("--version").output == f"semaniacs {semaniacs.__version__}\n"


# Score


def test_two_sentences(scores: list[float]) -> None:
    assert call("score", DOG, DOGS).output == f"{scores[0]:.4f}\n"
    assert call("score", DOG, DOGS, "--digits", "1").output == f"{scores[0]:.1f}\n"
    assert call("score", DOG, DOGS, "--format", "jsonl").output == f'{{"score": {scores[0]}}}\n'


def test_two_columns_give_a_score_a_line(scores: list[float], tmp_path: Path) -> None:
    text = f"{DOG}\t{DOGS}\n{DOG}\t{STOCKS}\n"
    (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
    expected = "".join(f"{score}\n" for score in scores)
    assert call("score", tmp_path / "pairs.tsv").output == expected
    assert call("score", "-", text=gzip.compress(text.encode())).output == expected
    text = f"{DOG}\t{DOGS}\nIt cost 3 euros in May.\tIt cost 4 euros in June.\n"
    told = "\tThe amounts differ: 3 euros ≠ 4 euros. The dates or times differ: May ≠ June."
    first, second = call("score", "-", "--differences", text=text).output.splitlines()
    assert first == f"{scores[0]}\t" and second.endswith(told)
    assert call("score", *text.split("\n")[1].split("\t"), "--differences").output.endswith(
        f"{told}\n"
    )


def test_other_columns_are_kept(scores: list[float], pairs: Path) -> None:
    lines = call("score", pairs).output.splitlines()
    assert lines == [
        "id,a,note,b,score",
        f"1,{DOG},x,{DOGS},{scores[0]}",
        f'2,{DOG},"y, z",{STOCKS},{scores[1]}',
    ]
    assert call("score", pairs, "--id", "id", "--format", "tsv").output.splitlines() == [
        "id\tscore",
        f"1\t{scores[0]}",
        f"2\t{scores[1]}",
    ]


def test_an_empty_cell(pairs: Path, tmp_path: Path) -> None:
    pairs.write_text(f"left,right\n{DOG},{DOGS}\n{DOG},\n", encoding="utf-8")
    with pytest.raises(StsError, match=r"pairs\.csv:3: the cell in column right is empty"):
        call("score", pairs, "-o", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
    last = call("score", pairs, "--format", "jsonl", "--empty", "nan").output.splitlines()[-1]
    assert json.loads(last)["score"] is None
    assert call("score", pairs, "--empty", "zero").output.endswith(",0.0\n")


def test_columns_by_name(pairs: Path) -> None:
    named = call("score", pairs, "--left", "b", "--right", "a").output
    assert named == call("score", pairs).output  # a score has no direction
    with pytest.raises(StsError, match="no column 'c' for --left; it has id, a, note, b"):
        call("score", pairs, "--left", "c")
    with pytest.raises(StsError, match="it has a column 'note'; pass --name"):
        call("score", pairs, "--name", "note")


def test_what_is_no_pair_is_refused_in_the_words_of_a_shell(pairs: Path) -> None:
    one = re.escape(
        "the left sentence is blank; a pair needs two. Go on without it with --missing skip"
    )
    with pytest.raises(StsError, match=one):
        call("score", " ", DOG)
    assert call("score", " ", DOG, "--empty", "zero").output == "0.0000\n"
    with pytest.raises(StsError, match="the right sentence is blank; a pair needs two"):
        call("explain", DOG, "")
    with pytest.raises(StsError, match="are files; expected two sentences, or one FILE of pairs"):
        call("score", pairs, pairs)
    for typed, said in {
        ("no.csv", "b.csv"): "no.csv: no such file; .* as a sentence, pipe in",
        (pairs, "./no/B.TSV.gz"): "B.TSV.gz: no such file",
        ("no such/../p.cvs",): "p.cvs: no such file; to compare two",
        ("p.cvs", DOG): "p.cvs: no such file",
        (DOG, pairs): "pairs.csv: a file; expected two",
    }.items():
        with pytest.raises(StsError, match=said):
            call("score", *typed)
    assert call("score", "Open ./b.csv", "Node.js").exit_code == 0
    with pytest.raises(StsError, match=r"out\.doc: doc cannot be written here; expected a name"):
        call("score", pairs, "-o", "out.doc")


def test_semicolons(pairs: Path, scores: list[float]) -> None:
    lines = f"a;b\n{DOG};{DOGS}\n{DOG};{STOCKS}\n"
    expected = f"a|b|score\n{DOG}|{DOGS}|{scores[0]}\n{DOG}|{STOCKS}|{scores[1]}\n"
    pairs.write_text(lines, encoding="utf-8")
    german = call("score", pairs, "--left", "a", "--right", "b").output
    assert german.replace(";", "|").replace(",", ".") == expected
    assert call("score", pairs, "--decimal", ".").output.replace(";", "|") == expected
    pairs.write_text(lines.replace(";", "|"), encoding="utf-8")
    assert call("score", pairs, "--delimiter", "|").output == expected
    explained = call("explain", pairs, "--delimiter", "|", "--format", "jsonl").output.splitlines()
    assert [round(json.loads(line)["score"], 4) for line in explained] == scores
    assert "type --interval last, or" in call("score", "--interval", pairs).output
    ended = call("score", pairs, "--delimiter", "||")
    assert ended.exit_code == 2 and "expected one character" in ended.output


# Explain and fit


def test_an_explanation(pairs: Path, scores: list[float]) -> None:
    table = call("explain", DOG, DOGS).output
    assert ["score", f"{scores[0]:.4f}"] in [line.split() for line in table.splitlines()]
    lines = call("explain", pairs, "--format", "jsonl").output.splitlines()
    assert [round(json.loads(line)["score"], 4) for line in lines] == scores


def test_fit_and_score(tmp_path: Path) -> None:
    rows = [f"A dog sees {i} cats.,The dog sees {i} cats.,5" for i in range(30)]
    rows += [f"A man buys {i} apples.,Stocks fell {i} points.,0" for i in range(30)]
    labelled = tmp_path / "labelled.csv"
    labelled.write_text("\n".join(["a,b,gold", *rows]) + "\n", encoding="utf-8")
    ended = call("fit", labelled, "--gold", "gold", "-o", tmp_path / "mine", "--folds", "2")
    assert ended.output.startswith("60 pairs, 2 folds: Pearson ")
    score = call("score", DOG, DOGS, "--model", tmp_path / "mine").output
    assert 0 <= float(score) <= 5
    labelled.write_text("a,b,gold\nx,y,much\n", encoding="utf-8")
    with pytest.raises(StsError, match=r"labelled\.csv:2: gold 'much'; expected a number"):
        call("fit", labelled, "--gold", "gold", "-o", tmp_path / "other")
    again = ("fit", labelled, "--gold", "gold", "-o", tmp_path / "mine")
    with pytest.raises(StsError, match="mine: contains a scorer; .* or type --overw"):
        call(*again)
    with pytest.raises(StsError, match="contains a scorer by contextual; name another folder$"):
        call(*again, "--model", "fusion-gbr", "--overwrite")
    with pytest.raises(
        StsError, match=r"labelled\.csv:2: gold 'much'; expected a number from 0 to 5"
    ):
        call(*again, "--overwrite")
    with pytest.raises(StsError, match="exists and is no scorer; name another folder"):
        call("fit", labelled, "--gold", "gold", "-o", tmp_path)
