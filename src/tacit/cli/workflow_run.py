"""Running a workflow step by step in the person's own shell, with its terminal.

Nothing runs that was not shown before. If a step fails, the run ends, or the person decides how to go on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from tacit.cli.edit import edit_text
from tacit.cli.output import ask, ask_key, confirm, echo, echo_lines, warn
from tacit.errors import NotFoundError, RefusedError, TacitError
from tacit.model.observation import CommandRan, StepRan
from tacit.model.workflow import Workflow, checked_steps, is_directory_change, make_run_body
from tacit.record import Record
from tacit.text.display import printable
from tacit.vault import Vault

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn


_KEY_HELP = "  r retry · e edit this step and run it · s skip · q quit"
_KNOWN_SHELLS = ("bash", "zsh", "fish", "sh", "dash")
_CD_SCRIPT, _FISH_CD_SCRIPT = 'eval "$1" >/dev/null && pwd', "eval $argv[1] >/dev/null; and pwd"
_TERMINATION_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_KEY_SIGNALS = (signal.SIGINT, signal.SIGQUIT)  # signals of the terminal, which the step gets, too
_INTERRUPTED_STATUS = 128 + signal.SIGINT
_NOT_STARTED_STATUS = 127


class StepShell(Record):
    """The shell that runs the steps."""

    name: str
    path: str

    def command_line(self, text: str) -> list[str]:
        """Return the call that runs a step. It may begin with a dash, which only fish takes after -c."""
        return [self.path, "-c", text] if self.name == "fish" else [self.path, "-c", "--", text]

    def cd_command_line(self, text: str) -> list[str]:
        """Return the call that prints where a `cd` leads."""
        if self.name == "fish":
            return [self.path, "-c", _FISH_CD_SCRIPT, text]
        return [self.path, "-c", _CD_SCRIPT, self.name, text]


def user_shell() -> StepShell:
    """Return the person's shell if its `-c` is known, else /bin/sh."""
    path = os.environ.get("SHELL", "")
    name = os.path.basename(path)
    if name in _KNOWN_SHELLS and os.path.isabs(path) and os.access(path, os.X_OK):
        return StepShell("sh" if name == "dash" else name, path)
    return StepShell("sh", "/bin/sh")


def run_directory(workflow: Workflow) -> str:
    """Return the folder in which a workflow runs. Raise NotFoundError if it does not exist."""
    folder = os.path.expanduser(workflow.directory) if workflow.directory else os.getcwd()
    if not os.path.isdir(folder):
        hint = f"name another: tacit workflow edit {workflow.name}"
        raise NotFoundError(f"the folder of {workflow.name} is not there: {folder}", hint)
    return folder


def step_lines(steps: Sequence[str], first: int = 0) -> Iterator[str]:
    """Yield every step in full, for a person to agree to. Those that are left out are marked."""
    for number, step in enumerate(steps, 1):
        mark = "  (not this time)" if number <= first and not is_directory_change(step) else ""
        head, *rest = step.split("\n")
        yield f"  {number}. {printable(head)}{mark}"
        yield from (f"     {printable(line)}" for line in rest)


class WorkflowRunner:
    """One run of a workflow."""

    def __init__(
        self, vault: Vault, workflow: Workflow, first: int, shell: StepShell, directory: str, steps: Sequence[str] = ()
    ) -> None:
        """`first` is the step to begin with; `steps` are the steps with values for their placeholders."""
        self._vault = vault
        self._workflow = workflow
        self._first_step = first
        self._shell = shell
        self._start_directory = self._directory = directory
        self._steps = list(steps or workflow.steps)
        self._results: list[StepRan] = []
        self._edited_commands: list[CommandRan] = []

    def run(self) -> int:
        """Run and record the workflow. Return 0 if it was completed, else the status of the step that failed."""

        def end(number: int, _frame: FrameType | None) -> NoReturn:
            raise SystemExit(128 + number)

        try:
            with _handling(_TERMINATION_SIGNALS, end):  # the terminal is closed, or the process killed: it is recorded
                for step in self._steps[: self._first_step]:
                    if is_directory_change(step) and self._change_directory(step):
                        name = self._workflow.name
                        raise RefusedError(f"{name} goes to another folder first, and that failed: {step}")
                for at in range(self._first_step, len(self._steps)):
                    if not self._run_step(at):
                        break
        finally:
            if self._results:
                self._record()
        self._offer_to_save()
        name, count = self._workflow.name, len(self._workflow.steps)
        skipped = [f"{at}" for at, ran in enumerate(self._results, self._first_step + 1) if ran.status]
        reached, status = self._first_step + len(self._results), self._results[-1].status
        if reached == count and not status:
            left = f" Skipped: step {', '.join(skipped)}." if skipped else ""
            echo(f"✓ {name} is done.{left}")
        else:
            echo(f"{name} stopped at step {reached} of {count}. To go on: tacit workflow run {name} --from {reached}")
        return status

    def _run_step(self, at: int) -> bool:
        """Run a step until it succeeds or the person gives up. Return whether to go on."""
        self._attempt_step(at, self._steps[at])
        while status := self._results[-1].status:
            echo(f"✗ step {at + 1} ended with status {status}")
            answer = None
            while sys.stdin.isatty() and (answer := ask_key(_KEY_HELP)) not in (None, *"resq"):
                pass
            match answer:
                case "r":
                    self._attempt_step(at, self._results[-1].command)
                case "e":
                    try:
                        text = ask("  new text (empty: your editor) > ") or edit_text(self._results[-1].command)
                        (checked,) = checked_steps([text])
                    except (TacitError, EOFError) as error:
                        echo(f"  {printable(str(error) or 'nothing was typed')}")
                    else:
                        self._attempt_step(at, checked)
                case "s":
                    return True
                case _:
                    return False
        return True

    def _attempt_step(self, at: int, command: str) -> None:
        """Run a step and keep its result, which replaces that of an earlier attempt."""
        planned = self._steps[at]
        head, *rest = command.split("\n")
        echo(f"→ {at + 1}/{len(self._steps)}  {printable(head)}")
        echo_lines(f"       {printable(line)}" for line in rest)
        where, start, status = self._directory, time.monotonic(), _INTERRUPTED_STATUS
        try:
            status = self._change_directory(command) if is_directory_change(command) else self._run_and_wait(command)
        except OSError as error:  # the step before may have taken the folder away
            warn(f"tacit: {printable(str(error))}")
            status = _NOT_STARTED_STATUS
        finally:
            milliseconds = round((time.monotonic() - start) * 1000)
            self._results[at - self._first_step :] = [StepRan(command, status, milliseconds)]
        if command != planned:
            ran = CommandRan(command, where, status, milliseconds, self._shell.name, planned=planned)
            self._edited_commands.append(ran)

    def _run_and_wait(self, command: str) -> int:
        """Run a step with the terminal. Return its status: after Ctrl-C, which the step gets, it counts as failed."""
        sys.stdout.flush()
        sys.stderr.flush()
        interrupts: list[int] = []
        early: list[int] = []  # signals that come before the step was started: they end the run and the step
        caught = [number for number in _KEY_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        with _handling(caught, lambda number, _frame: interrupts.append(number)), _restore_terminal():
            with _handling(_TERMINATION_SIGNALS, lambda number, _frame: early.append(number)):
                call = self._shell.command_line(command)
                child = subprocess.Popen(call, cwd=self._directory, env=self._environment())
            try:
                for number in early:
                    signal.raise_signal(number)
                status = _exit_status(child.wait())
            except BaseException:
                child.terminate()
                raise
        return status or (_INTERRUPTED_STATUS if interrupts else 0)

    def _change_directory(self, command: str) -> int:
        """Run a step that is only a `cd`: it decides where the following ones run. Return its status."""
        call = self._shell.cd_command_line(command)
        done = subprocess.run(call, cwd=self._directory, env=self._environment(), stdout=subprocess.PIPE, check=False)
        if done.returncode == 0:
            self._directory = os.fsdecode(done.stdout.removesuffix(b"\n"))
        return _exit_status(done.returncode)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PWD": self._directory}

    def _record(self) -> None:
        ran = make_run_body(
            self._workflow.name,
            self._results,
            directory=self._start_directory,
            first=self._first_step,
            step_count=len(self._workflow.steps),
        )
        try:
            self._vault.workflows.record_run(ran, self._edited_commands)
        except (TacitError, OSError) as error:
            warn(f"tacit: the run could not be recorded: {printable(str(error))}")

    def _offer_to_save(self) -> None:
        steps = list(self._workflow.steps)
        for at, ran in enumerate(self._results, self._first_step):
            if ran.status == 0 and ran.command != self._steps[at] and confirm(f"Save step {at + 1} as you changed it?"):
                steps[at] = ran.command
        if tuple(steps) == self._workflow.steps:
            return
        try:
            name, directory = self._workflow.name, self._workflow.directory
            self._vault.workflows.change_workflow(self._workflow, name=name, steps=steps, directory=directory)
            echo(f"Saved. tacit workflow show {name}")
        except TacitError as error:
            warn(f"tacit: {printable(error.message)}\n  → {printable(error.hint)}")


def _exit_status(code: int) -> int:
    return 128 - code if code < 0 else code


@contextmanager
def _handling(numbers: Iterable[int], handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Handle these signals meanwhile."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def _restore_terminal() -> Iterator[None]:
    """Restore the attributes of the terminal: a step that was stopped may leave it in any state."""
    import termios

    try:
        attributes = termios.tcgetattr(0)
    except (termios.error, OSError):
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error, OSError):
            termios.tcsetattr(0, termios.TCSADRAIN, attributes)
