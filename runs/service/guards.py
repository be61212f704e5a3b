"""Who may ask: the host that is named, the origin of a page, the token, the size of a body.

A page of another site can make a browser send requests to this machine. If its name is made to
lead here (DNS rebinding), the Host header still holds that name; if it sends across sites, the
browser adds the page's Origin. Both are refused.
"""

from __future__ import annotations

import asyncio
import hmac
import sys
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runs.service.request_bodies import Limits, RequestError

LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
OPEN = frozenset(("/", "/health", "/openapi.json"))
"""Paths that need no token; they hold nothing of the person's."""

DRAINED = 16
"""A body that is too large is read up to this many times the limit, and dropped, so that its
sender, who is still sending, comes to read the answer."""

HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Attributes:
        host: the address that is listened on.
        names: other names under which the server is reached.
        token: what every request for work must bear, if any.
    """

    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    token: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine reach the server."""
        return self.host in LOOPBACK

    def check(self, path: str, headers: Headers) -> None:
        """Raise a :class:`RequestError` if the request may not be answered."""
        host = headers.get("host", "")
        if not self._is_known(_name_of(host)):
            raise RequestError(403, f"host {host[:80]!r} is not a name of this server")
        origin = headers.get("origin")
        if origin is not None and not _is_same(origin, host):
            raise RequestError(403, f"a page of {origin[:80]!r} may not ask this server")
        if self.token is not None and path not in OPEN and not self._is_borne(headers):
            raise RequestError(
                401,
                "this server wants a token: send the header Authorization: Bearer TOKEN",
                {"www-authenticate": "Bearer"},
            )

    def _is_known(self, name: str) -> bool:
        """An address has no name that could be made to lead elsewhere."""
        known = name in LOOPBACK or name in (self.host, *self.names)
        return known or (not self.is_local and _is_address(name))

    def _is_borne(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        expected = (self.token or "").encode()
        same = hmac.compare_digest(given.strip().encode("latin-1"), expected)
        return scheme.lower() == "bearer" and same


def _name_of(host: str) -> str:
    """The name or address in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_same(origin: str, host: str) -> bool:
    scheme, separator, rest = origin.partition("://")
    return scheme in ("http", "https") and bool(separator) and rest.lower() == host.lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Refuses requests before they are read, and turns every error into JSON.

    Args:
        app: what answers the others.
        access: who may ask.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def send_safely(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            self.access.check(scope["path"], Headers(scope=scope))
            await self.app(scope, receive, send_safely)
        except ClientDisconnect:  # there is nobody to tell
            return
        except Exception as error:
            if not isinstance(error, RequestError):
                _log(error)
            if not begun:
                await error_response(error)(scope, receive, send)


def error_response(error: Exception) -> JSONResponse:
    """An error as JSON with one sentence."""
    if isinstance(error, RequestError):
        status, message, headers = error.status, error.message, error.headers
    else:
        status, headers = 500, {}
        message = "the server failed at this request; its log names the line"
    return JSONResponse({"error": {"message": message}}, status, HEADERS | headers)


def _log(error: Exception) -> None:
    """One line on stderr: the kind of error and its place, since its text may hold a sentence."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}" if place else "?"
    print(f"error: a request failed with {type(error).__name__} at {where}", file=sys.stderr)


async def read_body(request: Request, limits: Limits) -> bytes:
    """The body of a JSON request.

    Raises:
        RequestError: another type, too large, or too slow.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(415, "send JSON, with the header Content-Type: application/json")
    try:
        async with asyncio.timeout(limits.seconds):
            return await _read(request, limits.body)
    except TimeoutError:
        raise RequestError(
            408, f"the body did not arrive within {limits.seconds:g} seconds"
        ) from None


async def _read(request: Request, most: int) -> bytes:
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= most:
            chunks.append(chunk)
        elif size > DRAINED * most:
            break
    if size > most:
        raise RequestError(
            413, f"the body is larger than {most:,} bytes; send fewer pairs a request"
        )
    return b"".join(chunks)
