"""Purging again decodes few lines, and does what decoding every line and comparing every print would do."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from pathlib import Path

import pytest
from hypothesis import given

from tacit.log.codec import DamagedLine, decode, encode
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Draft, Event, Verdict
from tacit.model.memory import touched_claims
from tacit.model.observation import BriefInjected, CommandRan, MemoryPurged, PromptGiven
from tacit.model.statement import claim_from
from tacit.purge.fingerprint import make_fingerprint
from tacit.purge.remains import purge_bound, purge_event, purge_target_of
from tacit.purge.tombstone_search import TombstoneSearch, late_tombstones
from tacit.purge.tombstones import Tombstones
from tests.laws.deletion import Story, carried_out, stories
from tests.laws.strategies import law
from tests.purge.test_plan import carry_out, commands_in, log_of
from tests.support.events import event

SALT = bytes(range(16))


def slowly(said: Event, stone: Event) -> Event:
    """What a tombstone leaves of an event if every text in it is compared."""
    assert isinstance(stone.body, MemoryPurged)
    meant = said.id < purge_bound(stone.id, stone.body) or said.id in stone.body.events
    return purge_event(said, purge_target_of(stone.body)) if meant else said


@law
@given(stories)
def test_the_plan_is_what_comparing_every_text_gives(story: Story) -> None:
    stone = carried_out(story).stone
    said = [*story.log, *story.stale]
    wanted = [slowly(each, stone) for each in said]
    before = {claim for old in said for claim in touched_claims(old)}
    with tempfile.TemporaryDirectory() as folder:
        log = log_of(folder, b"".join(map(encode, said)))
        search = TombstoneSearch(Tombstones([stone]))
        plan = search.plan(log)
        left = [decode(line) for line in carry_out(log, plan).split(b"\n") if line]
    assert left == wanted
    assert plan.gone_claims == before - {claim for new in wanted for claim in touched_claims(new)}
    assert isinstance(stone.body, MemoryPurged)
    target = purge_target_of(stone.body)
    is_anew = any(purge_event(new, target) is not new for new in wanted)
    assert bool(search.still_purged().matchers or search.still_purged().claims) == (
        not is_anew and bool(target.matchers or target.claims)
    )


@law
@given(stories)
def test_late_events_are_what_comparing_every_text_gives(story: Story) -> None:
    stone = carried_out(story).stone
    stone = stone._replace(id=min((each.id for each in story.log), default=stone.id))  # its clock was slow
    assert isinstance(stone.body, MemoryPurged)
    target = purge_target_of(stone.body)
    late = [each.id for each in story.log if each.id >= stone.id and purge_event(each, target) is not each]
    with tempfile.TemporaryDirectory() as folder:
        log = log_of(folder, b"".join(map(encode, story.log)))
        drafts = late_tombstones(log, [stone], lambda _op: ())
        nobody = late_tombstones(log, [stone], lambda _op: (MEMORY_SEGMENT,))
    assert [name for draft in drafts for name in _named(draft)] == late
    assert nobody == []


def _named(draft: Draft) -> tuple[str, ...]:
    assert isinstance(draft.body, MemoryPurged)
    return draft.body.events


def stone(*texts: str, at: int = 1000) -> Event:
    prints = tuple(make_fingerprint(text, SALT) for text in texts)
    return event(at, MemoryPurged(prints=prints, everywhere=True))


def test_several_texts_are_found_in_one_reading_and_others_stay(tmp_path: Path) -> None:
    said = ["echo hunter2", "make", f"run {b64encode(b'the walrus key').decode()}", "say %68unter2", "echo hunter3"]
    log = log_of(str(tmp_path), b"".join(encode(event(at, CommandRan(text))) for at, text in enumerate(said, 1)))
    plan = TombstoneSearch(Tombstones([stone("hunter2", "walrus", "never said")])).plan(log)
    assert commands_in(carry_out(log, plan)) == [
        "echo [purged]",
        "make",
        "run dGhlI[purged]BrZXk=",
        "say [purged]",
        "echo hunter3",
    ]


def test_what_was_said_again_later_stays_and_is_known(tmp_path: Path) -> None:
    log = log_of(str(tmp_path), encode(event(1, CommandRan("hunter2"))) + encode(event(9, CommandRan("hunter2"))))
    stones = [stone("hunter2", at=5), stone("walrus", at=6)]
    search = TombstoneSearch(Tombstones(stones))
    assert commands_in(carry_out(log, search.plan(log))) == ["[purged]", "hunter2"]
    assert [matcher.length for matcher in search.still_purged().matchers] == [len("walrus")]


def test_damaged_lines_with_a_purged_text_go(tmp_path: Path) -> None:
    lines = [encode(event(at, CommandRan("make"))) for at in (1, 2)]
    log = log_of(str(tmp_path), lines[0] + b"rubbish hunter2\n" + b"other rubbish\n" + lines[1] + b'{"torn":"hunter2')
    assert carry_out(log, TombstoneSearch(Tombstones([stone("hunter2")])).plan(log)) == (
        lines[0] + b"other rubbish\n" + lines[1]
    )


def test_most_lines_are_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    def counted(line: bytes) -> Event | DamagedLine | None:
        decoded.append(line)
        return decode(line[:-1])

    monkeypatch.setattr("tacit.purge.plan.decode_raw", counted)
    ordinary = [encode(event(at, PromptGiven("claude", f"über the number {at} of\nmany"))) for at in range(1, 200)]
    hidden = encode(event(500, CommandRan(f"run {b64encode(b'my hunter2 key').decode()}"), GLOBAL))
    log = log_of(str(tmp_path), b"".join([*ordinary, hidden, *ordinary]))
    plan = TombstoneSearch(Tombstones([stone("hunter2")])).plan(log)
    assert plan.changed == [event(500, CommandRan("")).id]
    assert set(decoded) == {hidden}


def test_a_tag_is_compared_with_blanks_for_its_dashes(tmp_path: Path) -> None:
    claim = claim_from("use pnpm", GLOBAL)._replace(tags=("the-walrus-thing", "other"))
    body = ClaimProposed(claim, Verdict.ADDED, "user_direct")
    log = log_of(str(tmp_path), encode(event(1, body)))
    (left,) = carry_out(log, TombstoneSearch(Tombstones([stone("walrus thing")])).plan(log)).splitlines()
    assert decode(left) == event(1, body._replace(claim=claim._replace(tags=("other",))))


def test_references_to_claims_that_were_moved_are_renamed(tmp_path: Path) -> None:
    old, new = (claim_from(text, GLOBAL).id for text in ("use pnpm", "use npm"))
    moving = event(1000, MemoryPurged(moved=((old, new),), everywhere=True))
    log = log_of(str(tmp_path), encode(event(1, BriefInjected((old, "0123456789ab"), 9))))
    (left,) = carry_out(log, TombstoneSearch(Tombstones([moving])).plan(log)).splitlines()
    assert decode(left) == event(1, BriefInjected((new, "0123456789ab"), 9))
