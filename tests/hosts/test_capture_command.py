"""Taking in transcripts: said plainly, by several at once, without secrets, and not where the person said no."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from harness.person import Person, tree
from harness.transcripts import Claude, Turn, lines, name_of, opencode, place, story, written

from tacit.home.paths import JUDGE_FOLDER
from tests.laws.kept import captured, difference, kept
from tests.learn.test_sessions import write

SECRETS = (
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7QWERTYU",
    "xoxb-2154871625-2154871625123-AbCdEfGhIjKlMnOpQrStUvWx",
    "hunter2-Tr0ub4dor",
    "MIIEpAIBAAKCAQEA7bq0mZr1cXyz9QkLm",
    "sk-ant-api03-" + "aB3dE5gH7jK9" * 7 + "-AA",
)
SHAPES = (
    f"use the token {SECRETS[0]} for it",
    f"export AWS_ACCESS_KEY_ID={SECRETS[1]}",
    f"curl -H 'Authorization: Bearer {SECRETS[2]}' https://example.org",
    f"mysql -u root -p{SECRETS[3]} shop",
    f"-----BEGIN RSA PRIVATE KEY-----\n{SECRETS[4]}\n{SECRETS[4]}\n-----END RSA PRIVATE KEY-----",
    f'{{"api_key": "{SECRETS[5]}"}}',
)


def session(person: Person, name: str, *turns: Turn, folder: str = "/nowhere/work") -> Path:
    teller = Claude(name_of(name), folder)
    for turn in turns:
        teller.turn(turn)
    file = place(person.folder, "claude", teller.session)
    file.write_bytes(lines(teller.records))
    return file


def test_capture_finds_the_transcripts_of_this_machine_and_says_what_came_of_them(person: Person) -> None:
    written(person.folder, "/nowhere/work")
    said = person.tacit("capture").out

    for agent in ("claude: 4 files", "codex: 1 file", "copilot: 1 file", "gemini: 1 file", "opencode: 1 file"):
        assert agent in said
    assert "1 line that cannot be read" in said
    assert "Captured 100 things said and done" in said
    assert person.tacit("capture").out.endswith("Nothing new.\n")
    assert len(person.tacit("sessions", "--json").json) == 7


def test_what_was_captured_is_indexed_so_that_no_hook_has_to(person: Person) -> None:
    session(person, "good", Turn("rename the cart table"))
    person.tacit("capture")
    with person.vault() as vault:
        assert not vault.home.store.is_far_behind(0)


def test_what_is_no_transcript_is_told_and_harms_nothing_else(person: Person) -> None:
    good = session(person, "good", Turn("rename the cart table"))
    bad = good.with_name("notes.jsonl")
    bad.write_text('{"anything": "else"}\n')
    told = person.tacit("capture", "--json", str(good.parent)).json

    assert {one["path"]: bool(one["problem"]) for one in told} == {str(good): False, str(bad): True}
    assert person.tacit("capture", str(bad), code=1).out.startswith("  left out: ")
    assert "there is no" in person.tacit("capture", str(good / "x"), code=1).err


def test_several_captures_at_once_take_everything_in_once(person: Person, tmp_path: Path) -> None:
    files = written(person.folder, "/nowhere/work", turns=4)
    started = [person.start("capture", *(str(file) for file in files[nth:] + files[:nth])) for nth in range(4)]
    ended = [(one.communicate(timeout=60), one.returncode) for one in started]

    assert {code for _, code in ended} == {0}
    with person.at():
        assert list(difference(captured(tmp_path / "once", *files), kept(person.home))) == []


def test_live_and_later_give_the_same_session_byte_for_byte(person: Person, tmp_path: Path) -> None:
    """As a person and as a program read it: captured at every turn, or when all was over."""
    teller = Claude(name_of("live"), "/nowhere/work")
    file = place(person.folder, "claude", teller.session)
    for turn in story("live", 5):
        teller.turn(turn)
        file.write_bytes(lines(teller.records))
        person.tacit("capture", str(file))
        person.tacit("recall", "task", code=None)
    live = person.tacit("session", "show", "last", "--json").out, person.tacit("session", "show", "last").out
    page = next((person.home / "sessions").glob("*.md")).read_bytes()
    later = Person(tmp_path / "later")
    later.folder.mkdir()
    later.tacit("capture", str(file))

    assert (later.tacit("session", "show", "last", "--json").out, later.tacit("session", "show", "last").out) == live
    assert next((later.home / "sessions").glob("*.md")).read_bytes() == page
    assert page.decode() == live[1]


def test_no_secret_reaches_the_disk_from_anywhere_in_a_transcript(person: Person) -> None:
    """In prompts, replies, commands, their results, and behind a cut."""
    cut = "x " * 4990  # what is too long is cut in the middle of the shape
    turns = [Turn(f"please {shape}", shape, shape, reply=f"I used {shape} there.") for shape in SHAPES]
    turns += [Turn(f"{cut}{shape}", f"echo {'y' * 170} {shape}", f"{'z ' * 240}{shape}") for shape in SHAPES]
    files = [session(person, "secrets", *turns)]
    opencode(person.folder / "opencode.db", "ses_1", "/nowhere/work", turns)
    person.tacit("capture", *map(str, files), str(person.folder / "opencode.db"))
    person.tacit("sessions")

    held = b"".join(tree(person.home).values())
    assert b"I used " in held
    assert [secret for secret in SECRETS if secret.encode() in held or secret[:20].encode() in held] == []
    shown = person.tacit("session", "show", "last", "--json").out
    assert [secret for secret in SECRETS if secret in shown] == []


def test_nothing_of_an_ignored_folder_is_captured(person: Person) -> None:
    """Not even that somebody was interrupted there."""
    person.tacit("config", "set", "agents.ignore_directories", "/nowhere/private")
    teller = Claude(name_of("private"), "/nowhere/private/deep")
    teller.turn(Turn("something private"))
    teller.ask("[Request interrupted by user]")
    teller.compact()
    file = place(person.folder, "claude", teller.session)
    file.write_bytes(lines(teller.records))
    person.tacit("capture", str(file), str(session(person, "open", Turn("something open"))))

    assert [one["title"] for one in person.tacit("sessions", "--json").json] == ["something open"]
    assert b"private" not in b"".join(path.read_bytes() for path in (person.home / "activity").iterdir())


@pytest.mark.parametrize("folder", [f"/somewhere/.tacit/judge/{JUDGE_FOLDER}", f"/somewhere/{JUDGE_FOLDER}/below"])
def test_a_session_in_the_folder_of_a_judge_is_never_captured(person: Person, folder: str) -> None:
    teller = Claude(name_of("judge"), folder)
    teller.turn(Turn("which of these sentences are worth remembering?"))
    file = place(person.folder, "claude", teller.session)
    file.write_bytes(lines(teller.records))
    person.tacit("capture", str(file))

    assert person.tacit("sessions", "--json").json == []
    assert not any(b"worth remembering" in data for data in tree(person.home).values())


def test_a_transcript_in_a_folder_that_is_named_after_that_of_a_judge_is_not_captured(person: Person) -> None:
    """As Gemini keeps it, which does not always say where it was run."""
    file = session(person, "open", Turn("something open"))
    moved = person.folder / JUDGE_FOLDER / "chats" / file.name
    moved.parent.mkdir(parents=True)
    file.rename(moved)
    person.tacit("capture", str(moved))

    assert person.tacit("sessions", "--json").json == []


def test_what_was_purged_is_gone_and_does_not_come_back_with_the_transcript(person: Person) -> None:
    """Not from what was captured before, and not from what is said there later."""
    turns = [
        Turn("the customer is called Zanzibar Holdings, do not tell"),
        Turn("and now the changelog", reply="Zanzibar Holdings is not in the changelog."),
        Turn("is Zanzibar Holdings in the tests?", "grep 'Zanzibar Holdings' tests", "Zanzibar Holdings: 1"),
    ]
    file = session(person, "purged", *turns[:2])
    person.tacit("capture", str(file))
    assert person.texts("Zanzibar")
    person.tacit("purge", "--text", "Zanzibar Holdings", "--reason", "a name", "--yes")
    for again in (file, session(person, "purged", *turns), Path(shutil.copy(file, file.with_name("copy.jsonl")))):
        person.tacit("capture", str(again))
        assert person.recalled("Zanzibar") == []
        held = b"".join(tree(person.home).values())
        assert b"zanzibar holdings" not in held.lower()
    assert "and now the changelog" in shown_page(person) and "in the tests?" in shown_page(person)


def shown_page(person: Person) -> str:
    return person.tacit("session", "show", "last").out


def test_capture_by_an_agent_is_refused(person: Person) -> None:
    file = session(person, "agent", Turn("something said"))

    refused = person.tacit("capture", str(file), code=1, CLAUDECODE="1")
    assert "tacit import transcripts" in refused.err
    assert not (person.home / "activity").exists() or not list((person.home / "activity").iterdir())


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "copilot"])
def test_a_transcript_without_a_word_makes_no_session(person: Person, name: str) -> None:
    file = place(person.folder, name, name_of(name))
    file.write_text("")
    person.tacit("capture", str(file), code=None)

    assert person.tacit("sessions", "--json").json == []
    assert json.loads(person.tacit("capture", "--json", str(file), code=None).out)[0]["read_count"] == 0


def test_a_folder_without_transcripts_is_named(person: Person) -> None:
    folder = person.folder / "empty"
    folder.mkdir()
    said = person.tacit("capture", str(folder), code=1)
    assert f"there are no transcripts in {folder}" in said.err and "→ name a transcript" in said.err


@pytest.mark.parametrize("letter", ["x", "é", "😀", '"'])
def test_a_prompt_that_is_too_long_for_the_log_is_cut_in_the_middle(person: Person, letter: str) -> None:
    project = person.folder / "shop"
    project.mkdir()
    file = write(person, project, "1", f"first of all {letter * 900_000} and that is all", "the next prompt")
    said = person.tacit("capture", str(file))
    assert said.err == ""
    (session,) = person.tacit("sessions", "--json").json
    turns = person.tacit("session", session["id"], "--json").json["turns"]
    first, second = (prompt["text"] for turn in turns for prompt in turn["prompts"])
    assert first.startswith("first of all") and first.endswith("and that is all") and "left out" in first
    assert second == "the next prompt"
