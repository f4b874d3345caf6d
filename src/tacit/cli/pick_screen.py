"""What `tacit pick` draws: the query, a row for each hit, and the selected one in full; and the line a hit becomes.

Everything is placed by row and column and nothing is wrapped by the terminal, so that a character that it draws wider
or narrower than expected moves nothing but what is behind it in its own row.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from tacit.cli.output import short_path
from tacit.cli.recall import hit_parts
from tacit.model.claim import is_project_scope, project_name
from tacit.record import Record
from tacit.search.rank import COMMAND
from tacit.text.cells import clip_to_width, text_width, wrap_to_width
from tacit.text.display import printable
from tacit.vault.finder import MEMORY, SESSION, kind_of
from tacit.vault.hits import Hit

_MAX_PREVIEW_LINES, _MIN_PREVIEW_HEIGHT = 7, 10
_MAX_PLACE_WIDTH, _MIN_WIDTH_WITH_PLACE = 20, 60  # narrower ones have no place and only the letter of the kind
_OTHER_ROWS = 3  # the query, the kinds and the help
_HELP = "Enter: onto the line  Tab: kinds  Ctrl-U: clear  Esc: back"
_TABS = {None: "all", COMMAND: "commands", SESSION: "sessions", MEMORY: "memories"}
_AGES = (("y", 365 * 86400), ("w", 7 * 86400), ("d", 86400), ("h", 3600), ("m", 60))
_SELECTED, _MATCH, _NO_MATCH, _QUIET, _PLAIN = "\x1b[7m", "\x1b[1m", "\x1b[22m", "\x1b[2m", "\x1b[0m"
_STYLE = re.compile("\x1b\\[\\d+m")


class Screen(Record):
    """What is to be drawn on a terminal of this size."""

    size: os.terminal_size
    query: str
    kind: str | None
    hits: Sequence[Hit]
    selected: int
    message: str


def line_for(hit: Hit) -> tuple[str, str]:
    """Return the command line for a hit, or "" and why there is none.

    It is the command itself, and of a session or a memory the command that opens it.
    """
    if hit.kind == SESSION and hit.quote:
        return hit.quote.open_command, ""
    if hit.kind != COMMAND:
        return f"tacit show {hit.short}", ""
    if hit.text.endswith("…") or " characters left out…] " in hit.text:
        return "", "Not put onto the line: only a part of this command was kept"
    if "\ufffd" in hit.text or printable(hit.text) != hit.text.replace("\n", "⏎").replace("\t", " "):
        return "", "Not put onto the line: it has characters that do not show, or that were not kept"
    return hit.text, ""


def screen_size(terminal: int) -> os.terminal_size:
    """Return the size of a terminal. It is 80 by 24 if the terminal does not say."""
    size = os.get_terminal_size(terminal)
    return os.terminal_size((size.columns or 80, size.lines or 24))


def page_size(size: os.terminal_size) -> int:
    """Return how many hits are shown at once."""
    preview = _preview_size(size)
    return max(size.lines - _OTHER_ROWS - (preview + 1 if preview else 0), 1)


def _preview_size(size: os.terminal_size) -> int:
    return min(size.lines // 3, _MAX_PREVIEW_LINES) if size.lines >= _MIN_PREVIEW_HEIGHT else 0


def render(screen: Screen, now: datetime) -> str:
    """Return what draws a screen, with the cursor behind the query."""
    width, page = screen.size.columns, page_size(screen.size)
    first = max(0, screen.selected - page + 1)
    shown = screen.hits[first : first + page]
    rows = [_row(screen, hit, now, is_selected=first + at == screen.selected) for at, hit in enumerate(shown)]
    if not rows:
        rows = [clip_to_width("  No matches." if screen.query.strip() else "", width)]
    query = printable(screen.query)
    while text_width(query) > max(width - 3, 1):
        query = query[1:]
    tabs = "  ".join(f"[{name}]" if kind == screen.kind else name for kind, name in _TABS.items())
    lines = [f"> {query}", clip_to_width(f"  {tabs}", width), *rows, *[""] * (page - len(rows))]
    if preview := _preview_size(screen.size):
        lines += ["─" * width, *(_preview(screen.hits[screen.selected], width, preview) if screen.hits else ())]
    lines += [""] * (screen.size.lines - 1 - len(lines))
    lines.append(_QUIET + clip_to_width(screen.message or _HELP, width))
    drawn = "".join(f"\x1b[{row};1H\x1b[K{line}{_PLAIN}" for row, line in enumerate(lines[: screen.size.lines], 1))
    text = f"\x1b[?25l{drawn}\x1b[1;{text_width(query) + 3}H\x1b[?25h"
    return _STYLE.sub("", text) if os.environ.get("NO_COLOR") else text


def _row(screen: Screen, hit: Hit, now: datetime, *, is_selected: bool) -> str:
    """Return a row: kind, age, the passage with its matches, and where that was."""
    width, kind = screen.size.columns, kind_of(hit)
    is_wide = width >= _MIN_WIDTH_WITH_PLACE
    head = (
        f"{'>' if is_selected else ' '} {kind if is_wide else kind[:1]:<{7 if is_wide else 1}} {_age(hit.at, now):>3}  "
    )
    place = clip_to_width(printable(_place(hit)), _MAX_PLACE_WIDTH) if is_wide else ""
    room = width - len(head) - (text_width(place) + 2 if place else 0)
    words = [word for word in screen.query.casefold().split() if word]
    if hit.kind == SESSION and hit.quote:
        words += [hit.quote.text[start:end].casefold() for start, end in hit.quote.matches]
    text = printable(hit.text if hit.kind == COMMAND else " ".join(hit.passage.split()))
    passage = _with_matches(_window(text, words, room), words)
    end = f"{_PLAIN}{_QUIET}\x1b[{width - text_width(place) + 1}G{place}" if place else ""
    return f"{_SELECTED if is_selected else ''}{head}{passage}{end}"


def _age(at: str, now: datetime) -> str:
    """Return how long ago something was, such as 3h; "" if nobody knows."""
    if not at:
        return ""
    seconds = (now - datetime.fromisoformat(at)).total_seconds()
    return next((f"{seconds // size:.0f}{unit}" for unit, size in _AGES if seconds >= size), "now")


def _place(hit: Hit) -> str:
    """Return the folder of a command, by its last name, and the project of anything else."""
    if hit.kind == COMMAND:
        return os.path.basename(short_path(hit.directory).rstrip("/")) or hit.directory
    return project_name(hit.scope) if is_project_scope(hit.scope) else ""


def _window(text: str, words: Sequence[str], width: int) -> str:
    """Return the part of a text that fits and has its first match."""
    folded = text.casefold()
    first = min((at for word in words if word and (at := folded.find(word)) >= 0), default=0)
    if text_width(text[:first]) > width * 2 // 3:
        text = "…" + text[first - width // 4 :]
    return clip_to_width(text, width)


def _with_matches(text: str, words: Sequence[str]) -> str:
    """Return a text with the words in bold."""
    folded, is_match = text.casefold(), [False] * len(text)
    if len(folded) != len(text):  # a letter that is two in lower case
        return text
    for word in filter(None, words):
        at = folded.find(word)
        while at >= 0:
            is_match[at : at + len(word)] = [True] * len(word)
            at = folded.find(word, at + len(word))
    runs = groupby(zip(text, is_match, strict=True), key=lambda pair: pair[1])
    pieces = (("".join(char for char, _ in run), matches) for matches, run in runs)
    return "".join(f"{_MATCH}{piece}{_NO_MATCH}" if matches else piece for piece, matches in pieces)


def _preview(hit: Hit, width: int, most: int) -> list[str]:
    """Return the first lines of a hit: what was said or run, who did that and when, and how to open it."""
    text, details = (
        [part for line in lines for part in wrap_to_width(_STYLE.sub("", line), width)] for lines in hit_parts(hit)
    )
    return [*text[: most - min(len(details), most // 2)], *details][:most]
