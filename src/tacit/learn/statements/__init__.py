"""The learners of statements over one conversation.

A statement is a sentence that the person typed and that has an explicit form; one whose form is looser is doubtful.
What the agent said only tells what the person refers to. No buffer makes events wait for context (C1): a session is
learned from when it was captured.

What a person chose over what, and what they decided when asked, is a lesson if they do so again (C2). A learner sees
one session. The choices of a session are stored in the index when it is learned from, and each session is compared with
the others of its project. They are derived: after a rebuild of the index, learning stores them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import exp

from tacit.index.sessions import SessionChoice
from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements.sentences import (
    MIN_CANDIDATE_SCORE,
    READ_PROMPTS,
    PromptSentence,
    Stated,
    find_statement,
    is_short,
    score_sentence,
    typed_sentences,
)
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolAction, ToolUsed
from tacit.model.statement import ScopedText, split_scope
from tacit.record import Record
from tacit.secrets import secret_kind
from tacit.text.display import one_line, visible_line
from tacit.text.summarize import summarize
from tacit.text.words import normalize_text

_MAX_SURE_PROMPT_CHARS = 1500  # what is longer mostly specifies the product
_ORDER_CONFIDENCE = 0.95  # the highest
_FORM_ODDS = 1.5  # log odds by which a sure form is likelier than its score, which was fitted on looser ones
_REFERENCE_CONFIDENCE = 0.55  # "always do it that way": what it is about is said elsewhere, if at all


def learn_statements(events: Sequence[SessionEvent]) -> list[Lesson]:
    """Return everything that a conversation teaches, in order."""
    return _read_conversation(events, doubtful=False)


def doubtful_statements(events: Sequence[SessionEvent]) -> list[Lesson]:
    """Return the sentences of a conversation that have the form of a statement and may be none, in order."""
    return _read_conversation(events, doubtful=True)


def _read_conversation(events: Sequence[SessionEvent], *, doubtful: bool) -> list[Lesson]:
    lessons: list[Lesson] = []
    about = ""  # what the conversation was about last
    chosen: tuple[ObservedDecision, ...] = ()
    for event in events:
        match event.body:
            case PromptGiven() as prompt if prompt.how in READ_PROMPTS:
                sentences = typed_sentences(prompt.text)
                new = tuple(choice for sentence in sentences for choice in find_choices(sentence, event.event_id))
                lessons += _learn_sentences(event, prompt, sentences, about, doubtful=doubtful)
                lessons += () if doubtful else choices_made_again(chosen, new)
                chosen = (*chosen, *new)[-MAX_CHOICES:]
            case ReplyGiven(text=text):
                about = summarize(text)
            case ToolUsed() as used if not used.outcome.has_run or used.act is ToolAction.RAN:
                about = used.input
    return lessons


def _learn_sentences(
    event: SessionEvent, prompt: PromptGiven, sentences: Sequence[PromptSentence], about: str, *, doubtful: bool
) -> Iterator[Lesson]:
    """Yield a lesson for each sentence of a prompt that states something for good, or of those that may do so."""
    for number, sentence in enumerate(sentences):
        stated = find_statement(sentence)
        if stated and not stated.form.is_order and len(prompt.text) > _MAX_SURE_PROMPT_CHARS:
            stated = stated._replace(is_doubtful=True)
        if stated is None or stated.is_doubtful is not doubtful:
            continue
        first = number - 1 if stated.is_about_before else number
        score = score_sentence(sentence, len(prompt.text))
        if first >= 0 and not (doubtful and score < MIN_CANDIDATE_SCORE):
            yield from _build_lesson(
                event, prompt, sentences[first : number + 1], sentences[:first], about, stated, score
            )


def _build_lesson(
    event: SessionEvent,
    prompt: PromptGiven,
    quoted: Sequence[PromptSentence],
    earlier: Sequence[PromptSentence],
    about: str,
    stated: Stated,
    score: float,
) -> Iterator[Lesson]:
    """Yield the lesson that quoted sentences state, if a card can hold it.

    The first of two is what is to be remembered, the other one says so.
    """
    source = quoted[0]
    if stated.is_about_before:
        if REFERENCE.search(source.plain):
            return
        stated = (find_statement(source) or stated)._replace(form=stated.form)
    # What the agent said or did last is what it refers to if no sentence of the prompt is before it.
    plain = split_scope(source.plain[stated.start : stated.end]).text
    before = earlier[-1].text if earlier else ""
    refers = len(plain.split()) < _SELF_CONTAINED_WORDS and REFERENCE.search(plain) is not None
    hint = (before or prompt.about or about) if refers else ""
    worded = word_statement(source, hint, stated)
    if worded.text:
        kind = stated.said.kind
        yield Lesson(
            Kind.CONSTRAINT if kind is Kind.RULE and _PROHIBITION.search(plain) else kind,
            worded.text,
            prompt.text[source.span.start : quoted[-1].span.end],
            (event.event_id,),
            f"the form of the sentence: {stated.form.name}",
            _confidence(stated, score, refers=refers),
            Provenance.MODEL if hint and not before else Provenance.USER_DIRECT,
            everywhere=worded.is_global or False,
        )


# What turns a rule into a constraint: "from now on, do not commit".
_PROHIBITION = re.compile(r"(?:^|[,:;.]\s|\bon\s|\bforward\s)(?:never|don't|dont|do not|no)\b|不要|不能|禁止")


def _confidence(stated: Stated, score: float, *, refers: bool) -> float:
    """Return how sure it is that a sentence is meant to last: by its score, if it is no order to remember."""
    odds = score if stated.is_doubtful else score + _FORM_ODDS
    chance = _ORDER_CONFIDENCE if stated.form.is_order else 1 / (1 + exp(-odds))
    return round(min(chance, _REFERENCE_CONFIDENCE if refers else _ORDER_CONFIDENCE), 2)


# How a statement is stored: the person's own sentence, complete, and a hint at what "it" or "that" refers to. Nothing
# is joined and nothing is cut: a sentence that is too long for a card makes none.

MAX_STATEMENT_CHARS = 320
ABOUT = " (about: "  # what follows is what the sentence refers to, not a part of it
_MAX_ABOUT_CHARS = 120
_SELF_CONTAINED_WORDS = 13  # a sentence of so many words names its subject itself
# Words in front of a statement that say nothing.
_LEAD = re.compile(
    # "No, we use X" begins with an answer; "no more X" is the statement itself.
    r"(?:(?:ok|okay|yes|yep|no(?=\s?[,.:!;…-]|\s(?:we|i|you|it|that|this|don't|dont|do|use|let)\b)|nope|yeah|and|but"
    r"|so|also|please|pls|hmm|uh+|oh|ah+|well|alright|right|great|thanks|thank you|perfect|again|actually|btw"
    r"|by the way|wait|sorry|remember(?: that| to)?|note(?: that)?|from now on|going forward|moving forward"
    r"|for future reference|(?:in|for) the future)"
    r"(?![\w'’`-])[\s,.:!;…-]{0,4}){1,5}",
    re.IGNORECASE,
)
# A sentence that says what to do with something it does not name.
REFERENCE = re.compile(
    r"^(?:never|don't|do not|dont|always|stop|we|i|you|please)?\s?(?:\w+\s){0,5}?"
    r"(?:it|that(?!\s(?:are|is|was|were|ha[sd]|have|the|an?|all|every|our|we|you|they|i)\b)"
    r"|this(?!\s(?:project|repo|repository|codebase|workspace|machine)\b)|them|those|these)\b"
    r"(?:\s(?:again|myself|yourself|way|pattern|here|there|instead|anymore))?(?:[\s.,!;]|$)"
    r"|^(?:that|this|it|those|these|they)\b"
)


def word_statement(sentence: PromptSentence, hint: str = "", stated: Stated | None = None) -> ScopedText:
    """Return a sentence as it is stored, the words that it states, with a hint at what it refers to, and its scope.

    The text is "" if it says too little, is too long for a card or holds a secret.
    """
    scoped = split_scope(sentence.text[stated.start : stated.end] if stated else sentence.text)
    text = visible_line(scoped.text)
    if (match := _LEAD.match(text)) and not is_short(text[match.end() :]):
        text = text[match.end() :]
    is_cut = len(sentence.text) < sentence.span.end - sentence.span.start
    if is_short(text) or len(text) > MAX_STATEMENT_CHARS or is_cut:
        return ScopedText("", None)
    first = text.split(" ", 1)[0]
    if first.replace("'", "").replace("’", "").isalpha() and first.islower():  # no name
        text = text[:1].upper() + text[1:]
    stored = visible_line(f"{text}{ABOUT}{one_line(hint, _MAX_ABOUT_CHARS)})") if hint else text
    return ScopedText("" if secret_kind(stored) else stored, scoped.is_global)


# What the person decided when the agent asked. A plan that they let pass is the agent's, and teaches nothing.

_MAX_ANSWER_CHARS = 160  # an answer that is longer is read like a prompt
_MAX_TYPED_WORDS = 5  # of an answer to a question at the end of a reply
_ASKED = "Asked "
_LAST_QUESTION = re.compile(r"(?:^|[.!?:]\s|\n)[\s*_>#-]{0,8}([^.!?\n]{8,140}\?)[\s*_)]{0,4}$")
_MAX_AFTER_QUESTION = 6  # characters from the last question mark on: four of emphasis, and a line feed
_ANSWER_LEAD = re.compile(
    r"(?:(?:please|pls|just|let's|lets|i'd|i|we|should|would|say)\s){0,4}(?:use|go with|take|choose|pick|prefer)\s",
    re.IGNORECASE,
)
_ANSWER_END = re.compile(r"[\s,.!]*(?:\b(?:please|pls|thanks|thank you))?[\s.!]*$", re.IGNORECASE)
_RECOMMENDED = re.compile(r"\s{0,3}\((?:recommended|default)\)", re.IGNORECASE)
# Answers that decide only what happens next, and questions that ask only that.
_BARE = re.compile(
    r"\s*(?:y|n|yes|no|ok|okay|sure|go|proceed|continue|wait|skip|cancel|stop|none|all|both|other|later|done|looks good"
    r"|lgtm|\d{1,3})\b[\s,.!]*(?:please|thanks|do it|go ahead|,.{0,20})?\s*$",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:proceed|continue|ready|next step|what next|should i (?:start|commit|push|run|create|fix|go|also|do|make"
    r"|open|update|delete|remove)|shall i|do you want me to|would you like me to"
    r"|start with|look(?:s)? good|approve|how many|what should i do"
    r"|which (?:file|issue|task|bug|pr|branch|one|test)s?(?! (?!should|shall|do|does|would|is|are|to)\w)"
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


class AnsweredQuestion(Record):
    """What was to be decided, and what the person took, both in the words of a decision."""

    lead: str
    answer: str

    @property
    def sentence(self) -> str:
        """The decision in one sentence; "" if it says too little or has a secret: an answer may be a password."""
        sentence = visible_line(f"{self.lead}: {self.answer.rstrip('.')}.")
        return "" if is_short(sentence) or secret_kind(sentence) else sentence


def answered_question(prompt: PromptGiven, reply: str = "") -> AnsweredQuestion | None:
    """Return what a person chose when the agent asked, None if that decides only what happens next.

    A few words that are typed after a reply answer the question at its end, if that asks for a decision ("Which port
    should we use?") and they name something.
    """
    question, answer = prompt.about, _RECOMMENDED.sub("", prompt.text).strip()
    is_typed = prompt.how is PromptKind.TYPED and "?" in reply[-_MAX_AFTER_QUESTION:]
    if is_typed:
        answer = _ANSWER_LEAD.sub("", _ANSWER_END.sub("", prompt.text.strip()))
        match = _LAST_QUESTION.search(reply) if len(answer.split()) <= _MAX_TYPED_WORDS else None
        question = match[1] if match else ""
    if not question or not (is_typed or prompt.how is PromptKind.ANSWER):
        return None
    if not answer or len(answer) > _MAX_ANSWER_CHARS or "\n" in answer or answer.endswith("?"):
        return None
    shown = one_line(question, 140).rstrip("?:. ")
    lead = _decision_lead(shown)
    if _BARE.match(answer) or _NEXT.search(shown if is_typed else question) or (is_typed and lead.startswith(_ASKED)):
        return None
    return AnsweredQuestion(lead, answer)


def _decision_lead(question: str) -> str:
    """A question as that on which something was decided: "Which db should we use" is "Decided on the db"."""
    plain = _YOUR.sub("the", question[:1].lower() + question[1:])
    for pattern, template in _QUESTIONS:
        if match := pattern.match(plain):
            return " ".join(match.expand(template).split())
    return f"{_ASKED}“{question}?”, the answer was"


# What the person chose over what, in so many words, and who chose the same again: a preference.

_MIN_CHOICES = 2  # times that the same was chosen over the same
_MAX_CHOICE_CONFIDENCE = 0.7
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


class ObservedDecision(Record):
    """A choice that was made in a session, and the lesson that it is if it is made again."""

    choice: SessionChoice
    lesson: Lesson


def find_choices(sentence: PromptSentence, event: EventId) -> Iterator[ObservedDecision]:
    """Yield the choices that a sentence makes; a question makes none."""
    plain = sentence.plain
    pairs = [(match[1], match[2]) for match in _CHOSEN.finditer(plain) if "?" not in plain]
    pairs += [(match[2], match[1]) for match in _TURNED.finditer(plain) if "?" not in plain]
    for names in pairs:
        taken, left = (name.strip(".") for name in names)
        if _NO_NAMES.isdisjoint((taken, left)) and taken != left:
            subject = "one of: " + ", ".join(sorted((taken, left)))
            lesson = Lesson(Kind.PREFERENCE, f"Prefer {taken} over {left}.", sentence.text, (event,), "", 0)
            yield ObservedDecision(SessionChoice(subject, taken, event), lesson)


def choices_made_again(known: Sequence[ObservedDecision], new: Sequence[ObservedDecision]) -> Iterator[Lesson]:
    """Yield what was chosen again, and never the other way round."""
    for subject, value in dict.fromkeys(decision.choice[:2] for decision in new):
        about = [decision for decision in (*known, *new) if decision.choice.subject == subject]
        times = {decision.choice.event_id: decision.lesson for decision in about}
        if len(times) >= _MIN_CHOICES and all(decision.choice.value == value for decision in about):
            first = next(iter(times.values()))
            reason, confidence = f"chosen {len(times)} times", preference_confidence(len(times))
            yield first._replace(evidence=tuple(times), reason=reason, confidence=confidence)


def preference_confidence(times: int) -> float:
    """Return how sure a preference is that was observed so often. A person has not said it, so it needs a review."""
    return min(0.5 + 0.1 * times, _MAX_CHOICE_CONFIDENCE)


# What is decided alike in several sessions

_MIN_SESSIONS = 2  # in which the same was decided alike
_TYPED_PROMPTS = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.REJECTION, PromptKind.ANSWER)
# A prompt without any of these words chooses nothing over anything.
_CHOICE_WORDS = ("instead of", "rather than", " over ", " not ")


def observed_decisions(events: Sequence[SessionEvent]) -> list[ObservedDecision]:
    """Return what a person decided in a conversation, in order: at most MAX_CHOICES."""
    decisions: list[ObservedDecision] = []
    reply = ""
    for event in events:
        match event.body:
            case ReplyGiven(text=text):
                reply = text
            case PromptGiven() as prompt if prompt.how in _TYPED_PROMPTS:
                decisions += _decisions_in(event.event_id, prompt, reply)
                reply = ""
    return decisions[:MAX_CHOICES]


def _decisions_in(event: EventId, prompt: PromptGiven, reply: str) -> Iterator[ObservedDecision]:
    text = prompt.text.lower()
    for sentence in typed_sentences(prompt.text) if any(words in text for words in _CHOICE_WORDS) else ():
        yield from find_choices(sentence, event)
    decided = answered_question(prompt, reply)
    if decided and decided.sentence:
        # The question is the agent's, as are most answers to choose from.
        lesson = Lesson(Kind.DECISION, decided.sentence, decided.answer, (event,), "", 0, Provenance.MODEL)
        answer = normalize_text(decided.answer).rstrip(".")
        yield ObservedDecision(SessionChoice(normalize_text(decided.lead), answer, event), lesson)


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
        if sessions >= _MIN_SESSIONS and all(choice.value == value for choice in choices):
            verb = "chosen" if lesson.kind is Kind.PREFERENCE else "answered alike"
            yield lesson._replace(
                evidence=tuple(dict.fromkeys((*lesson.evidence, *(choice.event_id for choice in choices)))),
                reason=f"{verb} in {sessions} sessions",
                confidence=preference_confidence(sessions),
            )
