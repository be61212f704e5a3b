"""The UTF-8 of strings, compiled.

Python joins, encodes and splits a list of strings at 120 ns each, while other threads wait for
the interpreter's lock. Here it takes 30: the characters are copied from where Python has them.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def,no-untyped-call,import-untyped"
# ruff: noqa: ARG001 (an instruction reads its parameters from ``arguments``)

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import make_array

from semaniacs.embeddings.compiled.compiling import njit
from semaniacs.embeddings.compiled.native import inlined, instruction, put
from semaniacs.embeddings.tokenizers.row_numbers import Utf8Sentences, with_surrogates
from semaniacs.sts.data.pairs import sentences_of
from semaniacs.sts.errors import StsError

_INT, _LONG = ir.IntType(32), ir.IntType(64)


def _item(context, builder, arguments):
    """The object at a place of a list whose address is given; it must be there."""
    api = context.get_python_api(builder)
    return api, api.list_getitem(builder.inttoptr(arguments[0], api.pyobj), arguments[1])


@instruction
def _size_of(_, strings):
    """Return the number of objects in a list whose address is given."""

    def generate(context, builder, signature, arguments):
        api = context.get_python_api(builder)
        return api.list_size(builder.inttoptr(arguments[0], api.pyobj))

    return types.int64(strings), generate


@instruction
def _length_of(_, strings, place):
    """Characters of the string at a place of a list; -1 if it is none."""

    def generate(context, builder, signature, arguments):
        api, item = _item(context, builder, arguments)
        kind = ir.FunctionType(_LONG, [api.pyobj])
        count = cgutils.get_or_insert_function(builder.module, kind, "PyUnicode_GetLength")
        length = builder.call(count, [item])
        with builder.if_then(builder.icmp_signed("<", length, _LONG(0)), likely=False):
            api.err_clear()
        return length

    return types.int64(strings, types.intp), generate


@instruction
def _characters_of(_, strings, place):
    """The address of a string's characters and the bytes of each; 0 bytes if all are ASCII."""
    found = types.UniTuple(types.int64, 2)

    def generate(context, builder, signature, arguments):
        api, item = _item(context, builder, arguments)
        _, address, _, width, ascii_, _ = api.string_as_string_size_and_kind(item)
        wide = builder.select(builder.icmp_signed("!=", ascii_, _INT(0)), _INT(0), width)
        both = builder.ptrtoint(address, _LONG), builder.zext(wide, _LONG)
        return context.make_tuple(builder, found, both)

    return found(strings, types.intp), generate


@instruction
def _copy(_, array, place, address, size):
    """Copy bytes from an address to an array (uint8, contiguous)."""

    def generate(context, builder, signature, arguments):
        begin = make_array(signature.args[0])(context, builder, arguments[0]).data
        source = builder.inttoptr(arguments[2], begin.type)
        cgutils.raw_memcpy(builder, builder.gep(begin, [arguments[1]]), source, arguments[3], 1)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, types.intp), generate


@instruction
def _code_point(_, address, width):
    """The number (uint32) in 1, 2 or 4 bytes at an address."""

    def generate(context, builder, signature, arguments):
        found = cgutils.alloca_once(builder, _INT)
        for size in (1, 2, 4):
            with builder.if_then(builder.icmp_signed("==", arguments[1], _LONG(size))):
                there = builder.inttoptr(arguments[0], ir.IntType(8 * size).as_pointer())
                number = builder.load(there, align=1)
                builder.store(number if size == 4 else builder.zext(number, _INT), found)
        return builder.load(found)

    return types.uint32(types.intp, types.intp), generate


# Both hold the interpreter's lock: nobody changes the list or frees a string meanwhile.
_locked = njit(error_model="numpy", _nrt=False)


@inlined
def _most(length, width):
    """Bytes that so many characters have in UTF-8, at most."""
    return length * min(width + 1, 4)


@_locked
def _most_bytes(strings, begin, count):
    """Bytes that strings of a list have in UTF-8, at most; -1 if one is none or not there."""
    if begin + count > _size_of(strings):
        return np.int64(-1)
    total = np.int64(0)
    for place in range(begin, begin + count):
        length = _length_of(strings, place)
        if length < 0:
            return length
        total += _most(length, _characters_of(strings, place)[1])
    return total


@_locked
def _write(strings, begin, data, ends):
    """Write strings of a list as UTF-8, and where each ends; False if they have changed."""
    at = np.int64(0)
    if begin + len(ends) > _size_of(strings):
        return False
    for i in range(len(ends)):
        length = _length_of(strings, begin + i)
        if length < 0:
            return False
        address, width = _characters_of(strings, begin + i)
        if at + _most(length, width) > len(data):
            return False
        if width == 0:
            _copy(data, at, address, length)
            at += length
        else:
            for place in range(length):
                at = put(data, at, _code_point(address + place * width, width))
        ends[i] = at
    return True


def utf8_of(sentences: Sequence[str], begin: int, end: int) -> Utf8Sentences:
    """``sentences[begin:end]`` in bytes; lone surrogates as Python's ``surrogatepass`` has them.

    Raises:
        StsError: a value of a list is no string, named by its row, or the list has changed.
    """
    if isinstance(sentences, Utf8Sentences):
        return sentences[begin:end]
    if type(sentences) is not list:
        return utf8_of(list(sentences[begin:end]), 0, end - begin)
    bounds = np.zeros(min(end, len(sentences)) - begin + 1, np.int64)
    size = _most_bytes(id(sentences), begin, len(bounds) - 1)
    data = np.empty(max(size, 0), np.uint8)
    if size < 0 or not _write(id(sentences), begin, data, bounds[1:]):
        sentences_of(sentences)
        raise StsError("the list of sentences has changed while it was read")
    return Utf8Sentences(data, bounds[:-1], bounds[1:], with_surrogates)
