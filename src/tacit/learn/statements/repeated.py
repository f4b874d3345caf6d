"""What a person decides alike in several sessions: one thing over another, or the answer to a question (C2).

A learner sees one session. The choices of a session are stored in the index when it is learned from, and each session
is compared with the others of its project. They are derived: after a rebuild of the index, learning stores them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.index.sessions import SessionChoice
from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements.answers import (
    MAX_CHOICES,
    AnsweredQuestion,
    answered_question,
    find_choices,
    preference_confidence,
    typed_answer,
)
from tacit.learn.statements.sentences import typed_sentences
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven
from tacit.record import Record
from tacit.text.words import normalize_text

MIN_SESSIONS = 2  # in which the same was decided alike
_TYPED_PROMPTS = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.REJECTION, PromptKind.ANSWER)
# A prompt without any of these words chooses nothing over anything.
_CHOICE_WORDS = ("instead of", "rather than", " over ", " not ")


class ObservedDecision(Record):
    """A choice that was made in a session, and the lesson that it is if other sessions choose alike."""

    choice: SessionChoice
    lesson: Lesson


def observed_decisions(events: Sequence[SessionEvent]) -> list[ObservedDecision]:
    """Return what a person decided in a conversation, in order: at most MAX_CHOICES."""
    decisions: list[ObservedDecision] = []
    reply = ""
    for event in events:
        match event.body:
            case ReplyGiven(text=text):
                reply = text
            case PromptGiven() as prompt if prompt.how in _TYPED_PROMPTS:
                decisions += _choices(event.event_id, prompt)
                if answer := answered_question(prompt) or typed_answer(prompt, reply):
                    decisions += _answers(event.event_id, answer)
                reply = ""
    return decisions[:MAX_CHOICES]


def _choices(event: EventId, prompt: PromptGiven) -> Iterator[ObservedDecision]:
    text = prompt.text.lower()
    if not any(words in text for words in _CHOICE_WORDS):
        return
    for sentence in typed_sentences(prompt.text):
        for observed in find_choices(sentence, event):
            choice = observed.choice
            subject = "one of: " + ", ".join(sorted(choice))
            lesson = Lesson(Kind.PREFERENCE, choice.sentence, observed.quote, (event,), "", 0)
            yield ObservedDecision(SessionChoice(subject, choice.taken, event), lesson)


def _answers(event: EventId, decided: AnsweredQuestion) -> Iterator[ObservedDecision]:
    if decided.sentence:
        choice = SessionChoice(normalize_text(decided.lead), normalize_text(decided.answer).rstrip("."), event)
        # The question is the agent's, as are most answers to choose from.
        lesson = Lesson(Kind.DECISION, decided.sentence, decided.answer, (event,), "", 0, Provenance.MODEL)
        yield ObservedDecision(choice, lesson)


def repeated_lessons(
    decisions: Sequence[ObservedDecision], others: Sequence[Sequence[SessionChoice]]
) -> Iterator[Lesson]:
    """Yield what was decided in this session and alike in others, and never otherwise. `others` are by session.

    The evidence are all events in which it was decided, those of this session first.
    """
    own = [decision.choice for decision in decisions]
    lessons = {(decision.choice.subject, decision.choice.value): decision.lesson for decision in reversed(decisions)}
    for (subject, value), lesson in lessons.items():
        by_session = [[choice for choice in choices if choice.subject == subject] for choices in (own, *others)]
        choices = [choice for chosen in by_session for choice in chosen]
        sessions = sum(map(bool, by_session))
        if sessions >= MIN_SESSIONS and all(choice.value == value for choice in choices):
            verb = "chosen" if lesson.kind is Kind.PREFERENCE else "answered alike"
            yield lesson._replace(
                evidence=tuple(dict.fromkeys((*lesson.evidence, *(choice.event_id for choice in choices)))),
                reason=f"{verb} in {sessions} sessions",
                confidence=preference_confidence(sessions),
            )
