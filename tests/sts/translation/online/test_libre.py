"""LibreTranslate: its address, its lists of texts, its languages, and a real translator behind."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sts.errors import MissingResourceError, StsError
from sts.translation import Apertium, CachedTranslator, TranslationMemory, get_translator
from sts.translation.online.engines.libre import Libre
from sts.translation.online.faults import (
    BadAnswerError,
    KeyRefusedError,
    RejectedError,
    UnknownPairError,
    UnreachableError,
)
from sts.translation.online.limits import Settings
from sts.translation.online.splitting import Load
from tests.sts.running import python
from tests.sts.translation.fakes import plain
from tests.sts.translation.online.local_service import Service, serving, upper


def apertium(texts: Sequence[str], source: str, target: str) -> list[str]:
    return [found.text for found in Apertium().translate(texts, source, target)]


@pytest.fixture(autouse=True)
def no_key(environment: None, slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIBRE_API_KEY", raising=False)


@pytest.fixture
def server() -> Iterator[Service]:
    with serving("libre") as running:
        yield running


def libre(server: Service, *, tries: int = 5, load: Load = Libre.load, key: str = "") -> Libre:
    made = Libre(server.address, key, settings=Settings(1e9, tries=tries))
    made.load = load
    return made


def ask(server: Service, *texts: str, load: Load = Libre.load) -> list[str]:
    return [found.text for found in libre(server, load=load).translate(texts, "es", "en")]


def test_texts_are_sent_in_lists_as_documented(server: Service) -> None:
    texts = ["uno", "12 %", "dos", "😀", "tres", "cuatro"]
    assert ask(server, *texts, load=Load(3, 100)) == ["UNO", "12 %", "DOS", "😀", "TRES", "CUATRO"]
    assert server.sent == ["uno", "dos", "tres", "cuatro"]
    sent = {name: value for name, value in server.requests[0].items() if name != "headers"}
    assert sent == {
        "q": ["uno", "dos"],
        "source": "es",
        "target": "en",
        "format": "text",
        "method": "POST",
        "path": "/translate",
    }
    assert server.requests[-1]["q"] in ("cuatro", ["tres", "cuatro"])


def test_hard_characters_survive_the_way(server: Service) -> None:
    texts = ['ñ "«»"\\ & <b>', "línea\u2028a\0b\r\nc\ud800", " 😀 perro 👨‍👩‍👧 ", "x" * 1500 + " y"]
    server.most = 10_000
    assert ask(server, *texts) == ['Ñ "«»"\\ & <B>', "LÍNEA A B  C?", *map(str.upper, texts[2:])]


def test_a_text_longer_than_the_server_takes_is_sent_in_sentences(server: Service) -> None:
    server.most = 60
    text = "  ".join(["La niña come una pera. ¡Y qué pera!"] * 9)
    assert ask(server, "hola", text, "adiós", load=Load(4, 60)) == ["HOLA", text.upper(), "ADIÓS"]


def test_a_server_that_wants_less_at_once_is_given_less(server: Service) -> None:
    server.most = 6
    assert ask(server, "uno", "dos", "tres", "cuatro") == ["UNO", "DOS", "TRES", "CUATRO"]
    with pytest.raises(RejectedError, match=r"libre answered 400 \(Invalid request: exceeds text"):
        ask(server, "demasiado")


def test_the_key_is_in_the_body_and_in_no_message(
    server: Service, caplog: pytest.LogCaptureFixture, memory: TranslationMemory
) -> None:
    caplog.set_level(logging.DEBUG)
    server.key = "s3cret"
    assert plain(
        CachedTranslator(libre(server, key="s3cret"), memory).translate(["uno"], "es", "en")
    ) == ["UNO"]
    server.key = "another"
    with pytest.raises(KeyRefusedError, match=r"403 \(Invalid API key: \*\*\*\): it refuses") as no:
        CachedTranslator(libre(server, key="s3cret"), memory).translate(["dos"], "es", "en")
    for written in (str(no.value), caplog.text, memory.path.read_text()):
        assert "s3cret" not in written


def test_the_version_says_which_server_and_no_password() -> None:
    assert Libre("https://me:s3cret@mt.example:8443/libre/").version == (
        "LibreTranslate at mt.example:8443"
    )
    assert Libre(key="s3cret").version == "LibreTranslate at libretranslate.com"


def test_the_address_and_the_key_come_from_the_environment(
    server: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STS_LIBRE_URL", f"{server.address}/")
    monkeypatch.setenv("LIBRE_API_KEY", "abc")
    monkeypatch.setenv("STS_TRANSLATION_RATE", "1000")
    translator = get_translator("libre", memory_folder=tmp_path)
    assert plain(translator.translate(["hola", "7"], "es", "en")) == ["HOLA", "7"]
    assert translator.signature()["provider"] == "libre"
    assert translator.version == f"LibreTranslate at 127.0.0.1:{server.server_port}"
    assert server.requests[0]["api_key"] == "abc"


@pytest.mark.parametrize(
    "address",
    ["localhost:5000", "ftp://x", "http://", "http://a:s3cret@", "http://x?k=s", "http://[", "x"],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(StsError, match="STS_LIBRE_URL: '.*' is not the address") as caught:
        Libre(address)
    assert "s3cret" not in str(caught.value)


def test_without_address_and_key_both_are_named() -> None:
    assert not Libre().available()
    with pytest.raises(
        MissingResourceError, match=r"libre cannot be used.*STS_LIBRE_URL .*LIBRE_API_KEY"
    ):
        list(Libre().translate(["hola"], "es", "en"))


def test_the_pairs_of_the_server_are_listed(server: Service) -> None:
    with pytest.raises(UnknownPairError, match="no pair es->tlh, it has: en->es, es->en"):
        list(libre(server).translate(["hola"], "es", "tlh"))


def test_one_empty_translation_does_not_cost_the_others(
    server: Service, memory: TranslationMemory
) -> None:
    server.translate = lambda texts, *_: ["" if text == "mal" else text.upper() for text in texts]
    texts = ["uno", "dos", "mal", "tres"]
    with pytest.raises(BadAnswerError, match=r"for 1 of 1 .*'mal'.* 2 of 4 texts were translated"):
        CachedTranslator(libre(server, tries=2), memory).translate(texts, "es", "en")
    server.translate = upper
    assert plain(CachedTranslator(libre(server), memory).translate(texts, "es", "en")) == [
        "UNO",
        "DOS",
        "MAL",
        "TRES",
    ]
    assert server.given["uno"] == server.given["dos"] == 1


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    gone = Libre(
        f"http://127.0.0.1:{port}",
        settings=Settings(tries=2),
    )
    with pytest.raises(UnreachableError, match=r"libre cannot be reached.*network.*tried 2 times"):
        list(gone.translate(["hola"], "es", "en"))


# With a real translator behind it, and from the command line


@pytest.fixture
def apertium_server() -> Iterator[Service]:
    if not Apertium().available():
        pytest.skip("apertium is not installed: apt-get install apertium-eng-spa")
    with serving("libre", apertium) as running:
        yield running


def test_spanish_becomes_english(apertium_server: Service, memory: TranslationMemory) -> None:
    translator = CachedTranslator(libre(apertium_server), memory)
    apertium_server.faults = ["error", "latin_1"]
    texts = ["La casa roja.", "El perro come una manzana.", "7", "La casa roja."]
    expected = ["The red house.", "The dog eats an apple.", "7", "The red house."]
    assert plain(translator.translate(texts, "es", "en")) == expected
    assert apertium_server.given == {texts[0]: 1, texts[1]: 1}


SCRIPT = """
import sys
from pathlib import Path
from sts.command_line import run_tool
from sts.translation import get_translator

def main():
    translator = get_translator(sys.argv[1], memory_folder=Path(sys.argv[2]))
    print(translator.translate(["hola"], "es", sys.argv[3]))

run_tool(main)
"""


@pytest.mark.parametrize(
    ("name", "to", "environment", "says"),
    [
        ("libre", "tlh", {}, "no pair es->tlh, it has: en->es, es->en"),
        ("libre", "en", {"STS_LIBRE_URL": "nowhere"}, "is not the address of a server"),
        ("libre", "en", {"STS_LIBRE_URL": ""}, "set STS_LIBRE_URL"),
        ("libre", "en", {"STS_TRANSLATION_BUDGET": "3"}, "0 of the budget of 3 characters"),
        ("libre", "en", {"STS_TRANSLATION_TRIES": "x"}, "STS_TRANSLATION_TRIES is 'x'"),
        ("deepl", "en", {}, "set DEEPL_API_KEY"),
        ("google,bing", "en", {}, "unknown translator 'bing'"),
    ],
)
def test_bad_input_ends_in_one_line_and_code_2(
    server: Service, tmp_path: Path, name: str, to: str, environment: dict[str, str], says: str
) -> None:
    settings = {"STS_LIBRE_URL": server.address, "DEEPL_API_KEY": "", **environment}
    done = python("-c", SCRIPT, name, tmp_path, to, environment=settings)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr
