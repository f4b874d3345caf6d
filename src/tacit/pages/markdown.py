"""One line of Markdown for any text, and the pages of the worklog and of evaluations."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from tacit.model.claim import project_name
from tacit.model.event import Event, local_time
from tacit.model.observation import EvaluationCreated, WorkLogged
from tacit.text.display import escape_deceptive

# One line of Markdown for any text, and the text back from it.
#
# A backslash escapes: `\n` a line break, `\u{202E}` a character that would deceive, `\<` and `` \` `` what would open
# HTML or a fence, `\![` an image that a viewer would fetch, `\]` a link whose target is neither a web page, nor an
# address of mail, nor a path, `\(` a bracket that would look like the entry's own ending.

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_FENCE = re.compile("`{3,}|~{3,}")
# What an entry's own details begin with (notes/long_term.py).
DETAILS_LOOKAHEAD = r"(?=evidence: |reason: |project: |seen |conflict|overruled by )"
_DETAILS_START = re.compile(rf"\({DETAILS_LOOKAHEAD}")
# The end of a link's text, or of the name of a link that is defined, and its target up to a blank. The target may also
# stand on the next line. Only one that certainly names no scheme, or a harmless one, makes a live link: a colon may be
# written as an entity, and viewers differ in what they skip before a scheme.
_LINK_END = re.compile(r"\](?=[(:]\s*(?P<target>[^\s)]*))")
_SAFE_TARGET = re.compile(r"https?://|mailto:|[^:&]+\Z", re.IGNORECASE)
_ESCAPE_SEQUENCE = re.compile(r"\\(?:u\{([0-9A-F]{1,6})\}|(.))", re.DOTALL)


def escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("<", "\\<").replace("![", "\\![")
    text = _LINK_END.sub(lambda end: "]" if _SAFE_TARGET.match(end["target"]) else "\\]", text)
    text = _FENCE.sub(lambda run: "".join("\\" + sign for sign in run[0]), text)
    return escape_deceptive(
        _DETAILS_START.sub(r"\\(", text), lambda sign: _ESCAPES.get(sign) or f"\\u{{{ord(sign):X}}}"
    )


def unescape(line: str) -> str:
    return _ESCAPE_SEQUENCE.sub(_unescape_match, line)


def _unescape_match(found: re.Match[str]) -> str:
    if not found[1]:
        return _UNESCAPES.get(found[2], found[2])
    number = int(found[1], 16)
    return chr(number) if number <= sys.maxunicode else found[0]  # a person may type anything


# `evaluations/DATE.md`: how well memory is kept, measure by measure.


def evaluation_heading(event: Event) -> str:
    """The first line of a day's evaluation."""
    assert isinstance(event.body, EvaluationCreated)
    points = sum(score.points for score in event.body.scores)
    return f"# Evaluation of {event.body.day}: {points} of {2 * len(event.body.scores)} points"


def evaluation_page(_day: str, events: Iterable[Event]) -> list[str]:
    lines: list[str] = []
    for event in events:
        body = event.body
        assert isinstance(body, EvaluationCreated)
        lines += [evaluation_heading(event), ""]
        lines += [f"- {escape(score.name)}: {score.points}/2, {escape(score.reason)}" for score in body.scores]
    return lines


# `worklog/DATE.md`: what was done on a day, one heading an entry.


def worklog_page(day: str, events: Iterable[Event]) -> list[str]:
    return [f"# Worklog {day}", *(line for event in events for line in _worklog_entry(event))]


def worklog_heading(event: Event) -> str:
    """The line by which an entry is found again."""
    assert isinstance(event.body, WorkLogged)
    task = f"{escape(event.body.task)}: " if event.body.task else ""
    return f"## {local_time(event.origin):%H:%M} {task}{escape(event.body.summary)}"


def _worklog_entry(event: Event) -> Iterator[str]:
    body = event.body
    assert isinstance(body, WorkLogged)
    yield ""
    yield worklog_heading(event)
    yield ""
    if name := project_name(event.scope):
        yield f"- Project: {escape(name)}"
    for label, text in (("Changes", body.changes), ("Evidence", body.evidence), ("Next", body.next)):
        if text:
            yield f"- {label}: {escape(text)}"
