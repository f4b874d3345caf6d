"""A story of a rule that the work tree no longer confirms: two people, a target that goes, branches, decisions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lives import steps, surfaces
from tests.lives.machine import make_world
from tests.lives.world import Person, World

RULE = "Always run `make lint` before you push."
NEW = "Always run `make check` before you push."
WITH_LINT, WITHOUT_LINT = "lint:\n\truff check\ntest:\n\tpytest\n", "check:\n\truff check\ntest:\n\tpytest\n"


@pytest.fixture
def world() -> Iterator[World]:
    made = make_world("ann", "bob")
    yield made
    if not made.failed:
        for person in made.people:
            if person.home.exists():
                steps.look(person)
                steps.everything(person)


@pytest.fixture
def ann(world: World) -> Person:
    """A person who took a rule over from the CLAUDE.md of the repository, and shared it."""
    ann = world.people[0]
    ann.write(ann.work / "Makefile", WITH_LINT)
    ann.write(ann.work / "CLAUDE.md", f"# Rules\n\n- {RULE}\n")
    ann.tacit("import", "rules")
    ann.mind.note_all(row["text"] for row in ann.quietly(ann.listed))
    steps.decide(ann, "accept", RULE)
    steps.share(ann, RULE)
    ann.git("add", "--all")
    steps.push(ann)
    # The host would tell the line of CLAUDE.md by itself.
    (ann.work / "CLAUDE.md").unlink()
    ann.git("add", "--all")
    steps.push(ann)
    return ann


@pytest.fixture
def bob(world: World, ann: Person) -> Person:
    bob = world.people[1]
    steps.pull(bob)
    steps.trust(bob)
    return bob


def remove_target(who: Person) -> str:
    """Take the target out of the Makefile. Return the commit, as git shortens it."""
    who.write(who.work / "Makefile", WITHOUT_LINT)
    who.git("commit", "--quiet", "--all", "--message", "Makefile: one target for all checks")
    commit = who.git("rev-parse", "--short", "HEAD").out.strip()
    steps.push(who)
    return commit


def state(who: Person) -> str:
    return str(who.json("show", who.id_of(RULE))["work_tree"]["state"])


def test_who_removes_a_target_makes_the_rule_red_for_the_colleague_and_says_since_when(
    ann: Person, bob: Person
) -> None:
    assert (state(ann), state(bob)) == ("green", "green")
    assert "1 red" not in bob.tacit("check").out
    commit = remove_target(bob)
    assert state(ann) == "green"  # her work tree still has it
    steps.checkout(ann, "before")
    steps.checkout(ann, "main")
    steps.pull(ann)

    for who in (ann, bob):
        assert state(who) == "red"
        (card,) = [card for card in who.json("review") if card["card"] == "missing"]
        assert card["label"] == RULE and card["missing"][0]["commit"]["hash"] == commit
        shown = who.tacit("check", code=1).out
        assert f"Makefile has no target lint, since commit {commit}" in shown and "one target for all checks" in shown
    told = surfaces.start_session(ann, "after the removal").model
    assert f"{RULE} (not true here: make lint)" in told and commit not in told

    steps.checkout(ann, "before")  # a branch on which it is still true
    assert state(ann) == "green" and ann.json("review") == []
    told = surfaces.start_session(ann, "on the branch").model
    assert RULE in told and "not true here" not in told


def test_who_keeps_a_red_rule_is_not_asked_again_and_who_rewords_it_mends_it_for_all(ann: Person, bob: Person) -> None:
    remove_target(bob)
    steps.pull(ann)
    ann.tacit("check", ann.id_of(RULE), "--keep")
    steps.reindex(ann)
    assert ann.json("review") == [] and state(ann) == "unknown"
    assert "you keep it" in ann.tacit("check", "--all").out
    assert state(bob) == "red"  # what she keeps is her decision

    steps.edit(bob, RULE, NEW)
    assert bob.json("review") == []
    assert bob.json("show", bob.id_of(NEW))["work_tree"]["state"] == "green"
    assert "not true here" not in surfaces.start_session(bob, "mended").model
