"""Sentences of a session that a judge reads: the half in which nearly all statements are."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.learn import SessionEvent
from tacit.learn.statements.pipeline import READ_PROMPTS
from tacit.learn.statements.sentences import PromptSentence, prompt_sentences
from tacit.learn.statements.weights import MIN_CANDIDATE_SCORE, score_sentence
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven
from tacit.record import Record


class SentenceCandidate(Record):
    """A sentence of a prompt. `answering` is the agent's question that the prompt answered."""

    event_id: EventId
    text: str
    answering: str = ""


def sentence_candidates(events: Sequence[SessionEvent]) -> list[SentenceCandidate]:
    """Return the sentences of a session that are worth a judge's attention, in order."""
    return [
        SentenceCandidate(event.event_id, sentence.text, event.body.about)
        for event in events
        if isinstance(event.body, PromptGiven) and event.body.how in READ_PROMPTS
        for sentence in prompt_sentences(event.body.text)
        if is_candidate(sentence, len(event.body.text))
    ]


def is_candidate(sentence: PromptSentence, prompt_chars: int) -> bool:
    """Return whether a sentence is likely enough to state something."""
    return score_sentence(sentence, prompt_chars) >= MIN_CANDIDATE_SCORE
