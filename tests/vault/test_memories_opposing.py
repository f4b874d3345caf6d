"""Opposing facts: the newest wins unless the older is a constraint; what no rule decides is kept and tagged."""

from __future__ import annotations

from harness.person import Person, facts_in

LATER = "2026-03-03T12:00:00+00:00"


def holding(person: Person) -> set[str]:
    return {fact["canonical"] for fact in facts_in(person.facts)}


def test_the_newest_answer_wins(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    said = person.process("add", "I prefer pnpm", now=LATER)
    assert "overrules" in said.out and person.id_of("I prefer npm")[:6] in said.out
    assert holding(person) == {"I prefer pnpm"}
    assert person.texts("prefer") == ["I prefer pnpm"]
    (pruned,) = person.section("Pruned Or Revised")
    assert "I prefer npm" in pruned and f"overruled by {person.id_of('I prefer pnpm')}" in pruned
    told = person.process("conflicts").out
    assert told.startswith("Conflicts (1)\n")
    assert "the newest wins" in told


def test_said_again_the_older_answer_is_the_newest(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    person.tacit("add", "I prefer pnpm")
    person.tacit("add", "I prefer npm", now=LATER)
    assert holding(person) == {"I prefer npm"}
    (fact,) = facts_in(person.facts)
    assert fact["strength"] == 2


def test_an_older_constraint_holds_against_a_newer_preference(person: Person) -> None:
    person.tacit("add", "never use npm")
    said = person.process("add", "use npm", now=LATER)
    assert person.id_of("never use npm")[:6] in said.out and "tacit conflicts" in said.out
    assert holding(person) == {"never use npm"}
    assert person.texts("npm") == ["never use npm"]
    told = person.process("conflicts").out
    assert "an older constraint holds" in told
    assert told.index("never use npm") < told.index("use npm (rule")


def test_a_newer_constraint_wins_as_any_newest(person: Person) -> None:
    person.tacit("add", "use npm")
    person.tacit("add", "never use npm", now=LATER)
    assert holding(person) == {"never use npm"}
    assert "the newest wins" in person.tacit("conflicts").out


def test_two_constraints_are_both_kept_and_both_tagged(person: Person) -> None:
    person.tacit("add", "always use tabs", "--kind", "constraint", "--tag", "style")
    said = person.process("add", "always use spaces", "--kind", "constraint", now=LATER)
    assert "no rule decides" in said.out
    facts = {fact["canonical"]: fact["tags"] for fact in facts_in(person.facts)}
    assert facts == {"always use tabs": ["style", "conflict"], "always use spaces": ["conflict"]}
    assert set(person.texts("always use")) == {"always use tabs", "always use spaces"}
    assert all(hit["conflict"] for hit in person.recalled("always use"))
    assert "cannot be decided" in person.process("conflicts").out
    assert person.tacit("status", "--json").json["undecided"] == 1


def test_keep_both_lets_them_stand_beside_each_other(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    person.tacit("add", "I prefer pnpm")
    person.process("conflicts", "--keep-both", person.id_of("I prefer npm"))
    facts = {fact["canonical"]: fact["tags"] for fact in facts_in(person.facts)}
    assert facts == {"I prefer npm": [], "I prefer pnpm": []}
    assert person.tacit("conflicts").out == "Conflicts (0)\n"
    assert set(person.texts("prefer")) == {"I prefer npm", "I prefer pnpm"}


def test_forgetting_the_winner_lets_the_other_hold_again(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    person.tacit("add", "I prefer pnpm")
    person.tacit("forget", "--text", "I prefer pnpm", "--reason", "r", "--evidence", "e")
    assert holding(person) == {"I prefer npm"}
    person.tacit("undo")
    assert holding(person) == {"I prefer pnpm"}


def test_what_an_agent_says_overrules_no_person(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    person.tacit("add", "I prefer pnpm", TACIT_ACTOR="codex")
    assert holding(person) == {"I prefer npm"}
    assert person.tacit("conflicts").out == "Conflicts (0)\n"


def test_an_accepted_suggestion_of_an_agent_is_an_answer_like_any(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    person.tacit("add", "I prefer pnpm", TACIT_ACTOR="codex")
    said = person.process("accept", person.id_of("I prefer pnpm"))
    assert "I prefer pnpm" in person.texts("prefer")
    assert "tacit conflicts" in said.out


def test_answers_to_different_questions_are_no_conflict(person: Person) -> None:
    for text in ("I prefer pnpm", "I prefer tabs", "I prefer dark mode", "never force push", "always push tags"):
        person.tacit("add", text)
    assert person.tacit("conflicts").out == "Conflicts (0)\n"
    assert len(facts_in(person.facts)) == 5


def test_project_and_world_may_differ(person: Person) -> None:
    root = person.repository()
    person.tacit("add", "global: I prefer npm", cwd=root)
    person.tacit("add", "I prefer pnpm", cwd=root)
    assert person.tacit("conflicts", cwd=root).out == "Conflicts (0)\n"
    assert holding(person) == {"I prefer npm"}
    assert {memory["label"] for memory in person.tacit("list", "--json", cwd=root).json} == {
        "I prefer npm",
        "I prefer pnpm",
    }
