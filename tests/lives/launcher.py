"""Starts programs as forks of one process that has imported them: real processes with default settings, without the
cost of starting Python.

The launcher is the reaper of everything it starts, so that a process which a command leaves behind (it finishes index
and pages after the command has returned) can be waited for, or killed, by whoever asks.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
_PROGRAM = str(Path(sys.executable).with_name("tacit"))
_LAZY_SECONDS, _LAZY_MAX_SECONDS = 0.015, 0.5  # after the command has ended; where it does not end
_STUCK_SECONDS = 60


class Ended(NamedTuple):
    """How a program ended; a negative code is a signal."""

    code: int
    out: str
    err: str


class Launcher:
    """A connection to the process that forks."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.lives.launcher", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            cwd=Path(__file__).parents[2],
        )
        theirs.close()
        self._socket, self._stream = ours, ours.makefile("rwb")
        self._ask(do="hello")

    def start(
        self, words: Sequence[str], cwd: Path, environment: Mapping[str, str], given: bytes = b"", *, lazy: bool = False
    ) -> int:
        """Start a program: `tacit`, or the path of a file of Python. Return its process id.

        `lazy` lets what the program forks begin after the program has ended, as on a busy machine.
        """
        encoded = base64.b64encode(given).decode()
        pid: int = self._ask(
            do="start", words=list(words), cwd=str(cwd), env=dict(environment), given=encoded, lazy=lazy
        )
        return pid

    def wait(self, pid: int, kill_after: float | None = None) -> Ended:
        """Wait for the end of a program; kill it after some seconds."""
        return Ended(*self._ask(do="wait", pid=pid, kill_after=kill_after))

    def peek(self, pid: int) -> str:
        """Return what a program has printed until now."""
        said: str = self._ask(do="peek", pid=pid)
        return said

    def interrupt(self, pid: int) -> None:
        os.kill(pid, signal.SIGINT)

    def settle(self) -> None:
        """Wait for all that programs have left behind."""
        self._ask(do="settle", kill=False)

    def kill_rest(self) -> None:
        """Kill all that programs have left behind."""
        self._ask(do="settle", kill=True)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._process.wait(timeout=_STUCK_SECONDS)

    def _ask(self, **request: object) -> Any:
        self._stream.write(json.dumps(request).encode() + b"\n")
        self._stream.flush()
        return json.loads(self._stream.readline())


# In the process that forks


class _Server:
    def __init__(self) -> None:
        self._outputs: dict[int, tuple[int, int]] = {}
        self._ended: dict[int, int] = {}

    def start(self, words: list[str], cwd: str, env: dict[str, str], given: str, lazy: bool) -> int:
        files = [os.memfd_create(name) for name in ("in", "out", "err")]
        os.write(files[0], base64.b64decode(given))
        os.lseek(files[0], 0, os.SEEK_SET)
        pid = os.fork()
        if not pid:
            _become(words, cwd, env, files, lazy)
        os.close(files[0])
        self._outputs[pid] = (files[1], files[2])
        return pid

    def wait(self, pid: int, kill_after: float | None) -> tuple[int, str, str]:
        deadline = time.monotonic() + (_STUCK_SECONDS if kill_after is None else kill_after)
        while pid not in self._ended:
            if kill_after is None:
                self._reap(os.WEXITED)
            elif not self._reap(os.WEXITED | os.WNOHANG):
                if time.monotonic() > deadline:
                    os.kill(pid, signal.SIGKILL)
                    kill_after = None
                time.sleep(0.0005)
        out, err = map(_content, self._outputs.pop(pid))
        return self._ended.pop(pid), out, err

    def peek(self, pid: int) -> str:
        file = self._outputs[pid][0]
        return os.pread(file, 1 << 16, 0).decode("utf-8", "replace")

    def settle(self, kill: bool) -> None:
        if kill:
            for pid in _children() - set(self._outputs):
                os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + _STUCK_SECONDS
        with contextlib.suppress(ChildProcessError):
            while _children() - (set(self._outputs) - set(self._ended)) and time.monotonic() < deadline:
                if not self._reap(os.WEXITED | os.WNOHANG):
                    time.sleep(0.0005)

    def _reap(self, options: int) -> bool:
        found = os.waitid(os.P_ALL, 0, options)
        if found is not None and found.si_pid in self._outputs:
            self._ended[found.si_pid] = found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
        return found is not None


def _children() -> set[int]:
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def _content(file: int) -> str:
    with open(file, "rb") as stream:
        stream.seek(0)
        return stream.read().decode("utf-8", "replace")


def _become(words: list[str], cwd: str, env: dict[str, str], files: list[int], lazy: bool) -> None:
    """Be the program, with nothing of the launcher but what it has imported."""
    code = 70
    try:
        os.setsid()
        for stream, file in enumerate(files):
            os.dup2(file, stream)
        os.closerange(3, 64)
        os.environ.clear()
        os.environ.update(env)
        os.chdir(cwd)
        if lazy:
            program = os.getpid()
            os.register_at_fork(after_in_child=lambda: _be_late(program))
        code = _run(words)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _be_late(program: int) -> None:
    deadline = time.monotonic() + _LAZY_MAX_SECONDS
    while os.getppid() == program and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(_LAZY_SECONDS)


def _run(words: list[str]) -> int:
    if words[0] == "tacit":
        from tacit.cli import main

        sys.argv = [_PROGRAM, *words[1:]]
        return main(words[1:])
    import runpy

    sys.argv = words
    runpy.run_path(words[0], run_name="__main__")
    return 0


def _import_programs() -> None:
    """Import what programs import, so that none does it again. Nothing of it is run."""
    import importlib
    import pkgutil

    import tacit

    skipped = ("tacit.__main__", "tacit.surfaces", "tacit.hooks.agent", "tacit.hooks.record")
    for module in pkgutil.walk_packages(tacit.__path__, "tacit."):
        if not module.name.startswith(skipped):
            importlib.import_module(module.name)
    import http.client  # noqa: F401


def serve(stream: Any) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _import_programs()
    import gc

    gc.freeze()
    server = _Server()
    for line in stream:
        request = json.loads(line)
        do = request.pop("do")
        answer = None if do == "hello" else getattr(server, do)(**request)
        stream.write(json.dumps(answer).encode() + b"\n")
        stream.flush()
    server.settle(kill=True)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])).makefile("rwb"))
