"""What it costs to read agents' transcripts into the log and to bring the index up to date after them.

    python -m bench.capture [PATH…] [--json]

The least of several rounds counts. A row a source tells what its files hold and what of them is kept; a turn is a
prompt and what follows it until the next.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import Figure, against_target, print_figures
from tacit.home.home import Home
from tacit.hosts.capture import HEAD_BYTES, SOURCES, TranscriptCapture, detect_source, transcript_files
from tacit.hosts.normalize import TranscriptSource
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.index.database import checkpoint_and_close
from tacit.model.observation import PromptGiven, PromptKind

ROUNDS = 5
_TURNS = (PromptKind.TYPED, PromptKind.COMMAND, PromptKind.SHELL)


@dataclass(slots=True)
class Row:
    """What the files of one source come to."""

    files: list[str] = field(default_factory=list)
    prompts: int = 0
    turns: int = 0
    stats: ReadStats = field(default_factory=ReadStats)


def rows(paths: Iterable[Path]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for path in (path for given in paths for path in transcript_files(str(given))):
        with open(path, "rb") as file:
            source = detect_source(path, file.read(HEAD_BYTES))
        if source is not None:
            found.setdefault(source.name, Row()).files.append(path)
    for name, row in found.items():
        _count(SOURCES[name], row)
    return found


def _count(source: TranscriptSource, row: Row) -> None:
    for path in row.files:
        stats = ReadStats()
        with open(path, "rb") as file:
            bodies = [event.body for event in source.read(file, 0, CaptureLimits(), stats)]
        prompts = [body for body in bodies if isinstance(body, PromptGiven)]
        row.prompts += len(prompts)
        row.turns += sum(prompt.how in _TURNS for prompt in prompts)
        row.stats.records += stats.records
        row.stats.text_bytes += stats.text_bytes
        row.stats.bytes_read += stats.bytes_read
        row.stats.unknown += stats.unknown
        row.stats.damaged += stats.damaged


def table_of(found: dict[str, Row]) -> Iterator[str]:
    yield "| source | files | records | prompts | turns | kept | skipped | unknown | damaged |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, row in sorted(found.items()):
        stats = row.stats
        yield (
            f"| {name} | {len(row.files)} | {stats.records:,} | {row.prompts:,} | {row.turns:,} | {stats.text_bytes:,} "
            f"| {stats.bytes_read - stats.text_bytes:,} | {_named(stats.unknown)} | {_named(stats.damaged)} |"
        )


def _named(counts: Counter[str]) -> str:
    return ", ".join(f"{name or 'no type'} {count}" for name, count in counts.most_common()) or "–"


def figures(found: dict[str, Row]) -> Iterator[Figure]:
    files = [path for row in found.values() for path in row.files if not path.endswith(".db")]
    if not files:
        return
    megabytes = sum(Path(path).stat().st_size for path in files) / 1e6
    logged, indexed = (min(times) for times in zip(*(_captured(files) for _ in range(ROUNDS)), strict=True))
    yield against_target("transcripts into the log", megabytes / logged, "MB per CPU s")
    yield against_target(f"catch-up of the index after {megabytes:.0f} MB of transcripts", indexed, "s", "CPU")


def _captured(files: list[str]) -> tuple[float, float]:
    """Seconds of CPU from the files to durable lines of a new log, and from there to the index."""
    with TemporaryDirectory() as folder, Home(folder, cwd="/") as home:
        start = time.process_time()
        captured = list(TranscriptCapture(home).capture_transcripts(files))
        logged = time.process_time() - start
        assert not [each.problem for each in captured if each.problem]
        with home.store._exclusive():
            start = time.process_time()
            checkpoint_and_close(home.store.writable_index.open())
            return logged, time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.capture", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, help="transcripts, or folders of them (default: those here)")
    parser.add_argument("--json", action="store_true", help="one object a line instead of tables")
    given = parser.parse_args()
    if not given.paths:
        with Home() as home:
            given.paths = [Path(path) for path in TranscriptCapture(home).transcript_paths()]
    found = rows(given.paths)
    if not found:
        parser.error("no transcripts there; name a folder, for example ~/.claude/projects")
    for line in () if given.json else (*table_of(found), ""):
        print(line)
    return print_figures(figures(found), as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
