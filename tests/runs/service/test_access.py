"""Who may ask: the host that is named, the origin of a page, the token."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from semaniacs.runs.service.guards import Access
from semaniacs.runs.service.served_models import ServedModels
from semaniacs.runs.service.server import check_token
from semaniacs.sts.errors import StsError
from tests.runs.service.conftest import asking

TOKEN = "correct horse battery staple é"
PAIR: dict[str, Any] = {"pairs": [["a dog", "a cat"]], "model": "raw"}


def status(client: TestClient, **headers: str | bytes) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/score", json=PAIR, headers=named).status_code  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "LOCALHOST:9000", "[::1]:8765"])
def test_names_of_this_machine(client: TestClient, host: str) -> None:
    assert status(client, host=host) == 200


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1.evil.example:8765", "192.168.0.7", "", "[::1", "127.0.0.1@evil.example", "\x00"],
)
def test_a_name_that_was_made_to_lead_here(client: TestClient, host: str) -> None:
    answer = client.get("/health", headers={"host": host})
    assert answer.status_code == 403
    assert "is not a name of this server" in answer.json()["error"]["message"]
    assert status(client, host=host) == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://127.0.0.1:8765"]
)
def test_a_page_of_another_site(client: TestClient, origin: str) -> None:
    assert status(client, origin=origin) == 403


def test_the_page_of_the_server(client: TestClient) -> None:
    assert status(client, origin="http://127.0.0.1:8765") == 200
    assert status(client, origin="https://localhost", host="localhost") == 200


def test_a_server_for_others_is_asked_by_address_or_by_a_name_that_was_given(
    models: ServedModels,
) -> None:
    with asking(models, Access("0.0.0.0", ("sts.example",), TOKEN)) as client:
        for host, code in (
            ("192.168.0.7:8765", 200), ("[fe80::1]:8765", 200), ("STS.example", 200),
            ("evil.example", 403),
        ):  # fmt: skip
            assert client.get("/health", headers={"host": host}).status_code == code


def test_a_token(models: ServedModels) -> None:
    with asking(models, Access(token=TOKEN)) as client:
        for path in ("/", "/health", "/openapi.json"):
            assert client.get(path).status_code == 200
        answer = client.post("/score", json=PAIR)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "Authorization: Bearer TOKEN" in answer.json()["error"]["message"]
        right = b"Bearer " + TOKEN.encode()
        assert status(client, authorization=right) == 200
        assert status(client, authorization=right.replace(b"Bearer", b"bearer")) == 200
        for wrong in (
            right[:-1], right + b"x", right.upper(), b"Bearer ", b"Basic " + TOKEN.encode(), b"Bearer",
            TOKEN.encode(), b"Bearer " + TOKEN[1:].encode(), b"Bearer \xff",
        ):  # fmt: skip
            assert status(client, authorization=wrong) == 401


def test_other_machines_need_a_token() -> None:
    with pytest.raises(StsError, match=r"--host 0\.0\.0\.0 lets other machines ask"):
        check_token(Access("0.0.0.0"))
    with pytest.raises(StsError, match="--token has 6 characters; expected 16 or more"):
        check_token(Access(token="secret"))
    for allowed in (Access(), Access("::1"), Access("localhost"), Access("0.0.0.0", (), TOKEN)):
        check_token(allowed)
