"""What the readers of transcripts share: they clean, limit and redact texts, derive stable keys, and build events."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from fnmatch import fnmatchcase

from tacit.commandline.executions import patched_files
from tacit.home.capture_policy import is_purge_command
from tacit.hosts.records import (
    MAX_NAME_CHARS,
    NO_TIME,
    UUID,
    CaptureLimits,
    JsonDict,
    LineScan,
    ReadStats,
    RecordClock,
    TranscriptEvent,
    parse_timestamp,
    read_records,
    session_from_path,
    start_offset,
    stream_path,
)
from tacit.hosts.tool_calls import is_stopped_result, without_warning
from tacit.hosts.tools import (
    PATCH_TOOL,
    HostTool,
    ResultPolicy,
    edit_excerpt,
    files_changed_by,
    is_own_tool,
    lookup_tool,
    runs_tacit,
    summarize_input,
    without_query,
)
from tacit.log.segment import MAX_EVENT_BYTES
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
from tacit.secrets import redacted
from tacit.text.display import clean, clip

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import BinaryIO


# Noise: tagged text that nobody said (reminders, wrappers, output of other tools and of Tacit)

# Text between these tags goes, with the tags.
DROPPED_TAGS = frozenset(
    (
        # Claude Code
        "system-reminder local-command-caveat local-command-stdout local-command-stderr bash-stdout bash-stderr "
        "command-message command-contents task-notification agent-notification teammate-message cross-session-message "
        "channel-message fork-boilerplate remote-review-progress user-prompt-submit-hook session-start-hook "
        "post-tool-use-hook new-diagnostics ide_opened_file ide_selection ide_diagnostics ide-context "
        # Codex
        "environment_context user_instructions skills_instructions turn_aborted subagent_notification "
        "user_shell_command collaboration_mode apps_instructions plugins_instructions model_switch personality_spec "
        # Gemini CLI, Copilot CLI
        "hook_context session_context state_snapshot system_reminder system_notification current_datetime "
        # Cursor and Cline
        "environment_details open_and_recently_viewed_files additional_data attached_files project_layout "
        # Other memories; a collection of skills that it puts before every session; what they were asked not to keep
        "aide-session-start aide-recent-sessions aide-context aide-memory claude-mem-context supermemory-context "
        "supermemory-containers relevant-memories relevant_memories memory-context basic-memory-context mem0-context "
        "openmemory-context agentmemory-context extremely_important private"
    ).split()
)
# Of these only the tags go.
UNWRAPPED_TAGS = frozenset("user-memory-input tool_use_error persisted-output untrusted_context user_query".split())
_NOISE_TAG = re.compile(
    r"<(/?)("
    + "|".join(sorted(map(re.escape, DROPPED_TAGS | UNWRAPPED_TAGS), key=len, reverse=True))
    + r")(?:\s[^<>]{0,400})?>",
    re.IGNORECASE,
)
# Tacit's own fences. Their number is random, so text inside a fence cannot imitate its end.
_FENCE = re.compile(r"<(/?)(tacit-[A-Za-z-]{1,40} [0-9a-f]{20})>")


def without_noise(text: str) -> str:
    """Remove fences and noise tags from a text; strip it if anything was removed."""
    if "<" not in text:
        return text
    remaining = _without_noise_tags(_without_fences(text))
    return remaining.strip() if len(remaining) != len(text) else text


def _without_fences(text: str) -> str:
    """Remove what Tacit injected. If the host cut a fence in two, all that may have been inside it goes too."""
    pieces: list[str] = []
    position, open_tag = 0, ""
    for match in _FENCE.finditer(text):
        is_closing, tag = match[1], match[2]
        if open_tag:
            if is_closing and tag == open_tag:
                position, open_tag = match.end(), ""
        elif is_closing:
            pieces, position = [], match.end()  # its start was cut off
        else:
            pieces.append(text[position : match.start()])
            open_tag = tag
    return "".join(pieces if open_tag else [*pieces, text[position:]])


def _without_noise_tags(text: str) -> str:
    matches = list(_NOISE_TAG.finditer(text))
    tags = [match[2].lower() for match in matches]
    last_closing = {tag: index for index, (tag, match) in enumerate(zip(tags, matches, strict=True)) if match[1]}
    pieces: list[str] = []
    position = index = 0
    while index < len(matches):
        match, tag = matches[index], tags[index]
        if tag in DROPPED_TAGS:
            last = last_closing.get(tag, -1)
            if tag == "private" and last < index and not match[1]:  # not closed: better too much than too little
                return "".join([*pieces, text[position : match.start()]])
            if match[1] or last < index:
                index += 1  # somebody wrote a single tag
                continue
            depth = 1  # up to the tag that closes this one, nested ones counted; the last if there are too few
            while depth and index < last:
                index += 1
                if tags[index] == tag:
                    depth += -1 if matches[index][1] else 1
        pieces.append(text[position : match.start()])
        position, index = matches[index].end(), index + 1
    return "".join([*pieces, text[position:]])


# Keys of events

_MIN_UNIQUE_ID_CHARS, _MIN_UNIQUE_ID_DIGITS = 20, 6


class EventContext(Record):
    """When and where something was said or done."""

    at: datetime
    session: str
    directory: str = ""
    branch: str = ""
    remote: str = ""


def event_key(record_id: object, context: EventContext, content: str) -> str:
    """Return the stable key of a record.

    That is its id, prefixed by the session if other transcripts may use the same id (`msg-001` is in many). A record
    without an id is identified by its session, time and content.
    """
    if isinstance(record_id, str) and record_id:
        return record_id if is_unique_id(record_id) else f"{context.session}/{record_id[:MAX_NAME_CHARS]}"
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:20]
    return f"{context.session}@{context.at.isoformat()}#{digest}"


def is_unique_id(record_id: str) -> bool:
    """Whether no other transcript can use this id: it contains a UUID, or is long and has enough digits."""
    if len(record_id) > MAX_NAME_CHARS:
        return False
    return bool(UUID.search(record_id)) or (
        len(record_id) >= _MIN_UNIQUE_ID_CHARS and sum(map(str.isdigit, record_id)) >= _MIN_UNIQUE_ID_DIGITS
    )


# Length limits and redaction

_SECRET_MARGIN_CHARS = 4096  # characters around a cut in which secrets are redacted
_PRIVATE_KEY = "PRIVATE KEY"  # the only secret that contains spaces and line breaks
_SECRET_WORD = re.compile(r"\b(?:password|passphrase|secret|api[ _-]?key|token|credentials?|pin)\b", re.IGNORECASE)


def truncate_middle(text: str, limit: int) -> str:
    """Keep the start and end of a long text. Secrets are redacted before the cut: half of one is not recognised."""
    if len(text) <= limit:
        return text
    mark = f" […{len(text) - limit:,} characters left out…] "
    room = limit - len(mark)
    if room < len(mark):
        return truncate_end(text, limit)
    end = room // 3
    head, tail = redacted(text[: room - end + _SECRET_MARGIN_CHARS]), redacted(text[-end - _SECRET_MARGIN_CHARS :])
    return head[: room - end] + mark + tail[len(tail) - end :]


def truncate_end(text: str, limit: int) -> str:
    """Keep the start of a long text. Cuts at a space if possible, which cuts no secret in two; else redacts first."""
    if limit < 1:
        return ""
    if len(text) <= limit:
        return text
    space = max(text.rfind(blank, limit - limit // 4, limit) for blank in " \n\t")
    if space > 0 and _PRIVATE_KEY not in text[:space]:
        return text[:space].rstrip() + "…"
    return clip(redacted(text[: limit + _SECRET_MARGIN_CHARS]), limit)


def redact_answer(answer: str, question: str) -> str:
    """Redact a one-word answer to a question for a secret. On its own the word would not look like one."""
    secret_word = _SECRET_WORD.search(question)
    if not secret_word or len(answer.split()) != 1:
        return answer
    prefix = f"{secret_word[0]}: "
    return redacted(prefix + answer).removeprefix(prefix)


# Readers of transcripts

Events = Iterator[TranscriptEvent]
_MAX_PROMPT_CHARS = 1 << 20  # no host accepts a longer prompt
_MAX_TEXT_BYTES = MAX_EVENT_BYTES * 3 // 4  # of a prompt or reply; the other fields need some, too
_MAX_TITLE_CHARS = 200
_NEVER_CAPTURED = "never captured"


class TypedText(Record):
    """A text that the person may have typed."""

    key: str
    context: EventContext
    text: str


class PendingToolCall(Record):
    """A tool call that waits for its result."""

    key: str
    tool: str
    arguments: object  # an object, or a text
    context: EventContext
    is_subagent: bool = False
    ordinal: int = 0


class TranscriptReader:
    """Reads one transcript. A subclass for each host turns records into events, and holds the state of a turn.

    Methods that build events yield each key once, and nothing if no text is left or it must not be captured.
    """

    agent = ""
    skipped_types: frozenset[str] = frozenset()
    timeless = False  # the host may report another time for the same event later

    def __init__(self, file: BinaryIO, limits: CaptureLimits, stats: ReadStats) -> None:
        self.file, self.limits, self.stats = file, limits, stats
        self.path = stream_path(file)
        self.session = session_from_path(self.path)
        self.directory = self.branch = self.remote = ""
        self.clock = RecordClock()
        self.calls: dict[str, PendingToolCall] = {}  # those of the current turn that have no result yet
        self._emitted: set[str] = set()

    def read(self, offset: int) -> Events:
        """Yield the events from an offset on: 0, or the cursor of an earlier reading."""
        self.stats.cursor = start_offset(self.file, offset)
        for record in read_records(self.file, self.stats.cursor, self.stats, self.scan_line):
            yield from self.read_record(*record)

    def scan_line(self, raw: bytes) -> LineScan:
        return "", raw

    def read_record(self, offset: int, record: JsonDict) -> Events:
        raise NotImplementedError

    def start_turn(self, offset: int, record: JsonDict) -> bool:
        """Start a turn with a record, if it has a time: what is before it is final, and is not needed any more."""
        has_time = parse_timestamp(record.get("timestamp")) is not None
        if has_time:
            self.stats.cursor = offset
            self.reset()
        return has_time

    def reset(self) -> None:
        """Drop the state of a turn."""
        self.clock, self.calls = RecordClock(), {}

    def context_at(self, at: datetime) -> EventContext:
        """Return the context of an event: the session, folder and branch that are known by now."""
        return EventContext(at, self.session, self.directory, self.branch, self.remote)

    def count_other(self, kind: str) -> None:
        """Count a record that is not captured, by its type."""
        (self.stats.skipped if kind in self.skipped_types else self.stats.unknown)[kind[:60]] += 1

    def take_call(self, call_id: str) -> PendingToolCall | None:
        """Return the call that a result is for, None if it is not known."""
        call = self.calls.pop(call_id, None)
        if call is None:
            self.stats.skipped["result without its call"] += 1
        return call

    # Events

    def prompt(
        self,
        key: str,
        context: EventContext,
        text: str,
        kind: PromptKind = PromptKind.TYPED,
        about: str = "",
        ordinal: int = 0,
    ) -> Events:
        """`about` is what the person answers: a question, or a rejected call."""
        text = self._clean_text(text, _MAX_PROMPT_CHARS)
        if kind is PromptKind.ANSWER:
            text = redact_answer(text, about)
        if kind is PromptKind.SHELL and is_purge_command(text):
            self.stats.skipped[_NEVER_CAPTURED] += 1
        elif text:
            about = truncate_end(clean(about), self.limits.input)
            body = PromptGiven(self.agent, text, kind, about, context.directory, context.branch)
            yield from self._emit(key, context, body, text, ordinal)

    def reply(self, key: str, context: EventContext, text: str, ordinal: int = 0) -> Events:
        if text := self._clean_text(text, self.limits.reply):
            yield from self._emit(key, context, ReplyGiven(self.agent, text, context.directory), text, ordinal)

    def interruption(self, key: str, context: EventContext) -> Events:
        yield from self._emit(key, context, TurnInterrupted(self.agent))

    def compaction(self, key: str, context: EventContext) -> Events:
        yield from self._emit(key, context, SessionCompacted(self.agent))

    def title(
        self,
        context: EventContext,
        text: str,
        author: TitleAuthor = TitleAuthor.HOST,
        ordinal: int = 0,
        *,
        timeless: bool = False,
    ) -> Events:
        """The title that a session has in its host.

        The same title at another time is another event, so that the latest title is known. With `timeless` it is the
        same event: the host does not say since when the session has its title.
        """
        text = truncate_end(" ".join(clean(without_noise(text)).split()), _MAX_TITLE_CHARS)
        if text:
            dated = context._replace(at=NO_TIME) if timeless else context
            key = event_key("", dated, f"title {ordinal} {author} {text}")
            body = SessionTitled(self.agent, text, author)
            yield from self._emit(key, context, body, text, ordinal, timeless=timeless)

    def tool_use(self, call: PendingToolCall, result: str = "", outcome: ToolOutcome = ToolOutcome.SUCCEEDED) -> Events:
        """A call and its result. Of a subagent, only calls that ran or changed something are captured."""
        tool = lookup_tool(call.tool)
        outcome = ToolOutcome.STOPPED if is_stopped_result(result) else outcome
        result = without_warning(result)
        summary = "" if is_own_tool(call.tool) else summarize_input(tool, call.arguments)
        command = summary if tool.act is ToolAction.RAN else ""
        if tool is PATCH_TOOL:
            summary = ", ".join(patched_files(summary)) or summary
        if is_purge_command(command):
            self.stats.skipped[_NEVER_CAPTURED] += 1
            return
        if call.is_subagent and tool.act not in (ToolAction.RAN, ToolAction.CHANGED):
            self.stats.skipped["done by a helper"] += 1
            return
        body = ToolUsed(
            self.agent,
            clean(call.tool)[:100],
            tool.act,
            truncate_end(
                clean(without_noise(without_query(summary) if command else summary)).strip(), self.limits.input
            ),
            self._clean_result(call.tool, tool, command, result, outcome),
            outcome,
            files_changed_by(tool, call.arguments, command, outcome),
            call.context.directory,
            call.is_subagent,
            edit_excerpt(tool, call.arguments, self.limits.input) if outcome is ToolOutcome.SUCCEEDED else "",
        )
        yield from self._emit(call.key, call.context, body, body.input + body.result + body.change, call.ordinal)

    def unanswered_call(self, call: PendingToolCall) -> Events:
        """A call without a result, once the person has moved on."""
        if call.key not in self._emitted:
            yield from self.tool_use(call._replace(key=f"{call.key}#unanswered"), "", ToolOutcome.UNKNOWN)

    def unanswered_calls(self) -> Events:
        for call in self.calls.values():
            yield from self.unanswered_call(call)

    def _clean_text(self, text: str, limit: int) -> str:
        """Return a text without noise, with at most `limit` characters, that fits into one event of the log."""
        text = truncate_middle(clean(without_noise(text)).strip(), limit)
        # A character takes six bytes at most, so a short text is not measured.
        while len(text) * 6 > _MAX_TEXT_BYTES and (size := len(json.dumps(text).encode())) > _MAX_TEXT_BYTES:
            text = truncate_middle(text, len(text) * _MAX_TEXT_BYTES // size)
        return text

    def _clean_result(self, name: str, tool: HostTool, command: str, result: str, outcome: ToolOutcome) -> str:
        if (
            tool.result_policy is ResultPolicy.NEVER
            or (tool.result_policy is ResultPolicy.FAILURES and outcome is not ToolOutcome.FAILED)
            or not outcome.has_run
            or name.lower() in self.limits.skipped_tools
            or runs_tacit(command)
        ):
            return ""
        text = clean(without_noise(result)).strip()
        # Errors are mostly reported at the end of the output.
        return (truncate_middle if outcome is ToolOutcome.FAILED else truncate_end)(text, self.limits.result)

    def _emit(
        self,
        key: str,
        context: EventContext,
        body: ConversationBody | SessionTitled,
        text: str = "",
        ordinal: int = 0,
        *,
        timeless: bool = False,
    ) -> Events:
        if key in self._emitted:
            self.stats.skipped["told already"] += 1
            return
        self._emitted.add(key)
        self.stats.text_bytes += len(text.encode("utf-8", "replace"))
        session, directory, remote = clean(context.session), clean(context.directory), clean(context.remote)
        timeless = timeless or self.timeless
        yield TranscriptEvent(clean(key), context.at, session, body, ordinal, directory, remote, timeless)


class TranscriptSource(Record):
    """How the transcripts of one host are found and read.

    They are in `folders` (or files) below the folder that the environment variable names, by default one in the user's
    home directory. `signatures` has a pattern of their first bytes for each pattern of their names. If
    `has_byte_offsets` is false, a cursor is not an offset in the file but a number that only the reader understands.
    """

    name: str
    variable: str
    default: str
    folders: tuple[str, ...]
    signatures: Mapping[str, re.Pattern[bytes]]
    reader: type[TranscriptReader]
    has_byte_offsets: bool = True

    def paths(self, environment: Mapping[str, str], user_folder: str) -> list[str]:
        home = environment.get(self.variable) or os.path.join(user_folder, self.default)
        return [os.path.join(home, folder) for folder in self.folders]

    def matches(self, path: str, head: bytes) -> bool:
        """Whether a file is a transcript of this host, by its name and its first bytes."""
        name = os.path.basename(path)
        return any(fnmatchcase(name, form) and mark.search(head) is not None for form, mark in self.signatures.items())

    def read(self, file: BinaryIO, offset: int, limits: CaptureLimits, stats: ReadStats) -> Events:
        """Yield the events from an offset on: 0, or the cursor of an earlier reading."""
        return self.reader(file, limits, stats).read(offset)
