"""Languages of the sentences that a model reads: detected, counted, and reported once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from semaniacs.sts.errors import StsError, UnknownNameError
from semaniacs.sts.progress import counted, example_of, note, sentences_are
from semaniacs.sts.text.language import LETTERS, OTHER, UNDETERMINED, identify
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_mostly_outside

AUTO = "auto"  # in place of a language code: detect the language of each sentence

Sides = tuple[str, str]
"""Languages of the left and of the right sentences; either may be ``auto``."""

_LOOKED_AT, _IDENTIFIED = 1000, 100
"""First sentences whose words are counted, and those whose language is detected, at most."""

_CONFIDENCE = 0.9  # confidence above which a sentence counts as not English
_SHARE = 20  # warn if more than one sentence in so many is in another language

_MOST, _TRANSLATED = 0.7, 0.5
"""Share of a side that is in its language, and of what is translated beside what is not."""


class NotEnglish:
    """Counts the sentences that a model of English cannot read.

    Scripts are counted in every sentence. Languages are detected in the first ones, and only where
    few words are English function words: of the first 300 pairs of each STS set of 2012 to 2015
    none causes a warning.

    Attributes:
        seen: number of sentences.
        found: number of them that are mostly in another script than Latin.
        foreign: number of the first 1,000 that are in another language.
        example: the first of either.
    """

    def __init__(self) -> None:
        self.seen = self.found = self.foreign = self._identified = 0
        self.example = ""

    def watch(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the texts and count them on their way."""
        for text in texts:
            self.seen += 1
            if is_mostly_outside(text):
                self.example = self.example if self.found else text
                self.found += 1
            elif self.seen <= _LOOKED_AT and self._identified < _IDENTIFIED:
                self._look_at(text)
            yield text

    def count(self, texts: Iterable[str]) -> None:
        """Count all of the texts now."""
        for _ in self.watch(texts):
            pass

    def count_few(self, texts: Sequence[str], beyond_ascii: Iterable[int]) -> None:
        """Count many texts quickly, given the places of those that are not ASCII, in order."""
        seen, first = self.seen, max(0, min(len(texts), _LOOKED_AT - self.seen))
        self.count(texts[i] for i in range(first))
        for i in beyond_ascii:
            if i >= first:
                self.seen = seen + i
                self.count([texts[i]])
        self.seen = seen + len(texts)

    def _look_at(self, text: str) -> None:
        words = LETTERS.findall(text.lower())
        if len(words) < 3 or 5 * sum(word in STOP_WORDS for word in words) > len(words):
            return
        self._identified += 1
        (found,) = identify([text], ("en",))
        if found.language == OTHER and found.confidence > _CONFIDENCE:
            self.example = self.example or text
            self.foreign += 1

    def warning(self, model: str, instead: str) -> str | None:
        """Return a line about the unreadable sentences, None if there are hardly any.

        ``instead`` is how to name a model of several languages.
        """
        first = min(self.seen, _LOOKED_AT)
        if self.found:
            some, kind = sentences_are(self.found, f"{self.seen:,}"), "not in Latin script"
            languages = "Russian too"
        elif _SHARE * self.foreign > first:
            some, kind = sentences_are(self.foreign, f"the first {first:,}"), "not in English"
            languages = "Spanish, German, French and Russian too"
        else:
            return None
        return (
            f"{some} {kind}, such as {example_of(self.example)}; {model} knows English alone: "
            f"try {instead}, which reads {languages}, or translate first"
        )

    def note(self, model: str, option: str) -> None:
        """Print the warning, if any; ``option`` is for :meth:`LanguagesFound.note` alone."""
        if warning := self.warning(model, "--model multilingual"):
            note(f"warning: {warning}")


@contextmanager
def watching(
    model: str, english: Collection[str], option: str
) -> Iterator[Callable[[Iterable[str]], Iterator[str]]]:
    """Give a function that passes sentences on, and report at the end those that were unreadable.

    Only the models of ``english`` are watched; they know English alone.
    """
    seen = NotEnglish()
    yield seen.watch if model in english else iter
    seen.note(model, option)


class LanguagesFound:
    """Detects the language of sentences and counts them.

    Attributes:
        known: codes of the languages of the model.
        counts: number of sentences by language.
        others: number of sentences in a language that the model does not know.
        example: the first of these.
        fallback: language that these are read in.
    """

    def __init__(self, known: Sequence[str]) -> None:
        self.known = tuple(known)
        self.fallback = "en" if "en" in self.known else self.known[0]
        self.counts: Counter[str] = Counter()
        self.others = 0
        self.example = ""
        self._confidence = 0.0
        self._sides: tuple[Counter[str], Counter[str]] = Counter(), Counter()

    def codes(self, texts: Sequence[str], sides: Sequence[int] = (0, 1)) -> list[str]:
        """Return a known language for each text; ``sides`` of the pairs: 0 is left, 1 is right."""
        found = identify(texts, self.known)
        for text, one in zip(texts, found, strict=True):
            if one.language == UNDETERMINED:
                continue
            for side in sides:
                self._sides[side][one.language] += 1
            if one.language == OTHER:
                self.example = self.example or text
                self.others += 1
            else:
                self.counts[one.language] += 1
                self._confidence += one.confidence
        return [one.language if one.language in self.known else self.fallback for one in found]

    def codes_of_sides(
        self, left: Sequence[str], right: Sequence[str], languages: Sides | None
    ) -> tuple[list[str], list[str]]:
        """Return a language for each sentence of both sides; None detects all of them."""
        found = []
        for side, texts in enumerate((left, right)):
            language = languages[side] if languages else AUTO
            if language == AUTO:
                found.append(self.codes(texts, (side,)))
            else:
                self._sides[side][language] += len(texts)
                found.append([language] * len(texts))
        return found[0], found[1]

    @property
    def usual(self) -> Sides:
        """The language of most sentences of each side, ``auto`` where there is none.

        On the right those in the language of the left side may be untranslated, and do not count.
        """
        left, right = self._usual(self._sides[0]), Counter(self._sides[1])
        untranslated = right.pop(left, 0)
        if right.total() < _TRANSLATED * untranslated:
            right[left] = untranslated
        return left, self._usual(right)

    def _usual(self, codes: Counter[str]) -> str:
        """Return the known language of most sentences of a side."""
        most = {code for code, count in codes.items() if count > _MOST * codes.total()}
        return next(iter(most.intersection(self.known)), AUTO)

    def identified(self, form: str, named: Sequence[str | None] = (AUTO, AUTO)) -> str | None:
        """Return a line with the detected languages and the mean confidence; None without any.

        Args:
            form: how to name languages, with ``{}`` for that of each side, or one for both.
            named: the languages that the caller named.
        """
        total = self.counts.total()
        if not total:
            return None
        counts = ", ".join(f"{code} {count:,}" for code, count in self.counts.most_common())
        both = zip(named, self.usual, strict=True)
        names = [own if code in (None, AUTO) else code for code, own in both]
        if form.count("{}") == 1:
            names = names[:1] if names[0] == names[1] else [AUTO]
        instead = f"to name them yourself: {form.format(*names)}"
        if set(names) == {AUTO}:
            instead = f"each sentence is read in its own, as with {form.format(*names)}"
        confidence = self._confidence / total
        return f"languages identified: {counts} (mean confidence {confidence:.3f}); {instead}"

    def warning(self, model: str) -> str | None:
        """Return a line about the sentences in other languages, None if there are none."""
        if not self.others:
            return None
        return (
            f"{counted(self.others, 'sentence is', 'sentences are')} in a language that {model} does "
            f"not know, such as {example_of(self.example)}; read as {self.fallback}; it knows {', '.join(self.known)}"
        )

    def note(self, model: str, option: str, named: Sequence[str | None] = (AUTO, AUTO)) -> None:
        """Print both lines on stderr; ``option`` as for :meth:`NotEnglish.note`."""
        form = "--languages" + (" {}" if option == "--language" else " {} {}")
        if line := self.identified(form, named):
            note(line)
        if line := self.warning(model):
            note(f"warning: {line}")


Seen = NotEnglish | LanguagesFound


def watch(known: Sequence[str]) -> Seen:
    """Return a counter for a model of these languages."""
    return NotEnglish() if tuple(known) == ("en",) else LanguagesFound(known)


def count_languages(
    seen: Seen, left: Sequence[str], right: Sequence[str], languages: Sides | None = None
) -> tuple[list[str], list[str]] | None:
    """Count the sentences of both sides; return their languages if the model knows several.

    Languages that the caller named are not detected.
    """
    if isinstance(seen, LanguagesFound):
        return seen.codes_of_sides(left, right, languages)
    pairs = zip(left, right, strict=True)
    seen.count(text for pair in pairs if all(map(str.strip, pair)) for text in pair)
    return None


def warnings_of(seen: Seen, name: str, instead: str, example: str | None) -> list[str]:
    """Return warnings about unreadable sentences and about languages that nobody named.

    Args:
        seen: counter of a model.
        name: of the model.
        instead: model of several languages, where this one reads English.
        example: how to name languages, with ``{}`` for either side; None if they were named.
    """
    if isinstance(seen, NotEnglish):
        lines = [seen.warning(name, instead)]
    else:
        lines = [seen.identified(example) if example else None, seen.warning(name)]
    return [line for line in lines if line]


def check_languages(name: str, known: Sequence[str], languages: Sides | None) -> None:
    """Raise a StsError unless a model knows two languages; ``auto`` is for a model of several."""
    check_two(languages)
    allowed = [*known, AUTO] if len(known) > 1 else [*known]
    for code in languages or ():
        if code not in allowed:
            raise UnknownNameError(f"language of {name}", code, allowed)


def check_two(languages: Sides | None) -> None:
    """Raise a StsError if languages are given and are not those of two sides."""
    if languages is not None and (isinstance(languages, str) or len(languages) != 2):
        raise StsError(
            f'languages={languages!r}; give two, (left, right), such as ("de", "en"); '
            '"auto" in place of one identifies it'
        )
