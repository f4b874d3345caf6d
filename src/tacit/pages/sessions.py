"""`sessions/KEY.md`: a session as a page for people, and as a checkpoint for an agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tacit.model.claim import project_name
from tacit.model.observation import Act, How, Outcome, PromptGiven, ReplyGiven, ToolUsed
from tacit.model.session import Session, Summary, Turn
from tacit.pages.markdown import escape
from tacit.text.display import clip, escape_lies
from tacit.text.fence import named, plain
from tacit.text.summarize import lead, one_line, result

# `sessions/KEY.md`: what a person and an agent did together, for people to read.

_REQUEST, _LINE, _RESULT, _SHORT = 300, 200, 160, 1200
_NAMED = 12  # files or words that are named in one line
_HOW = {
    How.QUEUED: "while the agent worked",
    How.REJECTION: "turning a call down",
    How.ANSWER: "answering",
    How.SHELL: "ran in the shell",
}
_OPENS, _CLOSES = re.compile(r"(`{3,})[^`]*"), re.compile(r" {0,3}(`{3,})[ \t]*")
_VERBS = {
    Act.RAN: "Ran",
    Act.CHANGED: "Changed",
    Act.READ: "Read",
    Act.SEARCHED: "Searched for",
    Act.DELEGATED: "Let a helper",
    Act.ASKED: "Asked",
    Act.PLANNED: "Planned",
    Act.FETCHED: "Fetched",
    Act.OTHER: "Used",
}
# What is of interest only as a list.
_LISTED = (Act.READ, Act.SEARCHED)


def render(session: Session, limit: int | None = None) -> list[str]:
    """A turn of more characters than this is summed up."""
    return [line for part in _parts(session, limit) for line in part]


def render_part(session: Session, number: int) -> list[str]:
    """One part of a session whole, counted from 1: a turn, or behind the last what a model said of them all."""
    part = session.parts[number - 1]
    if isinstance(part, Summary):
        return ["", heading(part), "", *_summary(part)]
    return list(_turn(part, session, None))


def heading(part: Turn | Summary) -> str:
    """The line by which a turn, or what a model said of the whole, is found again."""
    if isinstance(part, Summary):
        return f"## Summary (by {escape(part.model)})"
    return f"### {part.number}. {part.at:%H:%M} {escape(part.title)}"


def tags(session: Session) -> list[str]:
    name = project_name(session.scope).rstrip("/").rpartition("/")[2]
    return ["session", session.agent, *([name] if name else [])]


def _parts(session: Session, limit: int | None) -> Iterator[Iterable[str]]:
    yield [f"# {escape(session.title)}", ""]
    yield _facts(session)
    if session.summary:
        yield ["", heading(session.summary), "", *_summary(session.summary)]
    yield ["", "## User Request", ""]
    yield (f"{turn.number}. {_asked(turn)}" for turn in session.turns if turn.prompts)
    yield ["", "## Work Performed"]
    for turn in session.turns:
        yield _turn(turn, session, limit)
    yield from _section("Files Modified", (f"- {escape(file)}" for file in session.files))
    yield from _section("Tools Used", (f"- {escape(tool)}: {count}" for tool, count in session.tools))
    yield from _section("Outcome", _outcome(session))


def _facts(session: Session) -> Iterator[str]:
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
    yield f"- Tags: {escape(', '.join(tags(session)))}"


def _summary(summary: Summary) -> Iterator[str]:
    yield f"- {escape(' '.join(summary.text.split()))}"
    if summary.behind:
        yield from ("", f"({before_the_last(summary.behind).capitalize()}.)")


def before_the_last(turns: int) -> str:
    """What a summary does not know of."""
    return "before the end of the last turn" if turns == 1 else f"before the last {turns} turns"


def _section(title: str, lines: Iterable[str]) -> Iterator[list[str]]:
    told = list(lines)
    if told:
        yield ["", f"## {title}", "", *told]


def _asked(turn: Turn) -> str:
    return escape(lead(turn.request, _REQUEST)) or "(nothing that can be shown)"


# A turn


def _turn(turn: Turn, session: Session, limit: int | None) -> Iterator[str]:
    yield ""
    yield heading(turn)
    if turn.compacted:
        yield from ("", "(The conversation was compacted.)")
    whole = list(_whole(turn, session))
    yield from whole if limit is None or sum(map(len, whole)) <= limit else _summed_up(turn, session, limit)
    if turn.interrupted:
        yield from ("", "(Interrupted by the person.)")


def _whole(turn: Turn, session: Session) -> Iterator[str]:
    for prompt in turn.prompts:
        yield from _quoted(prompt, prompt.text)
    for is_call, steps in groupby(turn.steps, key=lambda step: isinstance(step, ToolUsed)):
        if is_call:
            yield ""
            yield from _lines([step for step in steps if isinstance(step, ToolUsed)], session)
        else:
            for step in steps:
                yield from ("", *_told(step.text)) if isinstance(step, ReplyGiven) else ()


def _summed_up(turn: Turn, session: Session, limit: int) -> Iterator[str]:
    """The person's words as far as the limit goes, what was done in numbers, results that the agent told on the way,
    and its last words. What is left out here is in the log."""
    each = max(limit // max(len(turn.prompts), 1), _SHORT)
    for prompt in turn.prompts:
        yield from _quoted(prompt, _middle_out(prompt.text, each))
    failed = [call for call in turn.calls if call.outcome is Outcome.FAILED]
    changed = [call for call in turn.calls if call.files]
    yield ""
    yield f"- {_counts(turn.calls)}"
    yield from _lines(changed, session, _NAMED)
    yield from _lines([call for call in failed if not call.files], session, _NAMED)
    told = [said for reply in turn.replies[:-1] if (said := result(reply, _LINE))]
    yield from (f"- Said: {escape(said)}" for said in told[-_NAMED:])
    if turn.replies:
        yield from ("", *_told(_middle_out(turn.replies[-1], 2 * _SHORT)))


def _quoted(prompt: PromptGiven, text: str) -> Iterator[str]:
    yield ""
    about = f" “{escape(one_line(prompt.about, _LINE))}”" if prompt.about else ""
    if prompt.how in _HOW:
        yield f"> ({_HOW[prompt.how]}{about})"
    yield from (f"> {escape(line.rstrip())}" for line in text.strip().split("\n"))


def _told(reply: str) -> Iterator[str]:
    """A reply as it was written, but its headings would be taken for the page's, and what has no end would not end."""
    lines = [line.rstrip() for line in reply.strip().split("\n")]
    for line, is_code in zip(lines, _in_fences(lines), strict=True):
        if is_code:
            yield escape_lies(line, lambda sign: f"\\u{{{ord(sign):X}}}")
        elif line.lstrip().startswith("#"):
            yield f"**{escape(line.lstrip().lstrip('#').strip())}**"
        else:
            yield escape(line)


def _in_fences(lines: Sequence[str]) -> list[bool]:
    """Which lines are code, fences included: nothing is escaped there, so they must be code for every viewer. A fence
    begins at the margin, has no backtick behind it, and is closed by one that is as long; otherwise it is none."""
    found, fence = [], ""
    for line in lines:
        if fence:
            found.append(True)
            if (closing := _CLOSES.fullmatch(line)) and len(closing[1]) >= len(fence):
                fence = ""
        elif opening := _OPENS.fullmatch(line):
            fence = opening[1]
            found.append(True)
        else:
            found.append(False)
    return [False] * len(found) if fence else found


def _lines(calls: Sequence[ToolUsed], session: Session, most: int | None = None) -> Iterator[str]:
    """A line a call; what was only read or searched for is listed together."""
    made = [line for act, group in groupby(calls, key=lambda call: call.act) for line in _group(act, group, session)]
    yield from made[:most]
    if most is not None and len(made) > most:
        yield f"- … and {len(made) - most} more"


def _group(act: Act, calls: Iterable[ToolUsed], session: Session) -> Iterator[str]:
    if act not in _LISTED:
        for line, same in groupby(_line(call, session) for call in calls):
            times = len(list(same))
            yield f"{line} ({times} times)" if times > 1 else line
        return
    named = list(dict.fromkeys(one_line(session.seen_from_here(call.input), _LINE) for call in calls if call.input))
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    if named:
        yield f"- {_VERBS[act]} {escape(', '.join(named[:_NAMED]))}{more}"


def _line(call: ToolUsed, session: Session) -> str:
    told = escape(_object(call, session))
    shown = f"`{told.replace('`', '')}`" if call.act is Act.RAN else told
    is_named = call.act in (Act.OTHER, Act.FETCHED) and told != escape(call.tool)
    name = f"{escape(call.tool)}: " if is_named else ""
    aside = " (by a helper)" if call.aside else ""
    change = f": `{escape(call.change).replace('`', '')}`" if call.change else ""
    return f"- {_verb(call)} {name}{shown}{aside}{change}{_ending(call)}"


def _object(call: ToolUsed, session: Session) -> str:
    """What a call was about: the files it changed, or what it was given."""
    if call.act is Act.CHANGED:
        named = call.files or ((call.input,) if call.input else ())
        return ", ".join(session.seen_from_here(one_line(file, _LINE), call.directory) for file in named) or call.tool
    return one_line(call.input, _LINE) or call.tool


def _verb(call: ToolUsed) -> str:
    """What was not done does not read as if it were."""
    if call.act is Act.CHANGED and call.outcome in (Outcome.FAILED, Outcome.REJECTED):
        return "Tried to change"
    return _VERBS[call.act]


def _ending(call: ToolUsed) -> str:
    ended = f" ({call.outcome.value})" if call.outcome in (Outcome.FAILED, Outcome.REJECTED) else ""
    is_told = bool(call.result) and (bool(ended) or call.act is not Act.CHANGED)
    return f"{ended}: {escape(one_line(call.result, _RESULT))}" if is_told else ended


def _counts(calls: Sequence[ToolUsed]) -> str:
    ran = [call for call in calls if call.act is Act.RAN]
    failed = sum(call.outcome is Outcome.FAILED for call in ran)
    files = len({file for call in calls for file in call.files})
    return f"{len(calls)} calls: {len(ran)} commands ({failed} failed), {files} files changed"


def _middle_out(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half].rstrip()}\n… ({len(text) - 2 * half:,} characters left out) …\n{text[-half:].lstrip()}"


def _outcome(session: Session) -> Iterator[str]:
    """What is known of how it ended; nothing where nothing is."""
    if session.outcome:
        yield f"- {escape(session.outcome)}"
    for title in session.pull_requests:
        yield f"- Pull request: {escape(title)}"
    if session.commits:
        yield f"- Commits made: {len(session.commits)}"
        yield from (f"  - {escape(subject)}" for subject in dict.fromkeys(session.commits) if subject)
    ran = list(session.calls(Act.RAN))
    failed = sum(call.outcome is Outcome.FAILED for call in ran)
    if ran:
        yield f"- Commands run: {len(ran)}, of which {failed} failed" if failed else f"- Commands run: {len(ran)}"
    last = ran[-1] if ran else None
    if last and last.outcome is Outcome.FAILED:
        yield f"- The last command failed: `{escape(one_line(last.input, _LINE)).replace('`', '')}`"


# Where a session stands: what an agent is told when its own memory of it was cut.

REQUESTS = 12
_CHECKPOINT_REQUEST, _OUTCOME, _FILES = 200, 160, 20


def checkpoint(session: Session, most: int = REQUESTS) -> Iterator[str]:
    """Where a session stands: what was asked, what was changed, how the last request ended."""
    asked = [turn for turn in session.turns if turn.prompts]
    if len(asked) > most:
        yield f"- {len(asked) - most} earlier requests, the first: {plain(lead(asked[0].request, _CHECKPOINT_REQUEST))}"
    for turn in asked[len(asked) - most :] if most else []:
        ended = turn.outcome
        yield f"- {turn.at:%Y-%m-%d %H:%M} asked: {plain(lead(turn.request, _CHECKPOINT_REQUEST))}" + (
            f" Outcome: {plain(clip(ended, _OUTCOME))}" if ended else ""
        )
        for prompt in turn.prompts[1:]:
            yield f"  - also said: {plain(lead(prompt.text, _CHECKPOINT_REQUEST))}"
    if session.files:
        yield f"- Files changed: {named(session.files, _FILES)}"
    failed = [call for turn in session.turns[-1:] for call in turn.failed]
    if failed:
        yield f"- Failed last: {plain(one_line(failed[-1].input, _CHECKPOINT_REQUEST))}"
