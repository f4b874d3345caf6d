"""Habits: from what a person runs to a card, to a decision, to what agents are told."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import pytest
from harness.person import Person
from harness.terminal import converse

from tacit.home.home import Home
from tacit.hooks.recorder import record_command
from tacit.learn.habits import Habits
from tacit.learn.habits.habit import HabitKey, habit_claim
from tacit.model.claim import Kind, Provenance
from tacit.model.event import Attribution, ClaimProposed, Draft, EventsUndone, Verdict
from tacit.model.memory import HABIT_SOURCE
from tacit.model.observation import CommandRan
from tacit.shell import CapturedCommand
from tests.support.shellwork import Line, lines

RELEASE = ("make lint", "make test", "git push")


def typed(person: Person, *history: Line, **environment: str) -> None:
    """As the shells of this person would tell it, in the order of time."""
    with person.at(None, None, **environment), Home(person.home, cwd=person.folder) as home:
        for line in sorted(history, key=lambda one: one.minute):
            record_command(home, CapturedCommand(line.at, line.session, line.ran))


def days(
    *commands: str, count: int = 3, status: int = 0, directory: str = "/srv/app/api", first: int = 0
) -> list[Line]:
    """The same commands on so many days, each in a session of its own."""
    every = (
        lines(f"day {day}", *commands, start=day * 24 * 60, status=status, directory=directory)
        for day in range(first, first + count)
    )
    return [line for one in every for line in one]


def cards(person: Person, *kinds: str) -> dict[str, dict[str, Any]]:
    """What is suggested, by its key."""
    found = person.tacit("suggestions", "--json").json
    return {one["key"]: one for one in found if not kinds or one["kind"] in kinds}


@pytest.mark.parametrize(
    ("history", "found"),
    [
        (lines("a", *["make release"] * 5), 0),
        ([*lines("a", *["make release"] * 4), *lines("b", "make release", start=60)], 1),
        ([*lines("a", *["make release"] * 4), *lines("b", "make release", start=60, status=1)], 0),
    ],
    ids=["one session", "five in two", "one failed"],
)
def test_a_directory_is_counted_at_its_threshold_and_is_no_card(
    person: Person, history: list[Line], found: int
) -> None:
    typed(person, *history)
    told = person.tacit("stats", "--json").json
    assert {one["kind"]: one["count"] for one in told["kinds"]}["preferred_cwd"] == found
    assert cards(person) == {}


def test_short_forms_of_a_command_count_together(person: Person) -> None:
    typed(person, *lines("a", "npm test", "npm t", "npm run test", "CI=1 npm test -- --watch=false | tail"))
    (often,) = person.tacit("stats", "--json").json["often"]
    assert often == {"text": "npm test", "run_count": 4, "session_count": 1}


def test_more_evidence_raises_a_card_in_place(person: Person) -> None:
    typed(person, *days("make release", count=4))
    before = cards(person, "recurring_command")["make release"]
    typed(person, *days("make release", count=2, first=4))
    after = cards(person, "recurring_command")["make release"]
    assert (after["id"], after["run_count"], after["strength"]) == (before["id"], 6, before["strength"])
    assert after["confidence"] > before["confidence"]
    assert (
        len([one for one in person.listed("--status", "all", "--scope", "all") if one["label"] == after["label"]]) == 1
    )


def test_a_dismissed_habit_never_returns(person: Person) -> None:
    typed(person, *days("make release", count=4))
    person.tacit("dismiss", cards(person)["make release"]["id"])
    typed(person, *days("make release", count=9, first=4))
    assert "make release" not in cards(person)
    person.tacit("reindex")
    assert "make release" not in cards(person)
    assert "make release" not in person.tacit("review").out


def test_a_dismissal_holds_when_another_machine_suggests_it(person: Person) -> None:
    typed(person, *days("make release", count=4))
    exported = person.folder / "exported"
    other = person.folder / "other-home"
    cards(person)
    person.tacit("export", "--to", str(exported))
    person.tacit("dismiss", cards(person)["make release"]["id"])
    person.tacit("import", str(exported))
    assert "make release" not in cards(person)
    person.tacit("--home", str(other), "import", str(person.home))
    found = person.tacit("--home", str(other), "suggestions", "--json").json
    assert [one for one in found if one["key"] == "make release"] == []


@pytest.mark.parametrize("decided", ["pending", "accept", "dismiss"])
def test_a_triple_takes_the_place_of_its_pairs_for_good(person: Person, decided: str) -> None:
    typed(person, *days(*RELEASE))
    triple = " → ".join(RELEASE)
    assert list(cards(person, "workflow_pattern")) == [triple]
    if decided != "pending":
        person.tacit(decided, cards(person)[triple]["id"])
    typed(person, *days(*RELEASE, count=4, first=3))
    for _ in range(2):
        pairs = {" → ".join(pair) for pair in pairwise(RELEASE)}
        assert not pairs & set(cards(person, "workflow_pattern"))
        person.tacit("reindex")


def test_two_terminals_at_once_are_two_sessions(person: Person) -> None:
    for day in range(5):
        start = day * 24 * 60
        typed(person, *lines(f"left {day}", "make lint", "make test", start=start))
        typed(person, *lines(f"right {day}", "hugo build", "deploy push", start=start + 0.5))
    assert set(cards(person, "workflow_pattern")) == {"make lint → make test", "hugo build → deploy push"}


# Which habits are cards


@pytest.mark.parametrize("count", [2, 3])
def test_a_ritual_needs_three_sessions(person: Person, count: int) -> None:
    typed(person, *days(*RELEASE, count=count))
    assert list(cards(person)) == ([" → ".join(RELEASE)] if count == 3 else [])


def test_what_everybody_runs_and_where_is_counted_and_is_no_card(person: Person) -> None:
    typed(person, *days("git status", "vim notes.txt", "grep todo notes.txt", "git diff", count=9))
    assert cards(person) == {}
    told = person.tacit("status", "--commands").out
    assert "9 × git status" in told and "36 × /srv/app/api" in told


def test_a_step_of_a_ritual_that_waits_or_holds_is_no_card(person: Person) -> None:
    typed(person, *days("make dist", "rsync -ru dist web:/srv/www", "make notes", count=4))
    (ritual,) = cards(person).values()
    person.tacit("accept", ritual["id"])
    typed(person, *days("rsync -ru dist web:/srv/www", count=4, first=9))
    assert cards(person) == {}


def test_a_line_that_waits_gives_way_to_the_ritual_it_becomes_part_of(person: Person) -> None:
    typed(person, *days("rsync -ru dist web:/srv/www", count=4))
    assert list(cards(person)) == ["rsync -ru dist web:/srv/www"]
    typed(person, *days("make dist", "rsync -ru dist web:/srv/www", "make notes", count=4, first=9))
    ritual = "make dist → rsync → make notes"
    person.tacit("accept", cards(person)[ritual]["id"])
    assert cards(person) == {}


def test_a_line_that_may_hold_a_secret_is_no_card(person: Person) -> None:
    typed(person, *days("nmcli device wifi connect 'Home 5G' password opensesame", count=5))
    assert cards(person) == {}


def misspelled(count: int) -> list[Line]:
    wrong, right = CommandRan("dokcer ps -a", status=127), CommandRan("docker ps -a")
    return [
        line
        for day in range(count)
        for line in (Line(f"{day}", day * 1440, wrong), Line(f"{day}", day * 1440 + 1, right))
    ]


def test_a_typing_error_is_a_card_after_the_third_time_and_no_agent_is_told(person: Person) -> None:
    typed(person, *misspelled(2))
    assert cards(person) == {}
    typed(person, *misspelled(3))
    (card,) = cards(person).values()
    assert card["effect"] == "tells no agent; for your shell: alias dokcer='docker'"
    assert "for your shell: alias dokcer='docker'" in person.tacit("accept", card["id"]).out
    assert [one["label"] for one in person.listed("--scope", "all")] == ["use `docker` instead of `dokcer`"]
    assert "dokcer" not in person.tacit("brief").out + person.tacit("context", "--cwd", ".").out


def proposed_before(person: Person, *habits: HabitKey) -> None:
    """As an earlier version suggested it."""
    with person.at(None, None), Home(person.home, cwd=person.folder) as home, home.store.change() as change:
        bodies = [ClaimProposed(habit_claim(one), Verdict.PROPOSED, HABIT_SOURCE, confidence=0.7) for one in habits]
        attribution = Attribution("learner:habit", Provenance.USER_FILE)
        change.record([Draft(body, body.claim.scope, attribution) for body in bodies])


def test_cards_of_an_earlier_version_that_say_too_little_are_withdrawn_and_decisions_stay(person: Person) -> None:
    typed(person, *days("make release", *RELEASE[:2], count=2))
    places = [HabitKey(Kind.PREFERRED_CWD, path) for path in ("/srv/app/api", "/srv/b", "/srv/c")]
    ritual = HabitKey(Kind.WORKFLOW_PATTERN, "make lint\nmake test")
    accepted, dismissed = (habit_claim(place).id for place in places[:2])
    for place, decision in zip(places, ("accept", "dismiss"), strict=False):
        proposed_before(person, place)
        person.tacit(decision, habit_claim(place).id)
    proposed_before(person, places[2], HabitKey(Kind.RECURRING_COMMAND, "git status"), ritual)
    assert len(person.listed("--status", "pending", "--scope", "all")) == 3
    assert cards(person) == {}
    assert person.tacit("status", "--json").json["pending"] == person.tacit("stats", "--json").json["pending"] == 0
    kept = {one["id"]: one["status"] for one in person.listed("--status", "all", "--scope", "all")}
    assert kept == {accepted: "active", dismissed: "dismissed"}
    assert "often works in /srv/app/api" in person.tacit("context", "--cwd", ".").out


def test_only_the_machine_that_proposed_a_card_withdraws_it_for_too_few_commands(person: Person) -> None:
    typed(person, *days("make lint", "make test", count=2))
    assert cards(person) == {}
    proposed_before(person, HabitKey(Kind.WORKFLOW_PATTERN, "make lint\nmake test"))
    with person.at(None, None), Home(person.home, cwd=person.folder) as home, home.store.snapshot() as connection:
        habits = Habits(connection, home.user_folder)
        assert habits.proposals(host="elsewhere") == []
        (draft,) = habits.proposals(host=home.store.actor.host)
        assert isinstance(draft.body, EventsUndone)


def test_at_most_five_cards_wait_and_the_rest_are_queued(person: Person) -> None:
    for number in range(8):
        typed(person, *days(f"tool{number} --set=a,b --into out.d", count=4, first=10 * number))
    first = cards(person)
    assert len(first) == 5
    person.tacit("dismiss", *[card["id"] for card in list(first.values())[:2]])
    second = cards(person)
    assert len(second) == 5
    assert len(set(second) - set(first)) == 2


def test_what_an_agent_runs_is_no_habit_of_the_person(person: Person) -> None:
    typed(person, *days("make release", count=9), CLAUDECODE="1")
    assert cards(person) == {}


def test_a_correction_is_suggested_after_the_second_time(person: Person) -> None:
    def corrected(day: int) -> list[Line]:
        wrong, right = CommandRan("grep -rn todo src", status=1), CommandRan("rg -rn todo src")
        return [Line(f"day {day}", day * 24 * 60, wrong), Line(f"day {day}", day * 24 * 60 + 1, right)]

    typed(person, *corrected(0))
    assert cards(person) == {}
    typed(person, *corrected(1))
    (card,) = cards(person).values()
    assert (card["label"], card["confidence"]) == ("use `rg` instead of `grep`", 0.65)


def test_what_mostly_works_is_not_given_up(person: Person) -> None:
    history = days("git push", count=6)
    for day in (10, 11):
        at = day * 24 * 60
        history += [
            Line(str(day), at, CommandRan("git push", status=1)),
            Line(str(day), at + 1, CommandRan("git pull")),
        ]
    typed(person, *history)
    assert [one for one in cards(person).values() if one["kind"] == "preference"] == []


def test_accepting_tells_agents(person: Person) -> None:
    typed(person, *days(*RELEASE, count=5))
    assert "make lint" not in person.tacit("context", "--cwd", ".").out
    for card in cards(person).values():
        person.tacit("accept", card["id"])
    told = person.tacit("context", "--cwd", ".").out
    assert "make-lint-test-git: `make lint`, then `make test`, then `git push`" in told
    assert "runs `make lint`, then `make test`, then `git push`" in person.tacit("brief").out


def test_an_accepted_pattern_is_a_workflow_of_what_was_really_typed(person: Person) -> None:
    history = days("npm ci", "npm t -- --silent", "git commit -am one")
    history += days("npm ci", "npm t -- --silent", "git commit -am two", first=3)
    typed(person, *history)
    (card,) = cards(person, "workflow_pattern").values()
    person.tacit("accept", card["id"])
    (workflow,) = person.tacit("workflow", "list", "--json").json
    assert workflow["steps"] == ["npm ci", "npm t -- --silent", "git commit -am {?message}"]
    assert workflow["directory"] == "/srv/app/api"
    assert workflow["memory"] == card["id"]


def test_at_a_terminal_the_workflow_can_be_edited_at_once(person: Person) -> None:
    typed(person, *days(*RELEASE))
    (card,) = cards(person, "workflow_pattern").values()
    editor = "sed -i 's/^name: .*/name: release/; s/make lint/make lint --fast/'"
    said = converse(person, "accept", card["id"], answers=[("Edit it now? [y/N] ", "y")], EDITOR=editor)
    assert "Workflow make-lint-test-git in /srv/app/api:" in said.out
    assert "Saved release." in said.out
    (workflow,) = person.tacit("workflow", "list", "--json").json
    assert (workflow["name"], workflow["steps"][0]) == ("release", "make lint --fast")


def test_a_secret_that_was_typed_in_it_is_no_step_of_a_workflow(person: Person) -> None:
    typed(person, *days("make lint", "deploy --token ghp_" + "a1B2c3D4e5" * 4, "git push"))
    (card,) = cards(person, "workflow_pattern").values()
    person.tacit("accept", card["id"])
    (workflow,) = person.tacit("workflow", "list", "--json").json
    assert workflow["steps"] == ["make lint", "deploy", "git push"]


def test_undo_takes_back_what_the_person_did_not_what_was_learned_since(person: Person) -> None:
    person.tacit("add", "use pnpm")
    typed(person, *days("make release", count=4))
    assert "make release" in cards(person)
    assert "use pnpm" in person.tacit("undo").out
    assert "make release" in cards(person)


def test_asking_again_changes_nothing(person: Person) -> None:
    typed(person, *days("make release", count=4))
    before = cards(person)
    assert cards(person) == before


def test_the_day_after_many_commands_the_numbers_are_told(person: Person) -> None:
    typed(person, *days("make release", "make test", count=3), *days("git psuh", count=2, status=1, first=3))
    told = person.tacit("stats", "--json", now="2026-03-08T12:00:00+00:00").json
    assert (told["command_count"], told["failed_count"], told["session_count"]) == (8, 2, 5)
    assert told["weeks"][-1] == {"day": "2026-03-02", "command_count": 8}
    said = person.tacit("stats", now="2026-03-08T12:00:00+00:00").out
    assert "8 (2 failed) in 5 sessions" in said
    assert "█" in said


def test_a_habit_says_which_commands_are_behind_it(person: Person) -> None:
    typed(person, *days("npm t -- --silent --bail", count=4))
    card = cards(person)["npm t -- --silent --bail"]
    told = person.tacit("why", card["id"], TZ="UTC").out
    assert "4 runs in 4 sessions, the last on 2026-03-05" in told
    assert "2026-03-05 09:00 in /srv/app/api: npm t -- --silent --bail" in told
    assert len(person.tacit("why", "--json", card["id"]).json["commands"]) == 4


def test_a_purged_command_is_nowhere_and_no_habit_any_more(person: Person) -> None:
    typed(person, *days("deploy-to-acme --zone=eu", "make release", count=4))
    card = cards(person, "recurring_command")["deploy-to-acme --zone=eu"]
    person.tacit("accept", card["id"])
    person.tacit("purge", "--text", "deploy-to-acme", "--yes")
    for path in person.home.rglob("*"):
        assert not path.is_file() or b"deploy-to-acme" not in path.read_bytes(), path
    assert "deploy-to-acme" not in cards(person)
    assert person.tacit("stats", "--json").json["command_count"] == 8


def test_the_recorder_leaves_a_notice_when_there_is_something_new(person: Person) -> None:
    notice, learned = person.home / ".tacit" / "notice", person.home / ".tacit" / "learned"
    typed(person, *days("make release", count=4))
    assert not notice.exists(), "it learns at most once a minute"
    os.utime(learned, (0, 0))
    typed(person, *days("ls", count=1, first=4, directory=""))
    assert notice.read_text() == "tacit: 1 suggestion, `tacit review`\n"
    notice.write_bytes(b"")
    os.utime(learned, (0, 0))
    typed(person, *days("make release", count=1, first=5, directory=""))
    assert notice.read_bytes() == b""


def test_the_notice_can_be_switched_off(person: Person) -> None:
    person.tacit("init")
    with (person.home / "tacit.toml").open("a") as settings:
        settings.write("\n[shell]\nnotice = false\n")
    typed(person, *days("make release", count=4))
    os.utime(person.home / ".tacit" / "learned", (0, 0))
    typed(person, *days("ls", count=1, first=4, directory=""))
    assert "make release" in cards(person)
    assert not (person.home / ".tacit" / "notice").exists()


def test_what_began_before_a_purge_does_not_bring_back_what_was_purged(person: Person) -> None:
    typed(person, *days("deploy-to-acme --now", count=1))
    person.tacit("purge", "--text", "deploy-to-acme", "--yes")
    typed(person, *days("deploy-to-acme --slowly", count=1))
    assert b"deploy-to-acme" not in b"".join(path.read_bytes() for path in person.home.rglob("*.jsonl"))
