"""Recall in sessions: a message is found by what stands beside it, whose words they were counts, and it says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.person import Person

from tests.support.talking import session_file


@pytest.fixture
def project(person: Person) -> Path:
    folder = person.folder / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


def recalled(person: Person, *words: str) -> list[str]:
    return [hit["text"] for hit in person.tacit("recall", *words, "--scope", "all", "--json").json]


def test_the_session_in_which_the_words_stand_together_comes_first(person: Person, project: Path) -> None:
    apart = ["the invoices are late", *["please go on"] * 20, "the rounding of taxes is odd"]
    person.tacit("capture", str(session_file(person, project, 1, *apart)))
    person.tacit("capture", str(session_file(person, project, 2, "look at the invoices", "their rounding is odd")))

    assert recalled(person, "rounding of invoices")[0] in ("look at the invoices", "their rounding is odd")


def test_a_turn_is_found_by_the_words_of_the_agent(person: Person, project: Path) -> None:
    path = session_file(person, project, 1, "why does it fail", "thanks")
    path.write_text(
        path.read_text().replace("It is done as you asked.", "The certificate of the proxy has expired.", 1)
    )
    person.tacit("capture", str(path))

    assert recalled(person, "proxy certificate") == ["why does it fail"]


def test_each_turn_has_its_own_line_also_where_the_same_was_asked_twice(person: Person, project: Path) -> None:
    path = session_file(person, project, 1, "look again", "thanks", "look again")
    told = path.read_text().split("It is done as you asked.")
    path.write_text(f"{told[0]}A walrus came.{told[1]}It is done.{told[2]}An otter came.{told[3]}")
    person.tacit("capture", str(path))

    for word, heading in (("walrus", "### 1. "), ("otter", "### 3. ")):
        (hit,) = person.tacit("recall", word, "--scope", "all", "--json").json
        line = Path(hit["path"]).read_text().splitlines()[hit["line"] - 1]
        assert line.startswith(heading) and line.endswith(" look again")


def on_branch(path: Path, *branches: str) -> Path:
    """The transcript with each turn, of two records, on one of these."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    told = [record | {"gitBranch": branches[at // 2]} for at, record in enumerate(records)]
    path.write_text("".join(json.dumps(record) + "\n" for record in told))
    return path


@pytest.mark.parametrize("asked", ["kim/shop-221-round-taxes", "shop-221", "221", "round the taxes", "SHOP-221"])
def test_a_session_is_found_by_the_branch_it_worked_on(person: Person, project: Path, asked: str) -> None:
    here = session_file(person, project, 1, "have a look at the ticket", "go on")
    person.tacit("capture", str(on_branch(here, *["kim/shop-221-round-taxes"] * 2)))
    person.tacit(
        "capture", str(on_branch(session_file(person, project, 2, "have a look at the invoices"), "kim/shop-7"))
    )

    assert recalled(person, asked)[:1] == ["have a look at the ticket"]


def test_a_branch_that_was_changed_to_is_found_at_the_turn_it_was(person: Person, project: Path) -> None:
    turns = ("look around", *["go on"] * 9, "now the other one", *["go on"] * 9)
    path = session_file(person, project, 1, *turns)
    person.tacit("capture", str(on_branch(path, *["round-taxes"] * 10, *["late-invoices"] * 10)))

    assert recalled(person, "taxes") == ["look around"]
    assert recalled(person, "invoices") == ["now the other one"]


def test_the_trunk_tells_nothing(person: Person, project: Path) -> None:
    person.tacit("capture", str(on_branch(session_file(person, project, 1, "look at the invoices"), "main")))
    assert person.tacit("recall", "main", "--scope", "all", "--json", code=None).json == []


def test_it_is_explained_what_matched_and_what_it_weighed(person: Person) -> None:
    person.tacit("add", "run the linter before a commit")
    told = person.tacit("recall", "--explain", "linter before lunch").out

    assert "why: linter, before; worth " in told or "why: before, linter; worth " in told


def test_more_like_a_memory_leaves_it_out(person: Person) -> None:
    person.tacit("add", "run the linter before a commit")
    person.tacit("add", "the linter needs node 20")
    (first, second) = sorted(person.tacit("list", "--json").json, key=lambda one: one["label"])

    assert recalled_like(person, second["short"]) == [first["label"]]
    assert "--like takes an id" in person.tacit("recall", "--like", second["short"], "linter", code=2).err


def recalled_like(person: Person, name: str) -> list[str]:
    return [hit["text"] for hit in person.tacit("recall", "--like", name, "--json").json]
