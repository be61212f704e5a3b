"""The thread that works on what waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from runs.service import batch_queue
from runs.service.batch_queue import BatchQueue, QueueFullError


class Recorder:
    """Doubles numbers, and remembers with what it was called; waits when told to."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.begun, self.go_on = threading.Event(), threading.Event()

    def double(self, items: list[Any]) -> list[Any]:
        self.begun.set()
        assert self.go_on.wait(30)
        self.calls.append(list(items))
        if -1 in items:
            raise ValueError("no negative numbers")
        return [2 * item for item in items]

    def negate(self, items: list[Any]) -> list[Any]:
        self.calls.append(list(items))
        return [-item for item in items]


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def queue() -> Iterator[BatchQueue]:
    made = BatchQueue(4, "test")
    yield made
    made.close()


def test_what_waits_is_answered_together_by_kind(queue: BatchQueue, recorder: Recorder) -> None:
    futures = [queue.submit(recorder.double, [1])]
    assert recorder.begun.wait(30)
    futures += [
        queue.submit(recorder.double, [2, 3]),
        queue.submit(recorder.negate, [4]),
        queue.submit(recorder.double, [5]),
    ]
    recorder.go_on.set()
    assert [future.result(30) for future in futures] == [[2], [4, 6], [-4], [10]]
    assert recorder.calls == [[1], [2, 3, 5], [4]]


def test_a_call_has_a_bound(
    queue: BatchQueue, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_queue, "AT_ONCE", 3)
    futures = [queue.submit(recorder.double, [1])]
    assert recorder.begun.wait(30)
    futures += [queue.submit(recorder.double, [n] * n) for n in (2, 4, 1)]
    recorder.go_on.set()
    assert [future.result(30) for future in futures] == [[2], [4, 4], [8] * 4, [2]]
    assert recorder.calls == [[1], [2, 2, 1], [4] * 4]


def test_only_the_request_at_fault_fails(queue: BatchQueue, recorder: Recorder) -> None:
    futures = [queue.submit(recorder.double, [0])]
    assert recorder.begun.wait(30)
    futures += [queue.submit(recorder.double, items) for items in ([1], [-1, 2], [3])]
    recorder.go_on.set()
    assert [futures[place].result(30) for place in (0, 1, 3)] == [[0], [2], [6]]
    with pytest.raises(ValueError, match="no negative"):
        futures[2].result(30)


def test_one_too_many_is_refused_and_one_that_has_gone_is_left_out(
    queue: BatchQueue, recorder: Recorder
) -> None:
    first = queue.submit(recorder.double, [0])
    assert recorder.begun.wait(30)
    waiting = [queue.submit(recorder.double, [n]) for n in range(1, 5)]
    with pytest.raises(QueueFullError):
        queue.submit(recorder.double, [5])
    assert waiting[0].cancel()
    recorder.go_on.set()
    assert first.result(30) == [0]
    assert [future.result(30) for future in waiting[1:]] == [[4], [6], [8]]
    assert recorder.calls == [[0], [2, 3, 4]]


def test_closing_answers_what_waits(recorder: Recorder) -> None:
    queue = BatchQueue(4, "test")
    recorder.go_on.set()
    futures = [queue.submit(recorder.double, [n]) for n in range(3)]
    queue.close()
    assert [future.result(0) for future in futures] == [[0], [2], [4]]
    with pytest.raises(QueueFullError):
        queue.submit(recorder.double, [1])
