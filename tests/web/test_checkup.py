"""The checks run beside whoever asks for them, one at a time, and end when somebody says so."""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Callable
from datetime import datetime

from harness.person import Person

from tacit.errors import StoreError
from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.web.checkup import Checkup


def opener(person: Person) -> Callable[[], Home]:
    actor = Actor(lambda: datetime.fromisoformat(person.now))
    return lambda: Home(str(person.home), cwd=str(person.folder), actor=actor)


def wait(checkup: Checkup) -> None:
    deadline = time.monotonic() + 30
    while checkup.is_running:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_checks_report_how_far_they_are_and_what_they_found(person: Person) -> None:
    person.tacit("add", "I prefer pnpm")
    with person.events.open("ab") as file:
        file.write(b"no line of ours\n")
    with person.at():
        checkup = Checkup(opener(person))
        assert checkup.state.findings is None and not checkup.is_running
        with (person.home / ".tacit" / "capturing.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # one of the checks waits two seconds for it
            checkup.start()
            while not (state := checkup.state).what.startswith("The locks"):
                assert checkup.is_running
            assert 0 < state.at < state.of and state.findings is None
        wait(checkup)
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
