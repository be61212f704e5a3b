"""A tiny random BERT, its tokenizer, and pairs that it can learn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from scipy.special import erf, softmax
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from semaniacs.embeddings.transformer.plain_forward import Shape
from semaniacs.embeddings.transformer.transformer_encoder import Transformer

KNOWN = ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *KNOWN]
LAYERS, HEADS, DIM, INNER, PLACES = 3, 2, 8, 12, 40
SHAPE = Shape(LAYERS, HEADS, 1e-6)

Weights = dict[str, NDArray[np.float32]]


def random_weights(seed: int = 0) -> Weights:
    """Weights by the names of a file of weights; norms are near 1."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), DIM),
        "embeddings.position_embeddings.weight": (PLACES, DIM),
        "embeddings.token_type_embeddings.weight": (2, DIM),
        "embeddings.LayerNorm.weight": (DIM,),
        "embeddings.LayerNorm.bias": (DIM,),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        sizes = {
            **{f"attention.self.{part}": (DIM, DIM) for part in ("query", "key", "value")},
            "attention.output.dense": (DIM, DIM),
            "intermediate.dense": (INNER, DIM),
            "output.dense": (DIM, INNER),
        }
        for part, size in sizes.items():
            shapes |= {f"{name}{part}.weight": size, f"{name}{part}.bias": size[:1]}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}{part}.weight": (DIM,), f"{name}{part}.bias": (DIM,)}
    found = {n: 0.4 * rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()}
    return {n: v + ("LayerNorm.weight" in n) for n, v in found.items()}


def tokenizer() -> Tokenizer:
    words = {word: number for number, word in enumerate(WORDS)}
    return marked(models.WordLevel(words, unk_token="[UNK]"), "[CLS]", "[SEP]")


def marked(model: Any, begin: str, end: str) -> Tokenizer:
    """Tokenizer of a model, with marks around a sentence, and around both of a pair."""
    made = Tokenizer(model)
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} $B:1 {end}:1",
        special_tokens=[(mark, made.token_to_id(mark)) for mark in (begin, end)],
    )
    return made


CONFIG = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "hidden_size": DIM,
    "intermediate_size": INNER,
    "max_position_embeddings": PLACES,
    "vocab_size": len(WORDS),
    "type_vocab_size": 2,
    "hidden_act": "gelu",
    "layer_norm_eps": SHAPE.epsilon,
}


def save(folder: Path, seed: int = 0) -> Path:
    marks = {"unk": "[UNK]", "pad": "[PAD]", "cls": "[CLS]", "sep": "[SEP]"}
    named = {f"{kind}_token": mark for kind, mark in marks.items()}
    named["tokenizer_class"] = "PreTrainedTokenizerFast"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    (folder / "tokenizer.json").write_text(tokenizer().to_str())
    save_file(random_weights(seed), folder / "model.safetensors", {"format": "pt"})
    return folder


def lines(n: int, seed: int = 0) -> str:
    """Lines of left, right and gold; hardly two of its pairs share a sentence."""
    rows = zip(*pairs(n, seed, 6), strict=True)
    return "".join(f"{left}\t{right}\t{gold:g}\n" for left, right, gold in rows)


def network(seed: int = 0) -> Transformer:
    return Transformer(random_weights(seed), SHAPE, tokenizer())


def pairs(
    n: int, seed: int = 0, words_of: int = 3
) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Pairs of three words a side, or another number: 1 if both sides are of one half of the vocabulary, else 0."""
    rng = np.random.default_rng(seed)
    halves = rng.integers(0, 2, n)
    gold = rng.integers(0, 2, n)

    def words(half: int) -> str:
        return " ".join(KNOWN[4 * half + i] for i in rng.integers(0, 4, words_of))

    left = [words(half) for half in halves]
    right = [words(half if same else 1 - half) for half, same in zip(halves, gold, strict=True)]
    return left, right, gold.astype(np.float64)


def states_by_hand(
    *texts: Sequence[int],
    types: Sequence[int] | int = 0,
    gates: tuple[Sequence[float], Sequence[float]] | None = None,
    layers: int = LAYERS,
) -> NDArray[np.float64]:
    """The last states of one text, head by head, in float64; or of two, which see each other.

    A head adds its first gate to the score of a token of the other text, and its second if it is the same.
    """
    w = {name: value.astype(np.float64) for name, value in random_weights().items()}

    def norm(name: str, x: Any) -> Any:
        scaled = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + SHAPE.epsilon)
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(name: str, x: Any) -> Any:
        return np.einsum("ti,oi->to", x, w[f"{name}.weight"]) + w[f"{name}.bias"]

    lengths, ids = list(map(len, texts)), np.concatenate(texts)
    side, alike = np.repeat(np.arange(len(texts)), lengths), ids[:, None] == ids
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][np.concatenate([*map(np.arange, lengths)])]
    x = norm("embeddings.LayerNorm", x + w["embeddings.token_type_embeddings.weight"][types])
    for layer in range(layers):
        name = f"encoder.layer.{layer}."
        query, key, value = (
            dense(f"{name}attention.self.{part}", x) for part in ("query", "key", "value")
        )
        heads = []
        for number, head in enumerate(np.split(np.arange(DIM), HEADS)):
            scores = query[:, head] @ key[:, head].T / np.sqrt(DIM / HEADS)
            if gates:
                other, same = (gate[number] for gate in gates)
                scores += (side[:, None] != side) * (other + alike * same)
            heads.append(softmax(scores, axis=1) @ value[:, head])
        attended = dense(f"{name}attention.output.dense", np.concatenate(heads, axis=1))
        x = norm(f"{name}attention.output.LayerNorm", x + attended)
        inner = dense(f"{name}intermediate.dense", x)
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = norm(f"{name}output.LayerNorm", x + dense(f"{name}output.dense", inner))
    return np.asarray(x)
