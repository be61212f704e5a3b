"""Checks before a request is read: Host, Origin, token, and the size and speed of its body.

A page of another site can make a browser send requests to this machine. After DNS rebinding the
Host header still has the name of that site; a request across sites has its Origin. Both are
refused.
"""

from __future__ import annotations

import asyncio
import hmac
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from semaniacs.runs.service.bodies import MOST_BYTES, MOST_FILE_BYTES

LOOPBACK = ("127.0.0.1", "localhost", "::1")
OPEN = ("/", "/health", "/openapi.json", "/docs")
"""Paths that need no token; they contain nothing private."""

SECONDS = 30.0
"""Time in which the body of a request must arrive."""

DRAINED = 16 * MOST_BYTES
"""Bytes of a body that are read at most: a client that is still sending cannot read an error."""

HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; connect-src 'self'; img-src 'self' data:; "
    "script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'",
}
"""Headers of every answer; the policy is that of ``/docs``, where FastAPI writes a script."""


@dataclass(frozen=True)
class Access:
    """Address to listen on, other host names, and the token that requests for work must send."""

    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    token: str | None = None

    @property
    def is_local(self) -> bool:
        """Return whether only programs on this machine can reach the server."""
        return self.host in LOOPBACK

    def check(self, path: str, headers: Headers) -> None:
        """Raise an HTTPException if the request must be refused."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._is_known(host):
            raise HTTPException(403, f"host {host[:80]!r} is not a name of this server")
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            raise HTTPException(403, f"a page of {origin[:80]!r} may not ask this server")
        if self.token is None or path in OPEN or path.startswith("/static-offline-docs/"):
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(given.strip().encode("latin-1"), self.token.encode())
        if scheme.lower() != "bearer" or not same:
            message = "this server needs a token: send the header Authorization: Bearer TOKEN"
            raise HTTPException(401, message, {"www-authenticate": "Bearer"})

    def _is_known(self, host: str) -> bool:
        """Return whether a Host header has a name of ours; on a public server, any IP address."""
        with suppress(ValueError):
            name = urlsplit(f"//{host}").hostname or ""
            if name in (*LOOPBACK, self.host, *self.names):
                return True
            return not self.is_local and bool(ip_address(name))
        return False


class Guard:
    """ASGI middleware that refuses requests early and turns every error into JSON.

    ``timer`` is a histogram of prometheus_client, or None.
    """

    def __init__(self, app: ASGIApp, access: Access, seconds: float, timer: Any) -> None:
        self.app = app
        self.access = access
        self.seconds = seconds
        self.timer = timer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self.access.check(scope["path"], Headers(scope=scope))
            if scope["method"] == "POST":
                receive = await self._read(Request(scope, receive))
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            return
        except Exception as error:
            if not isinstance(error, HTTPException):
                last = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(last.filename).name}:{last.lineno}"
                # The text of an error may contain a sentence.
                print(
                    f"error: a request failed with {type(error).__name__} at {where}",
                    file=sys.stderr,
                )
                error = HTTPException(500, "the server failed at this request; see its log")
            if not status:
                await error_response(error)(scope, receive, send_with_headers)
        finally:
            if self.timer is not None and status:
                path = getattr(scope.get("route"), "path", "other")
                self.timer.labels(path, status).observe(time.perf_counter() - began)

    async def _read(self, request: Request) -> Receive:
        """Read the body of a JSON request, and return a function that gives it to the app."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise HTTPException(415, "send JSON, with the header Content-Type: application/json")
        body, size = bytearray(), 0
        is_file = request.url.path.startswith("/table")
        most = 2 * MOST_FILE_BYTES if is_file else MOST_BYTES
        try:
            async with asyncio.timeout(self.seconds):
                async for chunk in request.stream():
                    size += len(chunk)
                    if size <= most:
                        body += chunk
                    elif size > most + DRAINED:
                        break
        except TimeoutError:
            message = f"the body did not arrive within {self.seconds:g} seconds"
            raise HTTPException(408, message) from None
        if size > most:
            message = f"the body is larger than {most:,} bytes; send fewer pairs per request"
            raise HTTPException(413, message)

        async def replay() -> Message:
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        return replay


def error_response(error: HTTPException) -> JSONResponse:
    """Return one sentence about an error, as JSON."""
    return JSONResponse({"error": {"message": error.detail}}, error.status_code, error.headers)
