"""How two statements relate: which is the same, which overrules, which is worth a question (S13).

| relation       | the two statements                                                       | what follows           |
|----------------|--------------------------------------------------------------------------|------------------------|
| SAME           | differ in nothing that could distinguish two rules                       | one confirms the other |
| OVERRULES      | have one subject and predicate, and another value, polarity or order; or | the newer holds        |
|                | one says itself that the other is over ("no longer", "instead of")       |                        |
| MAY_CONTRADICT | seem to answer one question differently, and something else differs, too | both hold, and the     |
|                |                                                                          | person is asked        |
| UNRELATED      | anything else                                                            | both hold              |

A false SAME counts a correction as a confirmation, and a false OVERRULES silences a true memory: both need that nothing
else differs. A false question costs a glance. A name, path or number in the subject is another subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from tacit.contradiction import lexicon
from tacit.contradiction.cognates import COGNATE_LETTERS, contains_all, contains_any, is_among, is_same_word, without
from tacit.contradiction.doubt import find_doubt, is_reversed
from tacit.contradiction.profile import Denial, Ordering, StatementProfile, profile_statement
from tacit.contradiction.terms import AUXILIARIES, StatementTerm, light_word_stems, vague_noun_stems, word_stem
from tacit.model.conflict import RelationKind
from tacit.record import Record

_MAX_FILLER_WORDS = 4  # more terms of one statement: they are not the same
_MAX_MISSING_PER_SHARED = 3  # words of its own that a statement may have for each one that is no longer so
_MIN_SHARED, _MIN_SHARE = 2, 0.6  # words, and their share of the shorter statement, if there is just a sign
_MAX_OTHER_WORDS = 2  # that each of two statements may be about alone, if they are not alike
_MAX_SLOT_WORDS = 3  # that differ at the end of two sentences
_NAME_KINDS = frozenset(("name", "code"))
_WORD_KINDS = frozenset(("plain", "light"))  # other terms are values: names and figures
_COPULAS = frozenset(("is", "=", "ist", "est", "es"))
_Values = tuple[StatementTerm, StatementTerm]  # one of each statement


class Relation(Record):
    """How two statements relate and, if one overrules or may contradict the other, in what they differ, in words."""

    kind: RelationKind
    reason: str = ""

    @property
    def is_noticed(self) -> bool:
        """Whether one overrules the other, or may contradict it."""
        return bool(self.reason)


_UNRELATED = Relation(RelationKind.UNRELATED)
_DENIED = "one says so, the other says it is not or no longer so"
_REORDERED = "another order"


def relate(first: str, second: str) -> Relation:
    """Compare two statements. Their order does not matter."""
    ours, theirs = _ordered(profile_statement(first), profile_statement(second))
    return Relation(RelationKind.SAME) if is_same_statement(ours, theirs) else _find_opposition(ours, theirs)


def oppose(first: str, second: str) -> Relation:
    """Return what `relate` does if one statement overrules or may contradict the other, else UNRELATED.

    Most pairs do not, so that is looked for first, and whether they are the same only if they do.
    """
    ours, theirs = _ordered(profile_statement(first), profile_statement(second))
    relation = _find_opposition(ours, theirs)
    return _UNRELATED if relation.is_noticed and is_same_statement(ours, theirs) else relation


def _ordered(first: StatementProfile, second: StatementProfile) -> tuple[StatementProfile, StatementProfile]:
    return (second, first) if first.tokens > second.tokens else (first, second)


def _find_opposition(first: StatementProfile, second: StatementProfile) -> Relation:
    """Return the first relation that is certain, else the first one that is worth a question."""
    if first.is_negative and second.is_negative:
        return _UNRELATED
    own, others = without(first.content, second.words), without(second.content, first.words)
    question = _UNRELATED
    if min(len(own), len(others)) <= _MAX_OTHER_WORDS or _is_alike(first, own, second, others):
        for relation in _oppositions(first, own, second, others):
            if relation.kind is RelationKind.OVERRULES:
                return relation
            question = question if question.is_noticed else relation
    if not question.is_noticed and (doubt := find_doubt(first, second)):
        return Relation(RelationKind.MAY_CONTRADICT, doubt)
    return question


def _oppositions(
    first: StatementProfile, own: set[str], second: StatementProfile, others: set[str]
) -> Iterator[Relation]:
    """Yield how two statements are opposed. `own` and `others` are what only one of them is about."""
    for denying, other, missing in ((first, second, others), (second, first, own)):
        for denial in denying.denied:
            if kind := _judge_denial(denial, denying, other, missing):
                yield Relation(kind, _DENIED)
    yield _judge_order(first, own, second, others)
    if not first.is_negative and not second.is_negative:
        yield _judge_value(first, second)
        yield _judge_ending(first, second)
    yield _judge_similarity(first, own, second, others)


# The same


def is_restatement(first: str, second: str) -> bool:
    """Return whether each of two sentences counts as one more observation of the other.

    What is not plainly the same stays two memories, which a person can merge. The opposite of a rule often has the same
    words, so nothing may differ that could distinguish two rules.
    """
    return is_same_statement(profile_statement(first), profile_statement(second))


def restatement_key(text: str) -> tuple[object, ...]:
    """Return what all restatements of a statement share. Statements with different keys need not be compared."""
    profile = profile_statement(text)
    values, words = _split_values(_significant_terms(profile))
    prefixes = tuple(tuple(word[:COGNATE_LETTERS] for word in part) for part in (values, words))
    return (*prefixes, bool(profile.denied), profile.is_negative)


def restatement_words(text: str) -> list[str]:
    """Return the words of a statement that its restatements have too, or words that are derived from them.

    Names that have several spellings are left out.
    """
    profile = profile_statement(text)
    terms = [term for term in _significant_terms(profile) if term.word not in _respelled_stems()]
    return list(dict.fromkeys(profile.tokens[term.position] for term in terms))


@cache
def _respelled_stems() -> frozenset[str]:
    """Return the words that stand for others in a profile."""
    names = (*lexicon.ALIASES.values(), *lexicon.NEGATED_STATES.values(), *lexicon.MULTIWORD_NAMES.values())
    return frozenset(map(word_stem, names))


def is_same_statement(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether nothing differs that could distinguish two rules."""
    if abs(len(first.terms) - len(second.terms)) > _MAX_FILLER_WORDS:
        return False
    first_terms, second_terms = _significant_terms(first), _significant_terms(second)
    if not first_terms or len(first.words) + len(second.words) < 4 or len(first_terms) != len(second_terms):
        return False
    if _identifiers(first) != _identifiers(second) or _order_words(first) != _order_words(second):
        return False
    has_same_polarity = bool(first.denied) == bool(second.denied) and first.is_negative == second.is_negative
    has_same_compounds = first.compounds | second.compounds <= {*first.tokens} & {*second.tokens}
    if is_reversed(first.tokens, second.tokens) or not has_same_compounds or not has_same_polarity:
        return False
    is_other_choice = first.denied and without(first.affirmed - _filler_stems(), second.affirmed)
    if is_other_choice or _is_swapped(first, second) or not _has_same_order(first.order, second.order):
        return False
    # Values in the same order, and the other words too: "A calls B" and "B calls A" have the same words.
    return all(
        len(ours) == len(theirs) and all(is_same_word(a, b) for a, b in zip(ours, theirs, strict=True))
        for ours, theirs in zip(_split_values(first_terms), _split_values(second_terms), strict=True)
    )


def _split_values(terms: Sequence[StatementTerm]) -> tuple[list[str], list[str]]:
    """Return the values, and the other words."""
    values = [term.word for term in terms if term.kind not in _WORD_KINDS]
    return values, [term.word for term in terms if term.kind in _WORD_KINDS]


def _has_same_order(first: Ordering | None, second: Ordering | None) -> bool:
    if first is None or second is None:
        return first is second
    return contains_all(first.first, second.first) and contains_all(first.second, second.second)


def _identifiers(profile: StatementProfile) -> list[str]:
    """Return every number, single letter, name and identifier."""
    letters = filter(_is_letter, profile.tokens)
    return sorted([*letters, *(term.word for term in profile.terms if term.kind not in _WORD_KINDS)])


def _order_words(profile: StatementProfile) -> list[str]:
    lists = (lexicon.BEFORE_WORDS, lexicon.AFTER_WORDS, lexicon.THEN_WORDS, lexicon.FIRST_WORDS)
    return [token for token in profile.tokens if any(token in words for words in lists)]


# One denies what the other affirms


def _judge_denial(
    denial: Denial, denying: StatementProfile, other: StatementProfile, missing: set[str]
) -> RelationKind | None:
    """Return whether a statement that denies something overrules or may contradict one that affirms it; else None.

    `missing` is what only the other is about.
    """
    shared = {word for word in denial.words if is_among(word, other.affirmed)}
    subjects = shared & denying.content
    if not subjects or any(contains_all(shared, theirs.words) for theirs in other.denied):
        return None
    beyond = without(denial.words & denying.content, other.words)
    missing = missing & other.affirmed
    is_limited = _is_limited_to_other_case(denying, other)
    if is_limited and _is_limited_to_other_case(other, denying):
        return None
    says_so = denial.no_longer or denial.rejected  # the sentence itself says that something else was so
    is_other = says_so and _has_other_subject(denial, denying, other)
    is_exact = not missing and not is_other if says_so else _denies_exactly(denial, denying, other)
    if is_exact and not beyond and not is_limited and not denial.is_aside:
        return RelationKind.OVERRULES
    overlap = len(other.affirmed & other.content) - len(missing)
    if not denial.no_longer:
        # "Never A in B" leaves A alone elsewhere, and "A over B" for one purpose says nothing about B for another.
        if beyond or is_limited or (denial.rejected and missing) or len(missing) > len(subjects) * overlap:
            return None
        return RelationKind.MAY_CONTRADICT if len(subjects) > 1 or _has_verbs_of(denial.words, other) else None
    if beyond or is_other:
        is_noticed = len(missing) < overlap and len(beyond) <= len(subjects) and not (is_other and missing)
    else:
        is_noticed = len(missing) <= _MAX_MISSING_PER_SHARED * overlap
    return RelationKind.MAY_CONTRADICT if is_noticed else None


def _denies_exactly(denial: Denial, denying: StatementProfile, other: StatementProfile) -> bool:
    """Return whether a clause denies all that the other statement affirms, with the same verbs."""
    rest = without(other.affirmed & other.content, denial.words)
    has_same_verbs = _has_verbs_of(denial.words, other) and _has_verbs_of(other.affirmed, denying)
    return not rest and has_same_verbs and _frame(denying) == _frame(other)


def _has_other_subject(denial: Denial, denying: StatementProfile, other: StatementProfile) -> bool:
    """Return whether what "no longer" or "instead of" is said of, or for, is not in the other statement.

    "Billing moved from A to B" and "we use B instead of A for billing" say nothing about others who use A.
    """
    start = min(term.position for term in denying.terms if term.word in denial.words)
    if denial.rejected:  # what is chosen stands between the verb and what is rejected
        verbs = (i for i, token in enumerate(denying.tokens[:start]) if token in lexicon.LIGHT_WORDS)
        start = next(verbs, 0)
    clause = range(start + 1, denying.tokens.index("", start) if "" in denying.tokens[start:] else len(denying.tokens))
    purpose = next((i for i in clause if denying.tokens[i] in lexicon.PURPOSE_WORDS), clause.stop)
    about = {term.word for term in denying.terms if term.position < start or purpose < term.position < clause.stop}
    return bool(without(about & denying.content, other.words))


def _has_verbs_of(words: Iterable[str], other: StatementProfile) -> bool:
    """Return whether a statement has all light words: "never run the build" says nothing about writing one."""
    light = (word for word in words if word in light_word_stems() and word not in _filler_stems())
    return all(is_among(word, other.words) for word in light)


# Another order


def _judge_order(first: StatementProfile, own: set[str], second: StatementProfile, others: set[str]) -> Relation:
    if first.order and second.order and _are_crossed(first.order, second.order) and not (own and others):
        is_certain = not own and not others and not first.denied and not second.denied
        return Relation(RelationKind.OVERRULES if is_certain else RelationKind.MAY_CONTRADICT, _REORDERED)
    if first.tokens[:1] != second.tokens[:1] or not _is_swapped(first, second):
        return _UNRELATED  # "A calls B" and "B calls A" can both hold
    return Relation(RelationKind.MAY_CONTRADICT, _REORDERED)


def _are_crossed(ours: Ordering, theirs: Ordering) -> bool:
    """Return whether what comes first in one comes second in the other."""
    crossed = contains_any(ours.first, theirs.second) and contains_any(ours.second, theirs.first)
    parallel = contains_any(ours.first, theirs.first) and contains_any(ours.second, theirs.second)
    return crossed and not parallel


def _is_swapped(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether some words changed places while the words between them stayed."""
    if len(first.tokens) != len(second.tokens) or sorted(first.tokens) != sorted(second.tokens):
        return False
    moved = [(a, b) for a, b in zip(first.tokens, second.tokens, strict=True) if a != b]
    return 2 <= len(moved) <= 6 and all(lexicon.FUNCTION_WORDS.isdisjoint(pair) for pair in moved)


# Another value


def _judge_value(first: StatementProfile, second: StatementProfile) -> Relation:
    ours, theirs = _unshared_values(first, second), _unshared_values(second, first)
    pair = next(((a, b) for a in ours for b in theirs if _are_comparable(a, b, first, second)), None)
    if pair is None or _are_range_ends(first, second) or _are_other_items(*pair):
        return _UNRELATED
    if _is_limited_to_other_case(first, second) or _is_limited_to_other_case(second, first):
        return _UNRELATED
    reason = f"another value: {_value_text(first, pair[0])} and {_value_text(second, pair[1])}"
    if _is_only_difference(first, second, pair):
        is_certain = _is_predicated(first, pair[0]) and _is_predicated(second, pair[1])
        return Relation(RelationKind.OVERRULES if is_certain else RelationKind.MAY_CONTRADICT, reason)
    if _is_in_subject(first, pair[0]) and _is_in_subject(second, pair[1]):
        return _UNRELATED
    return Relation(RelationKind.MAY_CONTRADICT, reason) if _share_subject(first, second, pair) else _UNRELATED


def _is_only_difference(first: StatementProfile, second: StatementProfile, pair: _Values) -> bool:
    """Return whether two statements have the same terms in the same order, but for this value."""
    if bool(first.denied) != bool(second.denied) or _frame(first) != _frame(second):
        return False
    ours, theirs = _significant_terms(first), _significant_terms(second)
    shorter = min(len(ours), len(theirs))
    start = next((i for i in range(shorter) if not is_same_word(ours[i].word, theirs[i].word)), shorter)
    end = next(
        (i for i in range(shorter - start) if not is_same_word(ours[-1 - i].word, theirs[-1 - i].word)),
        shorter - start,
    )
    return (ours[start : len(ours) - end], theirs[start : len(theirs) - end]) == ([pair[0]], [pair[1]])


def _frame(profile: StatementProfile) -> list[str]:
    """Return the words that hold a sentence together: prepositions, "only", letters, "before"."""
    significant = {term.position for term in _significant_terms(profile)}
    return [
        token
        for i, token in enumerate(profile.tokens)
        if _is_letter(token)
        or (token in lexicon.FRAME_WORDS and not significant.isdisjoint(range(i, i + 4)))  # not "in this project"
    ]


def _is_letter(token: str) -> bool:
    return len(token) == 1 and token.isalpha() and token not in ("a", "i")


def _is_predicated(profile: StatementProfile, value: StatementTerm) -> bool:
    """Return whether a value is what a statement says of its subject, and no part of the subject.

    A name without a family is one only after "is": "alerts go to A" and "alerts go to B" can both hold.
    """
    is_any = profile.tokens[0] in ("a", "an") or not lexicon.ADDITIVE_WORDS.isdisjoint(profile.tokens)
    if is_any or _is_in_subject(profile, value):
        return False
    before = profile.tokens[: value.position]
    if value.kind in _NAME_KINDS and not value.family:
        linking = [token for token in before[-2:] if token not in lexicon.FUNCTION_WORDS or token in _COPULAS]
        return bool(linking) and linking[-1] in _COPULAS
    has_subject = any(term is not value and term.kind != "light" for term in _significant_terms(profile))
    return has_subject or not value.family or value.family in lexicon.SINGLE_CHOICES


def _is_in_subject(profile: StatementProfile, value: StatementTerm) -> bool:
    """Return whether a value stands before the first verb, or begins a sentence without a known one."""
    verbs = (i for i, token in enumerate(profile.tokens) if token in AUXILIARIES or token in lexicon.LIGHT_WORDS)
    return value.position < next(verbs, 1)


def _share_subject(first: StatementProfile, second: StatementProfile, pair: _Values) -> bool:
    """Return whether two statements share the subject that has the values.

    What only one of them is about must not outweigh what both are about. Names of no family need more in common.
    """
    own, others = _nouns_besides(first, second, pair[0]), _nouns_besides(second, first, pair[1])
    places = zip(first.tokens, second.tokens, strict=False)
    is_parallel = len(first.tokens) == len(second.tokens)  # "timeouts for reads" and "timeouts for writes"
    if (own and others) or (is_parallel and any(a != b and {a, b} <= lexicon.VAGUE_NOUNS for a, b in places)):
        return False
    label = pair[0].neighbor if pair[0].is_label and pair[1].is_label else ""
    nouns = first.content | (first.words & vague_noun_stems()) - _filler_stems()
    shared = [word for word in nouns if word != label and is_among(word, second.words)]
    is_loose = pair[0].kind in _NAME_KINDS and not pair[0].family
    return len(own | others) + is_loose <= len(shared) and bool(shared)


def _nouns_besides(profile: StatementProfile, other: StatementProfile, value: StatementTerm) -> set[str]:
    """Return what only one statement is about, without a value and what belongs to it ("MySQL 8")."""
    words = {
        term.word
        for term in profile.terms
        if term.word in profile.content
        and term.word != value.word
        and (term.kind in _WORD_KINDS or abs(term.position - value.position) > 1)
    }
    return without(words, other.words)


def _value_text(profile: StatementProfile, term: StatementTerm) -> str:
    """Return a value as it was written, with its unit."""
    text, *following = profile.tokens[term.position : term.position + 2]
    has_unit = term.kind != "number" and following and following[0] in lexicon.UNITS
    return f"{text} {following[0]}" if has_unit else text


def _are_other_items(ours: StatementTerm, theirs: StatementTerm) -> bool:
    """Return whether the values label different items: "step 3" and "step 5" are two steps."""
    return ours.is_label and theirs.is_label and ours.neighbor == theirs.neighbor and ours.neighbor in _label_stems()


@cache
def _label_stems() -> frozenset[str]:
    return frozenset(word_stem(word) for word in lexicon.LABEL_WORDS)


def _unshared_values(profile: StatementProfile, other: StatementProfile) -> list[StatementTerm]:
    return [term for term in profile.terms if term.kind not in _WORD_KINDS and not is_among(term.word, other.words)]


def _are_comparable(
    ours: StatementTerm, theirs: StatementTerm, first: StatementProfile, second: StatementProfile
) -> bool:
    """Return whether two values answer the same question."""
    if ours.kind in _NAME_KINDS and theirs.kind in _NAME_KINDS:
        if ours.family or theirs.family:
            return ours.family == theirs.family
        return all(
            _is_linked(value, profile) and _is_final(value, profile, other)
            for value, profile, other in ((ours, first, second), (theirs, second, first))
        )
    if ours.kind != theirs.kind:
        return False
    if ours.neighbor == theirs.neighbor:
        return True
    return (not ours.neighbor or is_among(ours.neighbor, second.words)) and (
        not theirs.neighbor or is_among(theirs.neighbor, first.words)
    )


def _is_linked(term: StatementTerm, profile: StatementProfile) -> bool:
    """Return whether a value is stated of something ("as app_rw", "use Zod", "Team A owns"). Else it is acted on."""
    before = profile.tokens[term.position - 1] if term.position else ""
    after = profile.tokens[term.position + 1] if term.position + 1 < len(profile.tokens) else ""
    is_preposition = before in lexicon.FUNCTION_WORDS and before not in lexicon.DETERMINERS
    follows_link = is_preposition or before in lexicon.LINK_WORDS or before in lexicon.NAMING_VERBS
    is_responsible = after in lexicon.RESPONSIBILITY_VERBS and after != "is"
    return follows_link or is_responsible


def _is_final(value: StatementTerm, profile: StatementProfile, other: StatementProfile) -> bool:
    """Return whether a statement ends in this value: what follows is in the other too."""
    following = (term for term in profile.terms if term.position > value.position + 1 and term.kind != "light")
    return all(is_among(term.word, other.words) for term in following)


def _are_range_ends(first: StatementProfile, second: StatementProfile) -> bool:
    bounds = (lexicon.LOWER_BOUND_WORDS, lexicon.UPPER_BOUND_WORDS)
    found = [[not words.isdisjoint(profile.tokens) for words in bounds] for profile in (first, second)]
    return sorted(found) == [[False, True], [True, False]]


def _judge_ending(first: StatementProfile, second: StatementProfile) -> Relation:
    """Notice two sentences that differ only in what their end names: "hashed with bcrypt", "the default is x"."""
    ours, theirs = [token for token in first.tokens if token], [token for token in second.tokens if token]
    differing = (i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b)
    same = next(differing, min(len(ours), len(theirs)))
    ends = ours[same:], theirs[same:]
    if not all(0 < len(end) <= _MAX_SLOT_WORDS for end in ends) or first.denied or second.denied:
        return _UNRELATED
    if _is_limited_to_other_case(first, second) or _is_limited_to_other_case(second, first):
        return _UNRELATED
    link = next((word for word in reversed(ours[:same]) if word not in lexicon.DETERMINERS), "")
    is_unique = link in (*_COPULAS, "are") and not lexicon.UNIQUE_WORDS.isdisjoint(ours[:same])
    has_subject = any(term.position < same and term.word not in _filler_stems() for term in first.terms)
    if not has_subject or not (is_unique or link in lexicon.LINK_WORDS):
        return _UNRELATED
    return Relation(RelationKind.MAY_CONTRADICT, f"another value: {' '.join(ends[0])} and {' '.join(ends[1])}")


# Alike in most words, and a sign that one is against the other


def _judge_similarity(first: StatementProfile, own: set[str], second: StatementProfile, others: set[str]) -> Relation:
    if not _is_alike(first, own, second, others):
        return _UNRELATED
    if _is_limited_to_other_case(first, second) and _is_limited_to_other_case(second, first):
        return _UNRELATED
    # Two sentences that begin alike and go on differently are about two things.
    has_one_subject = not (own and others) or (
        _is_alike(first, own, second, others, _MIN_SHARED + 1) and first.tokens[:2] != second.tokens[:2]
    )
    if first.is_change != second.is_change or (has_one_subject and bool(first.denied) != bool(second.denied)):
        return Relation(RelationKind.MAY_CONTRADICT, _DENIED)
    if any(_is_wider(*pair) for pair in ((first, own, second, others), (second, others, first, own))):
        return Relation(RelationKind.MAY_CONTRADICT, "one says only, or names something else, too")
    return _UNRELATED


def _is_alike(
    first: StatementProfile, own: set[str], second: StatementProfile, others: set[str], least: int = _MIN_SHARED
) -> bool:
    """Return whether two statements share most of what they are about, and at least so many words."""
    shared = min(len(first.content) - len(own), len(second.content) - len(others))
    return shared >= least and shared >= _MIN_SHARE * min(len(first.content), len(second.content))


def _is_wider(profile: StatementProfile, own: set[str], other: StatementProfile, others: set[str]) -> bool:
    """Return whether a statement allows more than the other.

    It says "anyone" or no "only", or names another member of a family beside the one that both name.
    """
    families = {term.family for term in other.terms if term.family and term.word in profile.words}
    if not others and any(term.word in own and term.family in families for term in profile.terms):
        return True
    if lexicon.ONLY_WORDS.isdisjoint(other.tokens) or not lexicon.ONLY_WORDS.isdisjoint(profile.tokens):
        return False
    return (not others and not other.conditions) or not lexicon.ANYONE_WORDS.isdisjoint(profile.tokens)


# Words


def _is_limited_to_other_case(profile: StatementProfile, other: StatementProfile) -> bool:
    """Return whether a statement is limited to a case that the other does not mention."""
    return any(word in profile.words and not is_among(word, other.words) for word in profile.conditions)


def _significant_terms(profile: StatementProfile) -> list[StatementTerm]:
    return [term for term in profile.terms if term.word not in _filler_stems()]


@cache
def _filler_stems() -> frozenset[str]:
    return frozenset(word_stem(lexicon.ALIASES.get(word, word)) for word in lexicon.FILLER_WORDS)
