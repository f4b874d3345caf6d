"""The processes that a command was started from, as far as the system shows them in /proc.

Read-only, bounded and without exceptions: a process that ends while it is looked at, one of another user, or a system
without /proc ends the walk or leaves a part of it out.
"""

import os
from collections.abc import Iterator

PROC = "/proc"
_MOST = 64  # levels
_BYTES = 1024 * 1024  # of an environment or a command line

# Programs that run a script: the script's name counts as well.
_INTERPRETERS = ("node", "bun", "deno", "python", "nodejs")
_SCRIPT_ENDINGS = (".js", ".mjs", ".cjs")


class Process:
    """One process. Its environment is the one that it was started with, and only single variables are taken from it."""

    def __init__(self, pid: int, name: str, parent: int, session: int, started: int) -> None:
        self.pid = pid
        self.name = name
        self.parent = parent
        self.session = session
        self.started = started
        self._variables: bytes | None = None

    def variable(self, name: str) -> str:
        """The value of a variable; empty where it is not set or cannot be read."""
        if self._variables is None:
            self._variables = b"\0" + (_read(self.pid, "environ") or b"") + b"\0"
        start = self._variables.find(b"\0%s=" % name.encode())
        if start < 0:
            return ""
        value = self._variables[start + len(name) + 2 :].split(b"\0", 1)[0]
        return value.decode("utf-8", "replace")

    @property
    def programs(self) -> Iterator[str]:
        """The names that this process may be known by: its own, its command's, and its script's."""
        yield self.name
        arguments = (_read(self.pid, "cmdline") or b"").split(b"\0")
        command = _base(arguments[0])
        yield command
        if command.rstrip("0123456789.") in _INTERPRETERS:
            yield next((_base(word) for word in arguments[1:] if word and not word.startswith(b"-")), "")


def ancestors() -> Iterator[Process]:
    """From the parent of this process upwards, then from the leader of its session, which may outlive the parent."""
    seen: set[int] = {os.getpid()}
    here = _process(os.getpid())
    if here is None:
        return
    for start in (here.parent, here.session):
        child, pid = here, start
        while pid > 0 and pid not in seen and len(seen) < _MOST:
            seen.add(pid)
            process = _process(pid)
            if process is None or process.started > child.started:  # ended, and its number was given to another
                break
            yield process
            child, pid = process, process.parent


def _process(pid: int) -> Process | None:
    """What the system says of a process; the name is in brackets and may hold any character."""
    before, _, after = (_read(pid, "stat") or b"").rpartition(b")")
    fields = after.split()
    try:
        name = before.partition(b"(")[2].decode("utf-8", "replace")
        return Process(pid, name, int(fields[1]), int(fields[3]), int(fields[19]))
    except (IndexError, ValueError):
        return None


def _read(pid: int, name: str) -> bytes | None:
    try:
        fd = os.open(f"{PROC}/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        parts, room = [], _BYTES
        while room > 0 and (part := os.read(fd, min(room, 65536))):
            parts.append(part)
            room -= len(part)
        return b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(fd)


def _base(path: bytes) -> str:
    """The last part of a path, without the ending of a script."""
    name = path.rpartition(b"/")[2].decode("utf-8", "replace")
    for ending in _SCRIPT_ENDINGS:
        name = name.removesuffix(ending)
    return name
