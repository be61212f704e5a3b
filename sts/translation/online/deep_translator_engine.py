"""Translation engines on the network, through the deep-translator package."""

from __future__ import annotations

import html
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from threading import Lock
from types import ModuleType, SimpleNamespace
from typing import Any

from sts.errors import MissingResourceError
from sts.translation.online.engines import ENGINES, Engine
from sts.translation.online.faults import BadAnswerError, RejectedError, UnknownPairError, shorten
from sts.translation.online.http import Rules, exchange, is_page, open_session
from sts.translation.online.rate_limit import Clock, Meter, Patience, Settings, meter_of
from sts.translation.online.splitting import translate_in_pieces
from sts.translation.translator import Translation, TranslationError

_LANGUAGES = ("en", "es")
"""The languages of the task, ISO 639-1; every engine has them."""


class Online:
    """One engine of :data:`ENGINES`, asked text by text.

    Each control character of a text is sent as a space (see
    :func:`.splitting.cleaned`); white space around a text stays as it was.

    Args:
        name: one of :data:`ENGINES`.
        settings: None takes them from the environment.
        meter: pace and budget; None is the one that the process shares.
        clock: time and sleep.
    """

    chunk = 10  # what a kill loses is to be paid for again

    def __init__(
        self,
        name: str,
        settings: Settings | None = None,
        *,
        meter: Meter | None = None,
        clock: Clock = time,
    ) -> None:
        self.name = name
        self._engine = ENGINES[name]
        self._settings = settings or Settings.from_environment()
        rate = self._settings.rate or self._engine.rate
        meter = meter or meter_of(name, rate, self._settings.budget)
        self._patience = Patience(name, self._settings.tries, meter, clock)
        self._clock = clock

    @property
    def version(self) -> str:
        """The version of the package; the engines themselves do not tell theirs."""
        return f"deep-translator {installed_version('deep-translator')}"

    @property
    def install_hint(self) -> str:
        """How to install the package, if it is missing, and where to put a key that is needed."""
        missing = find_spec("deep_translator") is None
        parts = ["install it: pip install deep-translator"] if missing else []
        if self._engine.keys:
            parts.append(f"set {' and '.join(self._engine.keys.values())}")
        return ", and ".join(parts)

    def available(self) -> bool:
        """Whether the package is installed and every key is set; the network is not tried."""
        keys = self._engine.keys.values()
        return find_spec("deep_translator") is not None and all(map(os.environ.get, keys))

    def ask(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation for each text, in order, each as soon as it is there.

        Raises:
            MissingResourceError: the package or a key is missing.
            UnknownPairError: the languages are not English and Spanish.
            TranslationError: the engine failed, refused or gave nothing; see :mod:`.faults`.
        """
        if not self.available():
            raise MissingResourceError(f"{self.name} cannot be asked; {self.install_hint}")
        if {source, target} != set(_LANGUAGES):
            raise UnknownPairError(
                f"{self.name} is not asked for {source}->{target}; choose en->es or es->en"
            )
        with open_session() as session:
            client = _Client(self._engine, self._rules, session, self._settings.timeout)

            def send(pieces: list[str]) -> list[str]:
                (piece,) = pieces
                return [
                    self._patience.call(
                        lambda: client.translate(piece, source, target), piece, len(piece)
                    )
                ]

            yield from map(Translation, translate_in_pieces(texts, self._engine.load, send))

    @cached_property
    def _rules(self) -> Rules:
        return Rules(
            self.name,
            secrets=tuple(_from_environment(self._engine.keys).values()),
            quota=self._engine.quota,
            inner=self._engine.inner,
            clock=self._clock,
        )


class _Client:
    """The package's class for an engine, with its requests sent our way."""

    def __init__(self, engine: Engine, rules: Rules, session: Any, timeout: float) -> None:
        self._engine = engine
        self._rules = rules
        self._session = session
        self._timeout = timeout
        self._translator: Any = None

    def translate(self, text: str, source: str, target: str) -> str:
        """The translation of one text, asked for once."""
        module = import_module(self._engine.module)
        try:
            with _Redirected(module, self._send):
                # Some of the classes go on the network when they are made.
                if self._translator is None:
                    self._translator = self._make(module, source, target)
                answer = self._translator.translate(text)
        except TranslationError:
            raise
        except Exception as error:
            # The package lets errors of its parser and of its own through. Only
            # the kind is told: some messages hold the key.
            raise BadAnswerError(
                f"{self._rules.name} failed with {type(error).__name__}, on an answer that the "
                "package cannot read"
            ) from None
        return self._checked(answer)

    def _make(self, module: ModuleType, source: str, target: str) -> Any:
        engine = self._engine
        options = _from_environment({**engine.extras, **engine.keys})
        if engine.class_name == "DeeplTranslator":
            # The keys of free accounts end so, and have an address of their own.
            options["use_free_api"] = options["api_key"].endswith(":fx")
        return getattr(module, engine.class_name)(
            source=engine.codes.get(source, source),
            target=engine.codes.get(target, target),
            **options,
        )

    def _send(self, method: str, address: str, options: dict[str, Any]) -> Any:
        request = (method, address, options)
        if self._engine.rewrite is not None:
            request = self._engine.rewrite(request)
        method, address, options = request
        options["allow_redirects"] = not self._engine.keys  # a key goes nowhere else
        return exchange(
            lambda: self._session.request(method, address, timeout=self._timeout, **options),
            self._rules,
        )

    def _checked(self, answer: object) -> str:
        """``answer`` if it is a translation."""
        name = self._rules.name
        if not isinstance(answer, str) or not answer.strip():
            raise BadAnswerError(f"{name} gave no translation")
        if is_page(answer):
            raise BadAnswerError(f"{name} gave a page of HTML and no translation")
        if answer.startswith(self._engine.notices):
            raise RejectedError(f"{name} gave a notice and no translation: {shorten(answer)}")
        return html.unescape(answer) if self._engine.entities else answer


def _from_environment(variables: Mapping[str, str]) -> dict[str, Any]:
    """Argument to value, of the variables that are set."""
    return {name: os.environ[v] for name, v in variables.items() if os.environ.get(v)}


class _Redirected:
    """Inside ``with``, what a module calls ``requests`` is ours.

    The package sends without a time-out, follows no Retry-After and tells no
    status; so every request goes through ``send`` and comes back checked.
    """

    _one_at_a_time = Lock()

    def __init__(self, module: ModuleType, send: Callable[..., Any]) -> None:
        self._module: Any = module
        self._send = send

    def __enter__(self) -> None:
        self._one_at_a_time.acquire()
        self._theirs = self._module.requests
        self._module.requests = SimpleNamespace(
            get=lambda address, **options: self._send("GET", address, options),
            post=lambda address, **options: self._send("POST", address, options),
            exceptions=self._theirs.exceptions,
        )

    def __exit__(self, *_: object) -> None:
        self._module.requests = self._theirs
        self._one_at_a_time.release()
