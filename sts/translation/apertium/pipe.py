"""Apertium, a rule-based translator that needs no network.

Forcada et al. (2011), Apertium: a free/open-source platform for rule-based
machine translation. https://doi.org/10.1007/s10590-011-9090-0
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from sts.errors import MissingResourceError
from sts.translation.apertium.stream_format import line_up, read, sent
from sts.translation.translator import Translation, TranslationError

if TYPE_CHECKING:
    from sts.translation.apertium.open_pipe import OpenApertium

_CODES = {
    "en": ("eng", "en"),
    "es": ("spa", "es"),
    "ca": ("cat", "ca"),
    "eo": ("epo", "eo"),
    "gl": ("glg", "gl"),
}
"""ISO 639-1 to the codes that Apertium names its pairs with: ISO 639-3, in older pairs 639-1."""

_PACKAGES = {
    frozenset({"en", "es"}): "apertium-eng-spa",
    frozenset({"en", "ca"}): "apertium-eng-cat",
    frozenset({"en", "eo"}): "apertium-eo-en",
    frozenset({"en", "gl"}): "apertium-en-gl",
    frozenset({"es", "ca"}): "apertium-spa-cat",
    frozenset({"es", "eo"}): "apertium-eo-es",
    frozenset({"es", "gl"}): "apertium-es-gl",
    frozenset({"ca", "eo"}): "apertium-eo-ca",
}
"""The Debian package of each pair of these languages, where there is one."""


class Apertium:
    """The ``apertium`` command, called once for each chunk of texts.

    The texts are written in Apertium's own stream format and each ends in NUL,
    at which every stage of the pipe flushes and forgets the words it was
    looking at. So no text can run into the next one, whatever its punctuation
    and its length: there is no limit.

    From English, about 2 sentences in 1,000 still depend on the others of
    their chunk: the tagger adds the ambiguity classes it meets to its table.
    From Spanish none was found among 8,000. That is why a chunk is never
    divided among pipes; the stages of one pipe keep two cores busy as it is.
    """

    name = "apertium"
    install_hint = "install it: apt-get install apertium apertium-eng-spa"
    chunk = 2000

    def available(self) -> bool:
        """Whether the command is installed."""
        return shutil.which("apertium") is not None

    @property
    def version(self) -> str:
        """The number of the platform and the installed pairs between known languages."""
        return self._version_among(list(_CODES))

    def version_of(self, source: str, target: str) -> str:
        """The same, of these two languages only: another pair's arrival changes nothing here."""
        return self._version_among([source, target])

    def _version_among(self, languages: Sequence[str]) -> str:
        names = {name for a, b in product(languages, repeat=2) for name in _modes(a, b)}
        return " ".join([self._number, *sorted(names.intersection(self._pairs))])

    @cached_property
    def _number(self) -> str:
        return _words_of("-V")[-1]

    @cached_property
    def _pairs(self) -> list[str]:
        return _words_of("-l")

    def ask(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation for each text, in order.

        A newline or a NUL in a text is taken for a space.

        Raises:
            MissingResourceError: the command or the language pair is not installed.
            TranslationError: a text has no answer even when it is sent alone.
        """
        pair = self._pair(source, target)
        return map(read, _stream(texts, pair), texts)

    def open(self, source: str, target: str) -> OpenApertium:
        """The pipe of one pair, kept open: a text in, its translation out, in milliseconds.

        Raises:
            MissingResourceError: the command or the language pair is not installed.
        """
        from sts.translation.apertium.open_pipe import OpenApertium

        return OpenApertium(self._pair(source, target))

    def _pair(self, source: str, target: str) -> str:
        names = list(_modes(source, target))
        installed = [name for name in names if name in self._pairs]
        if not installed:
            there = ", ".join(filter(_is_plain, self._pairs))
            raise MissingResourceError(
                f"apertium has no language pair {names[0]!r} (asked for {source}->{target}), it "
                f"has: {there}; {_how_to_install(source, target)}"
            )
        return installed[0]


def _modes(source: str, target: str) -> Iterator[str]:
    """The names that the pair may have, the likelier first."""
    for a, b in product(_CODES.get(source, (source,)), _CODES.get(target, (target,))):
        yield f"{a}-{b}"


def _is_plain(mode: str) -> bool:
    """Whether it is a pair, and not another way to translate one: ``cat-eng_US``."""
    return mode.count("-") == 1 and "_" not in mode


def _how_to_install(source: str, target: str) -> str:
    package = _PACKAGES.get(frozenset({source, target}))
    if package:
        return f"install it: apt-get install {package}"
    known = sorted(" and ".join(sorted(pair)) for pair in _PACKAGES)
    return (
        f"pairs known to work: {', '.join(known)}; see apt-cache search ^apertium- for others, "
        "and apt-get install what you find"
    )


def _stream(texts: Sequence[str], pair: str) -> list[str]:
    """The raw answer to each text; should the answers not line up, halves are asked again."""
    if not texts:
        return []
    finished = _run(pipe_command(pair), b"".join(map(sent, texts, range(len(texts)))))
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


def _words_of(option: str) -> list[str]:
    """The words that ``apertium -V`` or ``apertium -l`` prints."""
    finished = _run(["apertium", option])
    words = finished.stdout.decode("utf-8", "replace").split()
    if finished.returncode != 0 or not words:
        raise MissingResourceError(
            f"'apertium {option}' ended with code {finished.returncode} and printed "
            f"{' '.join(words)!r:.200}; {Apertium.install_hint}"
        )
    return words


def pipe_command(pair: str) -> list[str]:
    """The pipe of the pair, without the ``apertium`` script where that is possible.

    Since 3.8 the script puts gawk at both ends of the same stages. It holds an answer
    back until more input comes, and takes a tenth of the time.
    """
    script, wblank = shutil.which("apertium"), shutil.which("apertium-wblank-mode")
    if script and wblank:
        folder = os.environ.get("APERTIUM_DATADIR") or Path(script).parents[1] / "share/apertium"
        mode = Path(folder, "modes", f"{pair}.mode")
        if mode.is_file():
            stages = shlex.join([wblank, "-z", str(mode)])
            return ["bash", "-c", f'bash <({stages}) -g ""']
    return ["apertium", "-f", "none", "-z", pair]


def utf8_environment() -> dict[str, str]:
    """The environment in which the pipe reads and writes UTF-8."""
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def _run(command: Sequence[str], data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            command,
            input=data,
            capture_output=True,
            env=utf8_environment(),
            check=False,
        )
    except FileNotFoundError:
        raise MissingResourceError(
            f"the command 'apertium' was not found; {Apertium.install_hint}"
        ) from None
