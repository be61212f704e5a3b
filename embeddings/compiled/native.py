"""Functions that run without the interpreter's lock, so that threads share the work.

They give the very numbers of the plain path. Numba caches compiled code beside each file and uses
it until that file changes. It does not see that other files depend on this one: after a change
here, remove their compiled code (``find embeddings -name "*.nb?" -delete``).
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def,no-untyped-call,import-untyped"
# ruff: noqa: ARG001 (an instruction reads its parameters from ``arguments``)

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from semaniacs.embeddings.compiled.compiling import announce_compiling, njit

announce_compiling()

# Without Numba's run time nothing can be allocated and no references are counted, which
# would take several times as long as the work itself.
FAST: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_INNER: dict[str, Any] = FAST | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def native(function):
    """Compile a function when it is first called, and cache the result on disk."""
    return njit(**FAST)(function)


def inner(function):
    """Compile a function that only compiled code calls: that takes less time."""
    return njit(**_INNER)(function)


def inlined(function):
    """Compile as :func:`inner`, as a part of each function that calls it."""
    return njit(**_INNER, forceinline=True)(function)


# Instructions of the processor that Numba has no name for


def instruction(define) -> Any:
    """Make an intrinsic of Numba, whose first argument, a context, is not given by callers."""
    return intrinsic(define)


_BYTE, _INT, _LONG = (ir.IntType(bits) for bits in (8, 32, 64))
_LINE = 64  # bytes of a line of the cache


@instruction
def eight_bytes(_, array, place):
    """Read eight bytes of an array (uint8, contiguous) from ``place`` on, the first one lowest."""

    def generate(context, builder, signature, arguments):
        begin = make_array(signature.args[0])(context, builder, arguments[0]).data
        there = builder.gep(begin, [arguments[1]])
        return builder.load(builder.bitcast(there, _LONG.as_pointer()), align=1)

    return types.uint64(array, types.intp), generate


@instruction
def trailing_zeros(_, bits):
    """Count the lowest bits of a number (uint64, not 0) that are 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(True))

    return types.uint64(types.uint64), generate


@instruction
def prefetch(_, array, row):
    """Fetch a row of an array (2 dimensions, contiguous) into the cache, without waiting for it.

    Nothing is read: ``row`` may lie outside of the array.
    """

    def generate(context, builder, signature, arguments):
        rows = make_array(signature.args[0])(context, builder, arguments[0])
        size = builder.extract_value(rows.strides, 0)
        begin = builder.bitcast(rows.data, _BYTE.as_pointer())
        begin = builder.gep(begin, [builder.mul(arguments[1], size)])
        kind = ir.FunctionType(ir.VoidType(), [begin.type, _INT, _INT, _INT])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        with cgutils.for_range_slice(builder, size.type(0), size, size.type(_LINE)) as (offset, _):
            builder.call(fetch, [builder.gep(begin, [offset]), _INT(0), _INT(3), _INT(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@native
def put(word, at, code):
    """Write a code point as UTF-8 (surrogates too); return the place after it."""
    if code < 0x80:
        word[at] = code
        return at + 1
    if code < 0x800:
        word[at] = 0xC0 | (code >> 6)
        word[at + 1] = 0x80 | (code & 0x3F)
        return at + 2
    if code < 0x10000:
        word[at] = 0xE0 | (code >> 12)
        word[at + 1] = 0x80 | ((code >> 6) & 0x3F)
        word[at + 2] = 0x80 | (code & 0x3F)
        return at + 3
    word[at] = 0xF0 | (code >> 18)
    word[at + 1] = 0x80 | ((code >> 12) & 0x3F)
    word[at + 2] = 0x80 | ((code >> 6) & 0x3F)
    word[at + 3] = 0x80 | (code & 0x3F)
    return at + 4


def _crc_of(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (0xEDB88320 if byte & 1 else 0)
    return byte


_ALL = np.uint32(0xFFFFFFFF)  # initial value of CRC-32, and its final exclusive-or

_CRC = np.array([_crc_of(byte) for byte in range(256)], np.uint32)


@native
def checksum(word, begin, end):
    """CRC-32 of ``word[begin:end]``."""
    crc = _ALL
    for place in range(begin, end):
        crc = _CRC[(crc ^ np.uint32(word[place])) & np.uint32(255)] ^ (crc >> np.uint32(8))
    return crc ^ _ALL
