"""Normalise what hosts record into transcript events: strip noise, limit and redact texts, derive stable keys."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from enum import Enum

from tacit.commandline.executions import changed_files, patched_files
from tacit.home.capture_policy import is_purge_command
from tacit.hosts.records import (
    MAX_PROMPT_CHARS,
    NO_TIME,
    UUID,
    CaptureLimits,
    JsonDict,
    ReadStats,
    TranscriptEvent,
    as_list,
    as_object,
    as_string,
)
from tacit.hosts.tool_calls import is_stopped_result, without_warning
from tacit.hosts.tools import (
    PATCH_TOOL,
    HostTool,
    ResultPolicy,
    edit_excerpt,
    lookup_tool,
    runs_tacit,
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
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip

# Noise: tagged text in transcripts that nobody said (reminders, wrappers, output of other tools and of Tacit)


class TagAction(Enum):
    """What happens to the text between an opening and a closing tag."""

    DROP = "goes"
    UNWRAP = "stays"  # only the tags are removed


class NoiseTag(Record):
    """A tag in lower case, what happens to its content, and an example."""

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
    _drop("extremely_important"),  # a collection of skills puts it before every session
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
# Tacit's own fences. Their number is random, so text inside a fence cannot imitate its end.
_FENCE = re.compile(r"<(/?)(tacit-[A-Za-z-]{1,40} [0-9a-f]{20})>")


class _TagMatch(Record):
    start: int
    end: int
    tag: str
    is_closing: bool


def without_noise(text: str) -> str:
    """Remove fences and noise tags from a text; strip it if anything was removed."""
    if "<" not in text:
        return text
    remaining = _strip_noise_tags(without_fences(text))
    return remaining.strip() if len(remaining) != len(text) else text


def without_fences(text: str) -> str:
    """Remove what Tacit injected. If the host cut a fence in two, all that may have been inside it goes too."""
    if "<tacit-" not in text and "</tacit-" not in text:
        return text
    pieces: list[str] = []
    position, open_tag = 0, ""
    for match in _find_tags(_FENCE, text):
        if open_tag:
            if match.is_closing and match.tag == open_tag:
                position, open_tag = match.end, ""
        elif match.is_closing:
            pieces, position = [], match.end  # its start was cut off
        else:
            pieces.append(text[position : match.start])
            open_tag = match.tag
    return "".join(pieces if open_tag else [*pieces, text[position:]])


def _strip_noise_tags(text: str) -> str:
    tags = [match._replace(tag=match.tag.lower()) for match in _find_tags(_NOISE_TAG, text)]
    last_closing = {match.tag: index for index, match in enumerate(tags) if match.is_closing}
    pieces: list[str] = []
    position = index = 0
    while index < len(tags):
        match = tags[index]
        if _TAG_ACTIONS[match.tag] is TagAction.DROP:
            if match.is_closing or last_closing.get(match.tag, -1) < index:
                index += 1  # somebody wrote a single tag
                continue
            index = _closing_index(tags, index, last_closing[match.tag])
        pieces.append(text[position : match.start])
        position, index = tags[index].end, index + 1
    return "".join([*pieces, text[position:]])


def _closing_index(tags: list[_TagMatch], opening: int, last: int) -> int:
    """Return the index of the tag that closes `opening`, nested ones counted; `last` if there are too few."""
    depth, tag = 0, tags[opening].tag
    for index in range(opening, last + 1):
        if tags[index].tag == tag:
            depth += -1 if tags[index].is_closing else 1
            if depth == 0:
                return index
    return last


def _find_tags(pattern: re.Pattern[str], text: str) -> list[_TagMatch]:
    return [_TagMatch(match.start(), match.end(), match[2], bool(match[1])) for match in pattern.finditer(text)]


# Keys of events

_MAX_NAME_CHARS = 1024
_MIN_UNIQUE_ID_CHARS, _MIN_UNIQUE_ID_DIGITS = 20, 6


class EventContext(Record):
    """When and where something was said or done."""

    at: datetime
    session: str
    directory: str = ""
    branch: str = ""
    remote: str = ""


def event_key(record_id: object, session: str, at: datetime, content: str) -> str:
    """Return the stable key of a record.

    That is its id, prefixed by the session if other transcripts may use the same id (`msg-001` is in many). A record
    without an id is identified by its session, time and content.
    """
    if isinstance(record_id, str) and record_id:
        return record_id if is_unique_id(record_id) else f"{session}/{record_id[:_MAX_NAME_CHARS]}"
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:20]
    return f"{session}@{at.isoformat()}#{digest}"


def is_unique_id(record_id: str) -> bool:
    """Whether no other transcript can use this id: it contains a UUID, or is long and has enough digits."""
    if len(record_id) > _MAX_NAME_CHARS:
        return False
    return bool(UUID.search(record_id)) or (
        len(record_id) >= _MIN_UNIQUE_ID_CHARS and sum(map(str.isdigit, record_id)) >= _MIN_UNIQUE_ID_DIGITS
    )


# Length limits and redaction

_SECRET_MARGIN_CHARS = 4096  # characters around a cut in which secrets are redacted
_PRIVATE_KEY = "PRIVATE KEY"  # the only secret that contains spaces and line breaks
_SECRET_WORD = re.compile(r"\b(?:password|passphrase|secret|api[ _-]?key|token|credentials?|pin)\b", re.IGNORECASE)


_MAX_TEXT_BYTES = MAX_EVENT_BYTES * 3 // 4  # of a prompt or reply; the other fields need some, too


def _encoded_size(text: str) -> int:
    """Return how many bytes a text takes in the log. A short one is not measured."""
    return 0 if len(text) * 6 <= _MAX_TEXT_BYTES else len(json.dumps(text).encode())


def truncate_middle(text: str, limit: int) -> str:
    """Keep the start and end of a long text. Secrets are redacted before the cut: half of one is not recognised."""
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


# Events

NEVER_CAPTURED = "never captured"
_MAX_FILES = 200
_MAX_TITLE_CHARS = 200


class PendingToolCall(Record):
    """A tool call that waits for its result."""

    key: str
    tool: str
    arguments: object  # an object, or a text
    context: EventContext
    is_subagent: bool = False
    ordinal: int = 0


class EventNormalizer:
    """Builds the events of one host, each key once. Yields nothing if no text is left or it must not be captured."""

    def __init__(self, agent: str, limits: CaptureLimits, stats: ReadStats) -> None:
        self.agent, self.limits, self.stats = agent, limits, stats
        self._emitted: set[str] = set()

    def has_emitted(self, key: str) -> bool:
        return key in self._emitted

    def prompt(
        self,
        key: str,
        context: EventContext,
        text: str,
        kind: PromptKind = PromptKind.TYPED,
        about: str = "",
        ordinal: int = 0,
    ) -> Iterator[TranscriptEvent]:
        """`about` is what the person answers: a question, or a rejected call."""
        text = self._clean_text(text, MAX_PROMPT_CHARS)
        if kind is PromptKind.ANSWER:
            text = redact_answer(text, about)
        if kind is PromptKind.SHELL and is_purge_command(text):
            self.stats.skipped[NEVER_CAPTURED] += 1
        elif text:
            about = truncate_end(clean(about), self.limits.input)
            body = PromptGiven(self.agent, text, kind, about, context.directory, context.branch)
            yield from self._emit(key, context, body, text, ordinal)

    def reply(self, key: str, context: EventContext, text: str, ordinal: int = 0) -> Iterator[TranscriptEvent]:
        if text := self._clean_text(text, self.limits.reply):
            yield from self._emit(key, context, ReplyGiven(self.agent, text, context.directory), text, ordinal)

    def interruption(self, key: str, context: EventContext) -> Iterator[TranscriptEvent]:
        yield from self._emit(key, context, TurnInterrupted(self.agent), "", 0)

    def compaction(self, key: str, context: EventContext) -> Iterator[TranscriptEvent]:
        yield from self._emit(key, context, SessionCompacted(self.agent), "", 0)

    def title(
        self,
        context: EventContext,
        text: str,
        author: TitleAuthor = TitleAuthor.HOST,
        ordinal: int = 0,
        *,
        timeless: bool = False,
    ) -> Iterator[TranscriptEvent]:
        """The title that a session has in its host.

        The same title at another time is another event, so that the latest title is known. With `timeless` it is the
        same event: the host does not say since when the session has its title.
        """
        text = truncate_end(" ".join(clean(without_noise(text)).split()), _MAX_TITLE_CHARS)
        if text:
            at = NO_TIME if timeless else context.at
            key = event_key("", context.session, at, f"title {ordinal} {author} {text}")
            events = self._emit(key, context, SessionTitled(self.agent, text, author), text, ordinal)
            yield from (event._replace(timeless=timeless) for event in events)

    def tool_use(
        self,
        call: PendingToolCall,
        result: str = "",
        outcome: ToolOutcome = ToolOutcome.SUCCEEDED,
        files: tuple[str, ...] = (),
    ) -> Iterator[TranscriptEvent]:
        """A call and its result. Of a subagent, only calls that ran or changed something are captured.

        `files` are the changed files; if empty, they are taken from the arguments.
        """
        tool = lookup_tool(call.tool)
        outcome = ToolOutcome.REJECTED if is_stopped_result(result) else outcome
        result = without_warning(result)
        summary = summarize_input(tool, call.arguments)
        command = summary if tool.act is ToolAction.RAN else ""
        if tool is PATCH_TOOL:
            summary = ", ".join(patched_files(summary)) or summary
        if is_purge_command(command):
            self.stats.skipped[NEVER_CAPTURED] += 1
            return
        if call.is_subagent and tool.act not in (ToolAction.RAN, ToolAction.CHANGED):
            self.stats.skipped["done by a helper"] += 1
            return
        body = ToolUsed(
            self.agent,
            clean(call.tool)[:100],
            tool.act,
            truncate_end(clean(without_noise(summary)).strip(), self.limits.input),
            self._clean_result(call.tool, tool, command, result, outcome),
            outcome,
            files or _files_changed_by(tool, call.arguments, command, outcome),
            call.context.directory,
            call.is_subagent,
            edit_excerpt(tool, call.arguments, self.limits.input) if outcome is ToolOutcome.SUCCEEDED else "",
        )
        yield from self._emit(call.key, call.context, body, body.input + body.result + body.change, call.ordinal)

    def unanswered_call(self, call: PendingToolCall) -> Iterator[TranscriptEvent]:
        """A call without a result, once the person has moved on."""
        if not self.has_emitted(call.key):
            yield from self.tool_use(call._replace(key=f"{call.key}#unanswered"), "", ToolOutcome.UNKNOWN)

    def describe_call(self, call: PendingToolCall) -> str:
        return f"{call.tool}: {summarize_input(lookup_tool(call.tool), call.arguments)}"

    def _clean_text(self, text: str, limit: int) -> str:
        """Return a text without noise, with at most `limit` characters, that fits into one event of the log."""
        text = truncate_middle(clean(without_noise(text)).strip(), limit)
        while (size := _encoded_size(text)) > _MAX_TEXT_BYTES:
            text = truncate_middle(text, len(text) * _MAX_TEXT_BYTES // size)
        return text

    def _clean_result(self, name: str, tool: HostTool, command: str, result: str, outcome: ToolOutcome) -> str:
        if (
            tool.result_policy is ResultPolicy.NEVER
            or (tool.result_policy is ResultPolicy.FAILURES and outcome is not ToolOutcome.FAILED)
            or outcome is ToolOutcome.REJECTED
            or name.lower() in self.limits.skipped_tools
            or runs_tacit(command)
        ):
            return ""
        text = clean(without_noise(result)).strip()
        # Errors are mostly reported at the end of the output.
        return (truncate_middle if outcome is ToolOutcome.FAILED else truncate_end)(text, self.limits.result)

    def _emit(
        self, key: str, context: EventContext, body: ConversationBody | SessionTitled, text: str, ordinal: int
    ) -> Iterator[TranscriptEvent]:
        if key in self._emitted:
            self.stats.skipped["told already"] += 1
            return
        self._emitted.add(key)
        self.stats.text_bytes += len(text.encode("utf-8", "replace"))
        yield TranscriptEvent(
            clean(key),
            context.at,
            clean(context.session),
            body,
            ordinal,
            clean(context.directory),
            clean(context.remote),
        )


# Arguments of tool calls

_TEXT_FIELDS = ("question", "content", "step", "subject", "description", "path", "file_path", "text", "name")
_MAX_PARTS = 20


def summarize_input(tool: HostTool, arguments: object) -> str:
    """Return the first of the tool's `shown_fields` that has a text, else all fields as `name: text`."""
    if isinstance(arguments, str):
        return arguments
    fields = as_object(arguments)
    for name in tool.shown_fields:
        if name in fields and (text := _value_text(fields[name])):
            return text
    return ", ".join(f"{name}: {text}" for name, value in fields.items() if (text := _value_text(value)))


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        words = [word for word in value[:_MAX_PARTS] if isinstance(word, str)]
        if len(words) == len(value) >= 3 and words[1] in ("-lc", "-c", "-ic"):  # bash -lc LINE
            return words[2]
        if words:
            return " ".join(words)
        return "; ".join(text for part in value[:_MAX_PARTS] if (text := _value_text(part)))
    if isinstance(value, dict):
        return next((text for name in _TEXT_FIELDS if (text := as_string(value.get(name)))), "")
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _files_changed_by(tool: HostTool, arguments: object, command: str, outcome: ToolOutcome) -> tuple[str, ...]:
    """Return the files that a call changed. A call that was rejected or may not have run changed none."""
    if outcome in (ToolOutcome.REJECTED, ToolOutcome.UNKNOWN):
        return ()
    if tool.act is ToolAction.RAN:
        return clean_file_names(changed_files(command, failed=outcome is ToolOutcome.FAILED))
    if tool.act is not ToolAction.CHANGED or outcome is ToolOutcome.FAILED:
        return ()
    if tool is PATCH_TOOL:
        return clean_file_names(patched_files(summarize_input(tool, arguments)))
    return clean_file_names(tuple(_edited_paths(tool, as_object(arguments))))


def _edited_paths(tool: HostTool, fields: JsonDict) -> Iterator[str]:
    if fields.get("command") == "view":  # some editing tools also show files
        return
    for edit in [fields, *map(as_object, as_list(fields.get("edits")))]:
        yield from (path for name in tool.file_fields if (path := as_string(edit.get(name))))


def clean_file_names(files: tuple[str, ...]) -> tuple[str, ...]:
    """Return unique, printable names without those that are empty, too long or have a line break."""
    names = (clean(file) for file in files if 0 < len(file) <= _MAX_NAME_CHARS and "\n" not in file)
    return tuple(dict.fromkeys(names))[:_MAX_FILES]
