"""An index in a folder: whole or not there, whatever stops a program or damages a file."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from embeddings.search import SearchIndex, column_store
from embeddings.search.column_store import FolderStore
from embeddings.search.index_entries import COLUMNS
from sts.errors import DataError, StsError
from tests.embeddings.search.test_search_index import ENCODER, IDS, QUERIES, SENTENCES

ROOT = Path(__file__).parents[3]


def built(folder: Path, count: int = 300) -> SearchIndex:
    return SearchIndex.build(SENTENCES[:count], ENCODER, ids=IDS[0][:count], folder=folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_an_index_comes_back_as_it_was(tmp_path: Path) -> None:
    memory = SearchIndex.build(SENTENCES, ENCODER, ids=IDS[0])
    memory.save(tmp_path / "saved")
    written = built(tmp_path / "written")
    assert contents(tmp_path / "saved") == contents(tmp_path / "written")
    for name in ("saved", "written"):
        index = SearchIndex.load(tmp_path / name, ENCODER)
        assert (
            index.query(QUERIES, k=9) == memory.query(QUERIES, k=9) == written.query(QUERIES, k=9)
        )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["saved", "written"]


def test_what_is_added_stands_in_the_folder_as_if_built_at_once(tmp_path: Path) -> None:
    built(tmp_path / "whole")
    built(tmp_path / "parts", 120)
    index = SearchIndex.load(tmp_path / "parts", ENCODER)
    index.add(SENTENCES[120:], IDS[0][120:])
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")
    assert SearchIndex.load(tmp_path / "parts", ENCODER).query(QUERIES) == index.query(QUERIES)


def test_a_reader_keeps_what_it_has_read(tmp_path: Path) -> None:
    built(tmp_path / "index", 120)
    reader = SearchIndex.load(tmp_path / "index", ENCODER)
    before = reader.query(QUERIES)
    SearchIndex.load(tmp_path / "index", ENCODER).add(SENTENCES[120:], IDS[0][120:])
    assert reader.query(QUERIES) == before and len(reader) == 120
    reader.add(["w1 w2 w3 w4"], ["last"])
    assert len(reader) == 301 and reader.query("w1 w2 w3 w4")[0].id == "last"


CRASH = """
import os, signal, sys
from embeddings.search import SearchIndex
from embeddings.search.column_store import FolderStore
from tests.embeddings.search.test_search_index import ENCODER
index = SearchIndex.load(sys.argv[1], ENCODER)
kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "appending":
    write = FolderStore.append
    def append(self, name, array):
        write(self, name, array)
        self._files[name].flush()
        if name == "texts":
            kill()
    FolderStore.append = append
else:
    import embeddings.search.column_store
    embeddings.search.column_store._write_listing = kill
index.add(["w1 w2 w3"] * 40 + ["w50 w51"], [f"new-{i}" for i in range(41)])
"""


@pytest.mark.parametrize("moment", ["appending", "committing"])
def test_a_killed_writer_leaves_what_was_there(tmp_path: Path, moment: str) -> None:
    folder = tmp_path / "index"
    index = built(folder, 120)
    before, expected = contents(folder), index.query(QUERIES)
    ended = subprocess.run(
        [sys.executable, "-c", CRASH, str(folder), moment], cwd=ROOT, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    assert contents(folder) != before
    again = SearchIndex.load(folder, ENCODER)
    assert again.query(QUERIES) == expected and len(again) == 120
    again.add(SENTENCES[120:], IDS[0][120:])
    built(tmp_path / "whole")
    assert contents(folder) == contents(tmp_path / "whole")


def test_a_build_that_fails_leaves_the_index_that_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    built(folder, 120)
    before = contents(folder)
    with pytest.raises(StsError, match="replace it with --overwrite"):
        built(folder)
    with pytest.raises(StsError, match=r"sentences\[1\] is missing"):
        SearchIndex.build(["w1", None], ENCODER, folder=folder, overwrite=True)
    assert contents(folder) == before and [p.name for p in tmp_path.iterdir()] == ["index"]
    SearchIndex.build(["w1"], ENCODER, folder=folder, overwrite=True)
    assert len(SearchIndex.load(folder)) == 1 and [p.name for p in tmp_path.iterdir()] == ["index"]


def test_an_addition_that_fails_leaves_every_byte_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embeddings.search.appending.BATCH", 2)
    index = built(tmp_path / "index", 120)
    before = contents(tmp_path / "index")
    with pytest.raises(StsError, match="'q-0' occurs twice"):
        index.add(["w1 w2", "w3 w4", "w5 w6 w7"], ["new", "newer", "q-0"])
    assert contents(tmp_path / "index") == before


def test_a_disk_that_is_full_is_named_and_the_index_stays(tmp_path: Path) -> None:
    index = built(tmp_path / "index", 60)
    before, limits = contents(tmp_path / "index"), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before["vectors.bin"]) + 500, limits[1]))
    try:
        with pytest.raises(StsError, match=r"index: cannot be written \(File too large\)"):
            index.add(SENTENCES[60:], IDS[0][60:])
        with pytest.raises(StsError, match=r"other: cannot be written \(File too large\)"):
            built(tmp_path / "other")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    index.add(SENTENCES[60:], IDS[0][60:])
    built(tmp_path / "whole")
    assert contents(tmp_path / "index") == contents(tmp_path / "whole")


def test_what_is_added_is_on_the_disk_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", 60)
    done: list[str] = []
    sync, replace = os.fsync, column_store.write_text

    def synced(file: int) -> None:
        done.append(Path(f"/proc/self/fd/{file}").readlink().name)
        sync(file)

    def replaced(path: Path, text: str) -> None:
        done.append("listed")
        replace(path, text)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(column_store, "write_text", replaced)
    index.add(SENTENCES[60:], IDS[0][60:])
    before = done[: done.index("listed")]
    assert sorted(before) == sorted(f"{name}.bin" for name in COLUMNS)


def test_nothing_but_an_index_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep", encoding="utf-8")
    for folder in (tmp_path / "mine", tmp_path / "mine" / "notes.txt"):
        with pytest.raises(StsError, match="stands there and is no index"):
            SearchIndex.build(["w1"], ENCODER, folder=folder, overwrite=True)


@pytest.mark.parametrize(
    "name", ["vectors.bin", "rows.bin", "texts.bin", "texts_ends.bin", "ids.bin", "ids_ends.bin"]
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    built(tmp_path / "index")
    path = tmp_path / "index" / name
    whole = path.read_bytes()
    middle = len(whole) // 2
    for damaged in (whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :], whole[:-1]):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=rf"{name}: damaged \(.*\); build the index again"):
            SearchIndex.load(tmp_path / "index")
    path.unlink()
    with pytest.raises(DataError, match=rf"{name}: damaged \(it is not there\)"):
        SearchIndex.load(tmp_path / "index")


def test_a_damaged_listing_is_named(tmp_path: Path) -> None:
    built(tmp_path / "index")
    listing = tmp_path / "index" / "index.json"
    whole = json.loads(listing.read_text(encoding="utf-8"))
    for damaged in ("", "{}", "[1]", json.dumps(whole)[:-9], json.dumps(whole | {"columns": [1]})):
        listing.write_text(damaged, encoding="utf-8")
        with pytest.raises(DataError, match=r"index\.json: damaged"):
            SearchIndex.load(tmp_path / "index")
    listing.write_text(json.dumps(whole | {"format": 2}), encoding="utf-8")
    with pytest.raises(DataError, match="format 2, expected 1"):
        SearchIndex.load(tmp_path / "index")
    with pytest.raises(DataError, match="no index; build one: semaniacs search build"):
        SearchIndex.load(tmp_path)


def test_one_process_adds_at_a_time(tmp_path: Path) -> None:
    built(tmp_path / "index")
    one, other = (FolderStore(tmp_path / "index") for _ in range(2))
    refused = pytest.raises(StsError, match="another process adds to it")
    with one.appending(), refused, other.appending():
        pass
    with other.appending():
        other.append("rows", np.zeros(0, np.int64))


def test_an_index_that_was_replaced_is_not_added_to(tmp_path: Path) -> None:
    index = built(tmp_path / "index")
    SearchIndex.build(["w1"], "paragram-small", folder=tmp_path / "index", overwrite=True)
    with pytest.raises(StsError, match="another index stands there now; load it again"):
        index.add(["w1"], ["x"])


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(
        StsError, match=r"file/index: cannot be written \((Not a directory|File exists)\)"
    ):
        built(tmp_path / "file" / "index")
