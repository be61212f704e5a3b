"""Weights that are NaN or infinite, in every format that tables are read from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.bitext.lstm import RecurrentEncoder, averaging
from embeddings.bitext.multilingual import Multilingual
from embeddings.encoder import Encoder
from embeddings.formats.folder import load_folder, save_folder
from embeddings.formats.patch import load_patch, save_patch
from embeddings.formats.single_file import (
    load_encoder,
    read_languages,
    save_encoder,
    save_shared,
)
from embeddings.table import quantize
from embeddings.tokenizers.words import WordTokenizer
from sts.cache import Cache
from sts.cache.rows import RowCache
from sts.errors import StsError
from sts.tensors import open_tensors, to_bytes
from tests.attacks.promises import Trial, checker

Load = Callable[[], object]


def _encoder(random: Random) -> Encoder:
    numbers = np.random.default_rng(random.randrange(2**32)).standard_normal((40, 6))
    words = [f"w{number}" for number in range(32)]
    return Encoder(WordTokenizer(words, buckets=8), numbers.astype(np.float32))


def _one_file(dtype: Any, random: Random, path: Path) -> tuple[Path, Load]:
    save_encoder(path, _encoder(random), dtype)
    return path, lambda: load_encoder(path)


def _folder(dtype: Any, random: Random, path: Path) -> tuple[Path, Load]:
    save_folder(path, _encoder(random), dtype)
    return path / "model.safetensors", lambda: load_folder(path)


def _patch(random: Random, path: Path) -> tuple[Path, Load]:
    start = _encoder(random)
    table = start.table + np.float32(0.3) * (np.arange(40) % 3 == 0)[:, None]
    save_patch(path, Encoder(start.tokenizer, table), start)
    return path, lambda: load_patch(path, start)


def _lstm(random: Random, path: Path) -> tuple[Path, Load]:
    start = _encoder(random)
    model = RecurrentEncoder(start.tokenizer, quantize(start.table), averaging(6))
    save_shared(path, Multilingual({"en": model, "es": model}), "WORD")
    return path, lambda: read_languages(path, ["en"], lambda name: start)


def _rows(random: Random, path: Path) -> tuple[Path, Load]:
    """Cached rows, whose record holds the checksum of what the file became."""
    made = np.array([[random.random(), random.random()]], np.float32)
    cache = Cache("rows", "", path)
    opened = partial(RowCache, cache, "a key", 2, np.float32, lambda _: made, 1)
    opened().get([("text",)], "rows")
    (file,) = path.glob("*.safetensors")

    def load() -> object:
        spoilt = file.read_bytes()
        cache.add(file.stem, lambda target: target.write_bytes(spoilt))
        if not opened().rows:
            raise StsError("the rows are not used, and will be computed again")
        return opened()

    return file, load


FORMATS: dict[str, Callable[[Random, Path], tuple[Path, Load]]] = {
    "one file, int8": partial(_one_file, "int8"),
    "one file, int4": partial(_one_file, "int4"),
    "folder, int8": partial(_folder, "int8"),
    "folder, float16": partial(_folder, "float16"),
    "folder, float32": partial(_folder, "float32"),
    "patch": _patch,
    "LSTM": _lstm,
    "cached rows": _rows,
}


def spoil(path: Path, value: float, random: Random) -> str:
    """Put a value in the place of one number of a file; returns the name of its tensor."""
    tensors, metadata = open_tensors(path)
    names = [name for name, tensor in tensors.items() if tensor.dtype.kind == "f" and tensor.size]
    name = random.choice(names)
    spoilt: NDArray[Any] = tensors[name].copy()
    spoilt.reshape(-1)[random.randrange(spoilt.size)] = value
    path.write_bytes(to_bytes(tensors | {name: spoilt}, metadata))
    return name


def served(kind: str, load: Load, name: str, value: float) -> str | None:
    """What is wrong if a spoilt file is loaded all the same."""
    try:
        load()
    except StsError:
        return None
    return f"{kind}: {value} in {name} is served"


@checker("any bytes", "weights that are NaN or infinite are refused", cases=200, sample=8)
def weights(trial: Trial) -> Iterator[str | None]:
    """Write a format, see that it loads, spoil a number of it, and load it again."""
    for case in range(trial.cases):
        kind = list(FORMATS)[case % len(FORMATS)]
        file, load = FORMATS[kind](trial.random, trial.folder / f"{case}.safetensors")
        load()
        value = trial.random.choice([np.nan, np.inf, -np.inf])
        name = spoil(file, value, trial.random)
        # The row of [UNK] stands for the other libraries; ours is made without it.
        if "folder" in kind and name in ("embeddings", "weights"):
            tensors, _ = open_tensors(file)
            if np.isfinite(tensors[name][:-1]).all():
                yield None
                continue
        yield served(kind, load, name, value)
