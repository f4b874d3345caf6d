"""evaluate and improve, called as a library: once a day, with advice once, and without an agent's merging."""

from __future__ import annotations

import pytest
from harness.person import Person

import tacit
from tacit.errors import UsageError
from tacit.model.claim import Kind, Provenance, Status
from tacit.vault import Vault

TOMORROW = "2026-03-03T12:00:00+00:00"
NEXT_YEAR = "2027-03-02T12:00:00+00:00"
WEAK = "Give evidence with every memory, so that its reason can be checked"


def remembered(vault: Vault, text: str, times: int = 1) -> str:
    for number in range(times):
        outcome = vault.memories.remember(text, evidence=f"seen in run {number}")
    return outcome.memory.id


def test_an_evaluation_is_made_once_a_day_unless_it_is_forced(person: Person) -> None:
    with person.vault() as vault:
        first = vault.maintenance.evaluate()
        assert (first.created, first.result.day) == (True, "2026-03-02")
        assert first.path == str(person.home / "evaluations" / "2026-03-02.md")
        again = vault.maintenance.evaluate()
        assert (again.created, again.result, again.candidates) == (False, first.result, ())
        forced = vault.maintenance.evaluate(force=True)
        assert (forced.created, forced.replaced, first.replaced, again.replaced) == (True, True, False, False)
    with person.vault(now=TOMORROW) as vault:
        assert vault.maintenance.evaluate().result.day == "2026-03-03"


def test_it_is_said_whether_an_evaluation_was_created_made_again_or_not(person: Person) -> None:
    said = [person.tacit("improve", *words).first for words in ((), (), ("--force",), ("--evaluate", "--force"))]
    assert [line.split(" (")[0].removeprefix("Evaluation: ") for line in said] == [
        *("created", "unchanged", "made again", "made again")
    ]


def test_a_forced_evaluation_shows_what_has_changed_since(person: Person) -> None:
    with person.vault() as vault:
        before = vault.maintenance.evaluate().result
        vault.add("never force push")
        assert vault.maintenance.evaluate().result == before
        after = vault.maintenance.evaluate(force=True).result
    assert after.scores[0].reason == "0 of 1 memories have evidence"


def test_the_day_is_that_of_the_persons_clock(person: Person) -> None:
    with person.vault(now="2026-03-02T23:30:00-05:00") as vault:
        assert vault.maintenance.evaluate().result.day == "2026-03-02"


def test_a_weak_measure_is_advised_on_once_by_a_program_even_after_it_was_dismissed(person: Person) -> None:
    with person.vault() as vault:
        vault.add("never force push")
        (advice,) = vault.maintenance.evaluate().candidates
        assert (advice.claim.sentence, advice.status) == (WEAK, Status.PENDING)
        assert advice.provenance is Provenance.TOOL_LOCAL
        vault.memories.dismiss(advice.id)
    with person.vault(now=TOMORROW) as vault:
        assert vault.maintenance.evaluate().candidates == ()
        assert vault.search.show(advice.id).memory.status is Status.DISMISSED


def test_improve_suggests_a_candidate_when_it_was_seen_often_enough_and_once(person: Person) -> None:
    with person.vault() as vault:
        twice, once = remembered(vault, "prefer recall before work", 2), remembered(vault, "deploys need a ticket")
        assert vault.maintenance.improve(min_count=3).patterns == ()
        assert [memory.id for memory in vault.maintenance.improve().patterns] == [twice]
        assert vault.maintenance.improve().patterns == ()
        assert not vault.search.show(once).memory.suggested and vault.search.show(twice).memory.suggested


@pytest.mark.parametrize("count", [1, 0, -5])
def test_what_was_seen_once_is_no_pattern_and_asking_for_it_changes_nothing(person: Person, count: int) -> None:
    with person.vault() as vault, pytest.raises(UsageError, match="at least 2"):
        vault.maintenance.improve(min_count=count)
    assert not person.home.exists()


def test_candidates_that_say_the_same_are_merged_for_a_person_and_undo_takes_that_back(person: Person) -> None:
    with person.vault() as vault:
        strong = remembered(vault, "always run the linter before committing", 2)
        weak = remembered(vault, "Always run the linter before you commit")
        (pair,) = vault.maintenance.improve().merged
        assert (pair.memory.id, pair.into.id) == (weak, strong)
        assert vault.search.show(strong).memory.strength == 3
        assert weak not in {listed.memory.id for listed in vault.suggestions.listing()}
        vault.changes.undo(weak)
        assert weak in {listed.memory.id for listed in vault.suggestions.listing()}


def test_an_agent_merges_nothing(person: Person) -> None:
    with person.vault() as vault:
        remembered(vault, "always run the linter before committing", 2)
        weak = remembered(vault, "Always run the linter before you commit")
    with person.at(TACIT_ACTOR="codex"), tacit.open(person.home) as vault:
        assert vault.maintenance.improve().merged == ()
        assert vault.search.show(weak).memory.status is Status.PENDING


def test_improve_names_what_nobody_confirmed_for_long_and_what_is_undecided(person: Person) -> None:
    with person.vault() as vault:
        old = vault.add("the build takes an hour").memory
    with person.vault(now=NEXT_YEAR) as vault:
        vault.add("always use tabs", kind=Kind.CONSTRAINT)
        vault.add("always use spaces", kind=Kind.CONSTRAINT)
        found = vault.maintenance.improve()
    assert [memory.id for memory in found.stale] == [old.id]
    assert found.undecided == 1
