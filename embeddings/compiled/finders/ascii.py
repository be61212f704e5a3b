"""Folding ASCII, 32 characters at a time: what the table of characters says of each."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,import-untyped"
# ruff: noqa: ARG001 (what a function takes is named, and read as ``arguments``)

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.np.arrayobj import make_array

from embeddings.compiled.character_table import (
    APOSTROPHE,
    COMMA,
    DIGIT,
    DOT,
    LETTER,
    OTHER,
    SPACE,
    UNDERSCORE,
)
from embeddings.compiled.intrinsics import instruction

BLOCK = 32
"""Characters that are folded at once."""

_KINDS = (
    (b"a", 26, LETTER),
    (b"0", 10, DIGIT),
    (b"\t", 5, SPACE),
    (b"\x1c", 5, SPACE),
    (b"_", 1, UNDERSCORE),
    (b"'", 1, APOSTROPHE),
    (b".", 1, DOT),
    (b",", 1, COMMA),
)
"""First character, how many follow one another, and their kind; all others are OTHER."""

_BYTES = ir.VectorType(ir.IntType(8), BLOCK)
_COUNT = ir.IntType(64)


def _every(value: int) -> ir.Constant:
    return ir.Constant(_BYTES, [value] * BLOCK)


@instruction
def fold_ascii(_, data, begin, text, kinds, at):
    """Write :data:`BLOCK` bytes in lower case to ``text``, and their kinds to ``kinds``.

    The arrays are contiguous uint8, with so many bytes from ``begin`` and from ``at`` on.

    Returns:
        How many of the first are ASCII; the others are to be written again.
    """

    def generate(context, builder, signature, arguments):
        def block(array, place):
            begin = make_array(signature.args[array])(context, builder, arguments[array]).data
            there = builder.gep(begin, [arguments[place]])
            return builder.bitcast(there, _BYTES.as_pointer())

        def are_among(first, count):
            return builder.icmp_unsigned("<", builder.sub(read, _every(first)), _every(count))

        read = builder.load(block(0, 1), align=1)
        beyond = builder.icmp_signed("<", read, _every(0))
        read = builder.select(are_among(ord("A"), 26), builder.or_(read, _every(0x20)), read)
        read = builder.select(are_among(ord("`"), 1), _every(ord("'")), read)
        kind = _every(OTHER)
        for first, count, number in _KINDS:
            kind = builder.select(are_among(ord(first), count), _every(number), kind)
        builder.store(read, block(2, 4), align=1)
        builder.store(kind, block(3, 4), align=1)
        bits = builder.zext(builder.bitcast(beyond, ir.IntType(BLOCK)), _COUNT)
        return builder.cttz(builder.or_(bits, _COUNT(1 << BLOCK)), ir.IntType(1)(True))

    return types.int64(data, types.intp, text, kinds, types.intp), generate
