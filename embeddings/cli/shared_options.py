"""Options that several commands on vectors have."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from semaniacs.sts.command_line import COUNT, Decorator, languages_option, model_option, option
from semaniacs.sts.data.pair_table import PairColumns
from semaniacs.sts.data.segments import without_regions
from semaniacs.sts.data.text_rows import Reading

FILE = click.Path(path_type=Path)


def together(*options: Decorator) -> Decorator:
    """Return a decorator that adds options in the order of the help."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorate in reversed(options):
            command = decorate(command)
        return command

    return add


def choice(name: str, words: str, about: str, **settings: Any) -> Decorator:
    """Return an option that takes one of some words; the first is the default."""
    known = words.split()
    return option(name, type=click.Choice(known), help=about, **({"default": known[0]} | settings))


def flag(name: str, about: str) -> Decorator:
    """Return an option without a value."""
    return option(name, is_flag=True, help=about)


encoder_option = model_option(
    default="paragram", help="Encoder: a bundled name, a file or a folder."
)
both_languages_option = languages_option(
    nargs=2,
    old=(),
    callback=without_regions,
    metavar="LEFT RIGHT",
    help="Languages of the two sides, such as es en; auto identifies them.",
)
checkpoint_option = option("--checkpoint", type=FILE, metavar="FILE", help="File to resume from.")
mega_batch_option = partial(option, "--mega-batch", old=("--megabatch",), type=COUNT, metavar="N")
digits_option = option(
    "--digits", type=click.IntRange(0, 17), default=4, help="Digits after the decimal point."
)


def pair_columns(options: dict[str, Any]) -> PairColumns:
    """Return where the sentences of a pair are, from :func:`.table_kinds.pair_options`."""
    names = ("left", "right", "header", "delimiter", "read_as", "decimal", "missing")
    return PairColumns(*(options[name] for name in names))


def reading(text: str | None, options: dict[str, Any], id_: str | None = None) -> Reading:
    """Return how to read a table of sentences, from :func:`.table_kinds.table_options`."""
    names = ("header", "read_as", "delimiter", "missing")
    return Reading(text, id_, *(options[name] for name in names))
