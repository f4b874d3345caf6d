"""Whether a sentence says the opposite of the words it is said to come from: what one forbids and the other does not.

Negation holds for the clause it stands in. Only words that both texts share are compared, and a word that stands in
clauses of both sorts, or under a condition, tells nothing. Opposites without a negation (on and off) are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tacit.core.stems import stem
from tacit.core.text import STOP_WORDS, fold, words

_NEGATIONS = (
    r"never|not|no|none|nor|neither|cannot|\w{2,12}n't|dont|avoid|stop|forbid|forbidden|prohibited|banned|disallowed"
    r"|niemals|nie|nicht|kein|keine|keinen|keinem|nunca|jamás|jamais|não|pas|aucune?"
)
_NEGATED = re.compile(rf"\b(?:{_NEGATIONS})\b")
# Said with a negation, and none: "don't forget to run it".
_NO_NEGATION = re.compile(
    r"\b(?:do not|don't|dont|never|not to) (?:forget|hesitate|worry)\b"
    r"|\bnot (?:only|just|sure)\b|\bno (?:problem|worries|longer)\b"
)
_INSTEAD = "instead of|rather than|in place of|over|statt|anstatt|anstelle|en vez de|au lieu de|em vez de"
_IF = "without|before|until|unless|except|only if|when|if|ohne|sin|sans|sem"
# A "not" behind one of these forbids the whole clause; behind anything else it is set against it: "pnpm not npm".
_VERBS = "is are was were be do does did must should shall will would can could may might has have".split()
_SET_AGAINST = "".join(rf"(?<!\b{verb})" for verb in _VERBS) + r"(?=\snot\s)"
_BREAK = re.compile(
    r"[.,;:!?()](?=\s|$)|\s[-–—]+\s|\b(?:but|because|since|so that|sondern|sino|mais|mas|weil)\b"
    + rf"|(?=\b(?:{_INSTEAD}|{_IF})\b)|{_SET_AGAINST}"
)
_AGAINST = re.compile(rf"(?:{_INSTEAD})\b")
_CONDITION = re.compile(rf"(?:{_IF})\b")
# Written without blanks: the negation of a verb cannot be told by words.
_UNSPACED = re.compile("ない|ません|禁止|不要|なく")
_FORBIDS, _TELLS_NOTHING, _ALLOWS = -1, 0, 1


def contradicts(sentence: str, quote: str) -> bool:
    """Whether some word that both share is forbidden by just one of them."""
    one, other = _signs(sentence), _signs(quote)
    return any(one[word] * other[word] == _FORBIDS for word in one.keys() & other.keys())


def stems(text: str) -> set[str]:
    """The words that tell something, without their endings: pushing, pushed and push are one."""
    return {stem(word) for word in words(text) if word not in STOP_WORDS and not _NEGATED.fullmatch(word)}


def _signs(text: str) -> dict[str, int]:
    """Of each word: whether it is allowed or forbidden, or stands in clauses of both sorts."""
    signs: dict[str, int] = {}
    for clause in _clauses(fold(text.replace("’", "'"))):
        sign = _sign(clause)
        for word in stems(clause):
            signs[word] = sign if signs.get(word, sign) == sign else _TELLS_NOTHING
    return signs


def _clauses(text: str) -> Iterator[str]:
    plain = _NO_NEGATION.sub(" ", text)
    places = [0, *(found.end() for found in _BREAK.finditer(plain)), len(plain)]
    yield from (plain[begin:end].strip() for begin, end in pairwise(places))


def _sign(clause: str) -> int:
    if _CONDITION.match(clause):
        return _TELLS_NOTHING
    is_forbidding = _AGAINST.match(clause) or _NEGATED.search(clause) or _UNSPACED.search(clause)
    return _FORBIDS if is_forbidding else _ALLOWS
