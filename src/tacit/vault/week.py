"""The digest of the last days: what was learned, followed, violated and forgotten, what waits, and what it all cost.

Every number is one that another command prints, and is computed where that command has it from.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from tacit.home.home import HomePart
from tacit.index import adherence, reader
from tacit.index.adherence import RecentAdherence
from tacit.index.reader import MemoryRow
from tacit.index.trials import load_trials
from tacit.log.codec import must_decode
from tacit.model.claim import Status
from tacit.model.event import Verdict
from tacit.model.ids import ClaimId, EventId, first_event_id
from tacit.model.session import Adherence, Outcome
from tacit.record import Record
from tacit.text.display import clip
from tacit.vault.status import RECENT_DAYS, HomeStatus, home_status
from tacit.vault.value import share_followed, spared_sessions


class Highlight(Record):
    """How often something happened, and the memory to name: the latest, or the one that it happened to most."""

    number: int = 0
    memory: MemoryRow | None = None
    short: str = ""


class WeekDigest(Record):
    """What happened since a time.

    Attributes:
        spared: sessions in which a memory that came from a correction was told and followed.
        learned: memories that hold and were new or accepted.
        forgotten: memories that were forgotten.
        tried: trials that ended.
        followed, violated, stopped: sessions whose tool calls show that of a memory.
        recent: how often agents were told a memory, and what came of it.
        new_pending: how many of the candidates that wait are new.
        judge_tokens: what judges cost.
        status: what the home holds, and what waits for the person.
    """

    since: datetime
    learned: Highlight
    forgotten: Highlight
    followed: Highlight
    violated: Highlight
    stopped: Highlight
    tried: Highlight
    recent: RecentAdherence
    spared: int
    new_pending: int
    judge_tokens: int
    status: HomeStatus

    @property
    def proposals(self) -> int:
        """Proposals of the team that wait for the person."""
        return self.status.team.proposals if self.status.team else 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened and nothing waits."""
        decided = self.learned.number + self.forgotten.number + self.tried.number
        happened = decided + sum(self.recent) + self.judge_tokens
        return not (happened or self.status.waits)


class DigestLine(Record):
    """A line of the digest, and the command that shows more of it."""

    title: str
    text: str
    command: str


class Digests(HomePart):
    """Digests of one home."""

    def digest(self, since: str | None = None, *, learn: bool = True) -> WeekDigest:
        """Return what happened since a time as people type it, `30d` for example; default: in the last seven days.

        Habits are learned first, unless `learn` is False. Raise UsageError if it is no time, or in the future.
        """
        from tacit.home.input import parse_since
        from tacit.learn.judge import Judging

        now = self._store.actor.clock()
        start = now - timedelta(days=RECENT_DAYS) if since is None else parse_since(since, now)
        self._store.catch_up_fully()  # injections that no other query needs
        status, spent = home_status(self._home, learn=learn), Judging(self._home).spent_since(start)
        with self._store.snapshot() as connection:
            first = first_event_id(start)
            recent = adherence.recent_adherence(connection, start)
            checks = adherence.checks_by_memory(connection, start)

            def checked(result: Adherence, count: int) -> Highlight:
                return _highlight(connection, count, (claim for claim, found, _ in checks if found is result))

            learned = _claims_with_status(connection, first, Status.ACTIVE, (Verdict.ACCEPTED, Verdict.RESTORED))
            trials = load_trials(connection, must_decode) if reader.has_trials(connection) else []
            tried = [trial.claim for trial in trials if trial.ended > first]
            forgotten = _claims_with_status(connection, first, Status.RETIRED, (Verdict.RETIRED,))
            return WeekDigest(
                start,
                _highlight(connection, len(learned), reversed(learned)),
                _highlight(connection, len(forgotten), reversed(forgotten)),
                checked(Adherence.FOLLOWED, recent.followed),
                checked(Adherence.VIOLATED, recent.violated),
                checked(Adherence.STOPPED, recent.stopped),
                _highlight(connection, len(tried), reversed(tried)),
                recent,
                spared_sessions(connection, start),
                len(reader.claims_first_named_since(connection, first, Status.PENDING)),
                spent,
                status,
            )


def _claims_with_status(
    connection: sqlite3.Connection, since: EventId, status: Status, verdicts: Iterable[Verdict]
) -> list[ClaimId]:
    """Return the memories that have a status by a verdict since an event, or are new and have it, the latest last."""
    new = reader.claims_first_named_since(connection, since, status) if status is Status.ACTIVE else []
    decided = [
        claim
        for claim in reader.claims_decided_since(connection, since, verdicts, must_decode)
        if (row := reader.memory_row(connection, claim)) and row.status is status
    ]
    return list(dict.fromkeys((*new, *decided)))


def _highlight(connection: sqlite3.Connection, count: int, claims: Iterable[ClaimId]) -> Highlight:
    """Return a number with the first of these memories that exists."""
    row = next((row for claim in claims if (row := reader.memory_row(connection, claim))), None)
    return Highlight(count, row, reader.short_id(connection, row.id) if row else "")


# In words

_MAX_SENTENCE_CHARS = 70


def digest_lines(digest: WeekDigest, since: str) -> Iterator[DigestLine]:
    """Yield the lines of what there is to tell. `since` is the time as it was typed."""
    from shlex import quote

    now, recent = digest.status, digest.recent
    if digest.learned.number:
        command = f"tacit list --scope all --since {quote(since)}"
        yield DigestLine("Learned", _named(digest.learned, "memory", "the latest"), command)
    if digest.spared:
        text = f"{_count(digest.spared, 'session')}, in which you did not have to repeat a correction"
        yield DigestLine("Spared", text, sessions_command(Outcome.SPARED, since))
    for outcome, highlight in (
        (Outcome.FOLLOWED, digest.followed),
        (Outcome.VIOLATED, digest.violated),
        (Outcome.STOPPED, digest.stopped),
    ):
        if highlight.number:
            times = share_followed(recent) if outcome is Outcome.FOLLOWED else ""
            text = _named(highlight, "time", "most often", times)
            yield DigestLine(outcome.value.capitalize(), text, sessions_command(outcome, since))
    if digest.forgotten.number:
        yield DigestLine("Forgotten", _named(digest.forgotten, "memory", "the latest"), "tacit list --forgotten")
    if digest.tried.number:
        yield DigestLine("Trials", _named(digest.tried, "trial", "the latest"), "tacit trial")
    asked = now.ineffective + now.outdated + now.verdicts
    waiting = (
        _count(now.pending, "candidate") + (f" ({digest.new_pending:,} new)" if digest.new_pending else ""),
        f"{_count(asked, 'memory')} not followed, outdated or tried",
    )
    if now.pending or asked:
        text = ", ".join(text for text, number in zip(waiting, (now.pending, asked), strict=True) if number)
        yield DigestLine("Waiting", text, "tacit review")
    for title, number, text, command in (
        ("Conflicts", now.undecided, f"{_count(now.undecided, 'contradiction')} to decide on", "tacit conflicts"),
        (
            "Trust",
            now.untrusted,
            f"{_count(now.untrusted, 'fact')} of this repository, told to no agent",
            "tacit trust",
        ),
        ("Team", digest.proposals, _count(digest.proposals, "proposal"), "tacit team review"),
        (
            "Unused",
            now.idle,
            f"{_count(now.idle, 'memory')} told often and of no use so far (retire them?)",
            "tacit review",
        ),
        (
            "Told",
            recent.injected,
            f"{_count(recent.injected, 'time')}, {recent.tokens:,} tokens",
            sessions_command(Outcome.TOLD, since),
        ),
        ("Judge", digest.judge_tokens, f"{digest.judge_tokens:,} tokens", "tacit learn"),
    ):
        if number:
            yield DigestLine(title, text, command)


def sessions_command(outcome: Outcome, since: str) -> str:
    """Return the command that lists the sessions that a figure counts."""
    from shlex import quote

    return f"tacit sessions --result {outcome.value} --since {quote(since)}"


def _named(highlight: Highlight, noun: str, which: str, number: str = "") -> str:
    number = number or _count(highlight.number, noun)
    if highlight.memory is None:
        return number
    sentence = f"“{clip(highlight.memory.sentence, _MAX_SENTENCE_CHARS)}”"
    return f"{number}, {which} {sentence}" if highlight.number > 1 else f"{number}: {sentence}"


def _count(number: int, noun: str) -> str:
    many = "memories" if noun == "memory" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else many}"
