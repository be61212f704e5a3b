"""Whether a tokenizer has words for a text."""

from __future__ import annotations

from embeddings.transformer.transformer_encoder import Spelling

TOKENS = ["[UNK]", "##a", "▁b", "dog", "##s", "12", ".", "猫", "ж", "Ġcat", "▁"]
KINDS = Spelling.of_tokens({token: number for number, token in enumerate(TOKENS)})


def test_kinds() -> None:
    assert dict(zip(TOKENS, KINDS.tolist(), strict=True)) == {
        "[UNK]": 2, "##a": 2, "▁b": 2, "dog": 1, "##s": 2, "12": 0, ".": 0, "猫": 1, "ж": 2,
        "Ġcat": 1, "▁": 0,
    }  # fmt: skip


def warning_of(*numbers: int) -> str | None:
    spelling = Spelling(KINDS)
    spelling.count([list(numbers[:3]), [], list(numbers[3:])])
    return spelling.warning()


def test_letters_for_the_most_part_are_said_and_words_are_not() -> None:
    assert "75% of its tokens are single letters" in str(warning_of(*[8] * 45, *[3] * 15, 5, 6))
    assert warning_of(*[8] * 30, *[3] * 30) is None
    assert warning_of(*[3] * 100) is None
    assert warning_of(*[7] * 100) is None


def test_a_few_letters_prove_nothing() -> None:
    assert warning_of(*[8] * 49) is None
    assert warning_of() is None
