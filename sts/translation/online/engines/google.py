"""Google Translate, without a key, by the deep-translator package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as installed_version
from importlib.util import find_spec

from sts.extras import how_to_install
from sts.offline import within
from sts.translation.online.faults import BadAnswerError, BusyError
from sts.translation.online.http import network_faults
from sts.translation.online.service import OnlineProvider, Send
from sts.translation.online.splitting import Load
from sts.translation.translator import TranslationError


class Google(OnlineProvider):
    """``deep_translator.GoogleTranslator``, one text per request.

    The package does not pass on the Retry-After of a refused request, and has no time-out of its
    own: here it holds for the whole answer.
    """

    name = "google"
    install_hint = f"install it: {how_to_install('deep_translator')}"
    rate = 4.0  # the package reports that Google allows 5
    load = Load(1, 4999)

    @property
    def version(self) -> str:
        """The version of the package; Google does not tell its own."""
        return f"deep-translator {installed_version('deep-translator')}"

    def available(self) -> bool:
        """Whether the package is installed."""
        return find_spec("deep_translator") is not None

    @contextmanager
    def connect(self, source: str, target: str) -> Iterator[Send]:
        """The package's translator; it opens a new connection for each text."""
        from deep_translator import GoogleTranslator

        translator = GoogleTranslator(source=source, target=target)

        def send(texts: list[str]) -> list[object]:
            with _package_faults():
                return [within(self.settings.timeout, lambda: translator.translate(texts[0]))]

        yield send


@contextmanager
def _package_faults() -> Iterator[None]:
    """Turns errors of the package into ours."""
    from deep_translator.exceptions import RequestError, TooManyRequests

    try:
        with network_faults("google"):
            yield
    except TooManyRequests:
        raise BusyError("google answered 429, too many requests") from None
    except RequestError:
        raise BusyError("google answered with an error") from None
    except TranslationError:
        raise
    except Exception as error:  # of its HTML parser, for example
        raise BadAnswerError(
            f"google failed with {type(error).__name__}: the package cannot read the answer"
        ) from None


PROVIDER = Google
