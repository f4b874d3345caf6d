"""Profiles of statements for comparison: what is affirmed, what is denied, which values are named, in which order.

`profile_statement` parses a sentence into a `StatementProfile`; `relation` compares two of them. The only grammar is
clauses, negation, contrast ("A instead of B"), change ("from A to B") and order ("A before B").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from tacit.contradiction import lexicon
from tacit.contradiction.terms import (
    AUXILIARIES,
    StatementTerm,
    StatementToken,
    light_word_stems,
    statement_terms,
    statement_tokens,
    topics,
    topics_of_tokens,
    word_stem,
)
from tacit.record import Record

_TARGET_PREPOSITIONS = frozenset("to onto into zu auf à a naar vers".split())
_NEW_VALUE_WORDS = _TARGET_PREPOSITIONS | {"by", "with"}
_PRONOUNS = frozenset("we i they you he she it everybody everyone people us".split())
_REQUEST_WORDS = frozenset("please must should we you to always just i they can let's is are was be and".split())
_OR_WORDS = frozenset("or nor oder ou o".split())
_MAX_MEMBER_WORDS = 2  # of a member of a list: "never npm, yarn or bun"
_Span = tuple[int, int]  # of tokens, the second excluded


class Denial(Record):
    """What one clause denies. `no_longer`: it was so once ("was retired"). `rejected`: something else was chosen
    instead ("A instead of B"). `is_aside`: the clause is about something else ("A without B")."""

    words: frozenset[str]
    no_longer: bool = False
    rejected: bool = False
    is_aside: bool = False


class Ordering(Record):
    """One thing comes before another."""

    first: frozenset[str]
    second: frozenset[str]


class StatementProfile(Record):
    """A parsed statement."""

    tokens: tuple[str, ...]  # all words in lower case, in order
    terms: tuple[StatementTerm, ...]
    words: frozenset[str]  # of the terms
    content: frozenset[str]  # those that it is about: no light ones
    affirmed: frozenset[str]
    denied: tuple[Denial, ...]  # clause by clause
    order: Ordering | None
    conditions: frozenset[str]
    is_change: bool  # it describes a change
    compounds: frozenset[str]  # tokens that were written with a hyphen
    topics: frozenset[str]
    changed: frozenset[str]  # topics of what it says has changed: of "the wiki moved to Notion" that is the wiki

    @property
    def is_negative(self) -> bool:
        """Whether it affirms nothing: a prohibition."""
        return bool(self.denied) and not self.affirmed


@lru_cache(maxsize=1 << 14)
def profile_statement(text: str) -> StatementProfile:
    """Parse one statement. Any text is accepted; long ones are cut."""
    tokens = statement_tokens(text)
    terms = statement_terms(text, tokens)
    affirmed, denied = _affirmed_and_denied(tokens, terms)
    return StatementProfile(
        tuple(token.lower for token in tokens),
        terms,
        frozenset(term.word for term in terms),
        frozenset(
            term.word for term in terms if term.family or (term.kind != "light" and term.word not in light_word_stems())
        ),
        affirmed,
        denied,
        _find_order(tokens, terms),
        _find_conditions(tokens, terms),
        _describes_change([token.lower for token in tokens]),
        frozenset(token.lower for token in tokens if "-" in token.raw),
        topics(text),
        _changed_topics(tokens),
    )


def _describes_change(words: Sequence[str]) -> bool:
    lists = (lexicon.CHANGED_WORDS, lexicon.NOW_WORDS, lexicon.NO_LONGER_WORDS)
    return (
        any(not listed.isdisjoint(words) for listed in lists)
        or _says_no_longer(words)
        or _has_phrase(words, lexicon.NOW_PHRASES)
    )


def _changed_topics(tokens: Sequence[StatementToken]) -> frozenset[str]:
    """Return the topics of each clause that describes a change, without the new value after "to" or "by"."""
    changed: set[str] = set()
    for start, end in _clauses(tokens):
        words = [token.lower for token in tokens[start:end]]
        if lexicon.ENDED_WORDS.isdisjoint(words) and not _describes_change(words):
            continue
        target = next((i for i, word in enumerate(words) if i and word in _NEW_VALUE_WORDS), len(words))
        changed |= topics_of_tokens(words[:target])
    return frozenset(changed)


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
                no_longer = _says_no_longer(clause) or (is_part and _find_change(clause) is not None)
                rejected = is_part and not no_longer
                is_aside = rejected and not lexicon.WITHOUT_WORDS.isdisjoint(clause)
                denied.append(Denial(words, no_longer, rejected and not is_aside, is_aside))
            else:
                affirmed |= words
    return frozenset(affirmed), tuple(denied)


def _says_no_longer(words: Sequence[str]) -> bool:
    return _has_no_longer_word(words) or _has_phrasal_verb(words) or _has_phrase(words, lexicon.NO_LONGER_PHRASES)


def _has_no_longer_word(words: Sequence[str]) -> bool:
    if lexicon.NO_LONGER_WORDS.isdisjoint(words):
        return False
    return any(_is_no_longer_word(words, i) for i in range(len(words)))


def _is_no_longer_word(words: Sequence[str], index: int) -> bool:
    """Return whether the word says that something is over ("was retired"), not which thing ("the retired host")."""
    if words[index] not in lexicon.NO_LONGER_WORDS:
        return False
    before_noun = index + 1 < len(words) and words[index + 1] not in lexicon.FUNCTION_WORDS
    after_article = index > 0 and words[index - 1] in (
        lexicon.FUNCTION_WORDS - AUXILIARIES - _REQUEST_WORDS - _PRONOUNS
    )
    return not (before_noun and after_article)


def _has_phrasal_verb(words: Sequence[str]) -> bool:
    """Find "switched off", "switched Mongo off", "leave it out of the commit", but not "threw it out of balance"."""
    verb = next((i for i, word in enumerate(words) if word in lexicon.PHRASAL_VERBS), None)
    if verb is None:
        return False
    is_leave = words[verb].startswith(("lea", "lef", "kee"))
    particles = ("out",) if is_leave else lexicon.PARTICLES
    return any(
        words[i] in particles and (is_leave or list(words[i + 1 : i + 2]) != ["of"])
        for i in range(verb + 1, len(words))
    )


def _clauses(tokens: Sequence[StatementToken]) -> Iterator[_Span]:
    start = 0
    for i, token in enumerate(tokens):
        if token.ends_clause or (token.lower in ("but", "aber", "mais", "pero") and i > start):
            if i > start:
                yield from _list_members(tokens, start, i)
            start = i + 1
    if start < len(tokens):
        yield from _list_members(tokens, start, len(tokens))


def _list_members(tokens: Sequence[StatementToken], start: int, end: int) -> Iterator[_Span]:
    """Yield a clause, and by itself what follows its last "or": "never use npm" and "yarn"."""
    words = [token.lower for token in tokens[start:end]]
    last = next((i for i in range(len(words) - 2, 0, -1) if words[i] in _OR_WORDS), 0)
    if last and len(words) - last - 1 <= _MAX_MEMBER_WORDS and not _find_contrast(words) and not _find_change(words):
        yield start, start + last
        start += last + 1
    yield start, end


def _polarity_spans(
    tokens: Sequence[StatementToken], start: int, end: int, was_denied: bool
) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts of a clause: start, end, and whether the part is denied."""
    words = [token.lower for token in tokens[start:end]]
    if (contrast := _find_contrast(words)) is not None:
        turn, width = contrast
        left_negative = _count_negations(words[:turn]) % 2 == 1
        if left_negative and words[turn] in lexicon.WITHOUT_WORDS:
            yield start, end, False  # "never A without B" asks for B
            return
        rejected = start + turn + width
        stop = rejected + _rejected_end(words[turn + width :])
        yield start, start + turn, left_negative
        yield rejected, stop, not left_negative
        yield stop, end, left_negative
        return
    if (change := _find_change(words)) is not None:
        old, new = change
        yield start, start + old[0], False
        yield start + old[0], start + old[1], True
        yield start + new[0], start + new[1], False
        return
    negative = _count_negations(words) % 2 == 1
    if not negative and was_denied and (len(words) <= _MAX_MEMBER_WORDS or words[0] in _OR_WORDS):
        negative = words[0] not in lexicon.LIGHT_WORDS and not any(word in AUXILIARIES for word in words)
    yield start, end, negative


def _rejected_end(words: Sequence[str]) -> int:
    """Return where the rejected part ends: "A over B for C" rejects B."""
    ends = (
        i for i, word in enumerate(words) if i and (word in lexicon.CONDITION_WORDS or word in lexicon.PURPOSE_WORDS)
    )
    return next(ends, len(words))


def _find_contrast(words: Sequence[str]) -> tuple[int, int] | None:
    """Return where a clause turns to what is not chosen, and how many words say so."""
    phrases = _phrases_by_first_word(lexicon.CONTRAST_PHRASES)
    for i in range(1, len(words) - 1):
        if words[i] not in phrases:
            continue
        width = _phrase_length_at(words, i, phrases)
        is_contrast = words[i] != "over" or not lexicon.CHOICE_VERBS.isdisjoint(words[:i])
        if width and is_contrast and i + width < len(words):
            return i, width
    if "not" in words[1:]:
        i = words.index("not", 1)
        before = words[i - 1]
        if i + 1 < len(words) and before not in lexicon.FUNCTION_WORDS and before not in AUXILIARIES:
            return i, 1
    return None


def _find_change(words: Sequence[str]) -> tuple[_Span, _Span] | None:
    """Return the spans of the old value A and the new value B of a change.

    The forms are "moved from A to B", "moved off A to B", "replaced A by B" and "B replaced A".
    """
    size = len(words)
    verb = next((i for i, word in enumerate(words) if word in lexicon.REPLACE_VERBS), None)
    if verb is not None:
        by = next((i for i in range(1, size) if words[i] in lexicon.REPLACE_PREPOSITIONS and i != verb), None)
        passive = any(word in AUXILIARIES or word in ("wurde", "wird", "été", "est") for word in words[:verb])
        if by is not None:
            return ((0, by) if passive else (verb, by)), (by, size)
        return ((0, size), (size, size)) if passive else ((verb, size), (0, verb))
    left = next((i for i, word in enumerate(words) if word in lexicon.LEAVE_VERBS), None)
    if left is not None and "for" in words[left + 2 :]:
        towards = words.index("for", left + 2)
        return (left, towards), (towards, size)
    if lexicon.CHANGE_VERBS.isdisjoint(words):
        return None
    away = next((i for i, word in enumerate(words) if word in ("from", "off", "von", "de", "da", "van")), None)
    if away is None and (out := _find_phrase(words, ("out", "of"))) is not None:
        away = out + 1
    if away is None or away + 1 >= size:
        return None
    target = next((i for i in range(away + 1, size) if words[i] in _TARGET_PREPOSITIONS), size)
    return (away, target), (target, size)


def _count_negations(words: Sequence[str]) -> int:
    """Count the negations of a clause. An even number cancels out."""
    phrases = _phrases_by_first_word((*lexicon.NEGATIVE_PHRASES, *lexicon.NO_LONGER_PHRASES))
    count = i = 0
    while i < len(words):
        word, before = words[i], words[i - 1]
        if word in phrases and (width := _phrase_length_at(words, i, phrases)):
            # "no longer", "not … any more" and "ne … plus" negate once.
            if not (count and word in ("any", "anymore")):
                count += 1
            i += width
            continue
        if word in lexicon.NEGATIONS:
            doubled = count and (word in ("non", "no", "not") and before in ("no", "not", "nor"))
            echoed = count and "ne" in words[:i] and word in ("jamais", "aucun", "aucune")
            count += 0 if doubled or echoed else 1
        elif word in lexicon.NEGATED_STATES or _is_no_longer_word(words, i):
            count += 1
        elif word in lexicon.NEGATIVE_VERBS:
            # A request, not a mention: "delete them" and "we avoid them", but not "ask before deleting them".
            count += i <= 1 or before in _REQUEST_WORDS or before in lexicon.NEGATIONS
        i += 1
    return count + (_has_phrasal_verb(words) and not _has_no_longer_word(words))


@cache
def _phrases_by_first_word(phrases: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for phrase in phrases:
        words = tuple(phrase.split())
        by_first.setdefault(words[0], []).append(words)
    return by_first


def _has_phrase(words: Sequence[str], phrases: tuple[str, ...]) -> bool:
    by_first = _phrases_by_first_word(phrases)
    return any(_phrase_length_at(words, i, by_first) for i, word in enumerate(words) if word in by_first)


def _phrase_length_at(words: Sequence[str], index: int, phrases: dict[str, list[tuple[str, ...]]]) -> int:
    """Return the length of the phrase that begins at `index`, 0 if none does."""
    candidates = phrases.get(words[index], ())
    return next((len(phrase) for phrase in candidates if tuple(words[index : index + len(phrase)]) == phrase), 0)


def _find_phrase(words: Sequence[str], phrase: tuple[str, ...]) -> int | None:
    """Return where a phrase is found after the first word."""
    size = len(phrase)
    return next((i for i in range(1, len(words) - size + 1) if tuple(words[i : i + size]) == phrase), None)


def _find_order(tokens: Sequence[StatementToken], terms: Sequence[StatementTerm]) -> Ordering | None:
    """Return what comes before what: "A before B", "B after A", "A first, then B", "from A to B"."""
    words = [token.lower for token in tokens]
    size = len(words)
    for i, word in enumerate(words):
        if word in lexicon.THEN_WORDS and word not in lexicon.AFTER_WORDS and i:
            return _make_order(terms, (0, i), (i, size))
    for i, word in enumerate(words):
        if word in lexicon.BEFORE_WORDS or word in lexicon.AFTER_WORDS:
            left, right = _order_sides(tokens, terms, i)
            return _make_order(terms, left, right) if word in lexicon.BEFORE_WORDS else _make_order(terms, right, left)
    for i, word in enumerate(words):
        if word in ("->", "→") and i > 0:
            return _make_order(terms, (i - 1, i), (i, i + 2))
    if "from" in words and "to" in words[words.index("from") :] and lexicon.CHANGE_VERBS.isdisjoint(words):
        away = words.index("from")
        towards = words.index("to", away)
        return _make_order(terms, (away, towards), (towards, size))
    for i, word in enumerate(words):
        if word in lexicon.FIRST_WORDS:
            end = next((j for j in range(i, size) if tokens[j].ends_clause or words[j] == "and"), None)
            if end is not None and end + 1 < size:
                return _make_order(terms, (0, end), (end, size))
    return None


def _order_sides(tokens: Sequence[StatementToken], terms: Sequence[StatementTerm], index: int) -> tuple[_Span, _Span]:
    """Return the spans before and after a word of order. If it opens the sentence, its own clause is the second."""
    size = len(tokens)
    end = next((i for i in range(index, size) if tokens[i].ends_clause), size)
    if index == 0 and end < size:
        return (end, size), (0, end)
    start = next((i for i in range(index - 1, -1, -1) if tokens[i].ends_clause), 0)
    if not any(index < term.position < end for term in terms) and start:  # "…, the test comes after"
        return (start, index), (0, start)
    return (0, index), (index, end)


def _make_order(terms: Sequence[StatementTerm], first: _Span, second: _Span) -> Ordering | None:
    before = frozenset(term.word for term in terms if first[0] <= term.position < first[1])
    after = frozenset(term.word for term in terms if second[0] <= term.position < second[1])
    return Ordering(before - after, after - before) if before - after and after - before else None


def _find_conditions(tokens: Sequence[StatementToken], terms: Sequence[StatementTerm]) -> frozenset[str]:
    """Return the cases a statement is limited to: environments it names, and words of a clause with "when" or "if"."""
    size = len(tokens)
    conditions = {term.word for term in terms if term.word in _environment_stems()}
    if tokens and tokens[0].lower in lexicon.OPENING_PREPOSITIONS:
        # The clause ends at a comma or a function word, or where the rule begins: "in production use Postgres".
        ends = ("", *lexicon.FUNCTION_WORDS, *lexicon.LIGHT_WORDS)
        boundaries = (i for i in range(2, size) if tokens[i].lower in ends)
        end = next(boundaries, size)
        conditions |= {term.word for term in terms if term.position < end}
    for start, token in enumerate(tokens):
        if token.lower in lexicon.CONDITION_WORDS:
            end = next((i for i in range(start, size) if tokens[i].ends_clause), size)
            conditions |= {term.word for term in terms if start < term.position < end and term.kind != "light"}
    return frozenset(conditions)


@cache
def _environment_stems() -> frozenset[str]:
    names = {lexicon.ALIASES.get(word, word) for word in lexicon.ENVIRONMENTS}
    return frozenset(word_stem(name) for name in names) | names
