"""Texts that try to become a live link on a page, the pages they are put on, and what a viewer makes of those pages.

The viewer is a real CommonMark renderer whose own check of links is turned off: many viewers have none.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tacit.model.claim import GLOBAL, Provenance, project_scope
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import (
    ConversationBody,
    EvaluationCreated,
    EvaluationScore,
    PromptGiven,
    PromptKind,
    ReplyGiven,
    SessionSummarized,
    ToolAction,
    ToolOutcome,
    ToolUsed,
    WorkLogged,
)
from tacit.model.session import fold_session
from tacit.model.statement import claim_from
from tacit.pages import long_term, sessions
from tests.support.pages import NOON, active, event, render_long_term, retired

HARMLESS = frozenset({"http", "https", "mailto"})
SCHEMES = (
    *("javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<b>", "vbscript:x", "file:///etc/passwd", "x-y:z"),
)
DISGUISES = ("{}", " {}", "\t{}", "\n{}", "<{}>", "\x01{}", "\u00a0{}", "\u2028{}", "{} 'title'", "\\{}")
SHAPES = (
    *("[x]({})", "[x][y]\n\n[y]: {}", "[y]: {}", "- [y]: {}\n- [y]", "1. > [y]: {} [y]", "[y]:\n{}\n\n[y]"),
    *("[y\n]: {} [y]", "![x]({})", "[![x]({})](z)", "[a [b](c) d]({})", "<{}>", "<a href='{}'>x</a>", "`[x`]({})"),
    *("\\[x\\]({})", "\\\\[x\\\\]({})", "```a`b\n[x]({})\n```\nc", "```\na\n   ```\n[x]({})\n```\nb\n```"),
    *("- ```\n  a\n  ```\n[x]({})\n  ```", "- a\n  ```\n[x]({})\n  ```", "````\n```\n[x]({})\n```\nc", "~~~\n[x]({})"),
    *("[x](http://a)({})", "](/)[x]({})"),
)
_SCHEME = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.-]*)[\x00-\x20]*:", re.IGNORECASE)


def disguised(scheme: str) -> Iterator[str]:
    """A target as viewers might still understand it: as entities, with blanks and controls around and within."""
    first, rest, four, more = scheme[0], scheme[1:], scheme[:4], scheme[4:]
    letters = [scheme, f"&#{ord(first)};{rest}", scheme.replace(":", "&colon;"), scheme.replace(":", "&#58;")]
    letters += [f"&#x{ord(first):x};{rest}", f"{four}\n{more}", f"{four}&Tab;{more}"]
    yield from (disguise.format(one) for one in letters for disguise in DISGUISES)


def every_text() -> Iterator[str]:
    """Each shape with each target, in each disguise."""
    for shape in SHAPES:
        for scheme in SCHEMES:
            yield from (shape.replace("{}", target) for target in disguised(scheme))


def texts(count: int, seed: int) -> Iterator[str]:
    """Shapes and pieces of Markdown thrown together."""
    dice = random.Random(seed)
    targets = [target for scheme in SCHEMES for target in disguised(scheme)]
    pieces = [*"[]()<>:\\`*_!#-&\n\t ", "](", "]:", "[x", "```", "\n\n", "    ", "> ", "- ", "y"]
    for _ in range(count):
        parts = [dice.choice(SHAPES).replace("{}", dice.choice(targets))]
        parts += [dice.choice(dice.choice((pieces, targets))) for _ in range(dice.randrange(6))]
        dice.shuffle(parts)
        yield "".join(parts)


# Pages


def pages(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Every page that shows such a text, wherever one may stand on it."""
    claim = claim_from("use tox", project_scope(f"example.org/{text}"))
    notes = [active(claim, text, "other"), retired(claim_from("use nox", GLOBAL), text, text)]
    if text.strip():  # a memory that says nothing but blanks cannot be
        notes.append(active(claim_from("a " + text, GLOBAL)._replace(sentence=text), text))
    yield "long-term.md", render_long_term(notes)
    yield "worklog", long_term.worklog_page("2024-03-01", [event(WorkLogged(text, text, text, text, text))])
    evaluation = EvaluationCreated("2024-03-01", (EvaluationScore(text, 1, text),))
    yield "evaluations", long_term.evaluation_page("2024-03-01", [event(evaluation)])
    for limit in (None, 40):
        yield "sessions", sessions.render_session(fold_session("claude", text, list(_session(text))), limit)


def _session(text: str) -> Iterator[Event]:
    told: tuple[ConversationBody | SessionSummarized, ...] = (
        PromptGiven("claude", text, PromptKind.TYPED, "", text, text),
        ReplyGiven("claude", text),
        ToolUsed("claude", text, ToolAction.OTHER, text, text, ToolOutcome.FAILED),
        ToolUsed("claude", "Bash", ToolAction.RAN, text, text),
        ToolUsed("claude", "Edit", ToolAction.CHANGED, text, files=(text,)),
        ToolUsed("claude", "Read", ToolAction.READ, text),
        PromptGiven("claude", text, PromptKind.ANSWER, text),
        ReplyGiven("claude", f"First.\n\n{text}\n\nLast."),
        SessionSummarized("claude", text, text, ""),
    )
    for number, body in enumerate(told, 1):
        own = event_id(number, bytes(10))
        origin = EventOrigin(NOON + timedelta(minutes=number), 0, "host", text, "user", Provenance.USER_DIRECT)
        yield Event(own, own, origin, project_scope(f"example.org/{text}"), body)


# What a viewer makes of them


_VIEWER = MarkdownIt("commonmark", {"html": True}).enable("table")
vars(_VIEWER)["validateLink"] = lambda _target: True


def live(page: Sequence[str]) -> list[str]:
    """The targets on a page that a click would run, open or load, and all HTML."""
    found = []
    for token in _all(_VIEWER.parse("\n".join(page))):
        if token.type in ("html_block", "html_inline"):
            found.append(token.content)
        for name in ("href", "src"):
            target = str(token.attrs.get(name, ""))
            scheme = _SCHEME.match(unquote(target))
            if scheme and scheme[1].lower() not in HARMLESS:
                found.append(target)
    return found


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


def faults(text: str) -> list[str]:
    return [f"{name} of {text!r}: {target!r} is live" for name, page in pages(text) for target in live(page)]
