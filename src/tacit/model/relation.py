"""How two statements relate: the same, opposed, or neither (S13)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum
from functools import cache

from tacit.model import lexicon
from tacit.model.profile import Order, Profile, profile
from tacit.model.terms import Term, light_stems, vague_stems
from tacit.record import Record
from tacit.text.words import stem

# How two statements stand to each other: the same, opposed, or neither (S13).
#
# They are opposed when one denies what the other affirms, when they give another value for the same subject, or put
# the same things into another order. They are the same only where nothing tells them apart: no digit, no single
# letter, no name, no negation, no order. Anything else is neither: both can hold. A false "same" would count a
# correction as a confirmation, a false "opposed" would silence a true memory, so doubt means "neither".

# Derived words: letters they begin with alike, as a share of the shorter word, and what each may end in.
_COGNATE, _COGNATE_SHARE, _SHORT_END, _LONG_END = 5, 0.7, 2, 6
_FILLED = 4  # words that only fill a sentence, at most
_PER_SHARED = 3  # words of its own that a statement may have for each that is denied
_LEFT_OVER = 0.34  # of what a statement affirms, when a story says that it is over
_ARTICLES = frozenset("a an the this that all every each any der die das le la les el los las".split())
_VALUES = frozenset(("name", "code"))


class Bond(Enum):
    """How two statements stand to each other."""

    SAME = "the same"
    OPPOSED = "opposed"
    NEITHER = "neither"


class Relation(Record):
    """The bond of two statements and, where they are opposed, in what they differ (words for a person)."""

    bond: Bond
    why: str = ""


_NEITHER = Relation(Bond.NEITHER)


def relation(one: str, other: str) -> Relation:
    """Compare two statements. Symmetric: the order in which they are given does not matter."""
    return compare(profile(one), profile(other))


def compare(one: Profile, other: Profile) -> Relation:
    """As `relation`, of statements that were read already."""
    if one.tokens > other.tokens:
        one, other = other, one
    if is_same(one, other):
        return Relation(Bond.SAME)
    if one.is_negative and other.is_negative:
        return _NEITHER
    why = (
        (one.denied and _denies(one, other))
        or (other.denied and _denies(other, one))
        or _reorders(one, other)
        or _gives_another_value(one, other)
        or _ends_otherwise(one, other)
    )
    return Relation(Bond.OPPOSED, why) if why else _NEITHER


# The same


def is_same(one: Profile, other: Profile) -> bool:
    """Whether nothing that could tell two rules apart differs."""
    if abs(len(one.terms) - len(other.terms)) > _FILLED:
        return False
    mine, theirs = _told(one.terms), _told(other.terms)
    if len(mine) < 1 or len(one.words) + len(other.words) < 4 or len(mine) != len(theirs):
        return False
    if _figures(one) != _figures(other) or _order_words(one) != _order_words(other) or _is_swapped(one, other):
        return False
    if bool(one.denied) != bool(other.denied) or one.is_negative != other.is_negative:
        return False
    if not _same_order(one.order, other.order):
        return False
    # Names in the same order, and the other words too: "A calls B" and "B calls A" have the same words.
    return all(
        len(ours) == len(others) and all(_match(a, b) for a, b in zip(ours, others, strict=True))
        for ours, others in zip(_parted(mine), _parted(theirs), strict=True)
    )


def _parted(terms: Iterable[Term]) -> tuple[list[str], list[str]]:
    """Names and figures, and the other words."""
    every = list(terms)
    plain = ("plain", "light")
    return [one.word for one in every if one.kind not in plain], [one.word for one in every if one.kind in plain]


def _same_order(one: Order | None, other: Order | None) -> bool:
    if one is None or other is None:
        return one is other
    return _covered(one.first, other.first) and _covered(one.second, other.second)


def _figures(one: Profile) -> list[str]:
    """Every number, single letter, name and identifier."""
    loose = [token for token in one.tokens if len(token) == 1 and token.isalpha() and token not in ("a", "i")]
    return sorted([*loose, *(term.word for term in one.terms if term.kind not in ("plain", "light"))])


def _order_words(one: Profile) -> list[str]:
    told = (lexicon.BEFORE, lexicon.AFTER, lexicon.THEN, lexicon.FIRST)
    return [token for token in one.tokens if any(token in words for words in told)]


# Denied


def _denies(one: Profile, other: Profile) -> str:
    """What `one` denies of that which `other` affirms."""
    for denial in one.denied:
        denied = denial.words
        shared = {word for word in denied if _in(word, other.affirmed)}
        if not _tells(shared, other) or any(_covered(shared, theirs.words) for theirs in other.denied):
            continue
        beyond, missing = _extra(denied, other), _extra(other.affirmed, one)
        if beyond and not denial.departed:  # "never A in B" leaves A alone elsewhere
            continue
        if len(_extra(shared)) == 1 and not denial.departed and _has_other_act(denied, shared, other):
            continue
        if denial.rejected and any(term.kind == "plain" and term.word in missing for term in other.terms):
            continue  # "A over B" for one purpose says nothing about B for another
        if len(missing) > _PER_SHARED * len(_extra(shared)) and not _is_named(shared, other):
            continue
        if (
            beyond
            and missing
            and not _is_named(shared, other)
            and len(missing) > _LEFT_OVER * len(_extra(other.affirmed))
        ):
            continue
        if not denial.departed and _limited(one, other, one.words):
            continue
        return "one says so, the other says it is not or no longer so"
    return ""


def _tells(shared: Collection[str], other: Profile) -> bool:
    """Whether what two clauses share is enough to be about the same thing."""
    kinds = {term.word: term.kind for term in other.terms}
    return any(kinds.get(word) != "light" for word in shared)


def _has_other_act(denied: Collection[str], shared: Collection[str], other: Profile) -> bool:
    """Where one word is all that is shared, and it is no name, the light words have to agree too: "never run the build
    repeatedly" says nothing about repeating other work."""
    light = {word for word in denied if word in light_stems() and word not in _fillers()}
    return not _is_named(shared, other) and any(not _in(word, other.words) for word in light)


def _is_named(shared: Collection[str], other: Profile) -> bool:
    """Whether a name is among them: what is said of "Redux" is said of nothing else."""
    return any(term.kind in _VALUES and _in(term.word, shared) for term in other.terms)


def _covered(shared: Collection[str], words: Collection[str]) -> bool:
    return all(_in(word, words) for word in shared)


# Order


def _reorders(one: Profile, other: Profile) -> str:
    if _is_swapped(one, other):
        return "another order"
    if one.order is None or other.order is None or _both_extra(one, other):
        return ""
    mine, theirs = one.order, other.order
    crossed = _meet(mine.first, theirs.second) and _meet(mine.second, theirs.first)
    parallel = _meet(mine.first, theirs.first) and _meet(mine.second, theirs.second)
    return "another order" if crossed and not parallel else ""


def _meet(one: Iterable[str], other: Collection[str]) -> bool:
    return any(_in(word, other) for word in one)


def _is_swapped(one: Profile, other: Profile) -> bool:
    """The same words, of which some have changed places while the words between them stayed."""
    if len(one.tokens) != len(other.tokens) or sorted(one.tokens) != sorted(other.tokens):
        return False
    moved = [(a, b) for a, b in zip(one.tokens, other.tokens, strict=True) if a != b]
    return 2 <= len(moved) <= 6 and not any(a in lexicon.FUNCTION or b in lexicon.FUNCTION for a, b in moved)


# Values


def _gives_another_value(one: Profile, other: Profile) -> str:
    if one.is_negative or other.is_negative:
        return ""
    mine, theirs = _unshared(one, other), _unshared(other, one)
    if other.changed and not one.changed:
        mine = mine or _values(one)
    elif one.changed and not other.changed:
        theirs = theirs or _values(other)
    pair = next(((a, b) for a in mine for b in theirs if _comparable(a, b, one, other)), None)
    if pair is None or _ends_of_range(one, other) or _is_other_frame(one, other) or _is_other_item(mine, theirs):
        return ""
    follows = _is_succession(one, other, pair)
    is_two = len(_runs(mine)) > 1 and len(_runs(theirs)) > 1 and any(term.kind in _VALUES for term in mine)
    is_limited = _limited(one, other, one.words) or _limited(other, one, other.words)
    if is_two or is_limited or (_both_extra(one, other) and not follows):
        return ""
    return (
        _other_value(_spelled(one, pair[0]), _spelled(other, pair[1])) if _is_about(one, other, pair, follows) else ""
    )


def _is_about(one: Profile, other: Profile, pair: tuple[Term, Term], follows: bool) -> bool:
    """Whether two statements with different values share the subject that the values are of."""
    shared = [term for term in one.terms if _in(term.word, other.words)]
    label = pair[0].about if pair[0].numbers and pair[1].numbers else ""
    if any(term.kind != "light" and term.word != label for term in shared):
        return True
    return (not label and _is_rest_same(one, other)) or (
        follows and any(term.word not in _fillers() for term in shared)
    )


def _spelled(own: Profile, term: Term) -> str:
    """A value as it was written, with its unit."""
    unit = own.tokens[term.at + 1] if term.at + 1 < len(own.tokens) else ""
    return f"{own.tokens[term.at]} {unit}" if unit in lexicon.UNITS and term.kind != "number" else own.tokens[term.at]


def _other_value(one: str, other: str) -> str:
    return f"another value: {one} and {other}"


def _is_succession(one: Profile, other: Profile, pair: tuple[Term, Term]) -> bool:
    """A story that names the old value beside the new one, or a new one of the same class, needs no other likeness."""
    if one.changed == other.changed:
        return False
    story, old = (one, pair[1]) if one.changed else (other, pair[0])
    return bool(old.family) or _in(old.word, story.words)


def _is_other_item(one: Iterable[Term], other: Iterable[Term]) -> bool:
    """ "Step 3" and "step 5" are two steps."""
    mine, theirs = list(one), list(other)
    labels = {term.about for term in mine if term.numbers}
    shared = {term.about for term in theirs if term.numbers and term.about in labels}
    return bool(shared & _labels()) or bool(shared and min(len(mine), len(theirs)) > 1)


@cache
def _labels() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.LABELS)


def _is_rest_same(one: Profile, other: Profile) -> bool:
    """Whether two statements name nothing but a value, or the same besides: "use npm", "max line length is 88"."""
    plain = [[term.word for term in _told(side.terms) if term.kind in ("plain", "light")] for side in (one, other)]
    return all(_in(word, plain[1]) for word in plain[0]) and all(_in(word, plain[0]) for word in plain[1])


def _values(one: Profile) -> list[Term]:
    return [term for term in one.terms if term.kind not in ("plain", "light")]


def _unshared(one: Profile, other: Profile) -> list[Term]:
    return [term for term in _values(one) if not _in(term.word, other.words)]


def _slots(one: Profile, other: Profile) -> list[tuple[list[str], list[str]]]:
    """Where two statements differ, if they are built alike: the words that stand in the same places. Else nothing."""
    ours, others = one.tokens, other.tokens
    if len(ours) != len(others):
        return []
    slots: list[tuple[list[str], list[str]]] = []
    last = -2
    for at, (a, b) in enumerate(zip(ours, others, strict=True)):
        if a == b:
            continue
        if a in lexicon.FUNCTION or b in lexicon.FUNCTION:
            return []
        if at == last + 1:
            slots[-1][0].append(a)
            slots[-1][1].append(b)
        else:
            slots.append(([a], [b]))
        last = at
    return slots


def _is_other_frame(one: Profile, other: Profile) -> bool:
    """Built alike, with another word in the place of the subject too: "timeouts for reads", "timeouts for writes"."""
    slots = _slots(one, other)
    differing = sum(len(ours) for ours, _ in slots)
    if len(slots) < 2 or 2 * differing > len(one.tokens):
        return False
    return any(_is_word(ours) and _is_word(others) for ours, others in slots)


def _is_word(slot: Iterable[str]) -> bool:
    """Whether it holds a word that a subject could be named by: no unit, no verb that links."""
    return any(word.isalpha() and word not in lexicon.UNITS and _is_subject(word) for word in slot)


def _is_subject(word: str) -> bool:
    return word in lexicon.VAGUE or word not in lexicon.LIGHT


def _ends_otherwise(one: Profile, other: Profile) -> str:
    """The same sentence up to its end, which names another thing: "hashed with bcrypt", "the default branch is x"."""
    ours, others = [token for token in one.tokens if token], [token for token in other.tokens if token]
    same = next(
        (at for at, (a, b) in enumerate(zip(ours, others, strict=False)) if a != b), min(len(ours), len(others))
    )
    mine, theirs = ours[same:], others[same:]
    if not mine or not theirs or max(len(mine), len(theirs)) > 3 or same < 2 or one.denied or other.denied:
        return _begins_otherwise(ours, others)
    if _limited(one, other, one.words) or _limited(other, one, other.words):
        return ""
    link = ours[same - 1]
    named = link in ("is", "are", "=", "ist", "est", "es") and not lexicon.UNIQUE.isdisjoint(ours[:same])
    told = any(term.at < same and term.word not in _fillers() for term in one.terms)
    return _other_value(" ".join(mine), " ".join(theirs)) if told and (named or link in lexicon.LINKS) else ""


def _begins_otherwise(ours: list[str], others: list[str]) -> str:
    """ "Carol is the owner of it", "Dave is the owner of it"."""
    if len(ours) < 4 or ours[1:] != others[1:] or ours[0] == others[0] or ours[1] not in lexicon.RESPONSIBLE:
        return ""
    return _other_value(ours[0], others[0]) if ours[1] != "is" or ours[2] in ("the", "our", "my") else ""


def _comparable(one: Term, other: Term, mine: Profile, theirs: Profile) -> bool:
    """Whether two values answer the same question."""
    if one.kind in _VALUES and other.kind in _VALUES:
        if one.family or other.family:
            return one.family == other.family
        if _shape(one.word) == "option" and not _are_rival_options(one.word, other.word):
            return False
        return _shape(one.word) == _shape(other.word) and _are_in_place(one, other, mine, theirs)
    if one.kind != other.kind:
        return False
    if one.about == other.about:
        return True
    return (not one.about or _in(one.about, theirs.words)) and (not other.about or _in(other.about, mine.words))


def _are_rival_options(one: str, other: str) -> bool:
    """`--force` and `--force-with-lease`, `--x` and `--no-x`, `-v` and `-V`. Other options can be given together."""
    first, second = (word.lstrip("-").removeprefix("no-").lower() for word in (one, other))
    if not (one.startswith("--") and other.startswith("--")):
        return True
    return first.startswith(second) or second.startswith(first)


def _are_in_place(one: Term, other: Term, mine: Profile, theirs: Profile) -> bool:
    """Whether two names of no known class stand in each other's place."""
    if mine.changed or theirs.changed:
        return True
    linked = _is_linked(one, mine) and _is_linked(other, theirs)
    final = _is_close(mine, theirs) and _is_final(one, mine, theirs) and _is_final(other, theirs, mine)
    return linked and (final or bool(_slots(mine, theirs)))


def _is_linked(term: Term, own: Profile) -> bool:
    """Whether a value is told of something: "as app_rw", "Team A owns". Else it is what an act is done to."""
    before = own.tokens[term.at - 1] if term.at else ""
    behind = own.tokens[term.at + 1] if term.at + 1 < len(own.tokens) else ""
    linked = (before in lexicon.FUNCTION and before not in _ARTICLES) or before in lexicon.LINKS
    return linked or (behind in lexicon.RESPONSIBLE and behind != "is") or _shape(term.word) == "option"


def _shape(word: str) -> str:
    """An option, a path, a ticket and a plain name never stand in each other's place."""
    if word.startswith("-"):
        return "option"
    return "path" if "/" in word else "plain"


def _is_close(one: Profile, other: Profile) -> bool:
    """Whether two statements share most of what they are about."""
    shared = {term.word for term in one.terms if term.kind != "light" and _in(term.word, other.words)}
    return len(shared) > 1 or (len(shared) == 1 and not _extra_plain(one, other) and not _extra_plain(other, one))


def _is_final(term: Term, own: Profile, other: Profile) -> bool:
    """Whether a statement ends in this value: behind it stands nothing that the other does not say too."""
    behind = (one for one in own.terms if one.at > term.at + 1 and one.kind != "light")
    return all(_in(one.word, other.words) for one in behind)


def _runs(terms: Collection[Term]) -> list[list[Term]]:
    """Terms that stand side by side are one value ("MySQL 8")."""
    runs: list[list[Term]] = []
    for term in sorted(terms, key=lambda term: term.at):
        if runs and term.at - runs[-1][-1].at <= 1:
            runs[-1].append(term)
        else:
            runs.append([term])
    return runs


def _ends_of_range(one: Profile, other: Profile) -> bool:
    lows, highs = set(one.tokens), set(other.tokens)
    return any(
        first & lexicon.LOWER and second & lexicon.UPPER and not first & lexicon.UPPER and not second & lexicon.LOWER
        for first, second in ((lows, highs), (highs, lows))
    )


# Subjects


def _both_extra(one: Profile, other: Profile) -> bool:
    """Each is about something that the other is not: two subjects."""
    mine, theirs = _extra_plain(one, other), _extra_plain(other, one)
    return bool(mine and theirs) or bool(mine and _extra_vague(other, one)) or bool(theirs and _extra_vague(one, other))


def _extra_plain(one: Profile, other: Profile) -> set[str]:
    return {term.word for term in one.terms if term.kind == "plain" and not _in(term.word, other.words)}


def _extra_vague(one: Profile, other: Profile) -> set[str]:
    return {word for word in one.words if word in vague_stems() and not _in(word, other.words)}


def _extra(words: Collection[str], other: Profile | None = None) -> set[str]:
    """Of these, what `other` does not speak of; light words do not count."""
    strong = {word for word in words if word not in light_stems()}
    return {word for word in strong if not (other and _in(word, other.words))}


def _limited(one: Profile, other: Profile, words: Collection[str]) -> bool:
    """Whether `one` holds only in a case that `other` does not speak of."""
    return any(word in words and not _in(word, other.words) for word in one.conditions)


def _told(terms: Iterable[Term]) -> list[Term]:
    return [term for term in terms if term.word not in _fillers()]


@cache
def _fillers() -> frozenset[str]:
    return frozenset(stem(lexicon.ALIASES.get(word, word)) for word in lexicon.FILLERS)


def _in(word: str, words: Collection[str]) -> bool:
    if word in words:
        return True
    begin = word[:_COGNATE]
    return len(word) >= _COGNATE and any(other.startswith(begin) and _match(word, other) for other in words)


def _match(one: str, other: str) -> bool:
    """The same word, or one derived from the other; nothing with digits or signs is ever nearly the same."""
    if one == other:
        return True
    if one[:_COGNATE] != other[:_COGNATE] or not (one.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((len(one), len(other)))
    alike = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return alike >= _COGNATE_SHARE * shorter and shorter - alike <= _SHORT_END and longer - alike <= _LONG_END


# Whether two sentences say the same thing in other words.
#
# Careful rather than clever: what is not plainly the same stays two memories, and a person can merge them. The
# opposite of a rule often has the same words, so nothing may differ that could tell two rules apart (see `relation`).


def is_alike(one: str, other: str) -> bool:
    """Whether the second may count as one more observation of the first, and the other way round."""
    return is_same(profile(one), profile(other))
