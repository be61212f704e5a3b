"""The encoder as MTEB asks for it."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import embeddings
from embeddings.encoder import Encoder
from embeddings.formats.mteb import MtebEncoder, task_language
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import MissingResourceError, StsError, UnknownNameError

ENCODER = Encoder(
    WordTokenizer(["cat", "dog", "sat"], 2),
    np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32),
)
BATCHES: list[dict[str, Any]] = [
    {"text": ["cat sat", "dog"], "title": ["", ""]},
    {"text": [""]},
    {"text": ["sat dog cat"]},
]
SENTENCES = ["cat sat", "dog", "", "sat dog cat"]


def test_batches_are_encoded_in_order() -> None:
    vectors = MtebEncoder(ENCODER).encode(
        BATCHES, task_metadata=None, hf_split="test", hf_subset="default", batch_size=2
    )
    np.testing.assert_array_equal(vectors, ENCODER.encode(SENTENCES))


def test_similarities_are_those_of_the_encoder() -> None:
    torch = pytest.importorskip("torch")
    wrapped = MtebEncoder(ENCODER)
    vectors = ENCODER.encode(SENTENCES)
    expected = ENCODER.similarity(SENTENCES, SENTENCES)
    for given in (vectors, torch.from_numpy(vectors)):
        found = wrapped.similarity(given, given)
        assert isinstance(found, torch.Tensor)
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)
        pairwise = wrapped.similarity_pairwise(given, given)
        np.testing.assert_allclose(pairwise.numpy(), [1, 1, 0, 1], atol=1e-6)
    assert wrapped.similarity(vectors[0], vectors).shape == (1, 4)


def test_the_name_and_the_revision_tell_what_was_measured() -> None:
    assert MtebEncoder().model_name == "paragram"
    assert MtebEncoder(ENCODER).revision == MtebEncoder(ENCODER, device="cpu").revision
    assert MtebEncoder(ENCODER).revision != MtebEncoder().revision
    assert MtebEncoder(ENCODER, "2").revision == "2"


def described(**languages: list[str]) -> Any:
    """A task's description, as far as it tells the languages of its parts."""
    return SimpleNamespace(name="STS17", eval_langs=languages)


def test_a_model_of_several_languages_takes_the_language_from_the_task() -> None:
    task = described(es=["spa-Latn"], ru=["rus-Cyrl"])
    wrapped = MtebEncoder("bitext-teacher")
    for code in ("es", "ru"):
        batches = [{"text": ["Un perro corre.", "собака бежит"]}]
        found = wrapped.encode(batches, task_metadata=task, hf_subset=code, hf_split="test")
        expected = embeddings.load("bitext-teacher", code).encode(batches[0]["text"])
        np.testing.assert_array_equal(found, expected)
    assert wrapped.model_name == "bitext-teacher" and len(wrapped.revision) == 16
    # a task of one language lists it without parts
    english = SimpleNamespace(name="STS16", eval_langs=["eng-Latn"])
    assert task_language(english, "default") == "en"


def test_a_language_that_is_not_known_is_asked_for() -> None:
    wrapped, batches = MtebEncoder("bitext-teacher"), [{"text": ["a dog"]}]
    task = described(both=["spa-Latn", "eng-Latn"], it=["ita-Latn"])
    with pytest.raises(StsError, match=r"STS17, both: in es and en; .*language="):
        wrapped.encode(batches, task_metadata=task, hf_subset="both")
    with pytest.raises(StsError, match="the task, default: in a language it does not name"):
        wrapped.encode(batches)
    with pytest.raises(UnknownNameError, match="'it'; choose one of: en, es"):
        wrapped.encode(batches, task_metadata=task, hf_subset="it")
    named = MtebEncoder("bitext-teacher", language="en")
    expected = embeddings.load("bitext-teacher", "en").encode(["a dog"])
    np.testing.assert_array_equal(
        named.encode(batches, task_metadata=task, hf_subset="both"), expected
    )


def test_without_mteb_the_command_that_brings_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("mteb", "mteb.models", "mteb.models.model_meta"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingResourceError, match="pip install mteb"):
        _ = MtebEncoder(ENCODER).mteb_model_meta


def test_mteb_takes_it_for_an_encoder() -> None:
    models = pytest.importorskip("mteb.models")
    wrapped = MtebEncoder(ENCODER)
    assert isinstance(wrapped, models.EncoderProtocol)
    assert wrapped.mteb_model_meta.embed_dim == 4
