"""Tables as aligned text, as CSV and as Markdown."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

Row = Sequence[str]


def text_table(header: Row, rows: Sequence[Row]) -> str:
    """Columns aligned by spaces, the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (header, *rows)
    )


def csv_text(header: Row, rows: Sequence[Row]) -> str:
    """RFC 4180 with ``\\n`` line ends."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def markdown_table(header: Row, rows: Sequence[Row]) -> str:
    """A pipe table, the first column to the left, the others to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def signed(number: float, digits: int = 4) -> str:
    """A number with its sign; what is undefined is ``nan``."""
    return "nan" if math.isnan(number) else f"{number:+.{digits}f}"
