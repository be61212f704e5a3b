"""The engines of deep-translator: its own classes, with answers as the engines document them."""

from __future__ import annotations

import json
import logging
import random
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from sts.errors import MissingResourceError, StsError
from sts.translation import (
    BadAnswerError,
    BudgetError,
    BusyError,
    KeyRefusedError,
    Online,
    QuotaError,
    RejectedError,
    Remembered,
    Settings,
    TranslationError,
    TranslationMemory,
    UnknownPairError,
    UnreachableError,
)
from sts.translation.online import deep_translator_engine as online_module
from sts.translation.online.engines import ENGINES
from sts.translation.online.rate_limit import Budget, Meter, Pace
from tests.sts.still import StillClock

pytest.importorskip("deep_translator", reason="pip install deep-translator")
requests: ModuleType = pytest.importorskip("requests")

KEYS = {
    "DEEPL_API_KEY": "deepl-s3cret/+:fx",
    "MICROSOFT_API_KEY": "ms-s3cret",
    "BAIDU_APPID": "appid-s3cret",
    "BAIDU_APPKEY": "appkey-s3cret",
    "MYMEMORY_EMAIL": "me@s3cret.example",
}
NAMES = sorted(ENGINES)

GOOGLE = '<html><body><div class="result-container">{}</div></body></html>'


def good_body(name: str, text: str) -> str:
    """What the engine answers, in the form that its documentation shows."""
    dumps = partial(json.dumps, ensure_ascii=False)
    return {
        "google": GOOGLE.format(text),
        "mymemory": dumps({"responseData": {"translatedText": text}, "responseStatus": 200}),
        "microsoft": dumps([{"translations": [{"text": text, "to": "en"}]}]),
        "deepl": dumps({"translations": [{"text": text}]}),
        "baidu": dumps({"from": "spa", "to": "en", "trans_result": [{"dst": text}]}),
    }[name]


def text_of(name: str, options: dict[str, Any], address: str) -> str:
    """The text in a request."""
    fields = {**(options.get("params") or {}), **(options.get("data") or {})}
    if name == "microsoft":
        return str(options["json"][0]["text"])
    return str(fields["text" if name == "deepl" else "q"])


def response(status: int, body: str | bytes, **headers: str) -> Any:
    made = requests.Response()
    made.status_code = status
    made._content = body.encode() if isinstance(body, str) else body
    made.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return made


class Net:
    """A session whose answers are written here; it notes what was sent."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent: list[tuple[str, str, dict[str, Any]]] = []
        self.texts: list[str] = []
        self.faults: list[Any] = []

    def request(self, method: str, address: str, **options: Any) -> Any:
        assert options.pop("timeout") == 30.0
        self.sent.append((method, address, options))
        if "/languages" in address:
            return response(200, '{"translation": {"en": {"name": "English"}, '
                                 '"es": {"name": "Spanish"}}}')  # fmt: skip
        text = text_of(self.name, options, address)
        self.texts.append(text)
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, Exception):
            raise fault
        # Not "or": a Response with an error status is false.
        return response(200, good_body(self.name, text.upper())) if fault is None else fault


Make = Callable[..., Online]


@pytest.fixture(params=NAMES)
def net(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Net:
    for variable, key in KEYS.items():
        monkeypatch.setenv(variable, key)
    for variable in ("RATE", "TIMEOUT", "TRIES", "BUDGET"):
        monkeypatch.delenv(f"STS_TRANSLATION_{variable}", raising=False)
    found = Net(request.param)

    @contextmanager
    def session() -> Iterator[Net]:
        yield found

    monkeypatch.setattr(online_module, "open_session", session)
    return found


def only(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("net", names, indirect=True)


def engine(name: str, budget: int | None = None, **settings: Any) -> Online:
    meter = Meter(Pace(1e9), Budget(budget))
    return Online(name, Settings(**settings), meter=meter, clock=StillClock())


def ask(net: Net, *texts: str, **options: Any) -> list[str]:
    return [found.text for found in engine(net.name, **options).ask(texts, "es", "en")]


# What is sent and what comes back


def test_each_text_has_its_translation(net: Net) -> None:
    assert ask(net, "hola", "adiós mundo", "hola") == ["HOLA", "ADIÓS MUNDO", "HOLA"]
    assert net.texts == ["hola", "adiós mundo", "hola"]


def test_the_languages_are_the_engines_own(net: Net) -> None:
    assert list(engine(net.name).ask(["house"], "en", "es")) == [("HOUSE", ())]
    _, address, options = net.sent[-1]
    fields = {**parse_qs(urlsplit(address).query), **(options.get("params") or {})}
    fields |= options.get("data") or {}
    codes = {
        "google": {"sl": "en", "tl": "es"},
        "mymemory": {"langpair": "en-US|es-ES", "de": "me@s3cret.example"},
        "microsoft": {"from": "en", "to": "es", "api-version": ["3.0"]},
        "deepl": {"source_lang": "en", "target_lang": "es"},
        "baidu": {"from": "en", "to": "spa"},
    }[net.name]
    assert codes.items() <= fields.items()


def test_every_address_is_encrypted_and_holds_no_key(net: Net) -> None:
    ask(net, "hola")
    for _, address, options in net.sent:
        assert address.startswith("https://")
        if net.name != "mymemory":  # its only place for the e-mail address, which is no key
            assert "s3cret" not in address + str(options.get("params"))
        assert options["allow_redirects"] == (net.name in ("google", "mymemory"))


@only("deepl")
@pytest.mark.parametrize(
    ("key", "host"), [("abc:fx", "api-free.deepl.com"), ("abc", "api.deepl.com")]
)
def test_deepl_has_two_addresses_and_the_key_in_a_header(
    net: Net, monkeypatch: pytest.MonkeyPatch, key: str, host: str
) -> None:
    monkeypatch.setenv("DEEPL_API_KEY", key)
    ask(net, "hola")
    method, address, options = net.sent[0]
    assert (method, urlsplit(address).hostname) == ("POST", host)
    assert options["headers"] == {"Authorization": f"DeepL-Auth-Key {key}"}
    assert options["data"] == {"source_lang": "es", "target_lang": "en", "text": "hola"}


@only("microsoft")
def test_microsoft_gets_key_and_region(net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSOFT_REGION", "westeurope")
    ask(net, "hola", "mundo")
    headers = net.sent[-1][2]["headers"]
    assert headers["Ocp-Apim-Subscription-Key"] == "ms-s3cret"
    assert headers["Ocp-Apim-Subscription-Region"] == "westeurope"
    assert sum("/languages" in address for _, address, _ in net.sent) == 1


def test_what_holds_no_letter_is_not_sent(net: Net) -> None:
    assert ask(net, "", " ", "12 %", "😀", "...") == ["", " ", "12 %", "😀", "..."]
    assert net.sent == []


def test_white_space_around_stays_and_control_characters_become_spaces(net: Net) -> None:
    assert ask(net, " hola\n", "a\0b\tc\ud800") == [" HOLA\n", "A B C?"]
    assert net.texts == ["hola", "a b c?"]


def test_a_long_text_is_sent_in_sentences_that_fit(net: Net) -> None:
    load = ENGINES[net.name].load
    sentence = "La niña comió doce peras maduras en el jardín."
    text = "  ".join([sentence] * (2 * load.size // len(sentence)))
    assert ask(net, text) == [text.upper()]
    assert len(net.texts) >= 2
    assert all(load.measure(sent) <= load.size for sent in net.texts)
    assert all(sent.startswith("La niña") and sent.endswith("jardín.") for sent in net.texts)


def test_an_answer_is_utf_8_whatever_its_head_says(net: Net) -> None:
    for encoding in ("ISO-8859-1", None):
        answer = response(200, good_body(net.name, "«año» señal ñ"))
        answer.encoding = encoding
        net.faults = [answer]
        assert ask(net, "hola") == ["«año» señal ñ"]


@only("mymemory")
def test_entities_are_read(net: Net) -> None:
    net.faults = [response(200, good_body("mymemory", "It&#39;s &quot;good&quot;"))]
    assert ask(net, "hola") == ['It\'s "good"']


# Faults


def faults() -> list[Any]:
    return [
        response(429, "", Retry_After="3"),
        response(500, "<html>error</html>"),
        response(503, "{}"),
        requests.ConnectTimeout("s3cret"),
        requests.ReadTimeout("s3cret"),
        requests.ConnectionError("s3cret"),
        requests.exceptions.ChunkedEncodingError("s3cret"),
        requests.exceptions.ContentDecodingError("s3cret"),
        response(200, b"\xff\xfe not UTF-8"),
        response(200, '{"trunc'),
        response(200, "<!doctype html><p>Please come back later"),
        response(200, ""),
        response(200, "null"),
        response(200, "{}"),
        response(200, "[]"),
    ]


@pytest.mark.parametrize("place", range(len(faults())))
def test_a_fault_that_passes_costs_nothing_but_time(net: Net, place: int) -> None:
    fault = faults()[place]
    net.faults = [None, fault, fault]
    assert ask(net, "uno", "dos", "tres") == ["UNO", "DOS", "TRES"]
    assert net.texts == ["uno", "dos", "dos", "dos", "tres"]


def test_an_empty_translation_or_a_page_is_no_translation(net: Net) -> None:
    pages = ("", "  ", "&lt;!DOCTYPE html&gt;x" if net.name == "google" else "<!DOCTYPE html>x")
    for body in pages:
        net.faults = [response(200, good_body(net.name, body))] * 2
        assert ask(net, "hola") == ["HOLA"]
        net.faults = [response(200, good_body(net.name, body))] * 5
        with pytest.raises(BadAnswerError, match=rf"^{net.name} .*\(asked 5 times, with 'hola'\)"):
            ask(net, "hola")


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        (lambda: requests.ConnectionError("s3cret"), UnreachableError, "is there a network?"),
        (lambda: requests.ReadTimeout("s3cret"), UnreachableError, "did not answer in time"),
        (lambda: response(500, '{"error": {"message": "s3cret"}}'), BusyError, "answered 500"),
        (lambda: response(429, "", Retry_After="9999"), BusyError, "asks to wait 9999 s"),
        (lambda: response(401, "no"), KeyRefusedError, "answered 401: it refuses the key"),
        (lambda: response(456, ""), QuotaError, "456: its quota is used up"),
        (lambda: response(400, '{"error": "too long"}'), RejectedError, "answered 400"),
        (lambda: response(301, "", Location="http://s3cret"), RejectedError, "it has moved"),
        (lambda: requests.exceptions.InvalidURL("s3cret"), TranslationError, "with InvalidURL"),
    ],
)
def test_a_fault_that_stays_is_clear_and_holds_no_key(
    net: Net, fault: Callable[[], Any], kind: type[Exception], says: str,
    tmp_path: Path, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    net.faults = [None, *[fault() for _ in range(5)]]
    memory = TranslationMemory(tmp_path / "m.jsonl")
    with pytest.raises(kind) as caught:
        Remembered(engine(net.name), memory).translate(["uno", "dos", "tres"], "es", "en")
    message = "".join(traceback.format_exception_only(caught.value))
    assert message.count(net.name) and says in message
    assert "1 of 3 texts were translated and are kept" in message
    for written in (message, caplog.text, memory.path.read_text()):
        for key in (*KEYS.values(), "appkey"):
            assert key not in written
    net.faults, net.texts = [], []
    assert Remembered(engine(net.name), memory).translate(["tres", "uno", "dos"], "es", "en") == [
        "TRES",
        "UNO",
        "DOS",
    ]
    assert net.texts == ["tres", "dos"]


@only("microsoft", "deepl")
def test_a_key_that_the_engine_repeats_is_cut_out(net: Net) -> None:
    key = KEYS[f"{net.name.upper()}_API_KEY"]
    net.faults = [response(401, f'{{"error": {{"message": "key {key} is\\n unknown"}}}}')]
    with pytest.raises(KeyRefusedError, match=r"answered 401 \(key \*\*\* is unknown\)"):
        ask(net, "hola")


QUOTA = '{{"responseData": {{"translatedText": "{}"}}, "responseStatus": {}, "quotaFinished": {}}}'


@only("mymemory")
@pytest.mark.parametrize("status", [200, 429])
def test_mymemory_says_in_its_body_that_the_day_is_over(net: Net, status: int) -> None:
    notice = "MYMEMORY WARNING: YOU USED ALL AVAILABLE FREE TRANSLATIONS FOR TODAY."
    net.faults = [response(200, QUOTA.format(notice, "429", "true"))]
    with pytest.raises(QuotaError, match="mymemory answered 456.*quota is used up"):
        ask(net, "hola")
    net.faults = [response(200, QUOTA.format(notice, "200", "false"))]
    with pytest.raises(RejectedError, match="gave a notice and no translation: 'MYMEMORY WARNING"):
        ask(net, "hola")
    net.faults = [response(200, QUOTA.format("x", '"403"', "false"))]
    with pytest.raises(KeyRefusedError):
        ask(net, "hola")


@only("baidu")
@pytest.mark.parametrize(
    ("code", "kind"),
    [("54004", QuotaError), ("52003", KeyRefusedError), ("58001", RejectedError)],
)
def test_baidu_says_in_its_body_what_is_wrong(net: Net, code: str, kind: type[Exception]) -> None:
    net.faults = [response(200, f'{{"error_code": "{code}", "error_msg": "no"}}')]
    with pytest.raises(kind, match=r"\(no\)"):
        ask(net, "hola")
    net.faults = [response(200, '{"error_code": "54003", "error_msg": "slowly"}')]
    assert ask(net, "hola") == ["HOLA"]


@only("microsoft")
def test_microsoft_says_403_when_the_quota_is_gone(net: Net) -> None:
    net.faults = [response(403, '{"error": {"code": 403001, "message": "exceeded its quota"}}')]
    with pytest.raises(QuotaError, match="exceeded its quota"):
        ask(net, "hola")


def test_random_faults_lose_and_double_nothing(net: Net, tmp_path: Path) -> None:
    chance = random.Random(7)
    texts = [f"frase número {i} ¿{'x' * i}?" for i in range(40)]
    memory = TranslationMemory(tmp_path / "m.jsonl")
    runs = 0
    stored: list[str] = []
    while True:
        runs += 1
        net.faults = [chance.choice([None, *faults()]) for _ in range(60)]
        before, faulty = len(net.texts), list(net.faults)
        try:
            found = Remembered(engine(net.name, tries=2), memory).translate(texts, "es", "en")
        except TranslationError:
            found = None
        asked = net.texts[before:]
        answered = [t for t, f in zip(asked, [*faulty, *[None] * 99], strict=False) if f is None]
        assert not set(asked) & set(stored)
        stored += answered
        if found is not None:
            break
    assert runs > 1
    assert found == [text.upper() for text in texts]
    assert sorted(stored) == sorted(texts)


# Budget, and what must be there


def test_the_budget_stops_a_run_which_goes_on_later(net: Net, tmp_path: Path) -> None:
    memory = TranslationMemory(tmp_path / "m.jsonl")
    with pytest.raises(BudgetError, match=r"7 of the budget of 9 .* 2 of 3 texts were translated"):
        Remembered(engine(net.name, budget=9), memory).translate(
            ["uno", "doce", "seis"], "es", "en"
        )
    assert net.texts == ["uno", "doce"]
    Remembered(engine(net.name, budget=9), memory).translate(["uno", "doce", "seis"], "es", "en")
    assert net.texts == ["uno", "doce", "seis"]


def test_the_budget_of_the_environment_is_one_for_all_data_sets(
    net: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STS_TRANSLATION_BUDGET", "1234567")
    monkeypatch.setenv("STS_TRANSLATION_RATE", "1e6")
    assert list(Online(net.name).ask(["hola"], "es", "en")) == [("HOLA", ())]
    meter = Online(net.name)._patience._meter
    assert meter.budget.spent == 4


def test_pairs_that_exist_are_named(net: Net) -> None:
    for pair in (("es", "xx"), ("fr", "en"), ("es", "es")):
        with pytest.raises(UnknownPairError, match=rf"{net.name} is not asked for .*en->es or es"):
            list(engine(net.name).ask(["hola"], *pair))
    assert isinstance(UnknownPairError("x"), StsError)


@only("microsoft", "deepl", "baidu")
def test_a_missing_key_is_named(net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    variables: Sequence[str] = list(ENGINES[net.name].keys.values())
    monkeypatch.setenv(variables[-1], "")
    assert not engine(net.name).available()
    with pytest.raises(
        MissingResourceError, match=rf"{net.name} cannot be asked; .*{variables[-1]}"
    ):
        ask(net, "hola")


def test_a_missing_package_is_named(net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online_module, "find_spec", lambda name: None)
    with pytest.raises(MissingResourceError, match="install it: pip install deep-translator"):
        ask(net, "hola")


def test_the_package_is_left_as_it_was(net: Net) -> None:
    import importlib

    module = importlib.import_module(ENGINES[net.name].module)
    before = module.requests
    net.faults = [response(401, "")]
    with pytest.raises(KeyRefusedError):
        ask(net, "hola")
    assert module.requests is before
