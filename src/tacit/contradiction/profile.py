"""Profiles of statements for comparison: what is affirmed, what is denied, which values are named, in which order.

`profile_statement` parses a sentence into a `StatementProfile`; `relation` compares two of them. The only grammar is
clauses, negation, contrast ("A instead of B"), change ("from A to B") and order ("A before B"). The words of a sentence
are in lower case, and an empty one ends a clause. Two profiles also tell whether their statements say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from tacit.contradiction import lexicon
from tacit.contradiction.terms import (
    COGNATE_LETTERS,
    WORD_KINDS,
    StatementTerm,
    is_same_word,
    statement_terms,
    statement_tokens,
    stems,
    topics,
    topics_of_tokens,
    without,
)
from tacit.record import Record

_TARGET_PREPOSITIONS = frozenset("to onto into zu auf à a naar vers".split())
_NEW_VALUE_WORDS = _TARGET_PREPOSITIONS | {"by", "with"}
_PRONOUNS = frozenset("we i they you he she it everybody everyone people us".split())
_REQUEST_WORDS = frozenset("please must should we you to always just i they can let's is are was be and".split())
_NOUN_MARKERS = lexicon.FUNCTION_WORDS - lexicon.AUXILIARIES - _REQUEST_WORDS - _PRONOUNS
_PURPOSE_OR_CONDITION = lexicon.CONDITION_WORDS | lexicon.PURPOSE_WORDS
_OPENING_ENDS = lexicon.FUNCTION_WORDS | lexicon.LIGHT_WORDS | {""}
_THEN_WORDS = lexicon.THEN_WORDS - lexicon.AFTER_WORDS
_BEFORE_OR_AFTER = lexicon.BEFORE_WORDS | lexicon.AFTER_WORDS
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

    @property
    def significant_terms(self) -> list[StatementTerm]:
        """The terms without fillers ("use", "please")."""
        fillers = stems(lexicon.FILLER_WORDS)
        return [term for term in self.terms if term.word not in fillers]


@lru_cache(maxsize=1 << 11)  # one takes 3 kB, and is compared with others of a topic, which follow each other
def profile_statement(text: str) -> StatementProfile:
    """Parse one statement. Any text is accepted; long ones are cut."""
    tokens = statement_tokens(text)
    words = [token.lower for token in tokens]
    terms = statement_terms(text, tokens)
    light = stems(lexicon.ALL_LIGHT_WORDS)
    affirmed, denied = _affirmed_and_denied(words, terms)
    changed: set[str] = set()  # of each clause that describes a change, without the new value after "to" or "by"
    for start, end in _clauses(words):
        clause = words[start:end]
        if not lexicon.ENDED_WORDS.isdisjoint(clause) or _describes_change(clause):
            changed |= topics_of_tokens(clause[: _index(clause, _NEW_VALUE_WORDS, 1)])
    return StatementProfile(
        tuple(words),
        terms,
        frozenset(term.word for term in terms),
        frozenset(term.word for term in terms if term.family or (term.kind != "light" and term.word not in light)),
        affirmed,
        denied,
        _find_order(words, terms),
        _find_conditions(words, terms),
        _describes_change(words),
        frozenset(token.lower for token in tokens if "-" in token.raw),
        topics(text),
        frozenset(changed),
    )


def _index(words: Sequence[str], wanted: Collection[str], start: int = 0) -> int | None:
    """Return where the first wanted word is."""
    return next((i for i in range(start, len(words)) if words[i] in wanted), None)


def _words_in(terms: Sequence[StatementTerm], span: _Span) -> frozenset[str]:
    return frozenset(term.word for term in terms if span[0] <= term.position < span[1])


# Changes


def _describes_change(words: Sequence[str]) -> bool:
    lists = (lexicon.CHANGED_WORDS, lexicon.NOW_WORDS, lexicon.NO_LONGER_WORDS)
    is_listed = any(not listed.isdisjoint(words) for listed in lists)
    return is_listed or _says_no_longer(words) or _has_phrase(words, lexicon.NOW_PHRASES)


def _says_no_longer(words: Sequence[str]) -> bool:
    return _has_no_longer_word(words) or _has_phrasal_verb(words) or _has_phrase(words, lexicon.NO_LONGER_PHRASES)


def _has_no_longer_word(words: Sequence[str]) -> bool:
    is_listed = not lexicon.NO_LONGER_WORDS.isdisjoint(words)
    return is_listed and any(_is_no_longer_word(words, i) for i in range(len(words)))


def _is_no_longer_word(words: Sequence[str], index: int) -> bool:
    """Return whether the word says that something is over ("was retired"), not which thing ("the retired host")."""
    before_noun = index + 1 < len(words) and words[index + 1] not in lexicon.FUNCTION_WORDS
    after_article = index > 0 and words[index - 1] in _NOUN_MARKERS
    return words[index] in lexicon.NO_LONGER_WORDS and not (before_noun and after_article)


def _has_phrasal_verb(words: Sequence[str]) -> bool:
    """Find "switched off", "switched Mongo off", "leave it out of the commit", but not "threw it out of balance"."""
    verb = _index(words, lexicon.PHRASAL_VERBS)
    if verb is None:
        return False
    if words[verb].startswith(("lea", "lef", "kee")):
        return "out" in words[verb + 1 :]
    following = range(verb + 1, len(words))
    return any(words[i] in lexicon.PARTICLES and list(words[i + 1 : i + 2]) != ["of"] for i in following)


def _find_change(words: Sequence[str]) -> tuple[_Span, _Span] | None:
    """Return the spans of the old value A and the new value B of a change.

    The forms are "moved from A to B", "moved off A to B", "replaced A by B" and "B replaced A".
    """
    size = len(words)
    verb = _index(words, lexicon.REPLACE_VERBS)
    if verb is not None:
        by = _index(words, lexicon.REPLACE_PREPOSITIONS, 1)
        passive = any(word in lexicon.AUXILIARIES or word in ("wurde", "wird", "été", "est") for word in words[:verb])
        if by is not None:
            return ((0, by) if passive else (verb, by)), (by, size)
        return ((0, size), (size, size)) if passive else ((verb, size), (0, verb))
    left = _index(words, lexicon.LEAVE_VERBS)
    if left is not None and (towards := _index(words, ("for",), left + 2)) is not None:
        return (left, towards), (towards, size)
    if lexicon.CHANGE_VERBS.isdisjoint(words):
        return None
    away = _index(words, ("from", "off", "von", "de", "da", "van"))
    if away is None:
        away = next((i for i in range(2, size) if words[i - 1] == "out" and words[i] == "of"), size)
    target = _index(words, _TARGET_PREPOSITIONS, away + 1) or size
    return ((away, target), (target, size)) if away + 1 < size else None


# What is affirmed and what is denied


def _affirmed_and_denied(
    words: Sequence[str], terms: Sequence[StatementTerm]
) -> tuple[frozenset[str], tuple[Denial, ...]]:
    affirmed: set[str] = set()
    denied: list[Denial] = []
    was_denied = False
    for start, end in _clauses(words):
        clause = words[start:end]
        for first, last, negative in _polarity_spans(clause, was_denied):
            found = _words_in(terms, (start + first, start + last))
            was_denied = negative
            if not negative:
                affirmed |= found
            elif found:
                is_part = (first, last) != (0, len(clause))
                no_longer = _says_no_longer(clause) or (is_part and _find_change(clause) is not None)
                rejected = is_part and not no_longer
                is_aside = rejected and not lexicon.WITHOUT_WORDS.isdisjoint(clause)
                denied.append(Denial(found, no_longer, rejected and not is_aside, is_aside))
    return frozenset(affirmed), tuple(denied)


def _clauses(words: Sequence[str]) -> Iterator[_Span]:
    """Yield the clauses, and by itself what follows the last "or" of each: "never use npm" and "yarn"."""
    start = 0
    for end in range(len(words) + 1):
        is_end = end == len(words) or not words[end] or (words[end] in ("but", "aber", "mais", "pero") and end > start)
        if not is_end:
            continue
        clause = words[start:end]
        last = next((i for i in range(len(clause) - 2, 0, -1) if clause[i] in _OR_WORDS), 0)
        is_member = last and len(clause) - last - 1 <= _MAX_MEMBER_WORDS
        if is_member and not _find_contrast(clause) and not _find_change(clause):
            yield start, start + last
            start += last + 1
        if end > start:
            yield start, end
        start = end + 1


def _polarity_spans(words: Sequence[str], was_denied: bool) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts of a clause: start, end, and whether the part is denied."""
    size = len(words)
    if (contrast := _find_contrast(words)) is not None:
        turn, width = contrast
        left_negative = _count_negations(words[:turn]) % 2 == 1
        if left_negative and words[turn] in lexicon.WITHOUT_WORDS:
            yield 0, size, False  # "never A without B" asks for B
            return
        # "A over B for C" rejects B.
        stop = _index(words, _PURPOSE_OR_CONDITION, turn + width + 1) or size
        yield 0, turn, left_negative
        yield turn + width, stop, not left_negative
        yield stop, size, left_negative
    elif (change := _find_change(words)) is not None:
        old, new = change
        yield 0, old[0], False
        yield *old, True
        yield *new, False
    else:
        negative = _count_negations(words) % 2 == 1
        if not negative and was_denied and (size <= _MAX_MEMBER_WORDS or words[0] in _OR_WORDS):
            negative = words[0] not in lexicon.LIGHT_WORDS and lexicon.AUXILIARIES.isdisjoint(words)
        yield 0, size, negative


def _find_contrast(words: Sequence[str]) -> tuple[int, int] | None:
    """Return where a clause turns to what is not chosen, and how many words say so."""
    for i in range(1, len(words) - 1):
        width = _phrase_length_at(words, i, lexicon.CONTRAST_PHRASES)
        is_contrast = words[i] != "over" or not lexicon.CHOICE_VERBS.isdisjoint(words[:i])
        if width and is_contrast and i + width < len(words):
            return i, width
    turn = _index(words, ("not",), 1)
    if turn is None or turn + 1 == len(words):
        return None
    is_verb_negated = words[turn - 1] in lexicon.FUNCTION_WORDS or words[turn - 1] in lexicon.AUXILIARIES
    return None if is_verb_negated else (turn, 1)


def _count_negations(words: Sequence[str]) -> int:
    """Count the negations of a clause. An even number cancels out."""
    count = i = 0
    while i < len(words):
        word, before = words[i], words[i - 2 if i > 1 and words[i - 1] == "ever" else i - 1]
        if width := _phrase_length_at(words, i, lexicon.DENIAL_PHRASES):
            # "no longer", "not … any more" and "ne … plus" negate once.
            count += not (count and word in ("any", "anymore"))
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


def _has_phrase(words: Sequence[str], phrases: Mapping[str, Sequence[list[str]]]) -> bool:
    return any(_phrase_length_at(words, i, phrases) for i in range(len(words)))


def _phrase_length_at(words: Sequence[str], index: int, phrases: Mapping[str, Sequence[list[str]]]) -> int:
    """Return the length of the phrase that begins at `index`, 0 if none does. `phrases` is by first word."""
    for phrase in phrases.get(words[index], ()):
        if words[index : index + len(phrase)] == phrase:
            return len(phrase)
    return 0


# Order and conditions


def _find_order(words: Sequence[str], terms: Sequence[StatementTerm]) -> Ordering | None:
    """Return what comes before what: "A before B", "B after A", "A first, then B", "from A to B"."""
    size = len(words)
    if (then := _index(words, _THEN_WORDS, 1)) is not None:
        return _make_order(terms, (0, then), (then, size))
    if (turn := _index(words, _BEFORE_OR_AFTER)) is not None:
        end = _index(words, ("",), turn) or size
        start = next((i for i in range(turn - 1, -1, -1) if not words[i]), 0)
        if turn == 0 and end < size:  # it opens the sentence: its own clause is the second
            sides: tuple[_Span, _Span] = (end, size), (0, end)
        elif start and not any(turn < term.position < end for term in terms):  # "…, the test comes after"
            sides = (start, turn), (0, start)
        else:
            sides = (0, turn), (turn, end)
        return _make_order(terms, *(sides if words[turn] in lexicon.BEFORE_WORDS else reversed(sides)))
    if (arrow := _index(words, ("->", "→"), 1)) is not None:
        return _make_order(terms, (arrow - 1, arrow), (arrow, arrow + 2))
    away = _index(words, ("from",))
    towards = None if away is None else _index(words, ("to",), away)
    if away is not None and towards is not None and lexicon.CHANGE_VERBS.isdisjoint(words):
        return _make_order(terms, (away, towards), (towards, size))
    first = _index(words, lexicon.FIRST_WORDS)
    end = size if first is None else _index(words, ("", "and"), first) or size
    return _make_order(terms, (0, end), (end, size))


def _make_order(terms: Sequence[StatementTerm], first: _Span, second: _Span) -> Ordering | None:
    before, after = _words_in(terms, first), _words_in(terms, second)
    return Ordering(before - after, after - before) if before - after and after - before else None


def _find_conditions(words: Sequence[str], terms: Sequence[StatementTerm]) -> frozenset[str]:
    """Return the cases a statement is limited to: environments it names, and words of a clause with "when" or "if"."""
    size = len(words)
    stemmed = stems(lexicon.ENVIRONMENTS)
    conditions = {term.word for term in terms if term.word in lexicon.ENVIRONMENTS or term.word in stemmed}
    if words and words[0] in lexicon.OPENING_PREPOSITIONS:
        # The clause ends at a comma or a function word, or where the rule begins: "in production use Postgres".
        end = _index(words, _OPENING_ENDS, 2) or size
        conditions |= _words_in(terms, (0, end))
    for start, word in enumerate(words):
        if word in lexicon.CONDITION_WORDS:
            end = _index(words, ("",), start) or size
            conditions |= {term.word for term in terms if start < term.position < end and term.kind != "light"}
    return frozenset(conditions)


# Whether two statements say the same, so that each counts as one more observation of the other

# What is not plainly the same stays two memories, which a person can merge. The opposite of a rule often has the same
# words, so nothing may differ that could distinguish two rules.

_MIN_WORDS = 4  # of two statements together


def is_restatement(first: str, second: str) -> bool:
    """Return whether two sentences say the same. Their order does not matter."""
    ours, theirs = profile_statement(first), profile_statement(second)
    fillers = stems(lexicon.FILLER_WORDS)
    # Values in the same order, and the other words too: "A calls B" and "B calls A" have the same words.
    for own, others in zip(_values_and_words(ours), _values_and_words(theirs), strict=True):
        if len(own) != len(others) or not all(map(is_same_word, own, others)):
            return False
    return (
        bool(ours.significant_terms)
        and len(ours.words) + len(theirs.words) >= _MIN_WORDS
        and _identifiers(ours) == _identifiers(theirs)
        and sense(ours) == sense(theirs)
        and not is_of_others(ours, theirs)
        and bool(ours.denied) == bool(theirs.denied)
        and ours.is_negative == theirs.is_negative
        and ours.compounds | theirs.compounds <= {*ours.tokens} & {*theirs.tokens}
        and not is_reversed(ours.tokens, theirs.tokens)
        and not is_swapped(ours, theirs)
        # "A, not B" and "not A, B": one affirms what the other denies.
        and not any(without(one.affirmed - fillers, other.affirmed) for one, other in ((ours, theirs), (theirs, ours)))
        and (ours.order is None) == (theirs.order is None)
        and not any(without(*sides) for sides in zip(ours.order or (), theirs.order or (), strict=True))
    )


def sense(profile: StatementProfile) -> tuple[object, ...]:
    """Return what a statement excepts, limits, permits and doubts, and what it says that something is called."""
    words = profile.tokens
    # "Can you …" asks; and who may not is forbidden.
    permits = not profile.denied and not lexicon.PERMITTING_WORDS.isdisjoint(
        words[1:] if words[1:2] == ("you",) else words
    )
    signs = (lexicon.EXCEPTION_WORDS, lexicon.END_WORDS, lexicon.DOUBTING_WORDS)
    named = [words[i + 1 :] for i, word in enumerate(words) if word in lexicon.NAMED_WORDS]
    return (permits, *(sign.isdisjoint(words) for sign in signs), named)


def is_of_others(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether both say whose rule or habit it is, and name different people: "I" and "we"."""
    one, other = (
        next((lexicon.PERSONS[word] for word in profile.tokens if word in lexicon.PERSONS), "")
        for profile in (first, second)
    )
    return bool(one and other) and one != other


def restatement_key(text: str) -> tuple[object, ...]:
    """Return what all restatements of a statement share. Statements with different keys need not be compared."""
    profile = profile_statement(text)
    prefixes = tuple(tuple(word[:COGNATE_LETTERS] for word in part) for part in _values_and_words(profile))
    return (*prefixes, bool(profile.denied), profile.is_negative)


def restatement_words(text: str) -> list[str]:
    """Return the words of a statement that its restatements have too, or words that are derived from them.

    Names that have several spellings are left out.
    """
    profile = profile_statement(text)
    terms = [term for term in profile.significant_terms if term.word not in stems(lexicon.RESPELLED_NAMES)]
    return list(dict.fromkeys(profile.tokens[term.position] for term in terms))


def is_reversed(first: Collection[str], second: Collection[str]) -> bool:
    """Return whether one has "on" where the other has "off"."""
    return any(
        {(one in first, other in first), (one in second, other in second)} == {(True, False), (False, True)}
        for one, other in lexicon.REVERSING_WORDS
    )


def is_swapped(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether some words changed places while the words between them stayed."""
    if sorted(first.tokens) != sorted(second.tokens):
        return False
    moved = [(a, b) for a, b in zip(first.tokens, second.tokens, strict=True) if a != b]
    return 2 <= len(moved) <= 6 and all(lexicon.FUNCTION_WORDS.isdisjoint(pair) for pair in moved)


def is_letter(token: str) -> bool:
    """Return whether a token is a single letter that names something ("team B")."""
    return len(token) == 1 and token.isalpha() and token not in ("a", "i")


def _values_and_words(profile: StatementProfile) -> tuple[list[str], list[str]]:
    values, words = (
        [term.word for term in profile.significant_terms if (term.kind in WORD_KINDS) is is_word]
        for is_word in (False, True)
    )
    return values, words


def _identifiers(profile: StatementProfile) -> tuple[list[str], list[str]]:
    """Return every number, single letter, name and identifier, and the words of order."""
    values = [term.word for term in profile.terms if term.kind not in WORD_KINDS]
    letters = [token for token in profile.tokens if is_letter(token)]
    return sorted(values + letters), [token for token in profile.tokens if token in lexicon.ORDER_WORDS]
