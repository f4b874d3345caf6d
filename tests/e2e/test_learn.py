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


def test_a_review_shows_the_words_the_session_and_why(person: Person, project: Path) -> None:
    person.tacit("capture", str(write(person, project, "1", RULE)))
    person.tacit("learn")
    card = person.tacit("review").out

    assert f"evidence: claude, 2026-03-02, session {person.tacit('sessions', '--json').json[0]['id']}" in card
    assert "why: always, as in “Always run the linter before you commit.”" in card


def test_a_suggestion_against_what_holds_says_so_and_changes_nothing(person: Person, project: Path) -> None:
    person.tacit("add", "use npm", cwd=project)
    (held,) = (one["id"] for one in person.tacit("list", "--json", cwd=project).json)
    person.tacit("capture", str(write(person, project, "1", "always use pnpm in this project")))
    person.tacit("learn")

    assert f"contradicts {held[:6]}: use npm" in person.tacit("review").out
    assert pending(person)[0]["contradicts"] == [held]
    assert person.tacit("show", held, "--json").json["overruled_by"] is None


def accepting(person: Person, project: Path, name: str, *prompts: str) -> str:
    """What is told when clear words need no review."""
    person.tacit("config", "set", "learn.accept", "true")
    person.tacit("capture", str(write(person, project, name, *prompts)))
    return person.tacit("learn").out


def test_clear_words_of_the_person_need_no_review_where_it_is_set_so(person: Person, project: Path) -> None:
    told = accepting(person, project, "1", RULE, "I'd rather have the tests beside the code")

    assert "(accepted): Always run the linter" in told and "1 suggestion, 1 accepted" in told
    assert ["beside" in one["label"] for one in pending(person)] == [True]
    assert "linter" in person.tacit("brief", cwd=project).out or "linter" in person.tacit("list").out
    person.tacit("undo")
    assert "linter" not in person.tacit("list").out


def test_what_only_a_setting_accepted_is_not_in_the_file_that_a_repository_shares(
    person: Person, project: Path
) -> None:
    person.tacit("add", "build with make", cwd=project)
    accepting(person, project, "1", RULE)
    shared = project / "docs" / "memory" / "memories.ndjson"
    (rule,) = [one for one in person.tacit("list", "--json", cwd=project).json if "linter" in one["label"]]

    assert "make" in shared.read_text() and "linter" not in shared.read_text()
    person.tacit("reindex", cwd=project)
    assert "linter" not in shared.read_text()
    person.tacit("accept", rule["id"], cwd=project)
    assert "linter" in shared.read_text()


def test_clear_words_against_what_holds_wait_for_a_review(person: Person, project: Path) -> None:
    person.tacit("add", "always use npm", cwd=project)
    accepting(person, project, "1", "From now on always use pnpm")

    assert ["pnpm" in one["label"] for one in pending(person)] == [True]


def test_what_a_setting_accepted_can_be_dismissed(person: Person, project: Path) -> None:
    accepting(person, project, "1", RULE)
    (rule,) = person.tacit("list", "--json").json
    person.tacit("dismiss", rule["id"])

    assert person.tacit("list", "--json").json == [] and pending(person) == []
