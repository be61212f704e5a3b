"""Encoders of other libraries come in with the similarities that these give themselves."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from semaniacs import embeddings
from semaniacs.embeddings.encoder import Encoder, cosine
from semaniacs.embeddings.formats.folder import load_folder, save_folder
from semaniacs.embeddings.formats.word2vec import write_word2vec
from semaniacs.embeddings.table import quantize
from semaniacs.embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import DataError

os.environ["HF_HUB_OFFLINE"] = "1"
# gensim opens a text file without a header twice and leaves the second opening to the collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

SENTENCES = [
    "The cat sat on the mat.",
    "the dog, the cat",
    "unbelievable cats sat",
    "xyzzy the mat",
    "xyzzy",
    "",
    "🙂 naïve",
    "sat " * 40,
    "on the dog mat cat " * 3,
]
TOKENS = "[PAD] [UNK] [CLS] the cat dog sat on mat ##s un ##believ ##able , .".split()


def wordpiece() -> Tokenizer:
    """A tokenizer as BERT has it: special tokens, padding and all."""
    made = Tokenizer(models.WordPiece({t: i for i, t in enumerate(TOKENS)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing("[CLS] $A", special_tokens=[("[CLS]", 2)])
    made.enable_padding(pad_id=0, pad_token="[PAD]")
    return made


def unigram() -> Tokenizer:
    scored = [
        (token, -float(i)) for i, token in enumerate(["▁", "<unk>", "▁the", "▁cat", "s", "a"])
    ]
    made = Tokenizer(models.Unigram(scored, unk_id=1))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return made


def byte_pairs() -> Tokenizer:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate(letters)} | {"th": 256, "the": 257}
    made = Tokenizer(models.BPE(vocabulary, [("t", "h"), ("th", "e")]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "wordpiece": wordpiece,
    "unigram": unigram,
    "byte pairs": byte_pairs,
}


def rows_for(tokenizer: Tokenizer, dim: int = 8) -> Any:
    shape = (tokenizer.get_vocab_size(), dim)
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def expect_same_similarities(encoder: Encoder, vectors: Any, atol: float = 1e-6) -> None:
    theirs = np.asarray(vectors, np.float64)
    ours = encoder.encode(SENTENCES).astype(np.float64)
    left, right = np.indices((len(SENTENCES), len(SENTENCES))).reshape(2, -1)
    np.testing.assert_allclose(
        cosine(ours[left], ours[right]), cosine(theirs[left], theirs[right]), atol=atol
    )


@pytest.mark.parametrize(
    ("kind", "normalize"), [*zip(TOKENIZERS, (False, True, False), strict=True)]
)
def test_a_model2vec_folder_gives_its_similarities(
    tmp_path: Path, kind: str, normalize: bool
) -> None:
    model2vec = pytest.importorskip("model2vec")
    tokenizer = TOKENIZERS[kind]()
    model = model2vec.StaticModel(rows_for(tokenizer), tokenizer, normalize=normalize)
    model.save_pretrained(tmp_path / "m2v")
    expect_same_similarities(embeddings.load(tmp_path / "m2v"), model.encode(SENTENCES))


def test_a_quantised_vocabulary_is_unfolded(tmp_path: Path) -> None:
    """model2vec may share rows between tokens, and store them as int8 with a weight a token."""
    model2vec = pytest.importorskip("model2vec")
    tokenizer = wordpiece()
    shared = np.random.default_rng(3).integers(-127, 128, (5, 8)).astype(np.int8)
    places = np.arange(len(TOKENS)) % 5
    weights = np.linspace(0.1, 2, len(TOKENS)).astype(np.float32)
    model = model2vec.StaticModel(shared, tokenizer, weights=weights, token_mapping=places)
    model.save_pretrained(tmp_path / "m2v")
    encoder = embeddings.load(tmp_path / "m2v")
    assert encoder.rows.values.dtype == np.int8
    np.testing.assert_allclose(encoder.encode(SENTENCES), model.encode(SENTENCES), rtol=1e-5)


def save_static_embedding(path: Path, tokenizer: Tokenizer, *, normalize: bool = False) -> Any:
    pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = pytest.importorskip("sentence_transformers")
        from sentence_transformers.sentence_transformer import modules

        parts = [modules.StaticEmbedding(tokenizer, embedding_weights=rows_for(tokenizer))]
        model = library.SentenceTransformer(
            modules=[*parts, *([modules.Normalize()] if normalize else [])], device="cpu"
        )
        model.save(str(path))
        return model.encode(SENTENCES)


@pytest.mark.parametrize(
    ("kind", "normalize"), [*zip(TOKENIZERS, (False, True, False), strict=True)]
)
def test_a_static_embedding_gives_its_similarities(
    tmp_path: Path, kind: str, normalize: bool
) -> None:
    vectors = save_static_embedding(tmp_path / "st", TOKENIZERS[kind](), normalize=normalize)
    expect_same_similarities(embeddings.load(tmp_path / "st"), vectors)


@pytest.mark.parametrize("keep_unknown", [True, False])
@pytest.mark.parametrize("longest", [None, 4])
def test_a_foreign_encoder_is_saved_for_its_library(
    tmp_path: Path, keep_unknown: bool, longest: int | None
) -> None:
    longest = None if keep_unknown else longest
    vocabulary = HuggingFaceTokenizer(
        wordpiece().to_str(), keep_unknown=keep_unknown, longest=longest
    )
    encoder = Encoder(vocabulary, quantize(rows_for(wordpiece())))
    save_folder(tmp_path / "out", encoder)
    save_folder(tmp_path / "out", encoder)  # ours to replace
    loaded = load_folder(tmp_path / "out")
    np.testing.assert_array_equal(loaded.encode(SENTENCES), encoder.encode(SENTENCES))
    if keep_unknown:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            library = pytest.importorskip("sentence_transformers")
            model: Any = library.SentenceTransformer(str(tmp_path / "out"), device="cpu")
    else:
        library = pytest.importorskip("model2vec")
        model = library.StaticModel.from_pretrained(tmp_path / "out")
    expect_same_similarities(loaded, model.encode(SENTENCES))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "m2v"
    path.mkdir()
    save_file({"embeddings": rows_for(wordpiece())}, path / "model.safetensors")
    wordpiece().save(str(path / "tokenizer.json"))
    (path / "config.json").write_text("{}")
    return path


def as_modules(*kinds: str) -> Callable[[Path], Any]:
    modules = [{"path": "", "type": f"sentence_transformers.models.{kind}"} for kind in kinds]

    def change(path: Path) -> None:
        (path / "config.json").unlink()
        (path / "modules.json").write_text(json.dumps(modules))

    return change


def as_pickle(path: Path) -> None:
    as_modules("StaticEmbedding")(path)
    (path / "model.safetensors").rename(path / "pytorch_model.bin")


def with_rows(**tensors: Any) -> Callable[[Path], Any]:
    return lambda path: save_file(tensors, path / "model.safetensors")


BAD: dict[str, Callable[[Path], Any]] = {
    r"no model folder; expected": lambda p: (p / "config.json").unlink(),
    r"modules StaticEmbedding, Dense; only": as_modules("StaticEmbedding", "Dense"),
    r"pytorch_model\.bin: a pickle.*safe_serialization=True": as_pickle,
    r"no tensor 'embeddings' or 'embedding.weight' in bert": with_rows(bert=np.ones((2, 2))),
    r"does not fit tokenizer\.json \(2 scales": with_rows(
        embeddings=np.ones((15, 2), np.int8), weights=np.ones(2)
    ),
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_folder_is_refused(folder: Path, message: str) -> None:
    embeddings.load(folder)
    BAD[message](folder)
    with pytest.raises(DataError, match=message):
        embeddings.load(folder)


@pytest.mark.parametrize("binary", [True, False])
def test_gensim_reads_what_is_written_for_it(tmp_path: Path, binary: bool) -> None:
    known = ["the", "cat", "naïve", "n't", "##s"]
    table = np.random.default_rng(4).standard_normal((8, 6)).astype(np.float32)
    table[1] = [1e-18, -1e18, 0, 1 / 3, 7, np.float32(16777217)]
    encoder = Encoder(WordTokenizer(known, 3), table)
    path = tmp_path / ("vectors.bin" if binary else "vectors.txt")
    write_word2vec(path, encoder, binary=binary)
    read = KeyedVectors.load_word2vec_format(str(path), binary=binary)
    assert read.index_to_key == known
    np.testing.assert_array_equal(read.vectors, table[:5])
    np.testing.assert_array_equal(embeddings.load(path).table[:5], table[:5])
