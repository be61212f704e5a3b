"""An index in a folder: whole or absent, whatever stops a program or damages a file."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from semaniacs.embeddings.search import SearchIndex
from semaniacs.sts.errors import DataError, StsError
from tests.embeddings.search.test_search_index import ENCODER, IDS, QUERIES, SENTENCES

ROOT = Path(__file__).parents[3]


def built(folder: Path, count: int = 300) -> SearchIndex:
    return SearchIndex.build(SENTENCES[:count], ENCODER, ids=IDS[0][:count], folder=folder)


def test_an_index_comes_back_as_it_was(tmp_path: Path) -> None:
    memory = SearchIndex.build(SENTENCES, ENCODER, ids=IDS[0])
    memory.save(tmp_path / "saved")
    assert [p.name for p in (tmp_path / "saved").iterdir()] == ["index.sqlite"]
    written = built(tmp_path / "written")
    for name in ("saved", "written"):
        index = SearchIndex.load(tmp_path / name, ENCODER)
        assert (
            index.query(QUERIES, k=9) == memory.query(QUERIES, k=9) == written.query(QUERIES, k=9)
        )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["saved", "written"]


def test_an_addition_is_found_as_if_built_at_once(tmp_path: Path) -> None:
    whole = built(tmp_path / "whole")
    built(tmp_path / "parts", 120)
    index = SearchIndex.load(tmp_path / "parts", ENCODER)
    index.add(SENTENCES[120:], IDS[0][120:])
    assert SearchIndex.load(tmp_path / "parts", ENCODER).query(QUERIES) == whole.query(QUERIES)
    assert index.query(QUERIES) == whole.query(QUERIES)


def test_a_reader_is_not_disturbed_by_a_writer(tmp_path: Path) -> None:
    built(tmp_path / "index", 120)
    reader = SearchIndex.load(tmp_path / "index", ENCODER)
    before = reader.query(QUERIES)
    writer = SearchIndex.load(tmp_path / "index", ENCODER)
    with writer._store.adding():
        writer._store.add(ENCODER.encode, SENTENCES[120:], ids=IDS[0][120:])
        assert reader.query(QUERIES) == before
        assert SearchIndex.load(tmp_path / "index", ENCODER).query(QUERIES) == before
        with pytest.raises(StsError, match="another process adds to it; try again"):
            reader.add(["w1"], ["one more"])
    assert reader.query(QUERIES) == before and len(reader) == 120
    reader.add(["w1 w2 w3 w4"], ["last"])
    assert len(reader) == 301 and reader.query("w1 w2 w3 w4")[0].id == "last"


CRASH = """
import os, signal, sys
from semaniacs.embeddings.search import SearchIndex
from tests.embeddings.search.test_search_index import ENCODER
index = SearchIndex.load(sys.argv[1], ENCODER)
with index._store.adding():
    new = ["w1 w2 w3"] * 40 + ["w50 w51"]
    index._store.add(ENCODER.encode, new, ids=[f"new-{i}" for i in range(41)])
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    index = built(tmp_path / "index", 120)
    expected = index.query(QUERIES)
    ended = subprocess.run(
        [sys.executable, "-c", CRASH, str(tmp_path / "index")], cwd=ROOT, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    again = SearchIndex.load(tmp_path / "index", ENCODER)
    assert again.query(QUERIES) == expected and len(again) == 120
    again.add(SENTENCES[120:], IDS[0][120:])
    assert again.query(QUERIES) == built(tmp_path / "whole").query(QUERIES)


def test_a_build_that_fails_leaves_the_index_that_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    expected = built(folder, 120).query(QUERIES)
    with pytest.raises(StsError, match="replace it with --overwrite"):
        built(folder)
    with pytest.raises(StsError, match=r"sentences\[1\] is missing"):
        SearchIndex.build(["w1", None], ENCODER, folder=folder, overwrite=True)
    assert SearchIndex.load(folder, ENCODER).query(QUERIES) == expected
    reader = SearchIndex.load(folder, ENCODER)
    SearchIndex.build(["w1"], ENCODER, folder=folder, overwrite=True)
    assert reader.query(QUERIES) == expected
    assert len(SearchIndex.load(folder)) == 1 and [p.name for p in tmp_path.iterdir()] == ["index"]


def test_damage_and_other_files_are_reported(tmp_path: Path) -> None:
    built(tmp_path / "index", 120)
    database = tmp_path / "index" / "index.sqlite"
    whole = database.read_bytes()
    for damaged in (b"", b"x" * 5000, whole[:5000], whole[: len(whole) // 2]):
        database.write_bytes(damaged)
        with pytest.raises(DataError, match="damaged .* build the index again"):
            SearchIndex.load(tmp_path / "index")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(StsError, match="exists and is no index"):
        SearchIndex.build(["w1"], ENCODER, folder=tmp_path / "other", overwrite=True)
