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

from collections.abc import Iterable, Iterator
from itertools import product

from tacit.contradiction import lexicon
from tacit.contradiction.profile import (
    Denial,
    StatementProfile,
    is_letter,
    is_restatement,
    is_reversed,
    is_swapped,
    profile_statement,
)
from tacit.contradiction.terms import (
    NAME_KINDS,
    WORD_KINDS,
    StatementTerm,
    is_among,
    is_same_word,
    stems,
    topics_of_tokens,
    without,
)
from tacit.model.conflict import RelationKind
from tacit.record import Record

_MAX_MISSING_PER_SHARED = 3  # words of its own that a statement may have for each one that is no longer so
_MIN_SHARED, _MIN_SHARE = 2, 0.6  # words, and their share of the shorter statement, if there is just a sign
_MAX_OTHER_WORDS = 2  # that each of two statements may be about alone, if they are not alike
_MAX_SLOT_WORDS = 3  # that differ at the end of two sentences
_MAX_TOPICS_OF_ONE = 4  # of a statement that shares just one topic with a change
_COPULAS = frozenset(("is", "=", "ist", "est", "es"))
_VERBS = lexicon.AUXILIARIES | lexicon.LIGHT_WORDS
_STORES = frozenset(("database", "cache", "message broker", "search engine"))  # families with members in common


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


def relate(first: str, second: str) -> Relation:
    """Compare two statements. Their order does not matter."""
    return Relation(RelationKind.SAME) if is_restatement(first, second) else oppose(first, second)


def oppose(first: str, second: str) -> Relation:
    """Return what `relate` does if one statement overrules or may contradict the other, else UNRELATED.

    Most pairs do not, so that is looked for first, and whether they are the same only if they do. What is certain goes
    before what is worth a question.
    """
    ours, theirs = sorted((profile_statement(first), profile_statement(second)), key=lambda profile: profile.tokens)
    if ours.is_negative and theirs.is_negative:
        return _UNRELATED
    own, others = without(ours.content, theirs.words), without(theirs.content, ours.words)
    is_limited = bool(ours.conditions) and bool(without(ours.conditions, theirs.words))
    is_other_limited = bool(theirs.conditions) and bool(without(theirs.conditions, ours.words))
    relation = _UNRELATED
    for found in _oppositions(_Comparison(ours, theirs, own, others, is_limited, is_other_limited)):
        if found.kind is RelationKind.OVERRULES:
            relation = found
            break
        relation = relation if relation.reason else found
    return _UNRELATED if relation.is_noticed and is_restatement(first, second) else relation


class _Comparison(Record):
    """Two statements, what only one of them is about, and whether each is limited to a case that only it mentions."""

    first: StatementProfile
    second: StatementProfile
    own: set[str]
    others: set[str]
    is_limited: bool
    is_other_limited: bool

    @property
    def turned(self) -> _Comparison:
        return _Comparison(self.second, self.first, self.others, self.own, self.is_other_limited, self.is_limited)

    def shares(self, least: int) -> bool:
        """Return whether they share most of what they are about, and at least so many words."""
        sizes = len(self.first.content), len(self.second.content)
        shared = min(sizes[0] - len(self.own), sizes[1] - len(self.others))
        return shared >= least and shared >= _MIN_SHARE * min(sizes)


def _oppositions(pair: _Comparison) -> Iterator[Relation]:
    """Yield how two statements are opposed."""
    sides = (pair, pair.turned)
    if min(len(pair.own), len(pair.others)) <= _MAX_OTHER_WORDS or pair.shares(_MIN_SHARED):
        for side in sides:
            for denial in side.first.denied:
                if kind := _judge_denial(denial, side):
                    yield Relation(kind, _DENIED)
        yield _judge_order(pair)
        if not pair.first.is_negative and not pair.second.is_negative:
            yield _judge_value(pair)
            yield _judge_ending(pair)
        yield _judge_similarity(*sides)
    if shared := pair.first.topics & pair.second.topics:
        yield from map(_question, _doubts(*sides, len(shared)))


def _question(reason: str) -> Relation:
    return Relation(RelationKind.MAY_CONTRADICT, reason)


# One denies what the other affirms


def _judge_denial(denial: Denial, pair: _Comparison) -> RelationKind | None:
    """Return whether the first statement, which denies something, overrules or may contradict the second; else None."""
    denying, other = pair.first, pair.second
    shared = {word for word in denial.words if is_among(word, other.affirmed)}
    subjects = shared & denying.content
    if not subjects or any(not without(shared, theirs.words) for theirs in other.denied):
        return None
    if pair.is_limited and pair.is_other_limited:
        return None
    beyond = without(denial.words & denying.content, other.words)
    missing = pair.others & other.affirmed
    says_so = denial.no_longer or denial.rejected  # the sentence itself says that something else was so
    is_other = says_so and _has_other_subject(denial, denying, other)
    if says_so:
        is_exact = not missing and not is_other
    else:  # the clause denies all that the other affirms, with the same verbs
        has_same_verbs = _has_verbs_of(denial.words, other) and _has_verbs_of(other.affirmed, denying)
        rest = without(other.affirmed & other.content, denial.words)
        is_exact = not rest and has_same_verbs and _frame(denying) == _frame(other)
    if is_exact and not beyond and not pair.is_limited and not denial.is_aside:
        return RelationKind.OVERRULES
    overlap = len(other.affirmed & other.content) - len(missing)
    if not denial.no_longer:
        # "Never A in B" leaves A alone elsewhere, and "A over B" for one purpose says nothing about B for another.
        if beyond or pair.is_limited or (denial.rejected and missing) or len(missing) > len(subjects) * overlap:
            return None
        is_noticed = len(subjects) > 1 or _has_verbs_of(denial.words, other)
    elif beyond or is_other:
        is_noticed = len(missing) < overlap and len(beyond) <= len(subjects) and not (is_other and missing)
    else:
        is_noticed = len(missing) <= _MAX_MISSING_PER_SHARED * overlap
    return RelationKind.MAY_CONTRADICT if is_noticed else None


def _has_other_subject(denial: Denial, denying: StatementProfile, other: StatementProfile) -> bool:
    """Return whether what "no longer" or "instead of" is said of, or for, is not in the other statement.

    "Billing moved from A to B" and "we use B instead of A for billing" say nothing about others who use A.
    """
    start = min(term.position for term in denying.terms if term.word in denial.words)
    if denial.rejected:  # what is chosen stands between the verb and what is rejected
        start = next((i for i, token in enumerate(denying.tokens[:start]) if token in lexicon.LIGHT_WORDS), 0)
    clause = range(start + 1, denying.tokens.index("", start) if "" in denying.tokens[start:] else len(denying.tokens))
    purpose = next((i for i in clause if denying.tokens[i] in lexicon.PURPOSE_WORDS), clause.stop)
    about = {term.word for term in denying.terms if term.position < start or purpose < term.position < clause.stop}
    return bool(without(about & denying.content, other.words))


def _has_verbs_of(words: Iterable[str], other: StatementProfile) -> bool:
    """Return whether a statement has all light words: "never run the build" says nothing about writing one."""
    return not without(stems(lexicon.ALL_LIGHT_WORDS).intersection(words) - stems(lexicon.FILLER_WORDS), other.words)


def _frame(profile: StatementProfile) -> list[str]:
    """Return the words that hold a sentence together: prepositions, "only", letters, "before"."""
    significant = {term.position for term in profile.significant_terms}
    return [
        token
        for i, token in enumerate(profile.tokens)
        if is_letter(token)
        or (token in lexicon.FRAME_WORDS and not significant.isdisjoint(range(i, i + 4)))  # not "in this project"
    ]


# Another order


def _judge_order(pair: _Comparison) -> Relation:
    first, second = pair.first, pair.second
    if first.order and second.order and not (pair.own and pair.others):
        # What comes first in one comes second in the other.
        (early, late), (other_early, other_late) = first.order, second.order
        crossed = _overlap(early, other_late) and _overlap(late, other_early)
        parallel = _overlap(early, other_early) and _overlap(late, other_late)
        if crossed and not parallel:
            is_certain = not (pair.own or pair.others or first.denied or second.denied)
            return Relation(RelationKind.OVERRULES if is_certain else RelationKind.MAY_CONTRADICT, "another order")
    # "A calls B" and "B calls A" can both hold.
    has_same_start = first.tokens[:1] == second.tokens[:1]
    return _question("another order") if has_same_start and is_swapped(first, second) else _UNRELATED


def _overlap(words: Iterable[str], others: frozenset[str]) -> bool:
    return any(is_among(word, others) for word in words)


# Another value


def _judge_value(pair: _Comparison) -> Relation:
    first, second = pair.first, pair.second
    ours, theirs = (
        [term for term in profile.terms if term.kind not in WORD_KINDS and not is_among(term.word, other.words)]
        for profile, other in ((first, second), (second, first))
    )
    values = next(((a, b) for a in ours for b in theirs if _are_comparable(a, b, first, second)), None)
    bounds = (lexicon.LOWER_BOUND_WORDS, lexicon.UPPER_BOUND_WORDS)
    ends = [[not words.isdisjoint(profile.tokens) for words in bounds] for profile in (first, second)]
    are_range_ends = sorted(ends) == [[False, True], [True, False]]
    if values is None or pair.is_limited or pair.is_other_limited or are_range_ends:
        return _UNRELATED
    a, b = values
    if a.is_label and b.is_label and a.neighbor == b.neighbor and a.neighbor in stems(lexicon.LABEL_WORDS):
        return _UNRELATED  # "step 3" and "step 5" are two steps
    reason = f"another value: {_value_text(first, a)} and {_value_text(second, b)}"
    if _is_only_difference(first, second, a, b):
        is_certain = _is_predicated(first, a) and _is_predicated(second, b)
        return Relation(RelationKind.OVERRULES if is_certain else RelationKind.MAY_CONTRADICT, reason)
    if _is_in_subject(first, a) and _is_in_subject(second, b):
        return _UNRELATED
    return _question(reason) if _share_subject(first, second, a, b) else _UNRELATED


def _are_comparable(
    ours: StatementTerm, theirs: StatementTerm, first: StatementProfile, second: StatementProfile
) -> bool:
    """Return whether two values answer the same question."""
    if ours.kind in NAME_KINDS and theirs.kind in NAME_KINDS:
        if ours.family or theirs.family:
            return ours.family == theirs.family
        return _is_stated_last(ours, first, second) and _is_stated_last(theirs, second, first)
    if ours.kind != theirs.kind or ours.neighbor == theirs.neighbor:
        return ours.kind == theirs.kind
    is_shared = not ours.neighbor or is_among(ours.neighbor, second.words)
    return is_shared and (not theirs.neighbor or is_among(theirs.neighbor, first.words))


def _is_stated_last(value: StatementTerm, profile: StatementProfile, other: StatementProfile) -> bool:
    """Return whether a value is stated of something ("as app_rw", "use Zod", "Team A owns"). Else it is acted on.

    What follows it must be in the other statement, too.
    """
    before = profile.tokens[value.position - 1] if value.position else ""
    is_preposition = before in lexicon.FUNCTION_WORDS and before not in lexicon.DETERMINERS
    follows_link = is_preposition or before in lexicon.LINK_WORDS or before in lexicon.NAMING_VERBS
    after = profile.tokens[value.position + 1 : value.position + 2]
    following = (term for term in profile.terms if term.position > value.position + 1 and term.kind != "light")
    is_stated = follows_link or not lexicon.DUTY_VERBS.isdisjoint(after)
    return is_stated and all(is_among(term.word, other.words) for term in following)


def _is_only_difference(
    first: StatementProfile, second: StatementProfile, value: StatementTerm, other: StatementTerm
) -> bool:
    """Return whether two statements have the same terms in the same order, but for this value."""
    if bool(first.denied) != bool(second.denied) or _frame(first) != _frame(second):
        return False
    ours, theirs = first.significant_terms, second.significant_terms
    if len(ours) != len(theirs):
        return False
    differing = [(a, b) for a, b in zip(ours, theirs, strict=True) if not is_same_word(a.word, b.word)]
    return differing == [(value, other)]


def _is_predicated(profile: StatementProfile, value: StatementTerm) -> bool:
    """Return whether a value is what a statement says of its subject, and no part of the subject.

    A name without a family is one only after "is": "alerts go to A" and "alerts go to B" can both hold.
    """
    is_any = profile.tokens[0] in ("a", "an") or not lexicon.ADDITIVE_WORDS.isdisjoint(profile.tokens)
    if is_any or _is_in_subject(profile, value):
        return False
    if value.kind in NAME_KINDS and not value.family:
        before = profile.tokens[: value.position][-2:]
        linking = [token for token in before if token not in lexicon.FUNCTION_WORDS or token in _COPULAS]
        return not _COPULAS.isdisjoint(linking[-1:])
    has_subject = any(term is not value and term.kind != "light" for term in profile.significant_terms)
    return has_subject or not value.family or value.family in lexicon.SINGLE_CHOICES


def _is_in_subject(profile: StatementProfile, value: StatementTerm) -> bool:
    """Return whether a value stands before the first verb, or begins a sentence without a known one."""
    return value.position < next((i for i, token in enumerate(profile.tokens) if token in _VERBS), 1)


def _share_subject(
    first: StatementProfile, second: StatementProfile, value: StatementTerm, other: StatementTerm
) -> bool:
    """Return whether two statements share the subject that has the values.

    What only one of them is about must not outweigh what both are about. Names of no family need more in common.
    """
    own, others = _nouns_besides(first, second, value), _nouns_besides(second, first, other)
    places = zip(first.tokens, second.tokens, strict=False)
    is_parallel = len(first.tokens) == len(second.tokens)  # "timeouts for reads" and "timeouts for writes"
    if (own and others) or (is_parallel and any(a != b and {a, b} <= lexicon.VAGUE_NOUNS for a, b in places)):
        return False
    label = value.neighbor if value.is_label and other.is_label else ""
    nouns = first.content | (first.words & stems(lexicon.VAGUE_NOUNS)) - stems(lexicon.FILLER_WORDS)
    shared = [word for word in nouns if word != label and is_among(word, second.words)]
    is_loose = value.kind in NAME_KINDS and not value.family
    return len(own | others) + is_loose <= len(shared) and bool(shared)


def _nouns_besides(profile: StatementProfile, other: StatementProfile, value: StatementTerm) -> set[str]:
    """Return what only one statement is about, without a value and what belongs to it ("MySQL 8")."""
    besides = (term for term in profile.terms if term.kind in WORD_KINDS or abs(term.position - value.position) > 1)
    return without({term.word for term in besides} & profile.content - {value.word}, other.words)


def _value_text(profile: StatementProfile, term: StatementTerm) -> str:
    """Return a value as it was written, with its unit."""
    text, *following = profile.tokens[term.position : term.position + 2]
    has_unit = term.kind != "number" and following and following[0] in lexicon.UNITS
    return f"{text} {following[0]}" if has_unit else text


def _judge_ending(pair: _Comparison) -> Relation:
    """Notice two sentences that differ only in what their end names: "hashed with bcrypt", "the default is x"."""
    ours, theirs = ([token for token in profile.tokens if token] for profile in (pair.first, pair.second))
    differing = (i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b)
    same = next(differing, min(len(ours), len(theirs)))
    ends = ours[same:], theirs[same:]
    if pair.is_limited or pair.is_other_limited or not all(0 < len(end) <= _MAX_SLOT_WORDS for end in ends):
        return _UNRELATED
    link = next((word for word in reversed(ours[:same]) if word not in lexicon.DETERMINERS), "")
    is_unique = link in (*_COPULAS, "are") and not lexicon.UNIQUE_WORDS.isdisjoint(ours[:same])
    has_subject = any(term.position < same for term in pair.first.significant_terms)
    if not has_subject or not (is_unique or link in lexicon.LINK_WORDS) or pair.first.denied or pair.second.denied:
        return _UNRELATED
    return _question(f"another value: {' '.join(ends[0])} and {' '.join(ends[1])}")


# Alike in most words, and a sign that one is against the other


def _judge_similarity(pair: _Comparison, turned: _Comparison) -> Relation:
    first, second = pair.first, pair.second
    if not pair.shares(_MIN_SHARED) or (pair.is_limited and pair.is_other_limited):
        return _UNRELATED
    # Two sentences that begin alike and go on differently are about two things.
    is_one_subject = not (pair.own and pair.others) or (
        pair.shares(_MIN_SHARED + 1) and first.tokens[:2] != second.tokens[:2]
    )
    if first.is_change != second.is_change or (is_one_subject and bool(first.denied) != bool(second.denied)):
        return _question(_DENIED)
    if _is_wider(pair) or _is_wider(turned):
        return _question("one says only, or names something else, too")
    return _UNRELATED


def _is_wider(pair: _Comparison) -> bool:
    """Return whether the first statement allows more than the second.

    It says "anyone" or no "only", or names another member of a family beside the one that both name.
    """
    profile, other = pair.first, pair.second
    families = {term.family for term in other.terms if term.family and term.word in profile.words}
    if not pair.others and any(term.word in pair.own and term.family in families for term in profile.terms):
        return True
    if lexicon.ONLY_WORDS.isdisjoint(other.tokens) or not lexicon.ONLY_WORDS.isdisjoint(profile.tokens):
        return False
    return (not pair.others and not other.conditions) or not lexicon.ANYONE_WORDS.isdisjoint(profile.tokens)


# Alike in topics, which join derived words and synonyms. That is never certain, so it is only asked about.


def _doubts(pair: _Comparison, turned: _Comparison, shared: int) -> Iterator[str]:
    """Yield in what two statements may be against each other, in words.

    | sign       | example                                                                            |
    |------------|------------------------------------------------------------------------------------|
    | change     | "The bastion takes passwords" and "Password login on the bastion is disabled"      |
    | permission | "Don't tell customers about Pelican" and "It's fine to mention Pelican to clients" |
    | degree     | "Keep comments to a minimum" and "Comment every function thoroughly"               |
    | reversal   | "Flags are on by default" and "Flags are off by default"                           |
    | value      | "SDK documentation lives in Confluence" and "The SDK docs are found in docs/"      |
    """
    for side in (pair, turned):
        first, second = side.first, side.second
        if _is_changed(first, second) or _permits(side, shared):
            yield _DENIED
        is_less = not lexicon.LITTLE_WORDS.isdisjoint(first.tokens) and not lexicon.MUCH_WORDS.isdisjoint(second.tokens)
        if is_less and 2 * shared >= min(len(first.topics), len(second.topics)):
            yield "one wants little of it, the other much"
    if pair.first.topics == pair.second.topics and is_reversed(pair.first.tokens, pair.second.tokens):
        yield "one says the reverse of the other"
    if not pair.is_limited and not pair.is_other_limited:
        yield from _linked_values(pair.first, pair.second)


def _is_changed(changing: StatementProfile, other: StatementProfile) -> bool:
    """Return whether what changed is what the other is about."""
    shared = changing.changed & other.topics
    if not shared or other.changed or len(changing.changed) - len(shared) > (len(shared) > 1):
        return False
    # The other names what is chosen now: "we switched from A to B" and "B is our bundler".
    confirms = changing.denied and any(term.family and term.word in changing.affirmed for term in other.terms)
    # They begin with different names: "web1 no longer runs nginx" and "web2 runs nginx".
    heads = [term for profile in (changing, other) for term in profile.terms[:1]]
    are_names = all(head.kind in NAME_KINDS and not head.family for head in heads)
    if confirms or (are_names and len({head.word for head in heads}) > 1):
        return False
    return len(shared) > 1 or len(other.topics) <= _MAX_TOPICS_OF_ONE


def _permits(pair: _Comparison, shared: int) -> bool:
    """Return whether the first asks for or allows what the second forbids, in no other case or place."""
    permitting, forbidding = pair.first, pair.second
    is_permission = forbidding.is_negative and not lexicon.PERMISSION_WORDS.isdisjoint(permitting.tokens)
    if not is_permission or pair.is_limited or shared < 2 or len(forbidding.topics) - shared > 1:
        return False
    return all(term.word in permitting.words for term in forbidding.terms if term.kind in NAME_KINDS)


def _linked_values(first: StatementProfile, second: StatementProfile) -> Iterator[str]:
    """Yield in which names two statements differ that have one subject and one kind of predicate."""
    ours, theirs = (
        [term for term in profile.terms if term.kind in NAME_KINDS and term.word not in other.words]
        for profile, other in ((first, second), (second, first))
    )
    if not ours or not theirs:
        return
    predicates, others = (
        {lexicon.LINKING_VERBS[token] for token in profile.tokens if token in lexicon.LINKING_VERBS}
        for profile in (first, second)
    )
    for a, b in product(ours, theirs):
        if a.family and b.family and not {a.family, b.family} <= _STORES:
            is_value = a.family == b.family and (not predicates or not others or bool(predicates & others))
        else:
            is_value = bool(predicates & others) and _follows_link(a, first) and _follows_link(b, second)
        if is_value:
            about, other_about = _topics_besides(first, a), _topics_besides(second, b)
            if about & other_about and len(about ^ other_about) <= 1:
                yield f"another value: {first.tokens[a.position]} and {second.tokens[b.position]}"


def _follows_link(term: StatementTerm, profile: StatementProfile) -> bool:
    """Return whether a value follows a preposition, or is said to hold something: "in the vault X", "Redis holds"."""
    if term.position == 0:
        return not lexicon.LINKING_VERBS.keys().isdisjoint(profile.tokens[1:2])
    before = [token for token in profile.tokens[: term.position] if token not in lexicon.DETERMINERS | {"our", "my"}]
    return not lexicon.LINK_WORDS.isdisjoint(before[-2:])


def _topics_besides(profile: StatementProfile, value: StatementTerm) -> set[str]:
    """Return the topics of all but a value of several words: "AWS Secrets Manager"."""
    names = {term.position for term in profile.terms if term.kind in NAME_KINDS}
    end = value.position + 1
    while end in names:
        end += 1
    return topics_of_tokens((*profile.tokens[: value.position], *profile.tokens[end:]))
