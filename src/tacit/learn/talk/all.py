"""All learners of talk together: what one more thing of a conversation shows, and what to keep in mind of it.

    hear(talk, said) -> (talk, what was learnt)

A conversation is folded thing by thing, so it does not matter in how many pieces it comes. Rules come from the words
of the person alone; what the agent said only tells what the person pointed at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.core.conversation import Act, How, Outcome, PromptGiven, ReplyGiven, ToolUsed
from tacit.core.gist import gist
from tacit.core.provenance import Provenance
from tacit.learn.talk import (
    answers,
    architecture,
    choices,
    conventions,
    corrections,
    decisions,
    environment,
    languages,
    preferences,
    rejected,
    rules,
    teaching,
)
from tacit.learn.talk.choices import Chosen
from tacit.learn.talk.form import ENOUGH, Match
from tacit.learn.talk.learnt import Learnt, Said
from tacit.learn.talk.own_words import NOWHERE, Span
from tacit.learn.talk.phrase import Phrase, phrases
from tacit.learn.talk.saying import ABOUT, say
from tacit.record import Record

# Where two find something in one sentence with as much for it, the earlier one names its kind.
LEARNERS = (
    corrections.learn,
    rejected.learn,
    decisions.learn,
    preferences.learn,
    environment.learn,
    conventions.learn,
    teaching.learn,
    architecture.learn,
    languages.learn,
)
_SURE = {ENOUGH: 0.55, ENOUGH + 1: 0.65, ENOUGH + 2: 0.75}
_SUREST = 0.8
_POINTING = 0.6  # "always do it that way": what it is about is said elsewhere, if at all
_HEARD = (How.TYPED, How.QUEUED, How.REJECTION, How.ANSWER, How.COMMAND)


class Talk(Record):
    """What is kept in mind of a conversation: what it was about last, and what was chosen over what."""

    about: str = ""
    chosen: tuple[Chosen, ...] = ()


def learn_from(said: Sequence[Said]) -> list[Learnt]:
    """Everything that a conversation teaches, in order."""
    return learn_on(Talk(), said)[1]


def learn_on(talk: Talk, said: Iterable[Said]) -> tuple[Talk, list[Learnt]]:
    """What a further piece of a conversation teaches."""
    found: list[Learnt] = []
    for one in said:
        talk, learnt = hear(talk, one)
        found += learnt
    return talk, found


def hear(talk: Talk, said: Said) -> tuple[Talk, tuple[Learnt, ...]]:
    match said.body:
        case PromptGiven() as prompt if prompt.how in _HEARD:
            return _prompted(talk, said, prompt)
        case ReplyGiven(text=text):
            return talk._replace(about=gist(text)), ()
        case ToolUsed() as used:
            about = used.input if used.outcome is Outcome.REJECTED or used.act is Act.RAN else talk.about
            return talk._replace(about=about), tuple(answers.accepted(said, used))
    return talk, ()


def _prompted(talk: Talk, said: Said, prompt: PromptGiven) -> tuple[Talk, tuple[Learnt, ...]]:
    spoken = phrases(prompt.text, pressing=int(prompt.how is How.REJECTION))
    new = tuple(one for phrase in spoken for one in choices.chosen(phrase, said.event))
    learnt = (
        *taught(said, prompt, spoken, talk.about),
        *answers.answered(said, prompt),
        *choices.learn(talk.chosen, new),
    )
    kept = (*talk.chosen, *new)[-choices.MOST_KEPT :]
    return Talk(talk.about, kept), learnt


class Taught(Record):
    """What a sentence teaches, and where it stands in the prompt."""

    quote: Span
    learnt: Learnt


def taught(said: Said, prompt: PromptGiven, spoken: list[Phrase], about: str) -> list[Learnt]:
    """What the sentences of a prompt say for good. What points at the one before it makes one statement with it."""
    found: list[Taught] = []
    for place, phrase in enumerate(spoken):
        last = found[-1].quote if found else NOWHERE
        after = spoken[place + 1].span if place + 1 < len(spoken) else None
        one = None if phrase.span.end <= last.end else _statement(said, prompt, phrase, about, after)
        if one is None or last.start < one.quote.start < last.end:
            continue
        found.append(_together(found.pop(), one) if one.quote.start < last.end else one)
    return [one.learnt for one in found]


def _together(first: Taught, both: Taught) -> Taught:
    """The surer of the two says of which kind it is."""
    if first.learnt.confidence < both.learnt.confidence:
        return both
    sure = first.learnt
    return both._replace(learnt=both.learnt._replace(kind=sure.kind, reason=sure.reason, confidence=sure.confidence))


def _statement(said: Said, prompt: PromptGiven, phrase: Phrase, about: str, after: Span | None) -> Taught | None:
    best = best_of(phrase)
    told = best and say(prompt.text, phrase, best.start, prompt.about or about, after)
    if best is None or told is None:
        return None
    quote = prompt.text[told.quote.start : told.quote.end]
    sure = min(_SURE.get(best.score, _SUREST), _POINTING if told.points else 1)
    reason = f"{best.form.name}, as in “{best.form.example}”"
    whose = Provenance.MODEL if ABOUT in told.sentence else Provenance.USER_DIRECT  # it is what it is made of
    return Taught(told.quote, Learnt(best.form.kind, told.sentence, quote, (said.event,), reason, sure, whose))


def best_of(phrase: Phrase) -> Match | None:
    """The form for which most speaks; the most general ones are asked where no other fits."""
    found = [match for learn in LEARNERS for match in learn(phrase)] or list(rules.learn(phrase))
    return max(found, key=lambda match: match.score, default=None)
