"""Sentences of a session that a judge is asked about."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.learn import SessionEvent
from tacit.learn.statements.normalise import prompt_sentences
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, PromptKind
from tacit.record import Record

_PROMPT_KINDS = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.REJECTION, PromptKind.ANSWER, PromptKind.COMMAND)


class SentenceCandidate(Record):
    """A sentence that the person typed. `answering` is the agent's question or the rejected call, "" if neither."""

    event_id: EventId
    text: str
    answering: str = ""


def sentence_candidates(events: Sequence[SessionEvent]) -> list[SentenceCandidate]:
    """Return the sentences that the person typed, in order."""
    return [
        SentenceCandidate(event.event_id, sentence.text, event.body.about)
        for event in events
        if isinstance(event.body, PromptGiven) and event.body.how in _PROMPT_KINDS
        for sentence in prompt_sentences(event.body.text)
    ]
