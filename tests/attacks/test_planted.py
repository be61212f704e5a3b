"""Every checker finds a defect that is planted for it."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from runs.tables.made_again import differences
from sts.errors import DataError
from tests.attacks import any_bytes
from tests.attacks.__main__ import collect
from tests.attacks.any_bytes import attack, grows, outcome
from tests.attacks.at_import import at_import_of
from tests.attacks.readers import Reader
from tests.attacks.surroundings import compare


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess; subprocess.run(['true'])",
        "import pickle; pickle.loads(pickle.dumps(len))",
        "import socket; socket.create_connection",
        "import urllib.request, contextlib\nwith contextlib.suppress(OSError): urllib.request.urlopen('http://127.0.0.1:9')",
    ],
)
def test_what_is_done_at_import_is_seen(source: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(source, encoding="utf-8")
    told = at_import_of("planted", tmp_path)
    assert (told is None) == source.endswith("create_connection")


@pytest.mark.parametrize(
    ("script", "cases", "failure"),
    [
        ("print('null'); print('{\"end\": true}')", 1, None),
        ("print('null'); print('\"lost\"'); print('{\"end\": true}')", 2, "lost"),
        ("print('null', flush=True); import os; os.abort()", 1, "died with -6 in case 2: "),
        (
            "print('null', flush=True); import time; time.sleep(60)",
            1,
            "hung in case 2: no end in 1 s",
        ),
        ("print('{\"end\": true}')", 0, "made no cases"),
    ],
)
def test_what_hangs_dies_or_makes_nothing_fails(
    script: str, cases: int, failure: str | None
) -> None:
    found = collect([sys.executable, "-c", script], 1 if "sleep" in script else 60)
    assert (found.cases, found.failures) == (cases, [] if failure is None else [failure])


def read_badly(path: Path) -> None:
    """A reader with one defect of each kind."""
    raw = path.read_bytes()
    if b"null" in raw:
        raise KeyError("null")
    if b"9" * 400 in raw:
        raise DataError(f"{path}: two\nlines")
    if b"\xff" in raw:
        np.empty(2**33, np.uint8)
    assert b"\0" not in raw, "read wrong"


PLANTED = Reader("planted", ".x", lambda: b"a sample: of some bytes\n" * 5, read_badly)


def test_defects_of_a_reader_are_found(tmp_path: Path) -> None:
    found = [one for one in attack(PLANTED, Random(0), 300, tmp_path) if one]
    kinds = ("KeyError at", "several lines", "takes more than", "AssertionError at")
    assert [kind for kind in kinds if not any(kind in one for one in found)] == []


def test_a_reader_that_never_ends_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path) -> None:
        while path:
            pass

    monkeypatch.setattr(any_bytes, "SECONDS", 0.05)
    path = tmp_path / "x"
    path.write_bytes(b"")
    assert "takes more than 0.05 s" in str(outcome(Reader("x", "", bytes, read), path))


def test_a_square_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(any_bytes, "FLOOR", 0.01)
    clock = [0.0]
    monkeypatch.setattr(any_bytes.time, "process_time", lambda: clock[0])

    def read(path: Path) -> None:
        clock[0] += (path.stat().st_size / 1024) ** 2 / 10_000

    reader = Reader("x", "", bytes, read)
    assert "s for 8, 32, 128 KiB" in str(grows(reader, b"a", tmp_path / "x"))


def test_surroundings_that_show_are_found(tmp_path: Path) -> None:
    planted = ("-c", "print(hash('a'), len({'a', 'b'}))")
    found = list(compare(planted, Random(0), 2, tmp_path))
    assert len(found) == 2 and all(found)
    steady = ("-c", "open('out', 'w').write('the same')")
    assert list(compare(steady, Random(0), 2, tmp_path)) == [None, None]


def test_a_result_that_was_changed_is_found() -> None:
    kept = {"mean": 0.7, "datasets": {"a": {"pearson": 0.5}}, "signature": {"code": "x"}}
    made = {"mean": 0.7, "datasets": {"a": {"pearson": 0.6}}, "signature": {"code": "y"}}
    assert list(differences(kept, made)) == [
        "datasets.a.pearson: 0.5, made again 0.6",
        "signature.code: 'x', made again 'y'",
    ]
    assert list(differences(kept, kept)) == []
    assert list(differences(kept, made, within=0.2)) == ["signature.code: 'x', made again 'y'"]
