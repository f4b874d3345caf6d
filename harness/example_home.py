"""An example home: three projects, some months of sessions and commands, memories, candidates, a conflict, a guard,
a workflow, and facts that a repository brought.

    python -m harness.example_home FOLDER

Pages are tried and pictured on it. It is made up, and the same every time but for the ids of events.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.transcripts import Claude, Turn, lines, name_of, place
from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.model.claim import GLOBAL
from tacit.model.event import Draft
from tacit.model.ids import ClaimId
from tacit.model.observation import BriefInjected, CommandRan, StepRan, WorkflowRan
from tacit.vault import Vault

END = datetime(2026, 11, 16, 17, 30, tzinfo=UTC)
_PROJECTS = ("webshop", "api", "dotfiles")
Step = tuple[datetime, Callable[[], None]]


class Work(NamedTuple):
    """A session: how many days before the end, at which hour, in which project, its title and turns."""

    days: int
    hour: int
    project: str
    title: str
    turns: Sequence[Turn]


def _works(text: str) -> Iterator[Work]:
    """Sessions of a text: their head, and of each turn what was asked, run with its result, changed and replied."""
    for part in text.strip().split("\n\n"):
        head, *rows = part.split("\n")
        days, hour, project, title = head.split(" ", 3)
        turns = []
        for asked, run, changed, reply in zip(*[iter(rows)] * 4, strict=True):
            command, _, result = run.removeprefix("$ ").partition(" → ")
            turns.append(Turn(asked, command, result or "ok", changed.removeprefix("± "), reply, put=""))
        yield Work(int(days), int(hour), project, title, turns)


STORIES = tuple(
    _works("""
2 9 webshop Checkout rounds prices wrongly
the total in checkout is off by one cent for three items, please fix it
$ pnpm test checkout → 1 failed, 41 passed
± src/checkout/total.ts
The total was summed as floats. I sum integer cents now, and the test passes.
from now on always keep prices in integer cents, never in floats
$ pnpm test → 42 passed
± src/price.ts
All prices are integer cents now, and 42 tests pass.
don't run npm here, we use pnpm. add a test for the discount
$ pnpm add -D vitest
± test/discount.test.ts
The discount has a test, and it passes.

1 14 api Rate limit of the login endpoint
add a rate limit to /login, five tries a minute
$ pytest tests/test_login.py → 12 passed
± api/login.py
The endpoint answers 429 after five tries a minute, and the tests pass.
never log request bodies, they contain passwords
$ pytest → 96 passed
± api/logging.py
Bodies are no longer logged. All 96 tests pass.

1 16 webshop Upgrade of the design tokens
upgrade the tokens package and fix what breaks
$ pnpm up @shop/tokens
± src/theme.css
Two colours were renamed. The pages look as before.
run the visual tests before you commit, always
$ pnpm test:visual
± src/theme.css
The visual tests pass, and the change is committed.

0 10 dotfiles A prompt that shows the branch
show the git branch in my zsh prompt
$ zsh -n .zshrc
± .zshrc
The prompt shows the branch now.
I prefer starship, remove what you wrote and use it
$ starship init zsh
± .zshrc
starship draws the prompt now.

0 11 api Migrations fail on an empty database
migrations fail on an empty database
$ alembic upgrade head → relation users does not exist
± migrations/0007_users.py
Migration 7 expected a row. It creates the row now.
we decided to use PostgreSQL 16 everywhere, also in CI
$ alembic upgrade head
± ci.yml
CI runs PostgreSQL 16 now.
""")
)
_TASKS = (
    ("add the image library", "npm install sharp", "package.json"),
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
OPPOSED = (("api", "tests run with pytest -n 4"), ("api", "tests run with pytest -n 8"))
_COMMANDS = (
    ("webshop", ("git pull", "pnpm install", "pnpm dev")),
    ("api", ("git pull", "alembic upgrade head", "pytest -q")),
    ("webshop", ("git status", "git push")),
    ("dotfiles", ("git status", "make link")),
)

_WORKFLOW = ("git pull", "alembic upgrade head", "pytest -q")


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
        """Do everything in the order of time: ids of events only grow."""
        kinds = (self._rule_steps, self._command_steps, self._work_steps, self._suggestion_steps, self._workflow_steps)
        for _, step in sorted((step for steps in kinds for step in steps()), key=lambda pair: pair[0]):
            step()
        with self.vault(END) as vault:
            vault.suggestions.learn()
        self._guard("use pnpm, never npm")
        self._receive_facts()

    def _rule_steps(self) -> Iterator[Step]:
        for number, (project, text) in enumerate((*RULES, *OPPOSED)):
            days = 2 if (project, text) in OPPOSED else 85
            at = END - timedelta(days=days) + timedelta(minutes=number)
            yield at, partial(self._add, at, project, text)

    def _suggestion_steps(self) -> Iterator[Step]:
        for number, suggestion in enumerate(SUGGESTED):
            at = END - timedelta(hours=30 - number)
            yield at, partial(self._suggest, at, f"s{number}", *suggestion)

    def _workflow_steps(self) -> Iterator[Step]:
        at = END - timedelta(days=6)
        yield at, partial(self._save_workflow, at)
        for days, status in ((5, 0), (4, 0), (1, 1)):
            at = END - timedelta(days=days)
            yield at, partial(self._run_workflow, at, status)

    def _save_workflow(self, at: datetime) -> None:
        with self.vault(at, "api") as vault:
            vault.workflows.save_workflow("morning", _WORKFLOW, str(self.folder / "api"), ClaimId(""))

    def _run_workflow(self, at: datetime, status: int) -> None:
        ran = [StepRan(step, 0, 1200) for step in _WORKFLOW[:-1]] + [StepRan(_WORKFLOW[-1], status, 21_000)]
        with self.vault(at, "api") as vault:
            folder = str(self.folder / "api")
            vault.workflows.record_run(WorkflowRan("morning", tuple(ran), folder, completed=not status))

    def _guard(self, text: str) -> None:
        with self.vault(END - timedelta(days=3), "webshop") as vault:
            vault.guard.switch_on(vault.guard.plan(vault.search.show(text, by_text=True).memory.id))

    def _receive_facts(self) -> None:
        """Two facts that a colleague shared in a repository."""
        colleague = Actor(lambda: END - timedelta(days=2), "user", "", "example")
        home = Home(self.folder / ".colleague", cwd=self.folder / "webshop", environment={}, actor=colleague)
        with Vault(home) as vault:
            for text in ("the checkout is deployed by the release workflow", "images are served from the CDN"):
                vault.memories.share(vault.memories.add(text, private=True).memory.id)

    def _command_steps(self) -> Iterator[Step]:
        for day in range(80, -1, -1):
            start = END - timedelta(days=day, hours=8)
            if start.weekday() < 5:
                for number, (project, commands) in enumerate(_COMMANDS[: 2 + day % 3]):
                    at = start + timedelta(minutes=40 * number)
                    yield at, partial(self._run, at, project, commands)

    def _work_steps(self) -> Iterator[Step]:
        for work in (*_earlier_work(), *STORIES):
            began = (END - timedelta(days=work.days)).replace(hour=work.hour, minute=3)
            yield began, partial(self._work, work, began)

    def _add(self, at: datetime, project: str, text: str) -> None:
        with self.vault(at, project) as vault:
            vault.memories.add(text, private=True)

    def _suggest(self, at: datetime, session: str, project: str, text: str, evidence: str, agent: str) -> None:
        with self.vault(at, project, actor=f"agent:{agent}", session=session) as vault:
            vault.memories.suggest(text, evidence=evidence, reason="it will matter again")

    def _run(self, at: datetime, project: str, commands: Sequence[str]) -> None:
        directory = str(self.folder / project)
        drafts = [Draft(CommandRan(command, directory, 0, 900, "zsh"), GLOBAL) for command in commands]
        with self.vault(at, project, session=f"zsh:{int(at.timestamp())}") as vault:
            vault.home.store.log.append(drafts, vault.home.store.actor.origin())

    def _work(self, work: Work, began: datetime) -> None:
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
            vault.learning.learn_from_session(vault.sessions.session(name)[0].row)

    def _inject(self, work: Work, at: datetime, session: str) -> None:
        with self.vault(at, work.project, actor="agent:claude", session=session) as vault:
            brief = vault.search.brief(task=work.turns[0].asked, observe=False)
            if not brief.ids:
                return
            asked, reasons = work.turns[0].asked, ("standing rule",) * len(brief.ids)
            body = BriefInjected(tuple(brief.ids), brief.tokens, asked, "claude", "startup", reasons)
            with vault.home.store.change() as change:
                change.record([Draft(body, vault.home.store.scope_in(change.connection))])


def _earlier_work() -> list[Work]:
    """Sessions of the months before, fewer the longer ago."""
    works = []
    for days in range(78, 2, -2):
        asked, command, file = _TASKS[days % len(_TASKS)]
        parts = range(1, 2 + days % 3)
        told = [(f"{asked}, part {part}", f"Part {part} is done, and it works.") for part in parts]
        turns = [Turn(text, command, "ok", file, reply, put="") for text, reply in told]
        if days % 7 < 5:
            works.append(Work(days, 8 + days % 9, _PROJECTS[days % 2], asked.capitalize(), turns))
    return works


def make_example_home(folder: Path) -> ExampleHome:
    """Make the home below this folder."""
    example = ExampleHome(folder)
    example.make()
    return example


if __name__ == "__main__":
    make_example_home(Path(sys.argv[1]).absolute())
