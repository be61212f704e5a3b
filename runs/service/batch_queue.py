"""A thread that works on what waits, everything of one kind at once.

A call of a model costs nearly the same for one pair and for a hundred, so what arrives while it
is busy goes into its next call together. A pair has the same score in any batch. One thread and
not several: regressors set the number of threads of BLAS while they work, for the whole process.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

AT_ONCE = 1024
"""Most items of one call, unless a single request has more."""

Work = Callable[[list[Any]], Iterable[Any]]
"""From n items to n results; the result of an item does not depend on the others."""


class QueueFullError(Exception):
    """As many requests wait as may wait."""


@dataclass(frozen=True)
class _Request:
    work: Work
    items: list[Any]
    future: Future[list[Any]]


class BatchQueue:
    """Requests in the order of their arrival, and the thread that answers them.

    Args:
        waiting: requests that may wait; the one that is being answered is not counted.
        name: of the thread.
    """

    def __init__(self, waiting: int, name: str) -> None:
        self._most = waiting
        self._waiting: deque[_Request] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Work, items: list[Any]) -> Future[list[Any]]:
        """The results of ``work`` on these items, in their order, when they are there.

        Requests with the same ``work`` are answered together.

        Raises:
            QueueFullError: too many requests wait, or the queue is closed.
        """
        request = _Request(work, items, Future())
        with self._changed:
            if self._closed or len(self._waiting) >= self._most:
                raise QueueFullError
            self._waiting.append(request)
            self._changed.notify()
        return request.future

    def close(self) -> None:
        """Answer what waits, then end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended():
            if batch := self._next_batch():
                self._answer(batch)

    def _ended(self) -> bool:
        """Whether nothing more will come; waits until something does."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return not self._waiting

    def _next_batch(self) -> list[_Request]:
        """The first request and all others of its kind, up to ``AT_ONCE`` items."""
        with self._changed:
            batch: list[_Request] = []
            others: deque[_Request] = deque()
            count = 0
            for request in self._waiting:
                same = not batch or request.work == batch[0].work
                if same and (not batch or count + len(request.items) <= AT_ONCE):
                    batch.append(request)
                    count += len(request.items)
                else:
                    others.append(request)
            self._waiting = others
        # Whoever has gone meanwhile needs no answer; from here on a request cannot be withdrawn.
        return [request for request in batch if request.future.set_running_or_notify_cancel()]

    def _answer(self, batch: list[_Request]) -> None:
        try:
            results = list(batch[0].work([item for request in batch for item in request.items]))
        except Exception as error:
            if len(batch) == 1:
                batch[0].future.set_exception(error)
                return
            for request in batch:  # only the one whose fault it is fails
                self._answer([request])
            return
        for request in batch:
            request.future.set_result(results[: len(request.items)])
            del results[: len(request.items)]
