"""The programs of one Apertium language pair, kept running for one text after another."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import subprocess
import threading
import time
from typing import IO, Self

from sts.translation.apertium.installation import (
    TIMEOUT,
    command_not_found,
    pipe_command,
    utf8_environment,
)
from sts.translation.apertium.stream_format import end, read, sent
from sts.translation.translator import Translation, TranslationError, has_letters

_BLOCK = 65536

_LONGEST = 2**24
"""Bytes of an answer at most."""


class Pipe:
    """The pipe of one language pair, started once; a context manager.

    Starting takes over a tenth of a second, a translation then some milliseconds. Nothing is
    stored. Several threads may share it.

    From English, about 2 translations in 1,000 depend on the texts before them, because the
    tagger adds the ambiguity classes it meets to its table.

    Args:
        pair: as Apertium names it, for example ``spa-eng``.

    Raises:
        MissingResourceError: the command is not installed.
    """

    def __init__(self, pair: str) -> None:
        self.pair = pair
        self._sent = 0
        self._one_at_a_time = threading.Lock()
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        try:
            # A session of its own, so that Ctrl-C does not reach it; it ends when its input does.
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
            raise command_not_found() from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input: IO[bytes] = self._process.stdin
        os.set_blocking(self._input.fileno(), False)  # a program that hangs does not read
        self._output: IO[bytes] = self._process.stdout
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def translate(self, text: str) -> Translation:
        """The translation of ``text``; a text without letters comes back unchanged.

        Raises:
            TranslationError: the pipe has ended, does not answer, or was closed.
        """
        if not has_letters(text):
            return Translation(text)
        with self._one_at_a_time:
            number, self._sent = self._sent, self._sent + 1
            deadline = time.monotonic() + TIMEOUT
            self._send(sent(text, number), text, deadline)
            return read(self._answer_to(number, text, deadline), text)

    def close(self) -> None:
        """End the pipe; calling it again does nothing."""
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._kill()
        self._reader.join(timeout=5)
        self._output.close()

    def _kill(self) -> None:
        """Kill the whole pipe: a program that hangs does not see its input end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _collect(self) -> None:
        """Read answers until the end, in a thread, so that the pipe never waits for us to read."""
        rest = b""
        while block := self._output.read(_BLOCK):
            *whole, rest = (rest + block).split(b"\0")
            for answer in whole:
                self._answers.put(answer.decode("utf-8", "replace"))
            if len(rest) > _LONGEST:
                self._kill()
        self._answers.put(None)

    def _send(self, data: bytes, text: str, deadline: float) -> None:
        try:
            view = memoryview(data)
            while view:
                ready = select.poll()
                ready.register(self._input, select.POLLOUT)
                if not ready.poll(1000 * max(0.0, deadline - time.monotonic())):
                    raise self._hangs(text)
                view = view[self._input.write(view) or 0 :]
        except (BrokenPipeError, ValueError):  # ValueError: it was closed
            raise self._ended(text) from None

    def _answer_to(self, number: int, text: str, deadline: float) -> str:
        """The next answer that is not empty; its number proves that it is the one."""
        while True:
            try:
                answer = self._answers.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise self._hangs(text) from None
            if answer is None:
                self._answers.put(None)  # for the next call
                raise self._ended(text)
            if answer.endswith(end(number)):
                return answer.removesuffix(end(number))
            if answer:
                self._kill()
                raise TranslationError(
                    f"apertium {self.pair}: the answer for {text[:80]!r} does not end in its "
                    f"number, {answer[-80:]!r}; the pipe was stopped, open it again"
                )

    def _hangs(self, text: str) -> TranslationError:
        self._kill()
        return TranslationError(
            f"apertium {self.pair}: no answer for {text[:80]!r} in {TIMEOUT:.0f} seconds, "
            "the pipe was stopped; open it again, and leave the text out"
        )

    def _ended(self, text: str) -> TranslationError:
        return TranslationError(
            f"apertium {self.pair}: the pipe has ended and has no answer for {text[:80]!r}; "
            "open it again"
        )
