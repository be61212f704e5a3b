"""What stands above a word in WordNet, and in how few steps one gets there."""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.compiling import njit
from embeddings.tokenizers.ragged import Ids, Ragged

Steps = NDArray[np.float32]


class Ancestors(NamedTuple):
    """What stands above each of v words, the words' own synsets included.

    Attributes:
        nodes: numbers of synsets, ascending for each word, word after word; the
            last of each word is the imaginary root that joins all trees.
        steps: float32, the fewest that lead there from any sense of the word.
        offsets: (v + 1,) where each word's begin and end; a word that is not
            listed has none.
    """

    nodes: Ids
    steps: Steps
    offsets: NDArray[np.int64]


def climb(senses: Ragged, hypernyms: Ragged, heights: Steps) -> Ancestors:
    """The ancestors of words.

    Args:
        senses: (v) the synsets of each word.
        hypernyms: (s) the synsets directly above each synset.
        heights: (s,) steps from each synset to the root, see :func:`heights_of`.
    """
    return Ancestors(*_climb(*senses, *hypernyms, heights))


def heights_of(hypernyms: Ragged) -> Steps:
    """(s,) steps from each synset to the root: one more than to its farthest ancestor.

    So NLTK has it, which hangs a root of its own above every synset.
    """
    every = np.arange(len(hypernyms.offsets))
    alone = Ragged(every[:-1].astype(np.int32), every)
    _, steps, offsets = climb(alone, hypernyms, np.zeros(len(every) - 1, np.float32))
    return np.maximum.reduceat(steps, offsets[:-1]) + 1


@njit(nogil=True)
def _climb(senses, offsets, hypernyms, above, heights):
    """Walk upwards from all senses of a word at once, so that each node's first visit is nearest.

    Args:
        senses, offsets: the synsets of each word.
        hypernyms, above: the synsets above each synset.
        heights: (s,) steps from each synset to the root.
    """
    root = len(heights)
    fewest = np.full(root + 1, np.inf, np.float32)
    queue = np.empty(root + 1, np.int32)
    nodes = np.empty(64 * len(offsets), np.int32)
    steps = np.empty(64 * len(offsets), np.float32)
    begins = np.zeros(len(offsets), np.int64)
    for word in range(len(offsets) - 1):
        seen = 0
        for sense in senses[offsets[word] : offsets[word + 1]]:
            fewest[sense] = 0
            queue[seen] = sense
            seen += 1
            fewest[root] = min(fewest[root], heights[sense])
        at = 0
        while at < seen:
            node = queue[at]
            at += 1
            for higher in hypernyms[above[node] : above[node + 1]]:
                if fewest[higher] == np.inf:
                    fewest[higher] = fewest[node] + 1
                    queue[seen] = higher
                    seen += 1
        if seen > 0:
            queue[seen] = root
            seen += 1
        begin = begins[word]
        begins[word + 1] = begin + seen
        if begin + seen > len(nodes):
            nodes = np.concatenate((nodes, np.empty(len(nodes) + seen, np.int32)))
            steps = np.concatenate((steps, np.empty(len(steps) + seen, np.float32)))
        nodes[begin : begin + seen] = np.sort(queue[:seen])
        for i in range(begin, begin + seen):
            steps[i] = fewest[nodes[i]]
            fewest[nodes[i]] = np.inf
    return nodes[: begins[-1]], steps[: begins[-1]], begins
