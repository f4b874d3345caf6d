"""Terms of a statement that count in a comparison, and topics that tell which statements to compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, lru_cache

from tacit.model import lexicon
from tacit.record import Record
from tacit.text.words import normalize_text, simple_stem

# The words of a statement that count when it is compared: names, figures with their units, and what it is about.

_MAX_STATEMENT_CHARS = 600  # characters that are read of a statement
_MAX_TERMS = 40
_TOKEN = r"`[^`]{1,80}`|\"[^\"]{1,80}\"|“[^”]{1,80}”|->|→|[^\s,;?()\[\]{}“”\"]+|[,;?()\[\]{}]"
_EDGE_PUNCTUATION = ".,;:!?'’‘…*"
_NUMBER = r"([~<>=≤≥v$€£]{0,2})(\d[\d_]*(?:[.,:]\d{1,20}){0,8}(?:e[-+]?\d{1,4})?)([a-zµ%°]{0,12})"
_IDENTIFIER = r"[\d_/.@\\=$:#+<>&|*~^-]"
_ELIDED_PREFIXES = ("l'", "d'", "j'", "n'", "qu'", "s'")
_CLAUSE_ENDS = frozenset(",;:.!?()[]{}—–")
AUXILIARIES = frozenset(
    (
        "is are was were be been do does did has have had will would shall should can could may might must am get gets"
        " got"
    ).split()
)
_REASON_WORDS = frozenset("because weil parce porque perché omdat denn".split())


class StatementTerm(Record):
    """A word that counts. `kind` is `plain`, `light`, `name`, `code`, `number` or a unit's kind (`time`, `size`, …)."""

    word: str
    kind: str
    position: int
    neighbor: str = ""  # of a number: the word right beside it ("port 80", "3 nodes")
    family: str = ""
    is_label: bool = False  # a number that names a thing ("step 3") rather than counts things ("3 steps")


class StatementToken(Record):
    """A word as written and in lower case; where a clause ends, an empty one."""

    raw: str
    lower: str
    ends_clause: bool  # a clause ends behind it


def statement_tokens(text: str) -> list[StatementToken]:
    """The words of a text, cut where it is long, without the reason that it gives."""
    return _without_reason(list(_iter_tokens(text[:_MAX_STATEMENT_CHARS])))


def statement_terms(text: str, tokens: Sequence[StatementToken]) -> tuple[StatementTerm, ...]:
    """The terms among these tokens of a text."""
    return tuple(_iter_terms(tokens, _is_shouted(text)))[:_MAX_TERMS]


def _without_reason(tokens: list[StatementToken]) -> list[StatementToken]:
    """Why a rule holds is no part of it."""
    at = next((at for at, token in enumerate(tokens) if at > 1 and token.lower in _REASON_WORDS), None)
    if at is None:
        return tokens
    end = next((to for to in range(at, len(tokens)) if tokens[to].ends_clause), len(tokens))
    return tokens[:at] + tokens[end:]


def _iter_tokens(text: str) -> Iterator[StatementToken]:
    for found in _cached_pattern(_TOKEN).finditer(join_multiword_names(text.replace("’", "'"))):
        raw = found[0]
        if raw in _CLAUSE_ENDS:
            yield StatementToken(raw, "", True)
            continue
        quoted = raw[0] in '`"“'
        bare = raw[1:-1] if quoted else raw.strip(_EDGE_PUNCTUATION) if raw not in ("->", "→") else raw
        if not quoted and raw.startswith(".") and len(raw) > 2 and raw[1].isalpha():
            bare = "." + bare  # `.env`
        bare = bare or raw
        if raw.endswith("!") and not _cached_pattern(r"\s+[A-Z]|\s*$").match(found.string, found.end()):
            bare += "!"  # `try!`
        ends = not quoted and raw[-1] in ".:?;,—–"
        for piece in _split_word(bare, quoted):
            yield StatementToken(piece, piece.lower() if piece.isascii() else normalize_text(piece), False)
        if ends:
            yield StatementToken(raw[-1], "", True)


def join_multiword_names(text: str) -> str:
    """Names of several words as one word."""
    low = text.lower()
    if not any(last in low for last in _multiword_endings()):
        return text
    return _cached_pattern(_multiword_pattern(), re.IGNORECASE).sub(
        lambda found: lexicon.MULTIWORD_NAMES[normalize_text(found[0])], text
    )


@cache
def _multiword_pattern() -> str:
    longest_first = sorted(lexicon.MULTIWORD_NAMES, key=len, reverse=True)
    return r"\b(?:" + "|".join(phrase.replace(" ", r"\s+") for phrase in longest_first) + r")\b"


@cache
def _multiword_endings() -> frozenset[str]:
    """Of every such name its last word: a text without any of them holds none of the names."""
    return frozenset(f" {phrase.split()[-1]}" for phrase in lexicon.MULTIWORD_NAMES)


def _split_word(word: str, quoted: bool) -> list[str]:
    """The words that a word is put together of: two in "two-reviewers", one in "on-call", and Jan in "Jan's"."""
    low = word.lower()
    if quoted or low in lexicon.FAMILIES:
        return [word]
    if low.endswith("'s") and low not in lexicon.FUNCTION_WORDS:
        return [word[:-2]]
    elided = next((one for one in _ELIDED_PREFIXES if low.startswith(one)), "") if "'" in low else ""
    if elided and len(low) > 3 and low not in lexicon.FIRST_WORDS:
        return ["ne" if elided == "n'" else elided[:-1], word[len(elided) :]]
    return _split_hyphenated(word, low) if "-" in word.strip("-") and word[0] != "-" else [word]


def _split_hyphenated(word: str, low: str) -> list[str]:
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


def _iter_terms(tokens: Sequence[StatementToken], shouted: bool) -> Iterator[StatementTerm]:
    skip = -1
    for at, token in enumerate(tokens):
        if at <= skip or not token.lower:
            continue
        number = _parse_quantity(tokens, at)
        if number is not None:
            term, skip = number
            yield term
            continue
        term_ = _make_term(tokens, at, token, shouted)
        if term_ is not None:
            yield term_


def _make_term(tokens: Sequence[StatementToken], at: int, token: StatementToken, shouted: bool) -> StatementTerm | None:
    """Nothing for words that only build the sentence, negate or order it."""
    low = lexicon.ALIASES.get(token.lower, token.lower)
    family = _family_of(tokens, at, low)
    if low in lexicon.NEGATED_STATES:
        low = lexicon.NEGATED_STATES[low]
        return StatementTerm(simple_stem(low), "light" if low in lexicon.LIGHT_WORDS else "plain", at)
    if len(low) == 1 and low.isalpha():
        is_letter = (
            token.raw.isupper()
            and token.raw != "I"
            and (token.raw != "A" or (_has_preceding_word(tokens, at) and not shouted))
        )
        return StatementTerm(low, "code", at, family=family) if is_letter or (family and low != "a") else None
    if low in _ignored_words():
        return None
    if family:
        return StatementTerm(simple_stem(low), "name", at, family=family)
    if _is_code(token, low, shouted):
        return StatementTerm(low, "code", at)
    return StatementTerm(simple_stem(low), _term_kind(tokens, at, low, shouted), at)


def _term_kind(tokens: Sequence[StatementToken], at: int, low: str, shouted: bool) -> str:
    if low in lexicon.CHANGE_VERBS or low in lexicon.REPLACE_VERBS:
        return "light"
    is_listed = low in lexicon.LIGHT_WORDS or low in lexicon.VAGUE_NOUNS
    if tokens[at].raw[0].isupper() and low == tokens[at].lower and not is_listed:
        says_nothing = shouted or _is_sentence_start(tokens, at) or _is_german(tokens) or low in lexicon.COMMON_ACRONYMS
        if not says_nothing:
            return "name"
    return (
        "light" if is_listed or simple_stem(low) in light_word_stems() or _is_participle(tokens, at, low) else "plain"
    )


def _is_code(token: StatementToken, low: str, shouted: bool) -> bool:
    is_identifier = not low.isalpha() and bool(_cached_pattern(_IDENTIFIER).search(low))
    written_so = is_identifier or _has_inner_capital(token.raw)
    is_change = low in lexicon.CHANGE_VERBS or low in lexicon.REPLACE_VERBS
    return written_so and not is_change and not (shouted and low.replace("-", "").isalpha())


@cache
def _ignored_words() -> frozenset[str]:
    orders = lexicon.BEFORE_WORDS | lexicon.AFTER_WORDS | lexicon.THEN_WORDS | lexicon.FIRST_WORDS
    return orders | lexicon.NEGATIONS | lexicon.NEGATIVE_VERBS | lexicon.NO_LONGER_WORDS | lexicon.FUNCTION_WORDS


def _family_of(tokens: Sequence[StatementToken], at: int, low: str) -> str:
    """The class of interchangeable things a word names one of."""
    family = lexicon.FAMILIES.get(low) or _family_by_stem().get(simple_stem(low), "")
    if family and low in lexicon.AMBIGUOUS_MEMBERS:
        capital = tokens[at].raw.isupper() or (at > 0 and tokens[at].raw[0].isupper())
        return family if capital or (at and tokens[at - 1].lower in lexicon.NAMING_WORDS) else ""
    return family


@cache
def _family_by_stem() -> dict[str, str]:
    return {
        simple_stem(member): family
        for member, family in lexicon.FAMILIES.items()
        if member not in lexicon.AMBIGUOUS_MEMBERS
    }


def _has_preceding_word(tokens: Sequence[StatementToken], at: int) -> bool:
    """Whether a word stands before it in the same clause: "Team A", unlike "A team"."""
    return at > 0 and bool(tokens[at - 1].lower)


@cache
def light_word_stems() -> frozenset[str]:
    return frozenset(simple_stem(word) for word in lexicon.LIGHT_WORDS) | vague_noun_stems()


@cache
def vague_noun_stems() -> frozenset[str]:
    return frozenset(simple_stem(word) for word in lexicon.VAGUE_NOUNS)


def _has_inner_capital(raw: str) -> bool:
    return (
        not raw[1:].islower()
        and any(letter.isupper() for letter in raw[1:])
        and any(letter.islower() for letter in raw)
    )


def _is_sentence_start(tokens: Sequence[StatementToken], at: int) -> bool:
    """Whether a sentence begins here, where a capital says nothing. Words all in capitals are names anywhere."""
    raw = tokens[at].raw
    return (at == 0 or tokens[at - 1].raw in ".!?:") and not (len(raw) > 1 and raw.isupper())


def _is_german(tokens: Sequence[StatementToken]) -> bool:
    return any(token.lower in lexicon.GERMAN_WORDS for token in tokens)


def _is_participle(tokens: Sequence[StatementToken], at: int, low: str) -> bool:
    """A verb in the passive: "is published to", "get moved". It links a subject to a value and is neither."""
    before = [tokens[to].lower for to in (at - 1, at - 2) if to >= 0]
    return low.endswith(("ed", "en")) and any(word in AUXILIARIES for word in before)


def _parse_quantity(tokens: Sequence[StatementToken], at: int) -> tuple[StatementTerm, int] | None:
    """A number with its unit, or with the word it counts or numbers; and the last token that belongs to it."""
    token = tokens[at]
    following = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    low = token.lower
    if low in lexicon.NUMBER_WORDS and low not in lexicon.ARTICLES:
        low = lexicon.NUMBER_WORDS[low]
        if token.lower in ("one", "single", "once") and not (following in lexicon.UNITS or _is_countable(following)):
            return None
    found = None if low.isalpha() else _cached_pattern(_NUMBER).fullmatch(low)
    if found is None:
        return None
    digits, suffix = found[2], found[3]
    used = at
    if not suffix and following in lexicon.UNITS and ":" not in digits:
        suffix, used = following, at + 1
    if suffix in lexicon.UNITS and not found[1].startswith("v"):
        kind, size = lexicon.UNITS[suffix]
        if (amount := _parse_amount(digits)) is not None:
            return StatementTerm(f"{amount * size:.6g} {kind}", kind, at), used
    before = tokens[at - 1].lower if at else ""
    counted = "" if _is_label(tokens, at) or following in lexicon.LIGHT_WORDS else _neighbor_stem(following)
    about = counted or _neighbor_stem(before)
    return StatementTerm(f"{digits}{suffix}", "number", at, neighbor=about, is_label=bool(about) and not counted), used


def _is_label(tokens: Sequence[StatementToken], at: int) -> bool:
    return at > 0 and tokens[at - 1].lower in lexicon.LABEL_WORDS


def _parse_amount(digits: str) -> float | None:
    plain = digits.replace("_", "").replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def _is_countable(word: str) -> bool:
    return (
        bool(word) and word.isalpha() and word not in lexicon.FUNCTION_WORDS and word not in ("way", "of", "time", "by")
    )


def _neighbor_stem(word: str) -> str:
    """The word a number counts ("3 nodes") or numbers ("port 80"); nothing where a function word stands there."""
    if not word or word in lexicon.FUNCTION_WORDS or not any(letter.isalpha() for letter in word):
        return ""
    return simple_stem(lexicon.ALIASES.get(word, word))


@cache
def _cached_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compiled when first needed: a prompt loads this module and compares nothing."""
    return re.compile(pattern, flags)


# Which statements are worth comparing: those that share a topic.
#
# A home may hold many thousand memories, and comparing each with all others would take minutes. A topic is a word
# that a statement is about, cut to what its derived forms share, or a class of interchangeable things ("package
# manager"). What `relation` finds to be opposed shares one, so only such pairs are compared. Cheap: it is asked for
# every memory.

_TOPIC_LETTERS = 5  # by which derived forms are matched, as in `relation`
_MAX_TOPICS = 12  # topics of one statement
_FEW_TOPICS = 3
_TOPIC_WORD = r"[^\W_][\w.+#-]*[^\W_]|[^\W_]"
_TOPIC_WORD_PART = r"[^\W_]+"


@lru_cache(maxsize=1 << 14)
def topics(text: str) -> frozenset[str]:
    """The topics of a statement. Light words count only where there is nothing else ("max line length is 88")."""
    words = _topic_words(text)
    found = {topic for word in words if (topic := _word_topic(word))}
    if len(found) < 2:
        found |= {
            simple_stem(word)
            for word in words
            if word not in lexicon.FUNCTION_WORDS and simple_stem(word) in light_word_stems()
        }
    return frozenset(sorted(found)[:_MAX_TOPICS])


def is_worth_comparing(shared: int, fewest: int, is_any_story: Callable[[], bool]) -> bool:
    """Whether two statements share enough topics to be compared.

    One is enough where either has few (`fewest`), or tells of a change: "cron is history" says no more than the name.
    """
    return shared > 1 or (shared == 1 and (fewest < _FEW_TOPICS or is_any_story()))


def _topic_words(text: str) -> Collection[str]:
    """Every word, and the parts of those that are put together."""
    small = join_multiword_names(text).casefold()
    return dict.fromkeys(
        (*_topic_pattern(_TOPIC_WORD).findall(small), *_topic_pattern(_TOPIC_WORD_PART).findall(small))
    )


@lru_cache(maxsize=1 << 14)
def _word_topic(word: str) -> str:
    """Nothing for function words, light words and figures: a figure is a value, and values differ."""
    known = lexicon.ALIASES.get(word, word)
    if family := lexicon.FAMILIES.get(known):
        return f"={family}"
    root = simple_stem(known)
    if (
        known in lexicon.FUNCTION_WORDS
        or known in _structure_words()
        or root in light_word_stems()
        or not root.isalpha()
        or len(root) < 2
    ):
        return ""
    return root[:_TOPIC_LETTERS]


@lru_cache(maxsize=1 << 17)
def is_change_or_denial(text: str) -> bool:
    """Whether it denies something or tells of a change."""
    return not _change_words().isdisjoint(text.casefold().replace(",", " ").split())


@cache
def _change_words() -> frozenset[str]:
    phrases = (*lexicon.NEGATIVE_PHRASES, *lexicon.NO_LONGER_PHRASES)
    verbs = (
        lexicon.CHANGE_VERBS
        | lexicon.REPLACE_VERBS
        | lexicon.NO_LONGER_WORDS
        | lexicon.PHRASAL_VERBS
        | lexicon.LEAVE_VERBS
    )
    return verbs | ({phrase.split()[0] for phrase in phrases} - lexicon.NEGATIONS - lexicon.FUNCTION_WORDS)


@cache
def _structure_words() -> frozenset[str]:
    """Words of negation, change and order."""
    orders = lexicon.BEFORE_WORDS | lexicon.AFTER_WORDS | lexicon.THEN_WORDS | lexicon.FIRST_WORDS
    return (
        orders
        | lexicon.NEGATIONS
        | lexicon.NEGATIVE_VERBS
        | lexicon.NO_LONGER_WORDS
        | lexicon.CHANGE_VERBS
        | lexicon.REPLACE_VERBS
    )


@cache
def _topic_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
