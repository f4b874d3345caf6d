"""Queries on sessions: lists, references, what is learned from, single turns, and what was injected."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from harness.person import Person
from harness.transcripts import Claude, Turn, lines, name_of, place

from tacit.errors import NotFoundError, UsageError
from tacit.model.claim import GLOBAL
from tacit.model.event import Draft
from tacit.model.ids import ClaimId
from tacit.model.observation import MemoryChecked, session_id
from tacit.vault import Vault
from tests.support.events import numbered
from tests.support.hook_session import Sitting

BEGAN = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)


def project(person: Person, name: str) -> Path:
    folder = person.folder / name
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    return folder


def capture(person: Person, name: str, *asked: str, folder: str = "shop", day: int = 0) -> str:
    """Capture a session; return the id that its host gave it."""
    teller = Claude(name_of(name), str(project(person, folder)), BEGAN + timedelta(days=day))
    for text in asked:
        teller.turn(Turn(text))
    return _captured(person, teller)


def _captured(person: Person, teller: Claude) -> str:
    file = place(person.folder, "claude", teller.session)
    file.write_bytes(lines(teller.records))
    with person.vault() as vault:
        vault.transcripts.capture([str(file)])
    return teller.session


def titles(vault: Vault, **options: object) -> list[tuple[str, int]]:
    listed = vault.sessions.sessions(**options)  # type: ignore[arg-type]
    return [(one.row.title, one.similar_count) for one in listed]


def test_the_latest_comes_first_and_equal_requests_of_a_project_are_one_entry(person: Person) -> None:
    for day, folder in enumerate(("shop", "shop", "api")):
        capture(person, f"same {day}", "Run all the tests", folder=folder, day=day)
    capture(person, "other", "Rename the cart table", day=3)
    with person.vault() as vault:
        assert titles(vault) == [("Rename the cart table", 0), ("Run all the tests", 0), ("Run all the tests", 1)]
        assert len(titles(vault, grouped=False)) == 4
        assert titles(vault, limit=1) == [("Rename the cart table", 0)]


def test_a_session_in_which_nothing_was_asked_is_not_listed_but_can_be_shown(person: Person) -> None:
    capture(person, "one", "Rename the cart table")
    silent = Claude(name_of("silent"), str(person.folder / "shop"), BEGAN)
    silent.call("Read", {"file_path": "/nowhere/a.py"})
    _captured(person, silent)
    with person.vault() as vault:
        assert titles(vault) == [("Rename the cart table", 0)]
        assert vault.sessions.session(silent.session)[1].requests == []


def test_a_project_is_the_current_one_or_that_of_a_folder(person: Person) -> None:
    capture(person, "one", "Rename the cart table", folder="shop")
    capture(person, "two", "Document the API", folder="api", day=1)
    with person.vault(cwd=person.folder / "shop") as vault:
        assert titles(vault, project=True) == [("Rename the cart table", 0)]
        assert titles(vault, project=str(person.folder / "api")) == [("Document the API", 0)]
        shop, _ = vault.sessions.session(name_of("one"))
        api, _ = vault.sessions.session(name_of("two"))
        assert (shop.label, api.label) == ("project shop", "project api")
        vault.sessions.must_be_of_this_project(shop)
        with pytest.raises(UsageError, match=f"the session {api.short} is of project api, not of this project"):
            vault.sessions.must_be_of_this_project(api)


def test_a_session_is_found_by_id_prefix_host_id_or_as_the_last(person: Person) -> None:
    host_id = capture(person, "one", "Rename the cart table")
    last_id = capture(person, "two", "Document the cart table", day=1)
    with person.vault() as vault:
        listed, session = vault.sessions.session("last")
        assert (listed.row.host_session_id, session.requests) == (last_id, ["Document the cart table"])
        own = vault.sessions.session(host_id)[0]
        for reference in (own.row.id, own.short, f" {own.row.id.upper()} ", host_id[:13]):
            assert vault.sessions.session(reference)[0] == own
        with pytest.raises(NotFoundError, match="there is no session"):
            vault.sessions.session("")


def test_a_reference_that_fits_several_sessions_is_refused_and_names_them(person: Person) -> None:
    teller = Claude("same-beginning-1", str(project(person, "shop")), BEGAN)
    other = Claude("same-beginning-2", str(person.folder / "shop"), BEGAN + timedelta(days=1))
    for one in (teller, other):
        one.ask(f"the request of {one.session}")
        _captured(person, one)
    with person.vault() as vault:
        with pytest.raises(UsageError, match="'same-beginning' could be any of") as told:
            vault.sessions.session("same-beginning")
        assert all(one.short in told.value.message for one in vault.sessions.sessions())


def test_the_last_session_of_an_empty_home_is_not_found(person: Person) -> None:
    with person.vault() as vault, pytest.raises(NotFoundError):
        vault.sessions.session("last")


def test_sessions_to_learn_from_are_one_or_those_since_a_time_or_all_or_the_new_ones(person: Person) -> None:
    first = capture(person, "one", "always run the linter before you commit")
    second = capture(person, "two", "never deploy on fridays", day=7)
    with person.vault() as vault:

        def chosen(**options: object) -> list[str]:
            rows = vault.sessions.sessions_to_learn(**options)  # type: ignore[arg-type]
            return [row.host_session_id for row in rows]

        assert chosen() == [first, second]
        (row,) = vault.sessions.sessions_to_learn(session=first)
        vault.learning.learn_from_session(row)
        assert chosen() == [second]
        assert chosen(everything=True) == [first, second]
        assert chosen(since="2026-02-21") == [second]
        assert chosen(since="1d") == []
        with pytest.raises(UsageError):
            chosen(since="whenever")


def test_a_turn_is_shown_with_its_neighbours_as_far_as_there_are_any(person: Person) -> None:
    capture(person, "one", "first request", "second request", "third request")
    with person.vault() as vault:
        _, session = vault.sessions.session("last")

        def headings(turn: int, around: int = 0) -> list[str]:
            shown = vault.sessions.turn_lines(session, turn, around)
            return [line.split()[1] for line in shown if line.startswith("### ")]

        assert headings(2) == ["2."]
        assert headings(1, 1) == ["1.", "2."]
        assert headings(3, 9) == ["1.", "2.", "3."]
        for turn in (0, 4):
            with pytest.raises(NotFoundError, match=f"no turn {turn}: it has 3"):
                vault.sessions.turn_lines(session, turn)


def test_an_injected_memory_is_told_with_its_reason_and_a_purged_one_as_gone(person: Person) -> None:
    with person.vault() as vault:
        memory = vault.add("retry_count is three, because the proxy drops large files").memory
    never_captured = Sitting(person, name_of("nobody captured this"), person.folder)
    assert "the proxy drops" in never_captured.ask("why is retry_count three?")
    with person.vault() as vault:
        (injection,) = vault.sessions.injected(session=never_captured.session)
        (told,) = injection.memories
        assert (told.id, told.sentence) == (memory.id, "retry_count is three, because the proxy drops large files")
        assert told.reason == "the prompt speaks of retry_count"
        assert vault.sessions.injected(session="another session") == []
        vault.purger.purge(memory.id)
        (injection,) = vault.sessions.injected(session=never_captured.session)
        assert [one.sentence for one in injection.memories] == ["(no longer there)"]


def test_injections_come_latest_first_up_to_a_limit(person: Person) -> None:
    person.tacit("add", "never force push to main")
    for name in ("one", "two"):
        Sitting(person, name_of(name), person.folder).ask("may I force push to main?")
    with person.vault() as vault:
        assert [one.event.origin.session for one in vault.sessions.injected()] == [name_of("two"), name_of("one")]
        assert [one.event.origin.session for one in vault.sessions.injected(limit=1)] == [name_of("two")]
        by_session = vault.sessions.injected_by_session([name_of("one"), "nobody", name_of("two")])
        assert [[one.event.origin.session for one in found] for found in by_session] == [
            [name_of("one")],
            [],
            [name_of("two")],
        ]


RULE = "never use npm"


def test_a_violation_of_a_session_that_is_not_here_has_no_text(person: Person) -> None:
    person.tacit("add", RULE)
    claim = ClaimId(person.id_of(RULE))
    session = session_id("claude", "one")
    with person.vault() as vault:
        body = MemoryChecked(claim, session, "violated", numbered(7))
        with vault.home.store.change() as change:
            change.record([Draft(body, GLOBAL)])
        report = vault.adherence.report(claim)
        (violation,) = report.violations
        assert (violation.event, violation.session, violation.text) == (numbered(7), session, "")
        assert violation.at.startswith("2026-03-02T12:00:00")
        assert report.counts.violated == 1 and report.corrections == ()
        assert vault.adherence.ineffective() == []


def test_a_memory_that_no_agent_was_told_has_an_empty_report(person: Person) -> None:
    person.tacit("add", RULE)
    with person.vault() as vault:
        report = vault.adherence.report(ClaimId(person.id_of(RULE)))
    assert report.counts.injected == report.counts.checked == report.counts.unknown == 0
    assert "told" not in person.tacit("why", person.id_of(RULE)).out
