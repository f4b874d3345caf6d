"""From a host's record to transcript events, the same for every host: noise goes, texts are bounded and redacted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from enum import Enum

from tacit.home.capture_policy import is_unsaid
from tacit.hosts.records import LONGEST_PROMPT, NO_TIME, Heard, Limits, Object, Tally, listing, mapping, string
from tacit.hosts.tools import PATCHED, Keeps, Tool, changed_files, excerpt, patched_files, runs_tacit, tool_of
from tacit.model.observation import (
    Act,
    By,
    Compacted,
    Conversation,
    How,
    Interrupted,
    Outcome,
    PromptGiven,
    ReplyGiven,
    Titled,
    ToolUsed,
)
from tacit.record import Record
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip

# What stands in a transcript and nobody said: reminders, wrappers, and what other tools and Tacit itself put there.
#
# Each row of `ROWS` is a tag. What is between its two marks goes, or stays without them. Everything is found in one
# pass.


class Fate(Enum):
    """What becomes of a text between two marks."""

    GOES = "goes"
    STAYS = "stays"  # only the marks go


class Row(Record):
    """A tag in lower case, what becomes of its content, and how it looks."""

    tag: str
    fate: Fate
    example: str


def _goes(tag: str, example: str = "") -> Row:
    return Row(tag, Fate.GOES, example or f"<{tag}>put there</{tag}>")


def _stays(tag: str) -> Row:
    return Row(tag, Fate.STAYS, f"<{tag}>said</{tag}>")


ROWS = (
    # Claude Code
    _goes("system-reminder", "<system-reminder>\nThe date has changed.\n</system-reminder>"),
    _goes("local-command-caveat"),
    _goes("local-command-stdout"),
    _goes("local-command-stderr"),
    _goes("bash-stdout"),
    _goes("bash-stderr"),
    _goes("command-message"),
    _goes("command-contents"),
    _goes("task-notification"),
    _goes("agent-notification"),
    _goes("teammate-message", '<teammate-message teammate_id="reviewer">put there</teammate-message>'),
    _goes("cross-session-message"),
    _goes("channel-message"),
    _goes("fork-boilerplate"),
    _goes("remote-review-progress"),
    _goes("user-prompt-submit-hook"),
    _goes("session-start-hook"),
    _goes("post-tool-use-hook"),
    _goes("new-diagnostics"),
    _goes("ide_opened_file", "<ide_opened_file>The user opened the file a.py in the IDE.</ide_opened_file>"),
    _goes("ide_selection"),
    _goes("ide_diagnostics"),
    _goes("ide-context"),
    _stays("user-memory-input"),
    _stays("tool_use_error"),
    _stays("persisted-output"),
    # Codex
    _goes("environment_context", "<environment_context>\n  <cwd>x</cwd>\n</environment_context>"),
    _goes("user_instructions"),
    _goes("skills_instructions"),
    _goes("turn_aborted"),
    _goes("subagent_notification"),
    _goes("user_shell_command"),
    _goes("collaboration_mode"),
    _goes("apps_instructions"),
    _goes("plugins_instructions"),
    _goes("model_switch"),
    _goes("personality_spec"),
    # Gemini CLI
    _goes("hook_context"),
    _goes("session_context"),
    _goes("state_snapshot"),
    _stays("untrusted_context"),
    # Copilot CLI
    _goes("system_reminder"),
    _goes("system_notification"),
    _goes("current_datetime"),
    # Cursor and Cline
    _goes("environment_details"),
    _goes("open_and_recently_viewed_files"),
    _goes("additional_data"),
    _goes("attached_files"),
    _goes("project_layout"),
    _stays("user_query"),
    # Other memories
    _goes("aide-session-start"),
    _goes("aide-recent-sessions"),
    _goes("aide-context"),
    _goes("aide-memory"),
    _goes("extremely_important"),  # what a collection of skills puts before every session
    _goes("claude-mem-context"),
    _goes("supermemory-context"),
    _goes("supermemory-containers"),
    _goes("relevant-memories"),
    _goes("relevant_memories"),
    _goes("memory-context"),
    _goes("basic-memory-context"),
    _goes("mem0-context"),
    _goes("openmemory-context"),
    _goes("agentmemory-context"),
    _goes("private"),  # what a person asked another memory not to keep
)
_FATES = {row.tag: row.fate for row in ROWS}
_MARK = re.compile(
    r"<(/?)(" + "|".join(sorted(map(re.escape, _FATES), key=len, reverse=True)) + r")(?:\s[^<>]{0,400})?>",
    re.IGNORECASE,
)
# Tacit's own fences: the number is made up anew each time, so nothing inside can pretend to be the end.
_FENCE = re.compile(r"<(/?)(tacit-[A-Za-z-]{1,40} [0-9a-f]{20})>")


class _Mark(Record):
    start: int
    end: int
    tag: str
    closes: bool


def without_noise(text: str) -> str:
    """The text without what nobody said."""
    if "<" not in text:
        return text
    kept = _outside(without_fences(text))
    return kept.strip() if len(kept) != len(text) else text


def without_fences(text: str) -> str:
    """Without what Tacit gave. Where a host cut a fence in two, what may have stood inside it goes too."""
    if "<tacit-" not in text and "</tacit-" not in text:
        return text
    kept: list[str] = []
    done, inside = 0, ""
    for mark in _marks(_FENCE, text):
        if inside:
            done, inside = (mark.end, "") if mark.closes and mark.tag == inside else (done, inside)
        elif mark.closes:
            kept, done = [], mark.end  # its beginning was cut off
        else:
            kept.append(text[done : mark.start])
            inside = mark.tag
    return "".join(kept if inside else [*kept, text[done:]])


def _outside(text: str) -> str:
    marks = [mark._replace(tag=mark.tag.lower()) for mark in _marks(_MARK, text)]
    ends = {mark.tag: nth for nth, mark in enumerate(marks) if mark.closes}
    kept: list[str] = []
    done = nth = 0
    while nth < len(marks):
        mark = marks[nth]
        if _FATES[mark.tag] is Fate.STAYS:
            kept.append(text[done : mark.start])
            done, nth = mark.end, nth + 1
        elif mark.closes or ends.get(mark.tag, -1) < nth:
            nth += 1  # one mark alone is something that somebody wrote
        else:
            nth = _partner(marks, nth, ends[mark.tag])
            kept.append(text[done : mark.start])
            done, nth = marks[nth].end, nth + 1
    return "".join([*kept, text[done:]])


def _partner(marks: list[_Mark], opening: int, last: int) -> int:
    """The mark that closes this one, those inside it counted; the last of its kind where there are too few."""
    depth, tag = 0, marks[opening].tag
    for nth in range(opening, last + 1):
        if marks[nth].tag == tag:
            depth += -1 if marks[nth].closes else 1
            if depth == 0:
                return nth
    return last


def _marks(pattern: re.Pattern[str], text: str) -> list[_Mark]:
    return [_Mark(found.start(), found.end(), found[2], bool(found[1])) for found in pattern.finditer(text)]


# Making heard things of what a record says, the same for every host: noise goes, texts are bounded, keys last.

UNSAID = "never captured"
_MARGIN = 4096  # characters around a cut in which a secret is looked for
_KEY = "PRIVATE KEY"  # the one secret with blanks and line breaks in it
_MOST_FILES = 200
_LONGEST_NAME = 1024
_LONGEST_TITLE = 200
_LASTING = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_SECRET = re.compile(r"\b(?:password|passphrase|secret|api[ _-]?key|token|credentials?|pin)\b", re.IGNORECASE)
_LONG_ID, _DIGITS = 20, 6


class Place(Record):
    """When and where something was said or done."""

    at: datetime
    session: str
    directory: str = ""
    branch: str = ""
    remote: str = ""


class Call(Record):
    """A call of a tool that is waiting for its result. `key` is what it will be known by."""

    key: str
    tool: str
    given: object  # fields, or a text
    place: Place
    aside: bool = False
    nth: int = 0


def key_of(own: object, session: str, at: datetime, content: str) -> str:
    """What a record is known by for ever: its id, with the session where it may be used elsewhere; else its content.

    (`msg-001` is in many transcripts. A long id with digits, or with a UUID in it, is in none but its own.)
    """
    if isinstance(own, str) and own:
        return own if is_lasting(own) else f"{session}/{own[:_LONGEST_NAME]}"
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:20]
    return f"{session}@{at.isoformat()}#{digest}"


def is_lasting(own: str) -> bool:
    if len(own) > _LONGEST_NAME:
        return False
    return bool(_LASTING.search(own)) or (len(own) >= _LONG_ID and sum(map(str.isdigit, own)) >= _DIGITS)


def shortened(text: str, limit: int) -> str:
    """The beginning and the end of a text that is too long. Secrets go first: half of one would not be known again."""
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    mark = f" […{len(text) - limit:,} characters left out…] "
    room = limit - len(mark)
    if room < len(mark):
        return clipped(text, limit)
    end = room // 3
    head, tail = redacted(text[: room - end + _MARGIN]), redacted(text[-end - _MARGIN :])
    return head[: room - end] + mark + tail[len(tail) - end :]


def clipped(text: str, limit: int) -> str:
    """The beginning of a text that is too long, up to a blank: what is left out whole need not be known as a secret."""
    if len(text) <= limit or limit < 1:
        return text if limit > 0 else ""
    blank = max(text.rfind(sign, limit - limit // 4, limit) for sign in " \n\t")
    if blank > 0 and _KEY not in text[:blank]:
        return text[:blank].rstrip() + "…"
    return clip(redacted(text[: limit + _MARGIN]), limit)


def without_secret(answer: str, question: str) -> str:
    """Who is asked for a password may tell it; one word alone does not look like one."""
    asked = _SECRET.search(question)
    if not asked or len(answer.split()) != 1:
        return answer
    front = f"{asked[0]}: "
    return redacted(front + answer).removeprefix(front)


class Teller:
    """Yields heard things of one host. A key is told once."""

    def __init__(self, agent: str, limits: Limits, tally: Tally) -> None:
        self.agent, self.limits, self.tally = agent, limits, tally
        self._told: set[str] = set()

    def has_told(self, key: str) -> bool:
        return key in self._told

    def prompt(
        self, key: str, place: Place, text: str, how: How = How.TYPED, about: str = "", nth: int = 0
    ) -> Iterator[Heard]:
        said = self._text(text, LONGEST_PROMPT)
        if how is How.ANSWER:
            said = without_secret(said, about)
        if how is How.SHELL and is_unsaid(said):
            self.tally.passed[UNSAID] += 1
        elif said:
            about = clipped(clean(about), self.limits.input)
            body = PromptGiven(self.agent, said, how, about, place.directory, place.branch)
            yield from self._tell(key, place, body, said, nth)

    def reply(self, key: str, place: Place, text: str, nth: int = 0) -> Iterator[Heard]:
        if said := self._text(text, self.limits.text):
            yield from self._tell(key, place, ReplyGiven(self.agent, said, place.directory), said, nth)

    def interrupted(self, key: str, place: Place) -> Iterator[Heard]:
        yield from self._tell(key, place, Interrupted(self.agent), "", 0)

    def compacted(self, key: str, place: Place) -> Iterator[Heard]:
        yield from self._tell(key, place, Compacted(self.agent), "", 0)

    def titled(
        self, place: Place, text: str, by: By = By.HOST, nth: int = 0, *, timeless: bool = False
    ) -> Iterator[Heard]:
        """The title that a session has in its host. The same title at another time is another event, so that the
        latest is known; with `timeless`, where the host does not tell since when it holds, it is the same event."""
        said = clipped(" ".join(clean(without_noise(text)).split()), _LONGEST_TITLE)
        if said:
            key = key_of("", place.session, NO_TIME if timeless else place.at, f"title {nth} {by} {said}")
            told = self._tell(key, place, Titled(self.agent, said, by), said, nth)
            yield from (heard._replace(timeless=timeless) for heard in told)

    def used(
        self, call: Call, result: str = "", outcome: Outcome = Outcome.WELL, files: tuple[str, ...] = ()
    ) -> Iterator[Heard]:
        """A call with its result. Of a helper only what changed something or ran is told."""
        row = tool_of(call.tool)
        shown, line = shown_input(row, call.given), command_line(row, call.given)
        if row is PATCHED:
            shown = ", ".join(patched_files(shown)) or shown
        if is_unsaid(line):
            self.tally.passed[UNSAID] += 1
            return
        if call.aside and row.act not in (Act.RAN, Act.CHANGED):
            self.tally.passed["done by a helper"] += 1
            return
        body = ToolUsed(
            self.agent,
            clean(call.tool)[:100],
            row.act,
            clipped(clean(without_noise(shown)).strip(), self.limits.input),
            self._result(call.tool, row, line, result, outcome),
            outcome,
            files or _files(row, call.given, line, outcome),
            call.place.directory,
            call.aside,
            excerpt(row, call.given, self.limits.input) if outcome is Outcome.WELL else "",
        )
        yield from self._tell(call.key, call.place, body, body.input + body.result + body.change, call.nth)

    def unanswered(self, call: Call) -> Iterator[Heard]:
        """A call whose result never came, now that the person has gone on."""
        if not self.has_told(call.key):
            yield from self.used(call._replace(key=f"{call.key}#unanswered"), "", Outcome.UNKNOWN)

    def about(self, call: Call) -> str:
        return f"{call.tool}: {shown_input(tool_of(call.tool), call.given)}"

    def _text(self, text: str, limit: int) -> str:
        return shortened(clean(without_noise(text)).strip(), limit)

    def _result(self, name: str, row: Tool, line: str, result: str, outcome: Outcome) -> str:
        if row.keeps is Keeps.NEVER or name.lower() in self.limits.skipped or outcome is Outcome.REJECTED:
            return ""
        if (row.keeps is Keeps.FAILURES and outcome is not Outcome.FAILED) or runs_tacit(line):
            return ""
        told = clean(without_noise(result)).strip()
        # What went wrong is mostly told at the end.
        return (shortened if outcome is Outcome.FAILED else clipped)(told, self.limits.result)

    def _tell(self, key: str, place: Place, body: Conversation | Titled, text: str, nth: int) -> Iterator[Heard]:
        if key in self._told:
            self.tally.passed["told already"] += 1
            return
        self._told.add(key)
        self.tally.kept += len(text.encode("utf-8", "replace"))
        yield Heard(clean(key), place.at, clean(place.session), body, nth, clean(place.directory), clean(place.remote))


def shown_input(row: Tool, given: object) -> str:
    """What was asked of a tool, in a few words."""
    if isinstance(given, str):
        return given
    fields = mapping(given)
    for name in row.shows:
        if name in fields and (text := _plain(fields[name])):
            return text
    return ", ".join(f"{name}: {text}" for name, value in fields.items() if (text := _plain(value)))


def command_line(row: Tool, given: object) -> str:
    """The line that a shell was given; `["bash", "-lc", LINE]` is that line."""
    if row.act is not Act.RAN:
        return ""
    return shown_input(row, given)


def _plain(value: object) -> str:
    """A value for people: lists by their parts, questions and steps by their words."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, list):
        return _listed(value)
    if isinstance(value, dict):
        return next((text for name in _TELLING if (text := string(value.get(name)))), "")
    return str(value) if isinstance(value, int | float) else ""


_TELLING = ("question", "content", "step", "subject", "description", "path", "file_path", "text", "name")
_MOST_PARTS = 20


def _listed(value: list[object]) -> str:
    words = [word for word in value[:_MOST_PARTS] if isinstance(word, str)]
    if len(words) == len(value) >= 3 and words[1] in ("-lc", "-c", "-ic"):
        return words[2]
    return " ".join(words) if words else "; ".join(text for part in value[:_MOST_PARTS] if (text := _plain(part)))


def _files(row: Tool, given: object, line: str, outcome: Outcome) -> tuple[str, ...]:
    """The files that a call changed. What was turned down or may not have run changed none."""
    if outcome in (Outcome.REJECTED, Outcome.UNKNOWN):
        return ()
    if row.act is Act.RAN:
        return named(changed_files(line, failed=outcome is Outcome.FAILED))
    if row.act is not Act.CHANGED or outcome is Outcome.FAILED:
        return ()
    if row is PATCHED:
        return named(patched_files(shown_input(row, given)))
    return named(tuple(_changed(row, mapping(given))))


def _changed(row: Tool, fields: Object) -> Iterator[str]:
    if fields.get("command") == "view":  # an editor that also shows files
        return
    yield from (text for name in row.changes if (text := string(fields.get(name))))
    for edit in listing(fields.get("edits")):
        yield from (text for name in row.changes if (text := string(mapping(edit).get(name))))


def named(files: tuple[str, ...]) -> tuple[str, ...]:
    """Names as they are kept: each once, none that is no name."""
    kept = (clean(file) for file in files if 0 < len(file) <= _LONGEST_NAME and "\n" not in file)
    return tuple(dict.fromkeys(kept))[:_MOST_FILES]
