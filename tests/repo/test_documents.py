"""What the documents show is what happens."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest
from harness.person import Person

import tacit
from tacit.cli.commands import SUMMARIES, load_command
from tacit.home.settings import Settings
from tacit.home.settings_file import SETTINGS_TEMPLATE
from tacit.log.codec import EVENT_TYPES
from tests.search.test_passages import Talk
from tests.support.consoles import PROMPT, recordings, replay, write_session

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_recording_in_the_readme_is_what_the_program_prints(tmp_path: Path) -> None:
    shown = recordings(ROOT / "README.md")
    assert len(shown) >= 4
    assert PROMPT in (ROOT / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    write_session(tmp_path)
    for command, output in shown:
        assert replay(command, tmp_path) == output


def test_the_reference_is_what_the_commands_say_of_themselves() -> None:
    generator = import_module("docs.reference.generate")
    for name, text in generator.pages().items():
        assert (ROOT / "docs/reference" / name).read_text(encoding="utf-8") == text, "run: make docs"


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_says_what_it_is(name: str) -> None:
    command = load_command(name)
    assert command.name == name
    assert command.help and command.example.startswith(f"tacit {name}")
    assert all(option.help for option in command.all_options)


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_every_event_type_is_in_the_format(event_type: str) -> None:
    assert f"`{event_type}`" in (ROOT / "docs/FORMAT.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", Settings._fields)
def test_every_setting_is_documented_with_its_default(setting: str) -> None:
    section, key = setting.split("_", 1)
    default = json.dumps(getattr(Settings(), setting))  # as TOML writes numbers, lists and truth too
    assert f"| `{section}.{key}` | {default} |" in (ROOT / "docs/guides/settings.md").read_text(encoding="utf-8")
    assert re.search(rf"# \[{section}\]\n(?:# .*\n)*?# {key} = {re.escape(default)}(?!\w)", SETTINGS_TEMPLATE)


def test_the_python_example_of_the_readme_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    environment = {"HOME": str(tmp_path), "TACIT_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['always run the tests before a commit']\n"


def test_the_examples_of_the_guide_to_python_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/guides/python.md").read_text(encoding="utf-8").replace("```\n", "\n")
    tried = doctest.DocTestRunner(verbose=False)
    tried.run(doctest.DocTestParser().get_doctest(text, {}, "python.md", None, None))
    assert tried.tries > 15
    assert tried.failures == 0


def test_the_example_of_the_guide_to_learning_is_what_learn_prints(tmp_path: Path) -> None:
    guide = (ROOT / "docs/guides/learning.md").read_text(encoding="utf-8")
    shown = guide.split("$ tacit learn --dry-run\n", 1)[1].split("```", 1)[0]
    person = Person(tmp_path)
    said = re.search("“(.*)”", shown)
    assert said is not None
    Talk(person, person.repository()).asks(said[1]).says("Understood.").capture()

    assert person.tacit("learn", "--dry-run").out == shown


def test_the_tour_shows_every_screen_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    _, keyboard = os.openpty()  # nobody types, and nothing may ask
    tour = [sys.executable, str(ROOT / "examples/tour")]
    done = subprocess.run(tour, env=environment, stdin=keyboard, capture_output=True, text=True, check=True, timeout=90)
    assert "6 of 6" in done.stdout and "The home is well." in done.stdout
    assert "Traceback" not in done.stderr and "Enter" not in done.stdout
    assert "Never touch the cart service" in done.stdout.split("━━ 6 of 6")[1]
    assert "git push" in done.stdout.split("tacit workflow list")[1]
    assert "tacit setup. It shows what it would do" in done.stdout.rstrip().splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


@pytest.mark.parametrize("name", ["docs/ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_that_is_named_exists(name: str) -> None:
    named = set(re.findall(r"(?:src|tests|docs|bench)/[\w./-]*\w/?", (ROOT / name).read_text(encoding="utf-8")))
    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path.rstrip(".")).exists()] == []


def test_every_package_is_described() -> None:
    text = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    packages = {path.parent.name for path in (ROOT / "src/tacit").glob("*/__init__.py")} - {"surfaces"}
    assert [name for name in sorted(packages) if f"| `src/tacit/{name}/` |" not in text] == []


def test_what_the_package_promises_is_there() -> None:
    assert {"Kind", "Memory", "TacitError", "Vault", "open"} <= set(tacit.__all__)
    assert all(hasattr(tacit, name) for name in tacit.__all__)


# What a command does, as a call on what `tacit.open()` returns. Others are about a text, a shell, a terminal or an
# agent's files, or serve the rest.
CALLS = {
    "accept": "memories.accept",
    "check": "conditions.check_all",
    "add": "add",
    "autocapture": "configuration.autocapture",
    "brief": "brief",
    "config": "configuration.config",
    "conflicts": "search.conflicts",
    "context": "contexts.context",
    "dismiss": "memories.dismiss",
    "doctor": "doctor.doctor",
    "guard": "guard.switch_on",
    "edit": "memories.edit",
    "export": "exchange.export",
    "forget": "memories.forget",
    "import": "exchange.import_",
    "remote": "exchange.machines.add",
    "improve": "maintenance.improve",
    "init": "setup.init",
    "injected": "sessions.injected",
    "learn": "suggestions.learn",
    "list": "search.listing",
    "log": "memories.log",
    "promote": "memories.promote",
    "purge": "purger.purge",
    "recall": "recall",
    "redo": "changes.redo",
    "remember": "memories.remember",
    "restore": "memories.restore",
    "review": "suggestions.listing",
    "sessions": "sessions.sessions",
    "share": "memories.share",
    "replay": "replays.replay",
    "show": "search.show",
    "status": "status",
    "suggest": "memories.suggest",
    "sync": "hand_edits.sync",
    "team": "exchange.team.overview",
    "trial": "trials.start",
    "trust": "repository.trust",
    "try": "histories.import_history",
    "undo": "changes.undo",
    "week": "digests.digest",
    "why": "search.why",
    "workflow": "workflows.workflows",
}


def test_every_command_is_a_call_on_the_library(tmp_path: Path) -> None:
    assert SUMMARIES.keys() - CALLS.keys() == {
        *("audit", "redact", "hook", "install", "uninstall", "pause", "resume", "mcp", "completion", "web", "without"),
        *("merge-facts", "pick", "setup"),
    }
    with tacit.open(tmp_path / "home", cwd=tmp_path) as vault:
        assert [name for name, call in CALLS.items() if not callable(attrgetter(call)(vault))] == []


def test_the_facade_stays_small() -> None:
    from tacit.vault import Vault

    assert len(Vault.__mro__) == 2
    assert len([name for name in dir(Vault) if not name.startswith("_")]) <= 40


def test_decisions_are_numbered_without_holes_and_listed_by_topic() -> None:
    folder = ROOT / "docs/adr"
    files = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [int(name[:4]) for name in files] == list(range(1, len(files) + 1))
    listed = re.findall(r"^- \[(\d+)\]\(([^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(name for _, name in listed) == files
    assert all(int(number) == int(name[:4]) for number, name in listed)
