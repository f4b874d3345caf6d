"""tacit capture."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tacit.core.conversation import session_id
from tacit.core.errors import NotFound
from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.forms import Form
from tacit.surfaces.cli.progress import Bar
from tacit.surfaces.cli.words import counted, say, say_json, short_path
from tacit.vault.conversations.capturing import Transcript, TranscriptCapture, unknown_types
from tacit.vault.opened import Home

_SHOWN = 10


def run(call: Call) -> int:
    done = _captured(call)
    if call.flag("--json"):
        say_json([_form(one) for one in done])
    else:
        for line in told(done):
            say(line)
    return 1 if done and all(one.problem for one in done) else 0


def _captured(call: Call) -> list[Transcript]:
    """With only that part of the vault that is needed: there may be thousands of files."""
    bar = Bar("things said and done")
    with Home(call.value("--home")) as home:
        transcripts = TranscriptCapture(home)
        named = [os.path.abspath(os.path.expanduser(word)) for word in call.words]
        paths = named or transcripts.transcript_places()
        if not paths:
            raise NotFound("no transcripts of agents were found on this machine", "name them: tacit capture PATH…")
        files = transcripts.transcripts_in(paths)
        if call.words and not files:
            raise NotFound(f"there are no transcripts in {', '.join(paths)}", "name a transcript or a folder of them")
        try:
            return transcripts.capture(files, progress=bar)
        finally:
            bar.wipe()


def told(done: Sequence[Transcript]) -> Iterator[str]:
    """What came of transcripts: a line an agent, then what could not be read."""
    read = [one for one in done if not one.problem]
    for agent in sorted({one.agent for one in read}):
        yield _of_agent(agent, [one for one in read if one.agent == agent])
    yield from (f"  left out: {line}" for line in _left_out(done))
    new = sum(one.new for one in read)
    yield f"Captured {counted(new, 'thing')} said and done: tacit sessions" if new else "Nothing new."


def _of_agent(agent: str, read: Sequence[Transcript]) -> str:
    sessions = {name for one in read for name in one.sessions}
    unchanged = sum(one.unchanged for one in read)
    same = f", {counted(unchanged, 'file')} as before" if unchanged else ""
    prompts = counted(sum(one.prompts for one in read), "prompt")
    looked_at = f"{prompts} in {counted(len(sessions), 'session')}, " if sessions else ""
    new = sum(one.new for one in read)
    return f"{show(agent)}: {counted(len(read), 'file')}, {looked_at}{f'{new:,} new' if new else 'nothing new'}{same}"


def _left_out(done: Sequence[Transcript]) -> Iterator[str]:
    problems = [one for one in done if one.problem]
    for one in problems[:_SHOWN]:
        assert one.problem
        yield show(one.problem.message.replace(one.path, short_path(one.path)))
    if len(problems) > _SHOWN:
        yield f"and {counted(len(problems) - _SHOWN, 'more file')}"
    damaged = sum(sum(one.tally.damaged.values()) for one in done)
    if damaged:
        yield f"{counted(damaged, 'line')} that cannot be read"
    if unknown := unknown_types(done):
        names = ", ".join(show(name) for name, _ in unknown.most_common(5))
        yield f"{counted(unknown.total(), 'record')} of a kind that this version does not know ({names})"


def _form(one: Transcript) -> Form:
    return {
        "path": one.path,
        "agent": one.agent,
        "session_ids": sorted(session_id(one.agent, name) for name in one.sessions),
        "prompt_count": one.prompts,
        "read_count": one.heard,
        "new_count": one.new,
        "unchanged": one.unchanged,
        "unknown": dict(one.tally.unknown),
        "damaged": dict(one.tally.damaged),
        "problem": one.problem.message if one.problem else None,
    }


COMMAND = Command(
    name="capture",
    words="[PATH…]",
    help=(
        "Take in transcripts that agents have written: files, or folders of them; without a path, all that are found\n"
        "where Claude Code, Codex, Gemini CLI, Copilot CLI and OpenCode keep theirs. They are only read. What was\n"
        "captured before is not captured again, secrets are hidden, and what Tacit itself had said is left out."
    ),
    example="tacit capture ~/.claude/projects",
    run=run,
    options=(JSON,),
)
