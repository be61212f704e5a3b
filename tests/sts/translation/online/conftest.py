"""A translation service on this machine, and time that passes without waiting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from sts.translation.online.engines import ENGINES
from sts.translation.online.limits import shared_limits
from tests.sts.translation.online.local_service import Service, serving

requests = pytest.importorskip("requests")

KEYS = {
    "DEEPL_API_KEY": "deepl-s3cret/+:fx",
    "LIBRE_API_KEY": "libre-s3cret",
}
SETTINGS = ("RATE", "TIMEOUT", "TRIES", "BUDGET")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys for every service, no setting, and nothing left of the tests before."""
    for variable, key in KEYS.items():
        monkeypatch.setenv(variable, key)
    unset = ("STS_LIBRE_URL", "SEMANIACS_OFFLINE")
    for variable in unset:
        monkeypatch.delenv(variable, raising=False)
    for name in SETTINGS:
        monkeypatch.delenv(f"STS_TRANSLATION_{name}", raising=False)
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(variable, "127.0.0.1")
    shared_limits.cache_clear()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every wait, which takes no time."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    return waits


@pytest.fixture(params=ENGINES)
def service(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> Iterator[Service]:
    """A service on this machine, to which every request on the network goes."""
    if request.param == "google":
        pytest.importorskip("deep_translator", reason="pip install deep-translator")
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
