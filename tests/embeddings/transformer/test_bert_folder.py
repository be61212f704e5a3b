"""Folders of other libraries, next to these libraries, on tiny random models."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import models

from semaniacs import embeddings
from semaniacs.cli import run as main
from semaniacs.embeddings.loading import load_static
from semaniacs.embeddings.transformer.bert_folder import load_bert
from semaniacs.sts.errors import DataError
from tests.embeddings.conftest import Command
from tests.embeddings.transformer import tiny

WORDS = (
    "<s> <pad> </s> <unk> the dog cat runs sleeps a man plays guitar ##s house red green big small one"
).split()
SIZES = {
    "vocab_size": len(WORDS),
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 18,
    "pad_token_id": 1,
}
KINDS = {
    "bert": "Bert",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "camembert": "Camembert",
}
SENTENCES = ["the dog runs", "", "a man plays the guitars zzz", "cat", "the red house " * 3]


def transformers_library() -> Any:
    pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("transformers")


def save_model(folder: Path, kind: str, head: str = "Model", **settings: Any) -> Any:
    library = transformers_library()
    import torch

    if kind == "bert":
        settings = {"type_vocab_size": 2, **settings}
    config = getattr(library, f"{KINDS[kind]}Config")(**{**SIZES, **settings})
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = getattr(library, f"{KINDS[kind]}{head}")(config).eval()
        for parameter in model.parameters():  # biases and norms too
            torch.nn.init.normal_(parameter, std=0.4)
        model.save_pretrained(folder)
        fast_tokenizer().save_pretrained(folder)
    return model


def fast_tokenizer() -> Any:
    """WordPiece over a few words, between the marks of RoBERTa."""
    words = {word: number for number, word in enumerate(WORDS)}
    made = tiny.marked(models.WordPiece(words, unk_token="<unk>"), "<s>", "</s>")
    marks = {"unk_token": "<unk>", "pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>"}
    return transformers_library().PreTrainedTokenizerFast(tokenizer_object=made, **marks)


def states_of(model: Any, sentence: str) -> Any:
    import torch

    ids = torch.tensor([fast_tokenizer()(sentence)["input_ids"]])
    with torch.no_grad():
        states = model.base_model(input_ids=ids, output_hidden_states=True).hidden_states
    return torch.stack(states)[:, 0].numpy()


@pytest.mark.parametrize(
    ("kind", "head", "settings"),
    [(kind, "ForMaskedLM", {}) for kind in KINDS]
    + [
        ("bert", "ForSequenceClassification", {"hidden_act": "relu", "layer_norm_eps": 1e-3}),
        ("bert", "Model", {"hidden_act": "gelu_new", "hidden_size": 32, "num_attention_heads": 2}),
        (
            "roberta",
            "ForSequenceClassification",
            {"pad_token_id": 17, "max_position_embeddings": 40},
        ),
    ],
    ids=str,
)
def test_states_are_those_of_transformers(
    tmp_path: Path, kind: str, head: str, settings: dict[str, Any]
) -> None:
    model = save_model(tmp_path, kind, head, **settings)
    read = load_bert(tmp_path)
    ids, layers = read.layers(SENTENCES, [0, 1, 2])
    for place, sentence in enumerate(SENTENCES):
        expected = states_of(model, sentence)
        assert len(ids[place]) == expected.shape[1]
        found = np.stack([after[place] for after in layers])
        np.testing.assert_allclose(found, expected, atol=1e-5)
        np.testing.assert_allclose(read.encode(sentence), expected[-1].mean(axis=0), atol=1e-5)


HEADS: dict[str, Callable[[Any], list[Any]]] = {
    "mean": lambda of: [of.Pooling(24, "mean")],
    "cls, unit": lambda of: [of.Pooling(24, "cls"), of.Normalize()],
    "three": lambda of: [of.Pooling(24, ("mean", "lasttoken", "mean_sqrt_len_tokens"))],
    "LaBSE": lambda of: [of.Pooling(24, "cls"), of.Dense(24, 10), of.Normalize()],
}


def save_sentence_transformer(folder: Path, kind: str, head: str, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("sentence_transformers")
        from sentence_transformers import SentenceTransformer, models

        save_model(folder / "inner", kind)
        first = models.Transformer(str(folder / "inner"), **options)
        made = SentenceTransformer(modules=[first, *HEADS[head](models)], device="cpu")
        made.save(str(folder / "model"))
    return made


@pytest.mark.parametrize("head", HEADS)
def test_vectors_are_those_of_sentence_transformers(tmp_path: Path, head: str) -> None:
    model = save_sentence_transformer(tmp_path, "bert" if head == "LaBSE" else "xlm-roberta", head)
    expected = model.encode(SENTENCES)
    read = load_bert(tmp_path / "model")
    assert read.dim == expected.shape[1]
    np.testing.assert_allclose(read.encode(SENTENCES), expected, atol=1e-5)
    for one, sentence in zip(read.encode(SENTENCES), SENTENCES, strict=True):
        np.testing.assert_array_equal(read.encode(sentence), one)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("longest", [None, 6])
def test_as_much_is_read_of_a_text_as_there_and_what_is_not_is_said(
    tmp_path: Path, kind: str, longest: int | None
) -> None:
    model = save_sentence_transformer(tmp_path, kind, "mean", max_seq_length=longest)
    texts = ["dog " * 30, "the cat"]
    limit = longest or {"bert": 18, "roberta": 16}[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.max_seq_length = limit
        expected = model.encode(texts)
    read = load_bert(tmp_path / "model")
    with pytest.warns(UserWarning, match=f"1 of 2 sentences is longer than {limit} tokens; what"):
        found = read.encode(texts)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_folder_is_opened_where_any_model_is(tmp_path: Path) -> None:
    vectors = load_bert(tiny.save(tmp_path)).encode(["aa bb", "cc"])
    np.testing.assert_array_equal(embeddings.encode(["aa bb", "cc"], tmp_path), vectors)
    assert embeddings.load(tmp_path).similarity("aa", ["bb", "cc"]).shape == (1, 2)
    with pytest.raises(DataError, match=r"a transformer; expected an encoder that averages words"):
        load_static(tmp_path)


def rewrite(path: Path, **changes: Any) -> None:
    there = json.loads(path.read_text("utf-8")) | changes
    left = {name: value for name, value in there.items() if value is not None}
    path.write_text(json.dumps(left), encoding="utf-8")


def rewrite_weights(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


NAMED = "encoder.layer.1.output.dense.weight"


OTHER_WORDS = {"type": "WordLevel", "unk_token": "a", "vocab": {f"a{i}": i for i in range(99)}}

DAMAGES: list[tuple[Callable[[Path], Any], str]] = [
    (
        lambda folder: rewrite_weights(folder, lambda tensors: tensors.pop(NAMED)),
        rf"model.safetensors: no tensor {NAMED}; config.json asks for one of \(8, 12\)",
    ),
    (
        lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"),
        r"pytorch_model.bin: a pickle, which may run code; save the model with safe",
    ),
    (
        lambda folder: rewrite(folder / "config.json", model_type="gpt2"),
        r"config.json: model_type 'gpt2'; known are: bert, roberta, xlm-roberta, camembert",
    ),
    (
        lambda folder: rewrite(folder / "tokenizer.json", added_tokens=[], model=OTHER_WORDS),
        r"tokenizer.json: a tokenizer of 99 tokens, and weights for 12; it is that of another",
    ),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_a_folder_that_is_not_whole_is_refused_in_one_line(
    tmp_path: Path, damage: Callable[[Path], Any], message: str
) -> None:
    damage(tiny.save(tmp_path))
    with pytest.raises(DataError, match=message) as raised:
        embeddings.load(tmp_path)
    assert "\n" not in str(raised.value)


def test_the_command_line_opens_a_folder(tmp_path: Path, command: Command) -> None:
    model, vectors = tiny.save(tmp_path / "model"), tmp_path / "vectors.npy"
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("aa bb\ncc\n", encoding="utf-8")
    assert not command(main, f"encode {sentences} -o {vectors} --model {model}").printed
    np.testing.assert_array_equal(np.load(vectors), load_bert(model).encode(["aa bb", "cc"]))
    told = command(main, f"info {model}").out
    facts = dict(line.split(maxsplit=1) for line in told.splitlines())
    assert facts["layers"] == "3 of 8, 2 heads"
    assert facts["reads"] == "40 tokens of a text"
    assert facts["fingerprint"] == load_bert(model).digest
