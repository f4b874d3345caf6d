"""What stands in a transcript and nobody said: reminders, wrappers, and what other tools and Tacit itself put there.

Each row of `ROWS` is a tag. What is between its two marks goes, or stays without them. Everything is found in one pass.
"""

from __future__ import annotations

import re
from enum import Enum

from tacit.record import Record


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
