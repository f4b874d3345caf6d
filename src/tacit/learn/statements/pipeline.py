"""All learners of statements over one conversation.

A conversation is folded event by event, so it does not matter in how many pieces it arrives. That is why no buffer
makes events wait for context (C1): a session is learned from when it was captured. Rules come from the words of the
person alone; what the agent said only tells what the person refers to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements import answers
from tacit.learn.statements.answers import ObservedChoice
from tacit.learn.statements.normalise import ABOUT, NO_SPAN, PromptSentence, normalize_statement, prompt_sentences
from tacit.learn.statements.patterns import MIN_SCORE, FormMatch, find_forms, find_structure
from tacit.model.claim import Provenance
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.record import Record
from tacit.text.sentences import TextSpan
from tacit.text.summarize import summarize

# Where two find something in one sentence with as much for it, the earlier one names its kind.
LEARNERS: tuple[Callable[[PromptSentence], Iterator[FormMatch]], ...] = (
    partial(find_forms, "corrections"),
    partial(find_forms, "rejected"),
    partial(find_forms, "decisions"),
    partial(find_forms, "preferences"),
    partial(find_forms, "environment"),
    partial(find_forms, "conventions"),
    partial(find_forms, "teaching"),
    find_structure,
    partial(find_forms, "languages"),
)
_CONFIDENCE_BY_SCORE = {MIN_SCORE: 0.55, MIN_SCORE + 1: 0.65, MIN_SCORE + 2: 0.75}
_MAX_CONFIDENCE = 0.8
_REFERENCE_CONFIDENCE = 0.6  # "always do it that way": what it is about is said elsewhere, if at all
_READ_PROMPTS = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.REJECTION, PromptKind.ANSWER, PromptKind.COMMAND)


class StatementState(Record):
    """What is kept in mind of a conversation: what it was about last, and what was chosen over what."""

    about: str = ""
    chosen: tuple[ObservedChoice, ...] = ()


def learn_statements(events: Sequence[SessionEvent]) -> list[Lesson]:
    """Everything that a conversation teaches, in order."""
    return continue_learning(StatementState(), events)[1]


def continue_learning(talk: StatementState, events: Iterable[SessionEvent]) -> tuple[StatementState, list[Lesson]]:
    """What a further piece of a conversation teaches."""
    lessons: list[Lesson] = []
    for event in events:
        talk, more = learn_event(talk, event)
        lessons += more
    return talk, lessons


def learn_event(talk: StatementState, event: SessionEvent) -> tuple[StatementState, tuple[Lesson, ...]]:
    match event.body:
        case PromptGiven() as prompt if prompt.how in _READ_PROMPTS:
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
    sentences = prompt_sentences(prompt.text, pressing=int(prompt.how is PromptKind.REJECTION))
    new = tuple(choice for phrase in sentences for choice in answers.find_choices(phrase, event.event_id))
    lessons = (
        *learn_sentences(event, prompt, sentences, talk.about),
        *answers.answered(event, prompt),
        *answers.learn(talk.chosen, new),
    )
    chosen = (*talk.chosen, *new)[-answers.MAX_CHOICES :]
    return StatementState(talk.about, chosen), lessons


class SentenceLesson(Record):
    """What a sentence teaches, and where it stands in the prompt."""

    quote: TextSpan
    lesson: Lesson


def learn_sentences(
    event: SessionEvent, prompt: PromptGiven, sentences: list[PromptSentence], about: str
) -> list[Lesson]:
    """What the sentences of a prompt say for good. What points at the one before it makes one statement with it."""
    lessons: list[SentenceLesson] = []
    for place, phrase in enumerate(sentences):
        last = lessons[-1].quote if lessons else NO_SPAN
        after = sentences[place + 1].span if place + 1 < len(sentences) else None
        lesson = None if phrase.span.end <= last.end else _statement(event, prompt, phrase, about, after)
        if lesson is None or last.start < lesson.quote.start < last.end:
            continue
        lessons.append(_merge_lessons(lessons.pop(), lesson) if lesson.quote.start < last.end else lesson)
    return [lesson.lesson for lesson in lessons]


def _merge_lessons(first: SentenceLesson, both: SentenceLesson) -> SentenceLesson:
    """The surer of the two says of which kind it is."""
    if first.lesson.confidence < both.lesson.confidence:
        return both
    sure = first.lesson
    return both._replace(lesson=both.lesson._replace(kind=sure.kind, reason=sure.reason, confidence=sure.confidence))


def _statement(
    event: SessionEvent, prompt: PromptGiven, phrase: PromptSentence, about: str, after: TextSpan | None
) -> SentenceLesson | None:
    best = best_match(phrase)
    statement = best and normalize_statement(prompt.text, phrase, best.start, prompt.about or about, after)
    if best is None or statement is None:
        return None
    quote = prompt.text[statement.quote.start : statement.quote.end]
    sure = min(_CONFIDENCE_BY_SCORE.get(best.score, _MAX_CONFIDENCE), _REFERENCE_CONFIDENCE if statement.points else 1)
    reason = f"{best.form.name}, as in “{best.form.example}”"
    whose = Provenance.MODEL if ABOUT in statement.sentence else Provenance.USER_DIRECT  # it is what it is made of
    return SentenceLesson(
        statement.quote, Lesson(best.form.kind, statement.sentence, quote, (event.event_id,), reason, sure, whose)
    )


def best_match(phrase: PromptSentence) -> FormMatch | None:
    """The form for which most speaks; the most general ones are asked where no other fits."""
    matches = [match for learn in LEARNERS for match in learn(phrase)] or list(find_forms("rules", phrase))
    return max(matches, key=lambda match: match.score, default=None)
