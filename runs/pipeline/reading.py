"""Reading the test sets of a task: in translation, or as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sts.data.pairs import Pairs
from sts.data.schema import DataSet
from sts.errors import MissingResourceError, StsError
from sts.text.language import spanish_side

Languages = tuple[Sequence[str], Sequence[str]]
"""Language codes of the left and of the right sentence of each pair."""


@dataclass(frozen=True, eq=False)
class TranslatedPairs(Pairs):
    """Pairs in English, the pairs before their translation, and the languages of those."""

    original: Pairs
    languages: Languages


@dataclass(frozen=True, eq=False)
class RecordedPairs(Pairs):
    """Pairs, and the same rows in English by each recorded translator."""

    translations: tuple[Pairs, ...] = ()


@dataclass(frozen=True)
class Reading:
    """A way to read sentences.

    Attributes:
        translated: whether Spanish sentences are translated into English; then no other language
            is read.
        languages: codes of the languages that are read as they are; empty for any.
        recorded: whether recorded translations are read beside the sentences.
    """

    translated: bool = True
    languages: tuple[str, ...] = ()
    recorded: bool = False

    def check(self, run: str, translator: str | None) -> None:
        """Raise an :class:`StsError` if a translator is named for a run that uses none."""
        if translator is not None and not self.translated:
            raise StsError(
                f"--translator {translator}: run {run!r} reads sentences as they are; leave it out"
            )

    def read(
        self,
        run: str,
        dataset: DataSet,
        data: Path | None,
        to_english: Callable[[DataSet, Pairs], Pairs],
    ) -> tuple[Pairs, Languages | None]:
        """Return a test set without gold, and the language of each sentence if that matters.

        ``to_english`` translates the Spanish sentences of a set. A :class:`StsError` is raised for
        a language that the run cannot read, or a translation that is not in the data folder.
        """
        from sts.data.fetch import load

        if self.translated:
            if foreign := set(dataset.languages) - {"en", "es"}:
                raise StsError(
                    f"run {run!r} reads English, and Spanish in translation; {dataset.name} is in "
                    f"{', '.join(foreign)}; type --run bitext-teacher, which reads de, es, fr, ru"
                )
            return to_english(dataset, load(dataset, data, with_gold=False)), None
        alone = len(dataset.languages) == 1 and dataset.languages[0] in self.languages
        if self.languages and not alone:
            raise StsError(
                f"run {run!r} reads pairs in one of {', '.join(self.languages)}; "
                f"{dataset.name} is in {' and '.join(dataset.languages)}"
            )
        pairs = load(dataset, data, with_gold=False)
        if self.recorded:
            pairs = with_translations(dataset, data, pairs)
        return pairs, None if len(self.languages) == 1 else languages_of(dataset, pairs)


ENGLISH = Reading()
"""English, and Spanish in translation."""

AS_IT_IS = Reading(translated=False)
"""Any language, without translation."""


def with_translations(dataset: DataSet, data: Path | None, pairs: Pairs) -> RecordedPairs:
    """Return the pairs of an official set with their recorded translations."""
    from sts.data.fetch import load_translations

    instead = "type --run news-ru"
    if not dataset.translations:
        raise StsError(
            f"{dataset.name} comes without recorded translations; {instead}, which reads Russian"
        )
    try:
        translations = tuple(load_translations(dataset, data))
    except MissingResourceError as error:
        raise MissingResourceError(f"{error}; or {instead}, which needs no translation") from None
    return RecordedPairs(pairs.name, pairs.left, pairs.right, pairs.gold, translations)


def languages_of(dataset: DataSet, pairs: Pairs) -> Languages:
    """Return the languages of both sides of every pair of an official set."""
    first, *others = dataset.languages
    if not others:
        return all_in(first, pairs)
    spanish = spanish_side(pairs.left, pairs.right)
    left, right = (["es" if side == where else "en" for side in spanish] for where in (0, 1))
    return left, right


def all_in(code: str, pairs: Pairs) -> Languages:
    """Return the languages of pairs that are all in one."""
    return [code] * len(pairs), [code] * len(pairs)
