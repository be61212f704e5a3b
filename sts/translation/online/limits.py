"""How a service is called: not too fast, again after a temporary fault, within a budget."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sts.command_line import COUNT, POSITIVE, SECONDS, SEED
from sts.errors import StsError
from sts.translation.online.faults import BudgetError, TemporaryError, shorten

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

LONGEST_WAIT = 120.0
"""Seconds between two tries at most. A service that asks for more is not tried again."""


@dataclass(frozen=True)
class Settings:
    """Limits that a user can set for all services.

    Attributes:
        rate: requests per second, above 0; None is the default of the service.
        timeout: seconds to wait for a connection and for each part of an answer, above 0; a whole
            answer may take four times as long.
        tries: how often a request is sent at most, from 1.
        budget: characters that one run may send to one service; None is no limit.
    """

    rate: float | None = None
    timeout: float = 30.0
    tries: int = 5
    budget: int | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """``STS_TRANSLATION_RATE``, ``_TIMEOUT``, ``_TRIES`` and ``_BUDGET``, else the defaults.

        Raises:
            StsError: one of them is not a number in its range.
        """

        def read(name: str, kind: click.ParamType[Any], default: Any, expected: str) -> Any:
            variable = f"STS_TRANSLATION_{name}"
            value = environment.get(variable, "").strip()
            try:
                return kind.convert(value, None, None) if value else default
            except click.BadParameter:
                raise StsError(
                    f"{variable} is {value[:40]!r}, expected {expected}; change it or unset it"
                ) from None

        return cls(
            rate=read("RATE", POSITIVE, cls.rate, "a number above 0"),
            timeout=read("TIMEOUT", SECONDS, cls.timeout, "a number above 0, in seconds"),
            tries=read("TRIES", COUNT, cls.tries, "a whole number from 1"),
            budget=read("BUDGET", SEED, cls.budget, "a whole number from 0"),
        )


class Limits:
    """Sends the requests of one service, one after the other, at most ``rate`` a second.

    After a :class:`.TemporaryError` a request is sent again: after 1 second, then 2, 4, 8 …, each
    plus a random part of a second, or after as long as the service asks if that is longer.
    ``name`` is for messages; the others are those of :class:`Settings`.
    """

    def __init__(
        self, name: str, rate: float, tries: int = Settings.tries, budget: int | None = None
    ) -> None:
        self.name = name
        self.tries = tries
        self.budget = budget
        self.spent = 0
        self._gap = 1 / rate
        self._next = 0.0

    def call(self, request: Callable[[], T], texts: Sequence[str]) -> T:
        """The result of ``request``, a function that sends ``texts`` once.

        A try that the service turned down is given back to the budget; one without a complete
        answer is not, because it may have been billed.

        Raises:
            BudgetError: the budget does not allow to send the texts.
            TranslationError: the error of ``request``; the last one if it was temporary.
        """
        from tenacity import (
            Retrying,
            retry_if_exception_type,
            stop_after_attempt,
            wait_exponential_jitter,
        )

        backoff, last = wait_exponential_jitter(max=LONGEST_WAIT), stop_after_attempt(self.tries)
        retrying = Retrying(
            retry=retry_if_exception_type(TemporaryError),
            wait=lambda state: max(backoff(state), _retry_after(state)),
            stop=lambda state: last(state) or _retry_after(state) > LONGEST_WAIT,
            reraise=True,
        )
        try:
            result: T = retrying(self._send_once, request, sum(map(len, texts)))
            return result
        except TemporaryError as error:
            tries = retrying.statistics["attempt_number"]
            times = "once" if tries == 1 else f"{tries} times"
            wait = error.retry_after or 0.0
            advice = f", and asks to wait {wait:.0f} s" if wait > LONGEST_WAIT else ""
            raise type(error)(
                f"{error}{advice} (tried {times}, with {shorten(texts[0])})"
            ) from None

    def _send_once(self, request: Callable[[], T], characters: int) -> T:
        if self.budget is not None and self.spent + characters > self.budget:
            raise BudgetError(
                f"{self.name}: {self.spent} of the budget of {self.budget} characters are used, "
                f"the next request has {characters}; raise STS_TRANSLATION_BUDGET to go on"
            )
        self.spent += characters
        time.sleep(max(0.0, self._next - time.monotonic()))
        self._next = time.monotonic() + self._gap
        try:
            return request()
        except TemporaryError as error:
            if not error.billed:
                self.spent -= characters
            raise


def _retry_after(state: RetryCallState) -> float:
    """The seconds that the service asked to wait; 0 if it did not."""
    error = state.outcome.exception() if state.outcome else None
    return getattr(error, "retry_after", None) or 0.0


shared_limits = cache(Limits)
"""One object for the whole process: a run opens a translator for each data set."""
