"""LibreTranslate over real HTTP: a server on this machine that speaks its interface."""

from __future__ import annotations

import json
import logging
import random
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sts.errors import MissingResourceError, StsError
from sts.translation import (
    Apertium,
    BadAnswerError,
    BudgetError,
    BusyError,
    KeyRefusedError,
    Libre,
    RejectedError,
    Remembered,
    Settings,
    TranslationError,
    TranslationMemory,
    UnknownPairError,
    UnreachableError,
    get_translator,
)
from sts.translation.online.rate_limit import Budget, Meter, Pace
from sts.translation.online.splitting import Load
from tests.sts.still import StillClock

pytest.importorskip("requests", reason="pip install requests")

ROOT = Path(__file__).parents[2]

Words = Callable[[Sequence[str], str, str], list[str]]


def upper(texts: Sequence[str], source: str, target: str) -> list[str]:
    return [text.upper() for text in texts]


def apertium(texts: Sequence[str], source: str, target: str) -> list[str]:
    return [found.text for found in Apertium().ask(texts, source, target)]


class Server(ThreadingHTTPServer):
    """What it was asked, and the faults that it is still to commit.

    Attributes:
        words: its translator.
        faults: names of methods of :class:`Handler`, one for each request to come.
        requests: the body of every request for translations.
        given: how often each text got a translation in an answer that was whole.
    """

    block_on_close = True

    def __init__(self, words: Words) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.words = words
        self.faults: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.given: Counter[str] = Counter()
        self.key: str | None = None
        self.most = 1000
        self.closing = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def texts(self) -> list[list[str]]:
        return [[r["q"]] if isinstance(r["q"], str) else r["q"] for r in self.requests]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone is what these tests are about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        both = [{"code": a, "name": a, "targets": [b]} for a, b in (("en", "es"), ("es", "en"))]
        self.answer(200, both if self.path == "/languages" else {"error": "Not found"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({**body, "path": self.path})
        fault = self.server.faults.pop(0) if self.server.faults else ""
        if fault:
            getattr(self, fault)(body)
        else:
            self.translate(body)

    def translate(self, body: dict[str, Any], empty: int = -1) -> None:
        texts = [body["q"]] if isinstance(body["q"], str) else body["q"]
        if self.server.key and body.get("api_key") != self.server.key:
            return self.answer(403, {"error": f"Invalid API key: {body.get('api_key')}"})
        if {body["source"], body["target"]} != {"en", "es"}:
            return self.answer(400, {"error": f"{body['target']} is not supported"})
        if sum(map(len, texts)) > self.server.most:
            return self.answer(400, {"error": "Invalid request: exceeds text limit"})
        assert body["format"] == "text"
        found = self.server.words(texts, body["source"], body["target"])
        if empty in range(len(found)):
            found[empty] = " "
        self.answer(200, {"translatedText": found if isinstance(body["q"], list) else found[0]})
        self.server.given.update(t for t, f in zip(texts, found, strict=True) if f.strip())
        return None

    def answer(self, status: int, body: object, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content_Length": str(len(raw)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()

    # The faults

    def slow_down(self, body: dict[str, Any]) -> None:
        self.answer(429, {"error": "Slowdown: 20 per 1 minute"}, Retry_After="7")

    def error(self, body: dict[str, Any]) -> None:
        self.answer(500, {"error": "Cannot translate text: out of memory"})

    def time_out(self, body: dict[str, Any]) -> None:
        self.server.closing.wait(0.5)
        self.close_connection = True

    def truncate(self, body: dict[str, Any]) -> None:
        self.answer(200, b'{"translatedText": "HO', Content_Length="40")
        self.close_connection = True

    def half_json(self, body: dict[str, Any]) -> None:
        self.answer(200, b'{"translatedText": "HO')

    def latin_1(self, body: dict[str, Any]) -> None:
        raw = json.dumps({"translatedText": "año señal"}, ensure_ascii=False).encode("latin-1")
        self.answer(200, raw, Content_Type="application/json")

    def reset(self, body: dict[str, Any]) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def empty(self, body: dict[str, Any]) -> None:
        self.translate(body, empty=0)

    def empty_last(self, body: dict[str, Any]) -> None:
        self.translate(body, empty=len(body["q"]) - 1 if isinstance(body["q"], list) else 0)

    def page(self, body: dict[str, Any]) -> None:
        self.answer(200, b"<!DOCTYPE html><title>Welcome</title>", Content_Type="text/html")

    def page_inside(self, body: dict[str, Any]) -> None:
        page = "<html><title>Bad gateway</title></html>"
        self.answer(
            200,
            {"translatedText": [page] * len(body["q"]) if isinstance(body["q"], list) else page},
        )

    def too_few(self, body: dict[str, Any]) -> None:
        self.answer(200, {"translatedText": []})

    def something_else(self, body: dict[str, Any]) -> None:
        self.answer(200, ["translatedText"])


FAULTS = [
    "slow_down", "error", "time_out", "truncate", "half_json", "latin_1", "reset", "empty",
    "empty_last", "page", "page_inside", "too_few", "something_else",
]  # fmt: skip


def serve(words: Words) -> Iterator[Server]:
    server = Server(words)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("STS_LIBRE_URL", "LIBRE_API_KEY", "STS_TRANSLATION_BUDGET"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Server]:
    yield from serve(upper)


@pytest.fixture
def memory(tmp_path: Path) -> TranslationMemory:
    return TranslationMemory(tmp_path / "m.jsonl")


def libre(server: Server, *, budget: int | None = None, tries: int = 5, **options: Any) -> Libre:
    return Libre(
        server.address,
        settings=Settings(timeout=0.15, tries=tries),
        meter=Meter(Pace(1e9), Budget(budget)),
        clock=options.pop("clock", StillClock()),
        **options,
    )


def ask(server: Server, *texts: str, **options: Any) -> list[str]:
    return [found.text for found in libre(server, **options).ask(texts, "es", "en")]


# What is sent and what comes back


def test_texts_are_sent_in_lists_as_documented(server: Server) -> None:
    texts = ["uno", "12 %", "dos", "😀", "tres", "cuatro"]
    assert ask(server, *texts, load=Load(3, 100)) == ["UNO", "12 %", "DOS", "😀", "TRES", "CUATRO"]
    assert [text for texts in server.texts for text in texts] == ["uno", "dos", "tres", "cuatro"]
    assert server.requests[0] == {
        "q": ["uno", "dos"],
        "source": "es",
        "target": "en",
        "format": "text",
        "path": "/translate",
    }
    assert server.requests[-1]["q"] in ("cuatro", ["tres", "cuatro"])


def test_hard_characters_survive_the_way(server: Server) -> None:
    texts = ['ñ "«»"\\ & <b>', "línea\u2028a\0b\r\nc\ud800", " 😀 perro 👨‍👩‍👧 ", "x" * 1500 + " y"]
    server.most = 10_000
    assert ask(server, *texts) == ['Ñ "«»"\\ & <B>', "LÍNEA A B  C?", *map(str.upper, texts[2:])]


def test_a_text_longer_than_the_server_takes_is_sent_in_sentences(server: Server) -> None:
    server.most = 60
    text = "  ".join(["La niña come una pera. ¡Y qué pera!"] * 9)
    assert ask(server, "hola", text, "adiós", load=Load(4, 60)) == ["HOLA", text.upper(), "ADIÓS"]


def test_a_server_that_wants_less_at_once_is_given_less(server: Server) -> None:
    server.most = 6
    assert ask(server, "uno", "dos", "tres", "cuatro") == ["UNO", "DOS", "TRES", "CUATRO"]
    with pytest.raises(RejectedError, match=r"libre answered 400 \(Invalid request: exceeds text"):
        ask(server, "demasiado")


def test_the_key_is_in_the_body_and_in_no_message(
    server: Server, caplog: pytest.LogCaptureFixture, memory: TranslationMemory
) -> None:
    caplog.set_level(logging.DEBUG)
    server.key = "s3cret"
    assert Remembered(libre(server, key="s3cret"), memory).translate(["uno"], "es", "en") == ["UNO"]
    server.key = "another"
    with pytest.raises(KeyRefusedError, match=r"403 \(Invalid API key: \*\*\*\): it refuses") as no:
        Remembered(libre(server, key="s3cret"), memory).translate(["dos"], "es", "en")
    for written in (str(no.value), caplog.text, memory.path.read_text()):
        assert "s3cret" not in written


def test_the_version_says_which_server_and_no_password() -> None:
    assert Libre("https://me:s3cret@mt.example:8443/libre/").version == (
        "LibreTranslate at mt.example:8443"
    )
    assert Libre(key="s3cret").version == "LibreTranslate at libretranslate.com"


def test_the_address_and_the_key_come_from_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STS_LIBRE_URL", f"{server.address}/")
    monkeypatch.setenv("LIBRE_API_KEY", "abc")
    monkeypatch.setenv("STS_TRANSLATION_RATE", "1000")
    translator = get_translator("libre", memory_folder=tmp_path)
    assert translator.translate(["hola", "7"], "es", "en") == ["HOLA", "7"]
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
    with pytest.raises(MissingResourceError, match=r"libre cannot.*STS_LIBRE_URL .*LIBRE_API_KEY"):
        list(Libre().ask(["hola"], "es", "en"))


def test_the_pairs_of_the_server_are_listed(server: Server) -> None:
    with pytest.raises(UnknownPairError, match="no pair es->tlh, it has: en->es, es->en"):
        list(libre(server).ask(["hola"], "es", "tlh"))


# Faults


@pytest.mark.parametrize("fault", FAULTS)
def test_after_a_fault_everything_is_there_once(
    server: Server, memory: TranslationMemory, fault: str
) -> None:
    server.faults = ["", fault, fault]
    texts = [f"frase {word}" for word in "uno dos tres cuatro cinco".split()]
    translator = Remembered(libre(server, load=Load(2, 100)), memory)
    assert translator.translate(texts, "es", "en") == [text.upper() for text in texts]
    assert server.given == dict.fromkeys(texts, 1)


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("slow_down", BusyError, r"answered 429 \(Slowdown: 20 per 1 minute\) \(asked 2 times"),
        ("error", BusyError, r"answered 500 \(Cannot translate text: out of memory\)"),
        ("time_out", UnreachableError, "libre did not answer in time"),
        ("truncate", BadAnswerError, "libre: the answer was cut off"),
        ("half_json", BadAnswerError, "the answer is no JSON, or is cut off"),
        ("latin_1", BadAnswerError, "the answer is not UTF-8"),
        ("reset", UnreachableError, "broke the connection; is there a network"),
        ("empty", BadAnswerError, "libre gave no translation for 1 of 1"),
        ("page", BadAnswerError, "the answer is a page of HTML"),
        ("too_few", BadAnswerError, "libre gave 0 translations for 1 texts"),
    ],
)
def test_a_fault_that_stays_is_told_and_what_came_before_it_is_kept(
    server: Server, memory: TranslationMemory, fault: str, kind: type[Exception], says: str
) -> None:
    server.faults = ["", *[fault] * 9]
    texts = ["uno", "dos", "tres"]
    failing = Remembered(libre(server, load=Load(1, 100), tries=2), memory)
    with pytest.raises(kind, match=rf"{says}.* 1 of 3 texts were translated and are kept in"):
        failing.translate(texts, "es", "en")
    server.faults = []
    assert Remembered(libre(server), memory).translate(texts, "es", "en") == ["UNO", "DOS", "TRES"]
    assert server.given == {"uno": 1, "dos": 1, "tres": 1}


def test_retry_after_is_waited_for(server: Server) -> None:
    clock = StillClock()
    server.faults = ["slow_down"]
    assert ask(server, "hola", clock=clock) == ["HOLA"]
    assert [wait for wait in clock.slept if wait > 0.1] == [7.0]


def test_one_empty_translation_does_not_cost_the_others(
    server: Server, memory: TranslationMemory
) -> None:
    server.words = lambda texts, *_: ["" if text == "mal" else text.upper() for text in texts]
    texts = ["uno", "dos", "mal", "tres"]
    with pytest.raises(BadAnswerError, match=r"for 1 of 1 .*'mal'.* 2 of 4 texts were translated"):
        Remembered(libre(server, tries=2), memory).translate(texts, "es", "en")
    server.words = upper
    assert Remembered(libre(server), memory).translate(texts, "es", "en") == [
        "UNO",
        "DOS",
        "MAL",
        "TRES",
    ]
    assert server.given["uno"] == server.given["dos"] == 1


def test_random_faults_lose_and_double_nothing(server: Server, memory: TranslationMemory) -> None:
    """Runs end half-way, and the next goes on; a stored text is never asked for again."""
    chance = random.Random(3)
    quick = [fault for fault in FAULTS if fault != "time_out"]
    texts = [f"frase número {i}" for i in range(120)]
    runs = 0
    found: list[str] = []
    while not found:
        runs += 1
        server.faults = [chance.choice(["", *quick, *quick]) for _ in range(30)]
        kept = {text for text in texts if memory.get("libre", "es", "en", text)}
        seen = len(server.texts)
        translator = Remembered(libre(server, load=Load(7, 200), tries=2), memory)
        try:
            found = translator.translate(texts, "es", "en")
        except TranslationError:
            found = []
        assert not kept & {text for asked in server.texts[seen:] for text in asked}
    assert runs > 2
    assert found == [text.upper() for text in texts]
    assert set(server.given) == set(texts)


def test_the_budget_stops_before_it_is_exceeded(server: Server, memory: TranslationMemory) -> None:
    with pytest.raises(BudgetError, match=r"6 of the budget of 8 .* 2 of 3 texts"):
        Remembered(libre(server, budget=8, load=Load(1, 9)), memory).translate(
            ["uno", "dos", "tres"], "es", "en"
        )
    assert server.given == {"uno": 1, "dos": 1}


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    gone = Libre(
        f"http://127.0.0.1:{port}",
        settings=Settings(tries=2),
        meter=Meter(Pace(1e9), Budget(None)),
        clock=StillClock(),
    )
    with pytest.raises(UnreachableError, match=r"libre cannot be reached.*network.*asked 2 times"):
        list(gone.ask(["hola"], "es", "en"))


def test_a_redirection_is_not_followed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Handler, "page", lambda self, body: self.answer(302, {}, Location="http://127.0.0.1:9/")
    )
    server.faults = ["page"] * 2
    with pytest.raises(RejectedError, match="answered 302: it has moved; give the address"):
        ask(server, "hola")


# With a real translator behind it, and from the command line


@pytest.fixture
def apertium_server() -> Iterator[Server]:
    if not Apertium().available():
        pytest.skip("apertium is not installed: apt-get install apertium-eng-spa")
    yield from serve(apertium)


def test_spanish_becomes_english(apertium_server: Server, memory: TranslationMemory) -> None:
    translator = Remembered(libre(apertium_server), memory)
    translator._provider._settings = Settings(timeout=30)  # type: ignore[attr-defined]
    apertium_server.faults = ["error", "latin_1"]
    texts = ["La casa roja.", "El perro come una manzana.", "7", "La casa roja."]
    expected = ["The red house.", "The dog eats an apple.", "7", "The red house."]
    assert translator.translate(texts, "es", "en") == expected
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
    server: Server, tmp_path: Path, name: str, to: str, environment: dict[str, str], says: str
) -> None:
    import os

    clean = {k: v for k, v in os.environ.items() if k != "DEEPL_API_KEY"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, name, str(tmp_path), to],
        env={**clean, "PYTHONPATH": str(ROOT), "STS_LIBRE_URL": server.address, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr
