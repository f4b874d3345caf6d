"""Commands as processes that are forked instead of started, and what they leave behind to follow what they recorded.

Starting Python and importing Tacit takes longer than most commands do, and a process with thousands of tests is large
and takes long to fork. So a small process is started once, which has imported what commands need, and forks them. Who
waits for pages waits for the followers that they left.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tacit
from tacit import __main__ as program
from tacit.home.follower import wait_for_threads

# One end of a pipe for each command. The other end is open as long as a process lives that the command left.
_ends: list[int] = []
_MAX_REQUEST_BYTES = 1 << 20
_MAX_DESCRIPTORS, _MAX_CODE_BYTES = 4, 16
_PATIENCE = 120.0
SYSTEM_VARIABLES = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "TMPDIR", "LD_LIBRARY_PATH")
# What few commands need is left to them: forking takes longer the more there is.
_RARE = ("__main__", "surfaces", "hooks.agent", "hooks.record", "web", "team", "remotes", "learn.judge")
# What Python reads when it starts, and what makes a command another one if it is not.
_READ_AT_THE_START = ("PYTHON", "LC_", "LANG", "LD_", "TZ")


class Ended(NamedTuple):
    """How a process ended; a negative code is a signal."""

    code: int
    out: str
    err: str


@contextlib.contextmanager
def watched() -> Iterator[int]:
    """A descriptor for every process that is started meanwhile. A fork inherits it, a new program needs `pass_fds`."""
    ours, theirs = os.pipe()
    try:
        yield theirs
    finally:
        os.close(theirs)
        _ends.append(ours)
        wait_for_followers(0)


def can_be_forked(environment: Mapping[str, str]) -> bool:
    """Whether a command with these variables is the same when Python does not start anew for it."""
    return _read_at_the_start(environment) == _read_at_the_start(_environment())


def _read_at_the_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in environment.items() if name.startswith(_READ_AT_THE_START)}


def run_forked(words: Sequence[str], cwd: Path, environment: Mapping[str, str], memory: int = 0) -> Ended:
    """Run a command in a process of its own, as `python -m tacit` does, without input.

    `memory` is how many bytes of address space it may have, if that is limited.
    """
    ended, theirs = os.pipe()
    said = [os.memfd_create(name) for name in ("out", "err")]
    place = {"cwd": str(cwd), "environment": dict(environment), "umask": _umask()}
    asked = json.dumps({**place, "words": list(words), "memory": memory}).encode()
    with watched() as watching:
        socket.send_fds(_forking(), [asked], [watching, theirs, *said])
    os.close(theirs)
    is_told, _, _ = select.select([ended], [], [], _PATIENCE)
    if not is_told:
        raise subprocess.TimeoutExpired(list(words), _PATIENCE)
    code = int(os.read(ended, _MAX_CODE_BYTES))
    os.close(ended)
    return Ended(code, *map(_content, said))


def wait_for_followers(seconds: float) -> None:
    """Wait until no process is left of those that were watched."""
    until = time.monotonic() + seconds
    for end in [*_ends]:
        poll = select.poll()
        poll.register(end, select.POLLIN)
        if poll.poll(max(until - time.monotonic(), 0) * 1000):
            os.close(end)
            _ends.remove(end)


def is_anybody_told_of(home: Path) -> bool:
    """Whether a program runs that was started with this home in its environment, such as a hook."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            if f"TACIT_HOME={home}\0".encode() in (process / "environ").read_bytes():
                return True
    return False


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _content(file: int) -> str:
    with open(file, encoding="utf-8") as stream:
        stream.seek(0)
        return stream.read()


# The process that forks


def _environment() -> dict[str, str]:
    """What the process that forks is started with."""
    return {**{name: os.environ[name] for name in SYSTEM_VARIABLES if name in os.environ}, "LC_ALL": "C.UTF-8"}


@cache
def _forking() -> socket.socket:
    """A connection to the process that forks."""
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "harness.followers", str(theirs.fileno())]
    subprocess.Popen(
        command,
        pass_fds=[theirs.fileno()],
        cwd=Path(__file__).parents[1],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    theirs.close()
    return ours


def _serve(connection: socket.socket) -> None:
    """Fork a command for each request, and write down how it ended."""
    _warm_up()
    running: dict[int, tuple[int, int]] = {}  # by what tells of its end: a process, and where its code is written
    while True:
        for ready in select.select([connection.fileno(), *running], [], [])[0]:
            if ready in running:
                _reap(ready, *running.pop(ready))
                continue
            text, descriptors, *_ = socket.recv_fds(connection, _MAX_REQUEST_BYTES, _MAX_DESCRIPTORS)
            if not text:
                return
            if not (pid := os.fork()):
                connection.close()
                _become(descriptors, **json.loads(text))
            watching, asking, *streams = descriptors
            running[os.pidfd_open(pid)] = (pid, asking)
            for descriptor in (watching, *streams):
                os.close(descriptor)


def _reap(ready: int, pid: int, asking: int) -> None:
    os.close(ready)
    _, status = os.waitpid(pid, 0)
    os.write(asking, b"%d" % os.waitstatus_to_exitcode(status))
    os.close(asking)


def _warm_up() -> None:
    """Import what commands import, and do once what most of them do."""
    skipped = tuple(f"tacit.{name}" for name in _RARE)
    for module in pkgutil.walk_packages(tacit.__path__, "tacit."):
        if not module.name.startswith(skipped):
            importlib.import_module(module.name)
    with tempfile.TemporaryDirectory() as folder:
        with tacit.open(os.path.join(folder, "home"), cwd=folder) as vault:
            vault.add("a first memory")
        wait_for_threads()
    gc.collect()
    gc.freeze()


def _become(
    descriptors: Sequence[int], words: Sequence[str], cwd: str, environment: Mapping[str, str], umask: int, memory: int
) -> None:
    """Be a command, with nothing of this process but what it has imported."""
    code = 1
    watching, asking, *streams = descriptors
    try:
        os.set_inheritable(watching, True)
        for number, file in enumerate(streams, 1):
            os.dup2(file, number)
        for descriptor in (asking, *streams):
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(cwd)
        os.umask(umask)
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        tempfile.tempdir = None
        sys.argv = [program.__file__, *words]
        program.run()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
