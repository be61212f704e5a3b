"""The checkers of the service find a server that waits, lets everybody in, or tells what it was sent."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed; pip install 'semaniacs[serve]'")

from runs.service import application, guards
from runs.service.guards import Access
from runs.service.request_bodies import RequestError
from tests.attacks import clients
from tests.attacks.promises import failures


def test_a_server_that_waits_for_ever_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients.Hasty, "patience", 60.0)
    monkeypatch.setattr(clients, "SOON", 1.0)
    found = failures(clients.stalling_clients, tmp_path / "planted", 4)
    assert "a client that says nothing holds the server" in found


def test_a_server_that_lets_everybody_in_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Access, "check", lambda *_: None)
    found = failures(clients.foreign_names, tmp_path / "planted", 9)
    assert len(found) >= 6


def test_a_server_that_tells_what_it_was_sent_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_json(body: bytes) -> None:
        raise ValueError(body) if b"launch" in body else RequestError(400, "no")

    monkeypatch.setattr(application, "read_json", read_json)
    monkeypatch.setattr(guards, "_log", lambda error: print(error, file=sys.stderr))
    assert failures(clients.random_requests, tmp_path / "planted", 60)
