"""`tacit purge`: gone from every file, provably; everything else stays, and nothing brings it back."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness.person import Person, tree
from harness.terminal import END_OF_INPUT, converse

from tests.chaos.apart import folder_in_memory
from tests.purge.conftest import SECRET
from tests.support import planting
from tests.support.planting import traces

SHORT = range(0, 16, 2)


@pytest.fixture
def project(person: Person) -> Path:
    return person.repository()


@pytest.fixture
def planted(person: Person, project: Path) -> Person:
    planting.plant(person, project, SECRET, 1)
    return person


def purge(person: Person, secret: str = SECRET, *more: str, cwd: Path | None = None) -> str:
    return person.tacit("purge", "--text", secret, "--yes", *more, cwd=cwd).out


def test_secrets_planted_everywhere_are_gone_and_everything_else_stays() -> None:
    with folder_in_memory() as folder:
        assert planting.story(folder, SHORT) == []


def test_a_rebuild_does_not_bring_it_back(planted: Person) -> None:
    purge(planted)
    for name in ("index.sqlite", "memory/long-term.md", "memory/memories.ndjson"):
        (planted.home / name).unlink()
    planted.tacit("reindex")
    assert traces(planted.folder, SECRET) == []


OLD = ("memory/events.jsonl", "activity/2026-03.jsonl", "index.sqlite")


@pytest.mark.parametrize("name", OLD)
def test_an_old_copy_put_back_shows_it_to_nobody(planted: Person, project: Path, name: str) -> None:
    old = (planted.home / name).read_bytes()
    purge(planted)
    (planted.home / name).write_bytes(old)
    for words in (
        ("list", "--status", "all", "--scope", "all", "--json"),
        ("recall", "Hunter magic aloud code summary", "--all", "--json"),
        ("recall", "say aloud", "--as-of", "2026-03-03", "--json"),
        ("brief", "--for", "saying things aloud"),
        ("status",),
    ):
        said = planted.tacit(*words, cwd=project, code=None)
        assert "q999x" not in said.out.lower() + said.err.lower()
    planted.tacit("reindex")
    kept = [trace for trace in traces(planted.home, SECRET) if f"/{name}:" not in trace]
    assert kept == []


def test_the_tombstone_alone_hides_it_at_once(planted: Person, project: Path) -> None:
    """As after a kill right behind the first step: everything else is still as it was."""
    kept = planted.folder / "kept"
    shutil.copytree(planted.home, kept)
    purge(planted)
    shutil.copy(planted.home / "memory/purged.jsonl", kept / "memory/purged.jsonl")
    shutil.rmtree(planted.home)
    kept.rename(planted.home)
    said = planted.tacit("list", "--status", "all", "--scope", "all", "--json", cwd=project)
    assert "heir 1 stays" in said.out and "q999x" not in said.out
    said = planted.tacit("recall", "aloud code magic", "--all", "--json", cwd=project, code=None)
    assert "q999x" not in said.out
    planted.tacit("purge", "--again", cwd=project)
    assert traces(planted.folder, SECRET) == []


@pytest.mark.parametrize("name", OLD[:2])
def test_the_doctor_says_that_it_is_back_and_the_advice_mends_it(planted: Person, name: str) -> None:
    old = (planted.home / name).read_bytes()
    purge(planted)
    (planted.home / name).write_bytes(old)
    said = planted.tacit("doctor", code=3)
    assert "something that was purged is back" in said.out and "tacit purge --again" in said.out
    before = [memory["label"] for memory in planted.listed("--status", "all", "--scope", "all")]
    planted.tacit("purge", "--again")
    assert traces(planted.folder, SECRET) == []
    planted.tacit("verify")
    assert [memory["label"] for memory in planted.listed("--status", "all", "--scope", "all")] == before


def test_lines_of_an_old_machine_are_recognised_by_their_words_alone(planted: Person) -> None:
    """The same words under other ids, put into the log by hand: nobody named these events."""
    purge(planted)
    other = Person(planted.folder / "other")
    other.folder.mkdir()
    other.tacit("add", f"their words were {SECRET}", now="2026-03-01T08:00:00Z")
    with planted.events.open("ab") as file:
        file.write(other.events.read_bytes())
    shutil.rmtree(other.folder)
    planted.tacit("purge", "--again")
    assert traces(planted.folder, SECRET) == []
    assert planted.texts("their words") == []


def test_the_tombstone_says_when_and_why_and_not_what(planted: Person) -> None:
    purge(planted, SECRET, "--reason", "typed into the wrong window")
    (line,) = (planted.home / "memory/purged.jsonl").read_bytes().splitlines()
    stone = json.loads(line)
    assert stone["type"] == "memory.purged" and stone["ts"].startswith("2026-03-02T12:00")
    assert stone["body"]["reason"] == "typed into the wrong window"
    assert stone["body"]["events"] and stone["body"]["claims"] and stone["body"]["damaged"] == 1
    assert (planted.home / "memory/purged.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_reason_that_tells_the_text_is_refused_before_anything_is_changed(planted: Person) -> None:
    before = tree(planted.home)
    said = planted.tacit("purge", "--text", SECRET, "--yes", "--reason", f"it was {SECRET}", code=1)
    assert "q999x" not in said.out + said.err
    assert tree(planted.home) == before


def test_an_interrupted_purge_is_found_and_the_advice_completes_it(planted: Person) -> None:
    purge(planted)
    (planted.home / ".tacit/purging").touch(mode=0o600)
    planted.long_term.write_text(planted.long_term.read_text() + f"\nNot yet cleaned: {SECRET}.\n")
    said = planted.tacit("doctor", code=3)
    assert "a purge was interrupted" in said.out and "tacit purge --again" in said.out
    planted.tacit("purge", "--again")
    assert traces(planted.folder, SECRET) == []
    assert "Not yet cleaned: [purged]." in planted.long_term.read_text()
    planted.tacit("doctor")


def test_a_purge_that_was_interrupted_before_it_began_is_over_when_asked_again(planted: Person) -> None:
    (planted.home / ".tacit/purging").touch(mode=0o600)
    assert "nothing was ever purged" in planted.tacit("purge", "--again", code=1).err
    assert "interrupted" not in planted.tacit("verify", code=3).out


def test_a_program_that_stays_open_sees_what_others_say_after_a_purge(planted: Person) -> None:
    with planted.vault() as vault:
        vault.recall("anything")
        vault.recall("anything at all")
        purge(planted)
        planted.tacit("add", "never look back")
        assert [hit.text for hit in vault.recall("look back")] == ["never look back"]
        assert not vault.search.recall(SECRET, observe=False) or "q999x" not in str(
            vault.search.recall(SECRET, observe=False)
        )


# A memory by its id


def test_a_memory_goes_with_all_its_wordings_and_others_with_the_same_words_stay(person: Person) -> None:
    person.tacit("add", "use pnpm", "--evidence", "first")
    person.tacit("add", "Use the pnpm.")
    person.tacit("add", "always use pnpm for installs", "--evidence", "as in: use pnpm")
    person.tacit("log", "--task", "T-1", "--summary", "told them: use the pnpm.")
    name, other = person.id_of("Use the pnpm."), person.id_of("always use pnpm for installs")
    said = person.tacit("purge", name, "--yes")
    assert "1 memory gone" in said.out and f"stay: {other}" in said.out
    (left,) = person.listed("--status", "all")
    assert (left["label"], left["evidence"]) == ("always use pnpm for installs", ["as in: [purged]"])
    assert name not in person.long_term.read_text() + person.facts.read_text()
    assert "told them: [purged]" in person.page("worklog/2026-03-02.md").read_text()
    assert person.event_types() == ["event.purged", "event.purged", "memory.added"]


# Asking


def test_at_a_terminal_it_says_how_much_and_asks(planted: Person) -> None:
    before = tree(planted.home)
    said = converse(planted, "purge", "--text", SECRET, answers=[("[y/N]", "no")])
    assert said.code == 1 and "Nothing was changed." in said.out
    assert "events" in said.out and "memories" in said.out and "files" in said.out
    assert tree(planted.home) == before
    said = converse(planted, "purge", "--text", SECRET, answers=[("[y/N]", "yes")])
    assert said.code == 0 and "Purged: " in said.out
    assert traces(planted.folder, SECRET) == []


def test_at_a_terminal_the_text_can_be_typed_unseen(planted: Person) -> None:
    said = converse(planted, "purge", "--text", "-", answers=[("(not shown): ", SECRET), ("[y/N]", "y")])
    assert said.code == 0 and "q999x" not in said.out
    assert traces(planted.folder, SECRET) == []


def test_whoever_types_no_text_has_purged_nothing(planted: Person) -> None:
    before = tree(planted.home)
    said = converse(planted, "purge", "--text", "-", answers=[("(not shown): ", END_OF_INPUT)])
    assert (said.code, "Traceback" in said.out) == (1, False)
    assert tree(planted.home) == before


def test_without_a_terminal_it_wants_yes(planted: Person) -> None:
    before = tree(planted.home)
    assert "--yes" in planted.process("purge", "--text", SECRET, code=2).err
    assert tree(planted.home) == before


def test_the_text_can_come_from_a_pipe(planted: Person) -> None:
    command = [sys.executable, "-m", "tacit", "purge", "--text", "-", "--yes"]
    done = subprocess.run(
        command,
        input=SECRET + "\n",
        cwd=planted.folder,
        env=planted.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "q999x" not in done.stdout + done.stderr
    assert traces(planted.folder, SECRET) == []


def test_what_is_nowhere_is_not_found_and_leaves_no_tombstone(planted: Person) -> None:
    before = tree(planted.home)
    said = planted.tacit("purge", "--text", "zebra crossing q123x", "--yes", code=1)
    assert "no file of this home holds it" in said.err and "zebra" not in said.err
    assert tree(planted.home) == before


def test_without_a_home_there_is_nothing_to_purge(person: Person) -> None:
    for words in (("--text", SECRET), ("7k2m",)):
        assert "there is no home" in person.tacit("purge", *words, "--yes", code=1).err
    assert not person.home.exists()


# What it cannot do


def test_a_line_of_a_newer_version_with_it_is_never_touched(planted: Person) -> None:
    from tacit.log.codec import with_checksum

    fields = {**json.loads(planted.events.read_bytes().splitlines()[0]), "type": "memory.dreamt"}
    fields.pop("c")
    fields["body"] = {"about": [SECRET]}
    with planted.events.open("ab") as file:
        file.write(with_checksum(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()))
    before = tree(planted.home)
    said = planted.tacit("purge", "--text", SECRET, "--yes", code=1)
    assert "newer version" in said.err and "q999x" not in said.err
    assert tree(planted.home) == before


def test_a_purge_that_would_not_reach_behind_a_link_changes_nothing(planted: Person) -> None:
    behind = planted.folder / "behind"
    (planted.home / "worklog").rename(behind)
    (planted.home / "worklog").symlink_to(behind)
    before = tree(planted.home), tree(behind)
    said = planted.tacit("purge", "--text", "nothing but a word", "--yes", code=1)
    assert "symbolic link" in said.err and f"cp -a {behind}" in said.err
    assert (tree(planted.home), tree(behind)) == before


def test_ctrl_c_says_whether_anything_was_changed(planted: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from tacit.purge.plan import LogSearch, PurgePlan

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = tree(planted.home)
    with monkeypatch.context() as patch:
        patch.setattr(LogSearch, "plan", interrupt)
        assert "Nothing was changed" in planted.tacit("purge", "--text", SECRET, "--yes", code=130).err
    assert tree(planted.home) == before
    with monkeypatch.context() as patch:
        patch.setattr(PurgePlan, "stage", interrupt)
        assert "tacit purge --again" in planted.tacit("purge", "--text", SECRET, "--yes", code=130).err
    planted.tacit("purge", "--again")
    assert traces(planted.folder, SECRET) == []


# Where it cannot reach


def test_what_no_purge_can_reach_is_listed_as_far_as_it_is_there(planted: Person, project: Path) -> None:
    (planted.folder / ".claude").mkdir()
    (planted.folder / ".bash_history").write_text("ls\n")
    said = planted.tacit("purge", "--text", SECRET, "--yes").out
    assert f"history of git in {project}" in said
    assert f"{planted.folder}/.claude" in said and f"{planted.folder}/.bash_history" in said
    assert ".codex" not in said and "other machines" in said and "backups" in said


def test_the_history_of_git_is_named_also_when_the_fact_file_is_gone(person: Person) -> None:
    shared, private = person.repository("shared"), person.repository("private")
    person.tacit("add", f"we never tell {SECRET}", cwd=shared)
    person.tacit("add", f"I never tell {SECRET}", cwd=private)
    person.tacit("forget", "--text", f"we never tell {SECRET}", cwd=shared)
    assert not (shared / "docs").exists()
    said = person.tacit("purge", "--text", SECRET, "--yes").out
    assert f"history of git in {shared}" in said and f"history of git in {private}" not in said
