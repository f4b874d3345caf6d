"""Learning from sessions: what a person said in one is suggested with its evidence, once, and only they decide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .person import Person

RULE = "From now on, always run the linter before you commit."
SMALL_TALK = "thanks, that looks good"


@pytest.fixture
def project(person: Person) -> Path:
    folder = person.folder / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


def write(person: Person, project: Path, name: str, *prompts: str) -> Path:
    """A transcript of Claude Code in which this was asked, each answered by the agent."""
    session = f"5c2a8f6e-1111-4222-8333-{name:0>12}"
    common = {"sessionId": session, "cwd": str(project), "isSidechain": False, "userType": "external"}
    lines = []
    for at, prompt in enumerate(prompts):
        asked = {"role": "user", "content": prompt}
        said = {"role": "assistant", "content": [{"type": "text", "text": "It is done as you asked."}]}
        uuid = f"{at:08x}-0000-4000-8000-{name:0>12}"
        day = f"2026-03-{int(name[-1]) + 1:02d}"
        lines.append(
            {**common, "type": "user", "uuid": uuid, "timestamp": f"{day}T10:{at:02d}:00.000Z", "message": asked}
        )
        reply = {"type": "assistant", "uuid": uuid.replace("4000", "4001"), "timestamp": f"{day}T10:{at:02d}:30.000Z"}
        lines.append({**common, **reply, "message": said})
    path = person.folder / "transcripts" / f"{session}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def pending(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(person.tacit("suggestions", "--json").out)
    return found


def strength(person: Person, name: str) -> int:
    return int(json.loads(person.tacit("show", name, "--json").out)["strength"])


def test_a_rule_is_suggested_with_its_words_and_nothing_else_is(person: Person, project: Path) -> None:
    person.tacit("capture", str(write(person, project, "1", "please add a footer to the page", RULE, SMALL_TALK)))
    told = person.tacit("learn").out

    assert "always run the linter before you commit" in told.lower() and RULE in told
    (one,) = pending(person)
    assert one["status"] == "pending" and "linter" in one["label"]
    why = person.tacit("why", one["id"]).out
    assert "learner:talk" in why and RULE in why and "-agents.jsonl:" in why


def test_a_look_changes_nothing(person: Person, project: Path) -> None:
    person.tacit("capture", str(write(person, project, "1", RULE)))
    told = person.tacit("learn", "--dry-run").out

    assert "1 suggestion would come" in told
    assert pending(person) == []


def test_learning_twice_is_learning_once(person: Person, project: Path) -> None:
    person.tacit("capture", str(write(person, project, "1", RULE)))
    person.tacit("learn")
    assert "Nothing to suggest" in person.tacit("learn").out
    person.tacit("learn", "--all")
    person.tacit("reindex")
    person.tacit("learn", "--all")

    (one,) = pending(person)
    assert strength(person, one["id"]) == 1


def test_the_same_in_other_words_in_three_sessions_is_one_memory_of_strength_three(
    person: Person, project: Path
) -> None:
    words = (RULE, "you must always run the linter before committing", "Always run the linter before a commit!")
    for name, prompt in enumerate(words, 1):
        person.tacit("capture", str(write(person, project, str(name), prompt)))
    person.tacit("learn")

    (one,) = pending(person)
    assert strength(person, one["id"]) == 3


def test_what_was_dismissed_is_not_suggested_again(person: Person, project: Path) -> None:
    person.tacit("capture", str(write(person, project, "1", RULE)))
    person.tacit("learn")
    person.tacit("dismiss", pending(person)[0]["id"])
    person.tacit("capture", str(write(person, project, "2", RULE)))
    before = person.events.read_bytes()

    assert "Nothing to suggest" in person.tacit("learn").out
    assert pending(person) == [] and person.events.read_bytes() == before


def test_words_of_the_agent_are_no_rules(person: Person, project: Path) -> None:
    path = write(person, project, "1", "what do you think?")
    path.write_text(path.read_text().replace("It is done as you asked.", RULE))
    person.tacit("capture", str(path))
    person.tacit("learn")

    assert pending(person) == []


def test_a_session_that_is_not_there_is_a_clear_error(person: Person) -> None:
    told = person.tacit("learn", "--session", "zzzz", code=1)

    assert "no session" in told.err and "tacit sessions" in told.err


def test_an_agent_may_suggest_and_the_person_decides(person: Person) -> None:
    given = ("suggest", "use pnpm instead of npm", "--evidence", "you corrected me twice", "--kind", "preference")
    told = person.tacit(*given, CLAUDECODE="1").out

    assert "I noticed: you corrected me twice. Should I remember: “use pnpm instead of npm”?" in told
    (one,) = pending(person)
    assert one["kind"] == "preference"
    assert "Suggested before" in person.tacit(*given, CLAUDECODE="1").out


def test_improving_merges_candidates_that_say_the_same_and_that_can_be_undone(person: Person) -> None:
    for text in ("always run the linter before a commit", "you should always run the linter before committing"):
        person.tacit("remember", text, "--evidence", "chat", "--global")
    told = person.tacit("improve").out
    assert "The same in other words, now one: 1" in told
    assert sum("linter" in one["label"] for one in pending(person)) == 1
    (undo,) = [line.split("tacit undo ")[1] for line in told.splitlines() if "tacit undo " in line]
    person.tacit("undo", undo)

    assert sum("linter" in one["label"] for one in pending(person)) == 2
