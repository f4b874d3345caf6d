"""Hand edits become judgements of the person who vouches for them, and candidates if nobody does."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tacit.errors import RefusedError
from tacit.model import decide
from tacit.model.claim import GLOBAL, Kind, Provenance, Status
from tacit.model.event import HAND_EDIT, USER, ClaimDecided, ClaimProposed, Draft, EventOrigin, Verdict
from tacit.model.hand_edits import (
    UNVOUCHED_ATTRIBUTION,
    VOUCHED_ATTRIBUTION,
    AddedLine,
    ChangedLine,
    IgnoredLine,
    MemoryLookup,
    MemoryOverlay,
    PageEdit,
    RedrawnLine,
    RemovedLine,
    ensure_live,
    judge_edit,
    latest_memory,
    propose_edit,
)
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, fold_memories
from tests.support.events import START, active, added, dismissed, forgotten, history, pending, says

PAGE = "long-term.md"


def lookup(*memories: Memory) -> MemoryLookup:
    return {memory.id: memory for memory in memories}.get


def judged(edit: PageEdit, *memories: Memory) -> list[Draft]:
    return judge_edit(edit, lookup(*memories), GLOBAL, PAGE)


def verdicts(drafts: Sequence[Draft]) -> list[Verdict]:
    bodies = [draft.body for draft in drafts]
    return [body.verdict for body in bodies if isinstance(body, ClaimProposed | ClaimDecided)]


def changed(
    memory: Memory, text: str | None = None, status: Status | None = None, evidence: str | None = None
) -> ChangedLine:
    return ChangedLine("- line", memory.id, text, status=status, evidence=evidence)


def replaced() -> tuple[Memory, Memory]:
    """Return a memory that was reworded, as it was left behind, and the one that replaced it."""
    old, new = says("use npm"), says("use pnpm")
    revised = ClaimDecided(old, Verdict.REVISED, instead=new, active=True)
    memories = fold_memories(history(added(old), revised))
    return memories[old.id], memories[new.id]


@pytest.mark.parametrize(("is_active", "verdict"), [(True, Verdict.ADDED), (False, Verdict.PROPOSED)])
def test_a_new_line_is_added_or_proposed_by_its_section_and_names_the_page(is_active: bool, verdict: Verdict) -> None:
    (draft,) = judged(AddedLine("- use pnpm", "use pnpm", Kind.RULE, is_active))

    assert draft.body == ClaimProposed(says("use pnpm"), verdict, HAND_EDIT, f"written in {PAGE}")
    assert draft.attribution == VOUCHED_ATTRIBUTION


@pytest.mark.parametrize("known", [pending(), dismissed(), forgotten()], ids=lambda memory: memory.status.value)
def test_a_line_in_an_active_section_makes_a_known_memory_active(known: Memory) -> None:
    assert verdicts(judged(AddedLine("- use pnpm", "use pnpm", None, is_active=True), known)) == [Verdict.ADDED]


def test_a_line_that_says_what_is_active_already_changes_at_most_its_wording() -> None:
    assert judged(AddedLine("- use pnpm", "use pnpm", None, is_active=True), active()) == []
    (draft,) = judged(AddedLine("- Use the pnpm", "Use the pnpm", None, is_active=True), active())
    assert isinstance(draft.body, ClaimDecided) and draft.body.instead is not None
    assert (draft.body.verdict, draft.body.instead.sentence) == (Verdict.REVISED, "Use the pnpm")


def test_a_removed_line_forgets_dismisses_or_says_nothing_by_the_status_of_its_memory() -> None:
    memories = (active("use a"), pending("use b"), forgotten("use c"), dismissed("use d"))

    found = [verdicts(judged(RemovedLine("- line", memory.id), memory)) for memory in memories]

    assert found == [[Verdict.RETIRED], [Verdict.DISMISSED], [], []]
    assert judged(IgnoredLine("x", "no fact")) == judged(RedrawnLine("x", "there twice")) == []  # no statement


def test_a_removed_line_does_not_forget_the_memory_that_replaced_its_own() -> None:
    old, new = replaced()
    assert judged(RemovedLine("- line", old.id), old, new) == []
    circle = lookup(old, new._replace(status=Status.RETIRED, replaced_by=old.id))  # is not followed forever
    assert latest_memory(circle, old.id) is not None


def test_new_words_replace_the_memory_and_inherit_its_strength() -> None:
    (draft,) = judged(changed(active("use npm"), text="use pnpm"), active("use npm"))

    assert isinstance(draft.body, ClaimDecided)
    assert (draft.body.claim, draft.body.instead, draft.body.active) == (says("use npm"), says("use pnpm"), True)
    assert draft.body.carried_strength == 1


def test_new_words_for_a_line_that_was_replaced_meanwhile_revise_the_latest_wording() -> None:
    old, new = replaced()
    (draft,) = judged(changed(old, text="use yarn"), old, new)
    assert isinstance(draft.body, ClaimDecided)
    assert (draft.body.claim, draft.body.instead) == (new.claim, says("use yarn"))


def test_new_words_for_an_unknown_entry_are_an_addition() -> None:
    edit = ChangedLine("- use pnpm", says("use npm").id, "use pnpm", is_active=True)
    assert verdicts(judged(edit)) == [Verdict.ADDED]
    assert judged(edit._replace(text=None, status=Status.ACTIVE)) == []


def test_a_line_moved_to_an_active_section_accepts_a_candidate_and_restores_what_was_pruned() -> None:
    memories = (pending("use a"), forgotten("use b"), active("use c"))

    found = [verdicts(judged(changed(memory, status=Status.ACTIVE), memory)) for memory in memories]

    assert found == [[Verdict.ACCEPTED], [Verdict.RESTORED], []]


def test_an_active_memory_cannot_become_a_candidate_again_and_what_was_pruned_cannot_be_reworded() -> None:
    with pytest.raises(RefusedError, match="cannot wait again"):
        judged(changed(active(), status=Status.PENDING), active())
    with pytest.raises(RefusedError, match="only history"):
        judged(changed(forgotten(), text="use yarn"), forgotten())


def test_new_evidence_is_added_to_the_same_claim_once() -> None:
    memory = pending()
    (draft,) = judged(changed(memory, evidence="a talk"), memory)
    assert isinstance(draft.body, ClaimDecided)
    assert (draft.body.instead, draft.body.carried_evidence) == (memory.claim, ("a talk",))
    assert judged(changed(memory, evidence="a test"), memory) == []


def test_an_edit_that_nobody_vouches_for_is_a_candidate_without_authority() -> None:
    known = active("use npm")
    added_line = AddedLine("- use pnpm", "use pnpm", Kind.RULE, is_active=True)
    edits: list[PageEdit] = [added_line, changed(known, text="use pnpm")]
    for edit in edits:
        (draft,) = propose_edit(edit, lookup(known), GLOBAL, PAGE)
        assert draft.body == ClaimProposed(says("use pnpm"), Verdict.PROPOSED, HAND_EDIT, f"found in {PAGE}")
        assert draft.attribution == UNVOUCHED_ATTRIBUTION
        assert propose_edit(edit, lookup(known, forgotten("use pnpm")), GLOBAL, PAGE) == []
    assert propose_edit(RemovedLine("- use npm", known.id), lookup(known), GLOBAL, PAGE) == []


def test_a_statement_that_is_still_on_the_page_is_made_live_again() -> None:
    claim = says("use pnpm")
    assert verdicts(ensure_live(claim, Status.ACTIVE, forgotten(), PAGE)) == [Verdict.RESTORED]
    assert verdicts(ensure_live(claim, Status.PENDING, dismissed(), PAGE)) == [Verdict.PROPOSED]
    assert ensure_live(claim, Status.ACTIVE, active(), PAGE) == ensure_live(claim, Status.ACTIVE, None, PAGE) == []


def test_an_overlay_shows_the_effect_of_drafts_that_are_not_recorded_yet() -> None:
    npm, pnpm, yarn = active("use npm"), says("use pnpm"), says("use yarn")
    origin = EventOrigin(START, 0, "host", "", USER, Provenance.USER_DIRECT)
    overlay = MemoryOverlay(lookup(npm), origin)

    overlay.apply(decide.revise(npm, pnpm))
    first = latest_memory(overlay.memory, npm.id)
    assert first is not None and (first.claim, first.status) == (pnpm, Status.ACTIVE)
    overlay.apply(decide.revise(first, yarn))

    left, last = overlay.memory(npm.id), latest_memory(overlay.memory, npm.id)
    assert left is not None and left.status is Status.RETIRED
    assert last is not None and (last.claim, last.strength) == (yarn, npm.strength)
    assert overlay.memory(ClaimId("0" * 12)) is None
