"""Who may run what: the table holds every verb, and what only a person may do is refused for an agent."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.person import Person, tree

from tacit.cli.commands import (
    ACCESS_RULES,
    ALIASES,
    SUMMARIES,
    AccessLevel,
    Command,
    load_command,
    parse_args,
    required_access,
)
from tacit.errors import RefusedError
from tacit.home.actor import AGENT_VARIABLES, AgentVariable
from tacit.home.home import Home
from tacit.vault import Vault
from tests.support.forms import PERSON_ONLY, furnish, typed

# Options and subcommands that make no difference to who may run a command. Whoever adds one says so here, or in the
# table of forms.
NEUTRAL_WORDS = {
    "add": "--text --kind --tag --evidence --global --private --whole --candidate",
    "recall": "--query --limit --kind --scope --since --as-of --all --like --explain --exit-code",
    "list": (
        "--pending --forgotten --status --kind --tag --scope --check --project --agent --since --before --limit --all"
        " --exit-code"
    ),
    "brief": "--for --tag",
    "context": "--cwd",
    "log": "--task --summary --changes --evidence --next",
    "review": "--kind --project --agent --since --before --limit --all --doubtful --reason --yes",
    "check": "--all",
    "conflicts": "--limit --all --exit-code",
    "guard": "list test --ask --deny --warn --forbid --instead --protect --before --run --yes",
    "trial": "--stop --sessions",
    "trust": "--show",
    "sync": "--no-remotes --unattended --every",
    "sessions": "--turn --around --project --result --memory --since --before --limit --all --exit-code",
    "injected": "--session --limit --all --exit-code",
    "why": "--html",
    "replay": "--since --limit --all",
    "workflow": "list show runs export --in --step --from --resume --set --yes --dry-run --as --form --file",
    "setup": "--check --without",
    "learn": "--session --since --all --dry-run --show-prompt --agent --quiet",
    "improve": "--evaluate --force --min-count",
    "install": "--mcp --capture",
    "autocapture": "status",
    "config": "show get",
    "completion": "words",
    "status": "--commands",
    "week": "--since",
    "doctor": "--log --quick --yes --reindex",
    "redact": "--count",
    "web": "--port --no-open --read-only",
    "remember": "--text --evidence --global",
    "suggest": "--text --quote --evidence --reason --kind --global",
}


def command(verb: str) -> Command:
    return load_command(verb)


def subcommands(verb: str) -> set[str]:
    """The words that a verb names as its own, as in `on | off | status`."""
    parts = re.split(r"\||\[", command(verb).usage)
    firsts = (part.split()[0] for part in parts if part.split()) if "|" in command(verb).usage else iter(())
    return {first for first in firsts if first.islower()}


@pytest.mark.parametrize("verb", SUMMARIES)
def test_every_verb_subcommand_and_option_is_in_the_table(verb: str) -> None:
    assert "" in ACCESS_RULES[verb], f"say who may run tacit {verb}"
    named = {part for form in ACCESS_RULES[verb] for part in form.split()} | set(NEUTRAL_WORDS.get(verb, "").split())
    options = {option.name for option in command(verb).options} - {"--json"}
    if ACCESS_RULES[verb][""] is not AccessLevel.PERSON:
        assert options | subcommands(verb) <= named, "say for each whether it makes a difference"
    # And nothing is in the table that is not there.
    assert {part for part in named if part.startswith("--")} <= options
    assert {part for part in named if part.islower() and not part.startswith("--")} <= set(
        re.findall("[a-z][a-z-]*", command(verb).usage)
    )


def test_the_table_has_no_verb_that_is_not_there() -> None:
    assert ACCESS_RULES.keys() == SUMMARIES.keys()
    assert NEUTRAL_WORDS.keys() <= ACCESS_RULES.keys()
    assert {words[0] for words in ALIASES.values()} <= ACCESS_RULES.keys()


def test_the_narrowest_of_the_forms_that_say_most_counts() -> None:
    for line, who in {
        "autocapture": AccessLevel.ANYBODY,
        "autocapture off": AccessLevel.PERSON,
        "autocapture off --session": AccessLevel.AGENT,
        "autocapture on --session": AccessLevel.PERSON,
        "install": AccessLevel.ANYBODY,
        "install claude": AccessLevel.PERSON,
        "install --uninstall": AccessLevel.PERSON,
        "import history": AccessLevel.PERSON,
        "import history --dry-run": AccessLevel.ANYBODY,
        "import other --dry-run": AccessLevel.PERSON,
        "trust --show --yes": AccessLevel.PERSON,
        "workflow export check --as make": AccessLevel.ANYBODY,
        "workflow export check --as make --to x": AccessLevel.PERSON,
        "config": AccessLevel.ANYBODY,
        "learn --dry-run --model x": AccessLevel.PERSON,
    }.items():
        verb, *words = line.split()
        assert required_access(parse_args(command(verb), words)) is who, line


# What only a person may do


def test_every_form_that_is_the_persons_is_tried_here() -> None:
    rows = ((f"{verb} {form}".strip(), who) for verb, forms in ACCESS_RULES.items() for form, who in forms.items())
    assert PERSON_ONLY.keys() == {row for row, who in rows if who is AccessLevel.PERSON}


@pytest.fixture
def person(person: Person) -> Person:
    furnish(person)
    return person


@pytest.mark.parametrize("line", PERSON_ONLY.values(), ids=PERSON_ONLY)
def test_an_agent_is_refused_with_the_command_to_hand_on_and_nothing_changes(person: Person, line: str) -> None:
    words = typed(person, line)
    before = tree(person.folder)
    said = person.tacit(*words, code=1, cwd=person.folder / "work", CLAUDECODE="1")
    assert tree(person.folder) == before
    assert said.out == ""
    assert "only a person" in said.err and "agent:claude" in said.err
    (handed_on,) = re.findall("ask them to type, in a terminal that no agent started: (tacit .*)", said.err)
    given = parse_args(command(words[0]), words[1:])
    again = parse_args(command(words[0]), shlex.split(handed_on)[2:])
    assert again.args == given.args
    assert again.values == {name: values for name, values in given.values.items() if name != "--yes"}


def test_help_and_lists_are_for_anybody(person: Person) -> None:
    for verb in SUMMARIES:
        assert "who may run it:" in person.tacit(verb, "--help", CLAUDECODE="1").out
    person.tacit("install", CLAUDECODE="1")
    person.tacit("config", CLAUDECODE="1")
    person.tacit("conflicts", CLAUDECODE="1")
    person.tacit("workflow", CLAUDECODE="1")
    person.tacit("trust", "--show", CLAUDECODE="1", cwd=person.folder / "work")
    assert "touch ran" in person.tacit("workflow", "export", "check", "--as", "bash", CLAUDECODE="1").out


def test_secrets_are_not_repeated_in_what_is_handed_on(person: Person) -> None:
    secret = "ghp_" + "a8Kd03jf9Qm2LpX7" * 2 + "Zt5R"
    said = person.tacit("purge", "--text", "the violet lighthouse", "--yes", code=1, CLAUDECODE="1")
    assert "violet" not in said.err and "tacit purge --text -" in said.err
    said = person.tacit("edit", "use pnpm", "--text", f"the token is {secret}", code=1, CLAUDECODE="1")
    assert secret not in said.err and "[redacted:" in said.err


LIBRARY: dict[str, Callable[[Vault, Path], object]] = {
    "export": lambda vault, folder: vault.exchange.export(str(folder / "copy")),
    "import": lambda vault, folder: vault.exchange.import_(str(folder / "other")),
    "wrappers": lambda vault, _folder: vault.setup.init(wrappers=True, agents=["claude"]),
    "no wrappers": lambda vault, _folder: vault.setup.init(wrappers=False),
    "mend": lambda vault, _folder: vault.doctor.mend(),
    "configure": lambda vault, _folder: vault.configuration.configure("learn.accept", "true"),
    "accept": lambda vault, _folder: vault.memories.accept("use pnpm"),
    "workflow": lambda vault, _folder: vault.workflows.runnable_workflow("check"),
}


@pytest.mark.parametrize("call", LIBRARY.values(), ids=LIBRARY)
def test_a_program_that_an_agent_runs_is_held_to_the_same(
    person: Person, call: Callable[[Vault, Path], object]
) -> None:
    before = tree(person.folder)
    environment = {**person.environment(), "CLAUDECODE": "1"}
    with (
        Vault(Home(person.home, cwd=person.folder, environment=environment)) as vault,
        pytest.raises(RefusedError, match="only a person"),
    ):
        call(vault, person.folder)
    assert tree(person.folder) == before


@pytest.mark.parametrize("sign", AGENT_VARIABLES, ids=lambda sign: sign.variable)
def test_every_agent_that_is_known_is_refused(
    person: Person, sign: AgentVariable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(sign.variable, sign.value or "1")
    person.tacit("install", "zsh", "--yes", code=1)
    assert not (person.folder / ".zshrc").exists()


def test_the_person_runs_all_of_it(person: Person) -> None:
    person.tacit("install", "zsh", "--yes")
    assert (person.folder / ".zshrc").exists()
    person.tacit("export", "--to", str(person.folder / "copy"))
    person.tacit("init", "--wrappers")
    assert os.listdir(person.folder / "copy")


@pytest.mark.parametrize(
    "line", ["unshare ID", "capture FOLDER/transcripts", "verify --mend", "verify --accept-unsigned --yes"]
)
def test_another_name_for_a_command_is_no_way_around(person: Person, line: str) -> None:
    before = tree(person.folder)
    said = person.tacit(*typed(person, line), code=1, cwd=person.folder / "work", CLAUDECODE="1")
    assert "only a person" in said.err and said.out == ""
    assert tree(person.folder) == before
