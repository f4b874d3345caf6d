"""All learners of statements over one conversation, and the buffer of events that wait for context (C1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tacit.learn.statements import answers
from tacit.learn.statements import answers as choices
from tacit.learn.statements import forms as architecture
from tacit.learn.statements import forms as conventions
from tacit.learn.statements import forms as corrections
from tacit.learn.statements import forms as decisions
from tacit.learn.statements import forms as environment
from tacit.learn.statements import forms as languages
from tacit.learn.statements import forms as preferences
from tacit.learn.statements import forms as rejected
from tacit.learn.statements import forms as rules
from tacit.learn.statements import forms as teaching
from tacit.learn.statements.answers import Chosen
from tacit.learn.statements.normalise import ABOUT, NOWHERE, Phrase, phrases, say
from tacit.learn.statements.patterns import ENOUGH, Match
from tacit.learn.types import Learnt, Said
from tacit.model.claim import Provenance
from tacit.model.observation import Act, How, Outcome, PromptGiven, ReplyGiven, ToolUsed
from tacit.record import Record
from tacit.text.sentences import Span
from tacit.text.summarize import gist

# All learners of talk together: what one more thing of a conversation shows, and what to keep in mind of it.
#
#     hear(talk, said) -> (talk, what was learnt)
#
# A conversation is folded thing by thing, so it does not matter in how many pieces it comes. Rules come from the
# words of the person alone; what the agent said only tells what the person pointed at.

# Where two find something in one sentence with as much for it, the earlier one names its kind.
LEARNERS = (
    corrections.learn_corrections,
    rejected.learn_rejected,
    decisions.learn_decisions,
    preferences.learn_preferences,
    environment.learn_environment,
    conventions.learn_conventions,
    teaching.learn_teaching,
    architecture.learn,
    languages.learn_languages,
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
    found = [match for learn in LEARNERS for match in learn(phrase)] or list(rules.learn_rules(phrase))
    return max(found, key=lambda match: match.score, default=None)


# The context buffer of a conversation (C1): things wait until there is enough of them to be understood together.
#
# They are looked at when there are 20, or when the first has waited for 60 seconds, or from 5 on when one of them
# looks as if something is to be learnt. What is learnt does not depend on where the pieces end.

MOST_EVENTS = 20
MOST_MILLISECONDS = 60_000
LEAST_EVENTS = 5
_TRIGGER = re.compile(
    r"\b(?:never|always|don'?t|do not|prefer|instead|rather|decided|from now on|going forward|we use|let'?s use"
    r"|i told you"
    r"|on purpose|ask me|myself|must|nie|immer|nunca|siempre|sempre|jamais|toujours)\b|絶対|必ず|常に",
    re.IGNORECASE,
)
_LOOKED_AT = 4000


class Buffer(Record):
    """What waits, since when (milliseconds), and whether something in it looks like a lesson."""

    waiting: tuple[Said, ...] = ()
    since: int = 0
    fired: bool = False


class Step(Record):
    """The buffer afterwards, and what is to be looked at now (nothing: keep waiting)."""

    buffer: Buffer
    due: tuple[Said, ...] = ()


def add(buffer: Buffer, said: Said, at: int) -> Step:
    """One more thing at this time."""
    since = buffer.since if buffer.waiting else at
    full = Buffer((*buffer.waiting, said), since, buffer.fired or fires(said))
    return flush(full) if is_due(full, at) else Step(full)


def is_due(buffer: Buffer, at: int) -> bool:
    """Whether what waits is to be looked at; also asked when nothing new came."""
    count = len(buffer.waiting)
    if count >= MOST_EVENTS or (count and at - buffer.since >= MOST_MILLISECONDS):
        return True
    return count >= LEAST_EVENTS and buffer.fired


def flush(buffer: Buffer) -> Step:
    """Everything now: the session ended."""
    return Step(Buffer(), buffer.waiting)


def fires(said: Said) -> bool:
    """Whether a thing looks as if something is to be learnt from it."""
    match said.body:
        case PromptGiven(text=text, how=how):
            return how in (How.REJECTION, How.ANSWER) or _TRIGGER.search(text[:_LOOKED_AT]) is not None
        case ToolUsed(outcome=outcome):
            return outcome is Outcome.FAILED
    return False
