"""Random purges: a log, what is purged from it, and every way in which its old lines may come back.

`tests/laws/long.py` runs the same stories in large numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from hypothesis import strategies as st

from tacit.model.claim import GLOBAL, Claim, Provenance
from tacit.model.event import USER, Event, EventOrigin
from tacit.model.ids import EventId, next_event_id
from tacit.model.memory import touched_claims
from tacit.model.observation import MemoryPurged
from tacit.purge.matcher import TextFinder, normalize_for_match
from tacit.purge.prints import make_fingerprint
from tacit.purge.remains import PurgeTarget, claim_sentences, moved_claims, purge_event
from tacit.purge.tombstones import Tombstones
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
    after = [purge_event(event, story.cut) for event in story.log]
    before, kept = ({claim for event in log for claim in touched_claims(event)} for log in (story.log, after))
    lost = before - kept - moved.keys()
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
