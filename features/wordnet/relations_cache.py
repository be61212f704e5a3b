"""WordNet's relations, cached: NLTK reads its files in ten seconds, and the cache opens in a tenth."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from embeddings.tokenizers.ragged import Ragged
from features.wordnet.reader import FILES, Relations, read_database
from sts.cache import Cache, key
from sts.errors import DataError
from sts.files import write_bytes
from sts.tensors import FORMAT, Tensors, pack, read_tensors, to_bytes, unpack

_CODE = __name__

_RAGGED = ("synsets", "antonyms", "hypernyms")
_TENSORS = ("lemmas", "heights", *(f"{name} {part}" for name in _RAGGED for part in Ragged._fields))


def open_relations(place: Path) -> Relations:
    """The relations in WordNet's files, from the cache if these very files were read before.

    Args:
        place: a folder, or NLTK's zip file.

    Raises:
        DataError: a file is missing or damaged.
    """
    files = _read(place)
    cache = Cache("wordnet", _CODE)
    return cache.get(
        key(_CODE, inputs=files),
        read=_from_file,
        write=lambda path: _to_file(path, read_database(files, str(place))),
        about=f"the relations in {place}",
    )


def _read(place: Path) -> dict[str, bytes]:
    """The bytes of WordNet's files."""
    try:
        if place.suffix == ".zip":
            with zipfile.ZipFile(place) as archive:
                return {name: archive.read(f"wordnet/{name}") for name in FILES}
        return {name: (place / name).read_bytes() for name in FILES}
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{place}: cannot be read ({error}); install WordNet again") from None


def _to_file(path: Path, relations: Relations) -> None:
    tensors: Tensors = {"lemmas": pack(relations.lemmas), "heights": relations.heights}
    for name in _RAGGED:
        for part, array in getattr(relations, name)._asdict().items():
            tensors[f"{name} {part}"] = array
    write_bytes(path, to_bytes(tensors, {"format": FORMAT}))


def _from_file(path: Path) -> Relations:
    tensors, _ = read_tensors(path, _TENSORS)
    ragged = {
        name: Ragged(*(tensors[f"{name} {part}"] for part in Ragged._fields)) for name in _RAGGED
    }
    lemmas = tuple(unpack(tensors["lemmas"]))
    return Relations(lemmas=lemmas, heights=tensors["heights"], **ragged)
