"""The history of a training: loss and metric by step, as CSV and as a picture."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sts.files import write_bytes, write_text


class Point(NamedTuple):
    """One point: passes and updates done, mean loss since the point before, and the metric."""

    epochs: float
    steps: int
    loss: float
    metric: float | None


@dataclass
class History:
    """All points of a training, in order."""

    points: list[Point] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Write both files: ``path`` with the suffixes .csv and .png."""
        write_text(path.with_suffix(".csv"), self.to_csv())
        write_bytes(path.with_suffix(".png"), self.to_png())

    def to_csv(self) -> str:
        """One line a point; a metric that is missing is empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(Point._fields)
        writer.writerows(
            (
                f"{p.epochs:.3f}",
                p.steps,
                f"{p.loss:.6f}",
                "" if p.metric is None else f"{p.metric:.4f}",
            )
            for p in self.points
        )
        return text.getvalue()

    def to_png(self) -> bytes:
        """A plot with the loss on the left axis and the metric on the right one."""
        from matplotlib.figure import Figure

        picture = Figure(figsize=(7, 4), layout="constrained")
        left = picture.add_subplot()
        epochs = [point.epochs for point in self.points]
        left.plot(epochs, [point.loss for point in self.points], color="tab:blue", marker=".")
        left.set_xlabel("epochs")
        left.set_ylabel("loss", color="tab:blue")
        evaluated = [point for point in self.points if point.metric is not None]
        if evaluated:
            right = left.twinx()
            metrics = [point.metric or 0.0 for point in evaluated]
            right.plot(
                [point.epochs for point in evaluated], metrics, color="tab:orange", marker="."
            )
            right.set_ylabel("metric", color="tab:orange")
        data = io.BytesIO()
        picture.savefig(data, format="png", dpi=120, metadata={"Software": None})
        return data.getvalue()
