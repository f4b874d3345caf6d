"""What each promise costs: lines of code that exist only for it, and seconds of its tests.

    make pytest PYTEST_ADDOPTS=--junitxml=/tmp/junit.xml
    python -m harness.prices --junit /tmp/junit.xml

The column "only for it" of docs/PROMISES.md names modules or packages of `src/tacit`, and the column "tests" names
tests. This writes the number of lines before the former, and the seconds that the latter took into the last column.
Without `--junit` the seconds stay, and with `--check` nothing is written: the exit code is 1 where lines differ by more
than a tenth.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

_ROOT = Path(__file__).resolve().parents[1]
_DOCUMENT = _ROOT / "docs" / "PROMISES.md"
_NAMED = re.compile(r"`([^`]+)`")
_LINES, _SECONDS = 5, 6  # the columns, counted from the bar that begins a row


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m harness.prices", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--junit", type=Path, help="what pytest wrote with --junitxml")
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args(argv)
    seconds = dict(_seconds(given.junit)) if given.junit else None
    text = _DOCUMENT.read_text("utf-8")
    rows = [_priced(line, seconds) if line.startswith("| P") else line for line in text.split("\n")]
    if not given.check:
        _DOCUMENT.write_text("\n".join(rows), "utf-8")
        return 0
    told = [_told_lines(line) for line in text.split("\n") if line.startswith("| P")]
    now = [_told_lines(line) for line in rows if line.startswith("| P")]
    return int(any(abs(one - other) > other / 10 for one, other in zip(told, now, strict=True)))


def _priced(row: str, seconds: dict[str, float] | None) -> str:
    """Return a row of the table with its prices."""
    cells = row.split(" | ")
    modules = _NAMED.findall(cells[_LINES - 1])
    lines = sum(_line_count(name) for name in modules)
    cells[_LINES - 1] = f"{lines:,}: {', '.join(f'`{name}`' for name in modules)}" if modules else "0"
    if seconds is not None:
        tests = [name for name in _NAMED.findall(cells[2]) if name.startswith("tests/")]
        cells[_SECONDS - 1] = f"{_seconds_of(tests, seconds):.0f} s |"
    return " | ".join(cells)


def _told_lines(row: str) -> int:
    return int(row.split(" | ")[_LINES - 1].partition(":")[0].replace(",", ""))


def _line_count(name: str) -> int:
    path = _ROOT / "src" / "tacit" / name
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return sum(len(file.read_text("utf-8").splitlines()) for file in files)


def _seconds(path: Path) -> Iterator[tuple[str, float]]:
    """Yield each test, as `tests/x/test_y.py::test_z`, with its seconds; parameters of one test count together."""
    found: dict[str, float] = {}
    for case in ElementTree.parse(path).iter("testcase"):
        parts = case.attrib["classname"].split(".")
        module = [part for part in parts if not part[0].isupper()]
        name = f"{'/'.join(module)}.py::{case.attrib['name'].partition('[')[0]}"
        found[name] = found.get(name, 0) + float(case.attrib["time"])
    yield from found.items()


def _seconds_of(tests: list[str], seconds: dict[str, float]) -> float:
    """Return the seconds of tests that are named one by one, by file or by folder, each counted once."""
    chosen = {name for name in seconds for test in tests if name == test or name.startswith((f"{test}::", f"{test}/"))}
    return sum(seconds[name] for name in chosen)


if __name__ == "__main__":
    sys.exit(main())
