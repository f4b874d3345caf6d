"""tacit sync."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby

from tacit.core.handedit import Added, Changed, Left, Leftover, Removed
from tacit.core.memory import Memory
from tacit.core.status import Status
from tacit.core.text import clip, show
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import counted, say
from tacit.vault.syncing import Synced, Told

_SHOWN = 200


def run(call: Call) -> int:
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


COMMAND = Command(
    name="sync",
    words="",
    help=(
        "Read what you changed by hand in memory/long-term.md, in memory/memories.ndjson and, of the lines Tacit\n"
        "wrote, in this repository's docs/memory/memories.ndjson. Reworded, moved, deleted and new lines become your\n"
        "judgements once you say yes. Without a terminal and without --yes, new words become candidates and nothing\n"
        "else changes. What others wrote into the repository's file is shown by tacit trust."
    ),
    example="tacit sync",
    run=run,
    options=(Option("--yes", help="take the edits in without being asked"),),
)
