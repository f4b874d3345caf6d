"""Looking at what one's own histories and transcripts would teach, without keeping anything."""

from __future__ import annotations

import json
import os
from pathlib import Path

from harness.person import Person, tree

DAY = 24 * 60 * 60


def write_history(person: Person) -> Path:
    path = person.folder / ".zsh_history"
    told = [
        f": {1_700_000_000 + day * DAY + at * 60}:0;{command}\n"
        for day in range(4)
        for at, command in enumerate(("git pull", "npm ci", "npm test", "npm t -- --bail", "rsync -ru . web:/w"))
    ]
    path.write_text("".join(told))
    return path


def test_it_shows_what_would_be_learned_and_leaves_everything_as_it_was(person: Person) -> None:
    write_history(person)
    before = tree(person.folder)
    said = person.process("try", TMPDIR=str(person.folder.parent)).out
    assert "git pull → npm ci → npm test → rsync" in said
    assert "tacit setup" in said
    assert tree(person.folder) == before
    assert not person.home.exists()


def test_with_neither_it_says_where_it_looked(person: Person) -> None:
    said = person.process("try").out
    assert "There is no shell history and no transcript of an agent to learn from" in said
    assert "~/.zsh_history" in said and "~/.claude/projects" in said and "opencode.db" in said
    assert "tacit import transcripts" not in said
    assert not person.home.exists()


def test_an_agent_may_show_it_too(person: Person) -> None:
    write_history(person)
    assert "→ npm test → rsync" in person.process("try", CLAUDECODE="1").out


def write_transcript(person: Person, number: int, folder: Path | None = None) -> Path:
    """A session of one request, an hour after the one before."""
    path = (
        (folder or person.folder / ".claude") / "projects" / "shop" / f"{number:08}-0000-4000-8000-000000000000.jsonl"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    common = {"sessionId": path.stem, "cwd": "/home/kim/shop", "gitBranch": "main", "version": "2.1.40"}
    call = {"type": "tool_use", "id": f"toolu_{number:024}", "name": "Edit", "input": {"file_path": f"part{number}.py"}}
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": "done"}
    said: list[tuple[str, object]] = [
        ("user", f"Please rename the basket number {number}."),
        ("assistant", [call]),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": f"The basket number {number} is renamed."}]),
    ]
    with path.open("w") as file:
        for at, (role, content) in enumerate(said):
            uuid = f"{number:08}-0000-4000-8000-{at:012}"
            when = f"2026-03-{1 + number // 24:02}T{number % 24:02}:00:{at:02}.000Z"
            record = {"type": role, "uuid": uuid, "timestamp": when, "message": {"role": role, "content": content}}
            file.write(json.dumps({**common, **record}) + "\n")
    os.utime(path, (1_772_000_000 + number, 1_772_000_000 + number))
    return path


def test_the_last_five_sessions_are_shown_as_they_would_be_remembered(person: Person) -> None:
    for number in range(7):
        write_transcript(person, number)
    before = tree(person.folder)
    said = person.process("try", TMPDIR=str(person.folder.parent)).out
    shown = [line.strip() for line in said.split("\n") if "Please rename" in line]
    assert shown == [f"Please rename the basket number {number}." for number in (6, 5, 4, 3, 2)]
    assert "→ The basket number 6 is renamed." in said and "files: part6.py" in said and "(7 in all)" in said
    assert "Read for this" not in said
    assert "tacit setup" in said
    assert tree(person.folder) == before
    assert not person.home.exists()


def test_histories_and_transcripts_are_shown_together(person: Person) -> None:
    write_history(person)
    write_transcript(person, 1)
    said = person.process("try").out
    assert said.index("→ npm test → rsync") < said.index("Please rename the basket number 1.")


def test_of_many_transcripts_the_latest_are_read_and_it_says_so(person: Person) -> None:
    for number in range(203):
        write_transcript(person, number)
    said = person.process("try").out
    assert "Read for this: 200 of 203 transcripts" in said and "(200 in all)" in said
    assert "basket number 202." in said


def test_what_is_too_large_is_left_out(person: Person) -> None:
    write_transcript(person, 1)
    os.truncate(write_transcript(person, 2), 200_000_001)
    said = person.process("try").out
    assert "basket number 1." in said and "basket number 2." not in said
    assert "Read for this: 1 of 2 transcripts" in said


def test_transcripts_are_looked_for_where_the_agent_keeps_them(person: Person, tmp_path: Path) -> None:
    write_transcript(person, 5, tmp_path / "elsewhere")
    assert "basket number 5." in person.process("try", CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere")).out


def test_files_that_are_no_transcripts_are_not_spoken_of(person: Person) -> None:
    (write_transcript(person, 1).parent / "index.json").write_text("[]")
    said = person.process("try").out
    assert "basket number 1." in said and "index.json" not in said
