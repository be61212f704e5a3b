"""Folding many characters at once does what the table of characters says of each."""

from __future__ import annotations

import numpy as np
import pytest

from embeddings.compiled.character_table import KIND, characters
from embeddings.compiled.finders.ascii import BLOCK, fold_ascii
from embeddings.compiled.kernels import LOW, native


@native
def fold(data, begin, text, kinds, at):  # type: ignore[no-untyped-def]
    """Folding, as it can be called from Python."""
    return fold_ascii(data, begin, text, kinds, at)


@pytest.mark.parametrize("begin", range(0, 128, BLOCK))
def test_every_character_of_ascii(begin: int) -> None:
    text, kinds = np.zeros((2, BLOCK + 1), np.uint8)
    assert fold(np.arange(128, dtype=np.uint8), begin, text, kinds, 1) == BLOCK
    expected = characters()[begin : begin + BLOCK]
    np.testing.assert_array_equal(text[1:], expected & LOW)
    np.testing.assert_array_equal(kinds[1:], expected >> np.uint32(KIND))


@pytest.mark.parametrize("beyond", [0, 1, 7, 8, 30, 31])
def test_those_before_another_character_are_counted(beyond: int) -> None:
    data = np.full(BLOCK, ord("A"), np.uint8)
    data[beyond] = 0x80
    assert fold(data, 0, *np.zeros((2, BLOCK), np.uint8), 0) == beyond
