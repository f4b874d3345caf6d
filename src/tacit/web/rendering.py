"""Templates and what they show values with: times, ids, scopes and texts that others wrote.

Autoescaping is always on, and `visible` shows every invisible or direction-changing character as its code, so that a
text can neither be markup nor look like something else.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tacit.home.settings_file import SettingValue
from tacit.model.claim import Scope, is_project_scope, project_name
from tacit.record import Record
from tacit.text.display import clip, escape_deceptive
from tacit.vault.listing import HABIT_LABELS, PROVENANCE_LABELS, STATUS_LABELS

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


class TextPart(Record):
    """A part of a passage, and whether it matches the query."""

    text: str
    is_match: bool


def split_matches(text: str, matches: Sequence[tuple[int, int]]) -> Iterator[TextPart]:
    """Yield a text in parts: those that match a query, and those between them."""
    end = 0
    for start, stop in sorted(matches):
        if start < end:
            continue
        if start > end:
            yield TextPart(text[end:start], False)
        yield TextPart(text[start:stop], True)
        end = stop
    if end < len(text):
        yield TextPart(text[end:], False)


def split_code(text: str) -> Iterator[TextPart]:
    """Yield a text in parts: those between backticks, which are code, and the others."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one has no partner
        parts = [text]
    yield from (TextPart(part, at % 2 == 1) for at, part in enumerate(parts) if part)


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
    """Return how to show a time, which may be a timestamp of the index. A day has no time."""
    if isinstance(value, date) and not isinstance(value, datetime):
        days = (now.date() - value).days
        relative = {0: "today", 1: "yesterday"}.get(days, f"{days} d ago" if 1 < days < 14 else value.isoformat())
        return ShownTime(value.isoformat(), f"{value:%A, %-d %B %Y}", relative)
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    local = moment.astimezone(now.tzinfo)
    seconds = (now - local).total_seconds()
    if seconds < 0:
        relative = f"{local:%Y-%m-%d %H:%M}"
    elif seconds < _MINUTE:
        relative = "just now"
    else:
        ago = [f"{int(seconds // unit)} {name} ago" for limit, unit, name in _UNITS if seconds < limit]
        relative = ago[0] if ago else f"{local:%-d %b}" if local.year == now.year else f"{local:%-d %b %Y}"
    return ShownTime(moment.isoformat(), f"{local:%Y-%m-%d %H:%M:%S %Z}".strip(), relative)


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
        "code_parts": lambda text: list(split_code(str(text))),
        "short_path": lambda path: short_path(str(path)),
        "parts": lambda text, matches: list(split_matches(text, matches)),
        "status_name": lambda status: STATUS_LABELS.get(status, status),
        "provenance_name": lambda provenance: PROVENANCE_LABELS[provenance],
    }
    return templates
