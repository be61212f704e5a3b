"""A server without a process, and one with."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="pip install 'semaniacs[serve]'")
pytest.importorskip("fastapi_offline", reason="pip install 'semaniacs[serve]'")
pytest.importorskip("uvicorn", reason="pip install 'semaniacs[serve]'")

from starlette.testclient import TestClient

from semaniacs.runs.service.application import build_application
from semaniacs.runs.service.guards import Access
from semaniacs.runs.service.served_models import ServedModels

ROOT = Path(__file__).parents[3]
LOCAL = "http://127.0.0.1:8765"


@pytest.fixture(scope="session")
def models() -> ServedModels:
    """The fusion, the cosine, and encoders of English and of several languages."""
    return ServedModels(("fusion", "raw"), ("paragram", "bitext-sp", "multilingual"))


@contextmanager
def asking(models: Any, access: Access | None = None, **limits: Any) -> Iterator[TestClient]:
    """Client of a server in this process."""
    application = build_application(models, access, **limits)
    with TestClient(application, base_url=LOCAL, raise_server_exceptions=True) as client:
        yield client


@pytest.fixture
def client(models: ServedModels) -> Iterator[TestClient]:
    """A client of a server as it is without options."""
    with asking(models) as found:
        yield found


class Running:
    """A server in a process of its own, and its address."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.url = process.stdout.readline().strip()
        self.port = int(self.url.rpartition(":")[2])

    def ended(self) -> tuple[int, str, str]:
        """The exit code, and what it said."""
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out, err


@contextmanager
def running(*options: str) -> Iterator[Running]:
    """``semaniacs serve`` with these options, on a port that is free."""
    command = [sys.executable, "-m", "semaniacs", "serve", "--port", "0", *options]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            yield Running(process)
        finally:
            process.kill()
