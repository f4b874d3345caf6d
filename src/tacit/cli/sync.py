"""`tacit sync` and `tacit trust`: hand edits of pages, and facts that a repository brought."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby

from tacit.cli.command import JSON, Call, Command, Option
from tacit.cli.json_forms import Form
from tacit.cli.output import counted, say, say_json
from tacit.cli.terminal import agreed
from tacit.errors import WrongUse
from tacit.home.repository import Repository
from tacit.model.claim import Status
from tacit.model.hand_edits import Added, Changed, Left, Leftover, Removed
from tacit.model.memory import Memory
from tacit.model.trust import Brought
from tacit.sync import Synced, Told
from tacit.text.display import clip, show

# tacit sync.

_SHOWN = 200


def run_sync(call: Call) -> int:
    call.no_words()
    vault = call.vault
    found = vault.hand_edits.unread_edits()
    for page, edits in groupby(found, key=lambda told: told.page):
        say(show(page))
        for told in edits:
            say(f"  {_line(told)}")
    if not any(not isinstance(told.edit, Left) for told in found):
        say("No unread edits." if not found else "Nothing here that Tacit could take in; it stays as it is.")
        return 0
    if call.flag("--yes") or (sys.stdin.isatty() and vault.home.is_person and _agreed(found)):
        return _tell(vault.hand_edits.sync(found, vouched=True))
    return _tell_unvouched(vault.hand_edits.sync(found, vouched=False))


def _agreed(found: Sequence[Told]) -> bool:
    count = sum(not isinstance(told.edit, Left) for told in found)
    return agreed(f"Take in {counted(count, 'edit')} as yours?")


def _tell(done: Synced) -> int:
    say(f"Took in {counted(done.judgements, 'judgement')}. tacit undo takes them back together.")
    for told in done.left:
        assert isinstance(told.edit, Left)
        say(f"  left as it is in {show(told.page)}: {_clipped(told.edit.line)} ({show(told.edit.why)})")
    return 0


def _tell_unvouched(done: Synced) -> int:
    say("Nobody vouched for these edits: the pages stay as they are, and what is new in them is a candidate.")
    say(
        f"  {counted(done.candidates, 'new candidate')}: tacit review   to take the edits in as yours: tacit sync --yes"
    )
    return 0


def _line(told: Told) -> str:
    """An edit in one line: what it does, to what."""
    match told.edit:
        case Added(text=text, holds=holds):
            return f"+ {'add' if holds else 'note'}: {_clipped(text)}"
        case Removed() | Changed():
            return _of_memory(told.edit, told.memory)
        case Left(line=line, why=why):
            return f"· stays: {_clipped(line)} ({show(why)})"
        case Leftover(line=line, why=why):
            return f"· redraw: {_clipped(line)} ({show(why)})"


def _of_memory(edit: Removed | Changed, memory: Memory | None) -> str:
    before = _clipped(memory.claim.sentence) if memory else ""
    if isinstance(edit, Removed) or edit.status is Status.RETIRED:
        return f"- {'dismiss' if memory and memory.status is Status.PENDING else 'forget'}: {before}"
    if edit.text is not None:
        return f"~ reword: {before}\n        as: {_clipped(edit.text)}"
    if edit.status is Status.ACTIVE:
        return f"~ accept: {before}"
    return f"~ make it a {edit.kind.label}: {before}" if edit.kind else f"~ note on: {before}"


def _clipped(text: str) -> str:
    return show(clip(text, _SHOWN))


SYNC = Command(
    name="sync",
    words="",
    help=(
        "Read what you changed by hand in memory/long-term.md, in memory/memories.ndjson and, of the lines Tacit\n"
        "wrote, in this repository's docs/memory/memories.ndjson. Reworded, moved, deleted and new lines become your\n"
        "judgements once you say yes. Without a terminal and without --yes, new words become candidates and nothing\n"
        "else changes. What others wrote into the repository's file is shown by tacit trust."
    ),
    example="tacit sync",
    run=run_sync,
    options=(Option("--yes", help="take the edits in without being asked"),),
)


# tacit trust.

_SHOWN_TRUST = 300


def run_trust(call: Call) -> int:
    call.no_words()
    chosen = [flag for flag in ("--show", "--yes", "--revoke") if call.flag(flag)]
    if len(chosen) > 1:
        raise WrongUse(f"{chosen[0]} and {chosen[1]} do not go together", "tacit trust --show")
    if call.flag("--revoke"):
        count = call.vault.repository.distrust()
        say(f"No longer trusted: {counted(count, 'line')} count as not said. tacit undo takes that back.")
        return 0
    return _look(call)


def _look(call: Call) -> int:
    repository = call.vault.repository.repository()
    if call.flag("--json"):
        say_json(_form(repository))
        return 0
    for line in _described(repository):
        say(line)
    if not repository.waiting or call.flag("--show"):
        return 0
    if call.flag("--yes"):
        return _accept(call, repository)
    if not sys.stdin.isatty():
        say("Nothing was accepted. To accept what is shown: tacit trust --yes")
        return 0
    if agreed(f"Accept {counted(len(repository.waiting), 'fact')} as if you had said so?"):
        return _accept(call, repository)
    say("Nothing was accepted.")
    return 0


def _accept(call: Call, repository: Repository) -> int:
    memories = call.vault.repository.trust(repository)
    say(f"Accepted {counted(len(memories), 'fact')}. If a line of the file changes, all of them wait again.")
    say("  take back: tacit trust --revoke")
    return 0


def _described(repository: Repository) -> Iterator[str]:
    yield show(repository.path)
    if one := repository.accepted:
        yield f"  accepted {counted(len(one.trusted.lines), 'line')}, last on {one.event.day.isoformat()}"
    if repository.ended:
        yield f"  the trust in it ended on {show(repository.ended)}"
    if repository.known:
        yield f"  {counted(repository.known, 'line')} said what you know or have decided on already"
    for line in repository.unfit:
        yield f"! line {line.number}: {show(line.problem)}"
    for line in repository.waiting:
        yield _shown(line)
    if not repository.waiting:
        yield "Nothing waits to be accepted."
    elif not repository.accepted:
        yield "Until you accept them, none of these is recalled, briefed or counted."


def _shown(line: Brought) -> str:
    assert line.claim is not None
    tags = f"  [{', '.join(map(show, line.claim.tags))}]" if line.claim.tags else ""
    return f"+ line {line.number}: {show(clip(line.claim.sentence, _SHOWN_TRUST))}{tags}"


def _form(repository: Repository) -> Form:
    one = repository.accepted
    return {
        "path": repository.path,
        "accepted_count": len(one.trusted.lines) if one else 0,
        "waiting": [
            {"line": line.number, "text": line.claim.sentence, "tags": list(line.claim.tags)}
            for line in repository.waiting
            if line.claim
        ],
        "unfit": [{"line": line.number, "problem": line.problem} for line in repository.unfit],
    }


TRUST = Command(
    name="trust",
    words="",
    help=(
        "See the facts that a cloned repository brought in docs/memory/memories.ndjson, and accept them or not.\n"
        "Nothing in that file is believed before. Lines that come later wait again; when an accepted line changes,\n"
        "all of them do. Without a terminal nothing is asked."
    ),
    example="tacit trust --show",
    run=run_trust,
    options=(
        Option("--show", help="only look"),
        Option("--yes", help="accept what waits without being asked"),
        Option("--revoke", help="take the trust back: what came in by it counts as not said"),
        JSON,
    ),
)
