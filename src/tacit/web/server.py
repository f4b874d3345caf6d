"""The HTTP server of `tacit web`: a loopback socket, uvicorn in this process, and a stop when nobody uses it."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from tacit.errors import StoreError
from tacit.web.app import PageOptions, WebApp
from tacit.web.security import ADDRESS, Access, SecurityMiddleware

IDLE_SECONDS = 30 * 60
_CHECK_SECONDS = 5.0  # between two looks at the clock
_KEEP_ALIVE_SECONDS = 30
_MAX_CONNECTIONS = 64
_SHUTDOWN_SECONDS = 2


class WebServer:
    """A server that is bound but not started, so that its address is known before a browser is opened.

    Args:
        options: what the pages work on.
        port: 0 for any free one.
        idle_seconds: after how long without a request the server stops.

    Raises:
        StoreError: the port is taken.
    """

    def __init__(self, options: PageOptions, *, port: int = 0, idle_seconds: float = IDLE_SECONDS) -> None:
        self._socket = _bind(port)
        self.access = Access(self._socket.getsockname()[1])
        self._idle_seconds = idle_seconds
        self._last_request = time.monotonic()
        self.is_idle = False
        self._pages = WebApp(options, self.access)
        config = uvicorn.Config(
            SecurityMiddleware(self._pages, self.access, self._note_request),
            http="h11",
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        self._server = uvicorn.Server(config)

    def run(self, on_start: Callable[[], None] = lambda: None) -> None:
        """Serve until Ctrl-C, `stop`, or until nobody asked for anything for a while."""

        async def serve() -> None:
            watch = asyncio.create_task(self._watch(on_start))
            try:
                await self._server.serve(sockets=[self._socket])
            finally:
                watch.cancel()

        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(serve())
        finally:
            self._socket.close()
            self._pages.close()

    def stop(self) -> None:
        self._server.should_exit = True

    def _note_request(self) -> None:
        self._last_request = time.monotonic()

    async def _watch(self, on_start: Callable[[], None]) -> None:
        """Call `on_start` when connections are accepted, and stop the server once it is idle."""
        while not self._server.started:
            await asyncio.sleep(0.01)
        self._pages.warm_up()
        on_start()
        while True:
            await asyncio.sleep(min(_CHECK_SECONDS, self._idle_seconds))
            if time.monotonic() - self._last_request >= self._idle_seconds:
                self.is_idle = True
                self.stop()


def _bind(port: int) -> socket.socket:
    try:
        return socket.create_server((ADDRESS, port), backlog=128)
    except (OSError, OverflowError) as error:
        reason = os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)
        raise StoreError(f"port {port} cannot be used: {reason}", "choose another, or none: tacit web") from None


def can_open_browser() -> bool:
    """Return whether there is a desktop. A browser in the terminal would take it away from the server."""
    if sys.platform == "darwin":
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
