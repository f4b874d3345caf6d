"""What it costs to hear agents' transcripts, against `json.loads` over the same lines.

    python -m bench.capture [PATH…] [--huge] [--json]

Both are done in turn in one process, and the least of several rounds counts. A row a source: what its files hold, what
of them is kept, and the memory of another process that reads them all. A turn is a prompt and what follows it until the
next. With `--huge` also a line of 100 MB and a file of 100 MB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import Figure, amount, at_most, encoded, table
from tacit.home.home import Home
from tacit.hosts.capture import HEAD_BYTES, SOURCES, TranscriptCapture, detect_source, transcript_files
from tacit.hosts.normalize import TranscriptSource
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.index.database import checkpoint_and_close
from tacit.model.observation import PromptGiven, PromptKind
from tacit.vault.vault import Vault

ROUNDS, TARGET, WHOLE, LEARNING, MEMORY = 5, 1.5, 4, 2, 150
RATE, CATCH_UP, PER_PROMPT = 40, 0.5, 2
_SIZE = 100 << 20
_TURNS = (PromptKind.TYPED, PromptKind.COMMAND, PromptKind.SHELL)
_PEAK = """
import sys
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.hosts.capture import SOURCES
count = 0
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        count += sum(1 for _ in SOURCES[sys.argv[1]].read(file, 0, CaptureLimits(), ReadStats()))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))  # getrusage would tell of the parent
print(int(status["VmHWM"].split()[0]) // 1024, count)
"""


@dataclass(slots=True)
class Row:
    """What the files of one source come to."""

    files: list[str] = field(default_factory=list)
    prompts: int = 0
    turns: int = 0
    tally: ReadStats = field(default_factory=ReadStats)
    seconds: float = 0.0
    least: float = 0.0


def heard(source: TranscriptSource, path: str) -> int:
    """How many things a transcript gives."""
    with open(path, "rb") as file:
        return sum(1 for _ in source.read(file, 0, CaptureLimits(), ReadStats()))


def rows(paths: Iterable[Path]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for path in (path for given in paths for path in transcript_files(str(given))):
        with open(path, "rb") as file:
            source = detect_source(path, file.read(HEAD_BYTES))
        if source is not None:
            found.setdefault(source.name, Row()).files.append(path)
    for name, row in found.items():
        _count(SOURCES[name], row)
        _measure(SOURCES[name], row)
    return found


def _count(source: TranscriptSource, row: Row) -> None:
    for path in row.files:
        tally = ReadStats()
        with open(path, "rb") as file:
            bodies = [one.body for one in source.read(file, 0, CaptureLimits(), tally)]
        prompts = [body for body in bodies if isinstance(body, PromptGiven)]
        row.prompts += len(prompts)
        row.turns += sum(prompt.how in _TURNS for prompt in prompts)
        row.tally.records += tally.records
        row.tally.text_bytes += tally.text_bytes
        row.tally.bytes_read += tally.bytes_read
        row.tally.unknown += tally.unknown
        row.tally.damaged += tally.damaged


def _measure(source: TranscriptSource, row: Row) -> None:
    pairs = [
        (_cpu(lambda: [heard(source, path) for path in row.files]), _cpu(lambda: _load(row.files))) for _ in _rounds()
    ]
    row.seconds, row.least = (min(times) for times in zip(*pairs, strict=True))


def _rounds() -> Iterator[int]:
    yield from range(ROUNDS)


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _load(paths: list[str]) -> None:
    for path in paths:
        if path.endswith(".json"):
            json.loads(Path(path).read_bytes())
            continue
        with open(path, "rb") as file:
            for line in file:
                with suppress(ValueError):
                    json.loads(line)


def shown(found: dict[str, Row]) -> Iterator[str]:
    yield "| source | files | records | prompts | turns | kept | skipped | unknown | damaged | CPU | ratio | memory |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for name, row in sorted(found.items()):
        tally = row.tally
        peak, _ = _peak(name, row.files)
        ratio = amount(row.seconds / row.least) if row.least and not row.files[0].endswith(".db") else "–"
        yield (
            f"| {name} | {len(row.files)} | {tally.records:,} | {row.prompts:,} | {row.turns:,} | {tally.text_bytes:,} "
            f"| {tally.bytes_read - tally.text_bytes:,} | {_named(tally.unknown)} | {_named(tally.damaged)} "
            f"| {row.seconds * 1000:.0f} ms | {ratio} | {peak} MB |"
        )


def _named(counts: Counter[str]) -> str:
    return ", ".join(f"{name or 'no type'} {count}" for name, count in counts.most_common()) or "–"


def figures(found: dict[str, Row]) -> Iterator[Figure]:
    rated = [row for row in found.values() if not row.files[0].endswith(".db")]
    one, other = sum(row.seconds for row in rated), sum(row.least for row in rated)
    if other:
        yield at_most("hearing transcripts against `json.loads`", one / other, TARGET, " ×", f"{one:.2f} s of CPU")
        files = [path for row in rated for path in row.files]
        least = min(_cpu(lambda: _captured(files)) for _ in _rounds())
        note = f"{least:.2f} s of CPU; index and pages follow with the next question"
        yield at_most("capturing them into a new home against `json.loads`", least / other, WHOLE, " ×", note)
        megabytes = sum(Path(path).stat().st_size for path in files) / 1e6
        rate = megabytes / least
        yield Figure("transcripts into the log", f"{rate:.1f} MB per CPU s", f"≥ {RATE} MB per CPU s", rate >= RATE)
        caught, taught, prompts = (min(times) for times in zip(*(_learned(files) for _ in _rounds()), strict=True))
        yield at_most(f"catch-up of the index after {megabytes:.0f} MB of transcripts", caught, CATCH_UP, " s", "CPU")
        note = f"{taught:.2f} s of CPU"
        yield at_most("learning from them against capturing them", taught / least, LEARNING, " ×", note)
        yield at_most("learning from a prompt", taught / prompts * 1000, PER_PROMPT, " ms", f"{prompts:,.0f} prompts")


def _captured(files: list[str]) -> None:
    """From the files to durable lines of a log."""
    with TemporaryDirectory() as home, Home(home, cwd="/") as opened:
        assert not [one.problem for one in TranscriptCapture(opened).capture_transcripts(files) if one.problem]


def _learned(files: list[str]) -> tuple[float, float, float]:
    """The time to bring the index up to date, that of all learners over all sessions, and how many prompts there are.

    Learners are timed from the index to durable suggestions.
    """
    with TemporaryDirectory() as home, Vault(Home(home, cwd="/")) as vault:
        vault.transcripts.capture_transcripts(files)
        store = vault.home.store
        with store._exclusive():
            began = time.process_time()
            checkpoint_and_close(store.writable_index.open())
            caught = time.process_time() - began
        rows = vault.sessions.sessions_to_learn(everything=True)
        prompts = sum(isinstance(event.body, PromptGiven) for event in store.log.events())
        return caught, _cpu(lambda: list(vault.learning.learn_from_sessions(rows))), prompts


def huge() -> Iterator[Figure]:
    """A line that cannot be held, and a file of many turns."""
    with TemporaryDirectory() as folder:
        for name, fill in (("line", _line), ("file", _file)):
            path = Path(folder) / f"{name}.jsonl"
            fill(path)
            peak, count = _peak("claude", [str(path)])
            yield at_most(f"memory for a {name} of 100 MB", peak, MEMORY, " MB", f"{count:,} things heard")


def _peak(source: str, paths: list[str]) -> tuple[int, int]:
    command = [sys.executable, "-c", _PEAK, source, *paths]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return int(told[0]), int(told[1])


def _record(kind: str, number: int, content: object) -> bytes:
    own = f"{number:08x}-0000-4000-8000-000000000000"
    at = f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
    body = {
        "type": kind,
        "uuid": own,
        "sessionId": "00000000-0000-4000-8000-00000000000a",
        "timestamp": at,
        "cwd": "/w",
    }
    return json.dumps({**body, "message": {"role": kind, "content": content}}, separators=(",", ":")).encode() + b"\n"


def _line(path: Path) -> None:
    with open(path, "wb") as file:
        file.write(_record("user", 1, "before"))
        file.write(b'{"type":"user","message":{"content":"' + b"x" * _SIZE + b'"}}\n')
        file.write(_record("user", 2, "after"))


def _file(path: Path) -> None:
    number = 0
    with open(path, "wb") as file:
        while file.tell() < _SIZE:
            number += 4
            call = {"type": "tool_use", "id": f"toolu_{number:024}", "name": "Bash", "input": {"command": "make test"}}
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": f"line {number}\n" * 2000}
            file.write(_record("user", number, f"please look at part {number}"))
            file.write(_record("assistant", number + 1, [call]))
            file.write(_record("user", number + 2, [result]))
            file.write(_record("assistant", number + 3, [{"type": "text", "text": "It is done."}]))


def _places() -> list[Path]:
    """Where agents keep theirs on this machine."""
    with Home() as home:
        return [Path(place) for place in TranscriptCapture(home).transcript_paths()]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.capture", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="transcripts, or folders of them")
    parser.add_argument("--huge", action="store_true", help="also a line and a file of 100 MB")
    parser.add_argument("--json", action="store_true", help="one object a line instead of tables")
    given = parser.parse_args()
    found = rows(given.paths or _places())
    if not found and not given.huge:
        parser.error("no transcripts there; name a folder, for example ~/.claude/projects")
    told = [*figures(found), *(huge() if given.huge else ())]
    for line in map(encoded, told) if given.json else (*shown(found), "", *table(told)):
        print(line)
    return 1 if any(figure.ok is False for figure in told) else 0


if __name__ == "__main__":
    sys.exit(main())
