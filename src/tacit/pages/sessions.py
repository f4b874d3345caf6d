"""`sessions/KEY.md`: a session as a page for people, and as a checkpoint for an agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tacit.model import recap
from tacit.model.claim import project_name
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.model.session import Session, SessionSummary, Turn
from tacit.pages.long_term import escape
from tacit.text.display import clip, escape_deceptive, harmless_text, list_names, one_line
from tacit.text.summarize import opening_line, result_sentence

_MAX_REQUEST_CHARS, _MAX_LINE_CHARS, _MAX_RESULT_CHARS, _SHORT_TEXT_CHARS = 300, 200, 160, 1200
_MAX_LISTED = 12  # files or search terms in one line, and lines of one sort in a shortened turn
MAX_CHECKPOINT_REQUESTS = 12
_MAX_CHECKPOINT_REQUEST_CHARS, _MAX_OUTCOME_CHARS, _MAX_CHECKPOINT_FILES = 200, 160, 20
_HOW_LABELS = {
    PromptKind.QUEUED: "while the agent worked",
    PromptKind.REJECTION: "turning a call down",
    PromptKind.ANSWER: "answering",
    PromptKind.SHELL: "ran in the shell",
}
_FENCE_OPEN, _FENCE_CLOSE = re.compile(r"(`{3,})[^`]*"), re.compile(r" {0,3}(`{3,})[ \t]*")
_ACT_VERBS = {
    ToolAction.RAN: "Ran",
    ToolAction.CHANGED: "Changed",
    ToolAction.READ: "Read",
    ToolAction.SEARCHED: "Searched for",
    ToolAction.DELEGATED: "Let a helper",
    ToolAction.ASKED: "Asked",
    ToolAction.PLANNED: "Planned",
    ToolAction.FETCHED: "Fetched",
    ToolAction.OTHER: "Used",
}
_LISTED_ACTS = (ToolAction.READ, ToolAction.SEARCHED)  # such calls share one line


def render_session(session: Session, limit: int | None = None) -> list[str]:
    """Return the page of a session. Turns with more than `limit` characters are shortened."""
    return list(_page_lines(session, limit))


def render_part(session: Session, number: int) -> list[str]:
    """Return one part of a session in full: a turn, counted from 1, or after the last turn a model's summary."""
    part = session.searchable_parts[number - 1]
    if isinstance(part, SessionSummary):
        return ["", part_heading(part), "", *_summary_lines(part)]
    return list(_turn_lines(part, session, None))


def part_heading(part: Turn | SessionSummary) -> str:
    """Return the heading of a turn or summary, by which its line is looked up."""
    if isinstance(part, SessionSummary):
        return f"## Summary (by {escape(part.model)})"
    return f"### {part.number}. {part.started_at:%H:%M} {escape(recap.turn_title(part))}"


def session_tags(session: Session) -> list[str]:
    name = project_name(session.scope).rstrip("/").rpartition("/")[2]
    return ["session", session.agent, *([name] if name else [])]


def _page_lines(session: Session, limit: int | None) -> Iterator[str]:
    yield f"# {escape(recap.session_title(session.host_title, session.turns))}"
    yield ""
    yield from _header_lines(session)
    if session.summary:
        yield from ("", part_heading(session.summary), "", *_summary_lines(session.summary))
    yield from ("", "## User Request", "")
    for turn in session.turns:
        if turn.prompts:
            request = escape(opening_line(turn.request, _MAX_REQUEST_CHARS))
            yield f"{turn.number}. {request or '(nothing that can be shown)'}"
    yield from ("", "## Work Performed")
    for turn in session.turns:
        yield from _turn_lines(turn, session, limit)
    sections = {
        "Files Modified": [f"- {escape(file)}" for file in session.files],
        "Tools Used": [f"- {escape(tool)}: {count}" for tool, count in session.tools],
        "Outcome": list(_outcome_lines(session)),
    }
    for title, lines in sections.items():
        yield from ("", f"## {title}", "", *lines) if lines else ()


def _header_lines(session: Session) -> Iterator[str]:
    yield f"- Session: {session.id} ({escape(session.agent)} {escape(session.host_session_id)})"
    if name := project_name(session.scope):
        yield f"- Project: {escape(name)}"
    if session.directory:
        branch = f", branch {escape(session.branch)}" if session.branch else ""
        yield f"- Directory: {escape(session.directory)}{branch}"
    end_format = "%H:%M" if session.started_at.date() == session.ended_at.date() else "%Y-%m-%d %H:%M"
    yield f"- When: {session.started_at:%Y-%m-%d %H:%M} to {session.ended_at:{end_format}}"
    times = "once" if session.compactions == 1 else f"{session.compactions} times"
    compacted = f", compacted {times}" if session.compactions else ""
    yield f"- Turns: {len(session.turns)}{compacted}"
    yield f"- Tags: {escape(', '.join(session_tags(session)))}"


def _summary_lines(summary: SessionSummary) -> Iterator[str]:
    yield f"- {escape(' '.join(summary.text.split()))}"
    if summary.newer_turns:
        yield from ("", f"({summary_gap(summary.newer_turns).capitalize()}.)")


def summary_gap(turns: int) -> str:
    """Return when a summary was made, if so many turns were added since."""
    return "before the end of the last turn" if turns == 1 else f"before the last {turns} turns"


# A turn


def _turn_lines(turn: Turn, session: Session, limit: int | None) -> Iterator[str]:
    yield ""
    yield part_heading(turn)
    if turn.compacted:
        yield from ("", "(The conversation was compacted.)")
    lines = list(_full_turn_lines(turn, session))
    yield from lines if limit is None or sum(map(len, lines)) <= limit else _short_turn_lines(turn, session, limit)
    if turn.interrupted:
        yield from ("", "(Interrupted by the person.)")


def _full_turn_lines(turn: Turn, session: Session) -> Iterator[str]:
    for prompt in turn.prompts:
        yield from _prompt_lines(prompt, prompt.text)
    for is_call, steps in groupby(turn.steps, key=lambda step: isinstance(step, ToolUsed)):
        if is_call:
            yield ""
            yield from _call_lines([step for step in steps if isinstance(step, ToolUsed)], session)
        else:
            for step in steps:
                yield from ("", *_reply_lines(step.text)) if isinstance(step, ReplyGiven) else ()


def _short_turn_lines(turn: Turn, session: Session, limit: int) -> Iterator[str]:
    """Yield shortened prompts, the number of calls, changes and failures, results from replies, and the last reply.

    What is left out here is in the log.
    """
    max_chars = max(limit // max(len(turn.prompts), 1), _SHORT_TEXT_CHARS)
    for prompt in turn.prompts:
        yield from _prompt_lines(prompt, _cut_middle(prompt.text, max_chars))
    failed = [call for call in turn.calls if call.outcome is ToolOutcome.FAILED]
    changed = [call for call in turn.calls if call.files]
    ran = [call for call in turn.calls if call.act is ToolAction.RAN]
    failed_count = sum(call.outcome is ToolOutcome.FAILED for call in ran)
    files = len({file for call in changed for file in call.files})
    yield ""
    yield f"- {len(turn.calls)} calls: {len(ran)} commands ({failed_count} failed), {files} files changed"
    yield from _call_lines(changed, session, _MAX_LISTED)
    yield from _call_lines([call for call in failed if not call.files], session, _MAX_LISTED)
    results = [result for reply in turn.replies[:-1] if (result := result_sentence(reply, _MAX_LINE_CHARS))]
    yield from (f"- Said: {escape(result)}" for result in results[-_MAX_LISTED:])
    if turn.replies:
        yield from ("", *_reply_lines(_cut_middle(turn.replies[-1], 2 * _SHORT_TEXT_CHARS)))


def _prompt_lines(prompt: PromptGiven, text: str) -> Iterator[str]:
    yield ""
    about = f" “{escape(one_line(prompt.about, _MAX_LINE_CHARS))}”" if prompt.about else ""
    if prompt.how in _HOW_LABELS:
        yield f"> ({_HOW_LABELS[prompt.how]}{about})"
    yield from (f"> {escape(line.rstrip())}" for line in text.strip().split("\n"))


def _reply_lines(reply: str) -> Iterator[str]:
    """Yield a reply as it was written, except that headings and open fences cannot change the rest of the page."""
    lines = [line.rstrip() for line in reply.strip().split("\n")]
    for line, is_code in zip(lines, _code_flags(lines), strict=True):
        if is_code:
            yield escape_deceptive(line, lambda char: f"\\u{{{ord(char):X}}}")
        elif line.lstrip().startswith("#"):
            yield f"**{escape(line.lstrip().lstrip('#').strip())}**"
        else:
            yield escape(line)


def _code_flags(lines: Sequence[str]) -> list[bool]:
    """Return which lines are code, fences included.

    Code is not escaped, so it must be code for every viewer: a fence begins at the margin, has no backtick behind it,
    and is closed by one that is at least as long. If one is not closed, nothing is code.
    """
    flags, fence = [], ""
    for line in lines:
        opening = None if fence else _FENCE_OPEN.fullmatch(line)
        flags.append(bool(fence or opening))
        if opening:
            fence = opening[1]
        elif (closing := _FENCE_CLOSE.fullmatch(line)) and len(closing[1]) >= len(fence):
            fence = ""
    return [False] * len(flags) if fence else flags


def _call_lines(calls: Sequence[ToolUsed], session: Session, limit: int | None = None) -> Iterator[str]:
    """Yield a line for each call; calls that only read or searched share one."""
    lines = [
        line for act, group in groupby(calls, key=lambda call: call.act) for line in _act_lines(act, group, session)
    ]
    yield from lines[:limit]
    if limit is not None and len(lines) > limit:
        yield f"- … and {len(lines) - limit} more"


def _act_lines(act: ToolAction, calls: Iterable[ToolUsed], session: Session) -> Iterator[str]:
    if act not in _LISTED_ACTS:
        for line, repeated in groupby(_call_line(call, session) for call in calls):
            count = len(list(repeated))
            yield f"{line} ({count} times)" if count > 1 else line
        return
    names = list(
        dict.fromkeys(one_line(session.relative_path(call.input), _MAX_LINE_CHARS) for call in calls if call.input)
    )
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    if names:
        yield f"- {_ACT_VERBS[act]} {escape(', '.join(names[:_MAX_LISTED]))}{more}"


def _call_line(call: ToolUsed, session: Session) -> str:
    if call.act is ToolAction.CHANGED:
        files = call.files or ((call.input,) if call.input else ())
        target = ", ".join(session.relative_path(one_line(file, _MAX_LINE_CHARS), call.directory) for file in files)
    else:
        target = one_line(call.input, _MAX_LINE_CHARS)
    target = escape(target or call.tool)
    shows_tool = call.act in (ToolAction.OTHER, ToolAction.FETCHED) and target != escape(call.tool)
    tool = f"{escape(call.tool)}: " if shows_tool else ""
    if call.act is ToolAction.RAN:
        target = f"`{target.replace('`', '')}`"
    helper = " (by a helper)" if call.aside else ""
    change = f": `{escape(call.change).replace('`', '')}`" if call.change else ""
    is_undone = call.outcome is ToolOutcome.FAILED or not call.outcome.has_run
    verb = "Tried to change" if is_undone and call.act is ToolAction.CHANGED else _ACT_VERBS[call.act]
    outcome = f" ({call.outcome.value})" if is_undone else ""
    shows_result = call.result and (is_undone or call.act is not ToolAction.CHANGED)
    result = f": {escape(one_line(call.result, _MAX_RESULT_CHARS))}" if shows_result else ""
    return f"- {verb} {tool}{target}{helper}{change}{outcome}{result}"


def _cut_middle(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half].rstrip()}\n… ({len(text) - 2 * half:,} characters left out) …\n{text[-half:].lstrip()}"


def _outcome_lines(session: Session) -> Iterator[str]:
    if outcome := recap.session_outcome(session.turns):
        yield f"- {escape(outcome)}"
    for title in recap.pull_request_titles(session.turns):
        yield f"- Pull request: {escape(title)}"
    if commits := recap.commit_subjects(session.turns):
        yield f"- Commits made: {len(commits)}"
        yield from (f"  - {escape(subject)}" for subject in dict.fromkeys(commits) if subject)
    ran = [call for turn in session.turns for call in turn.calls if call.act is ToolAction.RAN]
    failed = sum(call.outcome is ToolOutcome.FAILED for call in ran)
    if ran:
        yield f"- Commands run: {len(ran)}, of which {failed} failed" if failed else f"- Commands run: {len(ran)}"
    last = ran[-1] if ran else None
    if last and last.outcome is ToolOutcome.FAILED:
        yield f"- The last command failed: `{escape(one_line(last.input, _MAX_LINE_CHARS)).replace('`', '')}`"


def checkpoint_lines(session: Session, limit: int = MAX_CHECKPOINT_REQUESTS) -> Iterator[str]:
    """Yield where a session stands, for an agent whose context was compacted.

    These are the last `limit` requests and how they ended, the changed files, and what failed last.
    """

    def opening(text: str) -> str:
        return harmless_text(opening_line(text, _MAX_CHECKPOINT_REQUEST_CHARS))

    requests = [turn for turn in session.turns if turn.prompts]
    if len(requests) > limit:
        yield f"- {len(requests) - limit} earlier requests, the first: {opening(requests[0].request)}"
    for turn in requests[len(requests) - limit :] if limit else []:
        outcome = (
            f" Outcome: {harmless_text(clip(text, _MAX_OUTCOME_CHARS))}" if (text := recap.turn_outcome(turn)) else ""
        )
        yield f"- {turn.started_at:%Y-%m-%d %H:%M} asked: {opening(turn.request)}{outcome}"
        for prompt in turn.prompts[1:]:
            yield f"  - also said: {opening(prompt.text)}"
    if session.files:
        yield f"- Files changed: {list_names(session.files, _MAX_CHECKPOINT_FILES)}"
    failed = [call for turn in session.turns[-1:] for call in turn.failed_calls]
    if failed:
        yield f"- Failed last: {harmless_text(one_line(failed[-1].input, _MAX_CHECKPOINT_REQUEST_CHARS))}"
