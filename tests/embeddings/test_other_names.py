"""What users of sentence-transformers and of pandas type."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import semaniacs
from semaniacs import embeddings
from semaniacs.sts.errors import MissingResourceError, StsError
from semaniacs.sts.partial_paraphrases.partial import continued, make_groups

TEXTS = ["A dog runs in the park.", "Stocks fell 😀.", "A dog is running in a park."]
HABITS: dict[str, Any] = {
    "normalize_embeddings": True, "show_progress_bar": False, "convert_to_numpy": True,
    "convert_to_tensor": False, "batch_size": 2, "device": "cpu", "precision": "float32",
}  # fmt: skip


@pytest.mark.parametrize("model", ["paragram", "gte", "bitext-sp"])
@pytest.mark.parametrize("cut", [None, 16])
def test_options_of_encode(model: str, cut: int | None) -> None:
    encoder = embeddings.load(model)
    expected = encoder.encode(TEXTS, normalize=True, truncate_dim=cut).tobytes()
    for encode in (encoder.encode, encoder.encode_query, encoder.encode_document):
        assert encode(TEXTS, truncate_dim=cut, **HABITS).tobytes() == expected
    assert semaniacs.encode(TEXTS, model, truncate_dim=cut, **HABITS).tobytes() == expected
    plain = encoder.encode(TEXTS, truncate_dim=cut, normalize_embeddings=False)
    np.testing.assert_array_equal(plain, encoder.encode(TEXTS)[:, :cut])
    assert encoder.get_sentence_embedding_dimension() == encoder.dim
    assert encoder.get_embedding_dimension() == encoder.dim


@pytest.mark.parametrize("model", ["paragram", "gte"])
@pytest.mark.parametrize(
    ("name", "value"),
    [("convert_to_tensor", True), ("convert_to_numpy", False), ("precision", "int8"),
     ("output_value", "token_embeddings"), ("prompt", "query: "), ("prompt_name", "query")],
)  # fmt: skip
def test_options_that_are_impossible_here(model: str, name: str, value: Any) -> None:
    with pytest.raises(StsError, match=f"{name}={value!r}; expected "):
        embeddings.load(model).encode(TEXTS, **{name: value})
    with pytest.raises(TypeError, match="unexpected keyword argument 'normalise'"):
        embeddings.load(model).encode(TEXTS, normalise=True)


def test_a_device_is_noted_once(capfd: pytest.CaptureFixture[str]) -> None:
    for device in ("cuda:7", "cuda:7", "cpu"):
        embeddings.load().encode(TEXTS, device=device)
    said = "device='cuda:7' has no effect: encoders run on the processor\n"
    assert capfd.readouterr() == ("", said)


@pytest.mark.parametrize("model", ["paragram", "gte"])
def test_a_saved_folder_is_the_same_encoder(model: str, tmp_path: Path) -> None:
    encoder, folder = embeddings.load(model), tmp_path / "saved"
    encoder.save_pretrained(str(folder))
    loaded = embeddings.load(folder)
    np.testing.assert_allclose(loaded.encode(TEXTS), encoder.encode(TEXTS), atol=1e-6)
    assert (folder / "modules.json").is_file()
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(StsError, match="name another folder"):
        encoder.save_pretrained(tmp_path)
    loaded.save_pretrained(folder, overwrite=True)
    assert embeddings.load(folder).digest == encoder.digest
    for other, language in (("bitext-sp", "es"), ("bitext-sp", "auto")):
        with pytest.raises(StsError, match="SentencePieceTokenizer|IdentifyingEncoder"):
            embeddings.load(other, language).save_pretrained(tmp_path / "other")


def test_top_k_is_k() -> None:
    index = semaniacs.SearchIndex.build(TEXTS)
    assert len(expected := index.query(TEXTS[0], 2)) == 2
    assert index.query(TEXTS[0], top_k=2) == semaniacs.search(TEXTS[0], TEXTS, top_k=2) == expected
    with pytest.raises(StsError, match="k=0; expected 1 or more"):
        index.query(TEXTS[0], top_k=0)


def test_objects_say_what_they_hold() -> None:
    partial, _ = make_groups([("7", TEXTS[0], TEXTS[2])], continued)
    assert [*map(repr, (
        *map(embeddings.load, ("paragram", "gte")), *map(semaniacs.load, ("raw", "reader")),
        semaniacs.load("paws-both"), partial,
        *map(semaniacs.duplicates, ([TEXTS[1], "a dog", "a dog"], TEXTS[:2])),
    ))] == [
        "<Encoder 'paragram', 256 dimensions, 89,636 rows>",
        "<Transformer 'gte', 384 dimensions>",
        "<Scorer 'raw', a cosine of sentence vectors>",
        "<Scorer 'reader', a network>",
        "<Scorer 'paws-both', mean of paws and reader>",
        f"<1 group, 4 rows, {partial[0]!r:.80}>",
        "<1 group, 2 rows, DuplicateGroup(rows=(1, 2), cosines=(1.0, 1.0))>",
        "<0 groups, 0 rows>",
    ]  # fmt: skip


def test_groups_become_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    found = semaniacs.duplicates(["a", "b", "a"])
    partial, _ = make_groups([("7", "a", "b")], continued)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pandas", None)
        with pytest.raises(MissingResourceError, match="pip install pandas"):
            found.to_pandas()
    pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert [*frame] == [*type(found)().to_pandas()] == ["group", "kept", "row", "cosine"]
    assert frame.values.tolist() == [[1, 0, 0, 1], [1, 0, 2, 1]]
    assert partial.to_pandas().degree.tolist() == [4, 3, 2, 1]
