"""Whether an earlier session or a memory bears on a prompt, by what came after it: files, errors, rules.

Never by the words of the prompt: what came of it counts, not how it was asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bench.briefing.recorded import Part, RecordedSession
from tacit.contradiction.profile import is_restatement
from tacit.learn import SessionEvent
from tacit.learn.fixes.pairs import error_line, is_declined
from tacit.learn.statements import learn_statements
from tacit.model.event import Event
from tacit.model.observation import CONVERSATION_TYPES, ToolAction
from tacit.model.session import Session
from tacit.text.words import normalize_text

_VARYING = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{7,40}\b|\d+")
_SHORTEST = 12  # characters of an error that tells anything
_FEWEST, _SHARE = 4, 1 / 3
_PROJECTS = 3
FILES, ERROR, RULE = "files", "error", "rule"
REASONS = (FILES, ERROR, RULE)
_EDGES = "\"'`()[]{}<>,;:!?"


class Traces(NamedTuple):
    """Of one or more turns. Files are seen from where the session began, so that work trees have the same."""

    changed: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    rules: tuple[str, ...] = ()

    @property
    def touched(self) -> frozenset[str]:
        return self.changed | self.read

    def without(self, everywhere: Everywhere) -> Traces:
        changed, read = self.changed - everywhere.files, self.read - everywhere.files
        return self._replace(changed=changed, read=read, errors=self.errors - everywhere.errors)


class Everywhere(NamedTuple):
    """What tells nothing apart: files that most sessions of a project touch, errors that any project has."""

    files: frozenset[str]
    errors: frozenset[str]


def traces(session: Session, parts: Sequence[Part], *, after: Event | None = None) -> Traces:
    """Of these turns; `after` is the prompt that they are looked at for, which is no evidence of itself."""
    calls = [call for part in parts for call in part.turn.calls]
    changed = {session.relative_path(file, call.directory) for call in calls for file in call.files}
    opened = [call for call in calls if call.act is ToolAction.READ and call.input and not call.input.endswith("…")]
    read = {session.relative_path(call.input, call.directory) for call in opened}
    failed = [call.result for part in parts for call in part.turn.failed_calls]
    events = [event for part in parts for event in part.events if event != after]
    said = [SessionEvent(event.id, event.body) for event in events if isinstance(event.body, CONVERSATION_TYPES)]
    rules = tuple(dict.fromkeys(one.sentence for one in learn_statements(said)))
    return Traces(frozenset(changed), frozenset(read), frozenset(filter(None, map(error_of, failed))), rules)


def error_of(result: str) -> str:
    """The line that tells what went wrong, without what differs from time to time; empty where nothing did."""
    line = " ".join(_VARYING.sub("#", error_line(result).lower()).split())
    return line if not is_declined(result) and len(line) >= _SHORTEST else ""


def everywhere(sessions: Iterable[RecordedSession]) -> dict[str, Everywhere]:
    """By project. Seen from the end: this is for the judge, no system sees it."""
    whole = [(one.root, traces(one.session, one.parts)) for one in sessions]
    projects = Counter(error for _, error in {(root, error) for root, found in whole for error in found.errors})
    common = frozenset(error for error, count in projects.items() if count >= _PROJECTS)
    by_root: dict[str, list[Traces]] = {}
    for root, found in whole:
        by_root.setdefault(root, []).append(found)
    return {root: Everywhere(_in_most(found), common) for root, found in by_root.items()}


def _in_most(several: Sequence[Traces]) -> frozenset[str]:
    counts = Counter(file for one in several for file in one.touched)
    least = max(_FEWEST, _SHARE * len(several))
    return frozenset(file for file, count in counts.items() if count >= least)


def session_bears(earlier: Traces, later: Traces) -> frozenset[str]:
    """The same file, which one of the two changed; the same error; the same rule, said again."""
    files = (earlier.changed & later.touched) | (earlier.touched & later.changed)
    found = {FILES: bool(files), ERROR: bool(earlier.errors & later.errors), RULE: _repeats(earlier.rules, later.rules)}
    return frozenset(reason for reason, is_so in found.items() if is_so)


def memory_bears(sentence: str, errors: frozenset[str], later: Traces) -> frozenset[str]:
    """A file that it names is touched; an error that it was learned from comes up; somebody has to say it again."""
    named = names_one_of(sentence, later.touched)
    found = {FILES: named, ERROR: bool(errors & later.errors), RULE: _repeats((sentence,), later.rules)}
    return frozenset(reason for reason, is_so in found.items() if is_so)


def names_one_of(sentence: str, files: Iterable[str]) -> bool:
    words = {word.strip(_EDGES).rstrip(".") for word in sentence.split()}
    names = tuple(word for word in words if "." in word.strip(".") or "/" in word.strip("/"))
    return any(file == name or file.endswith(f"/{name}") for file in files for name in names)


def _repeats(earlier: Iterable[str], later: Iterable[str]) -> bool:
    return any(
        normalize_text(one) == normalize_text(other) or is_restatement(one, other) for one in earlier for other in later
    )
