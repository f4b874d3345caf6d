"""From a host's record to transcript events, the same for every host: noise goes, texts are bounded and redacted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from enum import Enum

from tacit.home.capture_policy import is_purge_command
from tacit.hosts.records import (
    MAX_PROMPT_CHARS,
    NO_TIME,
    CaptureLimits,
    JsonDict,
    ReadStats,
    TranscriptEvent,
    as_list,
    as_object,
    as_string,
)
from tacit.hosts.tools import (
    PATCH_TOOL,
    HostTool,
    ResultPolicy,
    changed_files,
    edit_excerpt,
    lookup_tool,
    patched_files,
    runs_tacit,
)
from tacit.model.observation import (
    ConversationBody,
    PromptGiven,
    PromptKind,
    ReplyGiven,
    SessionCompacted,
    SessionTitled,
    TitleAuthor,
    ToolAction,
    ToolOutcome,
    ToolUsed,
    TurnInterrupted,
)
from tacit.record import Record
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip

# What stands in a transcript and nobody said: reminders, wrappers, and what other tools and Tacit itself put there.
#
# Each row of `ROWS` is a tag. What is between its two marks goes, or stays without them. Everything is found in one
# pass.


class TagAction(Enum):
    """What becomes of a text between two marks."""

    DROP = "goes"
    UNWRAP = "stays"  # only the marks go


class NoiseTag(Record):
    """A tag in lower case, what becomes of its content, and how it looks."""

    tag: str
    action: TagAction
    example: str


def _drop(tag: str, example: str = "") -> NoiseTag:
    return NoiseTag(tag, TagAction.DROP, example or f"<{tag}>put there</{tag}>")


def _unwrap(tag: str) -> NoiseTag:
    return NoiseTag(tag, TagAction.UNWRAP, f"<{tag}>said</{tag}>")


NOISE_TAGS = (
    # Claude Code
    _drop("system-reminder", "<system-reminder>\nThe date has changed.\n</system-reminder>"),
    _drop("local-command-caveat"),
    _drop("local-command-stdout"),
    _drop("local-command-stderr"),
    _drop("bash-stdout"),
    _drop("bash-stderr"),
    _drop("command-message"),
    _drop("command-contents"),
    _drop("task-notification"),
    _drop("agent-notification"),
    _drop("teammate-message", '<teammate-message teammate_id="reviewer">put there</teammate-message>'),
    _drop("cross-session-message"),
    _drop("channel-message"),
    _drop("fork-boilerplate"),
    _drop("remote-review-progress"),
    _drop("user-prompt-submit-hook"),
    _drop("session-start-hook"),
    _drop("post-tool-use-hook"),
    _drop("new-diagnostics"),
    _drop("ide_opened_file", "<ide_opened_file>The user opened the file a.py in the IDE.</ide_opened_file>"),
    _drop("ide_selection"),
    _drop("ide_diagnostics"),
    _drop("ide-context"),
    _unwrap("user-memory-input"),
    _unwrap("tool_use_error"),
    _unwrap("persisted-output"),
    # Codex
    _drop("environment_context", "<environment_context>\n  <cwd>x</cwd>\n</environment_context>"),
    _drop("user_instructions"),
    _drop("skills_instructions"),
    _drop("turn_aborted"),
    _drop("subagent_notification"),
    _drop("user_shell_command"),
    _drop("collaboration_mode"),
    _drop("apps_instructions"),
    _drop("plugins_instructions"),
    _drop("model_switch"),
    _drop("personality_spec"),
    # Gemini CLI
    _drop("hook_context"),
    _drop("session_context"),
    _drop("state_snapshot"),
    _unwrap("untrusted_context"),
    # Copilot CLI
    _drop("system_reminder"),
    _drop("system_notification"),
    _drop("current_datetime"),
    # Cursor and Cline
    _drop("environment_details"),
    _drop("open_and_recently_viewed_files"),
    _drop("additional_data"),
    _drop("attached_files"),
    _drop("project_layout"),
    _unwrap("user_query"),
    # Other memories
    _drop("aide-session-start"),
    _drop("aide-recent-sessions"),
    _drop("aide-context"),
    _drop("aide-memory"),
    _drop("extremely_important"),  # what a collection of skills puts before every session
    _drop("claude-mem-context"),
    _drop("supermemory-context"),
    _drop("supermemory-containers"),
    _drop("relevant-memories"),
    _drop("relevant_memories"),
    _drop("memory-context"),
    _drop("basic-memory-context"),
    _drop("mem0-context"),
    _drop("openmemory-context"),
    _drop("agentmemory-context"),
    _drop("private"),  # what a person asked another memory not to keep
)
_TAG_ACTIONS = {row.tag: row.action for row in NOISE_TAGS}
_NOISE_TAG = re.compile(
    r"<(/?)(" + "|".join(sorted(map(re.escape, _TAG_ACTIONS), key=len, reverse=True)) + r")(?:\s[^<>]{0,400})?>",
    re.IGNORECASE,
)
# Tacit's own fences: the number is made up anew each time, so nothing inside can pretend to be the end.
_FENCE = re.compile(r"<(/?)(tacit-[A-Za-z-]{1,40} [0-9a-f]{20})>")


class _TagMatch(Record):
    start: int
    end: int
    tag: str
    is_closing: bool


def without_noise(text: str) -> str:
    """The text without what nobody said."""
    if "<" not in text:
        return text
    kept = _strip_noise_tags(without_fences(text))
    return kept.strip() if len(kept) != len(text) else text


def without_fences(text: str) -> str:
    """Without what Tacit gave. Where a host cut a fence in two, what may have stood inside it goes too."""
    if "<tacit-" not in text and "</tacit-" not in text:
        return text
    kept: list[str] = []
    done, inside = 0, ""
    for mark in _find_tags(_FENCE, text):
        if inside:
            done, inside = (mark.end, "") if mark.is_closing and mark.tag == inside else (done, inside)
        elif mark.is_closing:
            kept, done = [], mark.end  # its beginning was cut off
        else:
            kept.append(text[done : mark.start])
            inside = mark.tag
    return "".join(kept if inside else [*kept, text[done:]])


def _strip_noise_tags(text: str) -> str:
    marks = [mark._replace(tag=mark.tag.lower()) for mark in _find_tags(_NOISE_TAG, text)]
    ends = {mark.tag: nth for nth, mark in enumerate(marks) if mark.is_closing}
    kept: list[str] = []
    done = nth = 0
    while nth < len(marks):
        mark = marks[nth]
        if _TAG_ACTIONS[mark.tag] is TagAction.UNWRAP:
            kept.append(text[done : mark.start])
            done, nth = mark.end, nth + 1
        elif mark.is_closing or ends.get(mark.tag, -1) < nth:
            nth += 1  # one mark alone is something that somebody wrote
        else:
            nth = _closing_index(marks, nth, ends[mark.tag])
            kept.append(text[done : mark.start])
            done, nth = marks[nth].end, nth + 1
    return "".join([*kept, text[done:]])


def _closing_index(marks: list[_TagMatch], opening: int, last: int) -> int:
    """The mark that closes this one, those inside it counted; the last of its kind where there are too few."""
    depth, tag = 0, marks[opening].tag
    for nth in range(opening, last + 1):
        if marks[nth].tag == tag:
            depth += -1 if marks[nth].is_closing else 1
            if depth == 0:
                return nth
    return last


def _find_tags(pattern: re.Pattern[str], text: str) -> list[_TagMatch]:
    return [_TagMatch(found.start(), found.end(), found[2], bool(found[1])) for found in pattern.finditer(text)]


# Making heard things of what a record says, the same for every host: noise goes, texts are bounded, keys last.

NEVER_CAPTURED = "never captured"
_SECRET_MARGIN_CHARS = 4096  # characters around a cut in which a secret is looked for
_PRIVATE_KEY = "PRIVATE KEY"  # the one secret with blanks and line breaks in it
_MAX_FILES = 200
_MAX_NAME_CHARS = 1024
_MAX_TITLE_CHARS = 200
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_SECRET_WORD = re.compile(r"\b(?:password|passphrase|secret|api[ _-]?key|token|credentials?|pin)\b", re.IGNORECASE)
_MIN_UNIQUE_ID_CHARS, _MIN_UNIQUE_ID_DIGITS = 20, 6


class EventContext(Record):
    """When and where something was said or done."""

    at: datetime
    session: str
    directory: str = ""
    branch: str = ""
    remote: str = ""


class PendingToolCall(Record):
    """A call of a tool that is waiting for its result. `key` is what it will be known by."""

    key: str
    tool: str
    arguments: object  # fields, or a text
    context: EventContext
    is_subagent: bool = False
    ordinal: int = 0


def event_key(own: object, session: str, at: datetime, content: str) -> str:
    """What a record is known by for ever: its id, with the session where it may be used elsewhere; else its content.

    (`msg-001` is in many transcripts. A long id with digits, or with a UUID in it, is in none but its own.)
    """
    if isinstance(own, str) and own:
        return own if is_unique_id(own) else f"{session}/{own[:_MAX_NAME_CHARS]}"
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:20]
    return f"{session}@{at.isoformat()}#{digest}"


def is_unique_id(own: str) -> bool:
    if len(own) > _MAX_NAME_CHARS:
        return False
    return bool(_UUID.search(own)) or (
        len(own) >= _MIN_UNIQUE_ID_CHARS and sum(map(str.isdigit, own)) >= _MIN_UNIQUE_ID_DIGITS
    )


def truncate_middle(text: str, limit: int) -> str:
    """The beginning and the end of a text that is too long. Secrets go first: half of one would not be known again."""
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    mark = f" […{len(text) - limit:,} characters left out…] "
    room = limit - len(mark)
    if room < len(mark):
        return truncate_end(text, limit)
    end = room // 3
    head, tail = redacted(text[: room - end + _SECRET_MARGIN_CHARS]), redacted(text[-end - _SECRET_MARGIN_CHARS :])
    return head[: room - end] + mark + tail[len(tail) - end :]


def truncate_end(text: str, limit: int) -> str:
    """The beginning of a text that is too long, up to a blank: what is left out whole need not be known as a secret."""
    if len(text) <= limit or limit < 1:
        return text if limit > 0 else ""
    blank = max(text.rfind(sign, limit - limit // 4, limit) for sign in " \n\t")
    if blank > 0 and _PRIVATE_KEY not in text[:blank]:
        return text[:blank].rstrip() + "…"
    return clip(redacted(text[: limit + _SECRET_MARGIN_CHARS]), limit)


def redact_answer(answer: str, question: str) -> str:
    """Who is asked for a password may tell it; one word alone does not look like one."""
    asked = _SECRET_WORD.search(question)
    if not asked or len(answer.split()) != 1:
        return answer
    front = f"{asked[0]}: "
    return redacted(front + answer).removeprefix(front)


class EventNormalizer:
    """Yields heard things of one host. A key is told once."""

    def __init__(self, agent: str, limits: CaptureLimits, tally: ReadStats) -> None:
        self.agent, self.limits, self.stats = agent, limits, tally
        self._emitted: set[str] = set()

    def has_emitted(self, key: str) -> bool:
        return key in self._emitted

    def prompt(
        self,
        key: str,
        place: EventContext,
        text: str,
        how: PromptKind = PromptKind.TYPED,
        about: str = "",
        nth: int = 0,
    ) -> Iterator[TranscriptEvent]:
        said = self._clean_text(text, MAX_PROMPT_CHARS)
        if how is PromptKind.ANSWER:
            said = redact_answer(said, about)
        if how is PromptKind.SHELL and is_purge_command(said):
            self.stats.skipped[NEVER_CAPTURED] += 1
        elif said:
            about = truncate_end(clean(about), self.limits.input)
            body = PromptGiven(self.agent, said, how, about, place.directory, place.branch)
            yield from self._emit(key, place, body, said, nth)

    def reply(self, key: str, place: EventContext, text: str, nth: int = 0) -> Iterator[TranscriptEvent]:
        if said := self._clean_text(text, self.limits.reply):
            yield from self._emit(key, place, ReplyGiven(self.agent, said, place.directory), said, nth)

    def interruption(self, key: str, place: EventContext) -> Iterator[TranscriptEvent]:
        yield from self._emit(key, place, TurnInterrupted(self.agent), "", 0)

    def compaction(self, key: str, place: EventContext) -> Iterator[TranscriptEvent]:
        yield from self._emit(key, place, SessionCompacted(self.agent), "", 0)

    def title(
        self,
        place: EventContext,
        text: str,
        by: TitleAuthor = TitleAuthor.HOST,
        nth: int = 0,
        *,
        timeless: bool = False,
    ) -> Iterator[TranscriptEvent]:
        """The title that a session has in its host. The same title at another time is another event, so that the
        latest is known; with `timeless`, where the host does not tell since when it holds, it is the same event."""
        said = truncate_end(" ".join(clean(without_noise(text)).split()), _MAX_TITLE_CHARS)
        if said:
            key = event_key("", place.session, NO_TIME if timeless else place.at, f"title {nth} {by} {said}")
            told = self._emit(key, place, SessionTitled(self.agent, said, by), said, nth)
            yield from (heard._replace(timeless=timeless) for heard in told)

    def tool_use(
        self,
        call: PendingToolCall,
        result: str = "",
        outcome: ToolOutcome = ToolOutcome.SUCCEEDED,
        files: tuple[str, ...] = (),
    ) -> Iterator[TranscriptEvent]:
        """A call with its result. Of a helper only what changed something or ran is told."""
        row = lookup_tool(call.tool)
        shown, line = summarize_input(row, call.arguments), command_line(row, call.arguments)
        if row is PATCH_TOOL:
            shown = ", ".join(patched_files(shown)) or shown
        if is_purge_command(line):
            self.stats.skipped[NEVER_CAPTURED] += 1
            return
        if call.is_subagent and row.act not in (ToolAction.RAN, ToolAction.CHANGED):
            self.stats.skipped["done by a helper"] += 1
            return
        body = ToolUsed(
            self.agent,
            clean(call.tool)[:100],
            row.act,
            truncate_end(clean(without_noise(shown)).strip(), self.limits.input),
            self._clean_result(call.tool, row, line, result, outcome),
            outcome,
            files or _files_changed_by(row, call.arguments, line, outcome),
            call.context.directory,
            call.is_subagent,
            edit_excerpt(row, call.arguments, self.limits.input) if outcome is ToolOutcome.SUCCEEDED else "",
        )
        yield from self._emit(call.key, call.context, body, body.input + body.result + body.change, call.ordinal)

    def unanswered_call(self, call: PendingToolCall) -> Iterator[TranscriptEvent]:
        """A call whose result never came, now that the person has gone on."""
        if not self.has_emitted(call.key):
            yield from self.tool_use(call._replace(key=f"{call.key}#unanswered"), "", ToolOutcome.UNKNOWN)

    def describe_call(self, call: PendingToolCall) -> str:
        return f"{call.tool}: {summarize_input(lookup_tool(call.tool), call.arguments)}"

    def _clean_text(self, text: str, limit: int) -> str:
        return truncate_middle(clean(without_noise(text)).strip(), limit)

    def _clean_result(self, name: str, row: HostTool, line: str, result: str, outcome: ToolOutcome) -> str:
        if (
            row.result_policy is ResultPolicy.NEVER
            or name.lower() in self.limits.skipped_tools
            or outcome is ToolOutcome.REJECTED
        ):
            return ""
        if (row.result_policy is ResultPolicy.FAILURES and outcome is not ToolOutcome.FAILED) or runs_tacit(line):
            return ""
        told = clean(without_noise(result)).strip()
        # What went wrong is mostly told at the end.
        return (truncate_middle if outcome is ToolOutcome.FAILED else truncate_end)(told, self.limits.result)

    def _emit(
        self, key: str, place: EventContext, body: ConversationBody | SessionTitled, text: str, nth: int
    ) -> Iterator[TranscriptEvent]:
        if key in self._emitted:
            self.stats.skipped["told already"] += 1
            return
        self._emitted.add(key)
        self.stats.text_bytes += len(text.encode("utf-8", "replace"))
        yield TranscriptEvent(
            clean(key), place.at, clean(place.session), body, nth, clean(place.directory), clean(place.remote)
        )


def summarize_input(row: HostTool, given: object) -> str:
    """What was asked of a tool, in a few words."""
    if isinstance(given, str):
        return given
    fields = as_object(given)
    for name in row.shown_fields:
        if name in fields and (text := _value_text(fields[name])):
            return text
    return ", ".join(f"{name}: {text}" for name, value in fields.items() if (text := _value_text(value)))


def command_line(row: HostTool, given: object) -> str:
    """The line that a shell was given; `["bash", "-lc", LINE]` is that line."""
    if row.act is not ToolAction.RAN:
        return ""
    return summarize_input(row, given)


def _value_text(value: object) -> str:
    """A value for people: lists by their parts, questions and steps by their words."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, list):
        return _list_text(value)
    if isinstance(value, dict):
        return next((text for name in _TEXT_FIELDS if (text := as_string(value.get(name)))), "")
    return str(value) if isinstance(value, int | float) else ""


_TEXT_FIELDS = ("question", "content", "step", "subject", "description", "path", "file_path", "text", "name")
_MAX_PARTS = 20


def _list_text(value: list[object]) -> str:
    words = [word for word in value[:_MAX_PARTS] if isinstance(word, str)]
    if len(words) == len(value) >= 3 and words[1] in ("-lc", "-c", "-ic"):
        return words[2]
    return " ".join(words) if words else "; ".join(text for part in value[:_MAX_PARTS] if (text := _value_text(part)))


def _files_changed_by(row: HostTool, given: object, line: str, outcome: ToolOutcome) -> tuple[str, ...]:
    """The files that a call changed. What was turned down or may not have run changed none."""
    if outcome in (ToolOutcome.REJECTED, ToolOutcome.UNKNOWN):
        return ()
    if row.act is ToolAction.RAN:
        return clean_file_names(changed_files(line, failed=outcome is ToolOutcome.FAILED))
    if row.act is not ToolAction.CHANGED or outcome is ToolOutcome.FAILED:
        return ()
    if row is PATCH_TOOL:
        return clean_file_names(patched_files(summarize_input(row, given)))
    return clean_file_names(tuple(_edited_paths(row, as_object(given))))


def _edited_paths(row: HostTool, fields: JsonDict) -> Iterator[str]:
    if fields.get("command") == "view":  # an editor that also shows files
        return
    yield from (text for name in row.file_fields if (text := as_string(fields.get(name))))
    for edit in as_list(fields.get("edits")):
        yield from (text for name in row.file_fields if (text := as_string(as_object(edit).get(name))))


def clean_file_names(files: tuple[str, ...]) -> tuple[str, ...]:
    """Names as they are kept: each once, none that is no name."""
    kept = (clean(file) for file in files if 0 < len(file) <= _MAX_NAME_CHARS and "\n" not in file)
    return tuple(dict.fromkeys(kept))[:_MAX_FILES]
