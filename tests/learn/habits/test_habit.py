"""When a habit is one, and how sure it is: the edges of the thresholds (A1 to A3, A10)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.learn.habits import habit
from tacit.learn.habits.habit import KEY_SEPARATOR, CommandFrequency, Families, HabitKey, HabitTally, SequenceCount
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
    runs = dict.fromkeys("abcd", 20)
    found = shown([sequence("a → b → c", 19), sequence("b → c → d", 12), sequence("c → a → b", 12)], runs)
    assert found == ["a → b → c"]


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


# The most telling first

DAY = 24 * 60 * 60 * 1000
NOW = 1_780_000_000_000


def at(days_ago: float) -> str:
    return event_id(NOW - int(days_ago * DAY), bytes(10))


def order(*tallies: HabitTally, runs: Mapping[str, int] | None = None) -> list[str]:
    odds = CommandFrequency(10_000, lambda family: (runs or {}).get(family, 20))
    return [habit.habit_label(one.habit) for one in habit.rank_habits(tallies, odds, NOW)]


def command(key: str, runs: int = 20, sessions: int = 10, days_ago: float = 1) -> HabitTally:
    return tally(Kind.RECURRING_COMMAND, key, runs, sessions)._replace(last_event=at(days_ago))


def test_what_everybody_runs_comes_behind_what_few_run() -> None:
    everybody = [command(key, runs=900, sessions=200) for key in ("grep", "cp", "git status", "vim", "npm install")]
    found = order(*everybody, command("terraform plan", runs=6, sessions=3))
    assert found[0] == "terraform plan"


def test_what_one_session_shows_comes_last() -> None:
    assert order(command("cargo run", runs=90, sessions=1), command("grep"), command("pnpm dev", 6, 3)) == [
        "pnpm dev",
        "grep",
        "cargo run",
    ]


def test_what_was_not_done_for_sixty_days_comes_last() -> None:
    assert order(command("hugo server", 200, 90, days_ago=60), command("cp"), command("pnpm dev", 6, 3, days_ago=59))[
        ::2
    ] == ["pnpm dev", "hugo server"]


def test_a_history_without_timestamps_comes_between() -> None:
    untimed = command("sbatch", runs=50, sessions=1)._replace(has_timestamps=False)
    assert order(untimed, command("pnpm dev", 6, 3), command("mv"), command("hugo", 90, 1)) == [
        "pnpm dev",
        "sbatch",
        "mv",
        "hugo",
    ]


def test_a_sequence_of_everybodys_commands_comes_behind_one_of_ones_own() -> None:
    usual = sequence("git add → git commit → git push", 900, 300)._replace(last_event=at(1))
    own = sequence("make lint → make dist → scripts/upload", 5, 4)._replace(last_event=at(1))
    assert order(usual, own)[0] == habit.habit_label(own.habit)


def test_a_mistyped_command_is_nothing_to_be_proud_of() -> None:
    found = order(command("git sttaus", 30), command("git status", 300), command("pnpm dev", 6, 3))
    assert found[0] == "pnpm dev"


def test_a_directory_below_another_one_is_told_where_it_is_visited_often() -> None:
    root = tally(Kind.PREFERRED_CWD, "/src/app", 900, 100)._replace(last_event=at(1))
    seldom = tally(Kind.PREFERRED_CWD, "/src/app/lib", 30, 2)._replace(last_event=at(1))
    other = tally(Kind.PREFERRED_CWD, "/src/tool", 9, 3)._replace(last_event=at(1))
    assert order(root, seldom, other) == ["/src/app", "/src/tool", "/src/app/lib"]


def test_a_command_that_is_seldom_part_of_a_ritual_is_told_by_itself() -> None:
    ritual = sequence("nmap → nikto → report", 6, 5)._replace(last_event=at(1))
    commands = [command("nmap", 700, 130), command("report", 8, 5), command("terraform plan", 9, 4)]
    found = order(ritual, *commands, runs={"nmap": 700})
    assert [one for one in found if "→" not in one] == ["nmap", "terraform plan", "report"]


def test_what_follows_each_other_only_now_and_then_comes_behind_what_is_done_often() -> None:
    pair = sequence("make dist → scripts/upload → make notes", 9, 5)._replace(last_event=at(1))
    own = command("terraform plan", runs=6, sessions=3)
    assert order(pair, own, runs=dict.fromkeys(pair.habit.steps, 45))[0] == habit.habit_label(pair.habit)
    assert order(pair, own, runs=dict.fromkeys(pair.habit.steps, 46))[0] == "terraform plan"


def test_one_command_beside_another_that_everybody_runs_is_told_by_itself() -> None:
    pair = sequence("go test → golangci-lint run", 9, 5)._replace(last_event=at(1))
    assert order(pair, command("terraform plan", runs=6, sessions=3))[0] == "terraform plan"


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
