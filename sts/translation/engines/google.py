"""Google Translate, without a key, by the deep-translator package."""

from __future__ import annotations

from importlib.metadata import version as installed_version
from importlib.util import find_spec

from semaniacs.sts.errors import how_to_install
from semaniacs.sts.offline import within
from semaniacs.sts.translation.online import OnlineProvider, network_faults
from semaniacs.sts.translation.translator import BadAnswerError, TemporaryError, TranslationError


class Google(OnlineProvider):
    """``deep_translator.GoogleTranslator``, with a time-out for the whole answer."""

    name = "google"
    install_hint = f"install it: {how_to_install('deep_translator')}"
    rate = 4.0  # the package reports that Google allows 5
    longest = 4999

    @property
    def version(self) -> str:
        """Version of the package; Google does not report its own."""
        return f"deep-translator {installed_version('deep-translator')}"

    def available(self) -> bool:
        """Return whether the package is installed."""
        return find_spec("deep_translator") is not None

    def send(self, texts: list[str], source: str, target: str) -> list[object]:
        """Send the only text once; errors of the package become ours."""
        from deep_translator import GoogleTranslator
        from deep_translator.exceptions import RequestError, TooManyRequests

        translator = GoogleTranslator(source=source, target=target)
        try:
            with network_faults("google"):
                return [within(self.timeout, lambda: translator.translate(texts[0]))]
        except TooManyRequests:
            raise TemporaryError("google answered 429, too many requests") from None
        except RequestError:
            raise TemporaryError("google answered with an error") from None
        except TranslationError:
            raise
        except Exception as error:  # of its HTML parser, for example
            raise BadAnswerError(
                f"google failed with {type(error).__name__}: the package cannot read the answer"
            ) from None


PROVIDER = Google
