"""Whether a sentence says the opposite of another: what one forbids and the other does not.

Negation holds for its clause. Only words that both texts share are compared, and a word in clauses of both kinds, or
under a condition, decides nothing. A paraphrase turns a clause around now and then ("not headless", "with a GUI"), so
more words must differ than agree. Opposites without a negation (on and off) are not recognised.
"""

from __future__ import annotations

import re
from itertools import pairwise

from tacit.text.words import STOP_WORDS, normalize_text, simple_stem, tokenize

_NEGATIONS = (
    r"never|not|no|none|nor|neither|cannot|\w{2,12}n't|dont|avoid|stop|forbid|forbidden|prohibited|banned|disallowed"
    r"|niemals|nie|nicht|kein|keine|keinen|keinem|nunca|jamás|jamais|não|pas|aucune?"
)
_NEGATION = re.compile(rf"\b(?:{_NEGATIONS})\b")
# Negations in form only: "don't forget to run it".
_FALSE_NEGATION = re.compile(
    r"\b(?:do not|don't|dont|never|not to) (?:forget|hesitate|worry)\b"
    r"|\bnot (?:only|just|sure)\b|\bno (?:problem|worries|longer)\b"
    r"|\b(?:do not|don't|dont) want to (?:break|delete|drop|lose|remove)\b"
)
_INSTEAD_PHRASES = (
    "instead of|rather than|in place of|over|statt|anstatt|anstelle|en vez de|en lugar de|au lieu de|plutôt que"
    "|em vez de|invece d[ie]|al posto (?:d[ie]|che)|piuttosto che"
)
_RATHER_THAN = re.compile(r"\brather (?!than\b)([^.,;:!?]{1,120}?) than\b")  # "I'd rather have A than B"
_CONDITION_WORDS = "without|before|until|unless|except|only if|when|where|if|ohne|sin|sans|sem"
# A "not" behind one of these forbids the whole clause; behind anything else it makes a contrast: "pnpm not npm".
_AUXILIARY_VERBS = (
    "is are was were be do does did must should shall will would can could may might has have need".split()
)
_CONTRASTING_NOT = "".join(rf"(?<!\b{verb})" for verb in _AUXILIARY_VERBS) + r"(?=\snot\s)"
_CLAUSE_BREAK = re.compile(
    r"[.,;:!?()](?=\s|$)|\s[-–—]+\s|\s\(|\b(?:but|because|since|so that|anyway|let's|sondern|sino|mais|mas|weil)\b"
    + rf"|(?=\b(?:{_INSTEAD_PHRASES}|{_CONDITION_WORDS})\b)|{_CONTRASTING_NOT}"
)
_INSTEAD_CLAUSE = re.compile(rf"(?:{_INSTEAD_PHRASES})\b")
_CONDITION_CLAUSE = re.compile(rf"(?:{_CONDITION_WORDS})\b")
# Japanese and Chinese have no blanks between words.
_UNSPACED_INSTEAD = re.compile("代替|替代|而不是|而非")
_UNSPACED_NEGATION = re.compile("ない|ません|禁止|不要|なく|避免|不能|不得|不希望|不想|严禁|嚴禁|別|别|勿")
_FORBIDS, _NEUTRAL, _ALLOWS = -1, 0, 1


def contradicts(sentence: str, quote: str) -> bool:
    """Return whether more of the words that both share are forbidden by just one of them than by both or none."""
    if tokenize(sentence) == tokenize(quote):  # other punctuation makes other clauses, but no other meaning
        return False
    polarities, others = _polarities(sentence), _polarities(quote)
    return sum(polarities[word] * others[word] for word in polarities.keys() & others.keys()) < _NEUTRAL


def clause_around(quote: str, text: str) -> str:
    """Return the clauses of a text that a quote is from; the quote itself if it is not in the text.

    Half a clause may say the opposite of the whole one: "never push" and "push".
    """
    start = text.find(quote)
    if start < 0:
        return quote
    ends = [0, *(match.end() for match in _CLAUSE_BREAK.finditer(text)), len(text)]
    first = max(end for end in ends if end <= start)
    last = min(end for end in ends if end >= start + len(quote))
    return text[first:last]


def content_stems(text: str) -> set[str]:
    """Return the stems of words with content: pushing, pushed and push are one."""
    return {simple_stem(word) for word in tokenize(text) if word not in STOP_WORDS and not _NEGATION.fullmatch(word)}


def _polarities(text: str) -> dict[str, int]:
    """Return, for each stem, whether it is allowed or forbidden, or neutral if it is in clauses of both kinds."""
    polarities: dict[str, int] = {}
    plain = _FALSE_NEGATION.sub(" ", normalize_text(text.replace("’", "'")))
    plain = _UNSPACED_INSTEAD.sub(" instead of ", plain)
    plain = _RATHER_THAN.sub(r"\1 rather than", plain)
    ends = [0, *(match.end() for match in _CLAUSE_BREAK.finditer(plain)), len(plain)]
    for start, end in pairwise(ends):
        clause = plain[start:end].strip()
        if _CONDITION_CLAUSE.match(clause):
            polarity = _NEUTRAL
        elif _INSTEAD_CLAUSE.match(clause) or _NEGATION.search(clause) or _UNSPACED_NEGATION.search(clause):
            polarity = _FORBIDS
        else:
            polarity = _ALLOWS
        for stem in content_stems(_INSTEAD_CLAUSE.sub("", clause, count=1)):
            polarities[stem] = polarity if polarities.get(stem, polarity) == polarity else _NEUTRAL
    return polarities
