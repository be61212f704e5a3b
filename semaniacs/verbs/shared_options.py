"""Options and checks of the commands that read pairs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from sts.errors import StsError

if TYPE_CHECKING:
    from runs.scorer import Scorer

Command = Callable[..., Any]


def sides_option(command: Command) -> Command:
    """Add the option of the languages of both sides."""
    return click.option(
        "--languages",
        nargs=2,
        metavar="LEFT RIGHT",
        help="Languages of the left and right sentences, for a model of several languages: de en. "
        "auto identifies the language of each sentence (default).",
    )(command)


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


def note_thresholds(scorer: Scorer) -> None:
    """Print the score from which a pair is a paraphrase, if the model knows it."""
    from sts.progress import note
    from sts.scoring.classification import describe_thresholds

    if line := describe_thresholds(scorer.name, scorer.model.thresholds):
        note(line)
