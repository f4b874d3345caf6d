"""All learners of statements over one conversation, and the buffer of events that wait for context (C1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from tacit.learn.statements import answers
from tacit.learn.statements import answers as choices
from tacit.learn.statements.answers import ObservedChoice
from tacit.learn.statements.normalise import ABOUT, NO_SPAN, PromptSentence, normalize_statement, prompt_sentences
from tacit.learn.statements.patterns import MIN_SCORE, FormMatch, find_forms, find_structure
from tacit.learn.types import Lesson, SessionEvent
from tacit.model.claim import Provenance
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.record import Record
from tacit.text.sentences import TextSpan
from tacit.text.summarize import summarize

# All learners of talk together: what one more thing of a conversation shows, and what to keep in mind of it.
#
#     hear(talk, said) -> (talk, what was learnt)
#
# A conversation is folded thing by thing, so it does not matter in how many pieces it comes. Rules come from the
# words of the person alone; what the agent said only tells what the person pointed at.

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


def learn_statements(said: Sequence[SessionEvent]) -> list[Lesson]:
    """Everything that a conversation teaches, in order."""
    return continue_learning(StatementState(), said)[1]


def continue_learning(talk: StatementState, said: Iterable[SessionEvent]) -> tuple[StatementState, list[Lesson]]:
    """What a further piece of a conversation teaches."""
    found: list[Lesson] = []
    for one in said:
        talk, learnt = learn_event(talk, one)
        found += learnt
    return talk, found


def learn_event(talk: StatementState, said: SessionEvent) -> tuple[StatementState, tuple[Lesson, ...]]:
    match said.body:
        case PromptGiven() as prompt if prompt.how in _READ_PROMPTS:
            return _learn_prompt(talk, said, prompt)
        case ReplyGiven(text=text):
            return talk._replace(about=summarize(text)), ()
        case ToolUsed() as used:
            about = used.input if used.outcome is ToolOutcome.REJECTED or used.act is ToolAction.RAN else talk.about
            return talk._replace(about=about), tuple(answers.accepted(said, used))
    return talk, ()


def _learn_prompt(
    talk: StatementState, said: SessionEvent, prompt: PromptGiven
) -> tuple[StatementState, tuple[Lesson, ...]]:
    spoken = prompt_sentences(prompt.text, pressing=int(prompt.how is PromptKind.REJECTION))
    new = tuple(one for phrase in spoken for one in choices.find_choices(phrase, said.event_id))
    learnt = (
        *learn_sentences(said, prompt, spoken, talk.about),
        *answers.answered(said, prompt),
        *choices.learn(talk.chosen, new),
    )
    kept = (*talk.chosen, *new)[-choices.MAX_CHOICES :]
    return StatementState(talk.about, kept), learnt


class SentenceLesson(Record):
    """What a sentence teaches, and where it stands in the prompt."""

    quote: TextSpan
    lesson: Lesson


def learn_sentences(said: SessionEvent, prompt: PromptGiven, spoken: list[PromptSentence], about: str) -> list[Lesson]:
    """What the sentences of a prompt say for good. What points at the one before it makes one statement with it."""
    found: list[SentenceLesson] = []
    for place, phrase in enumerate(spoken):
        last = found[-1].quote if found else NO_SPAN
        after = spoken[place + 1].span if place + 1 < len(spoken) else None
        one = None if phrase.span.end <= last.end else _statement(said, prompt, phrase, about, after)
        if one is None or last.start < one.quote.start < last.end:
            continue
        found.append(_merge_lessons(found.pop(), one) if one.quote.start < last.end else one)
    return [one.lesson for one in found]


def _merge_lessons(first: SentenceLesson, both: SentenceLesson) -> SentenceLesson:
    """The surer of the two says of which kind it is."""
    if first.lesson.confidence < both.lesson.confidence:
        return both
    sure = first.lesson
    return both._replace(lesson=both.lesson._replace(kind=sure.kind, reason=sure.reason, confidence=sure.confidence))


def _statement(
    said: SessionEvent, prompt: PromptGiven, phrase: PromptSentence, about: str, after: TextSpan | None
) -> SentenceLesson | None:
    best = best_match(phrase)
    told = best and normalize_statement(prompt.text, phrase, best.start, prompt.about or about, after)
    if best is None or told is None:
        return None
    quote = prompt.text[told.quote.start : told.quote.end]
    sure = min(_CONFIDENCE_BY_SCORE.get(best.score, _MAX_CONFIDENCE), _REFERENCE_CONFIDENCE if told.points else 1)
    reason = f"{best.form.name}, as in “{best.form.example}”"
    whose = Provenance.MODEL if ABOUT in told.sentence else Provenance.USER_DIRECT  # it is what it is made of
    return SentenceLesson(
        told.quote, Lesson(best.form.kind, told.sentence, quote, (said.event_id,), reason, sure, whose)
    )


def best_match(phrase: PromptSentence) -> FormMatch | None:
    """The form for which most speaks; the most general ones are asked where no other fits."""
    found = [match for learn in LEARNERS for match in learn(phrase)] or list(find_forms("rules", phrase))
    return max(found, key=lambda match: match.score, default=None)


# The context buffer of a conversation (C1): things wait until there is enough of them to be understood together.
#
# They are looked at when there are 20, or when the first has waited for 60 seconds, or from 5 on when one of them
# looks as if something is to be learnt. What is learnt does not depend on where the pieces end.

MAX_EVENTS = 20
MAX_WAIT_MILLISECONDS = 60_000
MIN_EVENTS = 5
_TRIGGER = re.compile(
    r"\b(?:never|always|don'?t|do not|prefer|instead|rather|decided|from now on|going forward|we use|let'?s use"
    r"|i told you"
    r"|on purpose|ask me|myself|must|nie|immer|nunca|siempre|sempre|jamais|toujours)\b|絶対|必ず|常に",
    re.IGNORECASE,
)
_MAX_TRIGGER_CHARS = 4000


class EventBuffer(Record):
    """What waits, since when (milliseconds), and whether something in it looks like a lesson."""

    waiting: tuple[SessionEvent, ...] = ()
    since: int = 0
    fired: bool = False


class BufferStep(Record):
    """The buffer afterwards, and what is to be looked at now (nothing: keep waiting)."""

    buffer: EventBuffer
    due: tuple[SessionEvent, ...] = ()


def add(buffer: EventBuffer, said: SessionEvent, at: int) -> BufferStep:
    """One more thing at this time."""
    since = buffer.since if buffer.waiting else at
    full = EventBuffer((*buffer.waiting, said), since, buffer.fired or is_trigger(said))
    return flush(full) if is_due(full, at) else BufferStep(full)


def is_due(buffer: EventBuffer, at: int) -> bool:
    """Whether what waits is to be looked at; also asked when nothing new came."""
    count = len(buffer.waiting)
    if count >= MAX_EVENTS or (count and at - buffer.since >= MAX_WAIT_MILLISECONDS):
        return True
    return count >= MIN_EVENTS and buffer.fired


def flush(buffer: EventBuffer) -> BufferStep:
    """Everything now: the session ended."""
    return BufferStep(EventBuffer(), buffer.waiting)


def is_trigger(said: SessionEvent) -> bool:
    """Whether a thing looks as if something is to be learnt from it."""
    match said.body:
        case PromptGiven(text=text, how=how):
            return (
                how in (PromptKind.REJECTION, PromptKind.ANSWER)
                or _TRIGGER.search(text[:_MAX_TRIGGER_CHARS]) is not None
            )
        case ToolUsed(outcome=outcome):
            return outcome is ToolOutcome.FAILED
    return False
