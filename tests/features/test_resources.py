"""What is here, what is not, and the command that brings it."""

from __future__ import annotations

from pathlib import Path

import pytest

from embeddings import loading
from features import resources as module
from features.resources import SPACES, Resources
from sts.errors import UnknownNameError
from tests.features.support import make_encoder

ENCODER = make_encoder([[1, 0], [0, 1], [1, 1]], "cat", "dog")


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "PRETRAINED", tmp_path)
    none = loading.Bundled(tmp_path / "none.safetensors", ("en",))
    monkeypatch.setitem(loading.BUNDLED, loading.DEFAULT, none)
    return tmp_path


def test_missing_names_the_command(nothing_installed: Path) -> None:
    resources = Resources()
    assert resources.missing("wordnet") is None
    assert "python -m features.word_spaces lsa" in (resources.missing("lsa-news") or "")
    assert "python -m features.word_spaces lsa" in (resources.missing("lsa-daily") or "")
    assert "python -m features.word_spaces word2vec" in (resources.missing("word2vec") or "")
    assert "python -m runs.recipes.shipped_vectors" in (resources.missing("w2v") or "")
    assert resources.missing("paraphrase1") == "fit the run that makes paraphrase1"
    assert resources.spaces == {}


def test_an_encoder_given_is_here(nothing_installed: Path) -> None:
    resources = Resources({"paraphrase1": ENCODER})
    assert resources.missing("paraphrase1") is None
    assert resources.missing("paraphrase2") is not None
    assert resources.encoders["paraphrase1"] is ENCODER


def test_a_bundled_encoder_is_here_unless_another_is_given() -> None:
    resources = Resources()
    for name in ("paragram", "paragram-small"):
        assert resources.missing(name) is None
        assert resources.encoder(name) is loading.load_static(name)
        assert Resources({name: ENCODER}).encoder(name) is ENCODER
    with pytest.raises(UnknownNameError, match="'paraphrase1'; choose one of: paragram"):
        resources.encoder("paraphrase1")


def test_the_spaces_that_ship() -> None:
    resources = Resources()
    assert list(resources.spaces) == list(SPACES)
    for space in resources.spaces.values():
        near, far = space.similarity(["cat"], ["dog", "parliament"])[0]
        assert near > far
