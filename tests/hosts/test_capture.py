"""Finding transcripts."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest
from harness.person import Person, tree
from harness.transcripts import RECORDS, Claude, Turn, line, lines, name_of, opencode, place, story, written

from tacit.home import indexing, publish
from tacit.home.home import Home
from tacit.home.paths import JUDGE_FOLDER
from tacit.home.publish import Publisher
from tacit.hosts import capture
from tacit.hosts.capture import HEAD_BYTES, TranscriptCapture, detect_source, transcript_files
from tacit.hosts.queue import CaptureRequest
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.index import reader, writer
from tacit.vault import Vault
from tests.laws.kept import captured, difference, kept
from tests.support.hook_session import Sitting
from tests.support.talking import session_file
from tests.support.transcripts import GOLDEN, golden, told


def test_transcripts_are_found_in_a_stable_order(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "b/1.json", "a.jsonl", "c.db", "notes.md", "x.jsonl.bak"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()

    found = [os.path.relpath(path, tmp_path) for path in transcript_files(str(tmp_path))]
    assert found == ["a.jsonl", "b/1.json", "b/2.jsonl", "c.db"]
    assert list(transcript_files(f"{tmp_path}/a.jsonl")) == [f"{tmp_path}/a.jsonl"]


def test_links_and_what_is_no_plain_file_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real" / "a.jsonl")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.jsonl")

    assert list(transcript_files(str(tmp_path))) == [str(tmp_path / "real" / "a.jsonl")]
    assert list(transcript_files(str(tmp_path / "link.jsonl"))) == []
    assert list(transcript_files(str(tmp_path / "missing"))) == []


def test_a_file_of_nobody_has_no_source() -> None:
    heads = {"a.jsonl": b'{"a":1}\n', "a.db": b"SQLite format 3\0", "package.json": b'{"name":"x"}', "a": b""}
    assert [path for path, head in heads.items() if detect_source(path, head)] == []


# Small transcripts of every host, and what is heard of them, as a person would tell it


NAMES = sorted(str(path.relative_to(GOLDEN)) for path in GOLDEN.glob("*/*") if path.suffix not in (".txt", ".md"))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_heard_of_a_transcript_is_what_a_person_would_tell_of_it(name: str, tmp_path: Path) -> None:
    path = golden(name, tmp_path)
    with open(path, "rb") as file:
        source = detect_source(str(path), file.read(HEAD_BYTES))
        assert source is not None
        heard = list(source.read(file, 0, CaptureLimits(), ReadStats()))

    assert told(heard) == (GOLDEN / name).with_suffix(".txt").read_text(encoding="utf-8")


# Taking in transcripts: said plainly, by several at once, without secrets, and not where the person said no


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
    return stored(person.folder, teller)


def stored(folder: Path, teller: Claude) -> Path:
    file = place(folder, "claude", teller.session)
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


def test_no_file_of_the_home_holds_what_a_person_marked_as_private(person: Person) -> None:
    """Not from a hook, and not from a prompt, a queued one, a command, an answer or a title in the transcript."""
    private = "never deploy to Zanzibar"
    person.tacit("add", "crane_reset runs every night", "--kind", "pattern")
    person.tacit("config", "set", "autocapture.enabled", "on")
    teller = Claude(name_of("private"), "/nowhere/work")
    sitting = Sitting(person, teller.session, person.folder)
    sitting.start()
    sitting.ask(f"when does crane_reset run? <private>{private}</private>")
    teller.turn(Turn(f"rename the cart table <private>{private}</private> today"))
    teller.turn(Turn(f"and the basket table, too\n<private>\n{private}\n"))
    teller.turn(Turn(f"<private>{private}</private>"))
    teller.queue("enqueue", f"also the documents <private>{private}</private>")
    teller.queue("remove")
    teller.turn(Turn(f"<command-name>/mend</command-name><command-args>it <private>{private}</private></command-args>"))
    refused = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
    teller.call("Bash", {"command": "make"}, f"{refused}run the linter <private>{private}</private>", error=True)
    teller.title("ai-title", f"Tables <private>{private}</private>")
    person.tacit("capture", str(stored(person.folder, teller)))
    person.tacit("learn")
    person.tacit("status")

    shown = person.tacit("session", "show", "last").out
    kept = (
        "rename the cart table",
        "and the basket table",
        "also the documents",
        "/mend it",
        "run the linter",
        "Tables",
    )
    assert [text for text in kept if text not in shown] == []
    assert held(person, private) == []
    assert [name for name, content in tree(person.home).items() if b"zanzibar" in content.lower()] == []
    assert person.recalled("Zanzibar") == []


def test_nothing_of_an_ignored_folder_is_captured(person: Person) -> None:
    """Not even that somebody was interrupted there."""
    person.tacit("config", "set", "agents.ignore_directories", "/nowhere/private")
    teller = Claude(name_of("private"), "/nowhere/private/deep")
    teller.turn(Turn("something private"))
    teller.ask("[Request interrupted by user]")
    teller.compact()
    person.tacit("capture", str(stored(person.folder, teller)), str(session(person, "open", Turn("something open"))))

    assert [one["title"] for one in person.tacit("sessions", "--json").json] == ["something open"]
    assert b"private" not in b"".join(path.read_bytes() for path in (person.home / "activity").iterdir())


@pytest.mark.parametrize("folder", [f"/somewhere/.tacit/judge/{JUDGE_FOLDER}", f"/somewhere/{JUDGE_FOLDER}/below"])
def test_a_session_in_the_folder_of_a_judge_is_never_captured(person: Person, folder: str) -> None:
    file = session(person, "judge", Turn("which of these sentences are worth remembering?"), folder=folder)
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
    shown = person.tacit("session", "show", "last").out
    assert "and now the changelog" in shown and "in the tests?" in shown


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


@pytest.mark.parametrize("letter", ["x", "😀"])
def test_a_prompt_that_is_too_long_for_the_log_is_cut_in_the_middle(person: Person, letter: str) -> None:
    project = person.folder / "shop"
    project.mkdir()
    file = session_file(person, project, 1, f"first of all {letter * 900_000} and that is all", "the next prompt")
    said = person.tacit("capture", str(file))
    assert said.err == ""
    (session,) = person.tacit("sessions", "--json").json
    turns = person.tacit("session", session["id"], "--json").json["turns"]
    first, second = (prompt["text"] for turn in turns for prompt in turn["prompts"])
    assert first.startswith("first of all") and first.endswith("and that is all") and "left out" in first
    assert second == "the next prompt"


# How far a transcript was read is known without keeping a byte of it: transcripts hold what is redacted and purged


TOKEN = "ghp_" + "a8Kz3QmX9vLp2RtY7wNc4Hs6Jd1Fb5Ge0UoT"
NAME = 'Zoë "Quillon" Krüger'


def encodings(text: str) -> dict[str, bytes]:
    """A text as the files of a home may hold it. What base64 makes of it depends on where it begins."""
    data = text.encode()
    forms = {"raw": data, "hexadecimal": data.hex().encode(), "HEXADECIMAL": data.hex().upper().encode()}
    forms["JSON"] = json.dumps(text)[1:-1].encode()
    for shift in range(3):
        whole = b64encode(b"\0" * shift + data).rstrip(b"=")
        forms[f"base64 {shift}"] = whole[2 * (shift > 0) + 2 : -2]
    return forms


def held(person: Person, text: str) -> list[str]:
    """Where the home holds a text, and in which form."""
    person.wait_for_pages()
    files = [path for path in sorted(person.home.rglob("*")) if path.is_file()]
    return [
        f"{path.relative_to(person.home)} ({form})"
        for path in files
        for form, data in encodings(text).items()
        if data in path.read_bytes()
    ]


def transcript_of(person: Person, host: str, *turns: Turn, between: str = "") -> Path:
    """A transcript, with something between its records that no reader takes in, so that a cursor is behind one."""
    path = place(person.folder, host, name_of("cursor", host))
    noise = line({"type": "unheard-of", "note": between}) if between else b""
    records = RECORDS[host](path.stem, "/nowhere/work", turns)
    path.write_bytes(b"".join(line(record) + noise for record in records))
    return path


@pytest.mark.parametrize("host", RECORDS)
def test_no_byte_before_the_cursor_is_in_any_file(person: Person, host: str) -> None:
    for text in (TOKEN, NAME):
        file = transcript_of(person, host, Turn("please tidy up"), between=text)
        person.tacit("import", "transcripts", str(file))
        assert held(person, text) == []
    assert "as before" in person.tacit("import", "transcripts", str(file)).out


@pytest.mark.parametrize("host", RECORDS)
def test_what_was_purged_is_in_no_form_in_any_file_after_the_next_import(person: Person, host: str) -> None:
    turns = [Turn(f"the customer is {NAME}", f"grep '{NAME}' notes", f"{NAME}: 1", reply=f"I know {NAME} now.")]
    file = transcript_of(person, host, *turns, between=NAME)
    person.tacit("import", "transcripts", str(file))
    assert held(person, NAME) != []
    person.tacit("purge", "--text", NAME, "--yes")
    assert held(person, NAME) == []
    for command in (
        ("import", "transcripts", str(file)),
        ("doctor", "--reindex"),
        ("import", "transcripts", str(file)),
    ):
        person.tacit(*command)
        assert held(person, NAME) == []
    transcript_of(person, host, *turns, Turn("and now the changelog"), between=NAME)
    person.tacit("import", "transcripts", str(file))
    assert held(person, NAME) == []
    assert person.texts("changelog") != []


def test_a_path_with_a_purged_word_is_in_no_file_after_the_next_import(person: Person) -> None:
    file = transcript_of(person, "claude", Turn("please tidy up after Zanzibar"))
    moved = file.rename(file.with_name(f"zanzibar-{file.name}"))
    person.tacit("import", "transcripts", str(moved))
    person.tacit("purge", "--text", "Zanzibar", "--yes")
    person.tacit("import", "transcripts", str(moved))
    assert held(person, "zanzibar") == []


def test_what_was_read_is_read_again_if_the_key_of_the_home_is_another(person: Person) -> None:
    file = transcript_of(person, "claude", Turn("please tidy up"))
    person.tacit("import", "transcripts", str(file))
    (person.home / ".tacit" / "key").write_bytes(b"k" * 32)
    with file.open("ab") as grown:
        grown.write(lines(RECORDS["claude"](file.stem, "/nowhere/work", [Turn("and now the changelog")])))
    person.tacit("import", "transcripts", str(file))
    assert person.texts("changelog") != []


def test_what_only_the_index_of_an_earlier_version_holds_is_gone_when_a_purge_finds_nothing(person: Person) -> None:
    person.tacit("add", "use pnpm")
    person.wait_for_pages()
    index = person.home / "index.sqlite"
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute("UPDATE meta SET value = '23' WHERE name = 'version'")
        connection.execute("INSERT INTO meta VALUES ('left', ?)", (TOKEN.encode().hex(),))
    assert held(person, TOKEN) == ["index.sqlite (hexadecimal)"]
    person.tacit("purge", "--text", TOKEN, "--yes", code=1)
    assert held(person, TOKEN) == []


# A long backlog is filed and drawn in slices: whoever is ended at it leaves less of it


SESSIONS = 12


def backlog(home: Home) -> int:
    index = home.store.index_as_is()
    assert index is not None
    return home.store.indexer.backlog_bytes(index)


@pytest.fixture
def behind(tmp_path: Path) -> Person:
    """Somebody with sessions that are captured and not filed yet."""
    one = Person(tmp_path)
    one.tacit("init")
    one.wait_for_pages()
    files = []
    for number in range(SESSIONS):
        teller = Claude(name_of("backlog", number), str(tmp_path / "work"))
        teller.turn(Turn(f"please do task number {number}"))
        files.append(stored(tmp_path, teller))
    with one.vault() as vault:
        vault.transcripts.capture_transcripts([str(file) for file in files])
    return one


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any, str, int], None]]:
    """From the so manieth call on, whoever calls it is ended."""

    def plan(what: Any, name: str, calls: int) -> None:
        done, own = [], getattr(what, name)

        def until(*words: Any, **named: Any) -> Any:
            done.append(1)
            if len(done) > calls:
                raise KeyboardInterrupt
            return own(*words, **named)

        monkeypatch.setattr(what, name, until)

    yield plan
    monkeypatch.undo()


def test_whoever_is_ended_at_filing_leaves_less_to_file(
    behind: Person, ended: Callable[[Any, str, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "_LINES_PER_BATCH", 7)
    with behind.vault() as vault:
        before = backlog(vault.home)
        ended(writer, "apply_events", 3)
        with pytest.raises(KeyboardInterrupt):
            vault.home.store.catch_up()
        assert 0 < backlog(vault.home) < before
        monkeypatch.undo()
        assert len(vault.sessions.sessions()) == SESSIONS


def test_whoever_is_ended_at_drawing_leaves_fewer_pages_to_draw(
    behind: Person, ended: Callable[[Any, str, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "_PAGES_PER_BATCH", 2)
    with behind.at(), Vault(Home(behind.home)) as vault:
        ended(Publisher, "_publish_page", 7)
        with pytest.raises(KeyboardInterrupt):
            vault.home.store.catch_up()
        assert _stale(behind) == SESSIONS - 6
        monkeypatch.undo()
        vault.home.store.catch_up()
    assert _stale(behind) == 0
    assert len(os.listdir(behind.home / "sessions")) == SESSIONS


def test_whoever_captures_many_files_what_piles_up_meanwhile(behind: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is recorded and not filed is read again with each transcript: it must not grow with their number."""
    monkeypatch.setattr(capture, "_MAX_UNINDEXED_QUEUE_BYTES", 3000)
    left = []
    with behind.at(), Home(behind.home, cwd=behind.folder) as home:
        for number in range(SESSIONS):
            teller = Claude(name_of("noted", number), str(behind.folder / "work"))
            teller.turn(Turn(f"please do another task, number {number}"))
            request = CaptureRequest("claude", teller.session, str(stored(behind.folder, teller)))
            TranscriptCapture(home).capture_request(request)
            left.append(backlog(home))

    assert max(left) <= 3000
    with behind.vault() as vault:
        assert len(vault.sessions.sessions()) == 2 * SESSIONS


def test_a_command_that_captures_many_files_them_on_the_way(behind: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "_MAX_UNINDEXED_BYTES", 3000)
    with behind.vault() as vault:
        file = place(behind.folder, "claude", name_of("backlog", 0))
        file.write_bytes(file.read_bytes() + b"\n")
        vault.transcripts.capture_transcripts([str(file)])
        assert backlog(vault.home) <= 3000


def test_of_pages_that_are_gone_only_those_are_drawn_again(behind: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    behind.tacit("sessions")
    first, *_, last = sorted((behind.home / "sessions").iterdir())
    text = first.read_bytes()
    first.unlink()
    last.unlink()
    drawn: list[str] = []
    own = Publisher._publish_page

    def listed(self: Publisher, connection: Connection, kind: str, day: str) -> None:
        drawn.append(day)
        own(self, connection, kind, day)

    monkeypatch.setattr(Publisher, "_publish_page", listed)
    behind.tacit("sessions")

    assert sorted(drawn) == [first.stem, last.stem]
    assert first.read_bytes() == text


def _stale(behind: Person) -> int:
    with behind.vault() as vault:
        index = vault.home.store.index_as_is()
        assert index is not None
        return len(reader.stale_views(index))
