"""The learners of statements over one conversation.

A statement is a sentence that the person typed, has an explicit form and is likely enough to be meant to last. What
the agent said only tells what the person refers to. No buffer makes events wait for context (C1): a session is learned
from when it was captured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements.answers import MAX_CHOICES, ObservedChoice, choices_made_again, find_choices
from tacit.learn.statements.scoring import MIN_STATEMENT_SCORE, find_form, score_sentence
from tacit.learn.statements.sentences import READ_PROMPTS, PromptSentence, is_short, typed_sentences
from tacit.model.claim import Provenance
from tacit.model.observation import PromptGiven, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.display import one_line, visible_line
from tacit.text.summarize import summarize

_CONFIDENCE, _SURE_CONFIDENCE, _SURE_SCORE = 0.65, 0.8, -0.25
_REFERENCE_CONFIDENCE = 0.55  # "always do it that way": what it is about is said elsewhere, if at all


def learn_statements(events: Sequence[SessionEvent]) -> list[Lesson]:
    """Return everything that a conversation teaches, in order."""
    lessons: list[Lesson] = []
    about = ""  # what the conversation was about last
    chosen: tuple[ObservedChoice, ...] = ()
    for event in events:
        match event.body:
            case PromptGiven() as prompt if prompt.how in READ_PROMPTS:
                sentences = typed_sentences(prompt.text)
                new = tuple(choice for sentence in sentences for choice in find_choices(sentence, event.event_id))
                lessons += _learn_sentences(event, prompt, sentences, about)
                lessons += choices_made_again(chosen, new)
                chosen = (*chosen, *new)[-MAX_CHOICES:]
            case ReplyGiven(text=text):
                about = summarize(text)
            case ToolUsed() as used if used.outcome is ToolOutcome.REJECTED or used.act is ToolAction.RAN:
                about = used.input
    return lessons


def _learn_sentences(
    event: SessionEvent, prompt: PromptGiven, sentences: Sequence[PromptSentence], about: str
) -> Iterator[Lesson]:
    """Yield a lesson for each sentence of a prompt that states something for good."""
    for before, sentence in zip(("", *(sentence.text for sentence in sentences)), sentences, strict=False):
        form = find_form(sentence)
        score = score_sentence(sentence, len(prompt.text)) if form else MIN_STATEMENT_SCORE
        if form is None or score < MIN_STATEMENT_SCORE:
            continue
        statement = word_statement(sentence, before, prompt.about or about)
        if statement is None:
            continue
        confidence = _SURE_CONFIDENCE if score >= _SURE_SCORE else _CONFIDENCE
        yield Lesson(
            form.kind,
            statement.sentence,
            prompt.text[sentence.span.start : sentence.span.end],
            (event.event_id,),
            f"{form.name}, as in “{form.example}”",
            min(confidence, _REFERENCE_CONFIDENCE) if statement.refers else confidence,
            Provenance.MODEL if statement.is_agent_hint else Provenance.USER_DIRECT,
        )


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
    r"|for future reference|in the future)"
    r"(?![\w'’`-])[\s,.:!;…-]{0,4}){1,5}",
    re.IGNORECASE,
)
# A sentence that says what to do with something it does not name.
_REFERENCE = re.compile(
    r"^(?:never|don't|do not|dont|always|stop|we|i|you|please)?\s?(?:\w+\s){0,5}?(?:it|that|this|them|those|these)\b"
    r"(?:\s(?:again|myself|yourself|way|pattern|here|there|instead|anymore))?(?:[\s.,!;]|$)"
    r"|^(?:that|this|it|those|these|they)\b"
)


class Statement(Record):
    """What is stored, and whose words the hint in it are, if there is one."""

    sentence: str
    refers: bool = False
    is_agent_hint: bool = False


def word_statement(sentence: PromptSentence, before: str, turn_before: str) -> Statement | None:
    """Return the statement of a sentence, None if it says too little, is too long for a card or holds a secret.

    `before` is the sentence in front of it in the prompt, `turn_before` what the agent said or did last.
    """
    text = visible_line(sentence.text)
    if (match := _LEAD.match(text)) and not is_short(text[match.end() :]):
        text = text[match.end() :]
    is_cut = len(sentence.text) < sentence.span.end - sentence.span.start
    if is_short(text) or len(text) > MAX_STATEMENT_CHARS or is_cut:
        return None
    first = text.split(" ", 1)[0]
    if first.replace("'", "").replace("’", "").isalpha() and first.islower():  # no name
        text = text[:1].upper() + text[1:]
    refers = len(sentence.plain.split()) < _SELF_CONTAINED_WORDS and _REFERENCE.search(sentence.plain) is not None
    hint = (before or turn_before) if refers else ""
    stored = visible_line(f"{text}{ABOUT}{one_line(hint, _MAX_ABOUT_CHARS)})") if hint else text
    if secret_kind(stored):
        return None
    return Statement(stored, refers, is_agent_hint=bool(hint) and not before)
