"""The checks run beside whoever asks for them, one at a time, and end when somebody says so."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime

from harness.person import Person

from tacit.errors import StoreError
from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.web.checkup import Checkup, CheckState


def opener(person: Person) -> Callable[[], Home]:
    actor = Actor(lambda: datetime.fromisoformat(person.now))
    return lambda: Home(str(person.home), cwd=str(person.folder), actor=actor)


def wait(checkup: Checkup) -> None:
    deadline = time.monotonic() + 30
    while checkup.is_running:
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Watched(Checkup):
    """Keeps every state, however soon the next one comes."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, CheckState):
            self.__dict__.setdefault("states", []).append(value)
        super().__setattr__(name, value)

    @property
    def seen(self) -> list[CheckState]:
        states: list[CheckState] = self.__dict__["states"]
        return states


def test_checks_report_how_far_they_are_and_what_they_found(person: Person) -> None:
    person.tacit("add", "I prefer pnpm")
    with person.events.open("ab") as file:
        file.write(b"no line of ours\n")
    with person.at():
        checkup = Watched(opener(person))
        assert checkup.state.findings is None and not checkup.is_running
        checkup.start()
        wait(checkup)
        assert any(state.of > 10 and state.what.startswith("Every line of the log") for state in checkup.seen)
        assert checkup.state.findings is not None and checkup.state.findings[0].serious
        assert checkup.state.done_at == datetime.fromisoformat(person.now)


def test_checks_that_are_stopped_found_nothing_and_can_be_begun_again(person: Person) -> None:
    person.tacit("add", "I prefer pnpm")
    may_open = threading.Event()

    def open_later() -> Home:
        may_open.wait(20)
        return opener(person)()

    with person.at():
        checkup = Checkup(open_later)
        checkup.start()
        checkup.start()  # they run already
        assert sum(thread.name == "tacit-checks" for thread in threading.enumerate()) == 1
        checkup.stop()
        may_open.set()
        wait(checkup)
        assert checkup.state.findings is None
        checkup.start()
        wait(checkup)
        assert checkup.state.findings is not None


def test_a_home_that_cannot_be_opened_is_told(person: Person) -> None:
    def fail() -> Home:
        raise StoreError("the settings cannot be read", "")

    checkup = Checkup(fail)
    checkup.start()
    wait(checkup)
    assert (checkup.state.error, checkup.state.findings) == ("the settings cannot be read", None)
