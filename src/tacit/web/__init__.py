"""The application of `tacit web`: routes, what happens around each of them, and the HTTP server.

Each page asks the vault and renders the answer, and each form is one call that a command makes, too. Nothing here
decides, reads the index or writes a file. Only `tacit web` imports this package, which needs the extra `web`.

Pages are plain functions that get a `PageRequest`. They run one after the other in one thread, each with a vault that
is opened for it, as a command does, so that nothing is shared between requests but notices.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tacit.errors import LockBusyError, NotFoundError, RefusedError, StoreError, TacitError, UsageError
from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.home.store import Following, StoreOptions
from tacit.record import Record
from tacit.vault import Vault
from tacit.vault.review import Review
from tacit.web import home, inbox, memories, timeline
from tacit.web.checkup import Checkup
from tacit.web.rendering import (
    STATIC_FOLDER,
    Fields,
    JsonForms,
    Notice,
    PageRequest,
    Surroundings,
    Visit,
    environment,
    parse_fields,
)
from tacit.web.security import ADDRESS, Access, AsgiApp, Receive, Scope, SecurityMiddleware, Send

_MAX_FORM_BYTES = 1024 * 1024
_FORM_TYPE = "application/x-www-form-urlencoded"
_FORM_TOKEN_FIELD = "form_token"
_STATIC_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_STATUS_CODES = ((NotFoundError, 404), (UsageError, 400), (RefusedError, 409), (LockBusyError, 503))

Page = Callable[[PageRequest], Response]


class PageOptions(Record):
    """What the pages work on: the home, the folder that decides which project is the current one, and the person."""

    home: str | None
    cwd: str
    actor: Actor
    json_forms: JsonForms  # what commands print as JSON, by their names: a page gives the same
    is_read_only: bool = False


class PageRoute(Record):
    """An address and the pages behind it: one that shows, one that acts on a form, or both."""

    path: str
    show: Page | None = None
    act: Page | None = None


ROUTES = (
    PageRoute("/", inbox.inbox_page, inbox.decide_card),
    PageRoute("/bulk", inbox.bulk_page, inbox.decide_bulk),
    PageRoute("/skip", None, inbox.skip_card),
    PageRoute("/undo", None, inbox.undo_last),
    PageRoute("/search", memories.search_page),
    PageRoute("/memories/{reference}", memories.memory_page, memories.change_memory),
    PageRoute("/conflicts", memories.conflicts_page, memories.resolve_conflict),
    PageRoute("/timeline", timeline.timeline_page),
    PageRoute("/sessions", timeline.sessions_page),
    PageRoute("/sessions/{reference}", timeline.session_page),
    PageRoute("/habits", timeline.habits_page),
    PageRoute("/habits/{name}", timeline.workflow_page, timeline.change_workflow),
    PageRoute("/value", timeline.value_page),
    PageRoute("/trust", home.trust_page, home.change_trust),
    PageRoute("/guards", home.guards_page, home.change_guard),
    PageRoute("/doctor", home.doctor_page),
    PageRoute("/settings", home.settings_page, home.change_setting),
)


class WebApp:
    """The ASGI application, without the checks of `SecurityMiddleware`. Close it to end its thread."""

    def __init__(self, options: PageOptions, access: Access) -> None:
        self._options = options
        self._access = access
        self._visit = Visit(Checkup(self._open_home))
        self._surroundings = Surroundings(options.json_forms, access.form_token, options.is_read_only)
        self._thread = ThreadPoolExecutor(1, "tacit-web")
        routes = [Route("/static/{name}", _static_file, methods=["GET"])]
        for route in ROUTES:
            if route.show is not None:
                routes.append(Route(route.path, partial(self._answer, route.show), methods=["GET"]))
            if route.act is not None:
                routes.append(Route(route.path, partial(self._answer_form, route.act), methods=["POST"]))
        self._app: AsgiApp = Starlette(routes=routes, exception_handlers={404: self._answer_missing})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def warm_up(self) -> None:
        """Compile the templates and read the index, in the thread of the pages, before somebody waits for it."""

        def work() -> None:
            templates = environment()
            for name in templates.list_templates():
                templates.get_template(name)
            with suppress(TacitError), Vault(self._open_home()) as vault:
                Review(vault.home).cards(1)

        self._thread.submit(work)

    def close(self) -> None:
        self._visit.checkup.stop()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _answer(self, page: Page, request: Request, form: Fields | None = None) -> Response:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._run_page, page, request, form or {})

    async def _answer_form(self, page: Page, request: Request) -> Response:
        if self._options.is_read_only:
            return PlainTextResponse("This page is read only: it was started with --read-only.\n", 403)
        try:
            form = await _read_form(request)
        except (ClientDisconnect, ValueError) as error:
            return PlainTextResponse(f"The form cannot be read: {error}\n", 400)
        if not self._access.is_form_token(next(iter(form.get(_FORM_TOKEN_FIELD, ())), "")):
            return PlainTextResponse("The form is not of this page. Go back, reload and try again.\n", 403)
        return await self._answer(page, request, form)

    async def _answer_missing(self, request: Request, _error: Exception) -> Response:
        def page(_call: PageRequest) -> Response:
            raise NotFoundError("There is no such page.", "choose one on the left")

        return await self._answer(page, request)

    def _run_page(self, page: Page, request: Request, form: Fields) -> Response:
        """Run a page. An error is shown as a page, or as a notice on the page that the form was on."""
        try:
            opened = self._open_home()
        except TacitError as error:  # the settings cannot be read
            return PlainTextResponse(f"{error.message}\n{error.hint}\n", 500)
        with Vault(opened) as vault:
            call = PageRequest(vault, request, form, self._visit, self._surroundings)
            try:
                return page(call)
            except TacitError as error:
                notice = Notice(error.message, is_error=True, hint=error.hint)
                if form and (response := call.redirect_back(notice)) is not None:
                    return response
                status = next((code for kind, code in _STATUS_CODES if isinstance(error, kind)), 500)
                fields = {"message": error.message, "hint": error.hint}
                return call.page("error.html", "Error", lambda: fields, status, **fields)

    def _open_home(self) -> Home:
        options = StoreOptions(Following.THREAD)
        return Home(self._options.home, cwd=self._options.cwd, actor=self._options.actor, options=options)


async def _read_form(request: Request) -> Fields:
    """Return the fields of a form. Raise ValueError if it is too large or of another type."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != _FORM_TYPE:
        raise ValueError("it is not a form")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_FORM_BYTES:
            raise ValueError("it is too large")
    return parse_fields(body.decode("utf-8", "replace"))


async def _static_file(request: Request) -> Response:
    """Return one of our own files. The folder has no others, and names have no slash."""
    name = request.path_params["name"]
    if name not in os.listdir(STATIC_FOLDER):
        return PlainTextResponse("There is no such file.\n", 404)
    with open(os.path.join(STATIC_FOLDER, name), "rb") as file:
        body = file.read()
    media_type = _STATIC_TYPES.get(os.path.splitext(name)[1], "application/octet-stream")
    headers = {"cache-control": "private, max-age=31536000, immutable"}  # the address has their hash
    return Response(body, media_type=media_type, headers=headers)


# The server: a loopback socket, uvicorn in this process, and a stop when nobody uses it

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
        try:
            self._socket = socket.create_server((ADDRESS, port), backlog=128)
        except (OSError, OverflowError) as error:
            reason = os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)
            raise StoreError(f"port {port} cannot be used: {reason}", "choose another, or none: tacit web") from None
        self.access = Access(self._socket.getsockname()[1])
        self._idle_seconds = idle_seconds
        self.is_idle = False
        self._pages = WebApp(options, self.access)
        self._checked_pages = SecurityMiddleware(self._pages, self.access)
        config = uvicorn.Config(
            self._checked_pages,
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

    async def _watch(self, on_start: Callable[[], None]) -> None:
        """Call `on_start` when connections are accepted, and stop the server once it is idle."""
        while not self._server.started:
            await asyncio.sleep(0.01)
        self._pages.warm_up()
        on_start()
        while True:
            await asyncio.sleep(min(_CHECK_SECONDS, self._idle_seconds))
            if time.monotonic() - self._checked_pages.last_request >= self._idle_seconds:
                self.is_idle = True
                self.stop()


def can_open_browser() -> bool:
    """Return whether there is a desktop. A browser in the terminal would take it away from the server."""
    if sys.platform == "darwin":
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
