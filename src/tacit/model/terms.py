"""Terms of a statement that count in a comparison, and topics that tell which statements to compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, lru_cache

from tacit.model import lexicon
from tacit.record import Record
from tacit.text.words import fold, stem

# The words of a statement that count when it is compared: names, figures with their units, and what it is about.

_LONGEST = 600  # characters that are read of a statement
_MOST_TERMS = 40
_TOKEN = r"`[^`]{1,80}`|\"[^\"]{1,80}\"|“[^”]{1,80}”|->|→|[^\s,;?()\[\]{}“”\"]+|[,;?()\[\]{}]"
_EDGES = ".,;:!?'’‘…*"
_NUMBER = r"([~<>=≤≥v$€£]{0,2})(\d[\d_]*(?:[.,:]\d{1,20}){0,8}(?:e[-+]?\d{1,4})?)([a-zµ%°]{0,12})"
_IDENTIFIER = r"[\d_/.@\\=$:#+<>&|*~^-]"
_ELIDED = ("l'", "d'", "j'", "n'", "qu'", "s'")
_ENDS = frozenset(",;:.!?()[]{}—–")
AUXILIARIES = frozenset(
    (
        "is are was were be been do does did has have had will would shall should can could may might must am get gets"
        " got"
    ).split()
)
_REASONS = frozenset("because weil parce porque perché omdat denn".split())


class Term(Record):
    """A word that counts. `kind` is `plain`, `light`, `name`, `code`, `number` or a unit's kind (`time`, `size`, …)."""

    word: str
    kind: str
    at: int
    about: str = ""  # of a number: the word right beside it ("port 80", "3 nodes")
    family: str = ""
    numbers: bool = False  # a number that names a thing ("step 3") rather than counts things ("3 steps")


class Token(Record):
    """A word as written and in lower case; where a clause ends, an empty one."""

    raw: str
    low: str
    ends: bool  # a clause ends behind it


def tokens_of(text: str) -> list[Token]:
    """The words of a text, cut where it is long, without the reason that it gives."""
    return _without_reason(list(_tokens(text[:_LONGEST])))


def terms_of(text: str, tokens: Sequence[Token]) -> tuple[Term, ...]:
    """The terms among these tokens of a text."""
    return tuple(_terms(tokens, _is_shouted(text)))[:_MOST_TERMS]


def _without_reason(tokens: list[Token]) -> list[Token]:
    """Why a rule holds is no part of it."""
    at = next((at for at, token in enumerate(tokens) if at > 1 and token.low in _REASONS), None)
    if at is None:
        return tokens
    end = next((to for to in range(at, len(tokens)) if tokens[to].ends), len(tokens))
    return tokens[:at] + tokens[end:]


def _tokens(text: str) -> Iterator[Token]:
    for found in _compiled(_TOKEN).finditer(joined(text.replace("’", "'"))):
        raw = found[0]
        if raw in _ENDS:
            yield Token(raw, "", True)
            continue
        quoted = raw[0] in '`"“'
        bare = raw[1:-1] if quoted else raw.strip(_EDGES) if raw not in ("->", "→") else raw
        if not quoted and raw.startswith(".") and len(raw) > 2 and raw[1].isalpha():
            bare = "." + bare  # `.env`
        bare = bare or raw
        if raw.endswith("!") and not _compiled(r"\s+[A-Z]|\s*$").match(found.string, found.end()):
            bare += "!"  # `try!`
        ends = not quoted and raw[-1] in ".:?;,—–"
        for piece in _pieces(bare, quoted):
            yield Token(piece, piece.lower() if piece.isascii() else fold(piece), False)
        if ends:
            yield Token(raw[-1], "", True)


def joined(text: str) -> str:
    """Names of several words as one word."""
    low = text.lower()
    if not any(last in low for last in _phrase_ends()):
        return text
    return _compiled(_phrases(), re.IGNORECASE).sub(lambda found: lexicon.PHRASES[fold(found[0])], text)


@cache
def _phrases() -> str:
    longest_first = sorted(lexicon.PHRASES, key=len, reverse=True)
    return r"\b(?:" + "|".join(phrase.replace(" ", r"\s+") for phrase in longest_first) + r")\b"


@cache
def _phrase_ends() -> frozenset[str]:
    """Of every such name its last word: a text without any of them holds none of the names."""
    return frozenset(f" {phrase.split()[-1]}" for phrase in lexicon.PHRASES)


def _pieces(word: str, quoted: bool) -> list[str]:
    """The words that a word is put together of: two in "two-reviewers", one in "on-call", and Jan in "Jan's"."""
    low = word.lower()
    if quoted or low in lexicon.FAMILIES:
        return [word]
    if low.endswith("'s") and low not in lexicon.FUNCTION:
        return [word[:-2]]
    elided = next((one for one in _ELIDED if low.startswith(one)), "") if "'" in low else ""
    if elided and len(low) > 3 and low not in lexicon.FIRST:
        return ["ne" if elided == "n'" else elided[:-1], word[len(elided) :]]
    return _hyphened(word, low) if "-" in word.strip("-") and word[0] != "-" else [word]


def _hyphened(word: str, low: str) -> list[str]:
    parts = low.split("-")
    if not all(part.isalpha() for part in parts):
        return [word]
    if any(part in lexicon.NUMBER_WORDS or part in ("only", "like", "based") for part in parts):
        return word.split("-")
    return [word.replace("-", "")] if low not in lexicon.ALIASES and word == low else [word]


def _is_shouted(text: str) -> bool:
    if text[1:].islower():
        return False
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) > 8 and sum(letter.isupper() for letter in letters) > 0.7 * len(letters)


def _terms(tokens: Sequence[Token], shouted: bool) -> Iterator[Term]:
    skip = -1
    for at, token in enumerate(tokens):
        if at <= skip or not token.low:
            continue
        number = _quantity(tokens, at)
        if number is not None:
            term, skip = number
            yield term
            continue
        term_ = _term(tokens, at, token, shouted)
        if term_ is not None:
            yield term_


def _term(tokens: Sequence[Token], at: int, token: Token, shouted: bool) -> Term | None:
    """Nothing for words that only build the sentence, negate or order it."""
    low = lexicon.ALIASES.get(token.low, token.low)
    family = _family(tokens, at, low)
    if low in lexicon.NEGATED_STATES:
        low = lexicon.NEGATED_STATES[low]
        return Term(stem(low), "light" if low in lexicon.LIGHT else "plain", at)
    if len(low) == 1 and low.isalpha():
        is_letter = (
            token.raw.isupper() and token.raw != "I" and (token.raw != "A" or (_follows(tokens, at) and not shouted))
        )
        return Term(low, "code", at, family=family) if is_letter or (family and low != "a") else None
    if low in _silent():
        return None
    if family:
        return Term(stem(low), "name", at, family=family)
    if _is_code(token, low, shouted):
        return Term(low, "code", at)
    return Term(stem(low), _kind(tokens, at, low, shouted), at)


def _kind(tokens: Sequence[Token], at: int, low: str, shouted: bool) -> str:
    if low in lexicon.CHANGES or low in lexicon.REPLACES:
        return "light"
    is_listed = low in lexicon.LIGHT or low in lexicon.VAGUE
    if tokens[at].raw[0].isupper() and low == tokens[at].low and not is_listed:
        says_nothing = shouted or _opens(tokens, at) or _is_german(tokens) or low in lexicon.PLAIN_CAPITALS
        if not says_nothing:
            return "name"
    return "light" if is_listed or stem(low) in light_stems() or _is_participle(tokens, at, low) else "plain"


def _is_code(token: Token, low: str, shouted: bool) -> bool:
    is_identifier = not low.isalpha() and bool(_compiled(_IDENTIFIER).search(low))
    written_so = is_identifier or _has_inner_capital(token.raw)
    is_change = low in lexicon.CHANGES or low in lexicon.REPLACES
    return written_so and not is_change and not (shouted and low.replace("-", "").isalpha())


@cache
def _silent() -> frozenset[str]:
    orders = lexicon.BEFORE | lexicon.AFTER | lexicon.THEN | lexicon.FIRST
    return orders | lexicon.NEGATIONS | lexicon.NEGATIVE_VERBS | lexicon.DEPARTURES | lexicon.FUNCTION


def _family(tokens: Sequence[Token], at: int, low: str) -> str:
    """The class of interchangeable things a word names one of."""
    family = lexicon.FAMILIES.get(low) or _families().get(stem(low), "")
    if family and low in lexicon.AMBIGUOUS:
        capital = tokens[at].raw.isupper() or (at > 0 and tokens[at].raw[0].isupper())
        return family if capital or (at and tokens[at - 1].low in lexicon.NAMING) else ""
    return family


@cache
def _families() -> dict[str, str]:
    return {stem(member): family for member, family in lexicon.FAMILIES.items() if member not in lexicon.AMBIGUOUS}


def _follows(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word stands before it in the same clause: "Team A", unlike "A team"."""
    return at > 0 and bool(tokens[at - 1].low)


@cache
def light_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.LIGHT) | vague_stems()


@cache
def vague_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.VAGUE)


def _has_inner_capital(raw: str) -> bool:
    return (
        not raw[1:].islower()
        and any(letter.isupper() for letter in raw[1:])
        and any(letter.islower() for letter in raw)
    )


def _opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sentence begins here, where a capital says nothing. Words all in capitals are names anywhere."""
    raw = tokens[at].raw
    return (at == 0 or tokens[at - 1].raw in ".!?:") and not (len(raw) > 1 and raw.isupper())


def _is_german(tokens: Sequence[Token]) -> bool:
    return any(token.low in lexicon.GERMAN for token in tokens)


def _is_participle(tokens: Sequence[Token], at: int, low: str) -> bool:
    """A verb in the passive: "is published to", "get moved". It links a subject to a value and is neither."""
    before = [tokens[to].low for to in (at - 1, at - 2) if to >= 0]
    return low.endswith(("ed", "en")) and any(word in AUXILIARIES for word in before)


def _quantity(tokens: Sequence[Token], at: int) -> tuple[Term, int] | None:
    """A number with its unit, or with the word it counts or numbers; and the last token that belongs to it."""
    token = tokens[at]
    following = tokens[at + 1].low if at + 1 < len(tokens) else ""
    low = token.low
    if low in lexicon.NUMBER_WORDS and low not in lexicon.ARTICLES:
        low = lexicon.NUMBER_WORDS[low]
        if token.low in ("one", "single", "once") and not (following in lexicon.UNITS or _is_counted(following)):
            return None
    found = None if low.isalpha() else _compiled(_NUMBER).fullmatch(low)
    if found is None:
        return None
    digits, suffix = found[2], found[3]
    used = at
    if not suffix and following in lexicon.UNITS and ":" not in digits:
        suffix, used = following, at + 1
    if suffix in lexicon.UNITS and not found[1].startswith("v"):
        kind, size = lexicon.UNITS[suffix]
        if (amount := _amount(digits)) is not None:
            return Term(f"{amount * size:.6g} {kind}", kind, at), used
    before = tokens[at - 1].low if at else ""
    counted = "" if _is_label(tokens, at) or following in lexicon.LIGHT else _beside(following)
    about = counted or _beside(before)
    return Term(f"{digits}{suffix}", "number", at, about=about, numbers=bool(about) and not counted), used


def _is_label(tokens: Sequence[Token], at: int) -> bool:
    return at > 0 and tokens[at - 1].low in lexicon.LABELS


def _amount(digits: str) -> float | None:
    plain = digits.replace("_", "").replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def _is_counted(word: str) -> bool:
    return bool(word) and word.isalpha() and word not in lexicon.FUNCTION and word not in ("way", "of", "time", "by")


def _beside(word: str) -> str:
    """The word a number counts ("3 nodes") or numbers ("port 80"); nothing where a function word stands there."""
    if not word or word in lexicon.FUNCTION or not any(letter.isalpha() for letter in word):
        return ""
    return stem(lexicon.ALIASES.get(word, word))


@cache
def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compiled when first needed: a prompt loads this module and compares nothing."""
    return re.compile(pattern, flags)


# Which statements are worth comparing: those that share a topic.
#
# A home may hold many thousand memories, and comparing each with all others would take minutes. A topic is a word
# that a statement is about, cut to what its derived forms share, or a class of interchangeable things ("package
# manager"). What `relation` finds to be opposed shares one, so only such pairs are compared. Cheap: it is asked for
# every memory.

_LETTERS = 5  # by which derived forms are matched, as in `relation`
_MOST = 12  # topics of one statement
_FEW = 3
_WORD = r"[^\W_][\w.+#-]*[^\W_]|[^\W_]"
_PART = r"[^\W_]+"


@lru_cache(maxsize=1 << 14)
def topics(text: str) -> frozenset[str]:
    """The topics of a statement. Light words count only where there is nothing else ("max line length is 88")."""
    words = _words(text)
    found = {topic for word in words if (topic := _topic(word))}
    if len(found) < 2:
        found |= {stem(word) for word in words if word not in lexicon.FUNCTION and stem(word) in light_stems()}
    return frozenset(sorted(found)[:_MOST])


def is_worth_comparing(shared: int, fewest: int, is_any_story: Callable[[], bool]) -> bool:
    """Whether two statements share enough topics to be compared.

    One is enough where either has few (`fewest`), or tells of a change: "cron is history" says no more than the name.
    """
    return shared > 1 or (shared == 1 and (fewest < _FEW or is_any_story()))


def _words(text: str) -> Collection[str]:
    """Every word, and the parts of those that are put together."""
    small = joined(text).casefold()
    return dict.fromkeys((*_topics_compiled(_WORD).findall(small), *_topics_compiled(_PART).findall(small)))


@lru_cache(maxsize=1 << 14)
def _topic(word: str) -> str:
    """Nothing for function words, light words and figures: a figure is a value, and values differ."""
    known = lexicon.ALIASES.get(word, word)
    if family := lexicon.FAMILIES.get(known):
        return f"={family}"
    root = stem(known)
    if (
        known in lexicon.FUNCTION
        or known in _said_with()
        or root in light_stems()
        or not root.isalpha()
        or len(root) < 2
    ):
        return ""
    return root[:_LETTERS]


@lru_cache(maxsize=1 << 17)
def is_story(text: str) -> bool:
    """Whether it denies something or tells of a change."""
    return not _stories().isdisjoint(text.casefold().replace(",", " ").split())


@cache
def _stories() -> frozenset[str]:
    phrases = (*lexicon.NEGATIVE_PHRASES, *lexicon.DEPARTING_PHRASES)
    verbs = lexicon.CHANGES | lexicon.REPLACES | lexicon.DEPARTURES | lexicon.PARTED_VERBS | lexicon.LEAVES
    return verbs | ({phrase.split()[0] for phrase in phrases} - lexicon.NEGATIONS - lexicon.FUNCTION)


@cache
def _said_with() -> frozenset[str]:
    """Words of negation, change and order."""
    orders = lexicon.BEFORE | lexicon.AFTER | lexicon.THEN | lexicon.FIRST
    return orders | lexicon.NEGATIONS | lexicon.NEGATIVE_VERBS | lexicon.DEPARTURES | lexicon.CHANGES | lexicon.REPLACES


@cache
def _topics_compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
