"""Every figure, in one Markdown table. Exit code 1 when a target is missed."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure, decoded, table
from bench.homes import DEFAULT

BENCHES = ("startup", "waiting", "append", "safety", "rebuild", "redaction", "history", "learning", "prompt", "hooks")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--homes", type=Path, default=DEFAULT, help="where homes are kept (default: %(default)s)")
    folder = parser.parse_args().homes.resolve()
    figures = list(_figures(folder))
    print("\n".join(table(figures)))
    return 1 if any(figure.ok is False for figure in figures) else 0


def _figures(folder: Path) -> Iterator[Figure]:
    """Each bench in a process of its own, so that none inherits the memory and caches of another."""
    for name in BENCHES:
        command = [sys.executable, "-m", f"bench.{name}", "--homes", str(folder), "--json"]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        yield from map(decoded, lines)


if __name__ == "__main__":
    sys.exit(main())
