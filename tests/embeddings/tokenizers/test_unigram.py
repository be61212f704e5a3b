"""What a model file says of itself is what the library says of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor

from embeddings.tokenizers.unigram import log_probabilities
from tests.embeddings.models import OTHER_MODELS, field, learned, model_of, trained


@pytest.mark.parametrize("model", [learned(), trained(), trained(control_symbols=["<c>"])])
def test_pieces_and_scores_are_the_librarys(model: bytes) -> None:
    library = SentencePieceProcessor(model_proto=model)
    every = range(library.get_piece_size())
    normal = [i for i in every if not (library.is_control(i) or library.is_unknown(i))]
    assert len(normal) < len(every)
    found = log_probabilities(model)
    assert found is not None
    pieces, scores = found
    assert pieces == library.id_to_piece(normal)
    assert scores.dtype == np.float32
    assert scores.tolist() == library.get_score(normal)


def test_a_model_by_hand() -> None:
    pieces = {"▁": -1.5, "а": 0.0, "b" * 300: 2.0, "x": -3.0}
    found = log_probabilities(model_of(pieces, {"x": 5}))  # x is not used
    assert found is not None
    assert dict(zip(found[0], found[1].tolist(), strict=True)) == {
        piece: score for piece, score in pieces.items() if piece != "x"
    }


@pytest.mark.parametrize("score", [b"", field(2, 0.0)], ids=["none", "zero"])
def test_a_piece_without_a_score_has_the_score_zero(score: bytes) -> None:
    model = model_of({"a": -1.0}) + field(1, field(1, b"b") + score)
    assert SentencePieceProcessor(model_proto=model).get_score(2) == 0
    found = log_probabilities(model)
    assert found is not None
    assert found[1].tolist() == [-1, 0]


def test_fields_that_are_not_known_are_passed_over() -> None:
    extra = field(200, 5) + field(201, b"abc") + field(202, 1.0) + b"\xd9\x0c12345678"
    model = model_of({"a": -1.0})
    SentencePieceProcessor(model_proto=model + extra)  # the library passes over them too
    assert str(log_probabilities(model + extra)) == str(log_probabilities(model))


@pytest.mark.parametrize("settings", OTHER_MODELS, ids=str)
def test_models_that_do_more_than_find_the_best_path_are_left_alone(
    settings: dict[str, Any],
) -> None:
    assert log_probabilities(trained(**settings)) is None


@pytest.mark.parametrize(
    "settings",
    [
        field(2, field(3, 2)),
        field(3, field(5, 0)),  # no ▁ for a space
        field(3, field(3, 0)) + field(3, field(1, b"a message in two parts")),
    ],
)
def test_so_are_they_if_somebody_else_has_written_them(settings: bytes) -> None:
    model = model_of({"a": -1.0})
    assert log_probabilities(model) is not None
    assert log_probabilities(model + settings) is None


@pytest.mark.parametrize("score", [float("nan"), float("-inf"), float("inf")])
def test_so_are_scores_that_are_no_numbers(score: float) -> None:
    assert log_probabilities(model_of({"a": -1.0, "b": score})) is None


def test_a_group_of_fields_is_refused() -> None:
    with pytest.raises(ValueError, match="field of kind 3"):
        log_probabilities(model_of({"a": -1.0}) + b"\x0b\x0c")
