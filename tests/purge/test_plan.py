"""A purge that decodes few lines does what one that decodes all of them, and compares every text, would do."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import booleans

from tacit.log import Log
from tacit.log.codec import DamagedLine, decode, encode
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Draft, Event, Verdict
from tacit.model.memory import touched_claims
from tacit.model.observation import BriefInjected, CommandRan, LogSealed, MemoryPurged, PromptGiven
from tacit.model.statement import claim_from
from tacit.purge.matcher import TextFinder, normalize_for_match
from tacit.purge.plan import LogSearch, PurgePlan, StagedSegments, late_tombstones, meet_named
from tacit.purge.prints import make_fingerprint
from tacit.purge.remains import PurgeTarget, claims_of, purge_event
from tacit.purge.tombstones import Tombstones
from tests.chaos.logs import open_log
from tests.laws.deletion import Story, carried_out, stories
from tests.laws.strategies import law
from tests.purge.oracle import target_of
from tests.support.events import event


def log_of(folder: str, data: bytes) -> Log:
    path = Path(folder, MEMORY_SEGMENT)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return open_log(folder)


def target(text: str) -> PurgeTarget:
    return PurgeTarget(TextFinder([normalize_for_match(text)]))


def carry_out(log: Log, plan: PurgePlan, staged: StagedSegments | None = None) -> bytes:
    plan.apply(log, staged or StagedSegments(plan, plan.stage(log)))
    return Path(log.path(MEMORY_SEGMENT)).read_bytes()


@law
@given(stories)
def test_the_plan_is_what_decoding_every_line_gives(story: Story) -> None:
    after = carried_out(story)
    keys = {claim.key for said in story.log for claim in claims_of(said.body) if claim.id in story.cut.claims}
    with tempfile.TemporaryDirectory() as folder:
        log = log_of(folder, b"".join(map(encode, story.log)))
        plan = LogSearch(story.cut, list(keys) or [""]).plan(log)
        left = [decode(line) for line in carry_out(log, plan).split(b"\n") if line]
    assert left == after.log
    assert (plan.target.claims, plan.target.moved) == (after.cut.claims, after.cut.moved)
    assert set(plan.changed) == {old.id for old, new in zip(story.log, after.log, strict=True) if old != new}


COMMANDS = ("make first", "echo hunter2 now", "make last")


@pytest.fixture
def lines() -> list[bytes]:
    return [encode(event(at, CommandRan(command))) for at, command in enumerate(COMMANDS, 1)]


def commands_in(data: bytes) -> list[str]:
    events = [decode(line) for line in data.split(b"\n") if line]
    return [said.body.command for said in events if isinstance(said, Event) and isinstance(said.body, CommandRan)]


def test_lines_that_are_appended_after_the_files_were_staged_are_taken_over(tmp_path: Path, lines: list[bytes]) -> None:
    log = log_of(str(tmp_path), b"".join(lines))
    search = LogSearch(target("Hunter2"))
    plan = search.plan(log)
    staged = plan.stage(log)
    with Path(log.path(MEMORY_SEGMENT)).open("ab") as file:
        file.write(encode(event(8, CommandRan("make more"))) + encode(event(9, CommandRan("say HUNTER2"))))
    data = carry_out(log, search.plan(log), StagedSegments(plan, staged))
    assert commands_in(data) == ["make first", "echo [purged] now", "make last", "make more", "say [purged]"]


def test_a_file_that_was_replaced_meanwhile_is_searched_again(tmp_path: Path, lines: list[bytes]) -> None:
    log = log_of(str(tmp_path), b"".join(lines))
    search = LogSearch(target("hunter2"))
    plan = search.plan(log)
    staged = plan.stage(log)
    other = [encode(event(5, CommandRan("hunter2 first"))), *lines]
    replacement = tmp_path / "new"
    replacement.write_bytes(b"".join(other))
    replacement.rename(log.path(MEMORY_SEGMENT))
    data = carry_out(log, search.plan(log), StagedSegments(plan, staged))
    assert commands_in(data) == ["[purged] first", "make first", "echo [purged] now", "make last"]


@pytest.mark.parametrize("is_known", [True, False])
def test_damaged_lines_and_torn_ends_with_it_go_and_others_stay(
    tmp_path: Path, lines: list[bytes], is_known: bool
) -> None:
    others = b"other rubbish\n" + lines[2]
    log = log_of(str(tmp_path), lines[0] + b"rubbish hunter2\n" + others + b'{"torn":"hunter2')
    plan = LogSearch(target("hunter2") if is_known else Tombstones([stone("hunter2")])).plan(log)
    assert plan.damaged == 2 and plan.changed == []
    assert carry_out(log, plan) == lines[0] + others


def test_the_seal_of_a_dropped_fragment_goes_with_it(tmp_path: Path) -> None:
    from hashlib import sha256

    fragment = b'{"actor":"hunter2'
    seal = LogSealed(0, len(fragment), sha256(fragment).hexdigest())
    log = log_of(str(tmp_path), fragment + b"\n" + encode(event(1, seal)))
    data = carry_out(log, LogSearch(target("hunter2")).plan(log))
    assert b"event.purged" in data and sha256(fragment).hexdigest().encode() not in data


def test_a_claim_that_is_left_in_other_words_is_not_gone(tmp_path: Path) -> None:
    said = [claim_from(text, GLOBAL) for text in ("use pnpm", "Use the pnpm.")]
    assert said[0].id == said[1].id
    events = [event(at, ClaimProposed(claim, Verdict.ADDED, "user_direct")) for at, claim in enumerate(said, 1)]
    foreign = b'["triple", "\\u0041"]\n'  # JSON, and no event
    log = log_of(str(tmp_path), b"".join(map(encode, events)) + foreign)
    plan = LogSearch(target("use the pnpm")).plan(log)
    assert plan.changed == [events[1].id] and not plan.gone_claims
    assert LogSearch(target("pnpm")).plan(log).gone_claims == {said[0].id}


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines that a search decodes."""
    found: list[bytes] = []

    def counted(line: bytes) -> Event | DamagedLine | None:
        found.append(line)
        return decode(line[:-1])

    monkeypatch.setattr("tacit.purge.plan.decode_raw", counted)
    return found


def test_most_lines_are_not_decoded(tmp_path: Path, decoded: list[bytes], lines: list[bytes]) -> None:
    hidden = encode(event(7, CommandRan(f"run {b64encode(b'my hunter2 key').decode()}")))
    log = log_of(str(tmp_path), lines[0] * 200 + hidden + lines[2] * 200)
    plan = LogSearch(target("hunter2")).plan(log)
    assert plan.changed == [event(7, CommandRan("")).id]
    assert set(decoded) == {hidden}


# Purging again

SALT = bytes(range(16))


def slowly(said: Event, stone: Event) -> Event:
    """What a tombstone leaves of an event if every text in it is compared."""
    assert isinstance(stone.body, MemoryPurged)
    meant = said.id < (stone.body.before or stone.id) or said.id in stone.body.events
    return purge_event(said, target_of(stone.body)) if meant else said


@law
@given(stories, booleans())
def test_the_plan_is_what_comparing_every_text_gives(story: Story, named_first: bool) -> None:
    stone = carried_out(story).stone
    said = [*story.log, *story.stale]
    wanted = [slowly(each, stone) for each in said]
    before = {claim for old in said for claim in touched_claims(old)}
    with tempfile.TemporaryDirectory() as folder:
        log = log_of(folder, b"".join(map(encode, said)))
        tombstones = Tombstones([stone])
        search = LogSearch(tombstones, meet_named(log, tombstones) if named_first else None)
        plan = search.plan(log)
        left = [decode(line) for line in carry_out(log, plan).split(b"\n") if line]
    assert left == wanted
    assert plan.gone_claims == before - {claim for new in wanted for claim in touched_claims(new)}
    assert isinstance(stone.body, MemoryPurged)
    target = target_of(stone.body)
    is_anew = any(purge_event(new, target) is not new for new in wanted)
    assert [each.id for each in search.still_purged().all] == ([] if is_anew else [stone.id])


@law
@given(stories, booleans())
def test_late_events_are_what_comparing_every_text_gives(story: Story, named_first: bool) -> None:
    stone = carried_out(story).stone
    stone = stone._replace(id=min((each.id for each in story.log), default=stone.id))  # its clock was slow
    assert isinstance(stone.body, MemoryPurged)
    target = target_of(stone.body)
    late = [each.id for each in story.log if each.id >= stone.id and purge_event(each, target) is not each]
    with tempfile.TemporaryDirectory() as folder:
        log = log_of(folder, b"".join(map(encode, story.log)))
        known = Tombstones([stone])
        claim_keys = meet_named(log, known) if named_first else None
        drafts = late_tombstones(log, [stone], lambda _op: (), known, claim_keys)
        added = [event(10_000 + at, draft.body) for at, draft in enumerate(drafts)]
        plan = LogSearch(Tombstones([stone, *added], known), claim_keys).plan(log)
        assert {*late} <= {*plan.changed}
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
    plan = LogSearch(Tombstones([stone("hunter2", "walrus", "never said")])).plan(log)
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
    search = LogSearch(Tombstones(stones))
    assert commands_in(carry_out(log, search.plan(log))) == ["[purged]", "hunter2"]
    assert [each.id for each in search.still_purged().all] == [stones[1].id]


def test_most_lines_are_not_decoded_to_purge_again(tmp_path: Path, decoded: list[bytes]) -> None:
    ordinary = [encode(event(at, PromptGiven("claude", f"über the number {at} of\nmany"))) for at in range(1, 200)]
    hidden = encode(event(500, CommandRan(f"run {b64encode(b'my hunter2 key').decode()}"), GLOBAL))
    log = log_of(str(tmp_path), b"".join([*ordinary, hidden, *ordinary]))
    plan = LogSearch(Tombstones([stone("hunter2")])).plan(log)
    assert plan.changed == [event(500, CommandRan("")).id]
    assert set(decoded) == {hidden}


def test_a_tag_is_compared_with_blanks_for_its_dashes(tmp_path: Path) -> None:
    claim = claim_from("use pnpm", GLOBAL)._replace(tags=("the-walrus-thing", "other"))
    body = ClaimProposed(claim, Verdict.ADDED, "user_direct")
    log = log_of(str(tmp_path), encode(event(1, body)))
    (left,) = carry_out(log, LogSearch(Tombstones([stone("walrus thing")])).plan(log)).splitlines()
    assert decode(left) == event(1, body._replace(claim=claim._replace(tags=("other",))))


def test_references_to_claims_that_were_moved_are_renamed(tmp_path: Path) -> None:
    old, new = (claim_from(text, GLOBAL).id for text in ("use pnpm", "use npm"))
    moving = event(1000, MemoryPurged(moved=((old, new),), everywhere=True))
    log = log_of(str(tmp_path), encode(event(1, BriefInjected((old, "0123456789ab"), 9))))
    (left,) = carry_out(log, LogSearch(Tombstones([moving])).plan(log)).splitlines()
    assert decode(left) == event(1, BriefInjected((new, "0123456789ab"), 9))
