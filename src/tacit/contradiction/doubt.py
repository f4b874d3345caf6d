"""Which statements are worth a question: they share a subject, and something in one is against the other (S13).

| sign       | example                                                                                           |
|------------|---------------------------------------------------------------------------------------------------|
| change     | "The bastion takes passwords" and "Password login on the bastion is disabled"                     |
| permission | "Don't tell customers about Pelican" and "It's fine to mention Pelican to clients"                |
| only       | "Only Ingrid may roll back" and "Anyone can trigger a rollback"                                   |
| degree     | "Keep comments to a minimum" and "Comment every function thoroughly"                              |
| reversal   | "Flags are on by default" and "Flags are off by default"                                          |
| value      | "SDK documentation lives in Confluence" and "The SDK docs are found in docs/"                     |

The subject is compared by topics (`terms.topics`), which join derived words and synonyms. That is never certain, so
nothing here overrules.
"""

from __future__ import annotations

from collections.abc import Collection

from tacit.contradiction import lexicon
from tacit.contradiction.profile import StatementProfile
from tacit.contradiction.terms import StatementTerm, topics_of_tokens

_MAX_TOPICS_OF_ONE = 4  # of a statement that shares just one topic with a change
_NAME_KINDS = frozenset(("name", "code"))
_STORES = frozenset(("database", "cache", "message broker", "search engine"))  # families with members in common
_DETERMINERS = lexicon.DETERMINERS | {"our", "my"}


def find_doubt(first: StatementProfile, second: StatementProfile) -> str:
    """Return in what two statements may be against each other, in words, "" if in nothing."""
    shared = first.topics & second.topics
    if not shared:
        return ""
    for ours, theirs in ((first, second), (second, first)):
        if _is_changed(ours, theirs) or _permits(ours, theirs, shared):
            return "one says so, the other says it is not or no longer so"
        if _opens_to_all(ours, theirs):
            return "one says only, the other anyone"
        if _is_less(ours, theirs, shared):
            return "one wants little of it, the other much"
    if first.topics == second.topics and is_reversed(first.tokens, second.tokens):
        return "one says the reverse of the other"
    return _other_value(first, second)


def is_reversed(first: Collection[str], second: Collection[str]) -> bool:
    """Return whether one has "on" where the other has "off"."""
    return any(
        (one in first and other in second and one not in second and other not in first)
        or (one in second and other in first and one not in first and other not in second)
        for one, other in lexicon.REVERSING_WORDS
    )


def _is_changed(changing: StatementProfile, other: StatementProfile) -> bool:
    """Return whether what changed is what the other is about."""
    if not changing.changed or other.changed:
        return False
    shared = changing.changed & other.topics
    beyond = len(changing.changed) - len(shared)
    if _confirms(changing, other) or _have_other_names(changing, other) or beyond > (len(shared) > 1):
        return False
    return len(shared) > 1 or (len(shared) == 1 and len(other.topics) <= _MAX_TOPICS_OF_ONE)


def _confirms(changing: StatementProfile, other: StatementProfile) -> bool:
    """Return whether the other names what is chosen now: "we switched from A to B" and "B is our bundler"."""
    return bool(changing.denied) and any(term.family and term.word in changing.affirmed for term in other.terms)


def _have_other_names(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether two statements begin with different names: "web1 no longer runs nginx" and "web2 runs nginx"."""
    heads = [term for profile in (first, second) for term in profile.terms[:1]]
    are_names = all(head.kind in _NAME_KINDS and not head.family for head in heads)
    return are_names and len({head.word for head in heads}) > 1


def _permits(permitting: StatementProfile, forbidding: StatementProfile, shared: Collection[str]) -> bool:
    """Return whether a statement asks for or allows what the other forbids, in no other case or place."""
    if not forbidding.is_negative or len(shared) < 2 or permitting.is_negative:
        return False
    if lexicon.PERMISSION_WORDS.isdisjoint(permitting.tokens) or permitting.conditions - forbidding.words:
        return False
    return len(forbidding.topics) - len(shared) <= 1 and not _names_besides(forbidding, permitting)


def _names_besides(profile: StatementProfile, other: StatementProfile) -> bool:
    """Return whether a statement has a name that the other does not have."""
    return any(term.kind in _NAME_KINDS and term.word not in other.words for term in profile.terms)


def _opens_to_all(opening: StatementProfile, other: StatementProfile) -> bool:
    """Return whether anyone may do what the other leaves to some alone."""
    if lexicon.PERSON_WORDS.isdisjoint(opening.tokens) or lexicon.ONLY_WORDS.isdisjoint(other.tokens):
        return False
    return len(opening.topics - other.topics) <= 1


def _is_less(first: StatementProfile, second: StatementProfile, shared: Collection[str]) -> bool:
    """Return whether one wants little of what the other wants much of."""
    if lexicon.LITTLE_WORDS.isdisjoint(first.tokens) or lexicon.MUCH_WORDS.isdisjoint(second.tokens):
        return False
    return 2 * len(shared) >= min(len(first.topics), len(second.topics))


def _other_value(first: StatementProfile, second: StatementProfile) -> str:
    """Return in which values two statements differ that have one subject and one kind of predicate, else ""."""
    if _are_limited(first, second):
        return ""
    for ours in _values(first, second):
        for theirs in _values(second, first):
            if _are_comparable(ours, theirs, first, second) and _is_one_subject(
                _subject(first, ours), _subject(second, theirs)
            ):
                return f"another value: {first.tokens[ours.position]} and {second.tokens[theirs.position]}"
    return ""


def _are_comparable(
    ours: StatementTerm, theirs: StatementTerm, first: StatementProfile, second: StatementProfile
) -> bool:
    """Return whether two names are the values of one kind of predicate."""
    kinds = _predicates(first), _predicates(second)
    if ours.family and theirs.family and not {ours.family, theirs.family} <= _STORES:
        return ours.family == theirs.family and (not all(kinds) or bool(kinds[0] & kinds[1]))
    return bool(kinds[0] & kinds[1]) and _is_linked(ours, first) and _is_linked(theirs, second)


def _are_limited(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether one is limited to a case that the other does not mention."""
    return bool(first.conditions - second.words or second.conditions - first.words)


def _predicates(profile: StatementProfile) -> set[str]:
    return {lexicon.LINKING_VERBS[token] for token in profile.tokens if token in lexicon.LINKING_VERBS}


def _values(profile: StatementProfile, other: StatementProfile) -> list[StatementTerm]:
    return [term for term in profile.terms if term.kind in _NAME_KINDS and term.word not in other.words]


def _is_one_subject(ours: set[str], theirs: set[str]) -> bool:
    """Return whether two statements share topics, and one of them is about one more at most."""
    return bool(ours & theirs) and (ours <= theirs or theirs <= ours) and len(ours ^ theirs) <= 1


def _is_linked(term: StatementTerm, profile: StatementProfile) -> bool:
    """Return whether a value follows a preposition, or is said to hold something: "in the vault X", "Redis holds"."""
    if term.position == 0:
        return profile.tokens[1:2] != () and profile.tokens[1] in lexicon.LINKING_VERBS
    before = [token for token in profile.tokens[: term.position] if token not in _DETERMINERS]
    return not lexicon.LINK_WORDS.isdisjoint(before[-2:])


def _subject(profile: StatementProfile, value: StatementTerm) -> set[str]:
    """Return the topics of all but a value of several words: "AWS Secrets Manager"."""
    names = {term.position for term in profile.terms if term.kind in _NAME_KINDS}
    end = value.position + 1
    while end in names:
        end += 1
    return topics_of_tokens((*profile.tokens[: value.position], *profile.tokens[end:]))
