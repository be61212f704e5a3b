"""What the trainings of these tests share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from embeddings.pretraining import distillation
from embeddings.training import sentence_model
from embeddings.training.optimizers import Optimizer, at_own_pace
from embeddings.training.sparse import sparse_rows


@pytest.fixture(scope="module")
def compile_little(request: pytest.FixtureRequest) -> Iterator[None]:
    """One size for all batches, ``SIZE`` of the module, and one step for equal paces.

    What takes time is compiling.
    """
    size: int = request.module.SIZE

    @cache
    def shared(optimizer: Optimizer, pace: bytes) -> Optimizer:
        return at_own_pace(optimizer, np.frombuffer(pace, np.float32)[:, None])

    with pytest.MonkeyPatch.context() as patch:
        for module in (sparse_rows, sentence_model):
            patch.setattr(module, "bucket_size", lambda needed: size)
        patch.setattr(
            distillation, "at_own_pace", lambda optimizer, pace: shared(optimizer, pace.tobytes())
        )
        yield
