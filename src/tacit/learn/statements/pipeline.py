"""The learners of statements over one conversation.

A statement is a sentence that the person typed, has an explicit form and is likely enough to be meant to last. What
the agent said only tells what the person refers to. A conversation is folded event by event, so it does not matter in
how many pieces it arrives. That is why no buffer makes events wait for context (C1): a session is learned from when it
was captured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements import answers
from tacit.learn.statements.answers import ObservedChoice
from tacit.learn.statements.forms import find_form
from tacit.learn.statements.scoring import MIN_STATEMENT_SCORE, score_sentence
from tacit.learn.statements.sentences import READ_PROMPTS, PromptSentence, typed_sentences
from tacit.learn.statements.wording import word_statement
from tacit.model.claim import Provenance
from tacit.model.observation import PromptGiven, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.record import Record
from tacit.text.summarize import summarize

_CONFIDENCE, _SURE_CONFIDENCE, _SURE_SCORE = 0.65, 0.8, -0.25
_REFERENCE_CONFIDENCE = 0.55  # "always do it that way": what it is about is said elsewhere, if at all


class StatementState(Record):
    """What is kept in mind of a conversation: what it was about last, and what was chosen over what."""

    about: str = ""
    chosen: tuple[ObservedChoice, ...] = ()


def learn_statements(events: Sequence[SessionEvent]) -> list[Lesson]:
    """Return everything that a conversation teaches, in order."""
    return continue_learning(StatementState(), events)[1]


def continue_learning(talk: StatementState, events: Iterable[SessionEvent]) -> tuple[StatementState, list[Lesson]]:
    """Return what a further piece of a conversation teaches."""
    lessons: list[Lesson] = []
    for event in events:
        talk, more = learn_event(talk, event)
        lessons += more
    return talk, lessons


def learn_event(talk: StatementState, event: SessionEvent) -> tuple[StatementState, tuple[Lesson, ...]]:
    match event.body:
        case PromptGiven() as prompt if prompt.how in READ_PROMPTS:
            return _learn_prompt(talk, event, prompt)
        case ReplyGiven(text=text):
            return talk._replace(about=summarize(text)), ()
        case ToolUsed() as used:
            about = used.input if used.outcome is ToolOutcome.REJECTED or used.act is ToolAction.RAN else talk.about
            return talk._replace(about=about), ()
    return talk, ()


def _learn_prompt(
    talk: StatementState, event: SessionEvent, prompt: PromptGiven
) -> tuple[StatementState, tuple[Lesson, ...]]:
    sentences = typed_sentences(prompt.text)
    new = tuple(choice for sentence in sentences for choice in answers.find_choices(sentence, event.event_id))
    lessons = (
        *learn_sentences(event, prompt, sentences, talk.about),
        *answers.learn(talk.chosen, new),
    )
    chosen = (*talk.chosen, *new)[-answers.MAX_CHOICES :]
    return StatementState(talk.about, chosen), lessons


def learn_sentences(
    event: SessionEvent, prompt: PromptGiven, sentences: Sequence[PromptSentence], about: str
) -> list[Lesson]:
    """Return a lesson for each sentence of a prompt that states something for good."""
    lessons = []
    before = ""
    for sentence in sentences:
        if lesson := _learn_sentence(event, prompt, sentence, before, about):
            lessons.append(lesson)
        before = sentence.text
    return lessons


def _learn_sentence(
    event: SessionEvent, prompt: PromptGiven, sentence: PromptSentence, before: str, about: str
) -> Lesson | None:
    form = find_form(sentence)
    score = score_sentence(sentence, len(prompt.text)) if form else MIN_STATEMENT_SCORE
    if form is None or score < MIN_STATEMENT_SCORE:
        return None
    statement = word_statement(sentence, before, prompt.about or about)
    if statement is None:
        return None
    quote = prompt.text[statement.quote.start : statement.quote.end]
    confidence = _SURE_CONFIDENCE if score >= _SURE_SCORE else _CONFIDENCE
    confidence = min(confidence, _REFERENCE_CONFIDENCE) if statement.refers else confidence
    provenance = Provenance.MODEL if statement.is_agent_hint else Provenance.USER_DIRECT
    reason = f"{form.name}, as in “{form.example}”"
    return Lesson(form.kind, statement.sentence, quote, (event.event_id,), reason, confidence, provenance)
