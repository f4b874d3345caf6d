"""The kind of a memory: one that somebody named is never replaced by one that was told from the words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import Claim, Kind
from tacit.model.event import ClaimDecided, ClaimProposed, Event, Verdict
from tacit.model.memory import fold_memories
from tests.laws.strategies import PERSON, after, claims, in_other_words, law, logs

# Who states a claim, with which kind, and whether the kind was told from the words.
statements = st.tuples(
    st.sampled_from((PERSON, PERSON, "repository", "agent", "learner")),
    st.sampled_from((Kind.CONSTRAINT, Kind.RULE, Kind.DECISION)),
    st.booleans(),
)


def kind_after(claim: Claim, said: list[tuple[str, Kind, bool]]) -> Kind:
    log: list[Event] = []
    for actor, kind, is_inferred in said:
        body = ClaimProposed(claim._replace(kind=kind), Verdict.ADDED, "test", kind_inferred=is_inferred)
        log.append(after(log, body, actor))
    return fold_memories(log)[claim.id].kind


@law
@given(claims, st.sampled_from(Kind), st.lists(st.sampled_from(Kind), max_size=5), st.data())
def test_the_kind_that_a_person_named_is_the_same_whatever_the_order_of_hearing(
    claim: Claim, named: Kind, told: list[Kind], data: st.DataObject
) -> None:
    said = [(PERSON, named, False), *((PERSON, kind, True) for kind in told)]
    assert kind_after(claim, data.draw(st.permutations(said))) is named


@law
@given(claims, st.sampled_from(Kind), st.sampled_from(Kind))
def test_a_kind_in_a_trusted_file_holds_before_and_after_words_of_the_person(
    claim: Claim, named: Kind, told: Kind
) -> None:
    said = [("repository", named, False), (PERSON, told, True)]
    assert kind_after(claim, said) is kind_after(claim, said[::-1]) is named


@law
@given(claims, st.lists(statements, min_size=1, max_size=6))
def test_a_person_who_names_a_kind_has_the_last_word(claim: Claim, said: list[tuple[str, Kind, bool]]) -> None:
    named = [kind for actor, kind, is_inferred in said if actor == PERSON and not is_inferred]
    if named:
        assert kind_after(claim, said) is named[-1]


@law
@given(claims, st.lists(statements, min_size=1, max_size=6), st.sampled_from(Kind), st.booleans())
def test_no_agent_changes_the_kind_of_what_a_person_stated(
    claim: Claim, said: list[tuple[str, Kind, bool]], kind: Kind, is_inferred: bool
) -> None:
    if any(actor == PERSON for actor, _, _ in said):
        assert kind_after(claim, [*said, ("agent", kind, is_inferred)]) is kind_after(claim, said)


@law
@given(logs)
def test_in_an_old_log_the_latest_kind_of_a_person_holds(log: list[Event]) -> None:
    """Lines from before kinds were marked are read as if the kind had been named: nothing changes by an upgrade."""
    old = [
        event._replace(body=event.body._replace(kind_inferred=False))
        if isinstance(event.body, ClaimProposed | ClaimDecided)
        else event
        for event in log
    ]
    for memory in fold_memories(old).values():
        other = in_other_words(memory.claim)
        again = after(old, ClaimProposed(other, Verdict.ADDED, "user_direct"))
        assert fold_memories([*old, again])[memory.id].kind is other.kind
