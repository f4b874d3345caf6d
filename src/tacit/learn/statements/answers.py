"""What a person decided when asked, and what they chose over what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements.sentences import PromptSentence
from tacit.learn.statements.wording import is_short
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, PromptKind
from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.display import one_line, visible_line

# What the person decided when the agent asked.

_CONFIDENCE = 0.55
_MAX_ANSWER_CHARS = 160  # an answer that is longer is read like a prompt
_RECOMMENDED = re.compile(r"\s{0,3}\((?:recommended|default)\)", re.IGNORECASE)
# Answers that decide only what happens next, and questions that ask only that.
_BARE = re.compile(
    r"\s*(?:y|n|yes|no|ok|okay|sure|go|proceed|continue|skip|cancel|stop|none|all|both|other|later|done|looks good"
    r"|lgtm|\d{1,3})\b[\s,.!]*(?:please|thanks|do it|go ahead|,.{0,20})?\s*$",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:proceed|continue|ready|next step|what next|should i (?:start|commit|push|run|create|fix|go|also|do|make"
    r"|open|update|delete|remove)|shall i|do you want me to|would you like me to"
    r"|start with|look(?:s)? good|approve|which (?:file|issue|task|bug|pr|branch|one|test)|how many|what should i do"
    r"|do next|right now|anything else)\b",
    re.IGNORECASE,
)
_YOUR = re.compile(r"\byour\b", re.IGNORECASE)
_WE = r"(?:we|i|it|you)\b"
_WANT = rf"(?:(?:should|shall|would|do|does|must|can|could|will) {_WE}(?: (?:like|want|prefer|need|wish))?)"
_USE = r"(?: to)?(?: (?:use|choose|pick|take|have|go with))?"
_NEAR = r"(?P<rest>(?: (?:for|in|on|with|when|as|at|from|by|of|to)\b.*)?)$"
# The first that fits tells how it is said.
_QUESTIONS = (
    (
        re.compile(rf"(?:which|what)(?P<of>(?: [\w/-]+){{1,6}}?) {_WANT}{_USE}{_NEAR}", re.IGNORECASE),
        r"Decided on the\g<of>\g<rest>",
    ),
    (
        re.compile(rf"(?:which|what)(?P<of>(?: [\w/-]+){{1,6}}?) {_WANT}(?: to)?(?P<rest> .+)", re.IGNORECASE),
        r"Decided on the\g<of> to\g<rest>",
    ),
    (
        re.compile(r"(?:which|what)(?P<of>(?: [\w/-]+){1,6}?) should (?P<rest>be \w.*)", re.IGNORECASE),
        r"Decided which\g<of> should \g<rest>",
    ),
    (
        re.compile(r"what should (?P<what>(?:[\w/'-]+ ){1,8}?)(?P<rest>be\b.*)", re.IGNORECASE),
        r"Decided what \g<what>should \g<rest>",
    ),
    (re.compile(r"what(?: is|'s|’s) (?P<rest>the .+)", re.IGNORECASE), r"Decided on \g<rest>"),
    (re.compile(rf"(?P<how>how|where|when) should {_WE}(?P<rest> .+)", re.IGNORECASE), r"Decided \g<how> to\g<rest>"),
    (
        re.compile(
            r"(?P<how>how|where|when) should (?P<what>(?:[\w/'-]+ ){1,8}?)"
            r"(?P<rest>(?:be|go|live|work|look|behave|happen|run|come|appear|stay|start|end)\b.*)",
            re.IGNORECASE,
        ),
        r"Decided \g<how> \g<what>should \g<rest>",
    ),
)


def answered(event: SessionEvent, prompt: PromptGiven) -> Iterator[Lesson]:
    """A choice that was made when asked: what was asked, and what was taken."""
    answer = _RECOMMENDED.sub("", prompt.text).strip()
    if (
        prompt.how is not PromptKind.ANSWER
        or not answer
        or not prompt.about
        or len(answer) > _MAX_ANSWER_CHARS
        or "\n" in answer
    ):
        return
    if _BARE.match(answer) or _NEXT.search(prompt.about) or answer.endswith("?"):
        return
    sentence = visible_line(f"{_decision_lead(one_line(prompt.about, 140).rstrip('?:. '))}: {answer.rstrip('.')}.")
    if not is_short(sentence) and not secret_kind(sentence):  # who is asked for a password may tell it
        reason = "chosen when the agent asked"
        # The question, and mostly the answers to choose from, are the agent's words.
        yield Lesson(Kind.DECISION, sentence, answer, (event.event_id,), reason, _CONFIDENCE, Provenance.MODEL)


def _decision_lead(question: str) -> str:
    """A question as that on which something was decided: "Which db should we use" is "Decided on the db"."""
    plain = _YOUR.sub("the", question[:1].lower() + question[1:])
    for pattern, template in _QUESTIONS:
        if match := pattern.match(plain):
            return " ".join(match.expand(template).split())
    return f"Asked “{question}?”, the answer was"


# What the person chose over what, in so many words, and who chose the same again: a preference.

MIN_CHOICES = 2  # times that the same was chosen over the same
MAX_CHOICES = 200  # choices of a conversation that are kept in mind
_NAME = r"[`\"']?([\w@$./+-]{2,40})[`\"']?"
_CHOSEN = re.compile(
    rf"\b(?:use|used|using|with|want|prefer|choose|take|try|run|do|to)\s{_NAME},?\s(?:instead of|rather than|over"
    rf"|and not|not)\s(?:an?\s|the\s)?{_NAME}"
)
_TURNED = re.compile(rf"\binstead of\s{_NAME},?\s(?:please\s|let's\s|just\s)?(?:use|take|try|run)\s{_NAME}")
_NO_NAMES = frozenset(
    "it this that them the an what how just only do does be is use using have just being doing all some any".split()
)


class Choice(Record):
    """One thing taken, another left."""

    taken: str
    left: str


class ObservedChoice(Record):
    """A choice, the event it was made in and the words."""

    choice: Choice
    event_id: EventId
    quote: str


def find_choices(phrase: PromptSentence, event: EventId) -> Iterator[ObservedChoice]:
    """The choices that a sentence makes; a question makes none."""
    if "?" in phrase.plain:
        return
    pairs = [(match[1], match[2]) for match in _CHOSEN.finditer(phrase.plain)]
    pairs += [(match[2], match[1]) for match in _TURNED.finditer(phrase.plain)]
    for taken, left in pairs:
        choice = Choice(taken.strip("."), left.strip("."))
        if _NO_NAMES.isdisjoint(choice) and choice.taken != choice.left:
            yield ObservedChoice(choice, event, phrase.text)


def learn(known: tuple[ObservedChoice, ...], new: tuple[ObservedChoice, ...]) -> Iterator[Lesson]:
    """What was chosen again, and never the other way round."""
    for choice in dict.fromkeys(observed.choice for observed in new):
        times = list({observed.event_id: observed for observed in (*known, *new) if observed.choice == choice}.values())
        opposed = any(observed.choice == Choice(choice.left, choice.taken) for observed in (*known, *new))
        if len(times) >= MIN_CHOICES and not opposed:
            yield _preference(choice, times)


def _preference(choice: Choice, times: list[ObservedChoice]) -> Lesson:
    return Lesson(
        Kind.PREFERENCE,
        f"Prefer {choice.taken} over {choice.left}.",
        times[0].quote,
        tuple(observed.event_id for observed in times),
        f"chosen {len(times)} times",
        min(0.5 + 0.1 * len(times), 0.85),
    )
