"""What the snippet of a shell costs at the prompt, and whether it leaves processes behind.

    python -m bench.prompt [--json]

Two terminals of each shell, one with the snippet and one without, run the same command in turn; what counts is the time
from Enter to the next prompt. The next command waits until the last was recorded, as it does for a person.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from harness.desk import Desk
from harness.person import Person
from harness.shell_terminal import Terminal

from bench.figures import Figure, against_target, amount, main_of, median, quantile

SHELLS = ("bash", "zsh", "fish")
COMMANDS, WARM_UP, SECONDS_AFTER = 200, 5, 10
_LINE = "true"


def measure(_folder: Path) -> Iterator[Figure]:
    left = 0
    for shell in SHELLS:
        with tempfile.TemporaryDirectory() as folder:
            desk = Desk(Person(Path(folder).resolve()), shell)
            yield _at_the_prompt(desk)
            time.sleep(SECONDS_AFTER)
            left += len(desk.orphans())
            desk.close()
    yield against_target(f"processes of ours {SECONDS_AFTER} s after the last command, all shells", left)


def _at_the_prompt(desk: Desk) -> Figure:
    with_it = desk.open()
    desk.write(hook="")
    without = desk.open()
    plain, added = [], []
    for _ in range(COMMANDS + WARM_UP):
        plain.append(_wait(without))
        added.append(_wait(with_it))
        while desk.orphans():
            time.sleep(0.002)
    plain, added = plain[WARM_UP:], added[WARM_UP:]
    difference = (median(added) - median(plain)) * 1000
    spread = f"p90 {amount((quantile(added, 0.9) - quantile(plain, 0.9)) * 1000)} ms"
    note = f"{amount(median(added) * 1000)} ms against {amount(median(plain) * 1000)} ms; {spread}"
    assert len(desk.captured()) == COMMANDS + WARM_UP
    with_it.run(_LINE)  # the last command, whose process must end as well
    return against_target(f"{desk.shell}: added from Enter to the next prompt, p50", difference, "ms", note)


def _wait(terminal: Terminal) -> float:
    """Seconds from Enter to the next prompt."""
    terminal.forget()
    terminal.press(_LINE)
    terminal.wait_until_shown(_LINE[-1])
    start = time.perf_counter()
    terminal.keys("\n")
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main_of("prompt", __doc__, measure))
