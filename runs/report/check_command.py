"""``semaniacs check``: list the pairs of a translation memory that are least alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from semaniacs.embeddings.cli.shared_options import both_languages_option
from semaniacs.sts.command_line import COUNT, examples, model_option, option, output_option
from semaniacs.sts.data.notation import NOTATION, Notation
from semaniacs.sts.data.segments import read_units
from semaniacs.sts.data.table_kinds import READ_ONLY, TABLES, kind_of, pair_options
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import check_distinct, format_of
from semaniacs.sts.progress import counted, note
from semaniacs.sts.text.languages_found import AUTO
from semaniacs.sts.text.normalisation import normalise_all

if TYPE_CHECKING:
    from semaniacs.runs.pipeline.recipe_parts import Languages
    from semaniacs.runs.scorer import Scorer
    from semaniacs.sts.data.pair_table import PairColumns
    from semaniacs.sts.data.pairs import Pairs
    from semaniacs.sts.text.languages_found import Sides

FORMATS = f"table {TABLES}"


@click.command(
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
@both_languages_option
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
    """List the pairs of FILE (TMX, XLIFF, or a table), the worst first.

    Flags name numbers that differ, negation on one side only, a length out of proportion, names
    and placeholders that are missing. What is not translated, or in another language, comes before
    all; then a flag counts as much as a point of the score, which is from 0 to 5.
    """
    from semaniacs.embeddings.formats.lines import write_out
    from semaniacs.features.translation_flags import (
        cut_off,
        damaged,
        is_copied,
        languages_read,
        other_languages,
        other_placeholders,
        translation_flags,
    )
    from semaniacs.runs.scorer import load
    from semaniacs.sts.data.pair_table import PairColumns
    from semaniacs.sts.data.table_writers import write_table

    kind, scorer = format_of(output, FORMATS), load(model)
    check_distinct(file, output)
    if file != "-" and (columns["read_as"] or kind_of(file)) in READ_ONLY:
        if columns["left"] or columns["right"]:
            raise StsError(
                f"{file}: its sides are languages; give --languages, not --left, --right"
            )
        found = _read_memory(file, languages)
    else:
        found = _read_table(file, PairColumns(**columns))
    if kind != "table" and (taken := {found.place, "score", "flags"} & {*found.columns}):
        raise StsError(
            f"{file}: the report has a column {min(taken)!r} too; rename that of the file"
        )
    pairs, codes = _understood(found, file, scorer, languages)
    scores = scorer.model.predict(pairs, codes)
    unrelated, rows = scorer.model.head.unrelated, list[Any]()
    reader = getattr(scorer.model.head, "reader", None)
    chances = reader.predict(pairs.left, pairs.right) if reader else np.ones(len(pairs))
    known, sides = scorer.model.languages, (pairs.left, pairs.right)
    cut = cut_off([*zip(*sides, strict=True)], [*zip(*codes, strict=True)])
    seen = [languages_read(*side, known) for side in zip(sides, codes, strict=True)]
    for row, (left, right, *both) in enumerate(zip(*sides, *codes, *seen, strict=True)):
        named, read = (both[0], both[1]), (both[2], both[3])
        languages_of = read if {*read} <= {*known} else named
        encoders = scorer.model.encoders_of(*languages_of)
        written = found.left[row], found.right[row]
        alike = read[0] == read[1] or is_copied(left, right, named)
        copied = alike and named[0] != named[1] and read[0] in named
        flags = ["not translated"] if copied else other_languages(right, named, read)
        same = 1.0 if copied else float(chances[row])
        flags += translation_flags(left, right, languages_of, encoders, unrelated, same)
        flags += filter(
            None, [other_placeholders(*written), damaged(*written), "" if copied else cut[row]]
        )
        score = float(scores[row])
        said = score, "; ".join(flags), *written
        rank = not said[1].startswith(("not translated", "language")), score - len(flags), row
        rows.append((rank, (found.places[row], *said, *found.others[row])))
    rows = [row for _, row in sorted(rows)[:top]]
    if kind == "table":
        lines = (
            f"{s:.4f}  {found.label(number, others)}  {flags}\n{one}\n{other}\n"
            for number, s, flags, one, other, *others in rows
        )
        write_out(lines, output)
    else:
        names = (found.place, "score", "flags", *found.sides, *found.columns)
        write_table(output, kind, names, rows, digits=4, notation=found.notation)


class Found(NamedTuple):
    """Pairs to check as the file has them.

    Attributes:
        left, right: texts.
        languages: of both sides, if the file names them.
        place, places: what a pair is in the file, and its number there.
        columns, others: names and cells of the other columns of a table.
        sides: names of the columns of the texts.
        notation: how the table is written.
    """

    left: list[str]
    right: list[str]
    languages: Languages | None
    place: str
    places: list[int]
    columns: Sequence[str]
    others: list[Sequence[Any]]
    sides: tuple[str, str] = ("left", "right")
    notation: Notation = NOTATION

    def label(self, number: int, others: Sequence[Any]) -> str:
        """Return what a pair is called: its line, or its unit and the id that a translator's tool gave."""
        name = others[0] if self.place == "unit" and others else ""
        return f"{self.place} {number}" + (f" {name}" if name not in ("", str(number)) else "")


def _understood(
    found: Found, file: str, scorer: Scorer, languages: Sides | None
) -> tuple[Pairs, Languages]:
    """Return the pairs as models read them, and the languages of both sides."""
    from semaniacs.runs.pipeline.recipe_parts import all_in
    from semaniacs.sts.data.pairs import Pairs
    from semaniacs.sts.text.languages_found import LanguagesFound, check_languages, count_languages

    known, codes = scorer.model.languages, found.languages
    for both in sorted(set(zip(*codes, strict=True))) if codes else [languages]:
        check_languages(scorer.name, known, both)
    left, right = map(normalise_all, (found.left, found.right))
    if codes is None:
        seen = scorer.watch()
        codes = count_languages(seen, left, right, languages)
        seen.note(scorer.name, "--languages")
        if isinstance(seen, LanguagesFound) and codes and seen.usual[0] != seen.usual[1]:
            one, other = (
                side if usual == AUTO else [usual] * len(side)
                for usual, side in zip(seen.usual, codes, strict=True)
            )
            codes = one, other
    pairs = Pairs(file, tuple(left), tuple(right), np.zeros(len(left)))
    return pairs, codes or all_in(known[0], pairs)


def _read_memory(file: str, languages: Sides | None) -> Found:
    """Return the pairs of a memory: of a unit in several languages all of them."""
    units = [
        (name, [text for text in texts if text[1].strip()])
        for name, texts in read_units(Path(file), codes=True)
    ]
    both = [(n, *two) for n, (_, unit) in enumerate(units, 1) for two in combinations(unit, 2)]
    if languages and any("" in (a[0], b[0]) for _, a, b in both):  # the file does not name them
        both = [(n, (languages[0], a[1]), (languages[1], b[1])) for n, a, b in both]
    if alone := [str(number) for number, (_, unit) in enumerate(units, 1) if len(unit) < 2]:
        left_out = f"{counted(len(alone), 'unit')} left out, without a translation"
        note(f"{file}: {left_out}: {', '.join(alone)}")
    if languages:  # a unit may list them the other way round
        fits = partial(_fits, languages)
        both = [(n, a, b) if fits(a, b) or not fits(b, a) else (n, b, a) for n, a, b in both]
    chosen = [(n, a, b) for n, a, b in both if not languages or fits(a, b)]
    if not chosen:
        known = ", ".join(sorted({f"{a[0]} {b[0]}" for _, a, b in both})) or "none"
        raise StsError(f"{file}: no unit with texts in both languages; it has: {known}")
    codes, texts = (([a[i] for _, a, _ in chosen], [b[i] for _, _, b in chosen]) for i in (0, 1))
    places = [number for number, _, _ in chosen]
    named: list[Sequence[Any]] = [(units[place - 1][0],) for place in places]
    has_names = any(name for (name,) in named)
    others: list[Sequence[Any]] = named if has_names else [()] * len(named)
    languages_of = codes if all(map(all, codes)) else None
    return Found(*texts, languages_of, "unit", places, ("id",) * has_names, others)


def _fits(languages: Sides, *texts: tuple[str, str]) -> bool:
    """Return whether two texts are in these languages; ``auto`` is any."""
    return all(code in (AUTO, own) for code, (own, _) in zip(languages, texts, strict=True))


def _read_table(file: str, where: PairColumns) -> Found:
    """Return the pairs of a table."""
    from semaniacs.sts.data.pair_table import find_columns, pair_blocks, spelled
    from semaniacs.sts.data.pairs import has_no_text

    found = Found([], [], None, "line", [], (), [])
    for block, *texts in pair_blocks(file, where):
        sides = find_columns(file, block.columns, where.left, where.right)
        for side, name, read in zip((found.left, found.right), sides, texts, strict=True):
            cells = zip(block.column(name), read, strict=True)
            side.extend(text if has_no_text(cell) else str(spelled(cell)) for cell, text in cells)
        names = ("left", "right") if block.has_no_names else sides
        others = [name for name in block.columns if name not in sides]
        notation = where.notation(file, block)
        found = found._replace(columns=others, sides=names, notation=notation)
        found.places.extend(block.lines)
        rest = [block.column(name) for name in others]
        found.others.extend(zip(*rest, strict=True) if rest else [()] * len(block.lines))
    return found
