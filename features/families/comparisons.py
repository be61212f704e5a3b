"""Directions, comparisons, order in time, causes and conditions, places: which side is which."""

from __future__ import annotations

from features.batch import Batch, Column
from features.families.roles import ABNEY, LYONS, conflict, conflicting, read, share_kept, spread
from features.measures.grammar.comparing import comparisons_of
from features.registry import columnwise

MOVED = frozenset(("role moved", "modifier moved"))
"""Kinds of conflict that are told by one word alone."""


@columnwise("comparison_match", "structure", LYONS)
def comparison_match(batch: Batch) -> Column:
    """Share of the directed relations that both tell alike, be it from the other side."""
    pairs = ((comparisons_of(a), comparisons_of(b)) for a, b in read(batch))
    return spread(batch, [share_kept(a, b) for a, b in pairs])


@columnwise("direction_conflict", "structure", ABNEY)
def direction_conflict(batch: Batch) -> Column:
    """1 if from and to are exchanged: from Paris to Rome, from Rome to Paris."""
    return conflict(batch, "path")


@columnwise("comparison_conflict", "structure", LYONS)
def comparison_conflict(batch: Batch) -> Column:
    """1 if the other one is the taller: Ann is taller than Tom, Tom is taller than Ann."""
    return conflict(batch, "comparison")


@columnwise("time_order_conflict", "structure", LYONS)
def time_order_conflict(batch: Batch) -> Column:
    """1 if the other event is the earlier: she ate before he left, she ate after he left."""
    return conflict(batch, "time")


@columnwise("cause_conflict", "structure", ABNEY)
def cause_conflict(batch: Batch) -> Column:
    """1 if cause and effect, or condition and consequence, are exchanged."""
    return conflict(batch, "cause", "condition")


@columnwise("place_conflict", "structure", LYONS)
def place_conflict(batch: Batch) -> Column:
    """1 if the other one is above, north, inside, or the one that is lacking."""
    return conflict(batch, "place", "lack")


@columnwise("structure_conflict", "structure", ABNEY)
def structure_conflict(batch: Batch) -> Column:
    """1 if any of the above is exchanged, ½ if one word alone has moved, else 0."""
    return spread(
        batch, [1.0 if found - MOVED else len(found) and 0.5 for found in conflicting(batch)]
    )
