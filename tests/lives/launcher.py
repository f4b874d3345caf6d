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
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
_PROGRAM = str(Path(sys.executable).with_name("tacit"))
_LAZY_SECONDS, _LAZY_MAX_SECONDS = 0.015, 0.5  # after the command has ended; where it does not end
_STUCK_SECONDS = 60
_CLONE_NEWNS, _MS_PRIVATE = 0x20000, (1 << 18) | (1 << 14)  # of everything below, too
NO_MOUNT = 71


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
        self,
        words: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        given: bytes = b"",
        *,
        lazy: bool = False,
        full: Path | None = None,
    ) -> int:
        """Start a program: `tacit`, or the path of a file of Python. Return its process id.

        `lazy` lets what the program forks begin after the program has ended, as on a busy machine. `full` is a folder
        that is on a full disk for this program, which sees a copy of it; where nobody may mount, it ends with NO_MOUNT.
        """
        pid: int = self._ask(
            do="start",
            words=list(words),
            cwd=str(cwd),
            env=dict(environment),
            given=base64.b64encode(given).decode(),
            lazy=lazy,
            full=str(full or ""),
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

    def start(self, words: list[str], cwd: str, env: dict[str, str], given: str, lazy: bool, full: str) -> int:
        files = [os.memfd_create(name) for name in ("in", "out", "err")]
        os.write(files[0], base64.b64decode(given))
        os.lseek(files[0], 0, os.SEEK_SET)
        pid = os.fork()
        if not pid:
            _become(words, cwd, env, files, lazy, full)
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


def _become(words: list[str], cwd: str, env: dict[str, str], files: list[int], lazy: bool, full: str) -> None:
    """Be the program, with nothing of the launcher but what it has imported."""
    code = 70
    try:
        os.setsid()
        for stream, file in enumerate(files):
            os.dup2(file, stream)
        os.closerange(3, 64)
        os.environ.clear()
        os.environ.update(env)
        if full:
            _mount_full(full)
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


def _mount_full(folder: str) -> None:
    """Put a file system without room over a folder, with a copy of what is there, for this process alone."""
    libc = ctypes.CDLL(None)
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        mounted = libc.unshare(_CLONE_NEWNS) or libc.mount(b"none", b"/", None, _MS_PRIVATE, None)
        if mounted or libc.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, b"size=4m,mode=700"):
            sys.exit(NO_MOUNT)
        shutil.copytree(copy, folder, dirs_exist_ok=True)
    with contextlib.suppress(OSError), open(f"{folder}/ballast", "wb", buffering=0) as ballast:
        while ballast.write(bytes(4096)):
            pass


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
    """Import what most programs import, so that none does it again. Nothing of it is run.

    What few need, or what needs much memory, is left to them: forking takes longer the more there is.
    """
    import importlib
    import pkgutil

    import tacit

    rare = ("__main__", "surfaces", "hooks.agent", "hooks.record", "web", "team", "remotes", "learn.judge")
    skipped = tuple(f"tacit.{name}" for name in (*rare, "search.minilm", "search.semantic"))
    for module in pkgutil.walk_packages(tacit.__path__, "tacit."):
        if not module.name.startswith(skipped):
            importlib.import_module(module.name)


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
