"""An Apertium pipe that stays open, for one sentence after another."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import IO, Self

from sts.errors import MissingResourceError
from sts.translation.apertium.pipe import Apertium, pipe_command, utf8_environment
from sts.translation.apertium.stream_format import end, read, sent
from sts.translation.translator import Translation, TranslationError, has_letters

_BLOCK = 65536

PATIENCE = 60.0
"""Seconds to wait for an answer; 100,000 letters without a space take about seven."""


class OpenApertium:
    """The pipe of one pair, started once; a context manager.

    Use :meth:`.Apertium.open`. Starting takes a good tenth of a second, an
    answer then some milliseconds. It stands before no memory: what it says is
    not stored, and it may be asked the same twice.

    From English the tagger learns from every sentence that passes, so about 2
    in 1,000 answers depend on what was asked before, as within a chunk of
    :class:`.Apertium`; from Spanish none was found to.

    Args:
        pair: as Apertium names it, ``spa-eng``.
    """

    def __init__(self, pair: str) -> None:
        self.pair = pair
        self._asked = 0
        self._one_at_a_time = threading.Lock()
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        try:
            # A session of its own: Ctrl-C is for us, the pipe ends when its input does.
            self._process = subprocess.Popen(
                pipe_command(pair),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env=utf8_environment(),
                start_new_session=True,
            )
        except FileNotFoundError:
            raise MissingResourceError(
                f"the command 'apertium' was not found; {Apertium.install_hint}"
            ) from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input: IO[bytes] = self._process.stdin
        self._output: IO[bytes] = self._process.stdout
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def translate(self, text: str) -> Translation:
        """The translation of ``text``; without any letter it comes back untouched.

        Raises:
            TranslationError: the pipe has ended, does not answer, or was closed.
        """
        if not has_letters(text):
            return Translation(text)
        with self._one_at_a_time:
            number, self._asked = self._asked, self._asked + 1
            self._send(sent(text, number), text)
            return read(self._answer_to(number, text), text)

    def close(self) -> None:
        """End the pipe; a second time does nothing."""
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._kill()
        self._reader.join(timeout=5)
        self._output.close()

    def _kill(self) -> None:
        """The whole pipe: what does not read its input does not see it end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _collect(self) -> None:
        """Read answers until there are none: the pipe must never wait for us to read."""
        rest = b""
        while block := self._output.read(_BLOCK):
            *whole, rest = (rest + block).split(b"\0")
            for answer in whole:
                self._answers.put(answer.decode("utf-8", "replace"))
        self._answers.put(None)

    def _send(self, data: bytes, text: str) -> None:
        try:
            view = memoryview(data)
            while view:
                view = view[self._input.write(view) :]
        except (BrokenPipeError, ValueError):  # ValueError: we closed it ourselves
            raise self._ended(text) from None

    def _answer_to(self, number: int, text: str) -> str:
        """The next answer that is not empty; its number proves that it is the one."""
        while True:
            try:
                answer = self._answers.get(timeout=PATIENCE)
            except queue.Empty:
                self._kill()
                raise TranslationError(
                    f"apertium {self.pair}: no answer for {text[:80]!r} in {PATIENCE:.0f} seconds, "
                    "the pipe was stopped; open it again, and leave the text out"
                ) from None
            if answer is None:
                self._answers.put(None)  # for whoever asks next
                raise self._ended(text)
            if answer.endswith(end(number)):
                return answer.removesuffix(end(number))
            if answer:
                self._kill()
                raise TranslationError(
                    f"apertium {self.pair}: the answer for {text[:80]!r} does not end in its "
                    f"number, {answer[-80:]!r}; the pipe was stopped, open it again"
                )

    def _ended(self, text: str) -> TranslationError:
        return TranslationError(
            f"apertium {self.pair}: the pipe has ended and has no answer for {text[:80]!r}; "
            "open it again"
        )


class ApertiumKeptOpen(Apertium):
    """An Apertium whose pipes stay open from the first text on; a context manager.

    As a provider behind the memory it answers a single text in milliseconds, where its
    parent starts the command anew.
    """

    chunk = 1

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], OpenApertium] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in self._open.values():
            pipe.close()

    def ask(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation for each text, in order; the errors of :meth:`OpenApertium.translate`."""
        if (source, target) not in self._open:
            self._open[source, target] = self.open(source, target)
        return map(self._open[source, target].translate, texts)
