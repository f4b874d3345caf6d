"""A statement taken apart for comparison: what it affirms, what it denies, which values it names, and in which order.

`profile(text)` reads a sentence once into a `Profile`; `relation` compares two of them. Nothing here knows grammar
beyond clauses, negation, contrast ("A instead of B"), change ("from A to B") and order ("A before B").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from tacit.model import lexicon
from tacit.model.terms import AUXILIARIES, StatementTerm, StatementToken, statement_terms, statement_tokens
from tacit.record import Record
from tacit.text.words import simple_stem

_TARGET_PREPOSITIONS = frozenset("to onto into zu auf à a naar vers".split())
_PURPOSE_WORDS = frozenset("for in on at when with without because für bei pour dans para en".split())
_PRONOUNS = frozenset("we i they you he she it everybody everyone people us".split())
_REQUEST_WORDS = frozenset("please must should we you to always just i they can let's is are was be and".split())


class Denial(Record):
    """What one clause says is not so. `departed`: it was so once ("was retired"). `rejected`: something else was chosen
    in its place ("A instead of B")."""

    words: frozenset[str]
    no_longer: bool = False
    rejected: bool = False


class Ordering(Record):
    """One thing comes before another."""

    first: frozenset[str]
    second: frozenset[str]


class StatementProfile(Record):
    """A statement, taken apart."""

    tokens: tuple[str, ...]  # every word in lower case, in order
    terms: tuple[StatementTerm, ...]
    words: frozenset[str]  # of the terms
    affirmed: frozenset[str]
    denied: tuple[Denial, ...]  # clause by clause
    order: Ordering | None
    conditions: frozenset[str]
    is_change: bool  # it tells of a change

    @property
    def is_negative(self) -> bool:
        """Whether it only denies: a prohibition."""
        return bool(self.denied) and not self.affirmed


@lru_cache(maxsize=1 << 14)
def profile_statement(text: str) -> StatementProfile:
    """Read one statement. Long texts are cut; any text is accepted."""
    tokens = statement_tokens(text)
    terms = statement_terms(text, tokens)
    affirmed, denied = _affirmed_and_denied(tokens, terms)
    return StatementProfile(
        tuple(token.lower for token in tokens),
        terms,
        frozenset(term.word for term in terms),
        affirmed,
        denied,
        _find_order(tokens, terms),
        _find_conditions(tokens, terms),
        _describes_change([token.lower for token in tokens]),
    )


def _describes_change(words: Sequence[str]) -> bool:
    told = (lexicon.CHANGE_VERBS, lexicon.REPLACE_VERBS, lexicon.NOW_WORDS, lexicon.NO_LONGER_WORDS)
    return (
        any(not known.isdisjoint(words) for known in told)
        or _says_no_longer(words)
        or _find_phrase(words, ("these", "days")) is not None
    )


# Affirmed and denied


def _affirmed_and_denied(
    tokens: Sequence[StatementToken], terms: Sequence[StatementTerm]
) -> tuple[frozenset[str], tuple[Denial, ...]]:
    affirmed: set[str] = set()
    denied: list[Denial] = []
    was_denied = False
    for start, end in _clauses(tokens):
        for first, last, negative in _polarity_spans(tokens, start, end, was_denied):
            words = frozenset(term.word for term in terms if first <= term.position < last)
            was_denied = negative
            if not words:
                continue
            if negative:
                is_part = (start, end) != (first, last)
                clause = [token.lower for token in tokens[start:end]]
                departed = _says_no_longer(clause) or (is_part and _find_change(clause) is not None)
                denied.append(Denial(words, departed, is_part and not departed))
            else:
                affirmed |= words
    return frozenset(affirmed), tuple(denied)


def _says_no_longer(words: Sequence[str]) -> bool:
    if _has_no_longer_word(words) or _has_phrasal_verb(words):
        return True
    departing = _phrases_by_first_word(lexicon.NO_LONGER_PHRASES)
    return any(_phrase_length_at(words, at, departing) for at, word in enumerate(words) if word in departing)


def _has_no_longer_word(words: Sequence[str]) -> bool:
    if lexicon.NO_LONGER_WORDS.isdisjoint(words):
        return False
    return any(_is_no_longer_word(words, at) for at in range(len(words)))


def _is_no_longer_word(words: Sequence[str], at: int) -> bool:
    """Whether a word says that something is over, and not which thing is meant: "was retired", "the retired host"."""
    if words[at] not in lexicon.NO_LONGER_WORDS:
        return False
    names = at + 1 < len(words) and words[at + 1] not in lexicon.FUNCTION_WORDS
    return not (names and at and (words[at - 1] in lexicon.FUNCTION_WORDS - AUXILIARIES - _REQUEST_WORDS - _PRONOUNS))


def _has_phrasal_verb(words: Sequence[str]) -> bool:
    """ "Switched off", "switched Mongo off", "leave it out of the commit"; but not "threw it out of balance"."""
    verb = next((at for at, word in enumerate(words) if word in lexicon.PHRASAL_VERBS), None)
    if verb is None:
        return False
    leaves = words[verb].startswith(("lea", "lef", "kee"))
    particles = ("out",) if leaves else lexicon.PARTICLES
    return any(
        words[at] in particles and (leaves or list(words[at + 1 : at + 2]) != ["of"])
        for at in range(verb + 1, len(words))
    )


def _clauses(tokens: Sequence[StatementToken]) -> Iterator[tuple[int, int]]:
    start = 0
    for at, token in enumerate(tokens):
        if token.ends_clause or (token.lower in ("but", "aber", "mais", "pero") and at > start):
            if at > start:
                yield start, at
            start = at + 1
    if start < len(tokens):
        yield start, len(tokens)


def _polarity_spans(
    tokens: Sequence[StatementToken], start: int, end: int, was_denied: bool
) -> Iterator[tuple[int, int, bool]]:
    """The parts of a clause, each affirmed or denied."""
    words = [token.lower for token in tokens[start:end]]
    cut = _find_contrast(words)
    if cut is not None:
        at, width = cut
        left_negative = _count_negations(words[:at]) % 2 == 1
        if left_negative and words[at] in ("without", "ohne", "sans", "sin", "senza", "sem", "zonder"):
            yield start, end, False  # "never A without B" asks for B
            return
        yield start, start + at, left_negative
        stop = start + at + width + _rejected_end(words[at + width :])
        yield start + at + width, stop, not left_negative
        yield stop, end, left_negative
        return
    change = _find_change(words)
    if change is not None:
        gone, come = change
        yield start, start + gone[0], False
        yield start + gone[0], start + gone[1], True
        yield start + come[0], start + come[1], False
        return
    negative = _count_negations(words) % 2 == 1
    if not negative and was_denied and (len(words) <= 2 or words[0] in ("or", "nor", "oder", "ou", "o")):
        negative = not any(word in AUXILIARIES for word in words)
    yield start, end, negative


def _rejected_end(words: Sequence[str]) -> int:
    """Where what is rejected ends: "A over B for C" rejects B."""
    ends = (at for at, word in enumerate(words) if at and (word in lexicon.CONDITION_WORDS or word in _PURPOSE_WORDS))
    return next(ends, len(words))


def _find_contrast(words: Sequence[str]) -> tuple[int, int] | None:
    """Where a clause turns to what is not chosen, and how many words say so."""
    contrasts = _phrases_by_first_word(lexicon.CONTRAST_PHRASES)
    for at in range(1, len(words) - 1):
        if words[at] not in contrasts:
            continue
        width = _phrase_length_at(words, at, contrasts)
        chooses = words[at] != "over" or not lexicon.CHOICE_VERBS.isdisjoint(words[:at])
        if width and chooses and at + width < len(words):
            return at, width
    if "not" in words[1:]:
        at = words.index("not", 1)
        if (
            at + 1 < len(words)
            and lexicon.FUNCTION_WORDS.isdisjoint((words[at - 1],))
            and words[at - 1] not in AUXILIARIES
        ):
            return at, 1
    return None


def _find_change(words: Sequence[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Of "moved from A to B", "moved off A to B", "replaced A by B" and "B replaced A": where A and where B stand."""
    size = len(words)
    verb = next((at for at, word in enumerate(words) if word in lexicon.REPLACE_VERBS), None)
    if verb is not None:
        by = next((at for at in range(1, size) if words[at] in lexicon.REPLACE_PREPOSITIONS and at != verb), None)
        passive = any(word in AUXILIARIES or word in ("wurde", "wird", "été", "est") for word in words[:verb])
        if by is not None:
            return ((0, by) if passive else (verb, by)), (by, size)
        return ((0, size), (size, size)) if passive else ((verb, size), (0, verb))
    left = next((at for at, word in enumerate(words) if word in lexicon.LEAVE_VERBS), None)
    if left is not None and "for" in words[left + 2 :]:
        towards = words.index("for", left + 2)
        return (left, towards), (towards, size)
    if lexicon.CHANGE_VERBS.isdisjoint(words):
        return None
    away = next((at for at, word in enumerate(words) if word in ("from", "off", "von", "de", "da", "van")), None)
    if away is None and (out := _find_phrase(words, ("out", "of"))) is not None:
        away = out + 1
    if away is None or away + 1 >= size:
        return None
    target = next((at for at in range(away + 1, size) if words[at] in _TARGET_PREPOSITIONS), size)
    return (away, target), (target, size)


def _count_negations(words: Sequence[str]) -> int:
    """How many times it is turned round; an even number turns it back."""
    negative = _phrases_by_first_word((*lexicon.NEGATIVE_PHRASES, *lexicon.NO_LONGER_PHRASES))
    count = at = 0
    while at < len(words):
        if words[at] in negative and (width := _phrase_length_at(words, at, negative)):
            # "no longer", "not … any more" and "ne … plus" negate once.
            if not (count and words[at] in ("any", "anymore")):
                count += 1
            at += width
            continue
        word = words[at]
        if word in lexicon.NEGATIONS:
            doubled = count and (word in ("non", "no", "not") and words[at - 1] in ("no", "not", "nor"))
            echoed = count and "ne" in words[:at] and word in ("jamais", "aucun", "aucune")
            count += 0 if doubled or echoed else 1
        elif word in lexicon.NEGATED_STATES or _is_no_longer_word(words, at):
            count += 1
        elif word in lexicon.NEGATIVE_VERBS:
            # Asked for, not spoken of: "delete them" and "we avoid them", but not "ask before deleting them".
            count += at <= 1 or words[at - 1] in _REQUEST_WORDS or words[at - 1] in lexicon.NEGATIONS
        at += 1
    return count + (_has_phrasal_verb(words) and not _has_no_longer_word(words))


@cache
def _phrases_by_first_word(phrases: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in phrases:
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append(words)
    return found


def _phrase_length_at(words: Sequence[str], at: int, phrases: dict[str, list[tuple[str, ...]]]) -> int:
    """How many words of a phrase stand at this place; 0 where none does."""
    return next((len(one) for one in phrases.get(words[at], ()) if tuple(words[at : at + len(one)]) == one), 0)


def _find_phrase(words: Sequence[str], phrase: tuple[str, ...]) -> int | None:
    size = len(phrase)
    return next((at for at in range(1, len(words) - size + 1) if tuple(words[at : at + size]) == phrase), None)


# Order


def _find_order(tokens: Sequence[StatementToken], terms: Sequence[StatementTerm]) -> Ordering | None:
    """What comes before what: "A before B", "B after A", "A first, then B", "from A to B"."""
    lows = [token.lower for token in tokens]
    for at, low in enumerate(lows):
        if low in lexicon.THEN_WORDS and low not in lexicon.AFTER_WORDS and at:
            return _make_order(terms, (0, at), (at, len(lows)))
    for at, low in enumerate(lows):
        if low in lexicon.BEFORE_WORDS or low in lexicon.AFTER_WORDS:
            before, after = _order_sides(tokens, terms, at)
            return (
                _make_order(terms, before, after) if low in lexicon.BEFORE_WORDS else _make_order(terms, after, before)
            )
    for at, low in enumerate(lows):
        if low in ("->", "→") and at > 0:
            return _make_order(terms, (at - 1, at), (at, at + 2))
    if "from" in lows and "to" in lows[lows.index("from") :] and lexicon.CHANGE_VERBS.isdisjoint(lows):
        away = lows.index("from")
        towards = lows.index("to", away)
        return _make_order(terms, (away, towards), (towards, len(lows)))
    for at, low in enumerate(lows):
        if low in lexicon.FIRST_WORDS:
            end = next(
                (to for to in range(at, len(tokens)) if tokens[to].ends_clause or tokens[to].lower == "and"), None
            )
            if end is not None and end + 1 < len(tokens):
                return _make_order(terms, (0, end), (end, len(tokens)))
    return None


def _order_sides(
    tokens: Sequence[StatementToken], terms: Sequence[StatementTerm], at: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """What stands before and behind the word at `at`; where it opens the sentence, the clause it opens comes last."""
    size = len(tokens)
    end = next((to for to in range(at, size) if tokens[to].ends_clause), size)
    if at == 0 and end < size:
        return (end, size), (0, end)
    start = next((to for to in range(at - 1, -1, -1) if tokens[to].ends_clause), 0)
    if not any(at < term.position < end for term in terms) and start:  # "…, the test comes after"
        return (start, at), (0, start)
    return (0, at), (at, end)


def _make_order(terms: Sequence[StatementTerm], first: tuple[int, int], second: tuple[int, int]) -> Ordering | None:
    one = frozenset(term.word for term in terms if first[0] <= term.position < first[1])
    other = frozenset(term.word for term in terms if second[0] <= term.position < second[1])
    return Ordering(one - other, other - one) if one - other and other - one else None


# Conditions


def _find_conditions(tokens: Sequence[StatementToken], terms: Sequence[StatementTerm]) -> frozenset[str]:
    """The cases a statement is limited to: environments it names, and what a clause with "when" or "if" is about."""
    found = {term.word for term in terms if term.word in _environment_stems()}
    if tokens and tokens[0].lower in lexicon.OPENING_PREPOSITIONS:
        end = next(
            (at for at in range(2, len(tokens)) if not tokens[at].lower or tokens[at].lower in lexicon.FUNCTION_WORDS),
            len(tokens),
        )
        found |= {term.word for term in terms if term.position < end}
    for at, token in enumerate(tokens):
        if token.lower in lexicon.CONDITION_WORDS:
            end = next((to for to in range(at, len(tokens)) if tokens[to].ends_clause), len(tokens))
            found |= {term.word for term in terms if at < term.position < end and term.kind != "light"}
    return frozenset(found)


@cache
def _environment_stems() -> frozenset[str]:
    named = {lexicon.ALIASES.get(word, word) for word in lexicon.ENVIRONMENTS}
    return frozenset(simple_stem(word) for word in named) | named
