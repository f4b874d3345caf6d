"""Noise: tagged text in transcripts that nobody said (reminders, wrappers, output of other tools and of Tacit)."""

from __future__ import annotations

import re

from tacit.record import Record

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


class _TagMatch(Record):
    start: int
    end: int
    tag: str
    is_closing: bool


def without_noise(text: str) -> str:
    """Remove fences and noise tags from a text; strip it if anything was removed."""
    if "<" not in text:
        return text
    remaining = _strip_noise_tags(_without_fences(text))
    return remaining.strip() if len(remaining) != len(text) else text


def _without_fences(text: str) -> str:
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
        if match.tag in DROPPED_TAGS:
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
