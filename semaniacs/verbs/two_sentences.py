"""Two sentences on the command line, which are told from one FILE of pairs."""

from __future__ import annotations

import os

import click

from sts.errors import StsError


def check_sentences(texts: tuple[str, ...], *, advice: str | None) -> None:
    """Check what was typed: two sentences, or one file.

    Args:
        texts: the arguments.
        advice: what to do about a blank sentence; None where one may be blank.

    Raises:
        UsageError: there are more than two.
        StsError: two files, or a blank sentence.
    """
    if len(texts) > 2:
        raise click.UsageError("give two sentences, or one FILE")
    if len(texts) < 2:
        return
    if all(map(os.path.isfile, texts)):  # unlike Path.is_file it takes a long sentence
        raise StsError(
            f"{texts[0]} and {texts[1]} are files; expected two sentences, or one FILE of pairs. "
            f"To make one: paste {texts[0]} {texts[1]} > pairs.tsv"
        )
    for side, text in zip(("left", "right"), texts, strict=True):
        if advice is not None and not text.strip():
            raise StsError(f"the {side} sentence is blank; a pair needs two. {advice}")
