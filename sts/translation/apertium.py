"""Apertium, a rule-based translator that needs no network.

Forcada et al. (2011), Apertium: a free/open-source platform for rule-based
machine translation. https://doi.org/10.1007/s10590-011-9090-0
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cached_property

from sts.errors import MissingResourceError
from sts.translation.translator import Translation, TranslationError, has_letters

_CODES = {"en": "eng", "es": "spa"}
"""ISO 639-1 to the ISO 639-3 codes that Apertium names its pairs with."""

_SPACES = str.maketrans(dict.fromkeys("\n\r\0", " "))

_STAND_INS = str.maketrans({"*": "\ufdd0", "#": "\ufdd1", "~": "\ufdd2"})
"""Apertium marks unknown words with * and failed inflections with #, and eats ~.

So that a mark in the output is a mark, the ones of the sentence travel as
noncharacters, which Unicode keeps out of interchanged text.
"""
_RESTORE = {ord(stand_in): mark for mark, stand_in in _STAND_INS.items()}

_SPECIAL = re.compile(r"[\[\]\\/@<>^${}]")
"""The characters with a meaning in Apertium's stream format; a backslash takes it away."""

_ESCAPED_OR_MARK = re.compile(
    r"""\\(.)          # 1: a special character of the sentence
      | [*@](\w+)      # 2: a word in no dictionary (*), or in only one language's (@)
      | [*#@]          # the mark of a failed inflection, or of something that is no word
    """,
    re.DOTALL | re.VERBOSE,
)


class Apertium:
    """The ``apertium`` command, called once for each chunk of texts.

    The texts are written in Apertium's own stream format and each ends in NUL,
    at which every stage of the pipe flushes and forgets the words it was
    looking at. So no text can run into the next one, whatever its punctuation.

    From English, about 2 sentences in 1,000 still depend on the others of
    their chunk: the tagger adds the ambiguity classes it meets to its table.
    From Spanish none was found among 8,000.
    """

    name = "apertium"
    install_hint = "install it: apt-get install apertium apertium-eng-spa"
    chunk = 2000

    def available(self) -> bool:
        """Whether the command is installed."""
        return shutil.which("apertium") is not None

    @cached_property
    def version(self) -> str:
        """The number of the platform and the installed pairs between known languages."""
        number = _words_of("-V")[-1]
        names = {f"{a}-{b}" for a in _CODES.values() for b in _CODES.values()}
        return " ".join([number, *sorted(names.intersection(self._pairs))])

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
        return map(_read, _stream(texts, pair), texts)

    def _pair(self, source: str, target: str) -> str:
        pair = f"{_CODES.get(source, source)}-{_CODES.get(target, target)}"
        if pair not in self._pairs:
            raise MissingResourceError(
                f"apertium has no language pair {pair!r} (asked for {source}->{target}), it has: "
                f"{', '.join(self._pairs) or 'none'}; {self.install_hint}"
            )
        return pair


def _stream(texts: Sequence[str], pair: str) -> list[str]:
    """The raw answer to each text; should the answers not line up, halves are asked again."""
    if not texts:
        return []
    sent = "".join(f"{_write(text)}{_end(i)}\0" for i, text in enumerate(texts))
    # A lone surrogate has no UTF-8: it is sent as a question mark.
    finished = _run(["-f", "none", "-z", pair], sent.encode("utf-8", "replace"))
    answers = _line_up(finished.stdout.decode("utf-8", "replace").split("\0"), len(texts))
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


def _end(index: int) -> str:
    """A full stop and a numbered blank, which comes out as it went in.

    Without the full stop the last words of a headline are translated as if
    more were to follow; the number proves that answers and texts line up.
    """
    return f"[].[{index}]"


def _line_up(segments: Sequence[str], n: int) -> list[str] | None:
    """The n answers without their ends, or None; after them each stage adds an empty one."""
    ends = [_end(i) for i in range(n)]
    if len(segments) < n or any(segments[n:]):
        return None
    if not all(segment.endswith(end) for segment, end in zip(segments, ends, strict=False)):
        return None
    return [segment.removesuffix(end) for segment, end in zip(segments, ends, strict=False)]


def _write(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text.translate(_SPACES).translate(_STAND_INS))


def _read(answer: str, text: str) -> Translation:
    """The translation without marks; a lone ``Se`` comes to nothing and stays as it is."""
    plain = _ESCAPED_OR_MARK.sub(lambda match: match[1] or match[2] or "", answer)
    plain = re.sub(" {2,}", " ", plain).strip(" ")  # a dropped pronoun leaves its space
    untranslated = tuple(match[2] for match in _ESCAPED_OR_MARK.finditer(answer) if match[2])
    if has_letters(text) and not has_letters(plain):
        return Translation(text, tuple(re.findall(r"\w+", text)))
    return Translation(plain.translate(_RESTORE), untranslated)


def _words_of(option: str) -> list[str]:
    """The words that ``apertium -V`` or ``apertium -l`` prints."""
    finished = _run([option])
    words = finished.stdout.decode("utf-8", "replace").split()
    if finished.returncode != 0 or not words:
        raise MissingResourceError(
            f"'apertium {option}' ended with code {finished.returncode} and printed "
            f"{' '.join(words)!r:.200}; {Apertium.install_hint}"
        )
    return words


def _run(arguments: Sequence[str], sent: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}  # the pipe reads and writes UTF-8
    try:
        return subprocess.run(
            ["apertium", *arguments], input=sent, capture_output=True, env=environment, check=False
        )
    except FileNotFoundError:
        raise MissingResourceError(
            f"the command 'apertium' was not found; {Apertium.install_hint}"
        ) from None
