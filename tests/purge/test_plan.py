"""A purge that decodes only the lines the prefilter names does what one that decodes all of them would do."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tacit.disk.files import OsDisk
from tacit.log.codec import DamagedLine, decode, encode
from tacit.log.log import Log
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Event, Verdict
from tacit.model.observation import CommandRan, LogSealed
from tacit.model.statement import claim_from
from tacit.purge.match import LiteralMatcher, normalize_for_match
from tacit.purge.plan import PurgeSearch
from tacit.purge.remains import PurgeTarget, claims_of
from tacit.purge.rewrite import PurgePlan, StagedSegments
from tacit.purge.tombstones import load_tombstones
from tests.laws.deletion import Story, carried_out, stories
from tests.laws.strategies import law
from tests.support.events import event


class NoLock:
    def acquire(self, _timeout: float | None = None) -> Any:
        return nullcontext()


def log_of(folder: str, data: bytes) -> Log:
    path = Path(folder, MEMORY_SEGMENT)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return Log(folder, OsDisk(), NoLock(), lambda: bytes(10), load_purges=load_tombstones)


def target(text: str) -> PurgeTarget:
    return PurgeTarget((LiteralMatcher(normalize_for_match(text)),))


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
        plan = PurgeSearch(story.cut, list(keys) or [""]).plan(log)
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
    search = PurgeSearch(target("Hunter2"))
    plan = search.plan(log)
    staged = plan.stage(log)
    with Path(log.path(MEMORY_SEGMENT)).open("ab") as file:
        file.write(encode(event(8, CommandRan("make more"))) + encode(event(9, CommandRan("say HUNTER2"))))
    data = carry_out(log, search.plan(log), StagedSegments(plan, staged))
    assert commands_in(data) == ["make first", "echo [purged] now", "make last", "make more", "say [purged]"]


def test_a_file_that_was_replaced_meanwhile_is_searched_again(tmp_path: Path, lines: list[bytes]) -> None:
    log = log_of(str(tmp_path), b"".join(lines))
    search = PurgeSearch(target("hunter2"))
    plan = search.plan(log)
    staged = plan.stage(log)
    other = [encode(event(5, CommandRan("hunter2 first"))), *lines]
    replacement = tmp_path / "new"
    replacement.write_bytes(b"".join(other))
    replacement.rename(log.path(MEMORY_SEGMENT))
    data = carry_out(log, search.plan(log), StagedSegments(plan, staged))
    assert commands_in(data) == ["[purged] first", "make first", "echo [purged] now", "make last"]


def test_damaged_lines_and_torn_ends_with_it_go_and_others_stay(tmp_path: Path, lines: list[bytes]) -> None:
    data = lines[0] + b"rubbish hunter2\n" + b"other rubbish\n" + lines[2] + b'{"torn":"hunter2'
    log = log_of(str(tmp_path), data)
    plan = PurgeSearch(target("hunter2")).plan(log)
    assert plan.damaged == 2 and plan.changed == []
    assert carry_out(log, plan) == lines[0] + b"other rubbish\n" + lines[2]


def test_the_seal_of_a_dropped_fragment_goes_with_it(tmp_path: Path) -> None:
    from hashlib import sha256

    fragment = b'{"actor":"hunter2'
    seal = LogSealed(0, len(fragment), sha256(fragment).hexdigest())
    log = log_of(str(tmp_path), fragment + b"\n" + encode(event(1, seal)))
    data = carry_out(log, PurgeSearch(target("hunter2")).plan(log))
    assert b"event.purged" in data and sha256(fragment).hexdigest().encode() not in data


def test_a_claim_that_is_left_in_other_words_is_not_gone(tmp_path: Path) -> None:
    said = [claim_from(text, GLOBAL) for text in ("use pnpm", "Use the pnpm.")]
    assert said[0].id == said[1].id
    events = [event(at, ClaimProposed(claim, Verdict.ADDED, "user_direct")) for at, claim in enumerate(said, 1)]
    log = log_of(str(tmp_path), b"".join(map(encode, events)))
    plan = PurgeSearch(target("use the pnpm")).plan(log)
    assert plan.changed == [events[1].id] and not plan.gone_claims
    assert PurgeSearch(target("pnpm")).plan(log).gone_claims == {said[0].id}


def test_most_lines_are_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[bytes]) -> None:
    decoded: list[bytes] = []

    def counted(line: bytes) -> Event | DamagedLine | None:
        decoded.append(line)
        return decode(line[:-1])

    monkeypatch.setattr("tacit.purge.plan.decode_raw", counted)
    hidden = encode(event(7, CommandRan(f"run {b64encode(b'my hunter2 key').decode()}")))
    log = log_of(str(tmp_path), lines[0] * 200 + hidden + lines[2] * 200)
    plan = PurgeSearch(target("hunter2")).plan(log)
    assert plan.changed == [event(7, CommandRan("")).id]
    assert set(decoded) == {hidden}
