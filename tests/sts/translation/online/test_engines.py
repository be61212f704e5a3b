"""Every translation service over real HTTP: what is sent, what comes back, what goes wrong."""

from __future__ import annotations

import logging
import random
from pathlib import Path

import pytest

from sts.errors import MissingResourceError, StsError
from sts.offline import OFFLINE
from sts.translation import CachedTranslator, TranslationError, TranslationMemory, get_translator
from sts.translation.online.engines import ENGINES, open_engine
from sts.translation.online.faults import (
    BadAnswerError,
    BudgetError,
    BusyError,
    KeyRefusedError,
    QuotaError,
    RejectedError,
    UnknownPairError,
    UnreachableError,
)
from sts.translation.online.limits import Settings, shared_limits
from sts.translation.online.service import OnlineProvider
from sts.translation.online.splitting import Load
from tests.sts.translation.fakes import plain
from tests.sts.translation.online.conftest import KEYS
from tests.sts.translation.online.local_service import FAULTS, Service

FAST = 1e9

BLIND = {"google": {"latin_1"}}
"""Faults that go unnoticed: deep-translator guesses the encoding of a page."""

ENGLISH_TO_SPANISH = {
    "google": {"sl": "en", "tl": "es"},
    "deepl": {"source_lang": "en", "target_lang": "es"},
    "libre": {"source": "en", "target": "es", "format": "text"},
}
"""Fields of each service's request."""


def only(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("service", names, indirect=True)


def engine(
    service: Service, *, tries: int = 5, budget: int | None = None, timeout: float = 30.0
) -> OnlineProvider:
    made = open_engine(service.name)
    made.settings = Settings(FAST, timeout, tries, budget)
    return made


def ask(service: Service, *texts: str, **settings: int) -> list[str]:
    found = engine(service, **settings).translate(texts, "es", "en")  # type: ignore[arg-type]
    return [translation.text for translation in found]


# What is sent and what comes back


def test_each_text_has_its_translation(service: Service) -> None:
    assert ask(service, "hola", "adiós mundo", "hola") == ["HOLA", "ADIÓS MUNDO", "HOLA"]
    assert set(service.sent) == {"hola", "adiós mundo"}


def test_the_languages_are_named_as_the_service_names_them(service: Service) -> None:
    assert list(engine(service).translate(["house"], "en", "es")) == [("HOUSE", ())]
    assert ENGLISH_TO_SPANISH[service.name].items() <= service.requests[-1].items()


def test_no_address_holds_a_key_and_no_log_either(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ask(service, "hola")
    service.faults = ["error"]
    ask(service, "adiós")
    assert "connectionpool" in caplog.text  # it logs every address
    for written in (caplog.text, *(request["path"] for request in service.requests)):
        assert "s3cret" not in written


@only("deepl")
@pytest.mark.parametrize(
    ("key", "host"), [("abc:fx", "api-free.deepl.com"), ("abc", "api.deepl.com")]
)
def test_deepl_has_two_servers_and_the_key_in_a_header(
    service: Service, monkeypatch: pytest.MonkeyPatch, key: str, host: str
) -> None:
    monkeypatch.setenv("DEEPL_API_KEY", key)
    ask(service, "hola")
    (request,) = service.requests
    assert (request["method"], request["path"]) == ("POST", "/v2/translate")
    assert request["headers"]["X-Host"] == host
    assert request["headers"]["Authorization"] == f"DeepL-Auth-Key {key}"


def test_what_holds_no_letter_is_not_sent(service: Service) -> None:
    assert ask(service, "", " ", "12 %", "😀", "...") == ["", " ", "12 %", "😀", "..."]
    assert service.requests == []


def test_white_space_around_stays_and_control_characters_become_spaces(service: Service) -> None:
    assert ask(service, " hola\n", "a\0b\tc\ud800") == [" HOLA\n", "A B C?"]
    assert service.sent == ["hola", "a b c?"]


def test_a_long_text_is_sent_in_sentences_that_fit(service: Service) -> None:
    load = engine(service).load
    sentence = "La niña comió doce peras maduras en el jardín."
    text = "  ".join([sentence] * (2 * load.size // len(sentence)))
    assert ask(service, text) == [text.upper()]
    pieces = service.sent
    assert len(pieces) >= 2
    assert all(len(piece) <= load.size for piece in pieces)
    assert all(piece.startswith("La niña") and piece.endswith("jardín.") for piece in pieces)


# Faults


@pytest.mark.parametrize("fault", FAULTS)
def test_after_a_temporary_fault_everything_is_there_once(
    service: Service, memory: TranslationMemory, fault: str
) -> None:
    if fault in BLIND.get(service.name, ()):
        pytest.skip("this service cannot tell")
    service.faults = ["", fault, fault]
    texts = [f"frase {word}" for word in "uno dos tres cuatro cinco".split()]
    provider = engine(service, timeout=0.3 if fault == "time_out" else 30.0)
    provider.load = Load(min(provider.load.texts, 2), 100)
    assert plain(CachedTranslator(provider, memory).translate(texts, "es", "en")) == [
        t.upper() for t in texts
    ]
    assert service.given == dict.fromkeys(texts, 1)


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("slow_down", BusyError, r"answered 429"),
        ("error", BusyError, r"answered (500 \(Cannot translate text: out of|with an error)"),
        ("time_out", UnreachableError, "did not answer in time"),
        ("truncate", BadAnswerError, "the answer was cut off"),
        ("half", BadAnswerError, "the answer is not JSON, or is cut off|cannot read|no transl"),
        ("latin_1", BadAnswerError, "the answer is not UTF-8"),
        ("reset", UnreachableError, "broke the connection; is there a network"),
        ("empty", BadAnswerError, "gave no translation for 1 of 1|cannot read"),
        ("page", BadAnswerError, "the answer is an HTML page|cannot read"),
        ("page_inside", BadAnswerError, "gave no translation for 1 of 1"),
        ("null", BadAnswerError, "the answer holds no translation|cannot read"),
    ],
)
def test_a_fault_that_stays_is_named_and_what_came_before_is_kept(
    service: Service, memory: TranslationMemory, fault: str, kind: type[Exception], says: str,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    if fault in BLIND.get(service.name, ()):
        pytest.skip("this service cannot tell")
    caplog.set_level(logging.DEBUG)
    service.faults = ["", *[fault] * 9]
    texts = ["uno", "dos", "tres"]
    failing = engine(service, tries=2, timeout=0.3 if fault == "time_out" else 30.0)
    failing.load = Load(1, 100)
    with pytest.raises(kind) as caught:
        CachedTranslator(failing, memory).translate(texts, "es", "en")
    assert caught.match(rf"^{service.name}.*({says}).*\(tried 2 times, with 'dos'\)")
    assert caught.match("1 of 3 texts were translated and are kept in")
    for written in (str(caught.value), caplog.text, memory.path.read_text()):
        assert "s3cret" not in written
    service.faults = []
    assert plain(CachedTranslator(engine(service), memory).translate(texts, "es", "en")) == [
        "UNO",
        "DOS",
        "TRES",
    ]
    assert service.given == {"uno": 1, "dos": 1, "tres": 1}


DIRECT = tuple(name for name in ENGINES if name != "google")


@only(*DIRECT)
@pytest.mark.parametrize(
    ("status", "headers", "kind", "says"),
    [
        (429, {"Retry_After": "9999"}, BusyError, r"asks to wait 9999 s \(tried once"),
        (401, {}, KeyRefusedError, "answered 401: it refuses the key"),
        (456, {}, QuotaError, "456: its quota is used up"),
        (400, {}, RejectedError, "answered 400"),
        (301, {"Location": "http://127.0.0.1:9/"}, RejectedError, "answered 301: it has moved"),
    ],
)
def test_a_refusal_is_not_repeated(
    service: Service, status: int, headers: dict[str, str], kind: type[Exception], says: str
) -> None:
    service.replies = [(status, {}, headers)]
    with pytest.raises(kind, match=says):
        ask(service, "hola")
    assert service.texts == [["hola"]]


@only(*DIRECT)
def test_retry_after_is_waited_for(service: Service, slept: list[float]) -> None:
    service.faults = ["slow_down"]
    assert ask(service, "hola") == ["HOLA"]
    assert [wait for wait in slept if wait > 0.1] == [7.0]


@only("deepl", "libre")
def test_a_key_that_the_service_repeats_is_cut_out(service: Service) -> None:
    key = KEYS[f"{service.name.upper()}_API_KEY"]
    service.replies = [(401, {"error": {"message": f"key {key} is\n unknown"}}, {})]
    with pytest.raises(KeyRefusedError, match=r"answered 401 \(key \*\*\* is unknown\)"):
        ask(service, "hola")


def test_random_faults_lose_and_double_nothing(service: Service, memory: TranslationMemory) -> None:
    """Runs end half-way, and the next goes on; a stored text is never sent again."""
    chance = random.Random(7)
    quick = [f for f in FAULTS if f != "time_out" and f not in BLIND.get(service.name, ())]
    texts = [f"frase número {i}" for i in range(40)]
    runs = 0
    found: list[str] = []
    while not found:
        runs += 1
        service.faults = [chance.choice(["", *quick]) for _ in range(60)]
        memory.refresh()
        kept = {text for text in texts if memory.get(service.name, "es", "en", text)}
        seen = len(service.sent)
        provider = engine(service, tries=2)
        provider.load = Load(min(provider.load.texts, 7), 200)
        try:
            found = plain(CachedTranslator(provider, memory).translate(texts, "es", "en"))
        except TranslationError:
            found = []
        assert not kept & set(service.sent[seen:])
    assert runs > 1
    assert found == [text.upper() for text in texts]
    assert set(service.given) == set(texts)


# Budget, and what must be there


def test_the_budget_stops_a_run_which_goes_on_later(
    service: Service, memory: TranslationMemory
) -> None:
    provider = engine(service, budget=9)
    provider.load = Load(1, 100)
    with pytest.raises(BudgetError, match=r"7 of the budget of 9 .* 2 of 3 texts were translated"):
        CachedTranslator(provider, memory).translate(["uno", "doce", "seis"], "es", "en")
    assert service.texts == [["uno"], ["doce"]]
    shared_limits.cache_clear()  # as in a new process
    CachedTranslator(provider, memory).translate(["uno", "doce", "seis"], "es", "en")
    assert service.texts == [["uno"], ["doce"], ["seis"]]


def test_the_budget_is_one_for_all_translators_of_a_run(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STS_TRANSLATION_BUDGET", "9")
    first, second = (
        get_translator(service.name, memory_folder=tmp_path / name) for name in ("a", "b")
    )
    assert plain(first.translate(["hola"], "es", "en")) == ["HOLA"]
    with pytest.raises(BudgetError, match="4 of the budget of 9 characters are used"):
        second.translate(["adiós mundo"], "es", "en")


@only(*DIRECT, "google")
def test_languages_that_it_does_not_have_are_named(service: Service) -> None:
    provider = engine(service)
    pairs = (("es", "xx"),) if provider.languages is None else (("es", "xx"), ("es", "es"))
    for pair in pairs:
        with pytest.raises(UnknownPairError, match=service.name):
            list(provider.translate(["hola"], *pair))
    assert isinstance(UnknownPairError("x"), StsError)


@only("deepl")
def test_a_missing_key_is_named(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = engine(service).keys[-1]
    monkeypatch.setenv(variable, "")
    assert not engine(service).available()
    with pytest.raises(MissingResourceError, match=rf"{service.name} cannot be used.*{variable}"):
        ask(service, "hola")


@only("google", "deepl")
def test_offline_nothing_is_sent(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OFFLINE, "1")
    with pytest.raises(MissingResourceError, match=rf"{service.name}.*SEMANIACS_OFFLINE=1 forbids"):
        ask(service, "hola")
    assert service.sent == []
    monkeypatch.setenv(OFFLINE, "0")
    assert ask(service, "hola") == ["HOLA"]


@only("google")
def test_a_missing_package_is_named(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sts.translation.online.engines.google.find_spec", lambda name: None)
    with pytest.raises(MissingResourceError, match=r"install it: pip install 'semaniacs\[mt\]'"):
        ask(service, "hola")
