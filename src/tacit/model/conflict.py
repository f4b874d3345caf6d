"""Which question a claim answers, and which of several answers wins (S13)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import Enum

from tacit.model.claim import Claim, Kind, Provenance
from tacit.model.ids import ClaimId, EventId
from tacit.record import Record

# Memories that are opposed: a winner, or an honest conflict (S13).
#
# Judged in the order in which the answers were last asserted: the newer answer wins, unless the older is a constraint
# and the newer is not; two constraints, or a newer answer with less authority, cannot be decided.


class ConflictRule(Enum):
    """Which rule decided, in words for a person."""

    NEWEST = "the newest wins"
    CONSTRAINT = "an older constraint holds against a newer answer that is not one"
    UNDECIDED = "cannot be decided by rule: both are kept and tagged conflict"


class ConflictSide(Record):
    """A memory as one side of a conflict."""

    id: ClaimId
    kind: Kind
    provenance: Provenance
    last: EventId


class Ruling(Record):
    """Between two answers. When undecided, neither is the loser."""

    winner: ClaimId
    loser: ClaimId
    rule: ConflictRule


def resolve_conflicts(
    answers: Iterable[ConflictSide], opposed: Callable[[ConflictSide, ConflictSide], bool]
) -> list[Ruling]:
    """Every ruling among memories of which some are opposed to others, in the order in which they fell."""
    rulings: list[Ruling] = []
    holding: list[ConflictSide] = []
    for newer in sorted(answers, key=lambda answer: (answer.last, answer.id)):
        against = [_decide_pair(older, newer) for older in holding if opposed(older, newer)]
        lost = [ruling for ruling in against if ruling.loser == newer.id]
        against = lost or against  # an answer that lost beats nobody
        rulings += against
        beaten = {ruling.loser for ruling in against if ruling.rule is not ConflictRule.UNDECIDED}
        holding = [answer for answer in (*holding, newer) if answer.id not in beaten]
    return [ruling for ruling in rulings if ruling.rule is not ConflictRule.UNDECIDED or _both_survive(ruling, holding)]


def _both_survive(ruling: Ruling, holding: Iterable[ConflictSide]) -> bool:
    """An open question is over once a later answer has beaten one of its sides."""
    return {ruling.winner, ruling.loser} <= {answer.id for answer in holding}


def _decide_pair(older: ConflictSide, newer: ConflictSide) -> Ruling:
    older_binds, newer_binds = older.kind is Kind.CONSTRAINT, newer.kind is Kind.CONSTRAINT
    if older_binds and not newer_binds:
        return Ruling(older.id, newer.id, ConflictRule.CONSTRAINT)
    if (older_binds and newer_binds) or newer.provenance < older.provenance:
        return Ruling(newer.id, older.id, ConflictRule.UNDECIDED)
    return Ruling(newer.id, older.id, ConflictRule.NEWEST)


# Which question a claim answers, and whether two answers can both hold (S13).
#
# Two claims oppose each other when they answer the same question differently: the same act commanded and forbidden,
# or two members of a family of which one takes just one (npm and pnpm, tabs and spaces). Claims whose question cannot
# be told stand alone: a false conflict would silence a true memory.


class Stance(Record):
    """An answer to a question. In an exclusive question two different answers oppose each other."""

    question: str
    answer: str
    positive: bool
    exclusive: bool


# One takes just one of each row for the same purpose.
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
# Compiled when they are first asked: a prompt waits for this file and reads only what others made of it.
_REJECTED_ALTERNATIVE = r"(?i),\s|\s(?:instead of|rather than|over|not)\s"
_FILLERS = (
    r"\b(?:only|just|always|mode|theme|the|a|an|to|using|use|here"
    r"|(?:in|for) (?:this|the|our) (?:project|repo|repository))\b"
)


def parse_stance(claim: Claim) -> Stance:
    """The question this claim answers, in a form that other wordings share."""
    subject, act, answer = claim.key.split("|")  # the triple, folded
    predicate, positive = _split_polarity(act)
    chosen = re.split(_REJECTED_ALTERNATIVE, answer)[0]
    if predicate in _CHOICE_PREDICATES:
        return _choice_stance(subject, chosen, positive)
    if predicate in ("is", "=", "lives in") and (predicate != "is" or _is_single_valued(subject, chosen)):
        return Stance(f"{_strip_fillers(subject)} is", chosen, positive, exclusive=True)
    whom = "" if subject in _GENERIC_SUBJECTS else f"{_strip_fillers(subject)} "
    return Stance(f"{whom}{predicate} {_strip_fillers(chosen)}", "", positive, exclusive=False)


def are_opposed(one: Stance, other: Stance) -> bool:
    """Whether the two cannot both hold."""
    if one.question != other.question:
        return False
    if one.answer == other.answer:
        return one.positive != other.positive
    return one.exclusive and one.positive and other.positive


def _split_polarity(predicate: str) -> tuple[str, bool]:
    first, blank, rest = predicate.partition(" ")
    return (rest, first != "never") if blank and first in ("never", "always") else (predicate, True)


def _is_single_valued(subject: str, answer: str) -> bool:
    """A thing can be slow and flaky at once, but there is one default of anything."""
    return not _UNIQUE_ADJECTIVES.isdisjoint(subject.split()) or any(word in _FAMILIES for word in answer.split())


def _choice_stance(subject: str, chosen: str, positive: bool) -> Stance:
    chosen = chosen.replace("single quotes", "single-quotes").replace("double quotes", "double-quotes")
    members = [word for word in chosen.split() if word in _FAMILIES]
    purpose = "" if subject in _GENERIC_SUBJECTS else subject
    if len(members) == 1:
        rest = _strip_fillers(chosen.replace(members[0], " ", 1))
        asked = " ".join(filter(None, (_FAMILIES[members[0]], rest, purpose)))
        return Stance(f"choose {asked}", members[0], positive, exclusive=True)
    if purpose:
        return Stance(f"choose for {_strip_fillers(purpose)}", chosen, positive, exclusive=True)
    return Stance(f"choose {_strip_fillers(chosen)}", "", positive, exclusive=False)


def _strip_fillers(text: str) -> str:
    return " ".join(re.sub(_FILLERS, " ", text).split())


# Members of a family that are everyday words as well: they tell nothing where they only occur in a sentence.
_AMBIGUOUS_MEMBERS = frozenset(
    "make just find main master merge develop trunk light dark fish nose bun ag ack fd".split()
)


def mentioned_families(text: str) -> frozenset[str]:
    """The choices that a text speaks of by naming one of their members: "run tests with pytest" speaks of "python
    tests". A text that is nothing but a member always does."""
    named = text.lower().replace("single quotes", "single-quotes").replace("double quotes", "double-quotes")
    if named in _FAMILIES:
        return frozenset({_FAMILIES[named]})
    found = re.findall(r"[\w-]+", named)
    return frozenset(_FAMILIES[word] for word in found if word in _FAMILIES and word not in _AMBIGUOUS_MEMBERS)
