"""Columns beside a score: a prediction interval, a calibrated score, and a decision."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.runs.pipeline.model import Model
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import (
    parse_json,
    read_text,
    sha256_of,
    sha256_of_bytes,
    temporary_folder,
    write_text,
)
from semaniacs.sts.scoring.calibration import (
    LEVEL,
    Intervals,
    MonotoneMap,
    Threshold,
    find_threshold,
    mapped_left_out,
)
from semaniacs.sts.scoring.cross_validation import check_direction, check_gold, separable

_FORMAT = 1

_ENOUGH = 70
"""Fewest labelled pairs for intervals and an error estimate: four fifths make a map, the others test it."""


def calibrated_name(model: Model, source: str | None) -> str:
    """Return the name of the model of a calibration: the run, and a hash if it was fitted anew.

    ``source`` is the name or folder that it was loaded from.
    """
    if source == model.run.name:
        return source
    with temporary_folder("calibration") as folder:
        model.save(folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        hashes = "".join(map(sha256_of, files))
    return (
        f"{model.run.name} fitted to pairs of one's own ({sha256_of_bytes(hashes.encode())[:12]})"
    )


@dataclass(frozen=True)
class Calibration:
    """Map, intervals and threshold that were fitted to the scores of labelled pairs.

    Attributes:
        model: name of the model, see :func:`calibrated_name`.
        pairs: number of labelled pairs.
        map: from scores to the scale of the labels; None for labels of two classes.
        intervals: of mapped scores; None without a map, or for too few pairs.
        threshold: score from which pairs are the same; None if none was requested.
        report: error before and after, width of the intervals, and precision of the threshold.
    """

    model: str
    pairs: int
    map: MonotoneMap | None = None
    intervals: Intervals | None = None
    threshold: Threshold | None = None
    report: str = ""

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        points = spread = None
        if self.map is not None:
            points = np.round(np.stack([self.map.scores, self.map.gold], axis=1), 6).tolist()
        if self.intervals is not None:
            spread = {k: np.round(v, 6).tolist() for k, v in vars(self.intervals).items()}
        threshold = None if self.threshold is None else asdict(self.threshold)
        content = {"format": _FORMAT, "model": self.model, "pairs": self.pairs, "map": points}
        content |= {"intervals": spread, "threshold": threshold, "report": self.report}
        write_text(Path(path), json.dumps(content, indent=2) + "\n")

    @classmethod
    def of(
        cls, given: Calibration | str | Path | None, model: Model, source: str | None
    ) -> Calibration | None:
        """Return a calibration, read from a file if it is one.

        Raises:
            StsError: it is for another model, or the file is damaged.
        """
        if given is None:
            return None
        found = given if isinstance(given, Calibration) else cls.load(Path(given))
        name = calibrated_name(model, source)
        if found.model != name:
            place = "" if found is given else f"{given}: "
            raise DataError(
                f"{place}a calibration of {found.model}, not of {name}; make one with: "
                "semaniacs calibrate LABELLED --model MODEL --gold COLUMN -o FILE"
            )
        return found

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Read a file that :meth:`save` wrote; a :class:`DataError` if it is damaged."""
        try:
            content = parse_json(read_text(path))
            if content["format"] != _FORMAT:
                raise ValueError(f"format {content['format']!r}")
            points, threshold = content["map"], content["threshold"]
            spread = content.get("intervals")  # files of earlier versions have none
            arrays = {name: np.array(values, float) for name, values in (spread or {}).items()}
            return cls(
                content["model"],
                content["pairs"],
                None if points is None else MonotoneMap(*np.array(points, np.float64).T),
                Intervals(**arrays) if arrays else None,
                None if threshold is None else Threshold(**threshold),
                str(content.get("report", "")),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{path}: no calibration ({error!r}); expected a file of: semaniacs calibrate"
            ) from None


def calibrate(
    model: str,
    pairs: Pairs,
    scores: Scores,
    *,
    precision: float | None = None,
    confidence: float = 0.9,
    right_from: float | None = None,
) -> Calibration:
    """Fit a map and intervals to gold from 0 to 5, and a threshold to a precision.

    The intervals are of split conformal prediction (Vovk et al., 2005, section 4.5), by maps
    that had not seen the pair; they are valid for pairs that are drawn as the labelled ones.

    Args:
        model: name of the model, see :func:`calibrated_name`.
        pairs, scores: n labelled pairs, with gold from 0 to 5 or labels 0 and 1, and (n,) scores.
        precision: share of right pairs above the threshold; labels need one.
        confidence: probability that the precision is reached.
        right_from: gold from which a pair is right, unless gold is labels.
    """
    values = pairs.gold
    two_classes = bool(np.isin(values, (0, 1)).all())
    if two_classes and precision is None:
        raise StsError(
            "labels of 0 and 1 give a threshold: say how precise it is to be with --precision 0.95"
        )
    if precision is not None and not two_classes and right_from is None:
        most = 0.8 * float(np.nanmax(values))
        raise StsError(f"--precision: from which gold is a pair right? Type --right-from {most:g}")
    lines = []
    found = intervals = None
    check_direction(scores, values)
    if not two_classes:
        check_gold(pairs)
        found = MonotoneMap.fit(scores, values)
        unseen = mapped_left_out(scores, values, separable(pairs))
        known = np.isfinite(unseen)
        before = f"{len(pairs)} pairs: mean absolute error {np.abs(scores - values).mean():.4f}"
        if len(pairs) < _ENOUGH or not known.all():  # the few that are known are no sample
            lines.append(
                f"{before}; for intervals label {_ENOUGH} pairs, few with a text in common"
            )
        else:
            intervals = Intervals.fit(unseen, values)
            low, high = intervals.around(unseen)
            after = np.abs(unseen - values).mean()
            lines += [
                f"{before}, and {after:.4f} by maps that had not seen the pair",
                f"intervals that hold {LEVEL:.0%} of such pairs are {(high - low).mean():.2f} wide",
            ]
    threshold = None
    if precision is not None:
        labels = values >= (0.5 if right_from is None else right_from)
        threshold = find_threshold(scores, labels, precision, confidence)
        mapped = () if found is None else found(np.array([threshold.score])).tolist()
        lines.append("; mapped: ".join([str(threshold), *(f"{one:.4f}" for one in mapped)]))
    return Calibration(model, len(pairs), found, intervals, threshold, "\n".join(lines))


@dataclass(frozen=True)
class ScoreColumns:
    """Columns that scores are written as.

    Attributes:
        level: probability of the intervals; None writes none.
        intervals: of the model; those of a calibration are preferred.
        calibration: of the user; None leaves the scores as they are.
    """

    level: float | None = None
    intervals: Intervals | None = None
    calibration: Calibration | None = None

    @classmethod
    def of(cls, model: Model, level: float | None, calibration: Calibration | None) -> ScoreColumns:
        """Return the columns; raise a :class:`StsError` if intervals are missing."""
        if level is None or (calibration and calibration.intervals):
            return cls(level, None, calibration)
        if model.intervals is None:
            raise StsError(
                f"this model of {model.run.name!r} has no intervals; fusion, contextual and fusion-gbr "
                "ship with some, and labelled pairs that it was not fitted to give any MODEL some: "
                "semaniacs calibrate LABELLED --gold COLUMN --model MODEL -o FILE"
            )
        return cls(level, model.intervals, calibration)

    def named(self, name: str, scores: Scores) -> Mapping[str, NDArray[Any]]:
        """Return columns (n,) by name: the score; low and high; 1 for a pair above the threshold."""
        columns: dict[str, NDArray[Any]] = {name: self._mapped(scores)}
        if self.level is not None:
            if self.calibration is not None and self.calibration.intervals is not None:
                low, high = self.calibration.intervals.around(columns[name], self.level)
            else:
                assert self.intervals is not None
                low, high = map(self._mapped, self.intervals.around(scores, self.level))
            columns |= {f"{name}_low": low, f"{name}_high": high}
        if self.calibration is not None and self.calibration.threshold is not None:
            same = scores >= self.calibration.threshold.score
            columns[f"{name}_same"] = same.astype(np.int64)
        return columns

    def _mapped(self, scores: Scores) -> Scores:
        if self.calibration is None or self.calibration.map is None:
            return scores
        return self.calibration.map(scores)
