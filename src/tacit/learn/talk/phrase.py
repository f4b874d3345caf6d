"""One sentence of a prompt as learners read it: in small letters, with what is quoted or code in it covered up.

`plain` has the length of `text`, so a place in one is the place in the other.
"""

from __future__ import annotations

import re

from tacit.learn.talk.own_words import Span, own_words
from tacit.learn.talk.sentences import sentences
from tacit.record import Record

LONGEST = 700  # letters of a sentence that are read
MOST = 80  # sentences of a prompt that are read
_TWO, _FEW = 2, 4  # sentences of a prompt that is little else than one of them
# How orders and questions of the moment begin: what stands beside one mostly belongs to it.
_TASK = re.compile(
    r"\W{0,4}(?:(?:please|pls|ok|okay|now|then|and|also|so|great|next|first|hi|hey|yes|no)\b[\s,.!:]{0,3}){0,3}"
    r"(?:fix|add|create|build|implement|make (?!sure)|change|update|remove|delete|move|rename|refactor|rewrite|read"
    r"|look"
    r"|check|find|show|explain|give|generate|debug|investigate|review|continue|help|install|start|finish|convert"
    r"|replace|separate|split|merge|commit|push|analy[sz]e|(?:can|could|would|will) (?:you|we)|i (?:want|need"
    r"|would like)"
    r"|i'd like|why|what|how|where|which|is (?:it|this|there)|are (?:there|you)|do (?:you|we)|does)\b"
)
_COVERED = re.compile(r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|(?<!\w)'[^'\n]{2,80}'(?!\w)")
_STRAIGHT = str.maketrans("’‘´“”\n\t\u00a0", "'''\"\"   ")
# How people misspell the words that matter, each with as many letters as the right spelling or fewer.
_SPELLED = re.compile(r"\b(?:alwasy|alwyas|awlays|alawys|nevre|neevr|isntead|insetad|perfer|shoudl)\b")
_RIGHT = {
    "alwasy": "always",
    "alwyas": "always",
    "awlays": "always",
    "alawys": "always",
    "nevre": "never",
    "neevr": "never",
    "isntead": "instead",
    "insetad": "instead",
    "perfer": "prefer",
    "shoudl": "should",
}


class Phrase(Record):
    """`before` is the sentence in front of it in the same prompt; `alone` tells whether the prompt is little else;
    `pressing` is what the moment adds: words with which a call was turned down are meant."""

    span: Span
    text: str
    plain: str
    before: Span | None = None
    alone: bool = False
    pressing: int = 0


def phrases(text: str, *, pressing: int = 0) -> list[Phrase]:
    """The sentences that the person typed."""
    found = list(sentences(text, own_words(text)))[:MOST]
    said = [text[span.start : min(span.end, span.start + LONGEST)] for span in found]
    plainly = [plain(one) for one in said]
    tasks = [place for place, one in enumerate(plainly) if _TASK.match(one)]
    return [
        Phrase(
            span,
            said[place],
            plainly[place],
            found[place - 1] if place else None,
            len(found) <= _TWO or (len(found) <= _FEW and tasks in ([], [place])),
            pressing,
        )
        for place, span in enumerate(found)
    ]


def plain(text: str) -> str:
    """Small letters, straight quotes, covered code: of the same length."""
    covered = _COVERED.sub(_cover, text).translate(_STRAIGHT)
    small = covered.lower()
    if len(small) != len(text):
        small = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in covered)
    return _SPELLED.sub(lambda found: _RIGHT[found[0]], small)


def _cover(found: re.Match[str]) -> str:
    mark = found[0][0]
    return mark + "x" * (len(found[0]) - 2) + found[0][-1]
