"""What a replay says of real sessions, and how sure it is that two statements are one.

    python -m bench.replay TRANSCRIPTS [--list] [--json]

TRANSCRIPTS is a folder of transcripts, all taken for one person's. `--list` prints what `tacit replay` prints, to be
read: every line says that somebody repeated something. The tables of `bench/contradicting` say how many restatements
are recognised, and how many other pairs are taken for one. The threshold was chosen on the table `seen`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.contradictions import TABLES, rows
from bench.figures import Figure, print_figures
from bench.processes import TACIT, run
from tacit.learn.corrections import says_again
from tacit.search.semantic import text_similarity


def measure(transcripts: Path, *, shows: bool) -> Iterator[Figure]:
    with TemporaryDirectory(prefix="tacit-bench-replay-") as place:
        environment = {"HOME": place, "TACIT_HOME": f"{place}/.agents", "PATH": "/usr/bin:/bin"}
        run((TACIT, "import", "transcripts", str(transcripts)), environment)
        replay = (TACIT, "replay", "--since", "20y", "--all")
        usage = run(replay, environment)
        if shows:
            print(subprocess.run(replay, env=environment, capture_output=True, text=True, check=True).stdout)
        yield Figure("tacit replay", f"{usage.wall:.1f} s ({usage.cpu:.1f} s of CPU, {usage.memory:.0f} MB)")
    for table in TABLES:
        counts = Counter(
            (row.label == "same", says_again(row.newer, row.older, text_similarity)) for row in rows(table)
        )
        name, same, others = table.stem, sum(counts[True, found] for found in (True, False)), counts[False, True]
        yield Figure(f"{name}: restatements that are recognised", f"{counts[True, True]} (of {same})")
        yield Figure(f"{name}: other pairs taken for one", f"{others} (of {others + counts[False, False]})")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    return print_figures(measure(given.transcripts, shows=given.list), as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
