"""How two statements relate: the same, opposed, or neither (S13)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum
from functools import cache

from tacit.model import lexicon
from tacit.model.profile import Ordering, StatementProfile, profile_statement
from tacit.model.terms import StatementTerm, light_word_stems, vague_noun_stems
from tacit.record import Record
from tacit.text.words import simple_stem

# How two statements stand to each other: the same, opposed, or neither (S13).
#
# They are opposed when one denies what the other affirms, when they give another value for the same subject, or put
# the same things into another order. They are the same only where nothing tells them apart: no digit, no single
# letter, no name, no negation, no order. Anything else is neither: both can hold. A false "same" would count a
# correction as a confirmation, a false "opposed" would silence a true memory, so doubt means "neither".

# Derived words: letters they begin with alike, as a share of the shorter word, and what each may end in.
_MIN_COGNATE_PREFIX, _MIN_COGNATE_SHARE, _MAX_SHORT_SUFFIX, _MAX_LONG_SUFFIX = 5, 0.7, 2, 6
_MAX_FILLER_WORDS = 4  # words that only fill a sentence, at most
_MAX_MISSING_PER_SHARED = 3  # words of its own that a statement may have for each that is denied
_MAX_LEFTOVER_SHARE = 0.34  # of what a statement affirms, when a story says that it is over
_DETERMINERS = frozenset("a an the this that all every each any der die das le la les el los las".split())
_NAME_KINDS = frozenset(("name", "code"))


class RelationKind(Enum):
    """How two statements stand to each other."""

    SAME = "the same"
    OPPOSED = "opposed"
    NEITHER = "neither"


class Relation(Record):
    """The bond of two statements and, where they are opposed, in what they differ (words for a person)."""

    kind: RelationKind
    reason: str = ""


_NO_RELATION = Relation(RelationKind.NEITHER)


def relate(one: str, other: str) -> Relation:
    """Compare two statements. Symmetric: the order in which they are given does not matter."""
    return compare_profiles(profile_statement(one), profile_statement(other))


def compare_profiles(one: StatementProfile, other: StatementProfile) -> Relation:
    """As `relation`, of statements that were read already."""
    if one.tokens > other.tokens:
        one, other = other, one
    if is_same_statement(one, other):
        return Relation(RelationKind.SAME)
    if one.is_negative and other.is_negative:
        return _NO_RELATION
    why = (
        (one.denied and _denial_reason(one, other))
        or (other.denied and _denial_reason(other, one))
        or _order_reason(one, other)
        or _value_reason(one, other)
        or _ending_reason(one, other)
    )
    return Relation(RelationKind.OPPOSED, why) if why else _NO_RELATION


# The same


def is_same_statement(one: StatementProfile, other: StatementProfile) -> bool:
    """Whether nothing that could tell two rules apart differs."""
    if abs(len(one.terms) - len(other.terms)) > _MAX_FILLER_WORDS:
        return False
    mine, theirs = _significant_terms(one.terms), _significant_terms(other.terms)
    if len(mine) < 1 or len(one.words) + len(other.words) < 4 or len(mine) != len(theirs):
        return False
    if _identifiers(one) != _identifiers(other) or _order_words(one) != _order_words(other) or _is_swapped(one, other):
        return False
    if bool(one.denied) != bool(other.denied) or one.is_negative != other.is_negative:
        return False
    if not _has_same_order(one.order, other.order):
        return False
    # Names in the same order, and the other words too: "A calls B" and "B calls A" have the same words.
    return all(
        len(ours) == len(others) and all(_is_same_word(a, b) for a, b in zip(ours, others, strict=True))
        for ours, others in zip(_split_names(mine), _split_names(theirs), strict=True)
    )


def _split_names(terms: Iterable[StatementTerm]) -> tuple[list[str], list[str]]:
    """Names and figures, and the other words."""
    every = list(terms)
    plain = ("plain", "light")
    return [one.word for one in every if one.kind not in plain], [one.word for one in every if one.kind in plain]


def _has_same_order(one: Ordering | None, other: Ordering | None) -> bool:
    if one is None or other is None:
        return one is other
    return _contains_all(one.first, other.first) and _contains_all(one.second, other.second)


def _identifiers(one: StatementProfile) -> list[str]:
    """Every number, single letter, name and identifier."""
    loose = [token for token in one.tokens if len(token) == 1 and token.isalpha() and token not in ("a", "i")]
    return sorted([*loose, *(term.word for term in one.terms if term.kind not in ("plain", "light"))])


def _order_words(one: StatementProfile) -> list[str]:
    told = (lexicon.BEFORE_WORDS, lexicon.AFTER_WORDS, lexicon.THEN_WORDS, lexicon.FIRST_WORDS)
    return [token for token in one.tokens if any(token in words for words in told)]


# Denied


def _denial_reason(one: StatementProfile, other: StatementProfile) -> str:
    """What `one` denies of that which `other` affirms."""
    for denial in one.denied:
        denied = denial.words
        shared = {word for word in denied if _is_among(word, other.affirmed)}
        if not _has_shared_topic(shared, other) or any(_contains_all(shared, theirs.words) for theirs in other.denied):
            continue
        beyond, missing = _extra_words(denied, other), _extra_words(other.affirmed, one)
        if beyond and not denial.no_longer:  # "never A in B" leaves A alone elsewhere
            continue
        if len(_extra_words(shared)) == 1 and not denial.no_longer and _has_other_verb(denied, shared, other):
            continue
        if denial.rejected and any(term.kind == "plain" and term.word in missing for term in other.terms):
            continue  # "A over B" for one purpose says nothing about B for another
        if len(missing) > _MAX_MISSING_PER_SHARED * len(_extra_words(shared)) and not _has_shared_name(shared, other):
            continue
        if (
            beyond
            and missing
            and not _has_shared_name(shared, other)
            and len(missing) > _MAX_LEFTOVER_SHARE * len(_extra_words(other.affirmed))
        ):
            continue
        if not denial.no_longer and _is_limited_to_other_case(one, other, one.words):
            continue
        return "one says so, the other says it is not or no longer so"
    return ""


def _has_shared_topic(shared: Collection[str], other: StatementProfile) -> bool:
    """Whether what two clauses share is enough to be about the same thing."""
    kinds = {term.word: term.kind for term in other.terms}
    return any(kinds.get(word) != "light" for word in shared)


def _has_other_verb(denied: Collection[str], shared: Collection[str], other: StatementProfile) -> bool:
    """Where one word is all that is shared, and it is no name, the light words have to agree too: "never run the build
    repeatedly" says nothing about repeating other work."""
    light = {word for word in denied if word in light_word_stems() and word not in _filler_stems()}
    return not _has_shared_name(shared, other) and any(not _is_among(word, other.words) for word in light)


def _has_shared_name(shared: Collection[str], other: StatementProfile) -> bool:
    """Whether a name is among them: what is said of "Redux" is said of nothing else."""
    return any(term.kind in _NAME_KINDS and _is_among(term.word, shared) for term in other.terms)


def _contains_all(shared: Collection[str], words: Collection[str]) -> bool:
    return all(_is_among(word, words) for word in shared)


# Order


def _order_reason(one: StatementProfile, other: StatementProfile) -> str:
    if _is_swapped(one, other):
        return "another order"
    if one.order is None or other.order is None or _are_two_subjects(one, other):
        return ""
    mine, theirs = one.order, other.order
    crossed = _contains_any(mine.first, theirs.second) and _contains_any(mine.second, theirs.first)
    parallel = _contains_any(mine.first, theirs.first) and _contains_any(mine.second, theirs.second)
    return "another order" if crossed and not parallel else ""


def _contains_any(one: Iterable[str], other: Collection[str]) -> bool:
    return any(_is_among(word, other) for word in one)


def _is_swapped(one: StatementProfile, other: StatementProfile) -> bool:
    """The same words, of which some have changed places while the words between them stayed."""
    if len(one.tokens) != len(other.tokens) or sorted(one.tokens) != sorted(other.tokens):
        return False
    moved = [(a, b) for a, b in zip(one.tokens, other.tokens, strict=True) if a != b]
    return 2 <= len(moved) <= 6 and not any(
        a in lexicon.FUNCTION_WORDS or b in lexicon.FUNCTION_WORDS for a, b in moved
    )


# Values


def _value_reason(one: StatementProfile, other: StatementProfile) -> str:
    if one.is_negative or other.is_negative:
        return ""
    mine, theirs = _unshared_values(one, other), _unshared_values(other, one)
    if other.is_change and not one.is_change:
        mine = mine or _value_terms(one)
    elif one.is_change and not other.is_change:
        theirs = theirs or _value_terms(other)
    pair = next(((a, b) for a in mine for b in theirs if _are_comparable(a, b, one, other)), None)
    if pair is None or _are_range_ends(one, other) or _has_other_subject(one, other) or _is_other_item(mine, theirs):
        return ""
    follows = _is_succession(one, other, pair)
    is_two = (
        len(_adjacent_terms(mine)) > 1
        and len(_adjacent_terms(theirs)) > 1
        and any(term.kind in _NAME_KINDS for term in mine)
    )
    is_limited = _is_limited_to_other_case(one, other, one.words) or _is_limited_to_other_case(other, one, other.words)
    if is_two or is_limited or (_are_two_subjects(one, other) and not follows):
        return ""
    return (
        _format_value_reason(_value_text(one, pair[0]), _value_text(other, pair[1]))
        if _has_same_subject(one, other, pair, follows)
        else ""
    )


def _has_same_subject(
    one: StatementProfile, other: StatementProfile, pair: tuple[StatementTerm, StatementTerm], follows: bool
) -> bool:
    """Whether two statements with different values share the subject that the values are of."""
    shared = [term for term in one.terms if _is_among(term.word, other.words)]
    label = pair[0].neighbor if pair[0].is_label and pair[1].is_label else ""
    if any(term.kind != "light" and term.word != label for term in shared):
        return True
    return (not label and _is_rest_same(one, other)) or (
        follows and any(term.word not in _filler_stems() for term in shared)
    )


def _value_text(own: StatementProfile, term: StatementTerm) -> str:
    """A value as it was written, with its unit."""
    unit = own.tokens[term.position + 1] if term.position + 1 < len(own.tokens) else ""
    return (
        f"{own.tokens[term.position]} {unit}"
        if unit in lexicon.UNITS and term.kind != "number"
        else own.tokens[term.position]
    )


def _format_value_reason(one: str, other: str) -> str:
    return f"another value: {one} and {other}"


def _is_succession(one: StatementProfile, other: StatementProfile, pair: tuple[StatementTerm, StatementTerm]) -> bool:
    """A story that names the old value beside the new one, or a new one of the same class, needs no other likeness."""
    if one.is_change == other.is_change:
        return False
    story, old = (one, pair[1]) if one.is_change else (other, pair[0])
    return bool(old.family) or _is_among(old.word, story.words)


def _is_other_item(one: Iterable[StatementTerm], other: Iterable[StatementTerm]) -> bool:
    """ "Step 3" and "step 5" are two steps."""
    mine, theirs = list(one), list(other)
    labels = {term.neighbor for term in mine if term.is_label}
    shared = {term.neighbor for term in theirs if term.is_label and term.neighbor in labels}
    return bool(shared & _label_stems()) or bool(shared and min(len(mine), len(theirs)) > 1)


@cache
def _label_stems() -> frozenset[str]:
    return frozenset(simple_stem(word) for word in lexicon.LABEL_WORDS)


def _is_rest_same(one: StatementProfile, other: StatementProfile) -> bool:
    """Whether two statements name nothing but a value, or the same besides: "use npm", "max line length is 88"."""
    plain = [
        [term.word for term in _significant_terms(side.terms) if term.kind in ("plain", "light")]
        for side in (one, other)
    ]
    return all(_is_among(word, plain[1]) for word in plain[0]) and all(_is_among(word, plain[0]) for word in plain[1])


def _value_terms(one: StatementProfile) -> list[StatementTerm]:
    return [term for term in one.terms if term.kind not in ("plain", "light")]


def _unshared_values(one: StatementProfile, other: StatementProfile) -> list[StatementTerm]:
    return [term for term in _value_terms(one) if not _is_among(term.word, other.words)]


def _differing_slots(one: StatementProfile, other: StatementProfile) -> list[tuple[list[str], list[str]]]:
    """Where two statements differ, if they are built alike: the words that stand in the same places. Else nothing."""
    ours, others = one.tokens, other.tokens
    if len(ours) != len(others):
        return []
    slots: list[tuple[list[str], list[str]]] = []
    last = -2
    for at, (a, b) in enumerate(zip(ours, others, strict=True)):
        if a == b:
            continue
        if a in lexicon.FUNCTION_WORDS or b in lexicon.FUNCTION_WORDS:
            return []
        if at == last + 1:
            slots[-1][0].append(a)
            slots[-1][1].append(b)
        else:
            slots.append(([a], [b]))
        last = at
    return slots


def _has_other_subject(one: StatementProfile, other: StatementProfile) -> bool:
    """Built alike, with another word in the place of the subject too: "timeouts for reads", "timeouts for writes"."""
    slots = _differing_slots(one, other)
    differing = sum(len(ours) for ours, _ in slots)
    if len(slots) < 2 or 2 * differing > len(one.tokens):
        return False
    return any(_has_subject_word(ours) and _has_subject_word(others) for ours, others in slots)


def _has_subject_word(slot: Iterable[str]) -> bool:
    """Whether it holds a word that a subject could be named by: no unit, no verb that links."""
    return any(word.isalpha() and word not in lexicon.UNITS and _is_subject_word(word) for word in slot)


def _is_subject_word(word: str) -> bool:
    return word in lexicon.VAGUE_NOUNS or word not in lexicon.LIGHT_WORDS


def _ending_reason(one: StatementProfile, other: StatementProfile) -> str:
    """The same sentence up to its end, which names another thing: "hashed with bcrypt", "the default branch is x"."""
    ours, others = [token for token in one.tokens if token], [token for token in other.tokens if token]
    same = next(
        (at for at, (a, b) in enumerate(zip(ours, others, strict=False)) if a != b), min(len(ours), len(others))
    )
    mine, theirs = ours[same:], others[same:]
    if not mine or not theirs or max(len(mine), len(theirs)) > 3 or same < 2 or one.denied or other.denied:
        return _beginning_reason(ours, others)
    if _is_limited_to_other_case(one, other, one.words) or _is_limited_to_other_case(other, one, other.words):
        return ""
    link = ours[same - 1]
    named = link in ("is", "are", "=", "ist", "est", "es") and not lexicon.UNIQUE_WORDS.isdisjoint(ours[:same])
    told = any(term.position < same and term.word not in _filler_stems() for term in one.terms)
    return (
        _format_value_reason(" ".join(mine), " ".join(theirs)) if told and (named or link in lexicon.LINK_WORDS) else ""
    )


def _beginning_reason(ours: list[str], others: list[str]) -> str:
    """ "Carol is the owner of it", "Dave is the owner of it"."""
    if len(ours) < 4 or ours[1:] != others[1:] or ours[0] == others[0] or ours[1] not in lexicon.RESPONSIBILITY_VERBS:
        return ""
    return _format_value_reason(ours[0], others[0]) if ours[1] != "is" or ours[2] in ("the", "our", "my") else ""


def _are_comparable(one: StatementTerm, other: StatementTerm, mine: StatementProfile, theirs: StatementProfile) -> bool:
    """Whether two values answer the same question."""
    if one.kind in _NAME_KINDS and other.kind in _NAME_KINDS:
        if one.family or other.family:
            return one.family == other.family
        if _name_shape(one.word) == "option" and not _are_rival_options(one.word, other.word):
            return False
        return _name_shape(one.word) == _name_shape(other.word) and _are_interchangeable(one, other, mine, theirs)
    if one.kind != other.kind:
        return False
    if one.neighbor == other.neighbor:
        return True
    return (not one.neighbor or _is_among(one.neighbor, theirs.words)) and (
        not other.neighbor or _is_among(other.neighbor, mine.words)
    )


def _are_rival_options(one: str, other: str) -> bool:
    """`--force` and `--force-with-lease`, `--x` and `--no-x`, `-v` and `-V`. Other options can be given together."""
    first, second = (word.lstrip("-").removeprefix("no-").lower() for word in (one, other))
    if not (one.startswith("--") and other.startswith("--")):
        return True
    return first.startswith(second) or second.startswith(first)


def _are_interchangeable(
    one: StatementTerm, other: StatementTerm, mine: StatementProfile, theirs: StatementProfile
) -> bool:
    """Whether two names of no known class stand in each other's place."""
    if mine.is_change or theirs.is_change:
        return True
    linked = _is_linked(one, mine) and _is_linked(other, theirs)
    final = _are_close(mine, theirs) and _is_final(one, mine, theirs) and _is_final(other, theirs, mine)
    return linked and (final or bool(_differing_slots(mine, theirs)))


def _is_linked(term: StatementTerm, own: StatementProfile) -> bool:
    """Whether a value is told of something: "as app_rw", "Team A owns". Else it is what an act is done to."""
    before = own.tokens[term.position - 1] if term.position else ""
    behind = own.tokens[term.position + 1] if term.position + 1 < len(own.tokens) else ""
    linked = (before in lexicon.FUNCTION_WORDS and before not in _DETERMINERS) or before in lexicon.LINK_WORDS
    return linked or (behind in lexicon.RESPONSIBILITY_VERBS and behind != "is") or _name_shape(term.word) == "option"


def _name_shape(word: str) -> str:
    """An option, a path, a ticket and a plain name never stand in each other's place."""
    if word.startswith("-"):
        return "option"
    return "path" if "/" in word else "plain"


def _are_close(one: StatementProfile, other: StatementProfile) -> bool:
    """Whether two statements share most of what they are about."""
    shared = {term.word for term in one.terms if term.kind != "light" and _is_among(term.word, other.words)}
    return len(shared) > 1 or (
        len(shared) == 1 and not _extra_plain_words(one, other) and not _extra_plain_words(other, one)
    )


def _is_final(term: StatementTerm, own: StatementProfile, other: StatementProfile) -> bool:
    """Whether a statement ends in this value: behind it stands nothing that the other does not say too."""
    behind = (one for one in own.terms if one.position > term.position + 1 and one.kind != "light")
    return all(_is_among(one.word, other.words) for one in behind)


def _adjacent_terms(terms: Collection[StatementTerm]) -> list[list[StatementTerm]]:
    """Terms that stand side by side are one value ("MySQL 8")."""
    runs: list[list[StatementTerm]] = []
    for term in sorted(terms, key=lambda term: term.position):
        if runs and term.position - runs[-1][-1].position <= 1:
            runs[-1].append(term)
        else:
            runs.append([term])
    return runs


def _are_range_ends(one: StatementProfile, other: StatementProfile) -> bool:
    lows, highs = set(one.tokens), set(other.tokens)
    return any(
        first & lexicon.LOWER_BOUND_WORDS
        and second & lexicon.UPPER_BOUND_WORDS
        and not first & lexicon.UPPER_BOUND_WORDS
        and not second & lexicon.LOWER_BOUND_WORDS
        for first, second in ((lows, highs), (highs, lows))
    )


# Subjects


def _are_two_subjects(one: StatementProfile, other: StatementProfile) -> bool:
    """Each is about something that the other is not: two subjects."""
    mine, theirs = _extra_plain_words(one, other), _extra_plain_words(other, one)
    return (
        bool(mine and theirs)
        or bool(mine and _extra_vague_words(other, one))
        or bool(theirs and _extra_vague_words(one, other))
    )


def _extra_plain_words(one: StatementProfile, other: StatementProfile) -> set[str]:
    return {term.word for term in one.terms if term.kind == "plain" and not _is_among(term.word, other.words)}


def _extra_vague_words(one: StatementProfile, other: StatementProfile) -> set[str]:
    return {word for word in one.words if word in vague_noun_stems() and not _is_among(word, other.words)}


def _extra_words(words: Collection[str], other: StatementProfile | None = None) -> set[str]:
    """Of these, what `other` does not speak of; light words do not count."""
    strong = {word for word in words if word not in light_word_stems()}
    return {word for word in strong if not (other and _is_among(word, other.words))}


def _is_limited_to_other_case(one: StatementProfile, other: StatementProfile, words: Collection[str]) -> bool:
    """Whether `one` holds only in a case that `other` does not speak of."""
    return any(word in words and not _is_among(word, other.words) for word in one.conditions)


def _significant_terms(terms: Iterable[StatementTerm]) -> list[StatementTerm]:
    return [term for term in terms if term.word not in _filler_stems()]


@cache
def _filler_stems() -> frozenset[str]:
    return frozenset(simple_stem(lexicon.ALIASES.get(word, word)) for word in lexicon.FILLER_WORDS)


def _is_among(word: str, words: Collection[str]) -> bool:
    if word in words:
        return True
    begin = word[:_MIN_COGNATE_PREFIX]
    return len(word) >= _MIN_COGNATE_PREFIX and any(
        other.startswith(begin) and _is_same_word(word, other) for other in words
    )


def _is_same_word(one: str, other: str) -> bool:
    """The same word, or one derived from the other; nothing with digits or signs is ever nearly the same."""
    if one == other:
        return True
    if one[:_MIN_COGNATE_PREFIX] != other[:_MIN_COGNATE_PREFIX] or not (one.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((len(one), len(other)))
    alike = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return (
        alike >= _MIN_COGNATE_SHARE * shorter
        and shorter - alike <= _MAX_SHORT_SUFFIX
        and longer - alike <= _MAX_LONG_SUFFIX
    )


# Whether two sentences say the same thing in other words.
#
# Careful rather than clever: what is not plainly the same stays two memories, and a person can merge them. The
# opposite of a rule often has the same words, so nothing may differ that could tell two rules apart (see `relation`).


def is_restatement(one: str, other: str) -> bool:
    """Whether the second may count as one more observation of the first, and the other way round."""
    return is_same_statement(profile_statement(one), profile_statement(other))
