"""Single instructions of the processor that Numba has no name for."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,import-untyped"
# ruff: noqa: ARG001 (what a function takes is named, and read as ``arguments``)

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_BIT, _BYTE, _INT, _LONG = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_LINE = 64
"""Bytes of a line of the cache."""


def instruction(define) -> Any:
    """What a function defines; without a context, which is Numba's first argument."""
    return intrinsic(define)


@instruction
def eight_bytes(_, array, place):
    """The eight bytes of an array (uint8, contiguous) from ``place`` on, the first one lowest."""

    def generate(context, builder, signature, arguments):
        begin = make_array(signature.args[0])(context, builder, arguments[0]).data
        there = builder.gep(begin, [arguments[1]])
        return builder.load(builder.bitcast(there, _LONG.as_pointer()), align=1)

    return types.uint64(array, types.intp), generate


@instruction
def trailing_zeros(_, bits):
    """How many of the lowest bits of a number (uint64, not 0) are 0."""

    def generate(_, builder, __, arguments):
        return builder.cttz(arguments[0], _BIT(True))

    return types.uint64(types.uint64), generate


@instruction
def highest_bits(_, array, place):
    """The highest bits of sixteen bytes of an array (uint8, contiguous), that of the first lowest."""
    sixteen = ir.VectorType(_BYTE, 16)

    def generate(context, builder, signature, arguments):
        begin = make_array(signature.args[0])(context, builder, arguments[0]).data
        there = builder.bitcast(builder.gep(begin, [arguments[1]]), sixteen.as_pointer())
        zero = ir.Constant(sixteen, [0] * 16)
        bits = builder.icmp_signed("<", builder.load(there, align=1), zero)
        return builder.zext(builder.bitcast(bits, ir.IntType(16)), _LONG)

    return types.uint64(array, types.intp), generate


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
        with cgutils.for_range_slice(builder, size.type(0), size, size.type(_LINE)) as (offset, _):
            prefetch_lines(builder, builder.gep(begin, [offset]))
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def prefetch_lines(builder, pointer, count: int = 1) -> None:
    """Fetch lines of the cache from a place on; it may lie anywhere."""
    begin = builder.bitcast(pointer, _BYTE.as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [begin.type, _INT, _INT, _INT])
    fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    for line in range(count):
        there = builder.gep(begin, [_LONG(line * _LINE)])
        builder.call(fetch, [there, _INT(0), _INT(3), _INT(1)])
