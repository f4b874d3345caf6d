"""An index to which rewritten lines are applied is the index of the rewritten log."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import given

from tacit.errors import IndexUnusableError
from tacit.index.compare import dump_rows
from tacit.index.writer import IndexedEvent, ReplacedEvent, RewrittenLine, apply_rewritten
from tacit.log.codec import encode, event_type, must_decode
from tacit.model.claim import GLOBAL
from tacit.model.event import Event
from tacit.model.observation import CommandRan, PromptGiven, PurgedStub
from tests.laws.deletion import Story, carried_out, stories
from tests.laws.filing import indexed
from tests.laws.strategies import law
from tests.support.events import event

SEGMENT = "memory/events.jsonl"


def entries(log: Sequence[Event]) -> list[IndexedEvent]:
    """Each event with the line it is in, in a segment without any others."""
    lines = [encode(each).rstrip(b"\n") for each in log]
    offsets = accumulate((len(line) + 1 for line in lines), initial=0)
    return [
        IndexedEvent(each, event_type(each.body), SEGMENT, number, offset, len(line) + 1, line)
        for number, (each, line, offset) in enumerate(zip(log, lines, offsets, strict=False), 1)
    ]


def rewritten(old: Sequence[IndexedEvent], new: Sequence[IndexedEvent]) -> list[tuple[str, object]]:
    """The index of a log of which some lines were rewritten."""
    pairs = [ReplacedEvent(*pair) for pair in zip(old, new, strict=True) if pair[0].event != pair[1].event]
    lines = [RewrittenLine(was.offset, was.line, now.length - was.length, 0) for was, now in pairs]
    connection = indexed(old)
    apply_rewritten(connection, {SEGMENT: lines} if lines else {}, pairs, [], must_decode)
    return list(dump_rows(connection))


@law
@given(stories)
def test_what_a_purge_rewrote_is_applied_as_if_it_were_indexed_anew(story: Story) -> None:
    old, new = entries(story.log), entries(carried_out(story).log)
    assert rewritten(old, new) == list(dump_rows(indexed(new)))


def test_lines_behind_a_line_that_is_gone_move_up() -> None:
    said = [event(at, CommandRan(f"make {at}", "/home")) for at in range(1, 4)]
    old = entries(said)
    connection = indexed([old[0], old[2]])  # the second line could not be read
    gone = RewrittenLine(old[1].offset, 2, -old[1].length, -1)
    apply_rewritten(connection, {SEGMENT: [gone]}, [], [], must_decode)
    assert list(dump_rows(connection)) == list(dump_rows(indexed(entries([said[0], said[2]]))))


def test_the_text_of_a_command_is_in_no_table_afterwards() -> None:
    said = [event(at, CommandRan(f"echo {word} hunter2", f"/home/{word}")) for at, word in enumerate(("one", "two"), 1)]
    left = [said[0], said[1]._replace(body=CommandRan("echo [purged]", "/home/two"))]
    assert rewritten(entries(said), entries(left)) == list(dump_rows(indexed(entries(left))))


@pytest.mark.parametrize("session", ["another", ""])
def test_an_index_in_which_an_event_would_change_its_session_is_built_anew(session: str) -> None:
    said = event(1, PromptGiven("claude", "tell me"), GLOBAL)
    moved = said._replace(origin=said.origin._replace(session=session + "x"))
    with pytest.raises(IndexUnusableError):
        rewritten(entries([said]), entries([moved]))


def test_an_event_that_is_indexed_by_another_line_is_noticed() -> None:
    said = event(1, PromptGiven("claude", "tell me"), GLOBAL)
    (old,) = entries([said])
    (new,) = entries([said._replace(body=PurgedStub("prompt.given"))])
    with pytest.raises(IndexUnusableError):
        apply_rewritten(indexed([old._replace(segment="elsewhere")]), {}, [ReplacedEvent(old, new)], [], must_decode)
