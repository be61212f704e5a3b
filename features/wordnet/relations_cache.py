"""WordNet's relations, kept: to read the files takes a second, to open what was read a tenth.

The file that keeps them is named after the sha256 of WordNet's own, so other
files have another. If it is damaged or cannot be written, nothing is lost but time.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

from embeddings.tokenizers.ragged import Ragged
from features.wordnet.reader import FILES, Relations, read_database
from sts.cache import cache_folder
from sts.errors import DataError, StsError
from sts.files import write_bytes
from sts.tensors import FORMAT, Tensors, pack, read_tensors, to_bytes, unpack

_LAYOUT = "1"
"""To be changed with the meaning of the arrays."""

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
    digest = hashlib.sha256(_LAYOUT.encode())
    for name in FILES:
        digest.update(f"{name} {len(files[name])}\n".encode())
        digest.update(files[name])
    cached = cache_folder() / f"wordnet-{digest.hexdigest()[:16]}.safetensors"
    with suppress(DataError):
        return _from_cache(cached)
    relations = read_database(files, str(place))
    with suppress(StsError, OSError):  # then it is read again next time
        _to_cache(cached, relations)
    return relations


def _read(place: Path) -> dict[str, bytes]:
    """The bytes of WordNet's files."""
    try:
        if place.suffix == ".zip":
            with zipfile.ZipFile(place) as archive:
                return {name: archive.read(f"wordnet/{name}") for name in FILES}
        return {name: (place / name).read_bytes() for name in FILES}
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{place}: cannot be read ({error}); install WordNet again") from None


def _to_cache(path: Path, relations: Relations) -> None:
    tensors: Tensors = {"lemmas": pack(relations.lemmas), "heights": relations.heights}
    for name in _RAGGED:
        for part, array in getattr(relations, name)._asdict().items():
            tensors[f"{name} {part}"] = array
    write_bytes(path, to_bytes(tensors, {"format": FORMAT, "sha256": _digest(tensors)}))


def _from_cache(path: Path) -> Relations:
    """What :func:`_to_cache` kept.

    Raises:
        DataError: missing or damaged. Compiled code does not look where an index
            leads, so every byte is checked.
    """
    tensors, metadata = read_tensors(path, _TENSORS)
    if metadata.get("sha256") != _digest(tensors):
        raise DataError(f"{path}: damaged")
    ragged = {
        name: Ragged(*(tensors[f"{name} {part}"] for part in Ragged._fields)) for name in _RAGGED
    }
    lemmas = tuple(unpack(tensors["lemmas"]))
    return Relations(lemmas=lemmas, heights=tensors["heights"], **ragged)


def _digest(tensors: Tensors) -> str:
    """Hexadecimal sha256 of all numbers."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].dtype} {tensors[name].shape}\n".encode())
        digest.update(tensors[name].tobytes())
    return digest.hexdigest()
