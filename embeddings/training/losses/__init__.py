"""Losses over sentence vectors, and what they are made of."""

from embeddings.training.losses.cosines import (
    cosine,
    cosine_agreement,
    cosines,
    l2_to_init,
)

__all__ = ["cosine", "cosine_agreement", "cosines", "l2_to_init"]
