"""Reports of whether a memory is followed: evidence that is no longer here has the time of the check."""

from __future__ import annotations

from harness.person import Person

from tacit.model.claim import GLOBAL
from tacit.model.event import Draft
from tacit.model.ids import ClaimId
from tacit.model.observation import MemoryChecked, session_id
from tests.support.events import numbered

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
