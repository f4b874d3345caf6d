"""What the person typed that may be meant to last, and that nobody proposed to remember.

It is looked for after each turn, in the process that captures and that nobody waits for. With the next prompt the agent
is told of it once a session: whoever knows the conversation can propose it in the right words. A small file says where
the sentence is in the log; the sentence itself is not in it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress

from tacit.disk.files import Disk, OsDisk, list_folder, make_folder, read_file, replace_file
from tacit.home.home import Home
from tacit.home.paths import HomePaths
from tacit.hosts import HOSTS, HookKind
from tacit.hosts.queue import CaptureRequest
from tacit.index import sessions
from tacit.log.codec import must_decode
from tacit.model.event import Event
from tacit.model.ids import EventId, blake2b, claim_number
from tacit.model.observation import BriefInjected, PromptGiven, ToolUsed, session_id
from tacit.record import Record

MOMENT = "proposal"  # of the record in the log
# As many of the sentences that people type are more likely to be meant to last than this: one prompt of eleven has one.
_MIN_SCORE = -0.75
_MAX_NOTE_SECONDS = 7 * 86_400
_MAX_EVENTS = 400  # of a session that are looked at, the last ones: this is done after every turn
_SUGGESTING = ("tacit suggest", "tacit add --candidate", "tacit remember")


class SentencePlace(Record):
    """Where a sentence is: in the text of this event. The digest tells whether the text is still the same."""

    event_id: EventId
    start: int
    end: int
    digest: str

    def sentence_in(self, text: str) -> str:
        """Return the sentence, "" if the text is another one by now."""
        sentence = text[self.start : self.end]
        return sentence if _digest(sentence) == self.digest else ""


def note_unproposed(paths: HomePaths, request: CaptureRequest) -> None:
    """Find out whether the last prompt of a session states something for good that nobody proposed, and note where."""
    host = HOSTS.get(request.agent)
    if host is None or not any(
        hook.kind is HookKind.PROMPT and hook.event in host.output_events for hook in host.hooks
    ):
        return
    path = _note_path(paths, request.agent, request.session)
    number = claim_number(session_id(request.agent, request.session))
    with Home(paths.root, cwd="/") as home, home.store.snapshot() as connection:
        injections = sessions.injection_events(connection, must_decode, request.session)
        is_told = any(isinstance(event.body, BriefInjected) and event.body.moment == MOMENT for event in injections)
        events = [] if is_told else sessions.events_of_session(connection, number, must_decode, _MAX_EVENTS)
    disk = OsDisk(paths.root)
    if is_told or _has_proposed(events):
        with suppress(OSError):
            disk.remove(path)
    elif place := _statement_in(events):
        make_folder(paths.unproposed, below=paths.root)
        replace_file(disk, path, "\n".join(map(str, place)).encode("ascii"))
        _prune(paths, disk)


def _prune(paths: HomePaths, disk: Disk) -> None:
    """Remove the notes of sessions that have not gone on for long."""
    for name in list_folder(paths.unproposed):
        path = os.path.join(paths.unproposed, name)
        if os.lstat(path).st_mtime < time.time() - _MAX_NOTE_SECONDS:
            disk.remove(path)


def unproposed_place(paths: HomePaths, agent: str, session: str) -> SentencePlace | None:
    """Return where a sentence is that nobody proposed, None if there is none. Each is returned once."""
    path = _note_path(paths, agent, session)
    with suppress(OSError, ValueError):
        if content := read_file(path):
            event_id, start, end, digest = content.decode("ascii").split("\n")
            OsDisk(paths.root).remove(path)
            return SentencePlace(EventId(event_id), int(start), int(end), digest)
    return None


def _has_proposed(events: Sequence[Event]) -> bool:
    """Return whether the agent proposed something in this session, by the tool or the command."""
    return any(
        isinstance(event.body, ToolUsed)
        and (event.body.tool.endswith("suggest") or any(words in event.body.input for words in _SUGGESTING))
        for event in events
    )


def _statement_in(events: Sequence[Event]) -> SentencePlace | None:
    """Return the sentence of the last prompt that is most likely meant to last; rules without a model find the rest."""
    from tacit.learn import SessionEvent
    from tacit.learn.statements import learn_statements
    from tacit.learn.statements.sentences import READ_PROMPTS, is_short, score_sentence, typed_sentences

    prompts = (
        SessionEvent(event.id, event.body)
        for event in reversed(events)
        if isinstance(event.body, PromptGiven) and event.body.how in READ_PROMPTS
    )
    event = next(prompts, None)
    if event is None or not isinstance(event.body, PromptGiven):
        return None
    text, learned = event.body.text, {lesson.quote for lesson in learn_statements([event])}
    scored = [
        (score_sentence(sentence, len(text)), sentence.span)
        for sentence in typed_sentences(text)
        if not is_short(sentence.plain) and text[sentence.span.start : sentence.span.end] not in learned
    ]
    score, span = max(scored, default=(_MIN_SCORE - 1, None))
    if span is None or score < _MIN_SCORE:
        return None
    return SentencePlace(event.event_id, span.start, span.end, _digest(text[span.start : span.end]))


def _note_path(paths: HomePaths, agent: str, session: str) -> str:
    key = blake2b(f"{agent}\n{session}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(paths.unproposed, key)


def _digest(sentence: str) -> str:
    return str(blake2b(sentence.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest())
