"""How an engine is asked: not too fast, again after a fault, and not beyond the budget."""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol, TypeVar

from sts.errors import StsError
from sts.translation.online.faults import BudgetError, TemporaryError, shorten

T = TypeVar("T")

FIRST_WAIT = 1.0
"""Seconds after the first fault; each further fault doubles them."""

LONGEST_WAIT = 120.0
"""Seconds: who asks to wait longer is asked again by another run."""


class Clock(Protocol):
    """What is needed of the module :mod:`time`; tests have one that does not wait."""

    def time(self) -> float:
        """Seconds since 1970."""

    def sleep(self, seconds: float, /) -> None:
        """Wait so long."""


@dataclass(frozen=True)
class Settings:
    """What a person may set for every engine on the network.

    Attributes:
        rate: requests a second, above 0; None is what suits the engine.
        timeout: seconds to wait for a connection, and again for each part of an answer, above 0.
        tries: how often one request is sent at most, from 1.
        budget: characters that one run may send to one engine; None is no limit.
    """

    rate: float | None = None
    timeout: float = 30.0
    tries: int = 5
    budget: int | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """The defaults, changed by ``STS_TRANSLATION_RATE``, ``_TIMEOUT``, ``_TRIES``, ``_BUDGET``.

        Raises:
            StsError: one of them is not a number in its range.
        """
        return cls(
            rate=_above_zero(environment, "STS_TRANSLATION_RATE", cls.rate),
            timeout=_above_zero(environment, "STS_TRANSLATION_TIMEOUT", cls.timeout),
            tries=_whole(environment, "STS_TRANSLATION_TRIES", cls.tries, least=1),
            budget=_whole(environment, "STS_TRANSLATION_BUDGET", cls.budget, least=0),
        )


def _above_zero(environment: Mapping[str, str], variable: str, default: T) -> float | T:
    value = environment.get(variable, "").strip()
    if not value:
        return default
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:  # NaN is not, either
        raise _not_a_number(variable, value, "a number above 0")
    return number


def _whole(environment: Mapping[str, str], variable: str, default: T, least: int) -> int | T:
    value = environment.get(variable, "").strip()
    if not value:
        return default
    # Not isdigit, which takes a superscript two for a digit; and no number of the
    # length at which int refuses.
    if not (value.isascii() and value.isdecimal() and len(value) < 19 and int(value) >= least):
        raise _not_a_number(variable, value, f"a whole number from {least}")
    return int(value)


def _not_a_number(variable: str, value: str, expected: str) -> StsError:
    return StsError(f"{variable} is {value[:40]!r}, expected {expected}; change it or unset it")


class Pace:
    """At most ``rate`` requests a second: each waits until 1/rate has passed since the last."""

    def __init__(self, rate: float) -> None:
        self._gap = 1 / rate
        self._last: float | None = None

    def wait(self, clock: Clock) -> None:
        """Return when the next request may start."""
        if self._last is not None:
            # A clock that was set back must not hold the run up for hours.
            left = min(self._gap, self._last + self._gap - clock.time())
            if left > 0:
                clock.sleep(left)
        self._last = clock.time()


class Budget:
    """The characters that may still be sent to one engine.

    Args:
        limit: None is no limit.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self.spent = 0

    def spend(self, name: str, characters: int) -> None:
        """Note that so many are about to be sent.

        Raises:
            BudgetError: they would exceed the budget; nothing was noted.
        """
        if self._limit is not None and self.spent + characters > self._limit:
            raise BudgetError(
                f"{name}: {self.spent} of the budget of {self._limit} characters are used, the "
                f"next request has {characters}; raise STS_TRANSLATION_BUDGET to go on"
            )
        self.spent += characters

    def give_back(self, characters: int) -> None:
        """Note that the engine did not take them."""
        self.spent -= characters


@dataclass(frozen=True)
class Meter:
    """The pace and the budget of one engine."""

    pace: Pace
    budget: Budget


@cache
def meter_of(name: str, rate: float, budget: int | None) -> Meter:
    """The one meter that every translator of this process shares for an engine.

    A run opens a translator for each data set; the engine sees one visitor.
    """
    del name  # of the engine: a part of what the cache looks it up by
    return Meter(Pace(rate), Budget(budget))


class Patience:
    """Sends one request after the other, and each again while its fault may pass.

    After the n-th fault it waits a random share, from half to all, of
    ``FIRST_WAIT * 2**(n - 1)`` seconds, so that visitors who failed together do
    not come back together; or as long as the engine asks, if that is longer.

    Args:
        name: of the engine, for messages.
        tries: how often a request is sent at most.
        meter: its pace and budget.
        clock: time and sleep.
        chance: draws the share.
    """

    def __init__(
        self,
        name: str,
        tries: int,
        meter: Meter,
        clock: Clock = time,
        chance: random.Random | None = None,
    ) -> None:
        self._name = name
        self._tries = tries
        self._meter = meter
        self._clock = clock
        self._chance = chance or random.Random()

    def call(self, request: Callable[[], T], text: str, characters: int) -> T:
        """What ``request`` returns.

        Args:
            request: sends it once.
            text: what a message shows of it.
            characters: what it takes off the budget. A try that the engine turned down
                is not counted; one without a whole answer is, for it may be billed.

        Raises:
            BudgetError: sending it would exceed the budget.
            TranslationError: whatever ``request`` raised; of a :class:`TemporaryError` the last.
        """
        for failed in range(1, self._tries + 1):
            self._meter.budget.spend(self._name, characters)
            self._meter.pace.wait(self._clock)
            try:
                return request()
            except TemporaryError as error:
                if not error.billed:
                    self._meter.budget.give_back(characters)
                wait = self._wait_after(failed, error.wait)
                if failed == self._tries or wait > LONGEST_WAIT:
                    raise _final(error, failed, wait, text) from None
                self._clock.sleep(wait)
        raise AssertionError("tries is at least 1")

    def _wait_after(self, failed: int, asked: float | None) -> float:
        doubled = FIRST_WAIT * 2.0 ** min(failed - 1, 20)  # any more is no float
        own = min(LONGEST_WAIT, doubled) * self._chance.uniform(0.5, 1)
        return max(own, asked or 0.0)


def _final(error: TemporaryError, tries: int, wait: float, text: str) -> TemporaryError:
    """The same kind of error, which now says how often it was tried and with what."""
    advice = f", and asks to wait {wait:.0f} s" if wait > LONGEST_WAIT else ""
    times = "once" if tries == 1 else f"{tries} times"
    return type(error)(f"{error}{advice} (asked {times}, with {shorten(text)})")
