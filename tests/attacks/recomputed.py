"""Results of the published table are made again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from runs.tables.made_again import make_again
from sts.errors import StsError
from tests.attacks.promises import Trial, checker

RESULTS = Path(__file__).parents[2] / "runs" / "results"

QUICK = ("sts2016.raw", "sts2015.raw", "sts2014.raw", "sts2013.raw", "sts2012.raw",
         "sts2016.bitext-sp")  # fmt: skip
"""Results that train nothing."""

WITHIN = 1e-6
"""How far figures of another processor may be apart."""


def made_again(path: Path, data: Path | None = None) -> str | None:
    """What is not the same; None if all is."""
    try:
        found = make_again(path, data, WITHIN)
    except StsError as error:
        return f"{path.name}: {error}"
    return f"{path.name}: {'; '.join(found.differences)}" if found.differences else None


@checker("recompute", "results of the published table, made again", cases=6, sample=0, seconds=900)
def published(trial: Trial) -> Iterator[str | None]:
    """Needs STS_DATA."""
    for name in QUICK[: trial.cases]:
        yield made_again(RESULTS / f"{name}.json")
