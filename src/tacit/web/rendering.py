"""What a page gets and gives: templates, what they show values with, the request and its responses.

Autoescaping is always on, and `visible` shows every invisible or direction-changing character as its code, so that a
text can neither be markup nor look like something else.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, parse_qsl, quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tacit.home.settings_file import SettingValue
from tacit.model.claim import Provenance, Scope, is_project_scope, project_name
from tacit.record import Record
from tacit.text.display import clip, escape_deceptive
from tacit.vault.listing import HABIT_LABELS, PROVENANCE_LABELS, STATUS_LABELS, provenance_label
from tacit.vault.review import Review
from tacit.web.checkup import Checkup
from tacit.web.markdown import parse_blocks, parse_code, parse_spans
from tacit.web.waiting import CardCache, Inbox, load_inbox

if TYPE_CHECKING:
    from tacit.vault import Vault

_FOLDER = os.path.dirname(__file__)
STATIC_FOLDER = os.path.join(_FOLDER, "static")
MAX_TEXT_CHARS = 6000  # of one text on a page; the command line shows all of it
_LAYOUT_CHARS = "\n\t"
_MINUTE, _HOUR, _DAY = 60, 60 * 60, 24 * 60 * 60
# By seconds: the unit up to there, and how it is written.
_UNITS = ((_HOUR, _MINUTE, "min"), (_DAY, _HOUR, "h"), (14 * _DAY, _DAY, "d"))


def visible(value: object) -> object:
    """Return text in which every deceptive character is shown as its code; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return escape_deceptive(value, lambda char: char if char in _LAYOUT_CHARS else f"<U+{ord(char):04X}>")


def split_code(text: str) -> list[tuple[str, bool]]:
    """Return a text in parts: those between backticks, which are code (True), and the others."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one has no partner
        parts = [text]
    return [(part, at % 2 == 1) for at, part in enumerate(parts) if part]


def short_path(path: str) -> str:
    """Return a path with `~` for the person's own folder."""
    folder = os.path.expanduser("~").rstrip("/")
    is_below = folder and (path == folder or path.startswith(f"{folder}/"))
    return f"~{path[len(folder) :]}" if is_below else path


class ShownTime(Record):
    """A time as a page shows it: for programs, exactly, and from now."""

    iso: str
    exact: str
    relative: str


def show_time(value: str | datetime | date, now: datetime) -> ShownTime:
    """Return how to show a time or a day, which may be texts of the index. A day has no time."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value) if "T" in value else date.fromisoformat(value)
    if not isinstance(value, datetime):
        days = (now.date() - value).days
        relative = {0: "today", 1: "yesterday"}.get(days, f"{days} d ago" if 1 < days < 14 else _short_date(value, now))
        return ShownTime(value.isoformat(), f"{value:%A, %-d %B %Y}", relative)
    moment = value if value.tzinfo else value.replace(tzinfo=UTC)
    local = moment.astimezone(now.tzinfo)
    seconds = (now - local).total_seconds()
    if seconds < 0:
        relative = f"{local:%Y-%m-%d %H:%M}"
    elif seconds < _MINUTE:
        relative = "just now"
    else:
        ago = [f"{int(seconds // unit)} {name} ago" for limit, unit, name in _UNITS if seconds < limit]
        relative = ago[0] if ago else _short_date(local, now)
    return ShownTime(moment.isoformat(), f"{local:%Y-%m-%d %H:%M:%S %Z}".strip(), relative)


def _short_date(day: date, now: datetime) -> str:
    return f"{day:%-d %b}" if day.year == now.year else f"{day:%-d %b %Y}"


def count_text(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 candidate`, `1,200 candidates`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def scope_name(scope: Scope) -> str:
    """Return the name of a project, or `global`."""
    return project_name(scope) if is_project_scope(scope) else "global"


def value_text(value: SettingValue) -> str:
    """Return the value of a setting as one types it: a list has one entry a line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "\n".join(value) if isinstance(value, tuple) else str(value)


def kind_name(label: str) -> str:
    """Return a kind in words: `known fix`, `a command you run often`."""
    return HABIT_LABELS.get(label, label.replace("_", " ")) if label != "preference" else label


# By the source of a memory or the name of a provenance.
_SOURCE_LABELS = {
    "habit": "learned from your shell",
    "talk": "learned from sessions",
    "suggest": "proposed by an agent",
    **{source.name.lower(): PROVENANCE_LABELS[source] for source in Provenance},
}


def facet_label(value: str, facet: str) -> str:
    """Return a value of a facet in words."""
    if facet == "source":
        return _SOURCE_LABELS.get(value, value.replace("_", " "))
    return kind_name(value) if facet == "kind" else value


@cache
def static_version() -> str:
    """Return a hash of the style sheet and the script, so that a browser loads another version anew."""
    digest = hashlib.sha256()
    for name in sorted(os.listdir(STATIC_FOLDER)):
        with open(os.path.join(STATIC_FOLDER, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:12]


@cache
def environment() -> Environment:
    """Return the templates. Undefined names are errors, and everything that is printed is escaped."""
    templates = Environment(
        loader=FileSystemLoader(os.path.join(_FOLDER, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    templates.filters |= {
        "count_text": count_text,
        "kind_name": kind_name,
        "scope_name": scope_name,
        "value_text": value_text,
        "clip": lambda text, limit=MAX_TEXT_CHARS: clip(str(text), limit),
        "code_parts": lambda text: split_code(str(text)),
        "short_path": lambda path: short_path(str(path)),
        "blocks": parse_blocks,
        "spans": parse_spans,
        "code": parse_code,
        "facet_label": facet_label,
        "status_name": lambda status: STATUS_LABELS.get(status, status),
        "provenance_name": provenance_label,
    }
    return templates


# One request: what was asked, the vault to ask, and the responses a page can give

MAX_NOTICE_CHARS = 160  # of a sentence in a notice
_MAX_NOTICES = 100
_MAX_FIELDS = 20_000
_MAX_SKIPPED = 2000
NOTICE_PARAMETER = "notice"
FORMAT_PARAMETER = "format"
BACK_FIELD = "back"
Fields = Mapping[str, Sequence[str]]
JsonForms = Mapping[str, Callable[..., object]]


class Surroundings(Record):
    """What is the same for all requests. `json_forms` are what commands print, by their names."""

    json_forms: JsonForms
    form_token: str
    is_read_only: bool


class Notice(Record):
    """What an action did, shown once on the next page.

    `can_undo` offers to take it back, which leads to the page `back`; default: the page that shows the notice.
    `operation` is what is then undone: others may have changed something since.
    """

    text: str
    is_error: bool = False
    can_undo: bool = False
    hint: str = ""
    back: str = ""
    operation: str = ""


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


class Visit:
    """What is remembered while the server runs, and recorded nowhere: notices, skipped cards, the latest checks."""

    def __init__(self, checkup: Checkup) -> None:
        self.notices = Notices()
        self.cards = CardCache()
        self.checkup = checkup
        self.skipped: list[str] = []  # the ids of cards, the latest at the end

    def skip(self, card: str) -> None:
        self.skipped = [*(other for other in self.skipped if other != card), card][-_MAX_SKIPPED:]


class PageRequest:
    """What a page gets: parameters, fields of a form, the vault, and functions that make a response."""

    def __init__(self, vault: Vault, request: Request, form: Fields, visit: Visit, surroundings: Surroundings) -> None:
        self.vault = vault
        self.visit = visit
        self.review = Review(vault.home)
        self.path = request.url.path
        self.parameters: Mapping[str, str] = request.path_params
        self.is_read_only = surroundings.is_read_only
        self._query = parse_fields(request.url.query)
        self._form = form
        self._surroundings = surroundings

    @cached_property
    def inbox(self) -> Inbox:
        """What waits for a decision."""
        return load_inbox(self.vault, self.visit.cards, self.visit.skipped)

    @cached_property
    def undecided(self) -> int:
        """How many pairs of memories contradict each other or may do so, and no rule decides."""
        return self.vault.search.conflicts(0, decided=False).total

    @property
    def now(self) -> datetime:
        return self.vault.home.store.actor.clock()

    def local_time(self, milliseconds: int) -> datetime:
        return datetime.fromtimestamp(milliseconds / 1000, self.now.tzinfo)

    def value(self, name: str) -> str:
        """Return a parameter of the address, "" without it."""
        return next(iter(self.values(name)), "")

    def values(self, name: str) -> Sequence[str]:
        return self._query.get(name, ())

    def number(self, name: str, default: int = 1) -> int:
        """Return a parameter of the address as a number of at least 1."""
        text = self.value(name)
        return max(int(text), 1) if text.isdecimal() and len(text) < 10 else default

    def field(self, name: str) -> str:
        """Return a field of the form, "" without it. Line breaks are as people type them."""
        return next(iter(self._form.get(name, ())), "").replace("\r\n", "\n")

    def fields(self, name: str) -> list[str]:
        return list(self._form.get(name, ()))

    def as_json(self, form: str, *values: object) -> object:
        """Return values as the command prints them with `--json` that has this form."""
        return self._surroundings.json_forms[form](*values)

    def render(self, template: str, values: Mapping[str, object], code: int = 200) -> Response:
        """Return a rendered template. Every template gets some values, too."""
        common = {
            "form_token": self._surroundings.form_token,
            "read_only": self.is_read_only,
            "when": lambda moment: show_time(moment, self.now),
            "link": lambda path, **parameters: page_address(path, parameters),
        }
        text = environment().get_template(template).render({**common, **values})
        return HTMLResponse(text, status_code=code)

    def page(
        self, template: str, title: str, data: Callable[[], object], code: int = 200, /, **values: object
    ) -> Response:
        """Return a page in the frame (navigation, search field and notice), or its `data` if JSON is asked for."""
        if self.value(FORMAT_PARAMETER) == "json":
            text = json.dumps(data(), indent=2, default=str)
            return Response(f"{text}\n", code, media_type="application/json")
        query = {name: given[0] for name, given in self._query.items() if name != NOTICE_PARAMETER}
        frame = {
            "title": title,
            "current": self.path,
            "waiting": {"/": self.inbox.size, "/conflicts": f"{self.undecided:,}"},
            "notice": self.visit.notices.take(self.value(NOTICE_PARAMETER)),
            "home": self.vault.home.root,
            "static_version": static_version(),
            "query_text": "",
            "json_address": page_address(self.path, {**query, FORMAT_PARAMETER: "json"}),
        }
        return self.render(template, {**frame, **values}, code)

    def redirect(
        self, path: str, notice: Notice | None = None, parameters: Mapping[str, str] | None = None
    ) -> Response:
        """Return a redirect to a page of ours, which shows the notice."""
        given = {name: value for name, value in (parameters or {}).items() if name != NOTICE_PARAMETER}
        if notice is not None:
            if notice.can_undo:
                notice = notice._replace(operation=self.vault.changes.latest() or "")
            given[NOTICE_PARAMETER] = self.visit.notices.add(notice)
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
