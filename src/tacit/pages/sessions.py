"""`sessions/KEY.md`: a session as a page for people, and as a checkpoint for an agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tacit.model.claim import project_name
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.model.session import Session, SessionSummary, Turn
from tacit.pages.markdown import escape
from tacit.text.display import clip, escape_deceptive
from tacit.text.fence import harmless_text, list_names
from tacit.text.summarize import one_line, opening_line, result_sentence

# `sessions/KEY.md`: what a person and an agent did together, for people to read.

_MAX_REQUEST_CHARS, _MAX_LINE_CHARS, _MAX_RESULT_CHARS, _SHORT_TEXT_CHARS = 300, 200, 160, 1200
_MAX_LISTED = 12  # files or words that are named in one line
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
# What is of interest only as a list.
_LISTED_ACTS = (ToolAction.READ, ToolAction.SEARCHED)


def render_session(session: Session, limit: int | None = None) -> list[str]:
    """A turn of more characters than this is summed up."""
    return [line for part in _page_parts(session, limit) for line in part]


def render_part(session: Session, number: int) -> list[str]:
    """One part of a session whole, counted from 1: a turn, or behind the last what a model said of them all."""
    part = session.searchable_parts[number - 1]
    if isinstance(part, SessionSummary):
        return ["", part_heading(part), "", *_summary_lines(part)]
    return list(_turn_lines(part, session, None))


def part_heading(part: Turn | SessionSummary) -> str:
    """The line by which a turn, or what a model said of the whole, is found again."""
    if isinstance(part, SessionSummary):
        return f"## Summary (by {escape(part.model)})"
    return f"### {part.number}. {part.at:%H:%M} {escape(part.title)}"


def session_tags(session: Session) -> list[str]:
    name = project_name(session.scope).rstrip("/").rpartition("/")[2]
    return ["session", session.agent, *([name] if name else [])]


def _page_parts(session: Session, limit: int | None) -> Iterator[Iterable[str]]:
    yield [f"# {escape(session.title)}", ""]
    yield _header_lines(session)
    if session.summary:
        yield ["", part_heading(session.summary), "", *_summary_lines(session.summary)]
    yield ["", "## User Request", ""]
    yield (f"{turn.number}. {_request_text(turn)}" for turn in session.turns if turn.prompts)
    yield ["", "## Work Performed"]
    for turn in session.turns:
        yield _turn_lines(turn, session, limit)
    yield from _section("Files Modified", (f"- {escape(file)}" for file in session.files))
    yield from _section("Tools Used", (f"- {escape(tool)}: {count}" for tool, count in session.tools))
    yield from _section("Outcome", _outcome_lines(session))


def _header_lines(session: Session) -> Iterator[str]:
    yield f"- Session: {session.id} ({escape(session.agent)} {escape(session.name)})"
    if name := project_name(session.scope):
        yield f"- Project: {escape(name)}"
    if session.directory:
        branch = f", branch {escape(session.branch)}" if session.branch else ""
        yield f"- Directory: {escape(session.directory)}{branch}"
    same_day = session.began.date() == session.ended.date()
    yield f"- When: {session.began:%Y-%m-%d %H:%M} to {session.ended:{'%H:%M' if same_day else '%Y-%m-%d %H:%M'}}"
    times = "once" if session.compactions == 1 else f"{session.compactions} times"
    compacted = f", compacted {times}" if session.compactions else ""
    yield f"- Turns: {len(session.turns)}{compacted}"
    yield f"- Tags: {escape(', '.join(session_tags(session)))}"


def _summary_lines(summary: SessionSummary) -> Iterator[str]:
    yield f"- {escape(' '.join(summary.text.split()))}"
    if summary.newer_turns:
        yield from ("", f"({summary_gap(summary.newer_turns).capitalize()}.)")


def summary_gap(turns: int) -> str:
    """What a summary does not know of."""
    return "before the end of the last turn" if turns == 1 else f"before the last {turns} turns"


def _section(title: str, lines: Iterable[str]) -> Iterator[list[str]]:
    told = list(lines)
    if told:
        yield ["", f"## {title}", "", *told]


def _request_text(turn: Turn) -> str:
    return escape(opening_line(turn.request, _MAX_REQUEST_CHARS)) or "(nothing that can be shown)"


# A turn


def _turn_lines(turn: Turn, session: Session, limit: int | None) -> Iterator[str]:
    yield ""
    yield part_heading(turn)
    if turn.compacted:
        yield from ("", "(The conversation was compacted.)")
    whole = list(_full_turn_lines(turn, session))
    yield from whole if limit is None or sum(map(len, whole)) <= limit else _short_turn_lines(turn, session, limit)
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
    """The person's words as far as the limit goes, what was done in numbers, results that the agent told on the way,
    and its last words. What is left out here is in the log."""
    each = max(limit // max(len(turn.prompts), 1), _SHORT_TEXT_CHARS)
    for prompt in turn.prompts:
        yield from _prompt_lines(prompt, _cut_middle(prompt.text, each))
    failed = [call for call in turn.calls if call.outcome is ToolOutcome.FAILED]
    changed = [call for call in turn.calls if call.files]
    yield ""
    yield f"- {_count_calls(turn.calls)}"
    yield from _call_lines(changed, session, _MAX_LISTED)
    yield from _call_lines([call for call in failed if not call.files], session, _MAX_LISTED)
    told = [said for reply in turn.replies[:-1] if (said := result_sentence(reply, _MAX_LINE_CHARS))]
    yield from (f"- Said: {escape(said)}" for said in told[-_MAX_LISTED:])
    if turn.replies:
        yield from ("", *_reply_lines(_cut_middle(turn.replies[-1], 2 * _SHORT_TEXT_CHARS)))


def _prompt_lines(prompt: PromptGiven, text: str) -> Iterator[str]:
    yield ""
    about = f" “{escape(one_line(prompt.about, _MAX_LINE_CHARS))}”" if prompt.about else ""
    if prompt.how in _HOW_LABELS:
        yield f"> ({_HOW_LABELS[prompt.how]}{about})"
    yield from (f"> {escape(line.rstrip())}" for line in text.strip().split("\n"))


def _reply_lines(reply: str) -> Iterator[str]:
    """A reply as it was written, but its headings would be taken for the page's, and what has no end would not end."""
    lines = [line.rstrip() for line in reply.strip().split("\n")]
    for line, is_code in zip(lines, _code_flags(lines), strict=True):
        if is_code:
            yield escape_deceptive(line, lambda sign: f"\\u{{{ord(sign):X}}}")
        elif line.lstrip().startswith("#"):
            yield f"**{escape(line.lstrip().lstrip('#').strip())}**"
        else:
            yield escape(line)


def _code_flags(lines: Sequence[str]) -> list[bool]:
    """Which lines are code, fences included: nothing is escaped there, so they must be code for every viewer. A fence
    begins at the margin, has no backtick behind it, and is closed by one that is as long; otherwise it is none."""
    found, fence = [], ""
    for line in lines:
        if fence:
            found.append(True)
            if (closing := _FENCE_CLOSE.fullmatch(line)) and len(closing[1]) >= len(fence):
                fence = ""
        elif opening := _FENCE_OPEN.fullmatch(line):
            fence = opening[1]
            found.append(True)
        else:
            found.append(False)
    return [False] * len(found) if fence else found


def _call_lines(calls: Sequence[ToolUsed], session: Session, most: int | None = None) -> Iterator[str]:
    """A line a call; what was only read or searched for is listed together."""
    made = [
        line for act, group in groupby(calls, key=lambda call: call.act) for line in _act_lines(act, group, session)
    ]
    yield from made[:most]
    if most is not None and len(made) > most:
        yield f"- … and {len(made) - most} more"


def _act_lines(act: ToolAction, calls: Iterable[ToolUsed], session: Session) -> Iterator[str]:
    if act not in _LISTED_ACTS:
        for line, same in groupby(_call_line(call, session) for call in calls):
            times = len(list(same))
            yield f"{line} ({times} times)" if times > 1 else line
        return
    named = list(
        dict.fromkeys(one_line(session.relative_path(call.input), _MAX_LINE_CHARS) for call in calls if call.input)
    )
    more = f" and {len(named) - _MAX_LISTED} more" if len(named) > _MAX_LISTED else ""
    if named:
        yield f"- {_ACT_VERBS[act]} {escape(', '.join(named[:_MAX_LISTED]))}{more}"


def _call_line(call: ToolUsed, session: Session) -> str:
    told = escape(_call_object(call, session))
    shown = f"`{told.replace('`', '')}`" if call.act is ToolAction.RAN else told
    is_named = call.act in (ToolAction.OTHER, ToolAction.FETCHED) and told != escape(call.tool)
    name = f"{escape(call.tool)}: " if is_named else ""
    aside = " (by a helper)" if call.aside else ""
    change = f": `{escape(call.change).replace('`', '')}`" if call.change else ""
    return f"- {_call_verb(call)} {name}{shown}{aside}{change}{_call_result(call)}"


def _call_object(call: ToolUsed, session: Session) -> str:
    """What a call was about: the files it changed, or what it was given."""
    if call.act is ToolAction.CHANGED:
        named = call.files or ((call.input,) if call.input else ())
        return (
            ", ".join(session.relative_path(one_line(file, _MAX_LINE_CHARS), call.directory) for file in named)
            or call.tool
        )
    return one_line(call.input, _MAX_LINE_CHARS) or call.tool


def _call_verb(call: ToolUsed) -> str:
    """What was not done does not read as if it were."""
    if call.act is ToolAction.CHANGED and call.outcome in (ToolOutcome.FAILED, ToolOutcome.REJECTED):
        return "Tried to change"
    return _ACT_VERBS[call.act]


def _call_result(call: ToolUsed) -> str:
    ended = f" ({call.outcome.value})" if call.outcome in (ToolOutcome.FAILED, ToolOutcome.REJECTED) else ""
    is_told = bool(call.result) and (bool(ended) or call.act is not ToolAction.CHANGED)
    return f"{ended}: {escape(one_line(call.result, _MAX_RESULT_CHARS))}" if is_told else ended


def _count_calls(calls: Sequence[ToolUsed]) -> str:
    ran = [call for call in calls if call.act is ToolAction.RAN]
    failed = sum(call.outcome is ToolOutcome.FAILED for call in ran)
    files = len({file for call in calls for file in call.files})
    return f"{len(calls)} calls: {len(ran)} commands ({failed} failed), {files} files changed"


def _cut_middle(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half].rstrip()}\n… ({len(text) - 2 * half:,} characters left out) …\n{text[-half:].lstrip()}"


def _outcome_lines(session: Session) -> Iterator[str]:
    """What is known of how it ended; nothing where nothing is."""
    if session.outcome:
        yield f"- {escape(session.outcome)}"
    for title in session.pull_requests:
        yield f"- Pull request: {escape(title)}"
    if session.commits:
        yield f"- Commits made: {len(session.commits)}"
        yield from (f"  - {escape(subject)}" for subject in dict.fromkeys(session.commits) if subject)
    ran = list(session.calls_of(ToolAction.RAN))
    failed = sum(call.outcome is ToolOutcome.FAILED for call in ran)
    if ran:
        yield f"- Commands run: {len(ran)}, of which {failed} failed" if failed else f"- Commands run: {len(ran)}"
    last = ran[-1] if ran else None
    if last and last.outcome is ToolOutcome.FAILED:
        yield f"- The last command failed: `{escape(one_line(last.input, _MAX_LINE_CHARS)).replace('`', '')}`"


# Where a session stands: what an agent is told when its own memory of it was cut.

MAX_CHECKPOINT_REQUESTS = 12
_MAX_CHECKPOINT_REQUEST_CHARS, _MAX_OUTCOME_CHARS, _MAX_CHECKPOINT_FILES = 200, 160, 20


def checkpoint_lines(session: Session, most: int = MAX_CHECKPOINT_REQUESTS) -> Iterator[str]:
    """Where a session stands: what was asked, what was changed, how the last request ended."""
    asked = [turn for turn in session.turns if turn.prompts]
    if len(asked) > most:
        first = harmless_text(opening_line(asked[0].request, _MAX_CHECKPOINT_REQUEST_CHARS))
        yield f"- {len(asked) - most} earlier requests, the first: {first}"
    for turn in asked[len(asked) - most :] if most else []:
        ended = turn.outcome
        yield (
            f"- {turn.at:%Y-%m-%d %H:%M} asked: "
            f"{harmless_text(opening_line(turn.request, _MAX_CHECKPOINT_REQUEST_CHARS))}"
            + (f" Outcome: {harmless_text(clip(ended, _MAX_OUTCOME_CHARS))}" if ended else "")
        )
        for prompt in turn.prompts[1:]:
            yield f"  - also said: {harmless_text(opening_line(prompt.text, _MAX_CHECKPOINT_REQUEST_CHARS))}"
    if session.files:
        yield f"- Files changed: {list_names(session.files, _MAX_CHECKPOINT_FILES)}"
    failed = [call for turn in session.turns[-1:] for call in turn.failed_calls]
    if failed:
        yield f"- Failed last: {harmless_text(one_line(failed[-1].input, _MAX_CHECKPOINT_REQUEST_CHARS))}"
