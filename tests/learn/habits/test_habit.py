"""When a habit is one, and how sure it is: the edges of the thresholds (A1 to A3, A10)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.learn.habits import habit
from tacit.learn.habits.corrections import KEY_SEPARATOR
from tacit.learn.habits.habit import CommandFrequency, Families, HabitKey, HabitTally, SequenceCount
from tacit.model.claim import Kind
from tacit.model.ids import event_id

EDGES = [
    (Kind.PREFERRED_CWD, 4, 2, None),
    (Kind.PREFERRED_CWD, 5, 1, None),
    (Kind.PREFERRED_CWD, 50, 1, None),
    (Kind.PREFERRED_CWD, 5, 2, 0.70),
    (Kind.PREFERRED_CWD, 6, 2, 0.71),
    (Kind.PREFERRED_CWD, 5, 3, 0.73),
    (Kind.PREFERRED_CWD, 30, 2, 0.95),
    (Kind.PREFERRED_CWD, 10_000, 900, 0.95),
    (Kind.RECURRING_COMMAND, 3, 3, None),
    (Kind.RECURRING_COMMAND, 4, 1, 0.60),
    (Kind.RECURRING_COMMAND, 5, 1, 0.61),
    (Kind.RECURRING_COMMAND, 4, 2, 0.64),
    (Kind.RECURRING_COMMAND, 34, 1, 0.90),
    (Kind.RECURRING_COMMAND, 10_000, 900, 0.90),
    (Kind.WORKFLOW_PATTERN, 2, 2, None),
    (Kind.WORKFLOW_PATTERN, 3, 1, None),
    (Kind.WORKFLOW_PATTERN, 9, 1, None),
    (Kind.WORKFLOW_PATTERN, 3, 2, 0.65),
    (Kind.WORKFLOW_PATTERN, 4, 2, 0.66),
    (Kind.WORKFLOW_PATTERN, 3, 3, 0.68),
    (Kind.WORKFLOW_PATTERN, 10_000, 900, 0.85),
    (Kind.PREFERENCE, 1, 1, None),
    (Kind.PREFERENCE, 2, 1, 0.60),
    (Kind.PREFERENCE, 10_000, 900, 0.85),
]


@pytest.mark.parametrize(("kind", "runs", "sessions", "sure"), EDGES)
def test_the_threshold_is_exact(kind: Kind, runs: int, sessions: int, sure: float | None) -> None:
    tally = HabitTally(HabitKey(kind, "a\nb"), runs, sessions)
    assert habit.is_habit(tally) == (sure is not None)
    assert sure is None or habit.confidence(tally) == sure


@pytest.mark.parametrize("kind", habit.HABIT_THRESHOLDS)
def test_confidence_never_falls_and_never_passes_the_cap(kind: Kind) -> None:
    scale = habit.HABIT_THRESHOLDS[kind]
    for runs in range(scale.min_runs, 60):
        for sessions in range(scale.min_sessions, 20):
            now = habit.confidence(HabitTally(HabitKey(kind, "x"), runs, sessions))
            assert scale.base <= now <= scale.cap
            assert now <= habit.confidence(HabitTally(HabitKey(kind, "x"), runs + 1, sessions))
            assert now <= habit.confidence(HabitTally(HabitKey(kind, "x"), runs, sessions + 1))


@pytest.mark.parametrize(
    "seen",
    [
        HabitKey(Kind.PREFERRED_CWD, "/srv/My App"),
        HabitKey(Kind.RECURRING_COMMAND, "npm test"),
        HabitKey(Kind.WORKFLOW_PATTERN, "git add\ngit commit\ngit push"),
        HabitKey(Kind.PREFERENCE, "grep\nrg"),
    ],
)
def test_a_claim_tells_which_habit_it_speaks_of(seen: HabitKey) -> None:
    assert habit.habit_from_claim(habit.habit_claim(seen)) == seen


# Which habits are worth a card, and in which order


def tally(kind: Kind, key: str, runs: int, sessions: int = 5) -> HabitTally:
    return HabitTally(HabitKey(kind, key.replace(" → ", KEY_SEPARATOR)), runs, sessions)


def sequence(key: str, runs: int, sessions: int = 5) -> HabitTally:
    return tally(Kind.WORKFLOW_PATTERN, key, runs, sessions)


def shown(tallies: list[HabitTally], runs: Mapping[str, int], total: int = 1000) -> list[str]:
    odds = CommandFrequency(total, lambda family: runs.get(family, 0))
    return [habit.habit_label(one.habit) for one in habit.rank_habits(tallies, odds)]


def test_what_follows_only_by_chance_is_not_shown() -> None:
    """Two commands that are half of all commands follow each other in a quarter of all cases."""
    runs = {"git status": 500, "git diff": 500, "make dist": 8, "make upload": 8}
    found = shown([sequence("git status → git diff", 250), sequence("make dist → make upload", 8)], runs)
    assert found == ["make dist → make upload"]


def test_commands_that_never_go_without_each_other_are_worth_most() -> None:
    odds = CommandFrequency(1000, {"a": 10, "b": 10, "c": 400}.__getitem__)
    assert habit.normalized_pmi(sequence("a → b", 10), odds) > habit.normalized_pmi(sequence("a → c", 10), odds) > 0
    assert round(habit.normalized_pmi(sequence("a → b", 10), odds), 6) == 1.0


def test_of_sequences_that_overlap_the_best_is_shown() -> None:
    runs = dict.fromkeys(("aa", "bb", "cc", "dd"), 20)
    found = shown([sequence("aa → bb → cc", 19), sequence("bb → cc → dd", 12), sequence("cc → aa → bb", 12)], runs)
    assert found == ["aa → bb → cc"]


def test_kinds_take_turns_the_best_of_each_first() -> None:
    tallies = [
        *(tally(Kind.RECURRING_COMMAND, line, 30) for line in ("rsync -ru a web:/a", "mytool --x=1 a.txt")),
        tally(Kind.PREFERENCE, "claer → clear", 9),
        sequence("make lint → make test → make dist", 20),
    ]
    found = shown(tallies, {"make lint": 30, "make test": 30, "make dist": 20})
    assert found[0] == "make lint → make test → make dist"
    assert set(found[1:3]) == {"claer → clear", "mytool --x=1 a.txt"} and found[3] == "rsync -ru a web:/a"


@pytest.mark.parametrize(
    "one",
    [
        tally(Kind.PREFERRED_CWD, "/srv/app/api", 90, 40),
        *(tally(Kind.RECURRING_COMMAND, line, 90, 40) for line in ("git", "git status", "vim", "npm install", "cp")),
        tally(Kind.RECURRING_COMMAND, "rsync -ru a web:/a", 90, 2),
        sequence("make lint → make test → make dist", 90, 2),
        sequence("make lint → make test", 90, 4),
        sequence("git status → git add → git commit", 90, 40),
        sequence("make lint → vim → make dist", 90, 40),
        sequence("conda → conda env", 90, 40),
        tally(Kind.PREFERENCE, "claer → clear", 2),
        tally(Kind.PREFERENCE, "npm isntall → npm install", 9),
    ],
    ids=lambda one: habit.habit_label(one.habit),
)
def test_what_says_nothing_is_no_card(one: HabitTally) -> None:
    assert habit.rank_habits([one], CommandFrequency(10_000, lambda family: 90)) == []


@pytest.mark.parametrize(("wrong", "right"), [("gti", "git"), ("git stauts", "git status"), ("dokcer", "docker")])
def test_a_misspelled_name_is_a_card_if_it_is_not_typed_on_purpose(wrong: str, right: str) -> None:
    one = tally(Kind.PREFERENCE, f"{wrong} → {right}", 3)
    for runs, cards in ((3, [one]), (40, [])):
        counts = {wrong: runs, right: 300}
        assert habit.rank_habits([one], CommandFrequency(10_000, counts.__getitem__)) == cards


def test_of_the_lines_of_a_command_the_best_is_shown_and_few_of_a_program() -> None:
    lines = [
        tally(Kind.RECURRING_COMMAND, "rsync -ru a web:/a", 30),
        tally(Kind.RECURRING_COMMAND, "rsync -ru b web:/b", 20),
        *(
            tally(Kind.RECURRING_COMMAND, f"make -j8 {name}", runs)
            for name, runs in (("e2e", 9), ("docs", 8), ("pdf", 7))
        ),
    ]
    assert set(shown(lines, {})) == {"rsync -ru a web:/a", "make -j8 e2e", "make -j8 docs"}


def test_what_is_below_its_threshold_is_never_shown() -> None:
    assert shown([tally(Kind.RECURRING_COMMAND, "make", 3), sequence("a → b", 9, sessions=1)], {"a": 9, "b": 9}) == []


# The most telling first

DAY = 24 * 60 * 60 * 1000
NOW = 1_780_000_000_000


def at(days_ago: float) -> str:
    return event_id(NOW - int(days_ago * DAY), bytes(10))


def order(*tallies: HabitTally, runs: Mapping[str, int] | None = None) -> list[str]:
    odds = CommandFrequency(10_000, lambda family: (runs or {}).get(family, 20))
    return [habit.habit_label(one.habit) for one in habit.rank_habits(tallies, odds, NOW)]


def command(key: str, runs: int = 20, sessions: int = 10, days_ago: float = 1) -> HabitTally:
    return tally(Kind.RECURRING_COMMAND, f"{key} --to=web ./a", runs, sessions)._replace(last_event=at(days_ago))


def programs(*tallies: HabitTally) -> list[str]:
    return [label.split()[0] for label in order(*tallies)]


def test_what_was_not_done_for_sixty_days_comes_last() -> None:
    assert programs(command("hugo", 200, 90, days_ago=60), command("pnpm", 6, 3, days_ago=59)) == ["pnpm", "hugo"]


def test_a_history_without_timestamps_comes_behind_others() -> None:
    untimed = command("sbatch", runs=50, sessions=1)._replace(has_timestamps=False)
    assert programs(untimed, command("pnpm", 6, 3)) == ["pnpm", "sbatch"]
    assert programs(untimed._replace(runs=5)) == []


def test_a_sequence_of_everybodys_commands_comes_behind_one_of_ones_own() -> None:
    usual = sequence("git add → git commit → git push", 900, 300)._replace(last_event=at(1))
    own = sequence("make lint → make dist → scripts/upload", 5, 4)._replace(last_event=at(1))
    assert order(usual, own) == [habit.habit_label(own.habit), habit.habit_label(usual.habit)]


def test_what_follows_each_other_only_now_and_then_is_no_card() -> None:
    triple = sequence("make dist → scripts/upload → make notes", 9, 5)._replace(last_event=at(1))
    assert order(triple, runs=dict.fromkeys(triple.habit.steps, 45)) != []
    assert order(triple, runs=dict.fromkeys(triple.habit.steps, 46)) == []


# Pairs and triples chain into the whole ritual


def steps(text: str) -> Families:
    return tuple(text.split(" → "))


def counted(*sessions: str) -> dict[Families, SequenceCount]:
    """The pairs and triples of sessions that were each run five times."""
    found: dict[Families, SequenceCount] = {}
    for session in sessions:
        families = steps(session)
        for length in (2, 3):
            for at in range(len(families) - length + 1):
                part = families[at : at + length]
                before = found.get(part, SequenceCount(0, 0, ""))
                found[part] = SequenceCount(before.runs + 5, before.sessions + 5, "2026")
    return found


def chained(sequences: dict[Families, SequenceCount]) -> list[str]:
    """Triples begin, as they do when pairs of a triple are of no worth."""
    scores = {families: float(count.runs) if len(families) == 3 else 0.0 for families, count in sequences.items()}
    return list(map(" → ".join, habit.chain_sequences(sequences, scores)))


def test_triples_chain_into_the_ritual_they_are_parts_of() -> None:
    assert chained(counted("lint → test → add → commit → push")) == ["lint → test → add → commit → push"]


def test_a_ritual_has_seven_steps_at_most() -> None:
    (ritual, *_) = chained(counted(" → ".join("abcdefghij")))
    assert len(steps(ritual)) == habit.MAX_CHAIN_STEPS == 7


def test_a_ritual_is_as_strong_as_its_weakest_triple() -> None:
    sequences = counted("a → b → c → d")
    sequences[steps("b → c → d")] = SequenceCount(4, 2, "2025")
    assert habit.weakest_count(steps("a → b → c → d"), sequences) == SequenceCount(4, 2, "2025")


def test_what_follows_only_now_and_then_is_no_part_of_it() -> None:
    sequences = counted(*["a → b → c"] * 4, "a → b → c → d")
    assert chained(sequences) == ["a → b → c"]


def test_it_does_not_go_on_with_looking_around() -> None:
    assert chained(counted("make lint → make test → make dist → git status"))[0] == "make lint → make test → make dist"


def test_a_step_comes_once() -> None:
    (ritual,) = chained(counted("vim → make → pytest → vim → make → pytest → vim → make"))
    assert len(set(steps(ritual))) == len(steps(ritual)) == 3


def test_a_longer_ritual_takes_the_place_of_its_part_only() -> None:
    assert habit.contains(steps("a → b → c → d"), steps("b → c → d"))
    assert not habit.contains(steps("a → b → c → d"), steps("a → c → d"))
    assert not habit.contains(steps("a → b → c"), steps("a → b → c"))


def test_a_decision_covers_what_is_nearly_the_same_and_not_a_ritual_around_it() -> None:
    assert habit.is_covered(steps("b → c → d → e"), steps("a → b → c → d"))
    assert not habit.is_covered(steps("lint → test → add → commit → push → tag"), steps("add → commit → push"))


@given(st.lists(st.lists(st.sampled_from("abcdefghi"), min_size=3, max_size=9, unique=True), min_size=1, max_size=5))
def test_rituals_share_one_step_at_most_and_every_part_was_seen(sessions: list[list[str]]) -> None:
    sequences = counted(*(" → ".join(one) for one in sessions))
    found = habit.chain_sequences(sequences, {one: float(len(one) * count.runs) for one, count in sequences.items()})
    for one in found:
        assert len(set(one)) == len(one) <= habit.MAX_CHAIN_STEPS
        assert all(part in sequences for part in habit.chain_parts(one))
    assert not any(habit.overlaps(one, other) for one, other in combinations(found, 2))
