"""How long `tacit setup` takes on a machine where nothing was done, and on one with years of work.

    python -m bench.setup TRANSCRIPTS [--json]

TRANSCRIPTS is a folder of transcripts. The full machine has them where Claude Code keeps its own, with an extended zsh
history of 100,000 lines. Everything is done that setting up does without a person: files of shells and agents, the
import of both, learning from them, and the answer in the end. The least of three rounds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import Figure, print_figures
from bench.history import LINES, history
from bench.processes import TACIT, Usage, run

ROUNDS = 3


def measure(transcripts: Path) -> Iterator[Figure]:
    empty = min((_set_up(None) for _ in range(ROUNDS)), key=lambda usage: usage.wall)
    yield Figure("tacit setup on an empty machine", f"{empty.wall:.2f} s ({empty.cpu:.2f} s of CPU)")
    full = min((_set_up(transcripts) for _ in range(ROUNDS)), key=lambda usage: usage.wall)
    files = [path for path in transcripts.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    note = f"{full.cpu:.1f} s of CPU, {full.memory:.0f} MB; {LINES:,} commands, {len(files)} files with {size:.0f} MB"
    yield Figure("tacit setup on a full machine", f"{full.wall:.1f} s ({note})")


def _set_up(transcripts: Path | None) -> Usage:
    """Set up a machine that is made for it: one with zsh and Claude Code, used or not."""
    with TemporaryDirectory(prefix="tacit-bench-setup-") as place:
        folder = Path(place)
        (folder / ".claude").mkdir()
        (folder / ".zshrc").write_text("export EDITOR=vim\n")
        if transcripts is not None:
            (folder / ".zsh_history").write_bytes(b"".join(history(LINES)))
            shutil.copytree(transcripts, folder / ".claude" / "projects" / "material")
        environment = {"HOME": place, "PATH": os.environ["PATH"], "SHELL": "/bin/zsh"}
        return run((TACIT, "setup", "--yes"), environment)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    return print_figures(measure(given.transcripts), as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
