"""Columns and tunings of a run that learns from no round trips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from features.registry import get_feature
from runs.pipeline.tuning.encoders import Tuning


def leave_out_round_trips(
    columns: Sequence[str], tunings: Sequence[Tuning]
) -> tuple[tuple[str, ...], tuple[Tuning, ...]]:
    """Tunings without their last stage, and the columns without those that come twice.

    Two tunings that differ in their last stage alone become the same, and so do the columns of
    their encoders. The last of them stays, so that no importance is divided between two copies.

    Args:
        columns: names of the features.
        tunings: of the encoders ``paraphrase1``, ``paraphrase2``, ….
    """
    first_stages = tuple(replace(tuning, round_trips=None) for tuning in tunings)
    copies = {
        f"paraphrase{number}"
        for number, tuning in enumerate(first_stages, start=1)
        if tuning in first_stages[number:]
    }
    return tuple(c for c in columns if copies.isdisjoint(get_feature(c).needs)), first_stages
