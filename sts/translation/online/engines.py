"""How each engine of the deep-translator package is reached.

Of what the package offers, the engines that translate sentences between English
and Spanish and are still there. Left out: Linguee and Pons, which know words
only; Yandex (its version 1.5) and Papago's open interface, which were closed;
QCRI, which wants a domain that differs from pair to pair; ChatGPT, which needs
a package of 2023 and answers differently each time. LibreTranslate has a file
of its own, :mod:`sts.translation.online.libretranslate`, which says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sts.translation.online.http import QUOTA_GONE
from sts.translation.online.splitting import Load, utf8_bytes

Request = tuple[str, str, dict[str, Any]]
"""Method, address and the arguments that requests takes."""


@dataclass(frozen=True)
class Engine:
    """How deep-translator reaches one engine.

    Attributes:
        module, class_name: where its class is.
        rate: requests a second, unless the person sets another.
        load: what one request takes; the package sends one text at a time.
        codes: ISO 639-1 to the engine's own language codes, where they differ.
        keys: the arguments that hold keys, and the environment variables they are in.
        extras: the same for what may be left out.
        quota: the statuses that mean that the quota is used up.
        inner: the HTTP status that the engine hides in a body sent with status 200.
        rewrite: changes a request of the package before it is sent.
        notices: how an answer begins that is a notice and not a translation.
        entities: whether answers hold HTML entities.
    """

    module: str
    class_name: str
    rate: float
    load: Load
    codes: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    extras: Mapping[str, str] = field(default_factory=dict)
    quota: frozenset[int] = frozenset({QUOTA_GONE})
    inner: Callable[[Any], int] | None = None
    rewrite: Callable[[Request], Request] | None = None
    notices: tuple[str, ...] = ()
    entities: bool = False


def _mymemory_status(body: Any) -> int:
    """MyMemory puts a status into the body, as a number or as a string."""
    if not isinstance(body, dict):
        return 200
    if body.get("quotaFinished") is True:
        return QUOTA_GONE
    status = str(body.get("responseStatus") or 200)
    return int(status) if status.isdecimal() else 200


_BAIDU_STATUS = {
    "52001": 504,  # it took too long
    "52002": 500,  # an error of its own
    "52003": 401,  # no such user
    "54001": 401,  # a wrong signature, so a wrong key
    "54003": 429,  # too many requests
    "54004": QUOTA_GONE,  # the account is empty
    "54005": 429,  # too many long requests
    "58000": 403,  # not from this address
    "58002": 403,  # the service is switched off
}


def _baidu_status(body: Any) -> int:
    """Baidu's own error codes; an unknown one is a bad request."""
    code = str(body.get("error_code") or "52000") if isinstance(body, dict) else "52000"
    return 200 if code == "52000" else _BAIDU_STATUS.get(code, 400)


def _encrypted(request: Request) -> Request:
    """The same over https; the package asks MyMemory over plain http."""
    method, address, options = request
    return method, address.replace("http://", "https://", 1), options


def _in_body(request: Request) -> Request:
    """The text in the body and not in the address, which has no room for a long one."""
    _, address, options = request
    return "POST", address, {**options, "params": None, "data": options.get("params")}


def _deepl_header(request: Request) -> Request:
    """The key in a header, where DeepL wants it; an address may end up in logs."""
    method, address, options = _in_body(request)
    data = dict(options["data"])
    key = data.pop("auth_key")
    return method, address, {**options, "data": data, "headers": _deepl_headers(key)}


def _deepl_headers(key: str) -> dict[str, str]:
    return {"Authorization": f"DeepL-Auth-Key {key}"}


ENGINES = {
    "google": Engine(
        "deep_translator.google",
        "GoogleTranslator",
        rate=4,  # the package reports that Google allows 5
        load=Load(1, 4999),
    ),
    "mymemory": Engine(
        "deep_translator.mymemory",
        "MyMemoryTranslator",
        rate=1,
        load=Load(1, 499, utf8_bytes),
        codes={"en": "en-US", "es": "es-ES"},
        extras={"email": "MYMEMORY_EMAIL"},  # ten times the characters a day
        inner=_mymemory_status,
        rewrite=_encrypted,
        notices=("MYMEMORY WARNING", "QUERY LENGTH LIMIT", "INVALID ", "PLEASE SELECT"),
        entities=True,
    ),
    "microsoft": Engine(
        "deep_translator.microsoft",
        "MicrosoftTranslator",
        rate=10,
        load=Load(1, 10_000),
        keys={"api_key": "MICROSOFT_API_KEY"},
        extras={"region": "MICROSOFT_REGION"},
        quota=frozenset({403, QUOTA_GONE}),
    ),
    "deepl": Engine(
        "deep_translator.deepl",
        "DeeplTranslator",
        rate=5,
        load=Load(1, 10_000),
        keys={"api_key": "DEEPL_API_KEY"},
        rewrite=_deepl_header,
    ),
    "baidu": Engine(
        "deep_translator.baidu",
        "BaiduTranslator",
        rate=1,
        load=Load(1, 5999, utf8_bytes),
        codes={"es": "spa"},
        keys={"appid": "BAIDU_APPID", "appkey": "BAIDU_APPKEY"},
        inner=_baidu_status,
        rewrite=_in_body,
    ),
}
"""The engines of deep-translator that can be chosen, by name."""
