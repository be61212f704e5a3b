"""Apertium, a rule-based translator that needs no network.

Forcada et al. (2011), Apertium: a free/open-source platform for rule-based machine translation.
https://doi.org/10.1007/s10590-011-9090-0
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import product
from pathlib import Path

from semaniacs.sts.errors import MissingResourceError
from semaniacs.sts.translation.translator import (
    Provider,
    Translation,
    TranslationError,
    has_letters,
)

INSTALL_HINT = "install it: apt-get install apertium apertium-eng-spa"

TIMEOUT = 60.0  # seconds to wait for an answer; a word of 100,000 letters takes about seven
_SLOWEST = 1000  # lowest number of bytes translated per second; more than 10,000 are usual

LANGUAGES = {
    "en": ("eng", "en"),
    "es": ("spa", "es"),
    "ca": ("cat", "ca"),
    "eo": ("epo", "eo"),
    "gl": ("glg", "gl"),
}
"""ISO 639-1 to the codes in the names of Apertium's pairs: ISO 639-3, in older pairs 639-1."""


class Apertium(Provider):
    """The ``apertium`` command, started once for each chunk of texts.

    The texts are written in Apertium's own stream format. Each ends in NUL, at which every
    program of the pipe forgets the words before it, so that no text runs into the next.

    From English, about 2 sentences in 1,000 still depend on the others of their chunk, because
    the tagger learns from the words it meets. So a chunk is never divided among several pipes.
    """

    name = "apertium"
    install_hint = INSTALL_HINT
    chunk = 2000

    def available(self) -> bool:
        """Return whether the command is installed."""
        return shutil.which("apertium") is not None

    @property
    def version(self) -> str:
        """Version number of Apertium and the installed pairs of the known languages."""
        return self.version_of(*LANGUAGES)

    def version_of(self, *languages: str) -> str:
        """Return the version for some languages; it does not change when other pairs do."""
        names = {name for a, b in product(languages, repeat=2) for name in _pair_names(a, b)}
        return " ".join([self._platform, *sorted(names.intersection(self._pairs))])

    @cached_property
    def _platform(self) -> str:
        return _printed_words("-V")[-1]

    @cached_property
    def _pairs(self) -> list[str]:
        return _printed_words("-l")

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """Return an iterator over the translations; a newline or a NUL is read as a space.

        Raises:
            MissingResourceError: the command or the language pair is not installed.
            TranslationError: a text has no answer even when it is sent alone.
        """
        names = list(_pair_names(source, target))
        pair = next((name for name in names if name in self._pairs), None)
        if pair is None:
            # Names such as cat-eng_US are variants of another pair.
            usual = [name for name in self._pairs if name.count("-") == 1 and "_" not in name]
            raise MissingResourceError(
                f"apertium has no language pair {names[0]!r} (asked for {source}->{target}), "
                f"it has: {', '.join(usual)}; find the package of the pair with "
                "apt-cache search ^apertium- and install it with apt-get install"
            )
        return map(read_answer, _answers(texts, pair), texts)


def _pair_names(source: str, target: str) -> Iterator[str]:
    """Yield the names that the pair of two ISO 639-1 codes may have, the likelier first."""
    codes = (LANGUAGES.get(code, (code,)) for code in (source, target))
    for first, second in product(*codes):
        yield f"{first}-{second}"


def _answers(texts: Sequence[str], pair: str) -> list[str]:
    """Return the raw answer to each text; if they do not line up, send each half again."""
    if not texts:
        return []
    finished = run(_pipe_command(pair), b"".join(map(record, texts, range(len(texts)))))
    segments = finished.stdout.decode("utf-8", "replace").split("\0")
    answers = [
        segment.removesuffix(_end(number))
        for number, segment in enumerate(segments[: len(texts)])
        if segment.endswith(_end(number))
    ]
    # Each program of the pipe adds an empty record after the answers.
    if len(answers) == len(texts) and not any(segments[len(texts) :]):
        return answers
    if len(texts) == 1:
        raise TranslationError(
            f"apertium {pair}: no whole answer for {texts[0][:80]!r} "
            f"({finished.stderr.decode('utf-8', 'replace').strip()[:200] or 'no message'}); "
            "try the text in a shell, and change it or leave it out"
        )
    half = len(texts) // 2
    return _answers(texts[:half], pair) + _answers(texts[half:], pair)


# The stream format

_SPACES = str.maketrans(dict.fromkeys("\n\r\0", " "))

_STAND_INS = str.maketrans({"*": "\ufdd0", "#": "\ufdd1", "~": "\ufdd2"})
"""Apertium marks unknown words with * and failed inflections with #, and drops ~.

A sentence is sent with noncharacters of Unicode in their place, so each in the output is a mark.
"""
_RESTORE = {ord(stand_in): mark for mark, stand_in in _STAND_INS.items()}

_SPECIAL = re.compile(r"[\[\]\\/@<>^${}]")
"""The special characters of Apertium's stream format, which a backslash escapes."""

_ESCAPED_OR_MARK = re.compile(
    r"""\\(.)          # 1: a special character of the sentence
      | [*@](\w+)      # 2: a word in no dictionary (*), or in only one language's (@)
      | [*#@]          # the mark of a failed inflection, or of something that is no word
    """,
    re.DOTALL | re.VERBOSE,
)


def record(text: str, number: int) -> bytes:
    """Return ``text`` as one record of the stream, with the NUL that ends it.

    A newline or a NUL in the text becomes a space, and a lone surrogate a question mark.
    """
    escaped = _SPECIAL.sub(r"\\\g<0>", text.translate(_SPACES).translate(_STAND_INS))
    return f"{escaped}{_end(number)}\0".encode("utf-8", "replace")


def _end(number: int) -> str:
    """Return the end of a record: a full stop and its number, which Apertium leaves as they are.

    Without the full stop, the last words of a headline are translated as if more were to
    follow. The number shows that answers and texts line up.
    """
    return f"[].[{number}]"


def read_answer(answer: str, text: str) -> Translation:
    """Return the translation without marks; a text that is translated to nothing stays as it is."""
    plain = _ESCAPED_OR_MARK.sub(lambda match: match[1] or match[2] or "", answer)
    plain = re.sub(" {2,}", " ", plain).strip(" ")  # a dropped pronoun leaves its space
    untranslated = tuple(match[2] for match in _ESCAPED_OR_MARK.finditer(answer) if match[2])
    if has_letters(text) and not has_letters(plain):
        return Translation(text, tuple(re.findall(r"\w+", text)))
    return Translation(plain.translate(_RESTORE), untranslated)


# The command


def _printed_words(option: str) -> list[str]:
    """Return the words that ``apertium -V`` (its version) or ``apertium -l`` (its pairs) prints."""
    finished = run(["apertium", option])
    words = finished.stdout.decode("utf-8", "replace").split()
    if finished.returncode != 0 or not words:
        raise MissingResourceError(
            f"'apertium {option}' ended with code {finished.returncode} and printed "
            f"{' '.join(words)!r:.200}; {INSTALL_HINT}"
        )
    return words


def _pipe_command(pair: str) -> list[str]:
    """Return the command that translates in one pair, without the ``apertium`` script if possible.

    Since version 3.8 the script puts gawk at both ends of the same programs. It holds an
    answer back until more input comes, and takes a tenth of the time.
    """
    script, wblank = shutil.which("apertium"), shutil.which("apertium-wblank-mode")
    if script and wblank:
        folder = os.environ.get("APERTIUM_DATADIR") or Path(script).parents[1] / "share/apertium"
        mode = Path(folder, "modes", f"{pair}.mode")
        if mode.is_file():
            stages = shlex.join([wblank, "-z", str(mode)])
            return ["bash", "-c", f'bash <({stages}) -g ""']
    return ["apertium", "-f", "none", "-z", pair]


def run(
    command: Sequence[str], data: bytes = b"", timeout: float = TIMEOUT
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end with ``data`` on stdin, whatever its exit code.

    Raises:
        MissingResourceError: the command is not there, or has not ended in time.
    """
    seconds = timeout + len(data) / _SLOWEST
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            start_new_session=True,  # so that it can be killed with all that it started
        )
    except FileNotFoundError:
        raise MissingResourceError(
            f"the command 'apertium' was not found; {INSTALL_HINT}"
        ) from None
    with process:
        try:
            out, errors = process.communicate(data, seconds)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise MissingResourceError(
                f"'{shlex.join(command)}' has not ended in {seconds:.0f} seconds and was stopped; "
                "try it in a shell, or install Apertium again"
            ) from None
    return subprocess.CompletedProcess(command, process.returncode, out, errors)
