"""The Apertium that is installed: its version, its language pairs, and how to run it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path

from sts.errors import MissingResourceError

INSTALL_HINT = "install it: apt-get install apertium apertium-eng-spa"

TIMEOUT = 60.0
"""Seconds to wait for an answer; a word of 100,000 letters takes about seven."""

_SLOWEST = 1000
"""Bytes that are translated in a second at least; usual are more than 10,000."""

LANGUAGES = {
    "en": ("eng", "en"),
    "es": ("spa", "es"),
    "ca": ("cat", "ca"),
    "eo": ("epo", "eo"),
    "gl": ("glg", "gl"),
}
"""ISO 639-1 to the codes in the names of Apertium's pairs: ISO 639-3, in older pairs 639-1."""

PACKAGES = {
    frozenset({"en", "es"}): "apertium-eng-spa",
    frozenset({"en", "ca"}): "apertium-eng-cat",
    frozenset({"en", "eo"}): "apertium-eo-en",
    frozenset({"en", "gl"}): "apertium-en-gl",
    frozenset({"es", "ca"}): "apertium-spa-cat",
    frozenset({"es", "eo"}): "apertium-eo-es",
    frozenset({"es", "gl"}): "apertium-es-gl",
    frozenset({"ca", "eo"}): "apertium-eo-ca",
}
"""The Debian package of each pair of these languages that has one."""


def pair_names(source: str, target: str) -> Iterator[str]:
    """The names that the pair of two ISO 639-1 codes may have, the likelier first."""
    codes = (LANGUAGES.get(code, (code,)) for code in (source, target))
    for first, second in product(*codes):
        yield f"{first}-{second}"


def find_pair(source: str, target: str, installed: Sequence[str]) -> str:
    """The name under which the pair is installed.

    Raises:
        MissingResourceError: it is not; the message says how to install it.
    """
    names = list(pair_names(source, target))
    for name in names:
        if name in installed:
            return name
    # Names such as cat-eng_US are variants of another pair.
    present = ", ".join(name for name in installed if name.count("-") == 1 and "_" not in name)
    if package := PACKAGES.get(frozenset({source, target})):
        advice = f"install it: apt-get install {package}"
    else:
        known = ", ".join(sorted(" and ".join(sorted(pair)) for pair in PACKAGES))
        advice = (
            f"pairs known to work: {known}; see apt-cache search ^apertium- for others, "
            "and apt-get install what you find"
        )
    raise MissingResourceError(
        f"apertium has no language pair {names[0]!r} (asked for {source}->{target}), it has: "
        f"{present}; {advice}"
    )


def words_of(option: str) -> list[str]:
    """The words that ``apertium -V`` (its version) or ``apertium -l`` (its pairs) prints.

    Raises:
        MissingResourceError: Apertium is not installed, or does not run.
    """
    finished = run(["apertium", option])
    words = finished.stdout.decode("utf-8", "replace").split()
    if finished.returncode != 0 or not words:
        raise MissingResourceError(
            f"'apertium {option}' ended with code {finished.returncode} and printed "
            f"{' '.join(words)!r:.200}; {INSTALL_HINT}"
        )
    return words


def pipe_command(pair: str) -> list[str]:
    """The command that translates in one pair, without the ``apertium`` script if possible.

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


def utf8_environment() -> dict[str, str]:
    """The environment in which the command reads and writes UTF-8."""
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def run(command: Sequence[str], data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end with ``data`` on stdin, whatever its exit code.

    Raises:
        MissingResourceError: the command is not there, or has not ended in time.
    """
    seconds = TIMEOUT + len(data) / _SLOWEST
    pipe = subprocess.PIPE
    try:
        # A session of its own, so that a program that hangs can be killed with all it started.
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=utf8_environment(),
            start_new_session=True,
        )  # fmt: skip
    except FileNotFoundError:
        raise command_not_found() from None
    with process:
        try:
            told, errors = process.communicate(data, seconds)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise MissingResourceError(
                f"'{shlex.join(command)}' has not ended in {seconds:.0f} seconds and was stopped; "
                "try it in a shell, or install Apertium again"
            ) from None
    return subprocess.CompletedProcess(command, process.returncode, told, errors)


def command_not_found() -> MissingResourceError:
    """The error for a command that is not there."""
    return MissingResourceError(f"the command 'apertium' was not found; {INSTALL_HINT}")
