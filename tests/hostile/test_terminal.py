"""2,000 sequences that a terminal obeys, in whatever it can be made to print: a real terminal is not moved by any."""

from __future__ import annotations

import re
from pathlib import Path

import pyte
import pytest
from harness.person import Person, Said
from harness.terminal import converse

from tests.hostile.escapes import sequences
from tests.hostile.forged import lived, plant, saying

# What may be printed is decided in test_code_points.py, which every interpreter runs.
pytestmark = pytest.mark.same_everywhere
SEQUENCES = list(sequences(2000))
A_TEXT = 10  # so many in each text
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_AS_WORD = str.maketrans("", "", "\0")
_TITLE = "untouched"


class Terminal(pyte.Screen):
    """A terminal that can be asked what became of it: its screen, its title, and what it typed by itself. It is wide
    and tall enough that nothing has to wrap or scroll."""

    def __init__(self, shown: str) -> None:
        lines = shown.split("\n")
        super().__init__(max(map(len, lines)) * 2 + 10, len(lines) + 10)
        self.title = self.icon_name = _TITLE
        self.answers: list[str] = []
        self.bells = 0
        try:
            pyte.Stream(self).feed(shown.replace("\n", "\r\n"))
        except (TypeError, UnboundLocalError):  # a form of a request that real terminals know and pyte does not
            self.answers.append("something that a real terminal knows")

    def write_process_input(self, data: str) -> None:
        """What the program would read as typed by the person."""
        self.answers.append(data)

    def bell(self, *_: object) -> None:
        self.bells += 1

    def read(self) -> str:
        """What stands on the screen."""
        return "\n".join(line.rstrip() for line in self.display).rstrip("\n")

    def is_unharmed_by(self, shown: str) -> bool:
        """Whether what was printed is what is to be seen, and nothing else happened."""
        plain = "\n".join(line.rstrip() for line in shown.split("\n")).rstrip("\n")
        quiet = not self.answers and not self.bells
        return quiet and (self.title, self.icon_name) == (_TITLE, _TITLE) and self.read() == plain


def is_safe(said: Said) -> bool:
    """Whether the bytes hold no control but line feeds, and a terminal shows just them."""
    return not OBEYED.search(said.out) and Terminal(said.out).is_unharmed_by(said.out)


def texts() -> list[str]:
    """All sequences, some in each; none begins with what could be cut off as a blank."""
    return ["aside " + "".join(SEQUENCES[at : at + A_TEXT]) for at in range(0, len(SEQUENCES), A_TEXT)]


@pytest.fixture(scope="module")
def haunted(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A home and a project in which every text, tag, evidence, name and task holds sequences."""
    person = Person(tmp_path_factory.mktemp("person"))
    known = lived(person)
    every = texts()
    plant(
        person,
        [
            {**saying(fields, text, 500 * number + at), "actor": "user" if at % 4 else text[:60]}
            for number, fields in enumerate(known.values())
            for at, text in enumerate(every[:: 1 if fields["type"] == "memory.added" else 8])
        ],
    )
    person.tacit("reindex")
    return person


def test_the_emulator_notices_when_a_sequence_gets_through() -> None:
    """Almost all of them; some only end a string that was never begun, or ask for what pyte does not know."""
    harmed = [one for one in SEQUENCES if not Terminal(f"before {one}after\n").is_unharmed_by(f"before {one}after\n")]
    assert len(harmed) > 0.9 * len(SEQUENCES)
    assert all(OBEYED.search(one) for one in SEQUENCES)


@pytest.mark.parametrize(
    "words",
    [
        *("list", "list --status all", "suggestions", "recall --limit 300 --query aside"),
        *("recall --json --limit 20 --query aside", "status", "brief", "evaluate", "improve --force", "conflicts"),
        *("verify", "undo"),
    ],
)
def test_a_command_moves_no_terminal(haunted: Person, words: str) -> None:
    said = converse(haunted, *words.split(), answers=())
    assert said.code in ((0, 1, 3) if words == "verify" else (0, 1))  # it names lines that were planted past Tacit
    assert is_safe(said)


def test_the_list_shows_every_sequence_as_plain_text(haunted: Person) -> None:
    said = converse(haunted, "list", "--status", "all", "--limit", "10000", answers=())
    assert {f"mark{number}" for number in range(2000)} <= set(re.findall(r"mark\d+", said.out))


@pytest.mark.parametrize("verb", ["show", "why"])
def test_all_about_one_memory_moves_no_terminal(haunted: Person, verb: str) -> None:
    for memory in haunted.listed("--status", "all")[::60]:
        assert is_safe(converse(haunted, verb, memory["id"], answers=()))


def test_a_review_moves_no_terminal(haunted: Person) -> None:
    said = converse(
        haunted, "review", answers=[("quit > ", "s"), ("quit > ", "m"), ("into which id", "9"), ("quit > ", "q")]
    )
    assert said.code == 0
    assert is_safe(said)


@pytest.mark.parametrize(
    "line",
    [
        *("{}", "list --status {}", "list --kind {}", "list --{}", "list {}", "show {}", "recall x --limit {}"),
        *("recall x --since {}", "recall x --scope {}", "edit {} --kind {}", "help {}"),
    ],
)
def test_an_error_that_repeats_a_word_moves_no_terminal(person: Person, line: str) -> None:
    person.tacit("add", "never force push")
    hostile = "".join(SEQUENCES[:60]).translate(_AS_WORD)
    said = converse(person, *(word.replace("{}", hostile) for word in line.split()), answers=())
    assert said.code in (1, 2)
    assert "tacit: " in said.out
    assert is_safe(said)


def _a_name(first: int) -> str:
    return "".join(SEQUENCES[first : first + 9]).translate(str.maketrans("", "", "\0/"))[:120]


@pytest.mark.parametrize("named", ["folder", "remote"])
def test_a_project_whose_name_is_a_sequence_moves_no_terminal(person: Person, named: str) -> None:
    root = person.repository(_a_name(0) if named == "folder" else "work")
    if named == "remote":
        url = "ssh://example.org/" + re.sub(r"\s", "", _a_name(9))
        (root / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n', encoding="utf-8")
    for words in (("add", "never force push"), ("status",), ("list",), ("recall", "force"), ("brief",), ("doctor",)):
        assert is_safe(converse(person, *words, cwd=root, answers=()))


def test_a_home_whose_name_is_a_sequence_moves_no_terminal(person: Person, tmp_path: Path) -> None:
    person.home = tmp_path / _a_name(18)
    person.tacit("init")
    for words in (("status",), ("init",), ("add", "never force push"), ("recall", "force"), ("evaluate",), ("doctor",)):
        assert is_safe(converse(person, *words, answers=()))
    (person.home / "tacit.toml").write_text("[recall\n")
    assert is_safe(converse(person, "list", answers=()))
    person.home = tmp_path / _a_name(27)
    person.home.write_text("no folder")
    assert is_safe(converse(person, "list", answers=()))


def test_an_environment_of_sequences_moves_no_terminal(person: Person) -> None:
    hostile = "".join(SEQUENCES[27:60]).translate(_AS_WORD)
    for words in (("add", "never force push"), ("why", "never force push"), ("list", "--status", "all"), ("review",)):
        said = converse(person, *words, answers=[("quit > ", "q")] * (words == ("review",)), TACIT_ACTOR=hostile)
        assert is_safe(said)
    assert is_safe(converse(person, "list", answers=(), TACIT_NOW=hostile))
    assert is_safe(converse(person, "list", answers=(), TACIT_SESSION=hostile, EDITOR=hostile))


def test_a_worklog_of_sequences_moves_no_terminal(person: Person) -> None:
    hostile = "".join(SEQUENCES[:40]).translate(_AS_WORD)
    assert is_safe(converse(person, "log", "--task", hostile, "--summary", hostile, answers=()))
    assert is_safe(converse(person, "recall", "mark3", answers=()))
    assert is_safe(converse(person, "undo", answers=()))
