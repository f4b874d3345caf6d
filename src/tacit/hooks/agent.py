"""The program that an agent's host runs at its hooks: `python -I -S agent.py HOST inject|call|capture|guard EVENT`.

The host sends JSON on standard input. `inject` prints what the model should know, `call` what it should know about a
tool call. `capture` forks a process that reads the transcript, and returns. `guard` prints a decision about a tool call
if a rule that the person switched on names something in it. Nothing else is printed, and the exit code is always 0.
`--home PATH` at the end names the home.

The process that the host waits for reads no file of ours, except that `guard` reads one line. For the rest it forks a
worker and waits for the answer until the deadline. A worker that hangs in a system call cannot delay the host, because
no signal has to reach it and it holds none of the host's pipes. If the worker of `inject` is late or fails, the
standing rules are printed nevertheless (`ready_rules.py`).
"""

import gc
import os
import select
import sys
import time

_MAX_INPUT_BYTES = 8 << 20  # of the host's JSON; the rest is read and dropped, so that the host is not blocked
_INPUT_TIMEOUT_SECONDS = 1.0  # for the host to send its JSON
_TOTAL_TIMEOUT_SECONDS = 1.7  # for everything, the input included
_GUARD_CPU_SECONDS = 0.15  # of the processor, for a decision about a tool call
_GUARD_TIMEOUT_SECONDS = 1.0  # by the clock, on a busy machine
_MAX_NEEDLE_BYTES = 1 << 16
_EXIT_TIMEOUT_SECONDS = 0.1  # for a worker to exit that has answered or was killed
_POLL_SECONDS = 0.0005
_WRITE_CHUNK_BYTES = 4096  # a pipe that is ready for writing takes so much without blocking
_SIGKILL = 9  # to import `signal` would take longer than everything else that this process does
_LATE_WRITE_SECONDS = 0.3  # for the host to read an answer that comes after the deadline
_EQUAL_SECONDS = 0.2  # then a worker of many leaves the processor to the processes that hosts wait for
_MAX_RUNNABLE_PER_CORE = 8
_WORKER_NICENESS = 19
# One of these is in every call that edits a file. What a call has not to do with costs no import.
_EDIT_SIGNS = (b"new_str", b"newString", b"new_source", b"file_text", b'"content', b'"edits', b"*** Begin Patch")
_COMMAND_SIGNS = (b'"command', b'"cmd')
_END_MARK = b"\0"  # ends an answer; JSON has no such byte


def _read_input(deadline: float) -> bytes:
    """Return what the host sends until it closes the pipe, or until the deadline: some hosts never close it."""
    parts, size = [], 0
    while (left := deadline - time.monotonic()) > 0 and select.select((0,), (), (), left)[0]:
        part = os.read(0, 1 << 20)
        if not part:
            break
        if size < _MAX_INPUT_BYTES:
            parts.append(part)
        size += len(part)
    return b"".join(parts)


def _close_streams() -> None:
    """Close the host's pipes. The host waits until no process has them open."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)


def _fork_detached() -> bool:
    """Fork. Return True in the child, which has a session of its own and no streams, and False in the parent.

    The parent waits until the child has its session: a host may kill the group of a hook as soon as the hook ends.
    """
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        os.read(reading, 1)
        return False
    os.setsid()
    os.close(reading)
    os.close(writing)
    _close_streams()
    return True


def _inject(host: str, action: str, event: str, payload: bytes, home: str, deadline: float) -> None:
    """Print the whole answer of a worker, or nothing if the deadline passes."""
    reading, writing = os.pipe()
    worker = os.fork()
    if not worker:
        os.close(reading)
        _close_streams()
        _run_worker(host, action, event, payload, home, writing, deadline)
        os._exit(0)
    os.close(writing)
    answer = b""
    # Of many hooks at once each gets to print at least the rules, because those who wait go before those who work.
    is_behind = False
    while not answer.endswith(_END_MARK) and (left := deadline - time.monotonic()) > 0:
        if select.select((reading,), (), (), left if is_behind else min(left, _EQUAL_SECONDS))[0]:
            part = os.read(reading, 1 << 20)
            if not part:  # the worker has ended
                break
            answer += part
        elif not is_behind and _is_overloaded():
            os.setpriority(os.PRIO_PROCESS, worker, _WORKER_NICENESS)
            is_behind = True
    if answer.endswith(_END_MARK):
        _write_answer(answer.removesuffix(_END_MARK), deadline)
    else:
        os.kill(worker, _SIGKILL)
        if action == "inject":
            from tacit.hooks import ready_rules

            text = ready_rules.answer(host, event, payload, home)
            _write_answer(text, time.monotonic() + _LATE_WRITE_SECONDS)
    # In a container whose first process reaps no children, a worker that is not waited for stays as a zombie. The pipe
    # is closed when the worker ends, so there is little to poll for.
    exit_deadline = time.monotonic() + _EXIT_TIMEOUT_SECONDS
    select.select((reading,), (), (), _EXIT_TIMEOUT_SECONDS)
    while not os.waitpid(worker, os.WNOHANG)[0] and time.monotonic() < exit_deadline:
        select.select((), (), (), _POLL_SECONDS)  # not `time.sleep`, which a faked clock can make endless


def _is_overloaded() -> bool:
    """Return whether far more processes want to run than there are cores. A busy host is no reason to give way."""
    try:
        file = os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
        fields = os.read(file, 100).split()
        os.close(file)
        return int(fields[3].partition(b"/")[0]) > _MAX_RUNNABLE_PER_CORE * (os.cpu_count() or 1)
    except (OSError, IndexError, ValueError):
        return False


def _may_matter(event: str, payload: bytes) -> bool:
    """Return whether something may be told about a tool call: an edit, or a command that was run."""
    # Arguments may be JSON in a text, in which quotes are escaped.
    signs = _EDIT_SIGNS if event.startswith(("pre", "Pre")) else (*_EDIT_SIGNS, *_COMMAND_SIGNS)
    return any(sign in payload for sign in signs)


def _run_worker(host: str, action: str, event: str, payload: bytes, home: str, pipe: int, deadline: float) -> None:
    """In the worker: send the answer, then let a detached process capture what is queued.

    The kernel ends the worker at the deadline, because the process that started it may be gone by then.
    """
    # `signal` adds only names to it, and importing that takes longer than everything here.
    import _signal  # type: ignore[import-not-found]

    _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
    _signal.setitimer(_signal.ITIMER_REAL, max(deadline - time.monotonic(), 0.001))
    if action == "call":
        from tacit.hooks import calls

        text = calls.answer(host, event, payload, home)
        os.write(pipe, text.encode("ascii", "backslashreplace") + _END_MARK)
        return
    from tacit.hooks import dispatch

    answer = dispatch.inject(host, event, payload, home)
    if answer is None:  # without an end, this is no answer
        return
    os.write(pipe, answer.encode("ascii", "backslashreplace") + _END_MARK)
    if dispatch.has_work(host, event, home, payload) and _fork_detached():
        os.close(pipe)
        dispatch.work(host, event, home, payload)


def _write_answer(answer: bytes, deadline: float) -> None:
    """Write in chunks that do not block if the host does not read."""
    while answer and select.select((), (1,), (), max(deadline - time.monotonic(), 0))[1]:
        answer = answer[os.write(1, answer[:_WRITE_CHUNK_BYTES]) :]


def _guard(host: str, payload: bytes, home: str) -> None:
    """Print the decision about a tool call. The process ends when that takes too long: the call is allowed.

    It ends with 0 where it runs Python or waits; where it computes without returning to Python, the kernel ends it.

    The first line of the rule file has the needles: texts, one of which is in every call that a rule may match. Few
    calls have one, and for all others nothing is imported.
    """
    try:
        # Like every file of a home, it is not reached through a link.
        path = os.path.join(os.path.expanduser(home), ".tacit", "guard.json")
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    needles = os.read(file, _MAX_NEEDLE_BYTES).partition(b"\n")[0].split(b'"')[3::2]
    os.close(file)
    if not any(needle in payload for needle in needles):
        return
    import _signal

    for signal in (_signal.SIGPROF, _signal.SIGALRM):
        _signal.signal(signal, lambda *_: os._exit(0))
    _signal.signal(_signal.SIGVTALRM, _signal.SIG_DFL)
    _signal.setitimer(_signal.ITIMER_VIRTUAL, 2 * _GUARD_CPU_SECONDS)
    _signal.setitimer(_signal.ITIMER_PROF, _GUARD_CPU_SECONDS)
    _signal.setitimer(_signal.ITIMER_REAL, _GUARD_TIMEOUT_SECONDS)
    from tacit.hooks import guard

    answer = guard.decide(host, payload, home)
    _write_answer(answer.encode("ascii", "backslashreplace"), time.monotonic() + _EXIT_TIMEOUT_SECONDS)


def main(args: list[str]) -> None:
    if "TACIT_JUDGE" in os.environ:  # a client that judges sessions for Tacit: see learn/judge/clients.py
        return
    start = time.monotonic()
    host, action, event, *rest = args
    # A repository can set TACIT_HOME in the environment of its agent, so only the installed command names the home.
    home = rest[1] if rest[:1] == ["--home"] else "~/.agents"
    payload = _read_input(start + _INPUT_TIMEOUT_SECONDS)
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    if action == "guard":
        _guard(host, payload, home)
    elif action == "call" and not _may_matter(event, payload):
        return
    elif action != "capture":
        _inject(host, action, event, payload, home, start + _TOTAL_TIMEOUT_SECONDS)
    elif _fork_detached():
        from tacit.hooks import dispatch

        dispatch.capture(host, event, payload, home)


if __name__ == "__main__":
    gc.disable()
    try:
        main(sys.argv[1:])
    finally:
        os._exit(0)
