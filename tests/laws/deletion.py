"""Random purges: a log, what is purged from it, and every way in which its old lines may come back.

`tests/laws/long.py` runs the same stories in large numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from hypothesis import strategies as st

from tacit.index.compare import dump_rows
from tacit.model.claim import GLOBAL, Claim, Provenance
from tacit.model.event import USER, ClaimDecided, ClaimProposed, Event, EventOrigin, EventsUndone, Verdict
from tacit.model.ids import EventId, event_id, next_event_id
from tacit.model.memory import fold_memories, touched_claims
from tacit.model.observation import BriefInjected, MemoryChecked, MemoryPurged, PurgedStub
from tacit.purge.matcher import TextFinder, normalize_for_match
from tacit.purge.prints import make_fingerprint
from tacit.purge.remains import PurgeTarget, claim_sentences, moved_claims, purge_event, removed_claims
from tacit.purge.tombstones import Tombstones
from tests.laws.filing import filed, indexed
from tests.laws.strategies import _logs as logs_of
from tests.laws.strategies import a_judgement, anything, claim_pools

_SALT = b"one salt for all of them"
_LONG_AGO = datetime(2024, 1, 1, tzinfo=UTC)
# Words of the random claims, evidence and pages: some stand everywhere, some nowhere.
TEXTS = (
    *("pnpm", "npm cache", "the build", "default branch", "a test", "said otherwise", "日本語と", "forged"),
    "example.org",
)


class Story(NamedTuple):
    """A log, what goes from it, in which order its old and new lines are met afterwards, and what others say."""

    log: list[Event]
    cut: PurgeTarget
    texts: tuple[str, ...]
    order: list[int]
    stale: list[Event]


def text_story(log: list[Event], text: str, order: list[int], stale: list[Event]) -> Story:
    return Story(log, PurgeTarget(TextFinder([normalize_for_match(text)])), (text,), order, stale)


def _memory_story(log: list[Event], claim: Claim, order: list[int], stale: list[Event]) -> Story:
    texts = tuple(text for text in claim_sentences(log, claim.id) if len(normalize_for_match(text)) >= 4)
    words = TextFinder(map(normalize_for_match, texts))
    return Story(log, PurgeTarget(words, frozenset({claim.id}), everywhere=False), texts, order, stale)


def _stories(pool: Sequence[Claim]) -> st.SearchStrategy[Story]:
    said = logs_of(pool, body_of=anything)
    others = logs_of(pool, body_of=a_judgement).map(_elsewhere)
    order = st.lists(st.integers(0, 1 << 16), max_size=12)
    return st.builds(text_story, said, st.sampled_from(TEXTS), order, others) | st.builds(
        _memory_story, said, st.sampled_from(list(pool)), order, others
    )


def _elsewhere(events: list[Event]) -> list[Event]:
    """With ids that no event of the log has."""
    names = [EventId(event.id[:-12] + "f" + event.id[-11:]) for event in events]
    return [Event(name, name, *event[2:]) for name, event in zip(names, events, strict=True)]


stories = claim_pools.flatmap(_stories)


class Aftermath(NamedTuple):
    """The log as a purge leaves it, and the tombstones."""

    log: list[Event]
    cut: PurgeTarget
    stones: Tombstones
    stone: Event


def carried_out(story: Story) -> Aftermath:
    """As `tacit.log.rewrite` does it."""
    moved = moved_claims(story.log, story.cut)
    lost = removed_claims(story.log, [purge_event(event, story.cut) for event in story.log]) - moved.keys()
    cut = story.cut._replace(moved=moved, claims=story.cut.claims | lost)
    left = [purge_event(event, cut) for event in story.log]
    stone = _tombstone(story, cut, [old.id for old, new in zip(story.log, left, strict=True) if old != new])
    return Aftermath(left, cut, Tombstones([stone]), stone)


def _tombstone(story: Story, cut: PurgeTarget, changed: list[EventId]) -> Event:
    last = max((event.id for event in story.log), default=None)
    name = next_event_id(last, 0, bytes(10))
    body = MemoryPurged(
        events=tuple(changed),
        claims=tuple(sorted(cut.claims)),
        moved=tuple(cut.moved.items()),
        prints=tuple(make_fingerprint(text, _SALT) for text in story.texts),
        everywhere=cut.everywhere,
    )
    return Event(name, name, EventOrigin(_LONG_AGO, 0, "host", "", USER, Provenance.USER_DIRECT), GLOBAL, body)


# What must hold


def old_copies_change_nothing(story: Story) -> None:
    """Old lines beside new ones, in any order and more than once: the index is that of the purged log alone."""
    after = carried_out(story)
    mixed = [*story.log, *after.log]
    extra = [mixed[at % len(mixed)] for at in story.order] if mixed else []
    met = [after.stones.apply(event) for event in _shuffled([*mixed, *extra], story.order)]
    # The same event may stand in several lines; which of them an index quotes is of no interest.
    assert _answers(met) == _answers(after.log)
    assert fold_memories(met) == fold_memories(after.log)
    assert not set(fold_memories(met)) & after.cut.claims
    if after.cut.everywhere:
        index = indexed(filed(met))
        for query in (
            "SELECT text, extra FROM documents",
            "SELECT title FROM pages",
            "SELECT sentence, tags FROM memories",
        ):
            assert not any(after.cut.texts.contains(text) for row in index.execute(query) for text in row)


def stale_hosts_bring_nothing_back(story: Story) -> None:
    """What another machine says, before or after the purge, comes in without what was purged here."""
    after = carried_out(story)
    heard = [left for event in [*story.log, *story.stale] if (left := after.stones.filter_import(event)) is not None]
    assert not {claim for event in heard for claim in touched_claims(event)} & after.cut.claims
    if after.cut.everywhere:
        assert not any(after.cut.texts.contains(_told(event)) for event in heard)
    assert all(after.stones.filter_import(event) == event for event in heard)
    assert not any(after.stones.rejects(event) for event in after.log if not isinstance(event.body, PurgedStub))


def _told(event: Event) -> str:
    """The words of an event, without ids: they are letters by chance."""
    match event.body:
        case EventsUndone(label=label):
            return label
        case BriefInjected(task=task):
            return task
        case MemoryChecked():
            return ""
    return repr(event.body)


def what_is_not_meant_stays(story: Story) -> None:
    """An event that holds nothing of it is the same; purging twice is purging once."""
    after = carried_out(story)
    for old, new in zip(story.log, after.log, strict=True):
        assert purge_event(new, after.cut) is new
        assert after.stones.apply(old) == new
        assert (old.id, old.op, old.origin.at, old.origin.provenance) == (
            new.id,
            new.op,
            new.origin.at,
            new.origin.provenance,
        )


def settled_by_a_person_stays_settled(story: Story, claim: Claim, verdict: Verdict) -> None:
    """Forgotten or dismissed by a person: earlier lines that come late, and later ones of others, change nothing."""
    origin = EventOrigin(_LONG_AGO, 0, "host", "", USER, Provenance.USER_DIRECT)
    said = [_said(event_id(1, b"\xff" * 10), origin, ClaimProposed(claim, Verdict.ADDED, "user_direct"))]
    name = next_event_id(max(event.id for event in [*said, *story.log, *story.stale]), 0, bytes(10))
    said.append(_said(name, origin, ClaimDecided(claim, verdict)))
    met = [*said, *story.log, *_of_others_afterwards(story.stale, name)]
    memory = fold_memories(_shuffled(met, story.order))[claim.id]
    assert not memory.is_live
    assert memory == fold_memories(met)[claim.id]


def _said(name: EventId, origin: EventOrigin, body: ClaimProposed | ClaimDecided) -> Event:
    return Event(name, name, origin, GLOBAL, body)


def _of_others_afterwards(events: Sequence[Event], last: EventId) -> list[Event]:
    moved = []
    for event in events:
        if not event.is_by_user:
            last = next_event_id(last, 0, bytes(10))
            moved.append(Event(last, last, event.origin, event.scope, event.body))
    return moved


def _answers(events: Sequence[Event]) -> list[tuple[str, object]]:
    """Every derived row but the lines themselves and where they stand."""
    rows = dump_rows(indexed(filed(events)), answers_only=True)
    return [row for row in rows if row[0] not in ("events", "session_events")]


def _shuffled(events: Sequence[Event], order: Sequence[int]) -> list[Event]:
    left, mixed = list(events), []
    for at in order:
        if left:
            mixed.append(left.pop(at % len(left)))
    return mixed + left[::-1]
