"""How a statement is stored: the person's own sentence, complete, and a hint at what "it" or "that" refers to.

Nothing is joined and nothing is cut: a sentence that is too long for a card makes none. The quote is an exact part of
the prompt.
"""

from __future__ import annotations

import re

from tacit.learn.statements.sentences import PromptSentence
from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.display import one_line, visible_line
from tacit.text.sentences import TextSpan

MIN_WORDS = 3  # "Answer in German." is a complete statement
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
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # written without blanks between words


class Statement(Record):
    """What is stored, the part of the prompt it is, and whose words the hint in it are, if there is one."""

    sentence: str
    quote: TextSpan
    refers: bool = False
    is_agent_hint: bool = False


def word_statement(sentence: PromptSentence, before: str, turn_before: str) -> Statement | None:
    """Return the statement of a sentence, None if it says too little, is too long for a card or holds a secret.

    `before` is the sentence in front of it in the prompt, `turn_before` what the agent said or did last.
    """
    text = _without_lead(visible_line(sentence.text))
    if (
        is_short(text)
        or len(text) > MAX_STATEMENT_CHARS
        or len(sentence.text) < sentence.span.end - sentence.span.start
    ):
        return None
    refers = len(sentence.plain.split()) < _SELF_CONTAINED_WORDS and _REFERENCE.search(sentence.plain) is not None
    hint = (before or turn_before) if refers else ""
    stored = visible_line(f"{text}{ABOUT}{one_line(hint, _MAX_ABOUT_CHARS)})") if hint else text
    if secret_kind(stored):
        return None
    return Statement(stored, sentence.span, refers, is_agent_hint=bool(hint) and not before)


def is_short(text: str, min_words: int = MIN_WORDS) -> bool:
    """Return whether a text has fewer words than a statement needs; text without blanks is counted by characters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2 < min_words


def _without_lead(sentence: str) -> str:
    """Return a sentence without what only introduces it, with a capital letter unless it begins with a name."""
    if (match := _LEAD.match(sentence)) and not is_short(sentence[match.end() :]):
        sentence = sentence[match.end() :]
    first = sentence.split(" ", 1)[0]
    is_plain = first.replace("'", "").replace("’", "").isalpha() and first.islower()
    return sentence[:1].upper() + sentence[1:] if is_plain else sentence
