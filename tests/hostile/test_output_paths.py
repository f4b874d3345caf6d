"""All code points that could deceive in a real home, and every command and file a person reads: none comes out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from harness.person import Person

from tests.hostile.codepoints import CONTEXTS, NEVER, REAL, SOMETIMES, Between, chunks, lies
from tests.hostile.forged import Fields, lived, plant, renamed, saying

# Characters are judged in test_code_points.py on every interpreter; here it is looked at where they come out.
pytestmark = pytest.mark.same_everywhere
ADDED, PROPOSED, PRUNED = "memory.added", "memory.candidate.created", "memory.pruned"
PAIRS = 12_000  # characters a line: with one between each two, escaped, it stays below what a line may have
HIDDEN = "".join(sorted(letter for letter in NEVER | SOMETIMES if not 0xD800 <= ord(letter) < 0xE000))
OUTPUTS = (
    *("list", "list --status all --scope all", "list --json --status all --scope all", "suggestions"),
    *("suggestions --json", "review", "recall --limit 200 --scope all --query aside"),
    *("recall --json --limit 200 --scope all --query aside", "conflicts", "conflicts --json", "status", "brief"),
    *("brief --json", "evaluate", "evaluate --json", "improve --force", "verify", "doctor", "undo"),
)


def hidden(between: Between) -> str:
    """What could deceive, three characters a piece, and words to find it by."""
    rest = "".join(between.before + letter + between.after for letter in HIDDEN[:40] + HIDDEN[-40:])
    return f"aside {rest}"


@pytest.fixture(scope="module")
def haunted(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A home in whose log stands all that could deceive, in every free text of every type of line."""
    person = Person(tmp_path_factory.mktemp("person"))
    known = lived(person)
    (person.home / "tacit.toml").write_text("[brief]\ntokens = 9000000\n")
    plant(person, [*_saying_each(known[ADDED], [HIDDEN]), *_everywhere(known), *_disputes(known[ADDED])])
    person.tacit("reindex")
    return person


def _saying_each(added: Fields, texts: Iterable[str]) -> list[Fields]:
    """Memories that hold, with these characters, each after a letter."""
    aside = hidden(CONTEXTS[1])
    return [saying(added, " a" + "a".join(text), 1000 + number, aside) for number, text in enumerate(texts)]


def _everywhere(known: dict[str, Fields]) -> list[Fields]:
    """Each type of line, with what could deceive in each of its free texts, by somebody whose name does too."""
    said = [
        saying(fields, hidden(between), 2000 + 50 * number + at)
        for number, fields in enumerate(known.values())
        for at, between in enumerate(CONTEXTS)
    ]
    return [{**fields, "actor": f"user{HIDDEN[:20]}", "sess": HIDDEN[:50], "host": HIDDEN[-50:]} for fields in said]


def _disputes(added: Fields) -> list[Fields]:
    """Two answers to one question."""
    both: list[Fields] = []
    for number, word in enumerate(("main", "master")):
        fresh = renamed(added, 3000 + number)
        claim = fresh["body"]["claim"]
        claim["sentence"] = f"the branch{hidden(CONTEXTS[1])} is {word}"
        claim["triple"] = {"subject": f"the branch{hidden(CONTEXTS[1])}", "predicate": "is", "object": word}
        both.append(fresh)
    return both


@pytest.mark.parametrize("words", OUTPUTS)
def test_a_command_says_nothing_that_deceives(haunted: Person, words: str) -> None:
    said = haunted.tacit(*words.split(), code=None)
    assert said.code in (0, 1, 3)
    assert said.out
    assert (lies(said.out), lies(said.err)) == (set(), set())
    assert not [letter for letter in said.out + said.err if 0xDC80 <= ord(letter) <= 0xDCFF]


@pytest.mark.parametrize("verb", ["show", "why", "show --json", "why --json"])
def test_all_about_one_memory_deceives_nobody(haunted: Person, verb: str) -> None:
    for memory in haunted.listed("--status", "all", "--scope", "all")[::7]:
        said = haunted.tacit(*verb.split(), memory["id"])
        assert (lies(said.out), lies(said.err)) == (set(), set())


def test_no_page_and_no_fact_file_holds_what_deceives(haunted: Person) -> None:
    pages = [haunted.long_term, haunted.facts, *haunted.home.glob("worklog/*"), *haunted.home.glob("evaluations/*")]
    assert len(pages) == 4
    for page in pages:
        text = page.read_bytes().decode()
        assert lies(text) == set()
        assert text.splitlines() == text.split("\n")[:-1]


def test_every_character_comes_through_as_what_it_is(person: Person) -> None:
    """All 1,112,064: what could deceive is escaped where it is shown, and nothing is lost."""
    plant(person, _saying_each(lived(person)[ADDED], chunks(PAIRS, halves=False)))
    person.tacit("reindex")
    listed = person.listed("--scope", "all")
    held = set().union(*(memory["label"] for memory in listed if memory["label"].startswith(" a")))
    assert len(held) == 0x110000 - 0x800
    canonical = {fact["canonical"] for fact in map(json.loads, person.facts.read_text().split("\n")[:-1])}
    assert {memory["label"] for memory in listed if not memory["overruled_by"]} == canonical


def test_an_error_names_a_hostile_word_without_repeating_its_harm(person: Person) -> None:
    for words in ("show", "forget --reason r --evidence e", "list --kind", "recall x --since"):
        said = person.tacit(*words.split(), hidden(CONTEXTS[1]), code=None)
        assert said.code in (1, 2)
        assert "aside" in said.err
        assert (lies(said.out), lies(said.err)) == (set(), set())


@pytest.mark.parametrize("text", REAL.values(), ids=REAL)
def test_real_writing_comes_out_of_every_command_and_page_as_it_went_in(person: Person, text: str) -> None:
    person.tacit("add", text)
    person.tacit("remember", f"{text} too", "--evidence", text)
    person.tacit("log", "--task", text, "--summary", text)
    for words in ("list", "suggestions", "review", "recall --query", f"show {person.id_of(text)}"):
        said = person.tacit(*words.split(), *([text] if words.endswith("query") else []))
        assert text in said.out
    for page in (person.long_term, person.facts, *(person.home / "worklog").glob("*")):
        assert text in page.read_text()


@pytest.mark.parametrize("known_by", ["folder", "remote"])
def test_the_name_of_a_project_deceives_nobody(person: Person, known_by: str) -> None:
    name = "".join(letter for letter in HIDDEN if letter != "\0" and not letter.isspace())[:60] + "aside"
    root = person.repository(name if known_by == "folder" else "work")
    if known_by == "remote":
        url = f"ssh://example.org/team/{name}.git"
        (root / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n', encoding="utf-8")
    person.tacit("add", "never force push", cwd=root)
    person.tacit("remember", "prefer small commits", "--evidence", "e", cwd=root)
    person.tacit("log", "--task", "t", "--summary", "s", cwd=root)
    for words in ("list", "status", "suggestions", "review", "recall force", "why never force push", "brief", "doctor"):
        said = person.tacit(*words.split(), cwd=root, code=None)
        assert (words, lies(said.out), lies(said.err)) == (words, set(), set())
    assert "aside" in person.tacit("list", cwd=root).out
    for page in (person.long_term, *(person.home / "worklog").glob("*"), root / "docs" / "memory" / "memories.ndjson"):
        assert lies(page.read_text()) == set()


def test_the_name_of_a_home_deceives_nobody(person: Person, tmp_path: Path) -> None:
    person.home = tmp_path / f"home{''.join(letter for letter in HIDDEN if letter not in chr(0) + '/')[:40]}"
    person.tacit("add", "never force push")
    for words in ("status", "init", "recall force", "why never force push", "evaluate", "doctor"):
        said = person.tacit(*words.split(), code=None)
        assert (words, lies(said.out), lies(said.err)) == (words, set(), set())
    (person.home / "tacit.toml").write_text("[recall\n")
    said = person.tacit("list", code=2)
    assert lies(said.err) == set()
