"""A long backlog is filed and drawn in slices: whoever is ended at it leaves less of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest
from harness.person import Person
from harness.transcripts import Claude, Turn, lines, name_of, place

from tacit.home import indexing, publish
from tacit.home.home import Home
from tacit.home.publish import Publisher
from tacit.hosts import capture
from tacit.hosts.capture import TranscriptCapture
from tacit.hosts.queue import CaptureRequest
from tacit.index import reader, writer
from tacit.vault.vault import Vault

SESSIONS = 12


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with sessions that are captured and not filed yet."""
    one = Person(tmp_path)
    one.tacit("init")
    one.wait_for_pages()
    files = []
    for number in range(SESSIONS):
        teller = Claude(name_of("backlog", number), str(tmp_path / "work"))
        teller.turn(Turn(f"please do task number {number}"))
        files.append(place(tmp_path, "claude", teller.session))
        files[-1].write_bytes(lines(teller.records))
    with one.vault() as vault:
        vault.transcripts.capture_transcripts([str(file) for file in files])
    return one


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any, str, int], None]]:
    """From the so manieth call on, whoever calls it is ended."""

    def plan(what: Any, name: str, calls: int) -> None:
        done, own = [], getattr(what, name)

        def until(*words: Any, **named: Any) -> Any:
            done.append(1)
            if len(done) > calls:
                raise KeyboardInterrupt
            return own(*words, **named)

        monkeypatch.setattr(what, name, until)

    yield plan
    monkeypatch.undo()


def test_whoever_is_ended_at_filing_leaves_less_to_file(
    person: Person, ended: Callable[[Any, str, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "_LINES_PER_BATCH", 7)
    with person.vault() as vault:
        index = vault.home.store.index_as_is()
        assert index is not None
        before = vault.home.store.indexer.backlog_bytes(index)
        ended(writer, "apply_events", 3)
        with pytest.raises(KeyboardInterrupt):
            vault.home.store.catch_up()
        index = vault.home.store.index_as_is()
        assert index is not None
        assert 0 < vault.home.store.indexer.backlog_bytes(index) < before
        monkeypatch.undo()
        assert len(vault.sessions.sessions()) == SESSIONS


def test_whoever_is_ended_at_drawing_leaves_fewer_pages_to_draw(
    person: Person, ended: Callable[[Any, str, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "_PAGES_PER_BATCH", 2)
    with person.at(), Vault(Home(person.home)) as vault:
        ended(Publisher, "_publish_page", 7)
        with pytest.raises(KeyboardInterrupt):
            vault.home.store.catch_up()
        assert _stale(person) == SESSIONS - 6
        monkeypatch.undo()
        vault.home.store.catch_up()
    assert _stale(person) == 0
    assert len(os.listdir(person.home / "sessions")) == SESSIONS


def test_whoever_captures_many_files_what_piles_up_meanwhile(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is recorded and not filed is read again with each transcript: it must not grow with their number."""
    monkeypatch.setattr(capture, "_MAX_UNINDEXED_QUEUE_BYTES", 3000)
    left = []
    with person.at(), Home(person.home, cwd=person.folder) as home:
        for number in range(SESSIONS):
            teller = Claude(name_of("noted", number), str(person.folder / "work"))
            teller.turn(Turn(f"please do another task, number {number}"))
            file = place(person.folder, "claude", teller.session)
            file.write_bytes(lines(teller.records))
            TranscriptCapture(home).capture_request(CaptureRequest("claude", teller.session, str(file)))
            index = home.store.index_as_is()
            assert index is not None
            left.append(home.store.indexer.backlog_bytes(index))

    assert max(left) <= 3000
    with person.vault() as vault:
        assert len(vault.sessions.sessions()) == 2 * SESSIONS


def test_a_command_that_captures_many_files_them_on_the_way(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "_MAX_UNINDEXED_BYTES", 3000)
    with person.vault() as vault:
        file = place(person.folder, "claude", name_of("backlog", 0))
        file.write_bytes(file.read_bytes() + b"\n")
        vault.transcripts.capture_transcripts([str(file)])
        index = vault.home.store.index_as_is()
        assert index is not None
        assert vault.home.store.indexer.backlog_bytes(index) <= 3000


def test_of_pages_that_are_gone_only_those_are_drawn_again(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    person.tacit("sessions")
    first, *_, last = sorted((person.home / "sessions").iterdir())
    text = first.read_bytes()
    first.unlink()
    last.unlink()
    drawn: list[str] = []
    own = Publisher._publish_page

    def listed(self: Publisher, connection: Connection, kind: str, day: str) -> None:
        drawn.append(day)
        own(self, connection, kind, day)

    monkeypatch.setattr(Publisher, "_publish_page", listed)
    person.tacit("sessions")

    assert sorted(drawn) == [first.stem, last.stem]
    assert first.read_bytes() == text


def _stale(person: Person) -> int:
    with person.vault() as vault:
        index = vault.home.store.index_as_is()
        assert index is not None
        return len(reader.stale_views(index))
