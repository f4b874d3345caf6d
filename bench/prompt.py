"""What the snippet costs: at the prompt, in the background, and afterwards.

Two terminals of each shell, one with the snippet and one without, run the same command in turn; what counts is the time
from Enter to the next prompt. The next command waits until the last was recorded, as it does for a person. CPU is that
of the recorder as the snippet starts it, against a bare interpreter, in turn in the same run.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from harness.desk import Desk
from harness.person import Person
from harness.shell_terminal import Terminal

from bench.figures import Figure, amount, at_most, median, quantile, show
from tacit.shell.install import recorder_argv

SHELLS = ("bash", "zsh", "fish")
COMMANDS, ROUNDS, WARM_UP = 200, 61, 5
PROMPT_TARGET, CPU_TARGET, SECONDS_AFTER = 5, 5, 10
_LINE = "true"
_BARE = (sys.executable, "-c", "pass")


def measure(_folder: Path) -> Iterator[Figure]:
    for shell in SHELLS:
        with tempfile.TemporaryDirectory() as folder:
            yield from _at_the_prompt(Desk(Person(Path(folder).resolve()), shell))
    with tempfile.TemporaryDirectory() as folder:
        yield _in_the_background(Person(Path(folder).resolve()))


def _at_the_prompt(desk: Desk) -> Iterator[Figure]:
    with_it = desk.open()
    desk.write(hook="")
    without = desk.open()
    plain, added = [], []
    for _ in range(COMMANDS + WARM_UP):
        plain.append(_wait(without))
        added.append(_wait(with_it))
        _settle(desk)
    plain, added = plain[WARM_UP:], added[WARM_UP:]
    difference = (median(added) - median(plain)) * 1000
    spread = f"p90 {amount((quantile(added, 0.9) - quantile(plain, 0.9)) * 1000)} ms"
    note = f"{amount(median(added) * 1000)} ms against {amount(median(plain) * 1000)} ms; {spread}"
    yield at_most(f"{desk.shell}: added from Enter to the next prompt, p50", difference, PROMPT_TARGET, " ms", note)
    assert len(desk.captured()) == COMMANDS + WARM_UP
    yield from _afterwards(desk, with_it)


def _afterwards(desk: Desk, terminal: Terminal) -> Iterator[Figure]:
    terminal.run(_LINE)
    time.sleep(SECONDS_AFTER)
    left = len(desk.orphans())
    yield at_most(f"{desk.shell}: processes of ours {SECONDS_AFTER} s after the last command", left, 0, "")
    desk.close()


def _wait(terminal: Terminal) -> float:
    """Seconds from Enter to the next prompt."""
    terminal.forget()
    terminal.press(_LINE)
    terminal.wait_until_shown(_LINE[-1])
    start = time.perf_counter()
    terminal.keys("\n")
    return time.perf_counter() - start


def _settle(desk: Desk) -> None:
    while desk.orphans():
        time.sleep(0.002)


def _in_the_background(person: Person) -> Figure:
    bare, ours = [], []
    for number in range(ROUNDS + WARM_UP):
        bare.append(_cpu(_BARE, person, b""))
        ours.append(_cpu(tuple(recorder_argv()), person, _record(person, number)))
    base, value = median(bare[WARM_UP:]), median(ours[WARM_UP:])
    note = f"{value * 1000:.0f} ms against {base * 1000:.0f} ms"
    assert sum(1 for path in person.home.glob("activity/*") for _ in path.open()) == ROUNDS + WARM_UP
    return at_most(
        "CPU of the recorder per command, against bare `python -c pass`", value / base, CPU_TARGET, " ×", note
    )


def _record(person: Person, number: int) -> bytes:
    start = int(time.time() * 1_000_000)
    line = f"git commit -m 'message {number}' -- src/tacit"
    fields = ("tacit1", "zsh", "1.2.3", "0", str(start), "15", str(person.folder), line, line, "")
    return b"".join(field.encode() + b"\0" for field in fields)


def _cpu(command: tuple[str, ...], person: Person, record: bytes) -> float:
    """Seconds of CPU that a command took, with this on its input."""
    ours, theirs = os.pipe()
    os.write(theirs, record)
    os.close(theirs)
    child = os.posix_spawn(command[0], command, person.environment(), file_actions=[(os.POSIX_SPAWN_DUP2, ours, 0)])
    os.close(ours)
    _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    show("What the snippet of a shell costs.", measure)
