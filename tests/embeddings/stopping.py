"""A metric that ends a training in its middle, and what must not come of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


class StoppedError(Exception):
    pass


class StopAfter:
    """A metric for ``evaluate``, which ends the training after some calls."""

    def __init__(self, calls: int) -> None:
        self.calls, self.count = calls, 0

    def __call__(self, *_: object) -> float:
        self.count += 1
        if self.count > self.calls:
            raise StoppedError
        return self.count / 10


def check_resumed(
    train: Callable[..., Any], raw: Callable[[Any], Any], path: Path, at: int
) -> bytes:
    """A training that is stopped and resumed ends in the same bytes; return its checkpoint."""
    every, rest = StopAfter(1000), StopAfter(1000)
    whole = raw(train(evaluate=every))
    with pytest.raises(StoppedError):
        train(checkpoint=path, seconds=0, evaluate=StopAfter(at))
    checkpoint = path.read_bytes()
    assert raw(train(checkpoint=path, seconds=0, evaluate=rest)) == whole
    assert 0 < rest.count < every.count  # it did go on
    assert not path.exists()
    return checkpoint
