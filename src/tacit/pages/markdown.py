r"""Escaping text as one line of Markdown, and the pages of worklog and evaluations.

A backslash escapes: `\n` a line break, `\u{202E}` a deceptive character, `\<` and `` \` `` what would open HTML or
a fence, `\![` an image that a viewer would fetch, `\]` a link whose target is neither a web page, nor a mail address,
nor a path, `\(` a bracket that would look like the entry's own details.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from tacit.model.claim import project_name
from tacit.model.event import Event, local_time
from tacit.model.observation import EvaluationCreated, WorkLogged
from tacit.text.display import escape_deceptive

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_FENCE = re.compile("`{3,}|~{3,}")
# The details of an entry begin with one of these (pages/long_term.py).
DETAILS_LOOKAHEAD = r"(?=evidence: |reason: |project: |seen |conflict|overruled by )"
_DETAILS_START = re.compile(rf"\({DETAILS_LOOKAHEAD}")
# The end of a link's text, or of the name in a link definition, and its target up to a blank. The target may also be on
# the next line. Only a target that certainly has no scheme, or a harmless one, stays a link: a colon may be written as
# an entity, and viewers differ in what they skip before a scheme.
_LINK_END = re.compile(r"\](?=[(:]\s*(?P<target>[^\s)]*))")
_SAFE_TARGET = re.compile(r"https?://|mailto:|[^:&]+\Z", re.IGNORECASE)
_ESCAPE_SEQUENCE = re.compile(r"\\(?:u\{([0-9A-F]{1,6})\}|(.))", re.DOTALL)


def escape(text: str) -> str:
    """Return a text as one line of Markdown."""
    text = text.replace("\\", "\\\\").replace("<", "\\<").replace("![", "\\![")
    text = _LINK_END.sub(lambda end: "]" if _SAFE_TARGET.match(end["target"]) else "\\]", text)
    text = _FENCE.sub(lambda run: "".join("\\" + char for char in run[0]), text)
    return escape_deceptive(
        _DETAILS_START.sub(r"\\(", text), lambda char: _ESCAPES.get(char) or f"\\u{{{ord(char):X}}}"
    )


def unescape(line: str) -> str:
    """Return the text of an escaped line."""

    def unescaped(match: re.Match[str]) -> str:
        if not match[1]:
            return _UNESCAPES.get(match[2], match[2])
        code_point = int(match[1], 16)
        return chr(code_point) if code_point <= sys.maxunicode else match[0]  # a person may type anything

    return _ESCAPE_SEQUENCE.sub(unescaped, line)


# `evaluations/DATE.md`


def evaluation_heading(event: Event) -> str:
    """Return the first line of an evaluation."""
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


# `worklog/DATE.md`


def worklog_page(day: str, events: Iterable[Event]) -> list[str]:
    lines = [f"# Worklog {day}"]
    for event in events:
        body = event.body
        assert isinstance(body, WorkLogged)
        lines += ["", worklog_heading(event), ""]
        parts = (("Project", project_name(event.scope)), ("Changes", body.changes), ("Evidence", body.evidence))
        lines += [f"- {label}: {escape(text)}" for label, text in (*parts, ("Next", body.next)) if text]
    return lines


def worklog_heading(event: Event) -> str:
    """Return the heading of an entry, by which its line is looked up."""
    assert isinstance(event.body, WorkLogged)
    task = f"{escape(event.body.task)}: " if event.body.task else ""
    return f"## {local_time(event.origin):%H:%M} {task}{escape(event.body.summary)}"
