"""The course of a training: loss and figure by step, as CSV and as a picture."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sts.files import write_bytes, write_text


class Mark(NamedTuple):
    """One point of the curve.

    Attributes:
        epochs: passes done, with their fraction.
        steps: updates done.
        loss: mean loss since the mark before.
        figure: what the model was evaluated to, such as a correlation; None if it was not.
    """

    epochs: float
    steps: int
    loss: float
    figure: float | None


@dataclass
class Curve:
    """All marks of a training, in order."""

    marks: list[Mark] = field(default_factory=list)

    def write(self, path: Path, figure_name: str = "dev correlation") -> None:
        """Write ``path`` with the endings .csv and .png."""
        write_text(path.with_suffix(".csv"), self.to_csv())
        write_bytes(path.with_suffix(".png"), self.to_png(figure_name))

    def to_csv(self) -> str:
        """One line a mark; a figure that is missing is empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(Mark._fields)
        writer.writerows(
            (
                f"{m.epochs:.3f}",
                m.steps,
                f"{m.loss:.6f}",
                "" if m.figure is None else f"{m.figure:.4f}",
            )
            for m in self.marks
        )
        return text.getvalue()

    def to_png(self, figure_name: str) -> bytes:
        """Loss on the left axis, the figure on the right one."""
        from matplotlib.figure import Figure

        picture = Figure(figsize=(7, 4), layout="constrained")
        left = picture.add_subplot()
        epochs = [mark.epochs for mark in self.marks]
        left.plot(epochs, [mark.loss for mark in self.marks], color="tab:blue", marker=".")
        left.set_xlabel("epochs")
        left.set_ylabel("loss", color="tab:blue")
        evaluated = [mark for mark in self.marks if mark.figure is not None]
        if evaluated:
            right = left.twinx()
            figures = [mark.figure or 0.0 for mark in evaluated]
            right.plot([m.epochs for m in evaluated], figures, color="tab:orange", marker=".")
            right.set_ylabel(figure_name, color="tab:orange")
        data = io.BytesIO()
        picture.savefig(data, format="png", dpi=120, metadata={"Software": None})
        return data.getvalue()
