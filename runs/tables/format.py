"""Tables as aligned text, as CSV and as Markdown; figures as JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

Row = Sequence[str]


def text_table(header: Row, rows: Sequence[Row], left: int = 1) -> str:
    """Columns aligned by spaces, the first ``left`` to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
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


def json_text(figures: Any) -> str:
    """Indented JSON; a number that is undefined or infinite is null."""
    text = json.dumps(null_for_nan(figures), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


def null_for_nan(value: Any) -> Any:
    """The same, with None for every number that JSON cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: null_for_nan(inner) for key, inner in value.items()}
    return [null_for_nan(inner) for inner in value] if isinstance(value, list | tuple) else value
