"""The last guard: whatever reaches the log loses its secrets before the disk sees it, whoever forgot to look."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock
from tacit.log.log import Log
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, EventBody, EventOrigin, EventsUndone, Verdict
from tacit.model.observation import (
    BriefInjected,
    CommandRan,
    EvaluationCreated,
    EvaluationScore,
    RecallAsked,
    StepRan,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.model.statement import claim_from
from tacit.purge.tombstones import load_tombstones

SECRET = "AKIA" + "Z2Y3X4W5V6U7T2S3"
TOLD = f"the key is {SECRET} for now"
CLAIM, PLAIN = claim_from(TOLD, GLOBAL), claim_from("use pnpm", GLOBAL)
ORIGIN = EventOrigin(datetime(2026, 3, 2, tzinfo=UTC), 0, "host", "", "user", Provenance.USER_DIRECT)
BODIES: list[EventBody] = [
    ClaimProposed(CLAIM, Verdict.ADDED, "user_direct"),
    ClaimProposed(PLAIN, Verdict.PROPOSED, "remember", evidence=TOLD, reason=TOLD),
    ClaimProposed(PLAIN._replace(tags=(SECRET,)), Verdict.PROPOSED, "remember"),
    ClaimDecided(PLAIN, Verdict.REVISED, instead=CLAIM, carried_evidence=("fine", TOLD)),
    EventsUndone((), (), TOLD),
    WorkLogged(TOLD, TOLD, TOLD, TOLD, TOLD),
    CommandRan(TOLD, TOLD, 0, 5, "zsh", TOLD, TOLD),
    WorkflowSaved("check", (TOLD, "make"), TOLD),
    WorkflowRan("check", (StepRan(TOLD, 1),), TOLD),
    RecallAsked(TOLD, 1),
    BriefInjected((), 1, TOLD),
    EvaluationCreated("2026-03-02", (EvaluationScore("a measure", 1, TOLD),)),
]


def appended(home: Path, body: EventBody) -> bytes:
    log = Log(
        str(home),
        OsDisk(),
        FileLock(str(home / "lock"), 5),
        lambda: bytes(10),
        lambda _secret: "0123abcd",
        load_purges=load_tombstones,
    )
    log.append([Draft(body, GLOBAL)], ORIGIN)
    return b"".join(path.read_bytes() for path in home.rglob("*.jsonl"))


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
def test_a_secret_in_any_field_is_hidden_before_the_disk_sees_it(tmp_path: Path, body: EventBody) -> None:
    written = appended(tmp_path, body)
    assert SECRET.encode() not in written and SECRET.lower().encode() not in written
    assert b"[redacted:aws-access-key:0123abcd]" in written


def test_what_holds_no_secret_is_written_as_it_was_said(tmp_path: Path) -> None:
    assert b"redacted" not in appended(tmp_path, WorkLogged("T-1", "never commit an AWS access key"))
