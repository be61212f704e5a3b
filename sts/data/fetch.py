"""Reads, verifies and if need be downloads the files of the catalogue.

A file is looked for in the folder that the user names (``--data``, else ``STS_DATA``), then in the
cache; otherwise it is downloaded from its official address. Everything is checked against the
catalogue.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from semaniacs.sts.cache import cache_folder
from semaniacs.sts.data.archives import members
from semaniacs.sts.data.catalog import DataFile, DataSet, LabelledTable, all_data_sets
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.data.readers import parse_gold, read_labelled, read_pairs, read_translated
from semaniacs.sts.errors import DataError, MissingResourceError, StsError
from semaniacs.sts.files import own_folder, read_lines, sha256_of_bytes, write_bytes
from semaniacs.sts.offline import check_online, within
from semaniacs.sts.progress import Bar

if TYPE_CHECKING:
    import http.client

TIMEOUT = 30.0  # seconds without a byte from the server before a download is given up
LONGEST = 3600.0  # seconds that a whole download may take
LARGEST = 2**29  # bytes of a download; the largest archive has a fiftieth of that

_PACKAGE = Path(__file__).parent
_OWN_COPY = "put your own copy in a folder DIR and pass --data DIR or set STS_DATA=DIR"


# Finding files


def _download_root() -> Path:
    return cache_folder() / "data"


def data_roots(data: Path | None) -> list[Path]:
    """Return the folders to look in, in order; a :class:`DataFile` path is relative to each.

    The folder given with ``--data``, else ``STS_DATA``, is the one that holds ``2012`` ... ``2016``
    or, if that is called ``sts``, its parent, which holds ``paws`` and the other labelled sets. It
    is a DataError if it does not exist.
    """
    origin, given = "STS_DATA", os.environ.get("STS_DATA", "")
    if data is not None:
        origin, given = "--data", str(data)
    if not given:
        return [_download_root()]
    folder = own_folder(given, origin)
    if not folder.is_dir():
        raise DataError(
            f"{origin} {folder}: not a folder; expected the one that holds 2012 ... 2016 "
            "(or sts/2012 ... sts/2016)"
        )
    beside = [folder.resolve().parent] if folder.resolve().name == "sts" else []
    return [folder, folder / "sts", *beside, _download_root()]


def locate(file: DataFile, data: Path | None) -> Path | None:
    """Return the first copy of ``file`` in the :func:`data_roots`, not yet checked, or ``None``."""
    roots = [_PACKAGE] if file.packaged else data_roots(data)
    return next((root / file.path for root in roots if (root / file.path).is_file()), None)


def ensure(file: DataFile, data: Path | None) -> Path:
    """Return a local copy of ``file``, downloaded if there is none yet.

    Raises:
        MissingResourceError: there is no copy, and no address or no way to reach it.
        DataError: a named folder does not exist, or the archive is damaged or lacks the file.
    """
    found = locate(file, data)
    if found is not None:
        return found
    if file.packaged:
        raise MissingResourceError(
            f"{_PACKAGE / file.path}: not found, though it ships with the project; install it again"
        )
    missing = f"{file.path}: not found in {', '.join(map(str, data_roots(data)))}"
    target = f"where it is to be DIR/{file.path}"
    if file.archive is None:
        known = "and no official address of it is known"
        if file.address:
            known = f"it is in {file.address}, which cannot be checked and so is not fetched"
        raise MissingResourceError(f"{missing}; {known}; {_OWN_COPY}, {target}")
    every = (other for dataset in all_data_sets() for other in (dataset.input, dataset.gold))
    others = [other for other in every if other.archive == file.archive]
    try:
        download(file.archive, [file], _download_root(), others)
    except MissingResourceError as error:
        raise MissingResourceError(f"{missing}; {error}, {target}") from None
    return _download_root() / file.path


# Downloading


def download(
    url: str, wanted: Sequence[DataFile], target_root: Path, welcome: Sequence[DataFile] = ()
) -> None:
    """Download a zip or tar and store its files to their ``path`` below ``target_root``.

    Files are recognised by their sha256 and not by their names, so that an archive cannot choose
    where a file is written. ``wanted`` must be in it; ``welcome`` are stored if they are.

    Raises:
        MissingResourceError: the server cannot be reached or refuses, or the user forbids it.
        DataError: the archive is cut short, damaged, or lacks a wanted file.
        StsError: ``target_root`` cannot be written.
    """
    check_online(url, _OWN_COPY)
    by_hash = {file.sha256: file for file in (*welcome, *wanted)}
    found = set()
    try:
        target_root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=target_root) as archive:
            archive.writelines(_blocks(url))
            for content in members(archive, url, hint=f"try again, or {_OWN_COPY}"):
                # A packer may have turned the line ends of a text into CRLF.
                for candidate in (content, content.replace(b"\r\n", b"\n")):
                    file = by_hash.get(sha256_of_bytes(candidate))
                    if file is not None and file not in found:
                        write_bytes(target_root / file.path, candidate, links=False)
                        found.add(file)
    except OSError as error:  # of the folder: those of the network have become other errors
        raise StsError(
            f"{target_root}: cannot be written ({error.strerror}); "
            "set STS_CACHE to a folder that can be"
        ) from None
    for file in wanted:
        if file not in found:
            raise DataError(
                f"{url}: no file in it has the sha256 {file.sha256} expected of {file.path}; "
                f"the archive has changed, so {_OWN_COPY}"
            )


def _blocks(url: str) -> Iterator[bytes]:
    """Yield the body of ``url`` in blocks, with a progress bar and clear network errors."""
    import http.client  # a score needs none of these, and they take long to import
    import urllib.error
    import urllib.request

    request = urllib.request.Request(url, headers={"User-Agent": "sts-semaniacs"})
    try:
        opened = partial(urllib.request.urlopen, request, timeout=TIMEOUT)
        with within(4 * TIMEOUT, opened) as response:
            yield from _body(response, url)
    except urllib.error.HTTPError as error:
        error.close()
        raise _unreachable(url, f"HTTP status {error.code} {error.reason}") from None
    except TimeoutError:
        raise _unreachable(url, f"no answer in {TIMEOUT:g} seconds") from None
    except urllib.error.URLError as error:
        raise _unreachable(url, str(error.reason)) from None
    except http.client.IncompleteRead as error:
        raise _cut_short(url, f"{error.expected or 'some'} more bytes were announced") from None
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable(url, f"the connection broke ({error or type(error).__name__})") from None


def _body(response: http.client.HTTPResponse, url: str) -> Iterator[bytes]:
    """Yield the blocks of a response, whose length must agree with its header."""
    promised = response.length  # Content-Length, or None if the server gave none
    received, end = 0, time.monotonic() + LONGEST
    with Bar(url.rsplit("/", 1)[-1], "bytes", promised) as bar:
        while block := response.read1(2**16):  # read would wait for a whole block
            received += len(block)
            if received > LARGEST:
                raise _unreachable(url, f"it has more than {LARGEST:,} bytes")
            if time.monotonic() > end:
                raise _unreachable(url, f"it did not arrive in {LONGEST:g} seconds")
            bar.update(len(block))
            yield block
    if promised not in (None, received):
        raise _cut_short(url, f"{received} bytes, expected {promised}")


def _unreachable(url: str, reason: str) -> MissingResourceError:
    return MissingResourceError(f"{url}: cannot be fetched: {reason}; try again, or {_OWN_COPY}")


def _cut_short(url: str, found: str) -> DataError:
    return DataError(f"{url}: the download was cut short ({found}); try again, or {_OWN_COPY}")


# Reading data sets


def load(dataset: DataSet, data: Path | None, with_gold: bool = True) -> Pairs:
    """Return the pairs of ``dataset``, verified; gold of labelled pairs is 5 or 0.

    ``data`` is the folder given with ``--data``, if any. Without ``with_gold`` every score is NaN
    and a gold file stays unopened, as for a test set.

    Raises:
        DataError: a file is malformed, or is not the released one.
        MissingResourceError: a file is not here and cannot be fetched.
    """
    path = ensure(dataset.input, data)
    if dataset.table is not None:
        pairs = read_labelled(dataset.name, path, dataset.table)
        rows = len(read_lines(path)) - 1 if dataset.table.addresses else len(pairs)
        _verify(dataset.input, path, rows)
        return pairs if with_gold else pairs.without_gold()
    pairs = read_pairs(dataset.name, path)
    _verify(dataset.input, path, len(pairs))
    return replace(pairs, gold=load_gold(dataset, data, len(pairs))) if with_gold else pairs


def load_gold(dataset: DataSet, data: Path | None, rows: int) -> Scores:
    """Return (rows,) gold scores in [0, 5], NaN where there is none; errors as :func:`load`."""
    if dataset.table is not None:
        return load(dataset, data).gold
    path = ensure(dataset.gold, data)
    gold = parse_gold(read_lines(path), path)
    _verify(dataset.gold, path, len(gold))
    if len(gold) != rows:
        raise DataError(
            f"{path}:{min(len(gold), rows) + 1}: {len(gold)} gold lines for {rows} rows; "
            "expected one gold line (empty if unscored) per row"
        )
    return gold


def load_translations(dataset: DataSet, data: Path | None) -> list[Pairs]:
    """Return the pairs of a labelled data set in English, as each recorded translator has them."""
    found, table = [], dataset.table or LabelledTable()
    for file in dataset.translations:
        path = ensure(file, data)
        found.append(read_translated(dataset.name, path, table))
        _verify(file, path, len(found[-1]))
    return found


def _verify(file: DataFile, path: Path, rows: int) -> None:
    """Raise unless the copy at ``path``, which has ``rows`` lines, is the released file."""
    if rows != file.rows:
        raise DataError(
            f"{path}:{min(rows, file.rows) + 1}: the file holds {rows} lines, expected "
            f"{file.rows}; it is truncated or another version: replace it, or remove it "
            "to have it fetched again"
        )
    content = path.read_bytes()
    found = sha256_of_bytes(content)
    if file.packaged or not file.sha256 or found == file.sha256:
        return
    if sha256_of_bytes(content.replace(b"\r\n", b"\n")) == file.sha256:
        raise DataError(f"{path}: its lines end in CRLF; turn them into LF, e.g. sed -i 's/\\r$//'")
    raise DataError(
        f"{path}: sha256 {found}, expected {file.sha256}; this copy was changed: replace it; "
        "to score your own sentences: semaniacs score FILE"
    )
