"""Files that are opened on the page: how they are read, scored, and given back."""

from __future__ import annotations

import gzip
import io
import re
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from semaniacs.features.word_matches import match_words
from semaniacs.runs.scorer import load
from semaniacs.runs.service.served_models import ServedModels
from semaniacs.sts.errors import StsError
from tests.runs.service.conftest import asking

CSV = 'qid;answer;reference\r\nq1;"Ein ""Café""; zu";Ein Café\r\nq2;Nein;"Ja\r\nja"\r\n'
JSON = '{"a": 1, "b": 2, "score": 2.5}\n{"b": 3, "score": null}\n'
UNITS = f"<xliff>{'<trans-unit><source>ä</source><target>b</target></trans-unit>' * 2}</xliff>"


def sent(name: str, raw: bytes, **how: Any) -> dict[str, Any]:
    return {"name": name, "content": b64encode(raw).decode(), **how}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32"])
def test_csv_is_read_in_its_encoding_and_kept_as_it_is_written(
    client: TestClient, encoding: str
) -> None:
    found = client.post("/table", json=sent("p.csv", CSV.encode(encoding))).json()
    assert (found["left"], found["right"], found["id"]) == (1, 2, 0)
    how = (found["encoding"], found["header"], found["delimiter"], found["decimal"])
    assert how == (encoding, True, ";", ",")
    assert found["rows"] == [["q1", 'Ein "Café"; zu', "Ein Café"], ["q2", "Nein", "Ja\r\nja"]]
    added = {"score": [2.5, None], "what differs": ['a; "b"', ""], "qid": [1, 0]}
    body = sent("p.csv", CSV.encode(encoding)) | {"added": added}
    given = client.post("/table", json=body).json()
    assert given["name"] == "p.scored.csv"
    first, second, third = CSV.split("\r\n", 2)
    longer = (
        f'{first};score;what differs;new_qid\r\n{second};2,5;"a; ""b""";1\r\n{third[:-2]};;;0\r\n'
    )
    assert b64decode(given["content"]) == longer.encode(encoding)
    body["added"] = {"score": [1]}
    assert client.post("/table", json=body).status_code == 422


@pytest.mark.parametrize(
    ("name", "raw", "longer"),
    [
        ("p.tsv", b"a b\tc\nd\te", b"a b\tc\t2.5\nd\te\t"),
        ("p.csv.gz", gzip.compress(b"a,b\n1,2\n3,4", mtime=0), b"a,b,score\n1,2,2.5\n3,4,"),
        ("p.jsonl", b'{"a": 1, "b": 2}\n{"b": 3}\n', JSON.encode()),
        (
            "p.json",
            b'[{"a": 1, "b": 2}, {"b": 3}]',
            f"[\n{JSON[:-1]}\n]\n".replace("}\n{", "},\n{").encode(),
        ),
        ("p.xlf", UNITS.encode(), "\ufeffsource,target,score\nä,b,2.5\nä,b,\n".encode()),
    ],
)
def test_a_file_is_given_back_as_it_came(
    client: TestClient, name: str, raw: bytes, longer: bytes
) -> None:
    body = sent(name, raw) | {"added": {"score": [2.5, None]}}
    given = client.post("/table", json=body).json()
    content = b64decode(given["content"])
    assert given["name"].startswith(name.replace("p.", "p.scored."))
    assert (gzip.decompress(content) if name.endswith("gz") else content) == longer


def test_a_spreadsheet_stays_one(client: TestClient) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title, file = "7b", io.BytesIO()
    for row in (["answer", "reference"], ["x", "y"], [], ["x", 3]):
        book.active.append(row)
    book.save(file)
    body = sent("p.xlsx", file.getvalue()) | {"added": {"score": [2.5, 5]}}
    given = client.post("/table", json=body).json()
    book = openpyxl.load_workbook(io.BytesIO(b64decode(given["content"])))
    last = [[None] * 3, ["x", 3, 5]]
    assert [[*row] for row in book["7b"].values][1:] == [["x", "y", 2.5], *last]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("question,model_answer,reference", (1, 2, None)),
        ("Id,ground_truth,Prediction", (2, 1, 0)),
        ("sentence2,sentence1,note", (1, 0, None)),
        ("pair_id,one,two,three", (None, None, 0)),
        ("id,name,student answer,gold,model answer", (2, 4, 0)),
        ("Student;Answer;Reference", (1, 2, None)),
        ("question,answer,model_answer_tokens", (0, 1, None)),
        ("Question,Answer,Model Answer,Student Answer", (3, 2, None)),
        ("Student\tKey\tMark", (0, 1, None)),
        ("Name\tKey\tPupil's answer\tMark scheme", (2, 3, 1)),
        ("Student\tAnswer\tReference", (1, 2, None)),
    ],
)
def test_columns_are_guessed_by_their_names(
    client: TestClient, columns: str, expected: tuple[Any, ...]
) -> None:
    row = re.sub(r"[^,;\t]+", "x", columns)
    raw = f"{columns}\n{row}\n".encode()
    for name in ("p.tsv", "p.txt") if b"\t" in raw else ("p.csv",):
        found = client.post("/table", json=sent(name, raw)).json()
        assert (found["left"], found["right"], found["id"]) == expected
        assert found["header"] and len(found["rows"]) == 1


def test_a_lone_surrogate_is_shown_as_it_is_typed(client: TestClient) -> None:
    raw = b'{"left": "a \\ud800 dog", "right": "a cat"}\n'
    found = client.post("/table", json=sent("p.jsonl", raw)).json()
    assert found["rows"] == [["a \\ud800 dog", "a cat"]]


def test_a_first_row_of_sentences_is_no_header(client: TestClient) -> None:
    raw = b"Ann\tThe answer.\tThe reference.\nBen\tYes\tNo\n"
    found = client.post("/table", json=sent("p.tsv", raw)).json()
    assert not found["header"] and len(found["rows"]) == 2


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (sent("p.csv", b""), "p.csv: the file is empty"),
        (sent("p.csv", b"a,b\n1,2,3\n"), "p.csv:2: 3 cells, expected 2"),
        (sent("p.csv", b"\xff", encoding="utf-8"), "p.csv: not text in utf-8"),
        (sent("p.csv.gz", b"\x1f\x8bxx"), "p.csv.gz: damaged gzip"),
    ],
)
def test_a_file_that_cannot_be_read(client: TestClient, table: Any, said: str) -> None:
    answer = client.post("/table", json=table)
    assert answer.status_code == 422
    assert answer.json()["error"]["message"].startswith(said)


def test_intervals_calibrations_and_differences(client: TestClient, tmp_path: Path) -> None:
    pairs = [["It cost $3 million.", "It cost $3 billion."], ["A dog runs.", ""], ["a", "a"]]
    body = {"pairs": pairs, "level": 0.9, "differences": True, "empty": "null"}
    found = client.post("/score", json=body).json()
    assert found["differences"][0][0] == "The amounts differ: $3 million ≠ $3 billion."
    assert found["differences"][1:] == [[], []] and found["low"][1] is None
    assert found["contradicts"] == [True, False, False]
    scorer = load("raw")
    left, right = [f"{n} dogs" for n in range(80)], [f"{n % 7} dogs" for n in range(80)]
    scores = scorer.score(left, right)
    scorer.calibrate(left, right, scores / 2).save(tmp_path / "half.json")
    models = ServedModels(("raw",), ("paragram",), calibrations=(str(tmp_path / "half.json"),))
    with asking(models) as own:
        (about,) = own.get("/health").json()["calibrations"]
        assert (about["name"], about["model"], about["intervals"]) == ("half", "raw", True)
        pair = {"pairs": [[left[9], right[9]]], "level": 0.8, "calibration": "half"}
        found = own.post("/score", json=pair).json()
        assert found["scores"][0] == pytest.approx(scores[9] / 2, abs=0.05)
        assert found["low"][0] <= found["scores"][0] <= found["high"][0]
        assert own.post("/score", json=pair | {"calibration": "no"}).status_code == 422
    with asking(ServedModels(("multilingual",), ("paragram",))) as own:
        pair = {"pairs": [["12 bolts", "21 Schrauben"]], "languages": ["en", "de"]}
        found = own.post("/score", json=pair | {"differences": True}).json()
        assert found["differences"][0][0] == "numbers: 12 ↔ 21"
    with pytest.raises(StsError, match="which is not served; add --model"):
        ServedModels(("fusion",), ("paragram",), calibrations=(str(tmp_path / "half.json"),))


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        ("The dog bit the man.", "The man bit the dog.", ["dog", "man"]),
        ("From Florida to New York.", "From New York to Florida.", ["Florida", "New", "York"]),
        ("Anna is taller than Ben.", "Ben is taller than Anna.", ["Anna", "Ben"]),
        ("In May he left.", "He left in May.", []),
        ("Anna and Ben came.", "Ben and Anna came.", []),
        ("Only he saw it.", "He only saw it.", []),
        ("It cost 3 million euros.", "It cost 3 billion euros.", ["million"]),
        ("He went to Paris.", "He went to London.", ["Paris"]),
    ],
)
def test_exchanged_words_are_not_shown_as_matched(left: str, right: str, words: list[str]) -> None:
    sides = match_words(left, right)
    assert sorted(word.word for word in sides["left"].words if word.exchanged) == words
    replaced = {word.exchanged for word in sides["right"].words if word.exchanged}
    assert len(replaced) == len({*words} - {"York"})
