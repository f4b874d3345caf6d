"""A replay in words: how many of how many, and one friendly sentence where there is nothing to tell."""

from __future__ import annotations

from datetime import UTC, datetime

from tacit.model.ids import ClaimId
from tacit.vault.incidents import Answer, IncidentKind
from tacit.vault.replay import Incident, Moment, Replay, empty_line, summary_lines

HERE = Moment(ClaimId("s1"), "s1", 1, "2026-03-02T12:00:00Z", "no")


def replay(*incidents: tuple[IncidentKind, Answer], sessions: int = 12, older: int = 3) -> Replay:
    found = tuple(Incident(kind, answer, HERE) for kind, answer in incidents)
    return Replay(datetime(2026, 3, 1, tzinfo=UTC), sessions, older, 23, 57, found)


def test_each_kind_has_a_sentence_with_what_was_known() -> None:
    many = replay(
        *[(IncidentKind.CORRECTION, Answer.IGNORED)] * 4,
        *[(IncidentKind.CORRECTION, Answer.UNTOLD)] * 5,
        (IncidentKind.FAILURE, Answer.UNREMEMBERED),
        *[(IncidentKind.VIOLATION, Answer.IGNORED)] * 2,
    )
    assert list(summary_lines(many)) == [
        "Of 23 corrections 9 repeat something you had said before: 4 told and ignored; 5 remembered and not told.",
        "Of 57 failed commands 1 had a known remedy: 1 never remembered.",
        "Rules that agents had been told were broken 2 times without a word of yours.",
    ]


def test_where_there_is_nothing_to_tell_one_sentence_says_what_was_looked_at() -> None:
    assert list(summary_lines(replay())) == []
    assert empty_line(replay()) == (
        "Nothing that you had said before had to be said again since 2026-03-01: 12 sessions, 23 corrections."
    )
    assert empty_line(replay(sessions=0)) == (
        "No session was recorded since 2026-03-01; 3 sessions before: tacit replay --since 5y"
    )
    assert "tacit autocapture on" in empty_line(replay(sessions=0, older=0))
