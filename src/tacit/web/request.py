"""One request of a page: what was asked, the vault to ask, and the responses a page can give."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, parse_qsl, quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tacit.record import Record
from tacit.vault.review import Review, ReviewCounts
from tacit.web.rendering import environment, show_time, static_version

if TYPE_CHECKING:
    from tacit.vault.vault import Vault

MAX_NOTICE_CHARS = 160  # of a sentence in a notice
_MAX_NOTICES = 100
_MAX_FIELDS = 20_000
NOTICE_PARAMETER = "notice"
BACK_FIELD = "back"
Fields = Mapping[str, Sequence[str]]


class Notice(Record):
    """What an action did, shown once on the next page.

    `can_undo` offers to take it back, which leads to the page `back`; default: the page that shows the notice.
    """

    text: str
    is_error: bool = False
    can_undo: bool = False
    hint: str = ""
    back: str = ""


class Notices:
    """Notices that wait for the page that shows them, by a name that the address has."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, Notice] = OrderedDict()

    def add(self, notice: Notice) -> str:
        name = secrets.token_hex(8)
        self._waiting[name] = notice
        while len(self._waiting) > _MAX_NOTICES:
            self._waiting.popitem(last=False)
        return name

    def take(self, name: str) -> Notice | None:
        return self._waiting.pop(name, None)


class PageRequest:
    """What a page gets: parameters, fields of a form, the vault, and functions that make a response."""

    def __init__(
        self, vault: Vault, request: Request, form: Fields, *, notices: Notices, form_token: str, is_read_only: bool
    ) -> None:
        self.vault = vault
        self.review = Review(vault.home)
        self.path = request.url.path
        self.parameters: Mapping[str, str] = request.path_params
        self.is_read_only = is_read_only
        self._query = parse_fields(request.url.query)
        self._form = form
        self._notices = notices
        self._form_token = form_token

    @cached_property
    def counts(self) -> ReviewCounts:
        """How much waits for a decision."""
        return self.review.counts()

    @property
    def now(self) -> datetime:
        return self.vault.home.store.actor.clock()

    def local_time(self, milliseconds: int) -> datetime:
        return datetime.fromtimestamp(milliseconds / 1000, self.now.tzinfo)

    def value(self, name: str) -> str:
        """Return a parameter of the address, "" without it."""
        return next(iter(self._query.get(name, ())), "")

    def number(self, name: str, default: int = 1) -> int:
        """Return a parameter of the address as a number of at least 1."""
        text = self.value(name)
        return max(int(text), 1) if text.isdecimal() and len(text) < 10 else default

    def field(self, name: str) -> str:
        """Return a field of the form, "" without it. Line breaks are as people type them."""
        return next(iter(self._form.get(name, ())), "").replace("\r\n", "\n")

    def fields(self, name: str) -> list[str]:
        return list(self._form.get(name, ()))

    def render(self, template: str, values: Mapping[str, object], status: int = 200) -> Response:
        """Return a rendered template. Every template gets some values, too."""
        common = {
            "form_token": self._form_token,
            "read_only": self.is_read_only,
            "when": lambda moment: show_time(moment, self.now),
            "link": lambda path, **parameters: page_address(path, parameters),
        }
        text = environment().get_template(template).render({**common, **values})
        return HTMLResponse(text, status_code=status)

    def page(self, template: str, title: str, values: Mapping[str, object], status: int = 200) -> Response:
        """Return a whole page in the frame: navigation, search field and notice."""
        counts = self.counts
        frame = {
            "title": title,
            "current": self.path,
            "waiting": {"/": counts.pending + counts.ineffective + counts.outdated, "/conflicts": counts.undecided},
            "notice": self._notices.take(self.value(NOTICE_PARAMETER)),
            "home": self.vault.home.root,
            "static_version": static_version(),
            "query_text": "",
        }
        return self.render(template, {**frame, **values}, status)

    def redirect(
        self, path: str, notice: Notice | None = None, parameters: Mapping[str, str] | None = None
    ) -> Response:
        """Return a redirect to a page of ours, which shows the notice."""
        given = {name: value for name, value in (parameters or {}).items() if name != NOTICE_PARAMETER}
        if notice is not None:
            given[NOTICE_PARAMETER] = self._notices.add(notice)
        return RedirectResponse(page_address(path, given), status_code=303)

    def redirect_back(self, notice: Notice) -> Response | None:
        """Return a redirect to the page that the form was on; None if the form names no page of ours."""
        target, _, query = self.field(BACK_FIELD).partition("?")
        if not target.startswith("/") or target.startswith("//"):
            return None
        return self.redirect(target, notice, dict(parse_qsl(query)))


def parse_fields(text: str) -> Fields:
    """Return the fields of a query or a form. Raise ValueError if there are too many."""
    return parse_qs(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS)


def page_address(path: str, parameters: Mapping[str, str | int | None]) -> str:
    """Return the address of a page of ours, without empty parameters."""
    given = {name: value for name, value in parameters.items() if value not in ("", None)}
    return quote(path, safe="/") + (f"?{urlencode(given)}" if given else "")


def page_count(total: int, size: int) -> int:
    """Return on how many pages so many rows are shown; 1 for none."""
    return max((total - 1) // size + 1, 1)
