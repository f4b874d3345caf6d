"""Which earlier session a prompt is told of: one that holds a good part of it, or none."""

from __future__ import annotations

import sqlite3
from datetime import date

import pytest

from tacit.index import database
from tacit.index.postings import PERSON, IndexedDocument, PostingsWriter, message_doc_id, session_start_id
from tacit.index.sessions import SessionRow
from tacit.inject.relevance import RelatedSession, related_session, session_with_same_files
from tacit.model.claim import GLOBAL
from tacit.model.ids import ClaimId
from tacit.search.bm25 import query_from_words

TALKS = {
    "login": "the login form loses its token when the session cookie expires",
    "chart": "draw the chart of monthly revenue with a dashed grid",
    "import": "the importer reads csv files in chunks and keeps the header",
}


@pytest.fixture
def index() -> sqlite3.Connection:
    return database.create_index(":memory:")


@pytest.fixture
def runs(index: sqlite3.Connection) -> dict[str, int]:
    """Sessions of a message each, by what they are about."""
    return {about: talk(index, place, text) for place, (about, text) in enumerate(TALKS.items())}


def talk(index: sqlite3.Connection, session: int, *said: str, day: date = date(2026, 3, 1)) -> int:
    first = session_start_id(day, session)
    lists = PostingsWriter(index)
    numbered = [(message_doc_id(first, place, PERSON), text) for place, text in enumerate(said)]
    lists.add([IndexedDocument(number, text, "") for number, text in numbered], fresh=True)
    lists.flush()
    return first


def asked(index: sqlite3.Connection, prompt: str, *runs: int) -> RelatedSession | None:
    return related_session(index, query_from_words(index, prompt.split()), runs)


def test_the_session_that_spoke_of_it_is_found_with_the_words_it_shares(
    index: sqlite3.Connection, runs: dict[str, int]
) -> None:
    found = asked(index, "token cookie chart", *runs.values())

    assert found == RelatedSession(runs["login"], ("cookie", "token"))
    assert found.reason == "it spoke of cookie, token"


def test_one_word_is_not_enough(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    assert asked(index, "revenue", *runs.values()) is None
    assert asked(index, "revenue grid", *runs.values()) is not None


def test_a_small_part_of_a_prompt_is_not_enough(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    assert asked(index, "revenue grid walrus violet", *runs.values()) is not None
    assert asked(index, "revenue grid walrus violet lantern harbour pepper", *runs.values()) is None


def test_two_words_of_one_root_are_one(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    prompt = "revenue grid walrus violet"
    assert asked(index, f"{prompt} violets grids revenues", *runs.values()) == asked(index, prompt, *runs.values())


def test_a_prompt_of_words_that_nobody_said_finds_nothing(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    assert asked(index, "walrus violet", *runs.values()) is None
    assert asked(index, "", *runs.values()) is None


def test_sessions_that_are_not_asked_about_do_not_answer(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    assert asked(index, "token cookie", runs["chart"], runs["import"]) is None
    assert asked(index, "token cookie") is None


def test_rare_words_decide(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    others = [talk(index, number, "please build the server") for number in range(10, 40)]
    found = asked(index, "build server token cookie", *others, *runs.values())

    assert found is not None and found.start_id == runs["login"]


def test_a_session_about_it_comes_before_a_long_one_that_also_mentions_it(index: sqlite3.Connection) -> None:
    long = talk(index, 1, "token cookie", *(f"something else number{place}" for place in range(60)))
    short = talk(index, 2, "token cookie")

    found = asked(index, "token cookie", long, short)
    assert found is not None and found.start_id == short


def test_of_two_that_say_the_same_the_later_one_is_told(index: sqlite3.Connection) -> None:
    early = talk(index, 1, "token cookie", day=date(2026, 2, 1))
    late = talk(index, 2, "token cookie", day=date(2026, 3, 1))

    found = asked(index, "token cookie", early, late)
    assert found is not None and found.start_id == late


def test_words_that_many_sessions_share_are_not_enough(index: sqlite3.Connection) -> None:
    several = [talk(index, number, f"review the branch number{number}") for number in range(9)]

    assert asked(index, "review branch", *several) is None
    assert asked(index, "review branch number4", *several) is not None


# By files


def session(name: str, *files: str) -> SessionRow:
    at = "2026-03-01T10:00:00.000000Z"
    return SessionRow(ClaimId(name), "claude", name, name, GLOBAL, at, at, 1, name, "", files, name, "")


def test_the_session_that_changed_the_same_files_is_found_with_them() -> None:
    earlier = [session("a", "src/cart.py", "README.md"), session("b", "src/login.py", "src/token.py")]

    assert session_with_same_files(["src/token.py", "src/login.py", "x"], earlier) == (
        earlier[1],
        ("src/login.py", "src/token.py"),
    )


def test_files_that_nobody_changed_find_nothing() -> None:
    assert session_with_same_files(["src/other.py"], [session("a", "src/cart.py")]) is None
    assert session_with_same_files(["src/other.py"], []) is None
    assert session_with_same_files([], [session("a", "src/cart.py")]) is None


def test_a_file_that_many_sessions_change_says_nothing() -> None:
    earlier = [session(f"s{number}", "CHANGELOG.md") for number in range(4)]

    assert session_with_same_files(["CHANGELOG.md"], earlier) is None
    assert session_with_same_files(["CHANGELOG.md"], earlier[:3]) is not None


def test_of_sessions_that_share_as_much_the_first_is_returned() -> None:
    earlier = [session("late", "src/cart.py"), session("early", "src/cart.py")]
    found = session_with_same_files(["src/cart.py"], earlier)

    assert found is not None and found[0].id == "late"
