"""Twenty processes at the same time: nothing is lost, nothing counted wrongly."""

from __future__ import annotations

from harness.person import Person, Said, checked, facts_in

TWENTY = range(20)


def all_at_once(person: Person, *calls: tuple[str, ...]) -> list[Said]:
    """Start every call before waiting for any."""
    started = [person.start(*call) for call in calls]
    said = [(one.communicate(timeout=120), one.returncode) for one in started]
    return [checked(Said(code, out, err), 0) for (out, err), code in said]


def test_twenty_texts_remembered_at_once_are_twenty_memories(person: Person) -> None:
    texts = {f"Prefer approach {number} for parallel work" for number in TWENTY}
    said = all_at_once(person, *(("remember", text, "--evidence", f"writer of {text}") for text in sorted(texts)))
    assert {answer.first for answer in said} == {f"Remembered candidate: {text}" for text in texts}
    assert person.event_types() == ["memory.candidate.created"] * 20
    assert len(person.section("Promotion Candidates")) == 20
    assert set(person.texts("parallel work", "--limit", "50")) == texts
    assert {memory["strength"] for memory in person.listed("--status", "pending")} == {1}
    assert "The home is well." in person.process("doctor").out


def test_one_fact_added_twenty_times_at_once_has_strength_twenty(person: Person) -> None:
    said = all_at_once(person, *[("add", "never run the build repeatedly")] * 20)
    told = sorted(
        int(line.split("strength ")[1].split()[0]) for line in (one.first for one in said) if "strength" in line
    )
    assert len(told) == 19
    assert told[-1] == 20
    (fact,) = facts_in(person.facts)
    assert fact["strength"] == 20
    assert len(person.section("Constraints")) == 1
    assert person.event_types() == ["memory.added"] * 20


def test_different_verbs_at_once_do_not_disturb_each_other(person: Person) -> None:
    repository = person.repository()
    person.tacit("add", "never force push", cwd=repository)
    name = person.id_of("never force push")
    all_at_once(
        person,
        *(("log", "--task", f"T-{number}", "--summary", f"Step {number}") for number in range(5)),
        *(("add", f"always do step {number}") for number in range(5)),
        *[("list",)] * 5,
        ("forget", name, "--reason", "r", "--evidence", "e"),
        *[("brief",)] * 4,
    )
    assert not (repository / "docs").exists()
    assert len(facts_in(person.facts)) == 5
    assert len(person.texts("step", "--limit", "50")) == 10
    assert "The home is well." in person.process("doctor").out
