"""How far a transcript was read is known without keeping a byte of it: transcripts hold what is redacted and purged."""

from __future__ import annotations

import json
import sqlite3
from base64 import b64encode
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person
from harness.transcripts import RECORDS, Turn, line, lines, name_of, place

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


def written(person: Person, host: str, *turns: Turn, between: str = "") -> Path:
    """A transcript, with something between its records that no reader takes in, so that a cursor is behind one."""
    path = place(person.folder, host, name_of("cursor", host))
    noise = line({"type": "unheard-of", "note": between}) if between else b""
    records = RECORDS[host](path.stem, "/nowhere/work", turns)
    path.write_bytes(b"".join(line(record) + noise for record in records))
    return path


@pytest.mark.parametrize("host", RECORDS)
def test_no_byte_before_the_cursor_is_in_any_file(person: Person, host: str) -> None:
    for text in (TOKEN, NAME):
        file = written(person, host, Turn("please tidy up"), between=text)
        person.tacit("import", "transcripts", str(file))
        assert held(person, text) == []
    assert "as before" in person.tacit("import", "transcripts", str(file)).out


@pytest.mark.parametrize("host", RECORDS)
def test_what_was_purged_is_in_no_form_in_any_file_after_the_next_import(person: Person, host: str) -> None:
    turns = [Turn(f"the customer is {NAME}", f"grep '{NAME}' notes", f"{NAME}: 1", reply=f"I know {NAME} now.")]
    file = written(person, host, *turns, between=NAME)
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
    written(person, host, *turns, Turn("and now the changelog"), between=NAME)
    person.tacit("import", "transcripts", str(file))
    assert held(person, NAME) == []
    assert person.texts("changelog") != []


def test_a_path_with_a_purged_word_is_in_no_file_after_the_next_import(person: Person) -> None:
    file = written(person, "claude", Turn("please tidy up after Zanzibar"))
    moved = file.rename(file.with_name(f"zanzibar-{file.name}"))
    person.tacit("import", "transcripts", str(moved))
    person.tacit("purge", "--text", "Zanzibar", "--yes")
    person.tacit("import", "transcripts", str(moved))
    assert held(person, "zanzibar") == []


def test_what_was_read_is_read_again_if_the_key_of_the_home_is_another(person: Person) -> None:
    file = written(person, "claude", Turn("please tidy up"))
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
