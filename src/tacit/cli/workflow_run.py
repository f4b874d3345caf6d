"""Running a workflow: step by step in the person's own shell, with the terminal handed through.

Nothing runs that was not shown before. A step that fails ends the run, or the person says how to go on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from tacit.cli.edit import in_editor
from tacit.cli.output import say, warn
from tacit.cli.terminal import agreed, ask
from tacit.errors import NotFound, Refused, TacitError
from tacit.model.observation import CommandRan, StepRan
from tacit.model.workflow import Workflow, changes_directory, checked_steps, outcome
from tacit.record import Record
from tacit.text.display import show
from tacit.vault.vault import Vault

_KEYS = "r retry · e edit this step and run it · s skip · q quit"
_SHELLS = ("bash", "zsh", "fish", "sh", "dash")
_CHANGE, _CHANGE_IN_FISH = 'eval "$1" >/dev/null && pwd', "eval $argv[1] >/dev/null; and pwd"
_ENDING = (signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED = 128 + signal.SIGINT
_NOT_STARTED = 127


class Shell(Record):
    """The shell that runs the steps."""

    name: str
    path: str

    def call(self, text: str) -> list[str]:
        """A step may begin with a dash; fish takes what follows -c as it stands."""
        return [self.path, "-c", text] if self.name == "fish" else [self.path, "-c", "--", text]

    def changing_directory(self, text: str) -> list[str]:
        """The call that tells where a `cd` leads."""
        if self.name == "fish":
            return [self.path, "-c", _CHANGE_IN_FISH, text]
        return [self.path, "-c", _CHANGE, self.name, text]


def own_shell() -> Shell:
    """The person's, where it is one whose `-c` we know; else the system's."""
    path = os.environ.get("SHELL", "")
    name = os.path.basename(path)
    if name in _SHELLS and os.path.isabs(path) and os.access(path, os.X_OK):
        return Shell("sh" if name == "dash" else name, path)
    return Shell("sh", "/bin/sh")


def place_of(workflow: Workflow) -> str:
    """The folder in which it runs."""
    folder = os.path.expanduser(workflow.directory) if workflow.directory else os.getcwd()
    if not os.path.isdir(folder):
        raise NotFound(
            f"the folder of {workflow.name} is not there: {folder}",
            f"name another: tacit workflow edit {workflow.name}",
        )
    return folder


def step_lines(steps: Sequence[str], first: int = 0) -> Iterator[str]:
    """Every step, whole: what a person agrees to. Those that are left out are marked."""
    for number, step in enumerate(steps, 1):
        mark = "  (not this time)" if number <= first and not changes_directory(step) else ""
        head, *rest = step.split("\n")
        yield f"  {number}. {show(head)}{mark}"
        yield from (f"     {show(line)}" for line in rest)


class Stepping:
    """One run of a workflow."""

    def __init__(
        self, vault: Vault, workflow: Workflow, first: int, shell: Shell, directory: str, steps: Sequence[str] = ()
    ) -> None:
        """`steps` are those of the workflow with values for their placeholders."""
        self._vault = vault
        self._workflow = workflow
        self._first = first
        self._shell = shell
        self._begins = self._directory = directory
        self._steps = list(steps or workflow.steps)
        self._ran: list[StepRan] = []
        self._edited: list[CommandRan] = []

    def run(self) -> int:
        """Run and record it; the exit code is 0 when it was completed, else the status of the step that failed."""
        try:
            with _ended_by_signals():
                self._all()
        finally:
            if self._ran:
                self._record()
        self._offer_to_save()
        return self._told()

    def _all(self) -> None:
        for step in self._steps[: self._first]:
            if changes_directory(step) and self._change(step):
                raise Refused(f"{self._workflow.name} goes to another folder first, and that failed: {step}")
        for at in range(self._first, len(self._steps)):
            if not self._one(at):
                return

    def _one(self, at: int) -> bool:
        """Run a step until it goes well or the person has enough; says whether to go on."""
        self._attempt(at, self._steps[at])
        while self._ran[-1].status:
            say(f"✗ step {at + 1} ended with status {self._ran[-1].status}")
            answer = _asked() if sys.stdin.isatty() else "q"
            match answer:
                case "r":
                    self._attempt(at, self._ran[-1].command)
                case "e":
                    self._edit(at)
                case "s":
                    return True
                case _:
                    return False
        return True

    def _edit(self, at: int) -> None:
        try:
            text = ask("  new text (empty: your editor) > ") or in_editor(self._ran[-1].command)
            (checked,) = checked_steps([text])
        except (TacitError, EOFError) as error:
            say(f"  {show(str(error) or 'nothing was typed')}")
            return
        self._attempt(at, checked)

    def _attempt(self, at: int, command: str) -> None:
        """Each step is recorded once, as it ended last."""
        planned = self._steps[at]
        for line in _announced(at, len(self._steps), command):
            say(line)
        where, begins, status = self._directory, time.monotonic(), _INTERRUPTED
        try:
            status = self._change(command) if changes_directory(command) else self._call(command)
        except OSError as error:  # the step before may have taken the folder away
            warn(f"tacit: {show(str(error))}")
            status = _NOT_STARTED
        finally:
            took = round((time.monotonic() - begins) * 1000)
            self._ran[at - self._first :] = [StepRan(command, status, took)]
        if command != planned:
            self._edited.append(CommandRan(command, where, status, took, self._shell.name, planned=planned))

    def _call(self, command: str) -> int:
        call = self._shell.call(command)
        return _waited(lambda: subprocess.Popen(call, cwd=self._directory, env=self._environment()))

    def _change(self, command: str) -> int:
        """A step that is only a `cd` says where the following ones run."""
        call = self._shell.changing_directory(command)
        done = subprocess.run(call, cwd=self._directory, env=self._environment(), stdout=subprocess.PIPE, check=False)
        if done.returncode == 0:
            self._directory = os.fsdecode(done.stdout.removesuffix(b"\n"))
        return _as_status(done.returncode)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PWD": self._directory}

    # Afterwards

    def _record(self) -> None:
        ran = outcome(
            self._workflow.name, self._ran, directory=self._begins, first=self._first, of=len(self._workflow.steps)
        )
        try:
            self._vault.workflows.record_run(ran, self._edited)
        except (TacitError, OSError) as error:
            warn(f"tacit: the run could not be recorded: {show(str(error))}")

    def _offer_to_save(self) -> None:
        """What was changed and went well may become the step."""
        steps = list(self._workflow.steps)
        for at, ran in enumerate(self._ran, self._first):
            if ran.status == 0 and ran.command != self._steps[at] and agreed(f"Save step {at + 1} as you changed it?"):
                steps[at] = ran.command
        if tuple(steps) == self._workflow.steps:
            return
        try:
            name, directory = self._workflow.name, self._workflow.directory
            self._vault.workflows.change_workflow(self._workflow, name=name, steps=steps, directory=directory)
            say(f"Saved. tacit workflow show {name}")
        except TacitError as error:
            warn(f"tacit: {show(error.message)}\n  → {show(error.hint)}")

    def _told(self) -> int:
        name, count = self._workflow.name, len(self._workflow.steps)
        skipped = [f"{at}" for at, ran in enumerate(self._ran, self._first + 1) if ran.status]
        reached = self._first + len(self._ran)
        if reached == count and not self._ran[-1].status:
            left = f" Skipped: step {', '.join(skipped)}." if skipped else ""
            say(f"✓ {name} is done.{left}")
            return 0
        say(f"{name} stopped at step {reached} of {count}. To go on: tacit workflow run {name} --from {reached}")
        return self._ran[-1].status


def _asked() -> str:
    while True:
        try:
            answer = ask(f"  {_KEYS} > ").strip().lower()[:1]
        except EOFError:
            return "q"
        if answer in tuple("resq"):
            return answer


def _announced(at: int, count: int, command: str) -> Iterator[str]:
    head, *rest = command.split("\n")
    yield f"→ {at + 1}/{count}  {show(head)}"
    yield from (f"       {show(line)}" for line in rest)


def _waited(start: Callable[[], subprocess.Popen[bytes]]) -> int:
    """The status of a step that has the terminal. Ctrl-C is the step's; whatever it answers, the step then failed."""
    sys.stdout.flush()
    sys.stderr.flush()
    with _interrupts_noted() as noted, _terminal_as_it_was():
        child, came = _started(start)
        try:
            for number in came:
                signal.raise_signal(number)
            status = _as_status(child.wait())
        except BaseException:
            child.terminate()
            raise
    return status or (_INTERRUPTED if noted else 0)


def _started(start: Callable[[], subprocess.Popen[bytes]]) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A step, and the signals that came before it was known: they end the run, and the step with it."""
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _frame: came.append(number)) for number in _ENDING}
    try:
        return start(), came
    finally:
        for number, done in before.items():
            signal.signal(number, done)


def _as_status(code: int) -> int:
    return 128 - code if code < 0 else code


@contextmanager
def _interrupts_noted() -> Iterator[list[int]]:
    """The step has them too, from the terminal; and starts with what a program is used to."""
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGQUIT)}
    caught = [number for number, done in before.items() if done is not signal.SIG_IGN]
    for number in caught:
        signal.signal(number, note)
    try:
        yield noted
    finally:
        for number in caught:
            signal.signal(number, before[number])


@contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """A step that was stopped may leave it in any state."""
    import termios

    try:
        before = termios.tcgetattr(0)
    except (termios.error, OSError):
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error, OSError):
            termios.tcsetattr(0, termios.TCSADRAIN, before)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A closed terminal or a `kill` ends the run, and it is recorded."""

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in _ENDING}
    try:
        yield
    finally:
        for number, done in before.items():
            signal.signal(number, done)
