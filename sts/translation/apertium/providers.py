"""Apertium as a provider of translations, started once for each chunk of texts."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product

from sts.translation.apertium.installation import (
    INSTALL_HINT,
    LANGUAGES,
    find_pair,
    pair_names,
    pipe_command,
    run,
    words_of,
)
from sts.translation.apertium.stream_format import line_up, read, sent
from sts.translation.translator import Provider, Translation, TranslationError


class Apertium(Provider):
    """The ``apertium`` command, started once for each chunk of texts.

    The texts are written in Apertium's own stream format. Each ends in NUL, at which every
    program of the pipe flushes and forgets the words before it, so that no text runs into the
    next, whatever its punctuation and its length.

    From English, about 2 sentences in 1,000 still depend on the others of their chunk, because
    the tagger adds the ambiguity classes it meets to its table; from Spanish, none of 8,000.
    A chunk is therefore never divided among several pipes; one keeps two cores busy.
    """

    name = "apertium"
    install_hint = INSTALL_HINT
    chunk = 2000

    def available(self) -> bool:
        """Whether the command is installed."""
        return shutil.which("apertium") is not None

    @property
    def version(self) -> str:
        """The number of the platform and the installed pairs of the known languages."""
        return self._version_among(LANGUAGES)

    def version_of(self, source: str, target: str) -> str:
        """Version for two languages only: installing another pair does not change it."""
        return self._version_among((source, target))

    def _version_among(self, languages: Iterable[str]) -> str:
        names = {name for a, b in product(languages, repeat=2) for name in pair_names(a, b)}
        return " ".join([self._platform, *sorted(names.intersection(self._pairs))])

    @cached_property
    def _platform(self) -> str:
        return words_of("-V")[-1]

    @cached_property
    def _pairs(self) -> list[str]:
        return words_of("-l")

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation per text, in order; a newline or a NUL is taken for a space.

        Raises:
            MissingResourceError: the command or the language pair is not installed.
            TranslationError: a text has no answer even when it is sent alone.
        """
        pair = find_pair(source, target, self._pairs)
        return map(read, _stream(texts, pair), texts)


def _stream(texts: Sequence[str], pair: str) -> list[str]:
    """The raw answer to each text; if the answers do not line up, each half is sent again."""
    if not texts:
        return []
    finished = run(pipe_command(pair), b"".join(map(sent, texts, range(len(texts)))))
    answers = line_up(finished.stdout.decode("utf-8", "replace").split("\0"), len(texts))
    if answers is not None:
        return answers
    if len(texts) == 1:
        raise TranslationError(
            f"apertium {pair}: no whole answer for {texts[0][:80]!r} "
            f"({finished.stderr.decode('utf-8', 'replace').strip()[:200] or 'no message'}); "
            "try the text in a shell, and change it or leave it out"
        )
    half = len(texts) // 2
    return _stream(texts[:half], pair) + _stream(texts[half:], pair)
