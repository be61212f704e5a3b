"""Compiled code, and loops over arrays that are interpreted for few pairs and compiled for many.

:class:`~semaniacs.embeddings.compiled.word_finder.WordFinder` is the twin of
:class:`~semaniacs.embeddings.tokenizers.row_numbers.WordTokenizer`, with the same row numbers, and
:func:`~semaniacs.embeddings.compiled.mean_rows.average_rows` that of :meth:`semaniacs.embeddings.table.Table.means`.

A :class:`Kernel` gives the same bits either way. To load compiled code takes longer than to
interpret a few pairs. Three things make the two ways differ. Compiled code computes a float32 and
``0.5`` in float64, NumPy in float32: write ``np.float64(x)``. Compiled code adds two truths to 2,
NumPy to ``True``: write ``int(x)``. The compiler may reorder sums (``fastmath``) only where they
are exact.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache, cached_property, update_wrapper
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

FEW = 100
"""Pairs that are interpreted, in all calls of a process together; the next ones are compiled."""

LONG = 20_000
"""Characters of one side times those of the other that take as long to interpret as a short pair."""


class _Way(NamedTuple):
    """Choice of a context: whether it works on few pairs, and whether it interprets kernels."""

    few: bool
    interpreted: bool


_way: ContextVar[_Way | None] = ContextVar("way", default=None)  # none where nobody decided


_done = {"interpreted": 0}  # pairs, long ones several times, that this process has interpreted


class Kernel:
    """A function over arrays and numbers with two ways to run it.

    ``plain`` is the same as the ``loop`` in NumPy, to the bit, where to interpret the loop takes too
    long. ``options`` are for ``numba.njit``. The loop may call other kernels.
    """

    def __init__(
        self, loop: Callable[..., Any], plain: Callable[..., Any] | None, **options: Any
    ) -> None:
        self.loop, self.plain, self.options = loop, plain or loop, options
        update_wrapper(self, loop)

    @cached_property
    def compiled(self) -> Any:
        """The compiled function; Numba is imported here and not before."""
        from semaniacs.embeddings.compiled.compiling import announce_compiling, njit

        _let_kernels_call_kernels()
        announce_compiling()
        return njit(**self.options)(self.loop)

    def __call__(self, *arguments: Any) -> Any:
        """Run it, interpreted inside of :func:`interpret_few` and compiled elsewhere."""
        if not interpreting():
            return self.compiled(*arguments)
        with np.errstate(all="ignore"):  # compiled code does not warn either
            return self.plain(*arguments)


@cache
def _let_kernels_call_kernels() -> None:
    """Have compiled code that calls a kernel call its compiled form."""
    from numba import types
    from numba.extending import typeof_impl

    @typeof_impl.register(Kernel)
    def type_of(one: Kernel, _: object) -> types.Dispatcher:
        return types.Dispatcher(one.compiled)


def kernel(
    *, plain: Callable[..., Any] | None = None, **options: Any
) -> Callable[[Callable[..., Any]], Kernel]:
    """Return a decorator that makes a function a :class:`Kernel`."""
    return lambda loop: Kernel(loop, plain, **options)


@contextmanager
def interpret_few(pairs: int, texts: Iterable[tuple[str, str]] = ()) -> Iterator[None]:
    """Have kernels interpreted in this context if the work is on few pairs, else compiled.

    Inside of such a context another one changes nothing. Threads that are started inside do not
    inherit it: see :func:`in_this_context`. Of the ``texts``, if they are given, a pair of long ones
    counts as several.
    """
    if _way.get() is not None:
        yield
        return
    work = pairs
    if pairs <= FEW:
        work += sum(len(one) * len(other) for one, other in texts) // LONG
    interpreted = _done["interpreted"] + work <= FEW
    _done["interpreted"] += work if interpreted else 0
    token = _way.set(_Way(pairs <= FEW, interpreted))
    try:
        yield
    finally:
        _way.reset(token)


def interpreting() -> bool:
    """Return whether kernels are interpreted here."""
    way = _way.get()
    return way is not None and way.interpreted


def few() -> bool:
    """Return whether the work here is on few pairs, whatever the process did before.

    It decides where two ways differ in their last digits, as those of a network do, so that a pair
    has one score in all small work of a process.
    """
    way = _way.get()
    return way is not None and way.few


def in_this_context(work: Callable[P, T]) -> Callable[P, T]:
    """Return the function as threads of a pool are to call it: in a copy of this context."""
    here = copy_context()

    def run(*given: P.args, **named: P.kwargs) -> T:
        return here.copy().run(work, *given, **named)

    return run


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
