"""What the account of a memory is made of (see `pages/account.py`): its history, sessions, commits and rulings.

Texts of Tacit's own name no person, no path, no session and no other memory: all of that is private words.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from tacit.disk.files import OsDisk, replace_file
from tacit.disk.read import read_head
from tacit.errors import NotFoundError, RefusedError
from tacit.home.git_versions import fact_commits
from tacit.home.home import HomePart
from tacit.index.reader import has_trials
from tacit.model.claim import is_project_scope
from tacit.model.conditions import State
from tacit.model.event import TEAM, USER, ClaimDecided, ClaimProposed, EventsUndone, Verdict, is_of_team, local_time
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory
from tacit.model.observation import TrialEnded, TrialStarted
from tacit.model.recap import commit_subjects
from tacit.pages.account import MARK, Account, Chapter, Entry, render_account, words_of
from tacit.vault.conditions import MemoryConditions
from tacit.vault.evidence import MemoryEvent, event_details, is_quoting
from tacit.vault.hits import SessionQuote
from tacit.vault.listing import STATUS_LABELS
from tacit.vault.search import Search
from tacit.vault.sessions import AdherenceQueries, SessionQueries
from tacit.vault.trials import Trials

_DONE = {
    Verdict.PROPOSED: "Proposed",
    Verdict.ADDED: "Added",
    Verdict.SUGGESTED: "Suggested, after it was seen again and again",
    Verdict.ACCEPTED: "Accepted",
    Verdict.DISMISSED: "Dismissed",
    Verdict.RETIRED: "Forgotten",
    Verdict.RESTORED: "Restored",
    Verdict.REVISED: "Reworded",
    Verdict.KEPT: "Kept, when it was asked about",
    Verdict.SHARED: "Shared with the project",
    Verdict.UNSHARED: "No longer shared with the project",
}
_COMMIT_SECONDS = 3.0
_MAX_SESSIONS = 10  # whose commits are listed
_MAX_WORDINGS = 20
_MAX_FILE_START, _PUBLIC_FILE = 200, 0o644


class Accounts(HomePart):
    """Accounts of memories of one home."""

    def account(self, reference: str) -> Account:
        """Return what there is to tell about a memory. Raise NotFoundError if there is none."""
        search = Search(self._home)
        listed, history = search.why(reference)
        memory = listed.memory
        earlier = self._earlier_wordings(memory.id)
        for claim in earlier:
            history += search.why(claim)[1]
        judgements = {entry.event.id: _judgement_entry(entry, memory.id) for entry in history}
        quotes = [quote for claim in (*earlier, memory.id) for quote in search.source_quotes(claim)]
        where = "in one project" if is_project_scope(memory.claim.scope) else "everywhere"
        shared = " and is shared with everybody who works on it" if memory.is_in_fact_file else ""
        counted = f", and was observed {memory.strength} times" if memory.strength > 1 else ""
        return Account(
            memory.claim.sentence,
            (
                f"A {memory.kind.label.replace('_', ' ')} that holds {where}{shared}.",
                f"It is {STATUS_LABELS.get(memory.status.value, memory.status.value)}{counted}.",
            ),
            (
                Chapter("What was said", tuple(self._quote_entry(quote) for quote in quotes)),
                Chapter("How it was decided", tuple(judgements[event] for event in sorted(judgements))),
                Chapter("Commits", tuple(self._commit_entries([*earlier, memory.id], quotes))),
                Chapter("What the work tree says", tuple(self._tree_entries(memory))),
                Chapter("Other memories", tuple(self._ruling_entries(memory.id))),
                Chapter("What came of it", (*self._adherence_entries(memory.id), *self._trial_entries(memory.id))),
            ),
        )

    def write(self, account: Account, chosen: Collection[str], path: str) -> None:
        """Write the page of an account. Raise RefusedError if the file is there and is no such page."""
        page = render_account(account, chosen, self._store.actor.clock())
        target = os.path.abspath(os.path.expanduser(path))
        if os.path.lexists(target) and MARK.encode() not in read_head(target, _MAX_FILE_START):
            raise RefusedError(f"{path} exists, and is no page of tacit why", "name another file, or remove it")
        try:
            replace_file(OsDisk(), target, page.encode(), _PUBLIC_FILE)
        except OSError as error:
            raise RefusedError(f"{path} cannot be written: {error.strerror}", "name another file") from None

    def _quote_entry(self, quote: SessionQuote) -> Entry:
        speaker = f"{quote.speaker} said" if quote.speaker else "the person said"
        words = words_of(f"{quote.session}:{quote.turn}", [(speaker, self._shown(quote.text))])
        return Entry(f"In a session with an agent, in turn {quote.turn}.", datetime.fromisoformat(quote.at), words)

    def _earlier_wordings(self, claim: ClaimId) -> list[ClaimId]:
        """Return the memories that one replaced, those that they replaced, and so on, the earliest first."""
        earlier: list[ClaimId] = []
        last = [claim]
        while last and len(earlier) < _MAX_WORDINGS:
            replaced = (row.id for each in last for row in Search(self._home).relations(each).replaced)
            last = [each for each in dict.fromkeys(replaced) if each != claim and each not in earlier]
            earlier = [*last, *earlier]
        return earlier

    def _commit_entries(self, claims: Sequence[ClaimId], quotes: Sequence[SessionQuote]) -> Iterator[Entry]:
        """Yield the commits that changed its line in the repository's file, and those of the sessions behind it."""
        project = self._store.project
        if project is not None:
            for commit in fact_commits(project.root, self._home.environment, claims):
                subject = words_of(commit.id, [("the commit says", self._shown(commit.subject))])
                yield Entry(f"Commit {commit.id[:10]} changed its line in the repository's file.", commit.at, subject)
        for session in dict.fromkeys(quote.session for quote in quotes[:_MAX_SESSIONS]):
            try:
                row, whole = SessionQueries(self._home).session(session)
            except NotFoundError:  # the quote is older than the session's record
                continue
            if subjects := [subject for subject in commit_subjects(whole.turns) if subject]:
                words = words_of(session, [("the commit says", self._shown(subject)) for subject in subjects])
                at = datetime.fromisoformat(row.row.ended_at)
                yield Entry(f"Commits of the session that it was said in: {len(subjects)}.", at, words)

    def _tree_entries(self, memory: Memory) -> Iterator[Entry]:
        """Yield what the work tree says of each condition, if the memory is of this project."""
        conditions = MemoryConditions(self._home)
        verdict = conditions.check([memory]).get(memory.id)
        for checked in verdict.conditions if verdict else ():
            if checked.is_red:
                with self._store.snapshot() as connection:
                    found = conditions.explain(connection, checked, (), time.monotonic() + _COMMIT_SECONDS)
                subject = found.commit.subject if found.commit else ""
                texts = [("looked up", found.why), ("the commit says", subject)]
                since = f", {found.since}" if found.since else ""
                yield Entry(f"It says otherwise{since}.", None, words_of(memory.id, texts))
            elif checked.outcome.state is State.GREEN:
                yield Entry("It confirms this.", None, words_of(memory.id, [("looked up", checked.condition.text)]))

    def _ruling_entries(self, claim: str) -> Iterator[Entry]:
        relations = Search(self._home).relations(claim)
        for text, rows in (
            ("It replaced another wording.", relations.replaced),
            ("It was replaced by another wording.", relations.replaced_by),
            ("It is overruled by another memory.", relations.overruled_by),
            ("It overrules another memory.", relations.overrules),
            ("It may contradict another memory; nobody has decided.", relations.contradicts),
        ):
            for row in rows:
                yield Entry(text, None, words_of(row.id, [("the other memory", self._shown(row.sentence))]))

    def _adherence_entries(self, claim: ClaimId) -> Iterator[Entry]:
        report = AdherenceQueries(self._home).report(claim)
        counts = report.counts
        if counts.injected or counts.checked:
            yield Entry(
                f"Told in {counts.injected} sessions. Of those whose commands and changes show it, {counts.followed}"
                f" followed it, {counts.violated} violated it, and {counts.stopped} were stopped by it."
            )
        found = [
            (evidence, text, label)
            for text, label, items in (
                ("A session violated it.", "the agent ran", report.violations),
                ("A guard stopped a call.", "the agent wanted to run", report.stops),
                ("The person had to correct an agent.", "the person said", report.corrections),
            )
            for evidence in items
        ]
        for evidence, text, label in sorted(found, key=lambda each: each[0].at):
            words = words_of(evidence.event, [(label, self._shown(evidence.text))])
            yield Entry(text, datetime.fromisoformat(evidence.at), words)

    def _trial_entries(self, claim: ClaimId) -> Iterator[Entry]:
        """Yield how its latest trial stands."""
        if self._store.read(has_trials) and (trial := Trials(self._home).latest(claim)):
            yield from (Entry(f"{line[0].upper()}{line[1:]}.") for line in trial.lines)

    def _shown(self, text: str) -> str:
        """Return words without the name of the person's folder."""
        folder = self._home.environment.get("HOME", "").rstrip("/")
        return text.replace(folder, "~") if folder else text


def _judgement_entry(entry: MemoryEvent, claim: ClaimId) -> Entry:
    """Return what one event did. The wording of the memory itself is the title of the page."""
    event = entry.event
    undone = " It was undone later." if entry.undone else ""
    labels = {
        "evidence": "the person said" if is_quoting(event) or event.origin.actor == USER else "evidence",
        "instead": "new wording",
    }
    details = [(labels.get(label, label), text) for label, text in event_details(entry)]
    body = event.body
    if isinstance(body, ClaimDecided) and body.instead and body.instead.id == claim:
        details = [(label, text) for label, text in details if label != labels["instead"]]
    return Entry(f"{_done(entry)}.{undone}", local_time(event.origin), words_of(event.id, details))


def _done(entry: MemoryEvent) -> str:
    """Return what was done and by whom, in words that name nobody."""
    actor = entry.event.origin.actor
    match entry.event.body:
        case ClaimProposed(verdict=verdict) | ClaimDecided(verdict=verdict):
            done = _DONE[verdict]
        case EventsUndone(label=label):
            done = "Taken back" if not label.startswith("undo of ") else "Done again after it was taken back"
        case TrialStarted() | TrialEnded() as body:
            done = "Put on trial" if isinstance(body, TrialStarted) else "The trial was ended"
        case _:
            done = "Changed"
    if actor == USER:
        return f"{done} by the person"
    if actor == TEAM or is_of_team(actor):
        return f"{done} by a member of the team"
    return f"{done} by an agent" if actor.startswith("agent:") else done
