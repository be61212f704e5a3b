"""A trie of weighted strings as a double array (Aoe, 1989): one memory access a character.

A node is a place in the array. From node s the letter c leads to ``base[s] + c``,
if the parent noted there is s, and nowhere otherwise.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernels import native

NODE = np.dtype([("base", "<i4"), ("parent", "<i4"), ("row", "<i4"), ("score", "<f4")])

_FREE, _ROOT = -1, -2
"""Stand for a parent at free places, and at place 0."""


class Trie(NamedTuple):
    """A set of strings, each with a row and a score.

    Attributes:
        nodes: (places,) records of :data:`NODE`; ``row`` is -1 where no string ends.
        letters: (0x110000,) int32, the letter of each code point, from 1 the most
            frequent; 0 for one that no string holds.
    """

    nodes: NDArray[Any]
    letters: NDArray[np.int32]


def build_trie(strings: Sequence[str], rows: Sequence[int], scores: NDArray[np.float32]) -> Trie:
    """The trie of distinct, non-empty strings."""
    order = sorted(range(len(strings)), key=strings.__getitem__)
    ends = np.cumsum([0, *(len(strings[i]) for i in order)])
    codes = np.frombuffer("".join(strings[i] for i in order).encode("utf-32-le"), np.uint32)
    alphabet, counts = np.unique(codes, return_counts=True)
    letters = np.zeros(sys.maxunicode + 1, np.int32)
    # Frequent letters get near numbers, so that the nodes that are visited often are near too.
    letters[alphabet[np.argsort(-counts, kind="stable")]] = np.arange(1, len(alphabet) + 1)
    inputs = letters[codes], ends, np.array(rows, np.int32)[order], scores[order]
    room = len(codes) + 2 * len(alphabet) + 2
    waiting = np.empty((len(codes) + 1, 4), np.int64)
    children = np.empty(len(alphabet) + 1, np.int64)
    while True:
        nodes = np.zeros(room, NODE)
        nodes["parent"], nodes["row"] = _FREE, -1
        if _lay_out(*inputs, nodes, waiting, children, len(alphabet)):
            return Trie(nodes, letters)
        room *= 2


@native
def _lay_out(letters, ends, rows, scores, nodes, waiting, children, alphabet):
    """Place every node, those near the root first; False if the array is too short.

    The strings are sorted: those that go through one node lie together. ``waiting``
    holds these nodes, each with its first string, the one after its last, and its depth.
    """
    nodes[0].parent = _ROOT
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, 0, len(rows), 0
    met = 1
    done = 0
    free = 1
    while done < met:
        node, first, last, depth = (
            waiting[done, 0], waiting[done, 1], waiting[done, 2], waiting[done, 3]
        )  # fmt: skip
        done += 1
        if ends[first] + depth == ends[first + 1]:
            nodes[node].row = rows[first]
            nodes[node].score = scores[first]
            first += 1
        count = 0
        for string in range(first, last):
            letter = letters[ends[string] + depth]
            if count == 0 or letter != children[count - 1]:
                children[count] = letter
                waiting[met + count, 1], waiting[met + count, 3] = string, depth + 1
                count += 1
            waiting[met + count - 1, 2] = string + 1
        if count == 0:
            continue
        while free < len(nodes) and nodes[free].parent != _FREE:
            free += 1
        base = max(free - children[0], 0)
        while base + alphabet < len(nodes) and not _fits(nodes, children, count, base):
            base += 1
        if base + alphabet >= len(nodes):
            return False
        nodes[node].base = base
        for child in range(count):
            nodes[base + children[child]].parent = node
            waiting[met + child, 0] = base + children[child]
        met += count
    return True


@native
def _fits(nodes, children, count, base):
    for child in range(count):
        if nodes[base + children[child]].parent != _FREE:
            return False
    return True


@native
def after(nodes, node, letter):
    """The child of a node by a letter, or -1."""
    place = nodes[node].base + letter
    return place if nodes[place].parent == node else -1
