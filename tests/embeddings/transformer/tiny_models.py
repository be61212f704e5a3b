"""Tiny random transformers as other libraries save them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = [
    "<s>", "<pad>", "</s>", "<unk>", "the", "dog", "cat", "runs", "sleeps", "a", "man", "plays",
    "guitar", "##s", "house", "red", "green", "big", "small", "one",
]  # fmt: skip
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
    """The library transformers; skips the test where it or torch is not installed."""
    pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("transformers")


def save_model(folder: Path, kind: str, head: str = "Model", **settings: Any) -> Any:
    """Write a random model with its tokenizer; returns it.

    Args:
        folder: to be made.
        kind: a ``model_type``.
        head: what the class is called after the architecture, such as ``ForMaskedLM``.
        **settings: of the configuration.
    """
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
    made = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> $B:1 </s>:1",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    marks = {"unk_token": "<unk>", "pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>"}
    return transformers_library().PreTrainedTokenizerFast(tokenizer_object=made, **marks)
