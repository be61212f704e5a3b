"""The collector while millions of small objects are made."""

from __future__ import annotations

import gc
import threading

import pytest

from features.undisturbed import undisturbed


def test_it_collects_again_after_an_error() -> None:
    with pytest.raises(RuntimeError), undisturbed():
        assert not gc.isenabled()
        raise RuntimeError
    assert gc.isenabled()


def test_the_last_of_overlapping_threads_turns_it_on_again() -> None:
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))

    def first() -> None:
        with undisturbed():
            first_is_in.set()
            assert second_is_in.wait(10)
        first_is_out.set()

    thread = threading.Thread(target=first)
    thread.start()
    assert first_is_in.wait(10)
    with undisturbed():
        second_is_in.set()
        assert first_is_out.wait(10)
        assert not gc.isenabled()
    thread.join()
    assert gc.isenabled()


def test_who_had_no_collection_has_none_after() -> None:
    gc.disable()
    try:
        with undisturbed():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_was_made_is_not_walked_after() -> None:
    kept: list[list[int]] = []
    with undisturbed():
        kept += ([] for _ in range(100_000))
    assert len(gc.get_objects(generation=0)) < 50_000


def test_what_the_process_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with undisturbed():
            pass
        assert gc.get_freeze_count() == pytest.approx(frozen, rel=0.01)
    finally:
        gc.unfreeze()
