"""Meaning in a home with default settings: other words find a memory, and every vector goes with its text."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person

from tacit import meaning
from tacit.index import database
from tests.support.opened_files import index_of
from tests.support.talking import session_file

BILLING = "customers are billed by card"
NIGHTLY = "a copy of the database is made every night"
TABS = "tabs are four wide"


@pytest.fixture
def billed(person: Person) -> Person:
    """Somebody who has three memories."""
    for text in (BILLING, NIGHTLY, TABS):
        person.tacit("add", text, "--evidence", "said at lunch")
    return person


def texts(person: Person, *question: str) -> list[str]:
    return [hit["text"] for hit in person.tacit("recall", "--json", *question, code=None).json]


def vectors(person: Person) -> dict[int, bytes]:
    person.tacit("recall", "tabs")  # catches up with the log
    with closing(index_of(person.home)) as connection:
        return dict(connection.execute("SELECT doc_id, vector FROM vectors"))


def encoded(text: str) -> bytes:
    table = meaning.cached_table()
    assert table is not None
    return table.encode(text)


def files_with(person: Person, text: str) -> list[Path]:
    content = encoded(text)
    return [path for path in person.home.rglob("*") if path.is_file() and content in path.read_bytes()]


# Questions


def test_a_question_in_other_words_finds_its_memory(billed: Person) -> None:
    assert texts(billed, "how do clients pay?")[:1] == [BILLING]
    assert texts(billed, "do we have backups")[:1] == [NIGHTLY]


def test_a_question_that_is_near_to_nothing_finds_nothing(billed: Person) -> None:
    assert billed.tacit("recall", "zebra", code=None).out == "Recall Results (0)\n- No matches.\n"


def test_recall_explains_what_meaning_added(billed: Person) -> None:
    assert "for its meaning" in billed.tacit("recall", "--explain", "how do clients pay").out


def test_all_words_of_the_question_come_before_what_is_only_similar(billed: Person) -> None:
    billed.tacit("add", "clients pay for support", "--evidence", "said at lunch")
    assert texts(billed, "support clients")[:1] == ["clients pay for support"]


def test_a_name_finds_only_what_holds_it(billed: Person) -> None:
    billed.tacit("add", "card_token is set in invoice.py", "--evidence", "said at lunch")
    assert texts(billed, "invoice.py") == ["card_token is set in invoice.py"]
    assert texts(billed, "payment.json") == []


def test_answers_are_the_same_after_the_index_is_made_again(billed: Person) -> None:
    before, stored = texts(billed, "how do clients pay"), vectors(billed)
    assert len(stored) == 3
    billed.tacit("doctor", "--reindex")
    assert vectors(billed) == stored
    for file in billed.home.rglob("index.sqlite*"):
        file.unlink()
    assert texts(billed, "how do clients pay") == before
    assert vectors(billed) == stored


# When vectors go


def test_a_memory_that_was_forgotten_has_no_vector(billed: Person) -> None:
    assert encoded(BILLING) in vectors(billed).values()
    billed.tacit("forget", billed.id_of(BILLING), "--reason", "r", "--evidence", "e")
    assert encoded(BILLING) not in vectors(billed).values()
    assert BILLING not in texts(billed, "how do clients pay")
    billed.tacit("undo")
    assert texts(billed, "how do clients pay")[:1] == [BILLING]


def test_a_suggestion_that_was_dismissed_has_no_vector(person: Person) -> None:
    person.tacit("add", BILLING, "--candidate")
    assert encoded(BILLING) in vectors(person).values()
    (suggestion,) = person.tacit("list", "--pending", "--json").json
    person.tacit("dismiss", suggestion["id"], "--reason", "r")
    assert encoded(BILLING) not in vectors(person).values()


def test_of_a_purged_memory_no_vector_is_left(billed: Person) -> None:
    vectors(billed)
    assert files_with(billed, BILLING)
    billed.tacit("purge", "--text", BILLING, "--yes")
    vectors(billed)
    assert files_with(billed, BILLING) == []
    assert files_with(billed, TABS)


def test_of_a_purged_message_no_vector_is_left(person: Person, project: Path) -> None:
    kept, purged = "restore all of it please", "draw me a zebra with stripes"
    person.tacit("capture", str(session_file(person, project, 1, kept, purged)))
    vectors(person)
    assert files_with(person, purged)
    person.tacit("purge", "--text", purged, "--yes")
    vectors(person)
    assert files_with(person, purged) == []
    assert files_with(person, kept)


def test_a_message_is_found_by_what_it_means(person: Person, project: Path) -> None:
    said = "customers are billed by card at the end of a month"
    person.tacit("capture", str(session_file(person, project, 1, said, "draw me a zebra")))
    hit, *_ = person.tacit("recall", "--scope", "all", "--json", "how do clients pay").json
    assert (hit["kind"], hit["text"]) == ("session", said)


def test_a_session_that_went_on_has_the_vectors_of_all_messages(person: Person, project: Path) -> None:
    person.tacit("capture", str(session_file(person, project, 1, "restore all of it please")))
    before = vectors(person)
    person.tacit("capture", str(session_file(person, project, 1, "restore all of it please", "draw me a zebra")))
    after = vectors(person)
    assert before and before.items() < after.items()
    person.tacit("doctor", "--reindex")
    assert vectors(person) == after


# The table


def test_another_table_makes_another_index() -> None:
    table = meaning.open_table()
    assert table.version == database.TABLE_VERSION
    table.verify()


def test_an_index_with_vectors_of_another_table_is_made_again(billed: Person) -> None:
    before = vectors(billed)
    with closing(index_of(billed.home)) as connection:
        (version,) = connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
    assert database.TABLE_VERSION in version
    _change_index(billed, "UPDATE meta SET value = replace(value, '1-', '0-') WHERE name = 'version'")
    _change_index(billed, "DELETE FROM vectors")
    assert texts(billed, "how do clients pay")[:1] == [BILLING]
    assert vectors(billed) == before


def _change_index(person: Person, statement: str) -> None:
    import sqlite3

    (path,) = person.home.rglob("index.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.fixture(scope="module")
def without_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program without its table."""
    folder = tmp_path_factory.mktemp("program")
    package = Path(meaning.__file__).parent.parent
    ignored = shutil.ignore_patterns("token_vectors.bin", "__pycache__")
    shutil.copytree(package, folder / "tacit", ignore=ignored)
    return folder


def _run(person: Person, program: Path, *words: str) -> str:
    code = (
        f"import sys; sys.path.insert(0, {str(program)!r}); from tacit.cli import main; sys.exit(main({list(words)!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=person.environment(),
        cwd=person.folder,
        check=False,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr
    return done.stdout


def test_without_its_table_words_are_found_and_the_doctor_says_what_to_do(billed: Person, without_table: Path) -> None:
    assert BILLING in _run(billed, without_table, "recall", "customers billed")
    _run(billed, without_table, "doctor", "--reindex")
    assert BILLING in _run(billed, without_table, "recall", "customers billed")
    assert BILLING not in _run(billed, without_table, "recall", "how do clients pay")
    told = _run(billed, without_table, "doctor")
    assert "token_vectors.bin" in told and "install Tacit again, then: tacit doctor --reindex" in told


@pytest.mark.parametrize("content", [b"", b"\xff" * 1000])
def test_with_a_damaged_table_words_are_found(billed: Person, without_table: Path, content: bytes) -> None:
    table = without_table / "tacit/meaning/token_vectors.bin"
    table.write_bytes(content)
    try:
        assert BILLING in _run(billed, without_table, "recall", "customers billed")
        assert "token_vectors.bin" in _run(billed, without_table, "doctor")
    finally:
        table.unlink()
