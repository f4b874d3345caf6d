"""What is kept of sessions in a home, in a form that can be compared: events, rows, pages."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

import tacit
from tacit.home.follower import wait_for_threads
from tacit.hosts.capture import CapturedTranscript
from tacit.index.sessions import SessionRow
from tacit.model.event import Event
from tacit.model.observation import PromptGiven, ReplyGiven, SessionCompacted, SessionTitled, ToolUsed, TurnInterrupted

SAID = (PromptGiven, ReplyGiven, ToolUsed, TurnInterrupted, SessionCompacted, SessionTitled)


class Kept(NamedTuple):
    """All that a person could find of their sessions."""

    events: dict[str, Event]
    rows: list[SessionRow]
    pages: dict[str, str]

    @property
    def prompts(self) -> Counter[str]:
        return Counter(one.body.text for one in self.events.values() if isinstance(one.body, PromptGiven))


def capture(home: Path, *files: Path) -> list[CapturedTranscript]:
    with on_the_wall(), tacit.open(home, cwd=home.parent) as vault:
        return vault.transcripts.capture([str(file) for file in files])


@contextmanager
def on_the_wall() -> Iterator[None]:
    """By the machine's clock, as every program that a test starts, whatever the variable says that it has not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TZ", raising=False)
        time.tzset()
        try:
            yield
        finally:
            patch.undo()
            time.tzset()


def kept(home: Path) -> Kept:
    """What is there; a line of the log that says again what another said is an error by itself."""
    with tacit.open(home, cwd=home.parent) as vault:
        rows = [one.row for one in vault.sessions.sessions(grouped=False)]
        said = [event for event in vault.home.store.log.events() if isinstance(event.body, SAID)]
    wait_for_threads()
    twice = [name for name, times in Counter(event.id for event in said).items() if times > 1]
    assert not twice, f"recorded more than once: {twice}"
    pages = {page.name: page.read_text(encoding="utf-8") for page in (home / "sessions").glob("*.md")}
    return Kept({event.id: _plain(event) for event in said}, rows, pages)


def captured(home: Path, *files: Path) -> Kept:
    capture(home, *files)
    return kept(home)


def _plain(event: Event) -> Event:
    """Without what tells one machine from another."""
    return event._replace(origin=event.origin._replace(host=""))


def difference(one: Kept, other: Kept) -> Iterable[str]:
    """What differs, in a few words each."""
    for name in one.events.keys() ^ other.events.keys():
        here = one.events.get(name) or other.events[name]
        yield f"only {'first' if name in one.events else 'second'} has {here.at} {here.origin.session} {here.body}"
    for name in one.events.keys() & other.events.keys():
        if one.events[name] != other.events[name]:
            yield f"{one.events[name]}\n  is not\n{other.events[name]}"
    if one.rows != other.rows:
        yield f"rows differ: {one.rows}\n{other.rows}"
    for name in one.pages.keys() | other.pages.keys():
        if one.pages.get(name) != other.pages.get(name):
            yield f"page {name} differs:\n{one.pages.get(name)}\n---\n{other.pages.get(name)}"
