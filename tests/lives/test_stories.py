"""Stories that went wrong once, told as they happened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness.transcripts import Turn

from tests.lives import steps, surfaces
from tests.lives.machine import make_world
from tests.lives.world import FACTS, Person, World

LINTER, FORCE, PNPM = "run the linter before a push", "never force-push to main", "use pnpm instead of npm"
TRANSLATIONS = "Translations of cart-sync are pulled from north-archive by Hiro before each release"
RELEASES = "Releases of media-vault are tagged pebble-YYYY.MM and signed by Hiro"


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.same_everywhere)], ids=["eager", "lazy"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    made = make_world("ann", "bob")
    for person in made.people:
        person.lazy = request.param
    yield made
    if not made.failed:
        for person in made.people:
            if person.home.exists():
                steps.look(person)
                steps.ask_agent(person)
                steps.everything(person)


@pytest.fixture
def ann(world: World) -> Person:
    return world.people[0]


@pytest.fixture
def bob(world: World) -> Person:
    return world.people[1]


def shared(ann: Person, bob: Person, *rules: str, kind: str | None = None) -> None:
    """Ann has added rules, and Bob trusts them."""
    for rule in rules:
        steps.add(ann, rule, kind)
    steps.push(ann)
    steps.pull(bob)
    steps.trust(bob)


def test_confirming_a_rule_of_a_colleague_leaves_their_other_rules_alone(ann: Person, bob: Person) -> None:
    shared(ann, bob, FORCE, PNPM)
    steps.add(bob, LINTER)
    steps.add(bob, PNPM)
    assert {FORCE, PNPM, LINTER} <= set(bob.facts())


def test_after_a_commit_the_work_tree_stays_clean(ann: Person) -> None:
    for rule in (FORCE, PNPM, LINTER):
        steps.add(ann, rule)
        steps.commit(ann)
        ann.world.launcher.settle()
        assert not ann.git("status", "--porcelain").out


def test_another_branch_forgets_nothing(ann: Person) -> None:
    steps.add(ann, FORCE)
    steps.checkout(ann, "feat")
    steps.add(ann, PNPM)
    steps.checkout(ann, "main")
    steps.sync(ann)
    steps.look(ann)
    steps.merge(ann, "feat")
    steps.sync(ann)
    steps.look(ann)


def test_a_constraint_stays_one_when_it_is_said_again_and_when_it_is_trusted(ann: Person, bob: Person) -> None:
    shared(ann, bob, PNPM, kind="constraint")
    steps.add(ann, PNPM)
    steps.look(ann)
    steps.look(bob)


def test_a_question_writes_nothing_into_the_work_tree(ann: Person) -> None:
    steps.add(ann, PNPM)
    steps.stash(ann)
    steps.look(ann)
    assert not (ann.work / FACTS).exists()


def test_branches_of_people_who_never_ran_init_merge_without_conflicts(ann: Person, bob: Person) -> None:
    shared(ann, bob, FORCE, LINTER)
    for number in range(3):
        steps.add(ann, f"the service a{number} is owned by team {number}")
        steps.add(bob, f"the library b{number} is owned by group {number}")
        steps.push(ann)
        steps.push(bob)
        steps.pull(ann)


def test_what_a_history_taught_is_there_after_a_reindex(ann: Person) -> None:
    steps.import_history(ann, days=8)
    assert ann.mind.memories
    surfaces.look_at_page(ann)
    steps.hear_agent(ann, "one")


def test_sentences_about_other_things_silence_nothing(ann: Person) -> None:
    for text in (TRANSLATIONS, RELEASES):
        steps.add(ann, text)
    servers = ("The server web1 is 10.1.0.1", "The server web2 is 10.1.0.2", "The server mail is 10.1.0.9")
    for text in servers:
        steps.add(ann, text)
    steps.look(ann)
    found = ann.json("recall", "who pulls the translations of cart-sync")
    assert TRANSLATIONS in [hit["text"] for hit in found]


def test_what_may_contradict_is_asked_and_both_are_told(ann: Person) -> None:
    steps.add(ann, "No mocks in integration tests.")
    answer = ann.tacit("add", "Mocks are fine in unit tests.").out
    assert "may contradict" in answer
    ann.mind.state("Mocks are fine in unit tests.")
    steps.look(ann)


def test_a_home_with_choices_of_sessions_is_well(ann: Person) -> None:
    ann.tacit("autocapture", "on")
    for number in range(3):
        surfaces.end_turn(ann, f"s{number}", [Turn(f"take httpx instead of requests in module {number}")])
    ann.tacit("learn")
    ann.mind.note_all(row["text"] for row in ann.listed())


def test_a_log_that_was_saved_with_other_line_ends_is_read(ann: Person) -> None:
    steps.add(ann, PNPM)
    ann.save_with_crlf("memory/events.jsonl")
    steps.look(ann)
    steps.add(ann, LINTER)
    steps.look(ann)


def test_a_purged_text_of_a_transcript_is_in_no_file_and_does_not_come_back(ann: Person) -> None:
    ann.tacit("autocapture", "on")
    bird = Turn("what lives in the cage?", reply="It is a zebrafinch", put="")
    surfaces.end_turn(ann, "one", [bird, Turn("and what does it eat?", put="")])
    ann.tacit("purge", "--text", "zebrafinch", "--yes")
    steps.gone(ann, "zebrafinch")
    ann.tacit("import", "transcripts")
    steps.gone(ann, "zebrafinch")


def test_a_full_disk_answers_also_after_an_upgrade(ann: Person) -> None:
    steps.add(ann, PNPM)
    steps.fill_disk(ann)
    ann.sqlite(ann.home / "index.sqlite", "PRAGMA user_version = 1")
    steps.fill_disk(ann)


def test_a_line_that_a_colleague_forgot_and_committed_is_asked_about(ann: Person, bob: Person) -> None:
    shared(ann, bob, FORCE, LINTER)
    steps.decide(bob, "forget", LINTER)
    steps.push(bob)
    steps.pull(ann)
    steps.look(ann)
    steps.sync(ann)
    assert ann.row(LINTER)["status"] == "retired"
    steps.undo(ann)


def test_a_purge_leaves_nothing_of_a_line_after_the_record_of_what_was_written_is_gone(ann: Person) -> None:
    for rule in (FORCE, LINTER):
        steps.add(ann, rule)
    steps.delete_views(ann)
    steps.decide(ann, "forget", LINTER)
    steps.purge(ann, FORCE)
    assert not ann.facts()


def test_a_purge_leaves_the_words_of_whoever_reworded_the_line(ann: Person) -> None:
    steps.add(ann, FORCE)
    name = ann.id_of(FORCE)
    path = ann.work / FACTS
    ann.write(path, path.read_text().replace(f'"canonical": "{FORCE}"', '"canonical": "ask before you push to main"'))
    ann.tacit("purge", name, "--yes", changes=[FORCE, "ask before you push to main"])
    assert list(ann.facts()) == ["ask before you push to main"]
    assert "force" not in path.read_text()
    ann.mind.purge(FORCE)


def test_a_colleague_who_forgets_everything_leaves_no_conflict_to_those_who_add(ann: Person, bob: Person) -> None:
    shared(ann, bob, FORCE, LINTER)
    for rule in (FORCE, LINTER):
        steps.decide(bob, "forget", rule)
    steps.push(bob)
    steps.edit(ann, FORCE, "never rewrite main")
    steps.add(ann, PNPM)
    steps.pull(ann)
    assert {"never rewrite main", PNPM} <= set(ann.facts())


def test_a_line_that_waits_again_counts_what_is_not_counted_yet(ann: Person, bob: Person) -> None:
    shared(ann, bob, LINTER)
    steps.add(ann, LINTER, "constraint")
    steps.add(bob, LINTER)
    steps.push(ann)
    steps.pull(bob)
    steps.trust(bob)
    assert bob.row(LINTER)["strength"] == 3


def test_whoever_trusts_a_file_is_told_what_it_overrules(ann: Person, bob: Person) -> None:
    for person in (ann, bob):
        person.mind.opposing = frozenset((frozenset((PNPM, "use npm instead of pnpm")),))
    shared(ann, bob, PNPM)
    shared(ann, bob, "use npm instead of pnpm")
    steps.look(bob)
