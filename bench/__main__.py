"""Every figure: each bench in a process of its own, a table for each, and all of it kept in `bench/results.json`.

    python -m bench [--only NAME …] [--quick] [--material FOLDER]

Public sets are not part of the project. Where their folder is not given, by `--material` or `TACIT_BENCH_MATERIAL`,
what needs them is not measured and its earlier figures stay. Exit code 1 when a target is missed or a bench fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from bench.figures import Figure, table
from bench.homes import DEFAULT
from bench.results import PATH, load, merged, results, save, this_machine
from bench.suite import MATERIAL, NAMES, SUITE, Bench, chosen

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "TACIT_BENCH_MATERIAL"


class NotMeasured(NamedTuple):
    reason: str
    failed: bool = False


class Places(NamedTuple):
    """Where the homes are, and the public sets, if they are here."""

    homes: Path
    material: Path | None


def main() -> int:
    given = _parser().parse_args()
    places = Places(given.homes.resolve(), given.material.resolve() if given.material else None)
    well = [_ran(bench, places, given.results) for bench in chosen(given.only, quick=given.quick)]
    return 0 if all(well) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=f"of {', '.join(NAMES)}")
    slow = ", ".join(bench.name for bench in SUITE if bench.slow)
    parser.add_argument("--quick", action="store_true", help=f"without those that take long: {slow}")
    parser.add_argument("--homes", type=Path, default=DEFAULT, help="where homes are kept (default: %(default)s)")
    parser.add_argument("--results", type=Path, default=PATH, help="the file to keep figures in (default: %(default)s)")
    named = Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None
    parser.add_argument("--material", type=Path, default=named, help=f"folder of public sets (default: ${VARIABLE})")
    return parser


def _ran(bench: Bench, places: Places, kept: Path) -> bool:
    """Measure one, print it, keep it; whether it held. It is kept at once, so that a run can be broken off."""
    print(f"\n{bench.name}: {bench.command}", flush=True)
    found = _measured(bench, places)
    if isinstance(found, NotMeasured):
        print(f"not measured: {found.reason}", flush=True)
        return not found.failed
    print("\n".join(table(found)), flush=True)
    now = results(bench, found, date=date.today().isoformat(), machine=this_machine())
    save(merged(load(kept), now), kept)
    return not any(figure.ok is False for figure in found)


def _measured(bench: Bench, places: Places) -> list[Figure] | NotMeasured:
    lacking = _lacking(bench, places.material)
    if lacking:
        return lacking
    done = subprocess.run(_words(bench, places), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    figures = _figures(bench, done.stdout.splitlines())
    missed = any(figure.ok is False for figure in figures)
    if figures and (done.returncode == 0 or (done.returncode == 1 and missed)):  # some say so with their code
        return figures
    why = f"with code {done.returncode}" if done.returncode else "to print figures"
    return NotMeasured(f"it failed {why}", failed=True)


def _lacking(bench: Bench, material: Path | None) -> NotMeasured | None:
    if bench.needs and material is None:
        return NotMeasured(f"no material; name the folder with --material or {VARIABLE}")
    if material and bench.needs and not (material / bench.needs).exists():
        return NotMeasured(f"no material: {bench.needs} is not there")
    return None


def _words(bench: Bench, places: Places) -> list[str]:
    """The command, with this interpreter and with the folders in their places."""
    python, *rest = bench.command.split()
    assert python == "python"
    words = [word.replace(MATERIAL, str(places.material), 1) if bench.needs else word for word in rest]
    return [sys.executable, *words, *(("--homes", str(places.homes)) if bench.homes else ()), "--json"]


def _figures(bench: Bench, lines: Iterable[str]) -> list[Figure]:
    try:
        return list(bench.read(lines))
    except (ValueError, KeyError, TypeError) as why:
        print(f"{bench.name} printed what is no figure: {why!r}", file=sys.stderr)
        return []


if __name__ == "__main__":
    sys.exit(main())
