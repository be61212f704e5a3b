"""Tables as aligned text and as Markdown; figures as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

Row = Sequence[str]


def text_table(header: Row, rows: Sequence[Row], left: int = 1) -> str:
    """Align columns by spaces, the first ``left`` to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (header, *rows)
    )


def markdown_table(header: Row, rows: Sequence[Row]) -> str:
    """Return a pipe table, the first column to the left, the others to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def signed(number: float, digits: int = 4) -> str:
    """Format a number with its sign; an undefined one is ``nan``."""
    return "nan" if math.isnan(number) else f"{number:+.{digits}f}"


def json_text(figures: Any) -> str:
    """Return indented JSON; an undefined or infinite number is null."""
    text = json.dumps(null_for_nan(figures), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


def null_for_nan(value: Any) -> Any:
    """Return the value with None for every number that JSON cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: null_for_nan(inner) for key, inner in value.items()}
    return [null_for_nan(inner) for inner in value] if isinstance(value, list | tuple) else value
