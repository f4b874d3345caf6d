"""Every output of `--json` keeps to the one vocabulary that docs/reference describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from docs.reference.output import FIELDS, OBJECTS, OUTPUTS, schema
from harness.person import Person
from harness.postgres import Cluster
from jsonschema import Draft202012Validator

from tacit.cli.commands import EXIT_CODE_OPTION, JSON_OPTION, SUMMARIES, load_command
from tests.search.test_passages import Talk
from tests.support.hook_session import Sitting
from tests.support.postgres import PROJECT, SENTENCE, TeamServer
from tests.support.team import memory_id

VERBS = {name: load_command(name) for name in SUMMARIES}
# What each command is asked here, where its name alone is not enough. The id is that of a memory, or of a habit.
ASKED = {
    "config get": ("recall.limit",),
    "recall": ("commits",),
    "sessions show": ("last",),
    "guard test": ("GUARDED",),
    "show": ("ID",),
    "why": ("HABIT",),
    "team members": ("SERVER",),
    "workflow runs": ("check",),
    "workflow show": ("check",),
    "import transcripts": ("transcripts",),
    "learn": ("--all",),
    "sessions --result": ("told",),
    "sessions --since": ("30y",),
    "replay": ("--since", "30y"),
}
FACT = {"text": "The API listens on port 8080", "triple": {"subject": "api", "predicate": "port", "object": "8080"}}


@pytest.fixture(scope="module")
def team(postgres: Cluster) -> TeamServer:
    server = TeamServer(postgres)
    server.add("alice", PROJECT)
    server.add("carla", PROJECT, curator=True)
    with server.session("alice") as alice:
        server.propose(alice, memory_id(SENTENCE))
    return server


@pytest.fixture(scope="module")
def lively(tmp_path_factory: pytest.TempPathFactory, team: TeamServer) -> Person:
    """A home with something of everything in it, in a project that brought facts of its own."""
    person = Person(tmp_path_factory.mktemp("lively"))
    project = person.folder / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "docs" / "memory").mkdir(parents=True)
    (project / "docs" / "memory" / "memories.ndjson").write_text(f"{json.dumps(FACT)}\nno fact\n")
    (project / "AGENTS.md").write_text("- Always squash the commits of a branch.\n\n@none.md\n")
    (person.folder / ".zsh_history").write_text(_history(project))
    person.tacit("add", "I prefer npm", "--tag", "tools")
    person.tacit("add", "I prefer pnpm", "--tag", "tools")
    person.tacit("add", "never force push commits", "--global")
    (project / "Makefile").write_text("all:\n")
    person.tacit("add", "run `make ship` to ship", cwd=project)
    for evidence in ("review", "another review"):
        person.tacit("remember", "Prefer small commits", "--evidence", evidence)
    person.tacit("log", "--task", "PROJ-12", "--summary", "Validated commits")
    talk = Talk(person, project).asks("From now on, always sign the commits of this shop.")
    talk.asks("Keep in mind that the demo data is thrown away at night.")
    talk.says("Understood: commits are signed.").runs("git commit -S", fails=True).capture()
    person.tacit("import", "history", "--shell", "zsh", "--file", ".zsh_history")
    person.tacit("workflow", "new", "check", "--", "true")
    person.tacit("workflow", "run", "check", "--yes", SHELL="/bin/sh")
    person.tacit("brief", "--for", "commits")
    person.tacit("learn")
    Sitting(person, "told", project).start()
    person.tacit("guard", "on", _guarded(person), "--forbid", "git commit", "--yes")
    person.tacit("autocapture", "on")
    person.tacit("add", "use ruff instead of flake8")
    person.tacit("trial", "use ruff instead of flake8")
    _connect(person)
    person.tacit("team", "join", team.url("carla"), "--yes")
    return person


def _connect(person: Person) -> None:
    """Another machine of the person, on the same remote."""
    remote, desktop = person.folder / "remote", Person(person.folder / "desktop")
    for folder in (remote, desktop.folder):
        folder.mkdir()
    shown = person.tacit("remote", "add", "home", str(remote)).out
    phrase = "\n".join(line for line in shown.splitlines() if line.startswith("    "))
    (desktop.folder / "phrase").write_text(phrase)
    desktop.tacit("remote", "add", "home", str(remote), "--phrase-file", "phrase", cwd=desktop.folder)
    person.tacit("sync")


def _history(project: Path) -> str:
    """A habit of several sessions, in one folder."""
    told = []
    for day in range(6):
        at = 1_771_000_000 + day * 86_400
        told += [f": {at}:0;cd {project}", *(f": {at + 60 * step}:0;make release" for step in range(1, 4))]
    return "\n".join(told) + "\n"


def printed(person: Person, command: str, server: TeamServer) -> Any:
    ids = {"ID": _id(person, False), "HABIT": _id(person, True), "GUARDED": _guarded(person)}
    ids["SERVER"] = server.url(server.admin)
    words = [ids.get(word, word) for word in ASKED.get(command, ())]
    return person.tacit(*command.split(), *words, "--json", cwd=person.folder / _cwd(command), code=None).json


def _cwd(command: str) -> str:
    return "" if command in ("import transcripts", "list", "list --pending") else "shop"


def _guarded(person: Person) -> str:
    return str(next(one["id"] for one in person.listed("--scope", "all") if one["text"] == "never force push commits"))


def _id(person: Person, habit: bool) -> str:
    every = person.listed("--status", "all", "--scope", "all")
    return str(next(one["id"] for one in every if (one["kind"] == "recurring_command") == habit))


@pytest.mark.parametrize("command", OUTPUTS)
def test_every_output_keeps_to_the_schema(lively: Person, team: TeamServer, command: str) -> None:
    found = printed(lively, command, team)
    rules = {**schema(), "$ref": f"#/$defs/output.{command}"}
    assert [f"{error.json_path}: {error.message}" for error in Draft202012Validator(rules).iter_errors(found)] == []
    if command not in ("doctor --log", "doctor"):  # this home is well
        assert found not in ([], {}), "nothing was printed that could be wrong"


def test_every_command_that_prints_json_is_in_the_schema() -> None:
    assert {command.split()[0] for command in OUTPUTS} == {
        name for name, verb in VERBS.items() if JSON_OPTION in verb.options
    }


def test_every_name_and_object_of_the_schema_is_used() -> None:
    names = {name for fields in OBJECTS.values() for name in fields.split()}
    assert names == set(FIELDS)
    types = {kind.strip("[]?") for kind in (*OUTPUTS.values(), *(kind for kind, _ in FIELDS.values()))}
    assert set(OBJECTS) <= types
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", [name for name, verb in VERBS.items() if EXIT_CODE_OPTION in verb.options])
def test_nothing_found_is_0_unless_a_program_wants_to_know(person: Person, name: str) -> None:
    words = [name, "nothing"] if name == "recall" else [name]
    assert person.tacit(*words, "--json").json == []
    assert person.tacit(*words, "--json", "--exit-code", code=1).json == []
    assert person.tacit(*words).out == person.tacit(*words, "--exit-code", code=1).out
