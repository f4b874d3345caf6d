"""The surface holds together: commands, their files, their help and the library's names; and recall starts light."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from harness.person import Person

import tacit
from tacit.cli.commands import ALIASES, SUMMARIES, load_command, parse_args
from tacit.cli.help import EVERYDAY, command_help, help_all, help_overview

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
# Each costs more than the search itself.
HEAVY = {
    *("argparse", "ast", "asyncio", "ctypes", "dataclasses", "decimal", "difflib", "email", "hashlib", "http"),
    *("inspect", "logging", "multiprocessing", "pathlib", "random", "selectors", "shutil", "socket", "ssl"),
    *("subprocess", "tempfile", "threading", "tokenize", "tomllib", "urllib", "uuid", "zoneinfo"),
    *("click", "rich", "pydantic", "msgspec"),
}


@pytest.mark.parametrize("name", ALIASES)
def test_an_alias_is_a_command_with_arguments_that_it_takes(person: Person, name: str) -> None:
    verb, *words = ALIASES[name]
    assert name not in SUMMARIES
    call = parse_args(load_command(verb), words)
    assert all(option in {one.name for one in call.command.options} for option in call.values)
    assert f"tacit {name} is another name for: tacit {' '.join(ALIASES[name])}\n" in person.tacit(name, "--help").out


def test_every_command_is_listed_and_the_everyday_ones_fit_one_screen(person: Person) -> None:
    listed = person.process("help", "all").out
    assert listed == help_all() + "\n"
    for name in (*SUMMARIES, *ALIASES):
        assert f"\n  {name} " in f"\n{listed}"
    assert len(person.process("--help").out.splitlines()) <= 40
    assert {name for names in EVERYDAY.values() for name in names.split()} <= set(SUMMARIES)
    assert max(map(len, (listed + help_overview()).splitlines())) <= 80


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_command_is_named_as_its_file_and_its_example_can_be_read(name: str) -> None:
    one = load_command(name)
    assert one.name == name
    program, verb, *arguments = shlex.split(one.example)
    assert (program, verb) == ("tacit", name)
    parse_args(one, arguments)


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_command_tells_its_help_and_the_reference_shows_it(person: Person, name: str) -> None:
    told = person.tacit(name, "--help").out
    assert told == command_help(load_command(name)) + "\n"
    assert f"\n{told}```\n" in REFERENCE.read_text()
    for option in load_command(name).all_options:
        assert option.name in told and option.help


def test_the_reference_begins_with_the_overview(person: Person) -> None:
    told = person.process("--help").out
    assert told == help_overview() + "\n"
    page = REFERENCE.read_text()
    assert page[page.index("```") :].split("\n", 1)[1].startswith(told + "```\n")


def test_the_public_names_exist() -> None:
    assert tacit.__all__
    for name in tacit.__all__:
        assert getattr(tacit, name) is not None


def loaded(person: Person, code: str) -> set[str]:
    """The modules a fresh interpreter holds after running this, with their packages."""
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules, sep='\\n', file=sys.stderr)"],
        cwd=person.folder,
        env=person.environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stderr.split()
    return set(told) | {name.split(".")[0] for name in told}


def test_recall_loads_nothing_heavy(person: Person) -> None:
    person.process("init")
    person.process("add", "never force push")
    start = loaded(person, "pass")
    asked = loaded(person, "from tacit.cli import main\nassert main(['recall', 'force']) == 0")
    assert "sqlite3" in asked
    assert (asked - start) & HEAVY == set()


def test_recall_loads_no_verb_and_no_learner_that_it_does_not_need(person: Person) -> None:
    person.process("add", "never force push")
    asked = loaded(person, "from tacit.cli import main\nassert main(['recall', 'force']) == 0")
    ours = {name.removeprefix("tacit.cli.") for name in asked if name.startswith("tacit.cli.")}
    assert ours == {"commands", "output", "recall"}
    assert not [name for name in asked if name.startswith("tacit.learn")]


def test_help_loads_neither_verbs_nor_storage(person: Person) -> None:
    told = loaded(person, "from tacit.cli import main\nmain(['--help'])")
    assert not [name for name in told if name.startswith(("tacit.vault", "tacit.home", "tacit.index"))]
    assert told.isdisjoint({"sqlite3", "json"})


def test_the_program_needs_nothing_but_python(person: Person) -> None:
    """Isolated from installed packages, with only the package itself on the path."""
    source = str(Path(tacit.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {source!r}); from tacit.cli import main; sys.exit(main())"
    for words in (["add", "never force push"], ["recall", "force", "--json"], ["improve"], ["doctor"]):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, *words],
            cwd=person.folder,
            env=person.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if words[0] == "recall":
            assert json.loads(done.stdout)[0]["text"] == "never force push"
