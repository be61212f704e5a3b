"""The inner loop of matrix multiplication, as instructions of LLVM.

It keeps :data:`ROWS` × :data:`COLUMNS` sums of a product in the processor's registers (Goto and van
de Geijn, 2008, Anatomy of high-performance matrix multiplication, 4: the micro-kernel), at the
speed of the libraries. Every number is the sum of its products from first to last: unlike with
those libraries, a row of the product has the same bits whichever rows are beside it.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,import-untyped"
# ruff: noqa: ARG001 (what a function takes is named, and read as ``arguments``)

from __future__ import annotations

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

from semaniacs.embeddings.compiled.native import instruction

ROWS, COLUMNS = (12, 32) if get_host_cpu_features().get("avx512f") else (6, 16)
"""Size of a tile: 24 of the 32 registers of AVX-512, or twelve of the sixteen of AVX2."""

_FLOAT, _INT, _LONG = ir.FloatType(), ir.IntType(32), ir.IntType(64)
_LINE = ir.VectorType(_FLOAT, COLUMNS)
_FIRST_OF_ALL = ir.VectorType(_INT, COLUMNS)([0] * COLUMNS)
_UNSET = _LINE(ir.Undefined)


def in_panels(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """A matrix (k, n) as panels (⌈n / COLUMNS⌉, k, COLUMNS); the last one is filled with 0."""
    k, n = matrix.shape
    filled = np.pad(matrix, ((0, 0), (0, -n % COLUMNS)))
    return np.ascontiguousarray(filled.reshape(k, -1, COLUMNS).transpose(1, 0, 2))


@instruction
def tile(_, left, row, column, panels, panel, depth, bias, out, to_row, to_column):
    """``out[to_row:, to_column:] = bias[COLUMNS * panel:] + left[row:, column:] @ panels[panel]``.

    :data:`ROWS` rows and :data:`COLUMNS` columns of it, over ``depth`` (one or more) products a number. Nothing is
    checked: all arrays are float32 and contiguous, and as large as this asks for.
    """

    def generate(context, builder, signature, arguments):
        arrays = [
            make_array(signature.args[place])(context, builder, arguments[place])
            for place in (0, 3, 6, 7)
        ]
        from_left, from_panels, from_bias, into = arrays
        row, column, panel, depth = (arguments[place] for place in (1, 2, 4, 5))
        to_row, to_column = arguments[8:]

        def times(a, b):
            return builder.mul(a, b)

        def rows_of(array, row, column):
            width = builder.extract_value(array.shape, 1)
            begin = builder.gep(array.data, [builder.add(times(row, width), column)])
            return [builder.gep(begin, [times(_LONG(r), width)]) for r in range(ROWS)]

        def line(pointer):
            return builder.bitcast(pointer, _LINE.as_pointer())

        lines, results = rows_of(from_left, row, column), rows_of(into, to_row, to_column)
        size = times(builder.extract_value(from_panels.shape, 1), _LONG(COLUMNS))
        columns = builder.gep(from_panels.data, [times(panel, size)])
        begin = builder.gep(from_bias.data, [times(panel, _LONG(COLUMNS))])
        first = builder.load(line(begin), align=4)
        kind = ir.FunctionType(_LINE, [_LINE] * 3)
        fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{COLUMNS}f32")

        before = builder.block
        loop, after = (builder.append_basic_block(name) for name in ("products", "sums"))
        builder.branch(loop)
        builder.position_at_end(loop)
        place = builder.phi(_LONG)
        place.add_incoming(_LONG(0), before)
        sums = [builder.phi(_LINE) for _ in range(ROWS)]
        right = builder.load(line(builder.gep(columns, [times(place, _LONG(COLUMNS))])), align=4)
        added = []
        for values, total in zip(lines, sums, strict=True):
            value = builder.load(builder.gep(values, [place]))
            one = builder.insert_element(_UNSET, value, _INT(0))
            all_alike = builder.shuffle_vector(one, _UNSET, _FIRST_OF_ALL)
            added.append(builder.call(fused, [all_alike, right, total]))
            total.add_incoming(first, before)
            total.add_incoming(added[-1], loop)
        following = builder.add(place, _LONG(1))
        place.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, depth), loop, after)
        builder.position_at_end(after)
        for total, result in zip(added, results, strict=True):
            builder.store(total, line(result), align=4)
        return context.get_dummy_value()

    i = types.intp
    return types.void(left, i, i, panels, i, i, bias, out, i, i), generate
