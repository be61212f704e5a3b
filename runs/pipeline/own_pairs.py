"""A person's own sentence pairs."""

from __future__ import annotations

from pathlib import Path

from runs.pipeline.run import Languages, Model, Run
from runs.pipeline.task_run import announce_missing
from runs.pipeline.translate_pairs import Translating
from sts.command_line import stdin
from sts.data.pairs import Pairs, Scores, pairs_from_text
from sts.errors import StsError
from sts.files import decode, read_text
from sts.progress import note
from sts.scoring.classification import describe_thresholds
from sts.text.languages_found import LanguagesFound, Sides, check_languages
from sts.text.not_english import NotEnglish
from sts.translation import check_name


def score_own_pairs(
    run: Run, source: str, translator: str | None = None, languages: Sides | None = None
) -> Scores:
    """Scores (n,) in [0, 5] of a two-column TSV file, or of stdin if ``source`` is ``-``.

    Spanish sentences are translated first if a translator is named.

    Args:
        run: whose shipped model scores.
        source: the file.
        translator: see :func:`read_own_pairs`.
        languages: of the left and of the right sentences, for a run that compares languages;
            those that are ``auto``, or all, are identified and named on stderr.

    Raises:
        StsError: the file is malformed, the run does not ship fitted or does not know a language.
    """
    run.check(translator)
    pairs = read_own_pairs(source, translator)
    model = load_shipped(run)
    codes = note_languages(model, pairs, languages, translator)
    return model.predict(pairs, codes)


def note_languages(
    model: Model, pairs: Pairs, languages: Sides | None = None, translator: str | None = None
) -> Languages | None:
    """Note on stderr what a model cannot read; the languages of pairs, if it compares them.

    Args:
        model: what scores them.
        pairs: the sentences.
        languages: of both sides; None, or ``auto`` for one, identifies them and says so.
        translator: who translated the Spanish ones, and told of those in other languages.

    Raises:
        UnknownNameError: the model does not know a language.
    """
    check_languages(model.run.name, model.languages, languages)
    if model.languages == ("en",):
        if translator is None:  # otherwise the translation has told of other languages
            english = NotEnglish()
            english.count(pairs.sentences())
            if line := english.warning(
                model.run.name, "--run bitext-teacher --languages auto auto"
            ):
                note(f"warning: {line}")
        return None
    found = LanguagesFound(model.languages)
    codes = found.codes_of_sides(pairs.left, pairs.right, languages)
    found.note(model.run.name, "--languages")
    return codes


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
    """The fitted model of a run.

    What is missing here, and from which score on a pair is a paraphrase, is said on stderr.

    Raises:
        StsError: the run does not ship fitted, or needs something that is not installed.
    """
    run.check(translator=None)
    model = run.load()
    announce_missing(model)
    note_thresholds(model)
    return model


def note_thresholds(model: Model) -> None:
    """Say on stderr from which score on a pair is a paraphrase, if the model knows."""
    if line := describe_thresholds(model.run.name, model.thresholds):
        note(line)
