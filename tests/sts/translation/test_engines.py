"""Every translation service over real HTTP: what is sent, what comes back, what goes wrong."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from semaniacs.sts.errors import MissingResourceError, StsError
from semaniacs.sts.offline import OFFLINE
from semaniacs.sts.translation import (
    CachedTranslator,
    TranslationError,
    TranslationMemory,
    get_translator,
)
from semaniacs.sts.translation.engines import ENGINES, open_engine
from semaniacs.sts.translation.online import OnlineProvider
from semaniacs.sts.translation.translator import (
    BadAnswerError,
    RejectedError,
    TemporaryError,
    UnknownPairError,
)
from tests.sts.running import python
from tests.sts.translation.fakes import plain
from tests.sts.translation.local_service import Service, serving

requests = pytest.importorskip("requests")

KEYS = {"DEEPL_API_KEY": "deepl-s3cret/+:fx", "LIBRE_API_KEY": "libre-s3cret"}

BLIND = {"google": {"latin_1"}}
"""Faults that go unnoticed: deep-translator guesses the encoding of a page."""


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every wait, which takes no time; keys for every service are set."""
    for variable, key in KEYS.items():
        monkeypatch.setenv(variable, key)
    for variable in ("STS_LIBRE_URL", OFFLINE):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(variable, "127.0.0.1")
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    return waits


@pytest.fixture(params=ENGINES)
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A service on this machine, to which every request on the network goes."""
    if request.param == "google":
        pytest.importorskip("deep_translator")
    adapter = requests.adapters.HTTPAdapter
    send = adapter.send

    def redirected(self: Any, request: Any, **options: Any) -> Any:
        _, _, host, path = request.url.split("/", 3)
        assert request.url.startswith(("https://", "http://127.0.0.1:"))
        request.url = f"{running.address}/{path}"
        request.headers["X-Host"] = host
        return send(self, request, **options)

    with serving(request.param) as running:
        monkeypatch.setattr(adapter, "send", redirected)
        yield running


def only(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("service", names, indirect=True)


def engine(
    service: Service, tries: int = 7, timeout: float = 30.0, batch: int = 1
) -> OnlineProvider:
    made = open_engine(service.name)
    made.rate, made.tries, made.timeout, made.batch = 1e9, tries, timeout, batch
    return made


def ask(service: Service, *texts: str, batch: int = 1) -> list[str]:
    return plain(engine(service, batch=batch).translate(texts, "es", "en"))


# What is sent and what comes back


def test_each_text_has_its_translation(service: Service) -> None:
    texts = ["hola", " a\0b\tc\ud800\n", "adiós mundo"]
    assert ask(service, *texts) == ["HOLA", "A B C?", "ADIÓS MUNDO"]
    assert service.sent == ["hola", "a b c?", "adiós mundo"]


@only("deepl", "libre")
def test_a_request_contains_several_texts_up_to_both_limits(service: Service) -> None:
    provider = open_engine(service.name)
    provider.rate = 1e9
    texts = [f"uno {n}" for n in range(provider.batch + 1)] + ["a" * (provider.longest - 6), "dos"]
    assert plain(provider.translate(texts, "es", "en")) == [text.upper() for text in texts]
    assert service.sent == texts
    assert len(service.requests) == 3


@only("deepl", "libre")
@pytest.mark.parametrize("fault", ["empty", "half"])
def test_after_a_fault_with_several_texts_each_is_sent_alone(service: Service, fault: str) -> None:
    service.faults = [fault]
    assert ask(service, "uno", "dos", batch=9) == ["UNO", "DOS"]
    assert service.sent == ["uno", "dos", "uno", "dos"]


@pytest.mark.parametrize(
    ("service", "fields"),
    [
        ("google", {"sl": "en", "tl": "es"}),
        ("deepl", {"source_lang": "en", "target_lang": "es", "path": "/v2/translate"}),
        ("libre", {"source": "en", "target": "es", "format": "text", "path": "/translate"}),
    ],
    indirect=["service"],
)
def test_the_request_is_as_the_service_documents_it(service: Service, fields: Any) -> None:
    assert list(engine(service).translate(["house"], "en", "es")) == [("HOUSE", ())]
    assert fields.items() <= service.requests[-1].items()


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
    assert request["headers"]["X-Host"] == host
    assert request["headers"]["Authorization"] == f"DeepL-Auth-Key {key}"


def test_no_address_contains_a_key_and_no_log_either(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    service.faults = ["error"]
    ask(service, "adiós")
    assert "connectionpool" in caplog.text  # it logs every address
    for written in (caplog.text, *(request["path"] for request in service.requests)):
        assert "s3cret" not in written


def test_a_text_that_is_too_long_is_refused(service: Service) -> None:
    provider = engine(service)
    with pytest.raises(RejectedError, match=rf"{service.name} accepts .*; split the text"):
        list(provider.translate(["a" * (provider.longest + 1)], "es", "en"))
    assert service.requests == []


# Faults


@pytest.mark.parametrize("fault", ["slow_down", "time_out", "truncate", "reset", "empty"])
def test_after_a_temporary_fault_everything_is_there_once(
    service: Service, memory: TranslationMemory, fault: str
) -> None:
    if fault in BLIND.get(service.name, ()):
        pytest.skip("this service cannot tell")
    service.faults = ["", fault, fault]
    texts = ["uno", "dos", "tres"]
    provider = engine(service, timeout=0.3 if fault == "time_out" else 30.0)
    found = CachedTranslator(provider, memory).translate(texts, "es", "en")
    assert plain(found) == ["UNO", "DOS", "TRES"]
    assert service.given == dict.fromkeys(texts, 1)


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("error", TemporaryError, r"answered (500 \(Cannot translate text: out of|with an error)"),
        ("time_out", TemporaryError, "did not answer in time"),
        ("half", BadAnswerError, "the answer is not JSON, or is cut off|cannot read|no transl"),
        ("latin_1", BadAnswerError, "the answer is not UTF-8"),
        ("page", BadAnswerError, "the answer is an HTML page|cannot read"),
        ("null", BadAnswerError, "contains no translation|cannot read"),
    ],
)
def test_a_fault_that_stays_is_named_and_what_came_before_is_kept(
    service: Service, memory: TranslationMemory, fault: str, kind: type[Exception], says: str
) -> None:
    if fault in BLIND.get(service.name, ()):
        pytest.skip("this service cannot tell")
    service.faults = ["", *[fault] * 9]
    texts = ["uno", "dos", "tres"]
    failing = engine(service, tries=2, timeout=0.3 if fault == "time_out" else 30.0)
    with pytest.raises(kind) as caught:
        CachedTranslator(failing, memory).translate(texts, "es", "en")
    assert caught.match(rf"^{service.name}.*({says}).*\(tried 2 times, with 'dos'\)")
    assert caught.match("1 of 3 texts were translated and are stored in")
    service.faults = []
    found = CachedTranslator(engine(service), memory).translate(texts, "es", "en")
    assert plain(found) == ["UNO", "DOS", "TRES"]
    assert service.given == {"uno": 1, "dos": 1, "tres": 1}


@only("deepl", "libre")
@pytest.mark.parametrize(
    ("status", "headers", "kind", "says"),
    [
        (456, {}, TranslationError, "456: its quota is used up"),
        (301, {"Location": "http://127.0.0.1:9/"}, RejectedError, "answered 301: it has moved"),
    ],
)
def test_a_refusal_is_not_repeated(
    service: Service, status: int, headers: dict[str, str], kind: type[Exception], says: str
) -> None:
    service.replies = [(status, {}, headers)]
    with pytest.raises(kind, match=says):
        ask(service, "hola")
    assert service.sent == ["hola"]


@only("deepl", "libre")
def test_a_key_that_the_service_repeats_is_cut_out(service: Service) -> None:
    key = KEYS[f"{service.name.upper()}_API_KEY"]
    service.replies = [(401, {"error": {"message": f"key {key} is\n unknown"}}, {})]
    with pytest.raises(TranslationError, match=r"answered 401 \(key \*\*\* is unknown\)"):
        ask(service, "hola")


# Waits


@only("libre")
def test_the_waits_double_and_vary(service: Service, slept: list[float]) -> None:
    service.faults = ["error"] * 4
    assert ask(service, "hola") == ["HOLA"]
    waits = [wait for wait in slept if wait > 1e-3]
    assert len(waits) == 4
    assert all(2**n <= wait <= 2**n + 1 for n, wait in enumerate(waits))


# What must be there


@only("google", "deepl")
def test_languages_that_it_does_not_have_are_named(service: Service) -> None:
    with pytest.raises(UnknownPairError, match=f"{service.name} is not used for es->"):
        list(engine(service).translate(["hola"], "es", "xx"))


@only("google", "deepl")
def test_offline_nothing_is_sent(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OFFLINE, "1")
    with pytest.raises(MissingResourceError, match=rf"{service.name}.*SEMANIACS_OFFLINE=1 forbids"):
        ask(service, "hola")
    assert service.sent == []
    monkeypatch.setenv(OFFLINE, "0")
    assert ask(service, "hola") == ["HOLA"]


def test_the_address_and_the_key_of_libre_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving("libre") as server:
        monkeypatch.setenv("STS_LIBRE_URL", f"{server.address}/")
        translator = get_translator("libre", memory_folder=tmp_path)
        assert plain(translator.translate(["hola", "7"], "es", "en")) == ["HOLA", "7"]
    assert translator.signature()["provider"] == "libre"
    assert translator.version == f"LibreTranslate at 127.0.0.1:{server.server_port}"
    assert server.requests[0]["api_key"] == "libre-s3cret"


@pytest.mark.parametrize("address", ["localhost:5000", "http://a:s3cret@", "http://["])
def test_an_address_of_no_server_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STS_LIBRE_URL", address)
    with pytest.raises(StsError, match="STS_LIBRE_URL: '.*' is not the address") as caught:
        open_engine("libre")
    assert "s3cret" not in str(caught.value)


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("STS_LIBRE_URL", f"http://127.0.0.1:{free.getsockname()[1]}")
    gone = open_engine("libre")
    gone.tries = 2
    with pytest.raises(TemporaryError, match=r"libre cannot be reached.*network.*tried 2 times"):
        list(gone.translate(["hola"], "es", "en"))


@pytest.mark.parametrize(
    ("name", "environment", "says"),
    [
        ("libre", {"STS_LIBRE_URL": "nowhere"}, "is not the address of a server"),
        ("deepl", {"DEEPL_API_KEY": ""}, "set DEEPL_API_KEY"),
    ],
)
def test_bad_input_ends_in_one_line_and_code_2(
    tmp_path: Path, name: str, environment: dict[str, str], says: str
) -> None:
    words = ["translate", "translate", "-", "--from", "es", "--to", "en", "--translator", name]
    environment = {"STS_CACHE": str(tmp_path), **environment}
    done = python("-m", "semaniacs", *words, stdin="hola\n", environment=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert says in done.stderr
