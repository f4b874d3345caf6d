"""Which habits are worth a card, and in which order."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.core.claim import Kind
from tacit.learn.habits.choose import Odds, association, chosen
from tacit.learn.habits.habit import BETWEEN, Seen, Tally, label


def tally(kind: Kind, key: str, runs: int, sessions: int = 5) -> Tally:
    return Tally(Seen(kind, key.replace(" → ", BETWEEN)), runs, sessions)


def sequence(key: str, runs: int, sessions: int = 5) -> Tally:
    return tally(Kind.WORKFLOW_PATTERN, key, runs, sessions)


def shown(tallies: list[Tally], runs: Mapping[str, int], total: int = 1000, longer: tuple[str, ...] = ()) -> list[str]:
    hidden = {key.replace(" → ", BETWEEN) for key in longer}
    odds = Odds(total, lambda family: runs.get(family, 0), hidden.__contains__)
    return [label(one.seen) for one in chosen(tallies, odds)]


def test_what_follows_only_by_chance_is_not_shown() -> None:
    """Two commands that are half of all commands follow each other in a quarter of all cases."""
    runs = {"git status": 500, "git diff": 500, "make dist": 8, "make upload": 8}
    found = shown([sequence("git status → git diff", 250), sequence("make dist → make upload", 8)], runs)
    assert found == ["make dist → make upload"]


def test_commands_that_never_go_without_each_other_are_worth_most() -> None:
    odds = Odds(1000, {"a": 10, "b": 10, "c": 400}.__getitem__, lambda _key: False)
    assert association(sequence("a → b", 10), odds) > association(sequence("a → c", 10), odds) > 0
    assert round(association(sequence("a → b", 10), odds), 6) == 1.0


def test_of_sequences_that_overlap_the_best_is_shown() -> None:
    runs = dict.fromkeys("abcd", 20)
    found = shown([sequence("a → b → c", 19), sequence("b → c → d", 12), sequence("c → a → b", 12)], runs)
    assert found == ["a → b → c"]


def test_a_sequence_in_a_longer_one_is_not_shown() -> None:
    assert shown([sequence("a → b", 20)], {"a": 20, "b": 20}, longer=("a → b",)) == []


def test_kinds_take_turns_and_what_a_sequence_tells_comes_last() -> None:
    tallies = [
        *(tally(Kind.RECURRING_COMMAND, family, 30) for family in ("make lint", "make test")),
        tally(Kind.RECURRING_COMMAND, "rg", 9),
        tally(Kind.PREFERRED_CWD, "/srv/app/api", 40),
        sequence("make lint → make test", 20),
    ]
    found = shown(tallies, {"make lint": 30, "make test": 30, "rg": 9})
    assert found == ["make lint → make test", "rg", "/srv/app/api", "make lint", "make test"]


def test_where_everybody_is_nobody_works() -> None:
    places = [tally(Kind.PREFERRED_CWD, place, 90) for place in ("/home/me", "/tmp", "/")]
    found = shown([*places, tally(Kind.PREFERRED_CWD, "/home/me/src/app", 9)], {})
    assert found[0] == "/home/me/src/app"
    assert set(found[1:]) == {"/home/me", "/tmp", "/"}


def test_what_is_below_its_threshold_is_never_shown() -> None:
    assert shown([tally(Kind.RECURRING_COMMAND, "make", 3), sequence("a → b", 9, sessions=1)], {"a": 9, "b": 9}) == []
