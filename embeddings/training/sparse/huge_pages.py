"""Large pages of memory for tables whose rows are read at random.

A step reads and writes a thousand rows scattered over gigabytes. With pages of 4 KiB
nearly every row misses the cache of page addresses; with pages of 2 MiB few do.
"""

from __future__ import annotations

import ctypes
import mmap
import sys

import jax

_WORTHWHILE = 1 << 24
"""Bytes from which pages are asked for."""

_MADV_COLLAPSE = 25
"""Linux 6.1: replace the pages of a range by huge ones now."""


def use_huge_pages(array: jax.Array) -> None:
    """Ask Linux to keep an array on huge pages; elsewhere, and if it will not, do nothing."""
    if sys.platform != "linux" or array.nbytes < _WORTHWHILE:
        return
    if next(iter(array.devices())).platform != "cpu":
        return
    begin = -(-array.unsafe_buffer_pointer() // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (array.unsafe_buffer_pointer() + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    madvise = ctypes.CDLL(None).madvise
    for advice in (mmap.MADV_HUGEPAGE, _MADV_COLLAPSE):
        madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), ctypes.c_int(advice))
