"""Conflicts: which question a claim answers, and which of several opposed answers wins (S13).

Two claims are opposed if they answer the same question differently: the same act commanded and forbidden, or two
members of a family of which one uses just one (npm and pnpm, tabs and spaces). A claim whose question is unknown is
opposed to nothing, because a false conflict would silence a true memory.

Opposed answers are judged in the order in which they were last asserted. The newer wins, unless the older is a
constraint and the newer is not. Two constraints, or a newer answer with less authority, are left undecided. Where it is
not certain that two answers are opposed (`relation.RelationKind`), both hold, and the person is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import Enum

from tacit.model.claim import Claim, Kind, Provenance, Stance
from tacit.model.ids import ClaimId, EventId
from tacit.record import Record


class RelationKind(Enum):
    """How two statements relate. See the table of `relation`."""

    SAME = "the same"
    OVERRULES = "overrules"
    MAY_CONTRADICT = "may contradict"
    UNRELATED = "unrelated"


class ConflictRule(Enum):
    """The rule that decided, in words for a person."""

    NEWEST = "the newest wins"
    CONSTRAINT = "an older constraint holds against a newer answer that is not one"
    UNDECIDED = "cannot be decided by rule: both are kept and tagged conflict"
    MAY_CONTRADICT = "not certain: both hold, unless you say otherwise"

    @property
    def is_open(self) -> bool:
        """Whether it decided nothing: the person is asked."""
        return self in (ConflictRule.UNDECIDED, ConflictRule.MAY_CONTRADICT)


class ConflictSide(Record):
    """A memory as one side of a conflict."""

    id: ClaimId
    kind: Kind
    provenance: Provenance
    last_event: EventId


class Ruling(Record):
    """The decision between two answers. If the rule is open, neither has lost, and `winner` is the newer one."""

    winner: ClaimId
    loser: ClaimId
    rule: ConflictRule


MAX_AT_ONCE = 2  # that one answer overrules or asks about: one that is against many was misread


def resolve_conflicts(
    answers: Iterable[ConflictSide], relation: Callable[[ConflictSide, ConflictSide], RelationKind]
) -> list[Ruling]:
    """Return every ruling among the answers, oldest first.

    An open one is left out if a later answer has beaten one of its sides.
    """
    rulings: list[Ruling] = []
    undefeated: list[ConflictSide] = []
    for newer in sorted(answers, key=lambda answer: (answer.last_event, answer.id)):
        kinds = [(older, relation(older, newer)) for older in undefeated]
        opposed = [side for side, kind in kinds if kind is RelationKind.OVERRULES]
        doubtful = [side for side, kind in kinds if kind is RelationKind.MAY_CONTRADICT]
        if len(opposed) > MAX_AT_ONCE:
            opposed, doubtful = [], opposed
        decided = [_decide_pair(side, newer) for side in opposed]
        decided = [ruling for ruling in decided if ruling.loser == newer.id] or decided  # one that lost beats nobody
        rulings += decided
        rulings += [Ruling(newer.id, side.id, ConflictRule.MAY_CONTRADICT) for side in doubtful[-MAX_AT_ONCE:]]
        beaten = {ruling.loser for ruling in decided if not ruling.rule.is_open}
        undefeated = [answer for answer in (*undefeated, newer) if answer.id not in beaten]
    ids = {answer.id for answer in undefeated}
    return [ruling for ruling in rulings if not ruling.rule.is_open or {ruling.winner, ruling.loser} <= ids]


def _decide_pair(older: ConflictSide, newer: ConflictSide) -> Ruling:
    older_binds, newer_binds = older.kind is Kind.CONSTRAINT, newer.kind is Kind.CONSTRAINT
    if older_binds and not newer_binds:
        return Ruling(older.id, newer.id, ConflictRule.CONSTRAINT)
    if (older_binds and newer_binds) or newer.provenance < older.provenance:
        return Ruling(newer.id, older.id, ConflictRule.UNDECIDED)
    return Ruling(newer.id, older.id, ConflictRule.NEWEST)


# One uses just one member of each family for the same purpose.
_FAMILIES = {
    member: family
    for family, members in {
        "package manager": "npm pnpm yarn bun",
        "python installer": "pip uv poetry pipenv conda pdm",
        "indentation": "tabs spaces",
        "quotes": "single-quotes double-quotes",
        "text search": "grep rg ripgrep ag ack",
        "file search": "find fd",
        "python tests": "pytest unittest nose",
        "javascript tests": "jest vitest mocha jasmine",
        "python linter": "flake8 pylint ruff",
        "javascript linter": "eslint biome",
        "editor": "vim nvim neovim emacs nano helix vscode",
        "database": "postgres postgresql mysql mariadb sqlite mongodb",
        "containers": "docker podman",
        "default branch": "main master trunk develop",
        "integration": "rebase merge squash",
        "theme": "dark light",
        "identifier case": "camelcase snake_case kebab-case pascalcase",
        "css": "tailwind bootstrap",
        "task runner": "make just",
        "shell": "bash zsh fish",
        "typed": "typescript javascript",
    }.items()
    for member in members.split()
}
_GENERIC_SUBJECTS = frozenset({"agent", "user", "project"})
_CHOICE_PREDICATES = frozenset({"use", "uses", "prefer", "prefers", "decided on", "choose"})
_UNIQUE_ADJECTIVES = frozenset({"default", "main", "primary", "preferred", "standard", "official", "current"})
# Strings, not compiled patterns: hooks import this module and seldom use them.
_REJECTED_ALTERNATIVE = r"(?i),\s|\s(?:instead of|rather than|over|not)\s"
_REJECTING = (",", "instead of", "rather than", "over", "not")  # a text without any of them rejects nothing
_FILLER_WORDS = ("only", "just", "always", "mode", "theme", "the", "a", "an", "to", "using", "use", "here")
_FILLERS = rf"\b(?:{'|'.join(_FILLER_WORDS)}|(?:in|for) (?:this|the|our) (?:project|repo|repository))\b"


def parse_stance(claim: Claim) -> Stance:
    """Return the question that the claim answers, in a form that other wordings share, and its answer."""
    subject, predicate, answer = claim.key.split("|")  # the normalized triple
    adverb, _, act = predicate.partition(" ")
    positive = adverb != "never" or not act
    if adverb in ("never", "always") and act:
        predicate = act
    chosen = re.split(_REJECTED_ALTERNATIVE, answer)[0] if any(map(answer.__contains__, _REJECTING)) else answer
    if predicate in _CHOICE_PREDICATES:
        return _choice_stance(subject, chosen, positive)
    if predicate in ("=", "lives in") or (predicate == "is" and _is_single_valued(subject, chosen)):
        return Stance(f"{_strip_fillers(subject)} is", chosen, positive, exclusive=True)
    prefix = "" if subject in _GENERIC_SUBJECTS else f"{_strip_fillers(subject)} "
    return Stance(f"{prefix}{predicate} {_strip_fillers(chosen)}", "", positive, exclusive=False)


def are_opposed(first: Stance, second: Stance) -> bool:
    """Return whether the two cannot both hold."""
    if first.question != second.question:
        return False
    if first.answer == second.answer:
        return first.positive != second.positive
    return first.exclusive and first.positive and second.positive


def _is_single_valued(subject: str, answer: str) -> bool:
    """Return whether the subject has one value: something can be slow and flaky at once, but has one default."""
    return not _UNIQUE_ADJECTIVES.isdisjoint(subject.split()) or any(word in _FAMILIES for word in answer.split())


def _choice_stance(subject: str, chosen: str, positive: bool) -> Stance:
    chosen = _join_quotes(chosen)
    members = [word for word in chosen.split() if word in _FAMILIES]
    purpose = "" if subject in _GENERIC_SUBJECTS else subject
    if len(members) == 1:
        rest = _strip_fillers(chosen.replace(members[0], " ", 1))
        question = " ".join(filter(None, ("choose", _FAMILIES[members[0]], rest, purpose)))
        return Stance(question, members[0], positive, exclusive=True)
    if purpose:
        return Stance(f"choose for {_strip_fillers(purpose)}", chosen, positive, exclusive=True)
    return Stance(f"choose {_strip_fillers(chosen)}", "", positive, exclusive=False)


def _strip_fillers(text: str) -> str:
    words = text.split()
    if "".join(words).isalnum() and "repo" not in text and "project" not in text:  # then words end at blanks alone
        return " ".join([word for word in words if word not in _FILLER_WORDS])
    return " ".join(re.sub(_FILLERS, " ", text).split())


def _join_quotes(text: str) -> str:
    return text.replace("single quotes", "single-quotes").replace("double quotes", "double-quotes")


# Members of a family that are everyday words too. Within a sentence they mention no family.
_AMBIGUOUS_MEMBERS = frozenset(
    "make just find main master merge develop trunk light dark fish nose bun ag ack fd".split()
)


def alternatives_of(name: str) -> frozenset[str]:
    """Return the other members of the family of a name: for "npm" those are pnpm, yarn and bun."""
    family = _FAMILIES.get(name.lower())
    return frozenset(member for member in _FAMILIES if _FAMILIES[member] == family) - {name.lower()}


def mentioned_families(text: str) -> frozenset[str]:
    """Return the families of which the text names a member: "run tests with pytest" mentions "python tests".

    A text that is nothing but a member always mentions its family.
    """
    folded = _join_quotes(text.lower())
    if folded in _FAMILIES:
        return frozenset({_FAMILIES[folded]})
    words = re.findall(r"[\w-]+", folded)
    return frozenset(_FAMILIES[word] for word in words if word in _FAMILIES and word not in _AMBIGUOUS_MEMBERS)
