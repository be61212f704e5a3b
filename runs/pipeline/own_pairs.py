"""A person's own sentence pairs."""

from __future__ import annotations

from pathlib import Path

from runs.pipeline.run import Model, Run
from runs.pipeline.task_run import announce_missing
from runs.pipeline.translate_pairs import Translating
from sts.command_line import stdin
from sts.data.pairs import Pairs, Scores, pairs_from_text
from sts.errors import StsError
from sts.files import decode, read_text
from sts.translation import check_name


def score_own_pairs(run: Run, source: str, translator: str | None = None) -> Scores:
    """Scores (n,) in [0, 5] of a two-column TSV file, or of stdin if ``source`` is ``-``.

    Spanish sentences are translated first if a translator is named.

    Raises:
        StsError: the file is malformed, or the run does not ship fitted.
    """
    run.check(translator)
    pairs = read_own_pairs(source, translator)
    return load_shipped(run).predict(pairs)


def read_own_pairs(source: str, translator: str | None = None) -> Pairs:
    """The pairs of a two-column TSV file, or of stdin if ``source`` is ``-``, in English.

    Args:
        source: the file.
        translator: who translates the sentences that are Spanish; None takes all for English.

    Raises:
        DataError: the file is missing or malformed.
        StsError: the translator is not known, or cannot translate.
    """
    if translator is not None and "recorded" in check_name(translator):
        raise StsError(
            "--translator recorded knows the sentences of official tasks alone; "
            "with --pairs type --translator apertium"
        )
    translating = Translating(translator)
    if source == "-":
        pairs = pairs_from_text(decode(stdin().read(), "stdin"), "stdin")
    else:
        pairs = pairs_from_text(read_text(Path(source)), source)
    return pairs if translator is None else translating.from_spanish(pairs)


def load_shipped(run: Run) -> Model:
    """The fitted model of a run, the features that are missing here named on stderr.

    Raises:
        StsError: the run does not ship fitted, or needs something that is not installed.
    """
    run.check(translator=None)
    model = run.load()
    announce_missing(model)
    return model
