"""``semaniacs check``: list the pairs of a translation memory that are least alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from semaniacs.sts.command_line import (
    COUNT,
    examples,
    languages_option,
    model_option,
    option,
    output_option,
)
from semaniacs.sts.data.table_kinds import TABLES, pair_options
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import ending_of, format_of

if TYPE_CHECKING:
    from semaniacs.runs.pipeline.recipe_parts import Languages
    from semaniacs.runs.scorer import Scorer
    from semaniacs.sts.data.pairs import Pairs
    from semaniacs.sts.text.languages_found import Sides

FORMATS = f"table {TABLES}"


@click.command(
    short_help="List the worst translations of a file, and why.",
    epilog=examples(
        "semaniacs check memory.tmx",
        "semaniacs check pairs.csv --languages en de -o worst.csv --top 100",
    ),
)
@click.argument("file")
@model_option(
    default="multilingual",
    help="Model of several languages: a run that ships fitted, or a folder that fit wrote.",
)
@languages_option(
    nargs=2, old=(), metavar="LEFT RIGHT", help="Languages of the sides (default: identified)."
)
@pair_options
@option("--top", type=COUNT, help="Number of pairs to write (default: all).")
@output_option(writes=FORMATS)
def check(
    file: str,
    model: str,
    languages: Sides | None,
    top: int | None,
    output: Path | None,
    **columns: Any,
) -> None:
    """List the pairs of FILE, a TMX file or a table of pairs, the least similar first.

    Flags name numbers that differ, negation on one side only, a length out of proportion, and
    names that are missing. A score is from 0 to 5.
    """
    from semaniacs.embeddings.formats.lines import write_out
    from semaniacs.features.translation_flags import translation_flags
    from semaniacs.runs.scorer import load
    from semaniacs.sts.data.table_writers import write_table

    kind, scorer = format_of(output, FORMATS), load(model)
    pairs, codes = _read(file, scorer, languages, columns)
    scores = scorer.model.predict(pairs, codes)
    unrelated, rows = scorer.model.head.unrelated, []
    for row in np.argsort(scores, kind="stable")[:top].tolist():
        left, right, *both = (side[row] for side in (pairs.left, pairs.right, *codes))
        encoders = scorer.model.encoders_of(both[0], both[1])
        found = translation_flags(left, right, (both[0], both[1]), encoders, unrelated)
        flags = "; ".join(found)
        rows.append((row + 1, float(scores[row]), flags, left, right))
    if kind == "table":
        lines = (
            f"{s:.4f}  pair {n}  {flags}\n{one}\n{other}\n" for n, s, flags, one, other in rows
        )
        write_out(lines, output)
    else:
        write_table(output, kind, ("pair", "score", "flags", "left", "right"), rows, digits=4)


def _read(
    file: str, scorer: Scorer, languages: Sides | None, columns: dict[str, Any]
) -> tuple[Pairs, Languages]:
    """Return the pairs of a TMX file or of a table, and the languages of both sides."""
    from semaniacs.runs.pipeline.recipe_parts import all_in
    from semaniacs.sts.data.pair_table import PairColumns, pair_blocks
    from semaniacs.sts.data.pairs import Pairs
    from semaniacs.sts.text.languages_found import check_languages, count_languages
    from semaniacs.sts.translation.tmx import read

    known, codes = scorer.model.languages, None
    if ending_of(file) == "tmx":
        units = list(read(Path(file), "tmx"))
        sides = [((u.source, u.text), (u.target, u.translation.text)) for u in units]
        if languages:  # a unit may list them the other way round
            sides = [(a, b) if a[0] == languages[0] else (b, a) for a, b in sides]
            sides = [(a, b) for a, b in sides if (a[0], b[0]) == languages]
        if not sides:
            found = ", ".join(sorted({f"{u.source} {u.target}" for u in units})) or "none"
            raise StsError(f"{file}: no unit with texts in both languages; it has: {found}")
        left, right = [one[1] for one, _ in sides], [other[1] for _, other in sides]
        codes = [one[0] for one, _ in sides], [other[0] for _, other in sides]
    else:
        blocks = list(pair_blocks(file, PairColumns(**columns)))
        left = [text for block in blocks for text in block.left]
        right = [text for block in blocks for text in block.right]
    for both in sorted(set(zip(*codes, strict=True))) if codes else [languages]:
        check_languages(scorer.name, known, both)
    if codes is None:
        seen = scorer.watch()
        codes = count_languages(seen, left, right, languages)
        seen.note(scorer.name, "--languages")
    pairs = Pairs(file, tuple(left), tuple(right), np.zeros(len(left)))
    return pairs, codes or all_in(known[0], pairs)
