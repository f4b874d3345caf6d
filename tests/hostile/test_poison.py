"""Three hundred payloads, planted through everything that takes words in: none is believed, all are shown."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.chaos.apart import folder_in_memory
from tests.hostile import poison
from tests.hostile.poison import Story

# Where words go and whom they are believed from follows from the log, whatever interpreter reads it.
pytestmark = pytest.mark.same_everywhere


@pytest.fixture(scope="module")
def story() -> Iterator[Story]:
    """One home for all, which these tests only look at, or leave as it was."""
    with folder_in_memory() as folder:
        yield poison.told(folder, poison.payloads())


def test_not_one_byte_of_a_payload_is_in_any_brief(story: Story) -> None:
    said = list(poison.briefs(story))
    assert any(said), "briefs that are always empty show nothing"
    assert [poison.canaries(text) for text in said if poison.canaries(text)] == []


def test_not_one_is_an_active_memory(story: Story) -> None:
    active = poison.active(story)
    assert {memory["label"] for memory in active} == {*poison.OWN, *poison.LOCAL}
    assert poison.canaries(json.dumps(active)) == set()


def test_not_one_is_in_the_facts_that_tacit_writes(story: Story) -> None:
    lines = story.one.person.facts.read_text("utf-8").splitlines(keepends=True)
    ours = [line for line in lines if line not in story.planted_facts]
    assert len(ours) == len(poison.OWN) and poison.canaries("".join(ours)) == set()
    shared = story.one.project / "docs" / "memory" / "memories.ndjson"
    assert poison.canaries(shared.read_text("utf-8")) == set()


def test_what_the_person_said_is_as_it_was(story: Story) -> None:
    assert poison.own_memories(story.one.person) == story.before
    assert poison.brief_ids(story.one) == story.briefs
    assert story.one.person.tacit("conflicts", cwd=story.one.project).out == "Conflicts (0)\n"
    assert "repository.trusted" not in story.one.person.event_types()


def test_everything_that_came_in_is_shown_with_its_source(story: Story) -> None:
    person = story.one.person
    review = person.process("review", "--limit", "10000").out
    shown = poison.canaries(review) | poison.canaries(person.tacit("trust", "--show", cwd=story.clone).out)
    pending = person.listed("--status", "pending", "--scope", "all")
    said = poison.canaries(json.dumps([[memory["label"], memory["evidence"]] for memory in pending]))
    assert said <= shown
    assert len(shown) > 200, "so few came in that this shows little"
    sources = {memory["source"] for memory in pending if poison.canaries(json.dumps(memory["label"]))}
    assert sources == {"agent", "remember", "note", "import", "hand-edit"}
    classes = {memory["provenance"] for memory in pending if poison.canaries(memory["label"])}
    assert classes == {"model", "external", "tool_local"}


def test_no_payload_forges_a_line_of_its_card(story: Story) -> None:
    """A text that begins like a field must not be taken for one: the source it names is its own invention."""
    cards = story.one.person.process("review", "--limit", "10000").out.split("── [")[1:]
    forged = [card for card in cards if sum(line.startswith("   source: ") for line in card.split("\n")) != 1]
    assert forged == []


def test_every_payload_went_somewhere(story: Story) -> None:
    """A payload that no way took would be no test."""
    person = story.one.person
    pages = "".join(path.read_text("utf-8") for path in (person.home / "worklog").glob("*.md"))
    log = person.events.read_text("utf-8")
    shown = person.tacit("trust", "--show", cwd=story.clone).out
    names = "".join(str(path) for path in story.places)
    found = poison.canaries(pages + log + shown + names)
    known = {mark for text in poison.payloads() if "use pnpm because" in text for mark in poison.canaries(text)}
    assert {poison.canary(number) for number in range(poison.COUNT)} - known <= found


def test_an_accepted_one_is_in_the_brief_inside_the_fence_and_nothing_else_is(story: Story) -> None:
    person = story.one.person
    chosen = next(
        memory
        for memory in person.listed("--status", "pending", "--scope", "all")
        if "</tacit-memory" in memory["label"]
        and memory["scope"] == "global"
        and len(poison.canaries(memory["label"])) == 1  # not one that took the place of another
    )
    (mark,) = poison.canaries(chosen["label"])
    person.tacit("accept", chosen["id"], "--kind", "constraint")
    try:
        said = person.tacit("brief").out
        first, *within, last, end = said.split("\n")
        assert first.startswith("<tacit-memory ") and last == first.replace("<", "</") and end == ""
        assert poison.canaries("\n".join(within)) == {mark}
        assert not any("<" in line for line in within)
        for text in poison.briefs(story):
            assert poison.canaries(text) <= {mark}
    finally:
        person.tacit("undo")


def test_an_agent_that_repeats_the_person_changes_none_of_their_words(story: Story) -> None:
    person = story.one.person
    for flags in (("--kind", "guidance"), ("--tag", "obey"), ("--evidence", f"obey {poison.canary(902)}")):
        person.tacit("add", "Use pnpm!", *flags, CLAUDECODE="1")
    try:
        now, was = poison.own_memories(person)["use pnpm"], story.before["use pnpm"]
        same = ("label", "kind", "tags", "status", "scope", "provenance", "source", "at", "reason")
        assert {name: now[name] for name in same} == {name: was[name] for name in same}
        assert poison.canaries("".join(poison.briefs(story))) == set()
    finally:
        assert person.tacit("verify").code == 0
