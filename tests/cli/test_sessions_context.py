"""`tacit context` and `tacit injected` as commands: places, limits, exit codes, and output for people and programs."""

from __future__ import annotations

import pytest
from harness.person import Person
from harness.transcripts import name_of

from tacit.model.claim import GLOBAL
from tacit.model.event import Draft
from tacit.model.observation import BriefInjected, session_id
from tests.support.hook_session import Sitting


def inject(person: Person, *bodies: BriefInjected, now: str | None = None) -> None:
    with person.vault(now=now) as vault, vault.home.store.change() as change:
        change.record([Draft(body, GLOBAL) for body in bodies])


# tacit context


def test_a_folder_may_be_named_from_the_persons_own_one(person: Person) -> None:
    (person.folder / "work" / ".git").mkdir(parents=True)
    person.tacit("add", "use pnpm", cwd=person.folder / "work")
    told = person.tacit("context", "--cwd", "~/work", "--json").json
    assert told["directory"] == str(person.folder / "work")
    assert [one["text"] for one in told["memories"]] == ["use pnpm"]
    assert person.tacit("context", "--json").json["directory"] == str(person.folder)


def test_it_is_about_another_home_if_that_is_named(person: Person) -> None:
    other = str(person.folder / "other")
    person.tacit("add", "use pnpm", "--global", "--home", other)
    assert "use pnpm" in person.tacit("context", "--home", other).out
    assert "use pnpm" not in person.tacit("context").out
    assert not person.home.exists()


# tacit injected


def test_if_nothing_was_injected_it_says_how_to_begin_and_the_exit_code_tells_a_script(person: Person) -> None:
    assert "tacit install claude" in person.tacit("injected").out
    assert person.tacit("injected", "--json").json == []
    person.tacit("injected", "--exit-code", code=1)
    assert person.tacit("injected", "--exit-code", "--json", code=1).json == []
    inject(person, BriefInjected((), 12))
    person.tacit("injected", "--exit-code")


@pytest.mark.parametrize(
    ("moment", "label"),
    [
        ("startup", "at the start of a session"),
        ("resume", "when a session was resumed"),
        ("clear", "after the conversation was cleared"),
        ("compact", "after the conversation was compacted"),
        ("prompt", "at a prompt"),
        ("", "asked for"),
        ("a moment of a later version", "a moment of a later version"),
    ],
)
def test_a_moment_is_told_in_words(person: Person, moment: str, label: str) -> None:
    inject(person, BriefInjected((), 1, moment=moment))
    assert person.tacit("injected").out == f"2026-03-02 12:00  tacit brief, {label}, 1 token\n"


def test_a_prompt_is_told_with_its_task_and_each_memory_with_its_reason(person: Person) -> None:
    person.tacit("add", "never force push to main")
    memory, session = person.id_of("never force push to main"), name_of("one")
    Sitting(person, session, person.folder).ask("may I force push to main?")
    first, task, chosen = person.tacit("injected").out.splitlines()
    assert first.startswith(f"2026-03-02 12:00  claude {session}, at a prompt, ") and first.endswith(" tokens")
    assert task == "    for: may I force push to main?"
    assert chosen.startswith(f"    {memory}  never force push to main (") and chosen.endswith(")")
    (told,) = person.tacit("injected", "--json").json
    assert (told["session"], told["at"]) == (session_id("claude", session), "2026-03-02T12:00:00.000000Z")
    assert told["memories"][0].keys() == {"id", "text", "reason"} and told["sessions"] == []


def test_a_brief_that_a_person_printed_belongs_to_no_session(person: Person) -> None:
    person.tacit("add", "never force push to main")
    person.tacit("brief", "--for", "push it")
    (told,) = person.tacit("injected", "--json").json
    assert (told["agent"], told["session"], told["moment"], told["task"]) == ("", "", "", "push it")


def test_the_latest_fifty_are_shown_unless_a_limit_is_given(person: Person) -> None:
    inject(person, *(BriefInjected((), number) for number in range(1, 61)))
    tokens = [one["tokens"] for one in person.tacit("injected", "--json").json]
    assert tokens == list(range(60, 10, -1))
    assert [one["tokens"] for one in person.tacit("injected", "--json", "--limit", "2").json] == [60, 59]
    lines = person.tacit("injected", "--limit", "22").out.splitlines()
    assert len(lines) == 23 and lines[-1] == "… and 38 more injections. To see all: tacit injected --all"
    assert len(person.tacit("injected", "--all").out.splitlines()) == 60
    person.tacit("injected", "--limit", "0", code=2)


def test_long_and_deceptive_texts_are_cut_and_escaped(person: Person) -> None:
    inject(person, BriefInjected((), 5, task="\x1b[2J\u202e" + "x" * 500, agent="cl\x1baude", moment="\x1b[0m"))
    shown = person.tacit("injected").out
    assert "\x1b" not in shown and "\u202e" not in shown
    assert max(map(len, shown.splitlines())) < 160
