"""How two statements relate: the same, opposed, or neither (S13).

They are opposed if one denies what the other affirms, if they give another value for the same subject, or put the same
things into another order. They are the same only if nothing distinguishes them: no digit, no single letter, no name, no
negation, no order. Everything else is neither, and both can hold. A false "same" would count a correction as a
confirmation, and a false "opposed" would silence a true memory, so doubt means "neither".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from functools import cache
from itertools import pairwise

from tacit.model import lexicon
from tacit.model.profile import Ordering, StatementProfile, profile_statement
from tacit.model.terms import StatementTerm, light_word_stems, vague_noun_stems
from tacit.record import Record
from tacit.text.words import simple_stem

# Derived words: the length of their common prefix, its share of the shorter word, and the suffixes after it.
_MIN_COGNATE_PREFIX, _MIN_COGNATE_SHARE, _MAX_SHORT_SUFFIX, _MAX_LONG_SUFFIX = 5, 0.7, 2, 6
_MAX_FILLER_WORDS = 4  # more terms of one statement: they are not the same
_MAX_MISSING_PER_SHARED = 3  # words of its own that a statement may have for each one that is denied
_MAX_LEFTOVER_SHARE = 0.34  # of what a statement affirms, if the other says that it is over
_DETERMINERS = frozenset("a an the this that all every each any der die das le la les el los las".split())
_NAME_KINDS = frozenset(("name", "code"))
_WORD_KINDS = frozenset(("plain", "light"))  # other terms are values: names and figures


class RelationKind(Enum):
    """How two statements relate."""

    SAME = "the same"
    OPPOSED = "opposed"
    NEITHER = "neither"


class Relation(Record):
    """How two statements relate and, if they are opposed, in what they differ (words for a person)."""

    kind: RelationKind
    reason: str = ""


_NO_RELATION = Relation(RelationKind.NEITHER)


def relate(first: str, second: str) -> Relation:
    """Compare two statements. Their order does not matter."""
    relation = compare_profiles(profile_statement(first), profile_statement(second))
    return _NO_RELATION if relation.kind is RelationKind.OPPOSED and choose_alike(first, second) else relation


def contradict(first: str, second: str) -> bool:
    """Return whether two statements are opposed, as `relate` does.

    Most pairs have no reason to be, so that is looked for first, and whether they are the same only if there is one.
    """
    ours, theirs = _ordered(profile_statement(first), profile_statement(second))
    return (
        bool(_opposition_reason(ours, theirs))
        and not is_same_statement(ours, theirs)
        and not choose_alike(first, second)
    )


def choose_alike(first: str, second: str) -> bool:
    """Return whether two statements forbid the same command and neither forbids what the other wants in its place.

    "Never npm here, use pnpm" denies what "use pnpm instead of npm" has in it, and yet says the same.
    """
    from tacit.commandline.patterns import ForbidsCommand
    from tacit.model.expectations import read_expectations  # it needs the tables of programs

    match read_expectations(first), read_expectations(second):
        case (ForbidsCommand() as ours,), (ForbidsCommand() as theirs,):
            forbidden, instead = ({pattern.text for pattern in patterns} for patterns in ours)
            others_forbidden, others_instead = ({pattern.text for pattern in patterns} for patterns in theirs)
            is_same = not forbidden.isdisjoint(others_forbidden) and (
                not instead or not others_instead or not instead.isdisjoint(others_instead)
            )
            return is_same and forbidden.isdisjoint(others_instead) and others_forbidden.isdisjoint(instead)
    return False


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
    prefixes = tuple(tuple(word[:_MIN_COGNATE_PREFIX] for word in part) for part in (values, words))
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
    return frozenset(map(simple_stem, names))


def compare_profiles(first: StatementProfile, second: StatementProfile) -> Relation:
    """Compare two parsed statements as `relate` does."""
    first, second = _ordered(first, second)
    if is_same_statement(first, second):
        return Relation(RelationKind.SAME)
    reason = _opposition_reason(first, second)
    return Relation(RelationKind.OPPOSED, reason) if reason else _NO_RELATION


def _ordered(first: StatementProfile, second: StatementProfile) -> tuple[StatementProfile, StatementProfile]:
    return (second, first) if first.tokens > second.tokens else (first, second)


def _opposition_reason(first: StatementProfile, second: StatementProfile) -> str:
    """Return in what two statements differ that cannot both hold, "" if they can or are the same."""
    if first.is_negative and second.is_negative:
        return ""
    return (
        (first.denied and _denial_reason(first, second))
        or (second.denied and _denial_reason(second, first))
        or _order_reason(first, second)
        or _value_reason(first, second)
        or _ending_reason(first, second)
    )


def is_same_statement(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether nothing differs that could distinguish two rules."""
    if abs(len(first.terms) - len(second.terms)) > _MAX_FILLER_WORDS:
        return False
    first_terms, second_terms = _significant_terms(first), _significant_terms(second)
    if not first_terms or len(first.words) + len(second.words) < 4 or len(first_terms) != len(second_terms):
        return False
    if _identifiers(first) != _identifiers(second) or _order_words(first) != _order_words(second):
        return False
    if bool(first.denied) != bool(second.denied) or first.is_negative != second.is_negative:
        return False
    if _is_swapped(first, second) or not _has_same_order(first.order, second.order):
        return False
    # Values in the same order, and the other words too: "A calls B" and "B calls A" have the same words.
    return all(
        len(ours) == len(theirs) and all(_is_same_word(a, b) for a, b in zip(ours, theirs, strict=True))
        for ours, theirs in zip(_split_values(first_terms), _split_values(second_terms), strict=True)
    )


def _split_values(terms: Sequence[StatementTerm]) -> tuple[list[str], list[str]]:
    """Return the values, and the other words."""
    values = [term.word for term in terms if term.kind not in _WORD_KINDS]
    return values, [term.word for term in terms if term.kind in _WORD_KINDS]


def _has_same_order(first: Ordering | None, second: Ordering | None) -> bool:
    if first is None or second is None:
        return first is second
    return _contains_all(first.first, second.first) and _contains_all(first.second, second.second)


def _identifiers(profile: StatementProfile) -> list[str]:
    """Return every number, single letter, name and identifier."""
    letters = [token for token in profile.tokens if len(token) == 1 and token.isalpha() and token not in ("a", "i")]
    return sorted([*letters, *(term.word for term in _value_terms(profile))])


def _order_words(profile: StatementProfile) -> list[str]:
    lists = (lexicon.BEFORE_WORDS, lexicon.AFTER_WORDS, lexicon.THEN_WORDS, lexicon.FIRST_WORDS)
    return [token for token in profile.tokens if any(token in words for words in lists)]


def _denial_reason(denying: StatementProfile, other: StatementProfile) -> str:
    """Return a reason if one statement denies what the other affirms."""
    for denial in denying.denied:
        shared = {word for word in denial.words if _is_among(word, other.affirmed)}
        if not _has_shared_topic(shared, other) or any(_contains_all(shared, theirs.words) for theirs in other.denied):
            continue
        beyond, missing = _extra_words(denial.words, other), _extra_words(other.affirmed, denying)
        subjects = len(_extra_words(shared))
        has_name = _has_shared_name(shared, other)
        if not denial.no_longer and (
            beyond  # "never A in B" leaves A alone elsewhere
            or (subjects == 1 and not has_name and _has_other_verb(denial.words, other))
            or _is_limited_to_other_case(denying, other)
        ):
            continue
        if denial.rejected and any(term.kind == "plain" and term.word in missing for term in other.terms):
            continue  # "A over B" for one purpose says nothing about B for another
        if not has_name and (
            len(missing) > _MAX_MISSING_PER_SHARED * subjects
            or (beyond and missing and len(missing) > _MAX_LEFTOVER_SHARE * len(_extra_words(other.affirmed)))
        ):
            continue
        return "one says so, the other says it is not or no longer so"
    return ""


def _has_shared_topic(shared: Collection[str], other: StatementProfile) -> bool:
    """Return whether two clauses share more than light words."""
    kinds = {term.word: term.kind for term in other.terms}
    return any(kinds.get(word) != "light" for word in shared)


def _has_other_verb(denied: Collection[str], other: StatementProfile) -> bool:
    """Return whether the light words differ: "never run the build repeatedly" says nothing about repeating other work.

    It matters if one word is all that two statements share, and it is no name.
    """
    light = {word for word in denied if word in light_word_stems() and word not in _filler_stems()}
    return any(not _is_among(word, other.words) for word in light)


def _has_shared_name(shared: Collection[str], other: StatementProfile) -> bool:
    """Return whether a name is shared: what is said of "Redux" is said of nothing else."""
    return any(term.kind in _NAME_KINDS and _is_among(term.word, shared) for term in other.terms)


def _contains_all(some: Iterable[str], words: Collection[str]) -> bool:
    return all(_is_among(word, words) for word in some)


def _order_reason(first: StatementProfile, second: StatementProfile) -> str:
    if _is_swapped(first, second):
        return "another order"
    if first.order is None or second.order is None or _are_two_subjects(first, second):
        return ""
    ours, theirs = first.order, second.order
    crossed = _contains_any(ours.first, theirs.second) and _contains_any(ours.second, theirs.first)
    parallel = _contains_any(ours.first, theirs.first) and _contains_any(ours.second, theirs.second)
    return "another order" if crossed and not parallel else ""


def _contains_any(some: Iterable[str], words: Collection[str]) -> bool:
    return any(_is_among(word, words) for word in some)


def _is_swapped(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether some words changed places while the words between them stayed."""
    if len(first.tokens) != len(second.tokens) or sorted(first.tokens) != sorted(second.tokens):
        return False
    moved = [(a, b) for a, b in zip(first.tokens, second.tokens, strict=True) if a != b]
    return 2 <= len(moved) <= 6 and all(lexicon.FUNCTION_WORDS.isdisjoint(pair) for pair in moved)


def _value_reason(first: StatementProfile, second: StatementProfile) -> str:
    """Return a reason if two statements give different values for the same subject."""
    if first.is_negative or second.is_negative:
        return ""
    ours, theirs = _unshared_values(first, second), _unshared_values(second, first)
    if second.is_change and not first.is_change:
        ours = ours or _value_terms(first)
    elif first.is_change and not second.is_change:
        theirs = theirs or _value_terms(second)
    pair = next(((a, b) for a in ours for b in theirs if _are_comparable(a, b, first, second)), None)
    if (
        pair is None
        or _are_range_ends(first, second)
        or _has_other_subject(first, second)
        or _are_other_items(ours, theirs)
    ):
        return ""
    is_succession = _is_succession(first, second, pair)
    has_two_values = (
        any(term.kind in _NAME_KINDS for term in ours) and _count_values(ours) > 1 and _count_values(theirs) > 1
    )
    is_limited = _is_limited_to_other_case(first, second) or _is_limited_to_other_case(second, first)
    if has_two_values or is_limited or (_are_two_subjects(first, second) and not is_succession):
        return ""
    if not _has_same_subject(first, second, pair, is_succession):
        return ""
    return _format_value_reason(_value_text(first, pair[0]), _value_text(second, pair[1]))


def _has_same_subject(
    first: StatementProfile,
    second: StatementProfile,
    pair: tuple[StatementTerm, StatementTerm],
    is_succession: bool,
) -> bool:
    """Return whether two statements with different values share the subject that has the values."""
    shared = [term for term in first.terms if _is_among(term.word, second.words)]
    label = pair[0].neighbor if pair[0].is_label and pair[1].is_label else ""
    if any(term.kind != "light" and term.word != label for term in shared):
        return True
    return (not label and _is_rest_same(first, second)) or (
        is_succession and any(term.word not in _filler_stems() for term in shared)
    )


def _value_text(profile: StatementProfile, term: StatementTerm) -> str:
    """Return a value as it was written, with its unit."""
    text, *following = profile.tokens[term.position : term.position + 2]
    has_unit = term.kind != "number" and following and following[0] in lexicon.UNITS
    return f"{text} {following[0]}" if has_unit else text


def _format_value_reason(first: str, second: str) -> str:
    return f"another value: {first} and {second}"


def _is_succession(
    first: StatementProfile, second: StatementProfile, pair: tuple[StatementTerm, StatementTerm]
) -> bool:
    """Return whether a change names the old value beside the new one, or a new one of the same family.

    Then the statements need no other likeness.
    """
    if first.is_change == second.is_change:
        return False
    change, old = (first, pair[1]) if first.is_change else (second, pair[0])
    return bool(old.family) or _is_among(old.word, change.words)


def _are_other_items(ours: Collection[StatementTerm], theirs: Collection[StatementTerm]) -> bool:
    """Return whether the values label different items: "step 3" and "step 5" are two steps."""
    labels = {term.neighbor for term in ours if term.is_label}
    shared = {term.neighbor for term in theirs if term.is_label and term.neighbor in labels}
    return bool(shared & _label_stems()) or bool(shared and min(len(ours), len(theirs)) > 1)


@cache
def _label_stems() -> frozenset[str]:
    return frozenset(simple_stem(word) for word in lexicon.LABEL_WORDS)


def _is_rest_same(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether two statements have the same words beside their values: "use npm", "max line length is 88"."""
    ours, theirs = (
        [term.word for term in _significant_terms(profile) if term.kind in _WORD_KINDS] for profile in (first, second)
    )
    return _contains_all(ours, theirs) and _contains_all(theirs, ours)


def _value_terms(profile: StatementProfile) -> list[StatementTerm]:
    return [term for term in profile.terms if term.kind not in _WORD_KINDS]


def _unshared_values(profile: StatementProfile, other: StatementProfile) -> list[StatementTerm]:
    return [term for term in _value_terms(profile) if not _is_among(term.word, other.words)]


def _differing_slots(first: StatementProfile, second: StatementProfile) -> list[tuple[list[str], list[str]]]:
    """Return the runs of words that differ between two statements of the same structure, else nothing."""
    if len(first.tokens) != len(second.tokens):
        return []
    slots: list[tuple[list[str], list[str]]] = []
    last = -2
    for i, (a, b) in enumerate(zip(first.tokens, second.tokens, strict=True)):
        if a == b:
            continue
        if a in lexicon.FUNCTION_WORDS or b in lexicon.FUNCTION_WORDS:
            return []
        if i == last + 1:
            slots[-1][0].append(a)
            slots[-1][1].append(b)
        else:
            slots.append(([a], [b]))
        last = i
    return slots


def _has_other_subject(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether two statements of the same structure differ in the subject too.

    "Timeouts for reads" and "timeouts for writes" may have different values.
    """
    slots = _differing_slots(first, second)
    differing = sum(len(ours) for ours, _ in slots)
    if len(slots) < 2 or 2 * differing > len(first.tokens):
        return False
    return any(_has_subject_word(ours) and _has_subject_word(theirs) for ours, theirs in slots)


def _has_subject_word(slot: Iterable[str]) -> bool:
    """Return whether it has a word that can name a subject: no unit, no light verb."""
    return any(
        word.isalpha()
        and word not in lexicon.UNITS
        and (word in lexicon.VAGUE_NOUNS or word not in lexicon.LIGHT_WORDS)
        for word in slot
    )


def _ending_reason(first: StatementProfile, second: StatementProfile) -> str:
    """Return a reason if two sentences differ only in what their end names.

    Examples are "hashed with bcrypt" and "the default branch is x".
    """
    ours, theirs = [token for token in first.tokens if token], [token for token in second.tokens if token]
    differing = (i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b)
    same = next(differing, min(len(ours), len(theirs)))
    our_end, their_end = ours[same:], theirs[same:]
    is_longer = max(len(our_end), len(their_end)) > 3
    if not our_end or not their_end or is_longer or same < 2 or first.denied or second.denied:
        return _beginning_reason(ours, theirs)
    if _is_limited_to_other_case(first, second) or _is_limited_to_other_case(second, first):
        return ""
    link = ours[same - 1]
    is_name = link in ("is", "are", "=", "ist", "est", "es") and not lexicon.UNIQUE_WORDS.isdisjoint(ours[:same])
    has_subject = any(term.position < same and term.word not in _filler_stems() for term in first.terms)
    if not has_subject or not (is_name or link in lexicon.LINK_WORDS):
        return ""
    return _format_value_reason(" ".join(our_end), " ".join(their_end))


def _beginning_reason(ours: list[str], theirs: list[str]) -> str:
    """Return a reason for "Carol is the owner of it" and "Dave is the owner of it"."""
    if len(ours) < 4 or ours[1:] != theirs[1:] or ours[0] == theirs[0] or ours[1] not in lexicon.RESPONSIBILITY_VERBS:
        return ""
    return _format_value_reason(ours[0], theirs[0]) if ours[1] != "is" or ours[2] in ("the", "our", "my") else ""


def _are_comparable(
    ours: StatementTerm, theirs: StatementTerm, first: StatementProfile, second: StatementProfile
) -> bool:
    """Return whether two values answer the same question."""
    if ours.kind in _NAME_KINDS and theirs.kind in _NAME_KINDS:
        if ours.family or theirs.family:
            return ours.family == theirs.family
        shape = _name_shape(ours.word)
        if shape != _name_shape(theirs.word) or (shape == "option" and not _are_rival_options(ours.word, theirs.word)):
            return False
        return _are_interchangeable(ours, theirs, first, second)
    if ours.kind != theirs.kind:
        return False
    if ours.neighbor == theirs.neighbor:
        return True
    return (not ours.neighbor or _is_among(ours.neighbor, second.words)) and (
        not theirs.neighbor or _is_among(theirs.neighbor, first.words)
    )


def _are_rival_options(first: str, second: str) -> bool:
    """Return whether two options exclude each other. Others can be given together.

    `--force` and `--force-with-lease` do, `--x` and `--no-x`, `-v` and `-V`.
    """
    if not (first.startswith("--") and second.startswith("--")):
        return True
    ours, theirs = (option.lstrip("-").removeprefix("no-").lower() for option in (first, second))
    return ours.startswith(theirs) or theirs.startswith(ours)


def _are_interchangeable(
    ours: StatementTerm, theirs: StatementTerm, first: StatementProfile, second: StatementProfile
) -> bool:
    """Return whether two names of no known family can replace each other."""
    if first.is_change or second.is_change:
        return True
    if not (_is_linked(ours, first) and _is_linked(theirs, second)):
        return False
    are_final = _are_close(first, second) and _is_final(ours, first, second) and _is_final(theirs, second, first)
    return are_final or bool(_differing_slots(first, second))


def _is_linked(term: StatementTerm, profile: StatementProfile) -> bool:
    """Return whether a value is stated of something ("as app_rw", "Team A owns"). Else an act is done to it."""
    before = profile.tokens[term.position - 1] if term.position else ""
    after = profile.tokens[term.position + 1] if term.position + 1 < len(profile.tokens) else ""
    follows_link = (before in lexicon.FUNCTION_WORDS and before not in _DETERMINERS) or before in lexicon.LINK_WORDS
    is_responsible = after in lexicon.RESPONSIBILITY_VERBS and after != "is"
    return follows_link or is_responsible or _name_shape(term.word) == "option"


def _name_shape(word: str) -> str:
    """Return the class of a name: an option, a path and a plain name never replace each other."""
    if word.startswith("-"):
        return "option"
    return "path" if "/" in word else "plain"


def _are_close(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether two statements share most of what they are about."""
    shared = {term.word for term in first.terms if term.kind != "light" and _is_among(term.word, second.words)}
    return len(shared) > 1 or (
        len(shared) == 1 and not _extra_plain_words(first, second) and not _extra_plain_words(second, first)
    )


def _is_final(value: StatementTerm, profile: StatementProfile, other: StatementProfile) -> bool:
    """Return whether a statement ends in this value: what follows is in the other too."""
    following = (term for term in profile.terms if term.position > value.position + 1 and term.kind != "light")
    return all(_is_among(term.word, other.words) for term in following)


def _count_values(terms: Iterable[StatementTerm]) -> int:
    """Count values. Adjacent terms are one value ("MySQL 8")."""
    positions = sorted(term.position for term in terms)
    return len(positions) - sum(b - a <= 1 for a, b in pairwise(positions))


def _are_range_ends(first: StatementProfile, second: StatementProfile) -> bool:
    ours, theirs = set(first.tokens), set(second.tokens)
    return any(
        low & lexicon.LOWER_BOUND_WORDS
        and high & lexicon.UPPER_BOUND_WORDS
        and not low & lexicon.UPPER_BOUND_WORDS
        and not high & lexicon.LOWER_BOUND_WORDS
        for low, high in ((ours, theirs), (theirs, ours))
    )


def _are_two_subjects(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether each is about something that the other is not about."""
    ours, theirs = _extra_plain_words(first, second), _extra_plain_words(second, first)
    return bool(
        (ours and theirs)
        or (ours and _extra_vague_words(second, first))
        or (theirs and _extra_vague_words(first, second))
    )


def _extra_plain_words(profile: StatementProfile, other: StatementProfile) -> set[str]:
    return {term.word for term in profile.terms if term.kind == "plain" and not _is_among(term.word, other.words)}


def _extra_vague_words(profile: StatementProfile, other: StatementProfile) -> set[str]:
    return {word for word in profile.words if word in vague_noun_stems() and not _is_among(word, other.words)}


def _extra_words(words: Collection[str], other: StatementProfile | None = None) -> set[str]:
    """Return the words that are not light and not in `other`."""
    return {word for word in words if word not in light_word_stems() and not (other and _is_among(word, other.words))}


def _is_limited_to_other_case(profile: StatementProfile, other: StatementProfile) -> bool:
    """Return whether a statement is limited to a case that the other does not mention."""
    return any(word in profile.words and not _is_among(word, other.words) for word in profile.conditions)


def _significant_terms(profile: StatementProfile) -> list[StatementTerm]:
    return [term for term in profile.terms if term.word not in _filler_stems()]


@cache
def _filler_stems() -> frozenset[str]:
    return frozenset(simple_stem(lexicon.ALIASES.get(word, word)) for word in lexicon.FILLER_WORDS)


def _is_among(word: str, words: Collection[str]) -> bool:
    """Return whether the word or one derived from the same root is among the words."""
    if word in words:
        return True
    if len(word) < _MIN_COGNATE_PREFIX:
        return False
    prefix = word[:_MIN_COGNATE_PREFIX]
    for other in words:  # noqa: SIM110 - a generator takes half again as long, and this is most of a comparison
        if other.startswith(prefix) and _is_same_word(word, other):
            return True
    return False


def _is_same_word(first: str, second: str) -> bool:
    """Return whether two words are equal or derived from each other. Words with digits or signs must be equal."""
    if first == second:
        return True
    if first[:_MIN_COGNATE_PREFIX] != second[:_MIN_COGNATE_PREFIX] or not (first.isalpha() and second.isalpha()):
        return False
    shorter, longer = sorted((len(first), len(second)))
    alike = next((i for i in range(shorter) if first[i] != second[i]), shorter)
    return (
        alike >= _MIN_COGNATE_SHARE * shorter
        and shorter - alike <= _MAX_SHORT_SUFFIX
        and longer - alike <= _MAX_LONG_SUFFIX
    )
