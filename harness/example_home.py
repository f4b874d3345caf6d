"""An example home: three projects, some months of sessions and commands, memories, candidates, a conflict, a guard,
a workflow, and facts that a repository brought.

    python -m harness.example_home FOLDER

Pages are tried and pictured on it. It is made up, and the same every time but for the ids of events.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from harness.transcripts import Claude, Turn, lines, name_of, place
from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.model.claim import Scope
from tacit.model.event import Draft
from tacit.model.ids import ClaimId
from tacit.model.observation import BriefInjected, CommandRan, StepRan, WorkflowRan
from tacit.vault.vault import Vault

END = datetime(2026, 11, 16, 17, 30, tzinfo=UTC)
_PROJECTS = ("webshop", "api", "dotfiles")


class Work(NamedTuple):
    """A session: how many days before the end, at which hour, in which project, its title and turns."""

    days: int
    hour: int
    project: str
    title: str
    turns: Sequence[Turn]


def _turn(asked: str, ran: str, changed: str, reply: str, result: str = "ok") -> Turn:
    return Turn(asked, ran, result, changed, reply, put="")


STORIES = (
    Work(
        2,
        9,
        "webshop",
        "Checkout rounds prices wrongly",
        (
            _turn(
                "the total in checkout is off by one cent for three items, please fix it",
                "pnpm test checkout",
                "src/checkout/total.ts",
                "The total was summed as floats. I sum integer cents now, and the test passes.",
                "1 failed, 41 passed",
            ),
            _turn(
                "from now on always keep prices in integer cents, never in floats",
                "pnpm test",
                "src/price.ts",
                "All prices are integer cents now, and 42 tests pass.",
                "42 passed",
            ),
            _turn(
                "don't run npm here, we use pnpm. add a test for the discount",
                "pnpm add -D vitest",
                "test/discount.test.ts",
                "The discount has a test, and it passes.",
            ),
        ),
    ),
    Work(
        1,
        14,
        "api",
        "Rate limit of the login endpoint",
        (
            _turn(
                "add a rate limit to /login, five tries a minute",
                "pytest tests/test_login.py",
                "api/login.py",
                "The endpoint answers 429 after five tries a minute, and the tests pass.",
                "12 passed",
            ),
            _turn(
                "never log request bodies, they contain passwords",
                "pytest",
                "api/logging.py",
                "Bodies are no longer logged. All 96 tests pass.",
                "96 passed",
            ),
        ),
    ),
    Work(
        1,
        16,
        "webshop",
        "Upgrade of the design tokens",
        (
            _turn(
                "upgrade the tokens package and fix what breaks",
                "pnpm up @shop/tokens",
                "src/theme.css",
                "Two colours were renamed. The pages look as before.",
            ),
            _turn(
                "run the visual tests before you commit, always",
                "pnpm test:visual",
                "src/theme.css",
                "The visual tests pass, and the change is committed.",
            ),
        ),
    ),
    Work(
        0,
        10,
        "dotfiles",
        "A prompt that shows the branch",
        (
            _turn(
                "show the git branch in my zsh prompt", "zsh -n .zshrc", ".zshrc", "The prompt shows the branch now."
            ),
            _turn(
                "I prefer starship, remove what you wrote and use it",
                "starship init zsh",
                ".zshrc",
                "starship draws the prompt now.",
            ),
        ),
    ),
    Work(
        0,
        11,
        "api",
        "Migrations fail on an empty database",
        (
            _turn(
                "migrations fail on an empty database",
                "alembic upgrade head",
                "migrations/0007_users.py",
                "Migration 7 expected a row. It creates the row now.",
                "relation users does not exist",
            ),
            _turn(
                "we decided to use PostgreSQL 16 everywhere, also in CI",
                "alembic upgrade head",
                "ci.yml",
                "CI runs PostgreSQL 16 now.",
            ),
        ),
    ),
)
_TASKS = (
    ("fix the flaky test", "make test", "test/flaky.py"),
    ("update the dependencies", "make deps", "lock"),
    ("write the release notes", "git log --oneline", "CHANGELOG.md"),
    ("why is the build slow?", "make build", "Makefile"),
    ("add an index for the orders table", "alembic revision", "migrations/orders.py"),
    ("translate the error pages", "make pages", "pages/errors.html"),
)
RULES = (
    ("webshop", "never run the build repeatedly because it is heavy"),
    ("webshop", "use pnpm, never npm"),
    ("webshop", "components live in src/components, one folder each"),
    ("api", "every endpoint has a test for a missing token"),
    ("api", "run alembic upgrade head after pulling"),
    ("", "I prefer short commit subjects in the imperative"),
    ("", "ask before deleting files outside of the repository"),
)
SUGGESTED = (
    ("webshop", "the staging server restarts at 03:00 UTC", "a deploy failed then", "claude"),
    ("api", "use ruff for formatting", "the pre-commit hook ran it", "codex"),
    ("webshop", "use ruff for formatting", "the pre-commit hook ran it", "codex"),
    ("webshop", "use npm for the docs folder", "it has a package-lock.json", "claude"),
    ("dotfiles", "links are made with stow", "the Makefile calls it", "claude"),
)
_COMMANDS = (
    ("webshop", ("git pull", "pnpm install", "pnpm dev")),
    ("api", ("git pull", "alembic upgrade head", "pytest -q")),
    ("webshop", ("git status", "git push")),
    ("dotfiles", ("git status", "make link")),
)


class ExampleHome:
    """Makes the home in a folder: `folder/home` is the person's folder, with the projects beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / ".agents"
        self.environment = {"HOME": str(folder), "PATH": os.environ.get("PATH", "")}
        for name in _PROJECTS:
            git = folder / name / ".git"
            git.mkdir(parents=True)
            (git / "config").write_text(f'[remote "origin"]\n\turl = git@example.org:ada/{name}.git\n')
            (git / "HEAD").write_text("ref: refs/heads/main\n")

    def vault(self, at: datetime, project: str = "", *, actor: str = "user", session: str = "") -> Vault:
        who = Actor(lambda: at, actor, session, "example")
        cwd = self.folder / project if project else self.folder
        return Vault(Home(self.root, cwd=cwd, environment=self.environment, actor=who))

    def make(self) -> None:
        self._add_rules()
        self._run_commands()
        for work in (*_earlier_work(), *sorted(STORIES, key=lambda work: (-work.days, work.hour))):
            self._work(work)
        with self.vault(END) as vault:
            for row in vault.sessions.sessions_to_learn():
                vault.learning.learn_from_session(row)
            vault.learn()
        self._suggest()
        self._add_workflow()
        self._guard("use pnpm, never npm")
        self._receive_facts()

    def _add_rules(self) -> None:
        for number, (project, text) in enumerate(RULES):
            with self.vault(END - timedelta(days=75 - number), project) as vault:
                vault.add(text, private=True)

    def _suggest(self) -> None:
        for number, (project, text, evidence, agent) in enumerate(SUGGESTED):
            at = END - timedelta(hours=30 - number)
            with self.vault(at, project, actor=f"agent:{agent}", session=f"s{number}") as vault:
                vault.decisions.suggest(text, evidence=evidence, reason="it will matter again")
        for number, text in enumerate(("tests run with pytest -n 4", "tests run with pytest -n 8")):
            with self.vault(END - timedelta(hours=20 - number), "api") as vault:
                vault.add(text, private=True)

    def _add_workflow(self) -> None:
        folder = str(self.folder / "api")
        steps = ("git pull", "alembic upgrade head", "pytest -q")
        with self.vault(END - timedelta(days=6), "api") as vault:
            vault.workflows.save_workflow("morning", steps, folder, ClaimId(""))
        for days, completed in ((5, True), (4, True), (1, False)):
            with self.vault(END - timedelta(days=days), "api") as vault:
                ran = tuple(StepRan(step, 0 if completed or step != steps[-1] else 1) for step in steps)
                vault.workflows.record_run(WorkflowRan("morning", ran, folder, completed=completed))

    def _guard(self, text: str) -> None:
        with self.vault(END - timedelta(days=3), "webshop") as vault:
            vault.guard.switch_on(vault.guard.plan(vault.queries.show(text, by_text=True).memory.id))

    def _receive_facts(self) -> None:
        """Two facts that a colleague shared in a repository."""
        colleague = Actor(lambda: END - timedelta(days=2), "user", "", "example")
        home = Home(self.folder / ".colleague", cwd=self.folder / "webshop", environment={}, actor=colleague)
        with Vault(home) as vault:
            for text in ("the checkout is deployed by the release workflow", "images are served from the CDN"):
                vault.share(vault.add(text, private=True).memory.id)

    def _run_commands(self) -> None:
        for day in range(80, -1, -1):
            start = END - timedelta(days=day, hours=8)
            if start.weekday() >= 5:
                continue
            for number, (project, commands) in enumerate(_COMMANDS[: 2 + day % 3]):
                at = start + timedelta(minutes=40 * number)
                session = f"zsh:{int(at.timestamp())}"
                directory = str(self.folder / project)
                with self.vault(at, project, session=session) as vault:
                    drafts = [
                        Draft(CommandRan(command, directory, 0, 900, "zsh"), Scope("global")) for command in commands
                    ]
                    vault.home.store.log.append(drafts, vault.home.store.actor.origin())

    def _work(self, work: Work) -> None:
        began = (END - timedelta(days=work.days)).replace(hour=work.hour, minute=3)
        name = name_of(work.title, work.days, work.hour)
        folder = self.folder / work.project
        self._inject(work, began - timedelta(seconds=1), name)
        writer = Claude(name, str(folder), began)
        for turn in work.turns:
            writer.turn(turn)
            writer.clock(240)
        writer.title("ai-title", work.title)
        file = place(self.folder, "claude", name)
        file.write_bytes(lines(writer.records))
        with self.vault(began + timedelta(hours=1), work.project) as vault:
            vault.transcripts.capture_transcripts([str(file)])

    def _inject(self, work: Work, at: datetime, session: str) -> None:
        with self.vault(at, work.project, actor="agent:claude", session=session) as vault:
            brief = vault.brief(task=work.turns[0].asked, observe=False)
            if not brief.ids:
                return
            body = BriefInjected(
                tuple(brief.ids),
                brief.tokens,
                work.turns[0].asked,
                "claude",
                "startup",
                tuple("standing rule" for _ in brief.ids),
            )
            vault.home.store.record(lambda connection: [Draft(body, vault.home.store.scope_in(connection))])


def _earlier_work() -> list[Work]:
    """Sessions of the months before, fewer the longer ago."""
    return [
        Work(
            days,
            8 + days % 9,
            _PROJECTS[days % 2],
            _TASKS[days % len(_TASKS)][0].capitalize(),
            tuple(
                _turn(f"{asked}, part {number}", command, file, f"Part {number} is done, and it works.")
                for number in range(1, 2 + days % 3)
            ),
        )
        for days in range(78, 2, -2)
        for asked, command, file in [_TASKS[days % len(_TASKS)]]
        if days % 7 < 5
    ]


def make_example_home(folder: Path) -> ExampleHome:
    """Make the home below this folder."""
    example = ExampleHome(folder)
    example.make()
    return example


if __name__ == "__main__":
    make_example_home(Path(sys.argv[1]).absolute())
