"""A log that an editor saved: other line ends, a byte order mark, blanks. What can be read counts as it did before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.person import Person

from tests.support.findings import findings

TEXTS = ["use pnpm", "I prefer tabs", "never force push"]


@pytest.fixture
def home(person: Person) -> Person:
    for text in TEXTS:
        person.tacit("add", text)
    return person


def with_carriage_returns(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


SAVED: dict[str, Callable[[bytes], bytes]] = {
    "carriage returns": with_carriage_returns,
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "blanks": lambda data: data.replace(b"\n", b" \t \n"),
    "blank lines": lambda data: with_carriage_returns(data) + b"\r\n \r\n",
}
BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda data: b"".join(line[:-20] + b"\n" for line in data.splitlines()),
    "wrapped": lambda data: b"\n".join(data[start : start + 80] for start in range(0, len(data), 80)) + b"\n",
}


def save(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


def texts(person: Person) -> list[str]:
    return sorted(memory["label"] for memory in person.listed())


def serious(person: Person) -> list[str]:
    return [str(finding["what"]) for finding in findings(person) if finding["serious"]]


@pytest.mark.parametrize("change", SAVED.values(), ids=SAVED)
@pytest.mark.parametrize("reindexed", [False, True])
def test_every_memory_is_there_before_and_after_the_next_one(
    home: Person, change: Callable[[bytes], bytes], reindexed: bool
) -> None:
    save(home.events, change)
    if reindexed:
        home.tacit("doctor", "--reindex")
    assert texts(home) == sorted(TEXTS)
    home.tacit("add", "wrap at 100 columns")
    assert texts(home) == sorted([*TEXTS, "wrap at 100 columns"])
    assert "log.sealed" not in home.events.read_text("utf-8-sig")
    assert serious(home) == []


@pytest.mark.parametrize("change", SAVED.values(), ids=SAVED)
def test_the_doctor_says_what_is_odd_and_calls_nothing_damaged(home: Person, change: Callable[[bytes], bytes]) -> None:
    save(home.events, change)
    home.tacit("add", "wrap at 100 columns")
    said = home.tacit("doctor").out
    assert said.count("an editor saved it") == 1
    assert said.endswith("The home is well.\n")
    assert "cannot be read" not in said


def test_a_memory_of_such_a_log_can_be_purged_and_its_other_lines_stay_as_they_are(home: Person) -> None:
    save(home.events, with_carriage_returns)
    before = home.events.read_bytes().split(b"\n")
    home.tacit("purge", "--text", "tabs", "--yes")
    after = home.events.read_bytes()
    assert b"tabs" not in after
    assert all(line in after for line in before if b"tabs" not in line)
    assert texts(home) == sorted(text for text in TEXTS if "tabs" not in text)
    assert serious(home) == []


def test_a_line_that_was_changed_and_has_a_carriage_return_is_damaged(home: Person) -> None:
    save(home.events, lambda data: with_carriage_returns(data).replace(b"tabs", b"tals"))
    home.tacit("doctor", "--reindex")
    assert serious(home) == ["this line cannot be read: the checksum does not match"]


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_lines_that_an_editor_broke_are_never_called_unacknowledged(
    home: Person, change: Callable[[bytes], bytes]
) -> None:
    save(home.events, change)
    home.tacit("add", "wrap at 100 columns")
    home.tacit("add", "use four blanks")
    assert "log.sealed" not in home.events.read_text()
    assert "this line cannot be read: not a line of this log, or cut off" in serious(home)


def test_a_line_without_its_line_feed_is_named_and_is_there_after_the_next_write(home: Person) -> None:
    save(home.events, lambda data: data[:-1])
    assert "the last line lacks its line feed" in [finding["what"] for finding in findings(home)]
    home.tacit("add", "wrap at 100 columns")
    assert texts(home) == sorted([*TEXTS, "wrap at 100 columns"])


def test_a_fragment_that_was_sealed_stays_explained(home: Person) -> None:
    with home.events.open("ab") as file:
        file.write(b'{"actor":"user","body":{"cla')
    home.tacit("add", "wrap at 100 columns")
    save(home.events, with_carriage_returns)
    home.tacit("doctor", "--reindex")
    assert serious(home) == []
