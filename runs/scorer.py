"""Scores from 0 to 5 in Python: load a fitted run, score, explain, fit it to other pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from semaniacs.runs.pipeline.model import Model, warn_of_missing
from semaniacs.runs.pipeline.run import SHIPPED, NotFittedError
from semaniacs.runs.recipes import DEFAULT, RUNS, run_in, shipped
from semaniacs.sts.data.pairs import LOWEST, Empty, Scores, is_one, labelled_pairs, pairs_of
from semaniacs.sts.errors import StsError, warn_caller
from semaniacs.sts.progress import Bar, quiet
from semaniacs.sts.text import languages_found
from semaniacs.sts.text.languages_found import Seen, Sides, check_languages

if TYPE_CHECKING:
    from semaniacs.runs.pipeline.score_columns import Calibration
    from semaniacs.runs.report.explanation import ExplainedPair
    from semaniacs.runs.scale.processes import Predict
    from semaniacs.sts.scoring.cross_validation import CrossValidation

_BLOCK = 16_384
"""Pairs per step of a progress bar."""

_INSTEAD = 'load("multilingual")'
Languages = Sides
"""Two-letter codes of the left and of the right sentences; ``auto`` identifies them."""

LEVEL = 0.9
"""Default probability of an interval."""


class Scorer:
    """A fitted run that scores how similar sentences are in meaning, from 0 to 5.

    Several threads may use it at once. A loaded scorer can be sent to another process, which loads
    it again; a scorer that was fitted must be saved first.

    Args:
        model: the fitted run.
        source: name or folder that it was loaded from.
        report: cross-validation, if it was fitted to the user's pairs.
    """

    def __init__(
        self, model: Model, source: str | None = None, report: CrossValidation | None = None
    ) -> None:
        self.model = model
        self.source = source
        self.report = report
        self._predict: Predict = model.predict

    def __repr__(self) -> str:
        origin = "" if self.source in (None, self.name) else f" from {self.source!r}"
        return f"<Scorer {self.name!r}{origin}, {self.model.run.kind}>"

    @property
    def name(self) -> str:
        """Name of its run."""
        return self.model.run.name

    @property
    def features(self) -> tuple[str, ...]:
        """Names of its features; none if it is a cosine alone."""
        return RUNS[self.name].columns

    @overload
    def score(
        self,
        left: str,
        right: str,
        *,
        languages: Languages | None = None,
        empty: Empty = "error",
        progress: bool = False,
    ) -> float: ...
    @overload
    def score(
        self,
        left: Iterable[Any],
        right: Iterable[Any],
        *,
        languages: Languages | None = None,
        empty: Empty = "error",
        progress: bool = False,
    ) -> Scores: ...
    def score(
        self,
        left: str | Iterable[Any],
        right: str | Iterable[Any],
        *,
        languages: Languages | None = None,
        empty: Empty = "error",
        progress: bool = False,
    ) -> float | Scores:
        """Score how similar each pair is, from 0 (unrelated) to 5 (the same).

        Args:
            left, right: a string each, or n sentences each: a list, a NumPy array, a column of
                pandas, polars or Arrow. A string is compared with each of n sentences.
            languages: of the left and of the right sentences, such as ``("de", "en")``, for a
                model of several languages; ``auto`` identifies the language of each sentence.
            empty: result for a pair with a missing or blank sentence: ``error``, ``nan`` or ``zero``.
            progress: show a progress bar on stderr.

        Returns:
            A float for two strings, otherwise (n,) float64 in the order of the pairs.

        Raises:
            StsError: the sides differ in length, a value is no string or a sentence is missing
                (the row is named), or the model does not know a language.

        Warns:
            UserWarning: sentences are in a language or script that the model does not know, or
                their languages were not given and have been identified.
        """
        alone = is_one(left) and is_one(right)
        seen = self.watch()
        scores = self.score_counting(
            [left] if alone else left,
            [right] if alone else right,
            seen,
            languages=languages,
            empty=empty,
            progress=progress,
        )
        self._warn(seen, languages)
        return float(scores[0]) if alone else scores

    def score_counting(
        self,
        left: str | Iterable[Any],
        right: str | Iterable[Any],
        seen: Seen,
        *,
        languages: Languages | None = None,
        empty: Empty = "error",
        progress: bool = False,
    ) -> Scores:
        """Return scores (n,) without a warning, for tables that are scored block by block.

        ``seen`` is the counter from :meth:`watch` of the sentences that the model cannot read.
        """
        pairs, here = pairs_of(left, right, empty)
        check_languages(self.name, self.model.languages, languages)
        scores = np.full(len(pairs), LOWEST if empty == "zero" else np.nan)
        rows = np.flatnonzero(here)
        own_left, own_right = ([side[row] for row in rows] for side in (pairs.left, pairs.right))
        codes = languages_found.count_languages(seen, own_left, own_right, languages)
        bar = Bar("scores", "pairs", len(rows), show=len(rows) > _BLOCK)
        with quiet(not progress), bar:
            for start in range(0, len(rows), _BLOCK):
                block = rows[start : start + _BLOCK]
                some = pairs.select(np.isin(np.arange(len(pairs)), block))
                part = slice(start, start + _BLOCK)
                own = None if codes is None else (codes[0][part], codes[1][part])
                scores[block] = self._predict(some, own)
                bar.update(len(block))
        return scores

    @contextmanager
    def parallel(self, processes: int) -> Iterator[Scorer]:
        """Yield this scorer with its pairs shared by several processes.

        A script needs ``if __name__ == "__main__":``. A :class:`StsError` is raised for a scorer
        that is not saved.
        """
        if processes == 1:
            yield self
            return
        if processes < 1:
            raise StsError(f"{processes} processes: expected a whole number from 1")
        if self.source is None:
            raise StsError("save the scorer first: other processes load it from its folder")
        several = Scorer(self.model, self.source)
        from semaniacs.runs.scale.processes import shared

        with shared(_predict_of, self.source, processes) as several._predict:
            yield several

    def interval(
        self,
        left: Iterable[Any],
        right: Iterable[Any],
        *,
        level: float = LEVEL,
        calibration: Calibration | str | Path | None = None,
        **options: Any,
    ) -> tuple[Scores, Scores, Scores]:
        """Return scores, lower and upper bounds (n,) of prediction intervals of the human scores.

        Args:
            left, right, options: n sentences each, and what :meth:`score` takes.
            level: probability that an interval contains the human score, from .5 to .98.
            calibration: result of :meth:`calibrate`, or its file; all three are then on the scale
                of the labelled pairs.

        Raises:
            StsError: as for :meth:`score`; no such level; or no intervals for this model.
        """
        from semaniacs.runs.pipeline.score_columns import Calibration, ScoreColumns

        own = Calibration.of(calibration, self.model, self.source)
        beside = ScoreColumns.of(self.model, level, own)
        columns = beside.named("score", self.score(left, right, **options))
        return columns["score"], columns["score_low"], columns["score_high"]

    def calibrate(
        self,
        left: Iterable[Any],
        right: Iterable[Any],
        gold: Iterable[Any],
        *,
        precision: float | None = None,
        confidence: float = 0.9,
        right_from: float | None = None,
        progress: bool = False,
    ) -> Calibration:
        """Return a map, intervals and a threshold that fit the scores to labelled pairs.

        Args:
            left, right, gold: n pairs like those that will be scored, and their similarity from
                0 to 5 or their labels 0 and 1, False and True.
            precision, confidence, right_from: see :func:`~semaniacs.runs.pipeline.score_columns.calibrate`.
            progress: show a progress bar on stderr.
        """
        from semaniacs.runs.pipeline.score_columns import calibrate, calibrated_name

        given = labelled_pairs(left, right, gold, labels=True)
        return calibrate(
            calibrated_name(self.model, self.source),
            given,
            self.score(given.left, given.right, progress=progress),
            precision=precision,
            confidence=confidence,
            right_from=right_from,
        )

    def watch(self) -> Seen:
        """Return a counter of unreadable sentences and detected languages."""
        return languages_found.watch(self.model.languages)

    @overload
    def explain(
        self, left: str, right: str, *, languages: Languages | None = None, seed: int = 0
    ) -> ExplainedPair: ...
    @overload
    def explain(
        self,
        left: Iterable[Any],
        right: Iterable[Any],
        *,
        languages: Languages | None = None,
        seed: int = 0,
    ) -> list[ExplainedPair]: ...
    def explain(
        self,
        left: str | Iterable[Any],
        right: str | Iterable[Any],
        *,
        languages: Languages | None = None,
        seed: int = 0,
    ) -> ExplainedPair | list[ExplainedPair]:
        """Return what each feature adds to the score of a pair, or of each pair.

        The base and the contributions add up to the score. Contributions are Shapley values; of
        two features that measure the same, one may be positive and the other negative. A model
        without features compares word by word.

        Raises:
            StsError: as for :meth:`score`.

        Warns:
            UserWarning: sentences are not in a language of the model.
        """
        alone = is_one(left) and is_one(right)
        seen = self.watch()
        one, other = ([left], [right]) if alone else (left, right)
        explained = self.explain_counting(one, other, seen, languages=languages, seed=seed)
        self._warn(seen, languages)
        return explained[0] if alone else explained

    def explain_counting(
        self,
        left: Iterable[Any],
        right: Iterable[Any],
        seen: Seen,
        *,
        languages: Languages | None = None,
        seed: int = 0,
    ) -> list[ExplainedPair]:
        """Explain without a warning; see :meth:`score_counting`."""
        check_languages(self.name, self.model.languages, languages)
        pairs, _ = pairs_of(left, right, "error", "Leave the pair out")
        codes = languages_found.count_languages(seen, pairs.left, pairs.right, languages)
        from semaniacs.runs.report.explanation import explain_pairs

        with quiet(len(pairs) == 1):
            return explain_pairs(self.model, pairs, seed=seed, languages=codes)

    def fit(
        self,
        left: Iterable[Any],
        right: Iterable[Any],
        gold: Iterable[Any],
        *,
        folds: int = 5,
        seed: int = 0,
    ) -> Scorer:
        """Return a scorer whose regressors are fitted to labelled pairs, with a report.

        The sentence encoders stay as they are.

        Args:
            left, right, gold: n pairs and their similarity from 0 to 5.
            folds: number of folds of the cross-validation in :attr:`report`; pairs that share a
                sentence are in one fold.
            seed: random seed of the regressors and the folds.

        Raises:
            StsError: as for :meth:`score`; a gold score outside 0 to 5; too few pairs; or the
                model is a cosine alone, which has nothing to fit.
        """
        given = labelled_pairs(left, right, gold)
        model, report = self.model.refit(given, folds=folds, seed=seed)
        return Scorer(model, report=report)

    def save(self, folder: str | Path) -> None:
        """Write the scorer to a folder that :func:`load` reads.

        A :class:`StsError` is raised if the folder cannot be written.
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.model.save(Path(folder))
        self.source = str(folder)

    def _warn(self, seen: Seen, languages: Languages | None) -> None:
        example = 'languages=("{}", "{}")' if languages is None else None
        for line in languages_found.warnings_of(seen, self.name, _INSTEAD, example):
            warn_caller(line)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.source is None:
            raise TypeError("a scorer that was fitted here is sent to a process once it is saved")
        return load, (self.source,)


def load(model: str | Path = DEFAULT) -> Scorer:
    """Return a scorer that ships, which is loaded once, or a saved one.

    Features that cannot be computed here are named in a warning.

    Args:
        model: the name of a run, such as ``contextual``, ``fusion`` (about ten times faster,
            less accurate) or ``raw``, or a folder that :meth:`Scorer.save` wrote.

    Raises:
        UnknownNameError: neither; the names are listed.
        StsError: the run does not ship fitted, needs something that is not installed, or the
            folder holds no scorer of this version.
    """
    if str(model) in RUNS:
        return _load_shipped(str(model))
    folder = Path(str(model))
    return _load(run_in(folder), folder, str(folder))


@cache
def _load_shipped(name: str) -> Scorer:
    with suppress(NotFittedError):
        if RUNS[name].main.learns or RUNS[name].ships():
            return _load(name, SHIPPED, name)
    raise StsError(f"run {name!r} does not ship fitted; those that do: {', '.join(shipped())}")


def _load(name: str, folder: Path, source: str) -> Scorer:
    run = RUNS[name]
    model = Model.load(run, folder)
    warn_of_missing(model)
    return Scorer(model, source)


def _predict_of(source: str) -> Predict:
    return load(source).model.predict


def score(left: Any, right: Any, model: str = DEFAULT, **options: Any) -> Any:
    """Score how similar sentences are, from 0 to 5; see :meth:`Scorer.score`."""
    return load(model).score(left, right, **options)
