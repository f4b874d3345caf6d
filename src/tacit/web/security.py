"""Who may use the running server, and the ASGI middleware that checks it before anything else runs.

Threats: a web page in the person's browser (DNS rebinding, cross-site requests, framing), other users of the machine,
and programs that an agent started. Every response has headers that keep a browser from running, embedding or storing
what it should not. What a page shows is text, never markup: see `rendering.py`.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, MutableMapping
from contextlib import suppress
from glob import iglob
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from tacit.home.actor import PROC, agent_of_process
from tacit.record import Record

ADDRESS = "127.0.0.1"  # never a name: another user could listen on the other address of `localhost`
TOKEN_PARAMETER = "token"
_METHODS = ("GET", "HEAD", "POST")
_SAFE_METHODS = ("GET", "HEAD")
_OWN_SITES = ("none", "same-origin")  # of Sec-Fetch-Site; another port of this address is only `same-site`
_MAX_PATH_BYTES = 8192
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),  # with `no-referrer`, browsers send the origin `null` with forms
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_NO_STORE = (b"cache-control", b"no-store")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Any]
Send = Callable[[Message], Any]
AsgiApp = Callable[[Scope, Receive, Send], Any]


# Access


class Access:
    """The secrets of one running server: launch codes, the session cookie and the token that every form has.

    A launch code is what the address has at first. It is exchanged for the cookie, and then it is no longer in the
    address bar. The cookie is named after the port, because browsers send cookies to all ports of an address.
    """

    def __init__(self, port: int) -> None:
        self.host = f"{ADDRESS}:{port}"
        self.origin = f"http://{self.host}"
        self.port = port
        self.cookie_name = f"tacit_{port}"
        self.form_token = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self._lasting_code = secrets.token_urlsafe(32)
        self._single_codes: set[str] = set()

    @property
    def address(self) -> str:
        """The address to print. It can be opened in several browsers while the server runs."""
        return f"{self.origin}/?{TOKEN_PARAMETER}={self._lasting_code}"

    def single_use_address(self) -> str:
        """Return an address that works once: other users can see the arguments that a browser is started with."""
        code = secrets.token_urlsafe(32)
        self._single_codes.add(code)
        return f"{self.origin}/?{TOKEN_PARAMETER}={code}"

    def redeem(self, code: str) -> bool:
        """Return whether a launch code is valid. A code for single use is not valid again."""
        if compare_digest(code.encode(), self._lasting_code.encode()):
            return True
        if code in self._single_codes:
            self._single_codes.remove(code)
            return True
        return False

    def set_cookie(self) -> str:
        return f"{self.cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"

    def is_cookie(self, header: str) -> bool:
        """Return whether a Cookie header has the cookie of this server."""
        try:
            morsel = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return False
        return morsel is not None and compare_digest(morsel.value.encode(), self._cookie.encode())

    def is_form_token(self, token: str) -> bool:
        return compare_digest(token.encode(), self.form_token.encode())


# The other end of a connection, which Linux shows in /proc/net/tcp. Elsewhere it is unknown, and the cookie decides.


class Peer(Record):
    """The user and the socket at the other end of a connection."""

    uid: int
    inode: int


def find_peer(client: tuple[str, int], port: int, table: str = f"{PROC}/net/tcp") -> Peer | None:
    """Return who is connected from this address to `port` here; None if the system does not say."""
    local, remote = _hex_address(*client), _hex_address(ADDRESS, port)
    try:
        with open(table, encoding="ascii", errors="replace") as file:
            for line in file:
                fields = line.split()
                if len(fields) > 9 and fields[1] == local and fields[2] == remote:
                    return Peer(int(fields[7]), int(fields[9]))
    except (OSError, ValueError):
        pass
    return None


def _hex_address(host: str, port: int) -> str:
    parts = [int(part) for part in host.split(".")] if host.count(".") == 3 else []
    return "".join(f"{part:02X}" for part in reversed(parts)) + f":{port:04X}"


def process_of_socket(inode: int) -> int | None:
    """Return the process of this user that has the socket open; None if there is none."""
    for link in iglob(f"{PROC}/[0-9]*/fd/*"):
        with suppress(OSError):  # it is closed by now
            if os.readlink(link) == f"socket:[{inode}]":
                return int(link.split("/")[-3])
    return None


# The middleware


class RefusedRequest(Exception):
    """A request that is answered with this status and text, and nothing else."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class SecurityMiddleware:
    """Answers what is not allowed by itself, and adds the security headers to every response.

    `last_request` is when the last one was allowed, by the monotonic clock.
    """

    def __init__(self, app: AsgiApp, access: Access) -> None:
        self._app = app
        self._access = access
        self.last_request = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        try:
            headers = _unique_headers(scope)
            client = scope.get("client")
            peer = find_peer((client[0], client[1]), self._access.port) if client else None
            if peer is not None and peer.uid != os.geteuid():
                raise RefusedRequest(403, "This page belongs to another user of this machine.")
            self._check_request(scope, headers)
            query = parse_qs(scope["query_string"].decode("latin-1"))
            if scope["method"] == "GET" and scope["path"] == "/" and TOKEN_PARAMETER in query:
                await self._exchange(query[TOKEN_PARAMETER][0], peer, send)
                return
            if not self._access.is_cookie(headers.get("cookie", "")):
                raise RefusedRequest(403, "Open the address that `tacit web` printed in your terminal.")
        except RefusedRequest as refused:
            await _send_text(send, refused.status, refused.text)
            return
        self.last_request = time.monotonic()
        await self._app(scope, receive, _with_headers(send))

    def _check_request(self, scope: Scope, headers: MutableMapping[str, str]) -> None:
        """Refuse other hosts (DNS rebinding), other sites and ports, and methods that no page has."""
        method, site, origin = scope["method"], headers.get("sec-fetch-site"), headers.get("origin")
        if headers.get("host") != self._access.host:
            raise RefusedRequest(421, f"This server answers only to http://{self._access.host}/.")
        if method not in _METHODS:
            raise RefusedRequest(405, "There is no such method here.")
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > _MAX_PATH_BYTES:
            raise RefusedRequest(414, "The address is too long.")
        if site is not None and site not in _OWN_SITES:
            raise RefusedRequest(403, "Another page asked for this. Type or paste the address instead.")
        if method in _SAFE_METHODS:
            if origin is not None and origin != self._access.origin:
                raise RefusedRequest(403, "Another page asked for this.")
        elif origin != self._access.origin and not (origin is None and site == "same-origin"):
            raise RefusedRequest(403, "Another page sent this form.")

    async def _exchange(self, code: str, peer: Peer | None, send: Send) -> None:
        """Exchange a launch code for the cookie, unless an agent's program presents it."""
        pid = process_of_socket(peer.inode) if peer else None
        if pid is not None and (agent := agent_of_process(pid)) is not None:
            raise RefusedRequest(403, f"Only a person opens this page, and {agent.detected_by}.")
        if not self._access.redeem(code):
            raise RefusedRequest(403, "This address is no longer valid. Open the one that `tacit web` printed.")
        self.last_request = time.monotonic()
        headers = [(b"location", b"/"), (b"set-cookie", self._access.set_cookie().encode())]
        await _send_text(send, 303, "", headers)


def _unique_headers(scope: Scope) -> dict[str, str]:
    """Return the headers. One that decides who may do what must not come twice."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in headers and key in ("host", "origin", "sec-fetch-site", "cookie", "content-type"):
            raise RefusedRequest(400, f"The header {key} came twice.")
        headers[key] = value.decode("latin-1")
    return headers


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name for name, _ in message.get("headers", ())}
            added = [header for header in (*SECURITY_HEADERS, _NO_STORE) if header[0] not in present]
            message["headers"] = [*message.get("headers", ()), *added]
        await send(message)

    return send_with_headers


async def _send_text(send: Send, status: int, text: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
    body = f"{text}\n".encode() if text else b""
    fixed = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    sender = _with_headers(send)
    await sender({"type": "http.response.start", "status": status, "headers": [*fixed, *headers]})
    await sender({"type": "http.response.body", "body": body})
