"""Finding and checking data files on this machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.sts.data import fetch
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.errors import DataError, MissingResourceError, StsError
from semaniacs.sts.files import sha256_of_bytes
from tests.sts.data.toy_files import GOLD_PATH, INPUT, INPUT_PATH, data_file, toy, write

pytestmark = pytest.mark.usefixtures("cache")


def test_the_given_folder_comes_before_the_environment_and_replaces_it(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, environment = tmp_path / "given", tmp_path / "environment"
    given.mkdir()
    environment.mkdir()
    assert fetch.data_roots(None) == [cache]
    monkeypatch.setenv("STS_DATA", str(environment))
    assert fetch.data_roots(None) == [environment, environment / "sts", cache]
    assert fetch.data_roots(given) == [given, given / "sts", cache]


def test_a_named_folder_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"--data .*absent: not a folder; expected .*2012"):
        fetch.locate(toy().input, tmp_path / "absent")
    monkeypatch.setenv("STS_DATA", str(write(tmp_path, "a-file", b"")))
    with pytest.raises(DataError, match=r"STS_DATA .*a-file: not a folder"):
        fetch.locate(toy().input, None)


def test_a_copy_is_found_in_the_folder_or_under_sts_or_in_the_cache(
    tmp_path: Path, cache: Path, data: Path
) -> None:
    file = toy().input
    empty = tmp_path / "empty"
    empty.mkdir()
    assert fetch.locate(file, empty) is None
    assert fetch.locate(file, data) == data / INPUT_PATH
    below = write(empty, f"sts/{INPUT_PATH}", INPUT)
    assert fetch.locate(file, empty) == below
    cached = write(cache, INPUT_PATH, INPUT)
    assert fetch.locate(file, None) == cached
    assert fetch.locate(file, data) == data / INPUT_PATH


def test_a_file_without_address_says_where_a_copy_is_to_be(data: Path, cache: Path) -> None:
    file = data_file("2016-es-en/toy.txt", INPUT)
    with pytest.raises(MissingResourceError) as caught:
        fetch.ensure(file, data)
    for part in (str(data), str(cache), "--data DIR", "STS_DATA=DIR", "DIR/2016-es-en/toy.txt"):
        assert part in str(caught.value)


def test_load(data: Path) -> None:
    pairs = fetch.load(toy(), data)
    assert pairs.name == "toy"
    assert pairs.left == ("A cat sits.", "Dogs bark.", "He “ran”.")
    assert pairs.right == ("A cat is sitting.", "It rains.", "He ran.")
    np.testing.assert_array_equal(pairs.gold, [4.8, np.nan, 4.0])


def test_without_gold_the_gold_file_is_not_opened(data: Path) -> None:
    write(data, GOLD_PATH, b"\xff not gold\n")
    pairs = fetch.load(toy(), data, with_gold=False)
    assert len(pairs) == 3
    assert np.isnan(pairs.gold).all()
    with pytest.raises(StsError, match=r"STS\.gs\.toy\.txt"):
        fetch.load(toy(), data)


LINES = INPUT.splitlines(keepends=True)
MALFORMED = {
    "cut": (INPUT_PATH, LINES[0] + LINES[1], r"toy\.txt:3: the file holds 2 lines, expected 3"),
    "changed": (
        INPUT_PATH,
        INPUT.replace(b"rains", b"Rains"),
        rf"toy\.txt: sha256 [0-9a-f]{{64}}, expected {sha256_of_bytes(INPUT)}; "
        "this copy was changed.*semaniacs score FILE",
    ),
    "CRLF": (INPUT_PATH, INPUT.replace(b"\n", b"\r\n"), r"its lines end in CRLF; .*sed"),
    "gold changed": (GOLD_PATH, b"4.8\n\n5\n", r"gs\.toy\.txt: sha256 .*this copy was changed"),
}


@pytest.mark.parametrize(("path", "content", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_copy_is_refused_at_the_right_place(
    data: Path, path: str, content: bytes, message: str
) -> None:
    write(data, path, content)
    with pytest.raises(DataError, match=message):
        fetch.load(toy(), data)


def test_a_file_without_a_known_hash_is_held_to_its_rows(tmp_path: Path) -> None:
    (track,) = get_task("sts2017").datasets
    (tmp_path / "2017").mkdir()
    lines = [f"sentence {i}\tsentence {i + 1}" for i in range(250)]
    (tmp_path / track.input.path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / track.gold.path).write_text("2.5\n" * 250, encoding="utf-8")
    pairs = fetch.load(track, tmp_path)
    assert (len(pairs), pairs.left[0], pairs.gold[-1]) == (250, "sentence 0", 2.5)
    (tmp_path / track.gold.path).write_text("2.5\n" * 249, encoding="utf-8")
    with pytest.raises(DataError, match="250"):
        fetch.load(track, tmp_path)
    (other,) = get_task("sts2017-es").datasets
    with pytest.raises(MissingResourceError, match=r"sts2017\.eval\.v1\.1\.zip.*--data DIR"):
        fetch.load(other, tmp_path)
