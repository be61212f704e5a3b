"""Small formulas that several families share."""

from __future__ import annotations

import math
from collections.abc import Mapping


def f1(precision: float, recall: float) -> float:
    """Harmonic mean of two numbers in [0, 1]; 0 if both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def compressed_count(*counts: int) -> float:
    """log(1 + Σ counts): how many there are, large numbers counting less and less."""
    return math.log1p(sum(counts))


def relative_difference(a: float, b: float) -> float:
    """|a − b| / max(a, b) in [0, 1]; 0 if both are 0."""
    largest = max(a, b)
    return abs(a - b) / largest if largest > 0 else 0.0


def sparse_cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Cosine of two sparse non-negative vectors, in [0, 1]; 0 if either is zero."""
    dot = sum(weight * b[key] for key, weight in a.items() if key in b)
    norm = math.sqrt(sum(x * x for x in a.values()) * sum(x * x for x in b.values()))
    return min(1.0, dot / norm) if norm > 0 else 0.0
