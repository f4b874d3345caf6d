"""Contradictions: how many are noticed, what overrules where nothing is opposed, and what counts as a confirmation.

    python bench/contradictions.py [FILE…] [--list] [--json]

FILE: JSON lines with `id`, `older`, `newer`, `label` (`opposes`, `similar`, `same`) and `group`. Without any, both
tables of `bench/contradicting` are scored. `--list` prints rows that are judged wrongly; it is refused for unseen ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.figures import Figure, print_figures
from tacit.contradiction import relate
from tacit.model.conflict import RelationKind

FOLDER = Path(__file__).parent / "contradicting"
TABLES = (FOLDER / "seen.jsonl", FOLDER / "unseen" / "one.jsonl")
PRECISION, RECALL = 0.9, 0.8
NOTICED = (RelationKind.OVERRULES, RelationKind.MAY_CONTRADICT)


class Row(NamedTuple):
    """A pair of statements, what a person says of it, and what the code does."""

    older: str
    newer: str
    label: str
    group: str
    bond: RelationKind


def rows(path: Path) -> list[Row]:
    found = (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())
    return [
        Row(one["older"], one["newer"], one["label"], one["group"], relate(one["older"], one["newer"]).kind)
        for one in found
    ]


def figures(name: str, table_rows: Iterable[Row]) -> Iterator[Figure]:
    judged = list(table_rows)
    counts = Counter((row.label, row.bond) for row in judged)
    opposing = sum(row.label == "opposes" for row in judged)
    said = sum(row.bond in NOTICED for row in judged)
    hits = sum(counts["opposes", kind] for kind in NOTICED)
    silenced = sum(row.bond is RelationKind.OVERRULES and row.label != "opposes" for row in judged)
    yield Figure(f"{name}: pairs that overrule and do not oppose", str(silenced), "0", silenced == 0)
    yield _share(f"{name}: precision of what is noticed", hits, said, PRECISION)
    yield _share(f"{name}: opposing pairs that are noticed", hits, opposing, RECALL)
    overruled = counts["opposes", RelationKind.OVERRULES]
    yield Figure(f"{name}: opposing pairs that overrule", f"{overruled} (of {opposing})")
    confirmed = counts["opposes", RelationKind.SAME]
    yield Figure(f"{name}: opposing pairs counted as a confirmation", str(confirmed), "0", confirmed == 0)
    merged, same = counts["same", RelationKind.SAME], sum(row.label == "same" for row in judged)
    yield Figure(f"{name}: pairs that say the same and are merged", f"{merged} (of {same})")
    for group, wrong, all_of_it in _by_group(judged):
        yield Figure(f"{name}: {group}, judged rightly", f"{all_of_it - wrong} (of {all_of_it})")


def _share(name: str, part: int, whole: int, least: float) -> Figure:
    share = part / whole if whole else 0.0
    return Figure(name, f"{share:.3f} ({part} of {whole})", f"≥ {least:g}", share >= least)


def _by_group(judged: Iterable[Row]) -> Iterator[tuple[str, int, int]]:
    every, wrong = Counter[str](), Counter[str]()
    for row in judged:
        every[f"{row.label}, {row.group}"] += 1
        wrong[f"{row.label}, {row.group}"] += (row.label == "opposes") != (row.bond in NOTICED)
    yield from ((group, wrong[group], every[group]) for group in sorted(every))


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/contradictions.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "files", type=Path, nargs="*", default=list(TABLES), help="tables (default: both of the project)"
    )
    parser.add_argument("--list", action="store_true", help="print the rows that are judged wrongly")
    parser.add_argument("--json", action="store_true", help="one object a line")
    given = parser.parse_args()
    if given.list and any("unseen" in path.parts for path in given.files):
        parser.error("rows of unseen tables are not shown; name the tables to list")
    found: list[Figure] = []
    for path in given.files:
        judged = rows(path)
        found += figures("unseen" if "unseen" in path.parts else path.stem, judged)
        for row in judged if given.list else ():
            if (row.label == "opposes") != (row.bond in NOTICED):
                print(f"{row.label}, judged {row.bond.value}: {row.older} | {row.newer}")
    return print_figures(found, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
