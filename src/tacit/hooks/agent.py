"""What an agent's host starts at its hooks: `python -I -S agent.py HOST inject|capture EVENT [--home PATH]`.

The host's JSON comes on standard input. `inject` prints what the model should know; `capture` hands the reading of the
transcript to a process of its own and returns. Whatever happens, nothing else is printed and the exit code is 0.

The process that the host waits for reads no file of ours: it reads its input, starts a worker and waits for the answer
until the budget is spent. A worker that hangs in a system call cannot delay the host, because no signal has to reach
it and it holds none of the host's pipes.
"""

import gc
import os
import select
import sys
import time

_MAX_INPUT_BYTES = 8 << 20  # bytes of the host's JSON; the rest is read and dropped, so that the host need not wait
_INPUT_TIMEOUT_SECONDS, _TOTAL_TIMEOUT_SECONDS = (
    1.0,
    1.7,
)  # for the host to send its JSON, and for everything, the input included
_EXIT_TIMEOUT_SECONDS, _POLL_SECONDS = (
    0.1,
    0.0005,
)  # seconds for a worker to exit that has answered or was killed, and between two looks
_WRITE_CHUNK_BYTES = 4096  # bytes that a pipe which is ready for writing takes without blocking
_SIGKILL = 9  # the module `signal` would cost more than everything else that this process does
_END_MARK = b"\0"  # ends an answer; JSON has no such byte


def _read_input(deadline: float) -> bytes:
    """What the host sends, until it closes the pipe or the deadline has passed: it may forget to close."""
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
    """Close the pipes of the host, which waits until nobody has them open any more."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _fork_detached() -> bool:
    """Fork. True in the process that goes on by itself, in a session of its own and without any stream.

    The other one waits for that session: a host may end with its whole group as soon as its hook has.
    """
    ready, going = os.pipe()
    if os.fork():
        os.close(going)
        os.read(ready, 1)
        return False
    os.setsid()
    os.close(ready)
    os.close(going)
    _close_streams()
    return True


def _inject(name: str, event: str, given: bytes, home: str, deadline: float) -> None:
    """Print the whole answer of a worker, or nothing once the deadline has passed."""
    answers, answering = os.pipe()
    worker = os.fork()
    if not worker:
        os.close(answers)
        _close_streams()
        _run_worker(name, event, given, home, answering, deadline)
        os._exit(0)
    os.close(answering)
    answer = _read_answer(answers, deadline)
    if answer.endswith(_END_MARK):
        _write_answer(answer.removesuffix(_END_MARK), deadline)
    else:
        os.kill(worker, _SIGKILL)
    # In a container whose first process collects nobody, a worker that is not waited for stays as a zombie. The pipe
    # ends when the worker does, so that there is little to poll for.
    patience = time.monotonic() + _EXIT_TIMEOUT_SECONDS
    select.select((answers,), (), (), _EXIT_TIMEOUT_SECONDS)
    while not os.waitpid(worker, os.WNOHANG)[0] and time.monotonic() < patience:
        time.sleep(_POLL_SECONDS)


def _run_worker(name: str, event: str, given: bytes, home: str, answering: int, deadline: float) -> None:
    """In the worker: send the answer, then hand on what waits to be read. The kernel ends it at the deadline, whoever
    started it may be gone by then."""
    # What `signal` adds to it are names, and they take longer than all of this.
    import _signal  # type: ignore[import-not-found]

    _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
    _signal.setitimer(_signal.ITIMER_REAL, max(deadline - time.monotonic(), 0.001))
    from tacit.hooks import dispatch as moments

    text = moments.inject(name, event, given, home)
    os.write(answering, text.encode("ascii", "backslashreplace") + _END_MARK)
    if moments.has_queued(home) and _fork_detached():
        os.close(answering)
        moments.process_queue(home)


def _read_answer(answers: int, deadline: float) -> bytes:
    """What the worker sent until it was complete, the worker ended, or the deadline passed."""
    answer = b""
    while not answer.endswith(_END_MARK):
        if not select.select((answers,), (), (), max(deadline - time.monotonic(), 0))[0]:
            break
        part = os.read(answers, 1 << 20)
        if not part:
            break
        answer += part
    return answer


def _write_answer(answer: bytes, deadline: float) -> None:
    """In pieces that do not block where the host does not read."""
    while answer and select.select((), (1,), (), max(deadline - time.monotonic(), 0))[1]:
        answer = answer[os.write(1, answer[:_WRITE_CHUNK_BYTES]) :]


def main(words: list[str]) -> None:
    began = time.monotonic()
    name, what, event, *rest = words
    # A repository can set TACIT_HOME in the environment of its agent, so a hook goes by its installation alone.
    home = rest[1] if rest[:1] == ["--home"] else "~/.agents"
    given = _read_input(began + _INPUT_TIMEOUT_SECONDS)
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    if what != "capture":
        _inject(name, event, given, home, began + _TOTAL_TIMEOUT_SECONDS)
    elif _fork_detached():
        from tacit.hooks import dispatch as moments

        moments.capture(name, event, given, home)


if __name__ == "__main__":
    gc.disable()
    try:
        main(sys.argv[1:])
    finally:
        os._exit(0)
