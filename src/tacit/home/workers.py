"""Processes that do the steps of a rebuild which need no index (index/bulk_steps.py), for logs that are long enough.

They are new interpreters and not forks, which are unsafe in a program with threads. They get a step by a pipe and
answer by another one; what is large goes through the spill. They read the log and write to nothing but their own file
of the spill. A process ends when its pipe does, so none outlives a parent that is killed. If one dies or fails, the
parent does its steps.
"""

from __future__ import annotations

import gc
import marshal
import os
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from tacit.home.chunks import ChunkReader
from tacit.index.bulk_steps import BulkSteps, LogChunk, MergedRange, PreparedChunk
from tacit.index.spill import Span, Spill, open_unnamed
from tacit.index.writer import IndexedEvent
from tacit.log.codec import must_decode
from tacit.log.reader import LogReader

if TYPE_CHECKING:
    import subprocess

_MAX_WORKERS = 8
_STEPS_AHEAD = 2  # that each process has been given
_LENGTH_BYTES = 8
_START = "import sys; sys.path[:] = sys.argv[1].split('\\n'); from tacit.home.workers import serve; serve(sys.argv[2:])"


def worker_count() -> int:
    """Return how many processes pay here: one for each processor that this one may use, none if that is one."""
    try:
        count = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # not on every system
        count = os.cpu_count() or 1
    return min(count, _MAX_WORKERS) if count > 1 else 0


@contextmanager
def step_runner(log: LogReader, reader: ChunkReader, folder: str | None, workers: int) -> Iterator[StepRunner]:
    """Yield a runner of steps with so many processes. Intermediate data is in `folder`, or in memory if it is None."""
    files: list[int] = []
    runner: StepRunner | None = None
    try:
        if folder is not None:
            files += [open_unnamed(folder) for _ in range(workers + 1)]
        steps = BulkSteps(reader.read, log.line_reader(), must_decode, Spill(files))
        runner = StepRunner(steps, [_Worker(log, files, number) for number in range(1, workers + 1)])
        yield runner
    finally:
        if runner:
            runner.close()
        for fd in files:
            os.close(fd)


class StepRunner:
    """Runs steps in processes, or here if there are none."""

    def __init__(self, steps: BulkSteps, workers: list[_Worker]) -> None:
        self.steps = steps
        self._workers = workers

    def run(self, name: str, calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the result of a step for each tuple of arguments, in order."""
        waiting: deque[tuple[_Worker | None, tuple[Any, ...]]] = deque()
        for number, call in enumerate(calls):
            worker = self._workers[number % len(self._workers)] if self._workers else None
            if worker:
                worker.send(name, self.steps.spill.write(_plain(call)))
            waiting.append((worker, call))
            if len(waiting) > _STEPS_AHEAD * len(self._workers):
                yield self._result(name, *waiting.popleft())
        while waiting:
            yield self._result(name, *waiting.popleft())

    def _result(self, name: str, worker: _Worker | None, call: tuple[Any, ...]) -> Any:
        answer = worker.receive() if worker else None
        return getattr(self.steps, name)(*call) if answer is None else self._decoded(name, answer[0])

    def _decoded(self, name: str, answer: Any) -> Any:
        if name == "merge":
            return MergedRange(*answer)
        if name != "prepare":
            return answer
        event_rows, source_rows, agent_rows, fragments, others, has_undo, cursor = answer
        entries = [self._entry(*other) for other in others]
        return PreparedChunk(event_rows, source_rows, agent_rows, fragments, entries, has_undo, cursor)

    def _entry(self, type_: str, segment: str, line: int, offset: int, length: int, raw: bytes | None) -> IndexedEvent:
        event = self.steps.decode(raw or self.steps.lines(segment, offset, length) or b"")
        return IndexedEvent(event, type_, segment, line, offset, length, raw)

    def close(self) -> None:
        """End the processes, which hold nothing that is needed."""
        for worker in self._workers:
            worker.close()


def _plain(value: Any) -> Any:
    """Return a value without records, which are not marshalled."""
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value] if isinstance(value, list) else tuple(_plain(item) for item in value)
    return value


class _Worker:
    """One process and its pipes. After an error it answers None to everything."""

    def __init__(self, log: LogReader, files: list[int], own: int) -> None:
        import subprocess

        self._process: subprocess.Popen[bytes] | None = None
        path = "\n".join(entry for entry in sys.path if os.path.isabs(entry) and "\n" not in entry)
        isolation = ["-I", *(["-S"] if sys.flags.no_site else [])]
        staged = (f"{segment}={file}" for segment, file in log.staged.items())
        arguments = [log.home, str(own), ",".join(map(str, files)), *staged]
        with suppress(OSError, ValueError):
            self._process = subprocess.Popen(
                [sys.executable, *isolation, "-c", _START, path, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=files,
            )

    def send(self, name: str, call: Span) -> None:
        if self._process and self._process.stdin:
            try:
                _write_frame(self._process.stdin, (name, call))
            except OSError:
                self.close()

    def receive(self) -> list[Any] | None:
        """Return the answer to the first step that was sent and not answered, in a list; None after an error."""
        answer = None
        if self._process and self._process.stdout:
            with suppress(OSError, ValueError, EOFError, TypeError):
                answer = _read_frame(self._process.stdout)
        if answer is None:
            self.close()
        return answer

    def close(self) -> None:
        process, self._process = self._process, None
        if process:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    pipe.close() if pipe else None
            process.wait()


def _write_frame(file: BinaryIO | Any, value: Any) -> None:
    data = marshal.dumps(value)
    file.write(len(data).to_bytes(_LENGTH_BYTES, "big"))
    file.write(data)
    file.flush()


def _read_frame(file: BinaryIO | Any) -> Any:
    """Return the next value, None at the end."""
    length = file.read(_LENGTH_BYTES)
    data = file.read(int.from_bytes(length, "big")) if len(length) == _LENGTH_BYTES else b""
    return marshal.loads(data) if data else None


# In the process


def serve(arguments: list[str]) -> None:
    """Answer steps until the input ends. `arguments` are the home, the own file and all files of the spill, and files
    that stand for segments."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process when it is interrupted
    gc.disable()
    home, own, files, *staged = arguments
    log = LogReader(home, dict(pair.split("=", 1) for pair in staged))
    spill = Spill([int(fd) for fd in files.split(",")], int(own))
    steps = BulkSteps(ChunkReader(log).read, log.line_reader(), must_decode, spill)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    with suppress(BrokenPipeError):
        while (request := _read_frame(requests)) is not None:
            name, call = request
            _write_frame(answers, [_answer(steps, name, spill.read(call))])
    os._exit(0)


def _answer(steps: BulkSteps, name: str, call: tuple[Any, ...]) -> Any:
    if name != "prepare":
        result = getattr(steps, name)(*call)
        return tuple(result) if name == "merge" else result
    chunk, range_bits = call
    prepared = steps.prepare(LogChunk(*chunk), range_bits)
    others = [tuple(entry[1:]) for entry in prepared.others]
    cursor = tuple(prepared.cursor) if prepared.cursor else None
    return *prepared[:4], others, prepared.has_undo, cursor
