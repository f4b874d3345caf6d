"""Every test runs away from the person who runs it: another home folder, and none of their settings."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from harness.person import Person
from hypothesis import is_hypothesis_test, settings

from tacit.home.actor import AGENT_VARIABLES, detect_agent
from tacit.install import InstallContext

if TYPE_CHECKING:
    from harness.postgres import Cluster

    from tests.support.postgres import TeamServer

_MEMORY, _ROOM = "/dev/shm", 4 << 30  # bytes that have to be free there
_FEWEST_EXAMPLES = 10
_ended: list[int] = []  # where the exit code is written, in a run that was detached


def _work_in_memory() -> None:
    """Temporary files lie in memory where that is possible, unless TMPDIR says where. Three quarters of the time of a
    command that records something is waiting for the disk, and nobody needs these files after a power cut. Tests that
    are about a disk take `disk_path`."""
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK):
        return
    programs_run = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
    if programs_run and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ["TMPDIR"] = _MEMORY
        tempfile.tempdir = None  # it is asked for anew


_work_in_memory()
settings.register_profile("tacit", deadline=None)  # how long something takes is measured in bench/, never in a test
settings.load_profile("tacit")


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "how many times the examples of a property are tried that it asks for, but not fewer than ten"
    parser.addoption("--examples", type=float, default=1.0, metavar="TIMES", help=told)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Properties are tried with so many examples, other ones each time. Stories of state machines stay as they are."""
    times, changed = config.getoption("--examples"), set()
    for item in items:
        law = getattr(item, "obj", None)
        asked = getattr(law, "_hypothesis_internal_use_settings", None)
        if times != 1 and is_hypothesis_test(law) and asked is not None and law not in changed:
            changed.add(law)
            most = min(asked.max_examples, _FEWEST_EXAMPLES) if times < 1 else 0
            vars(law)["_hypothesis_internal_use_settings"] = settings(
                asked, max_examples=max(most, round(asked.max_examples * times))
            )


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """The tests play a person, so a run that an agent started goes on in a process that nothing leads to it from."""
    if hasattr(config, "workerinput") or detect_agent({}) is None:
        return None
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        return _exit_code(reading)
    os.setsid()
    if os.fork():
        os._exit(0)
    os.close(reading)
    os.write(writing, b"%d\n" % os.getpid())
    _ended.append(writing)
    return None


def pytest_sessionfinish(exitstatus: int) -> None:
    for writing in _ended:
        os.write(writing, b"%d\n" % exitstatus)


def _exit_code(reading: int) -> int:
    """Wait for the detached run, which is interrupted when this is."""
    with open(reading, "rb") as told:
        pid = int(told.readline())
        try:
            return int(told.readline() or pytest.ExitCode.INTERNAL_ERROR)
        except KeyboardInterrupt:
            os.kill(pid, signal.SIGINT)
            return int(told.readline() or pytest.ExitCode.INTERRUPTED)


def pytest_collection_finish() -> None:
    """What was collected stays until the end: neither a collection of garbage nor a fork has to go through it."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def place(tmp_path: Path) -> InstallContext:
    """An installation that does not exist, in an empty user folder."""
    return InstallContext(
        environment={"HOME": str(tmp_path)},
        program=("/opt/tacit/bin/tacit",),
        interpreter="/opt/tacit/bin/python",
        home=str(tmp_path / ".agents"),
    )


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with an empty folder of their own and no home of Tacit yet."""
    folder = tmp_path / "person"
    folder.mkdir()
    return Person(folder)


@pytest.fixture
def disk_path() -> Iterator[Path]:
    """As `tmp_path`, on a disk."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server, one for each process of a run."""
    from harness.postgres import Cluster

    cluster = Cluster()
    try:
        yield cluster
    finally:
        cluster.remove()


@pytest.fixture
def team_server(postgres: Cluster) -> TeamServer:
    """A fresh database with the team's schema."""
    from tests.support.postgres import TeamServer

    return TeamServer(postgres)


@pytest.fixture(scope="session", autouse=True)
def _nobodys_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test that forgets to name a home must not write into a real one."""
    with pytest.MonkeyPatch.context() as patch:
        agents = {sign.variable for sign in AGENT_VARIABLES}
        for name in [name for name in os.environ if name.startswith("TACIT_") or name in agents]:
            patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("nobody")))
        yield
