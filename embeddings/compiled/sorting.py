"""Sorting inside of kernels."""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

from embeddings.compiled.kernel import kernel


@kernel(nogil=True)
def sort(values, length):
    """Put the first ``length`` values in ascending order, in place.

    Numba's own sort takes seconds to compile for each kind of array. This is Shellsort (1959) with
    the gaps of Gonnet and Baeza-Yates (1991): as fast as quicksort for the some hundred values of
    a text, and never slow by their order.
    """
    gap = length
    while gap > 1:
        gap = 1 if gap < 5 else 5 * gap // 11
        for end in range(gap, length):
            value = values[end]
            place = end
            while place >= gap and values[place - gap] > value:
                values[place] = values[place - gap]
                place -= gap
            values[place] = value
