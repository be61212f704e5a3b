"""Encoders are found by name, help needs no heavy library, and old programs name the commands."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs import embeddings
from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder
from semaniacs.sts.errors import UnknownNameError
from tests.sts.running import python


@pytest.mark.parametrize("name", loading.BUNDLED)
def test_every_bundled_encoder_is_what_its_record_says(name: str) -> None:
    """This is the test that a new encoder has to pass, see docs/extending.md."""
    path, languages = loading.BUNDLED[name]
    assert path.stat().st_size < 40 * 10**6
    listed = loading.metadata_of(name).get("languages", "en").split()
    assert list(languages) == listed
    assert f"`{name}.safetensors`" in (path.parent / "README.md").read_text(encoding="utf-8")
    for language in languages:
        encoder = loading.load(name, language)
        vectors = encoder.encode(["2015", ""])
        assert vectors.shape == (2, encoder.dim) and vectors[0].any()
        if isinstance(encoder, Encoder):
            assert encoder.rows.values.dtype == np.int8 and not vectors[1].any()


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="'paragrm'; choose one of: paragram"):
        loading.load_static("paragrm")


def test_sentences_are_encoded_by_a_name_that_is_loaded_once() -> None:
    expected = loading.load("paragram-small").encode(["A dog runs."], normalize=True)
    found = embeddings.encode("A dog runs.", "paragram-small", normalize=True)
    assert found.tobytes() == expected.tobytes()
    assert loading.load_once("paragram-small") is loading.load_once("paragram-small")
    spanish = loading.encode(iter(["Un perro corre."]), "multilingual", language="es")
    expected = loading.load("multilingual").encode(["Un perro corre."])
    assert spanish.tobytes() == expected.tobytes()


def test_help_needs_no_heavy_library() -> None:
    heavy = "jax numba gensim tokenizers torch sentencepiece sklearn faiss".split()
    modules = ", ".join(
        f"semaniacs.embeddings.cli.{name}"
        for name in ("bitext_commands", "encode", "export", "mine", "search", "train", "tune")
    )
    code = f"import sys, {modules}\nprint([n for n in {heavy} if n in sys.modules])"
    assert python("-c", code).stdout == "[]\n"


@pytest.mark.parametrize(
    ("module", "advice"),
    [
        ("semaniacs.embeddings.mining", "semaniacs mine"),
        ("semaniacs.embeddings.bitext", "semaniacs bitext"),
        ("embeddings", "semaniacs encode"),
    ],
)
def test_an_old_program_names_the_command(module: str, advice: str) -> None:
    ended = python("-m", module, "encode")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"error: this program is now a command; type: {advice} --help\n"
