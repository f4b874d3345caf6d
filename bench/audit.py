"""The audit of rule files: what it finds, and how long it takes.

    python -m bench.audit [REPOSITORY …] [--list] [--files N]

A repository of 80,000 files is generated, with rule files that name things which exist and things which do not. Every
repository is audited by `tacit audit --json` as a process of its own, with an empty home folder; CPU and wall time are
the least of three rounds. `--list` prints what is found in the repositories that are named, to be read by eye.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.figures import Figure, against_target, print_figures

FILES = 80_000
_FILES_PER_FOLDER, _FOLDERS_PER_PACKAGE = 40, 50
_ROUNDS = 3
# Lines that name what the generated repository has, and what it has not; {} is the number of a package.
_PRESENT = (
    "Handlers are in `packages/p{}/f0/m1.ts`, see [the guide](docs/guide.md).",
    "Look at `f1/m3.ts:12` and `packages/p{}/f2/`.",
    "Run `pnpm run build:p{}` and `make test`, then `just check`.",
    "Send `text/html`; branches are `feature/login`; put new ones at `path/to/file.ts`.",
    "Never edit `packages/p{}/gone.ts`.",
    "Create `packages/p{}/new.ts` for orders.",
    "Output goes to `generated/p{}.ts` and `dist/app.js`.",
)
_GONE = {
    "Handlers are in `packages/p{}/f0/gone.ts`.": "packages/p{}/f0/gone.ts",
    "Read [the guide](docs/gone{}.md) first.": "docs/gone{}.md",
    "Run `pnpm run gone:p{}` first.": "the script gone:p{} of package.json",
    "Run `make gone-p{}` last.": "the target gone-p{} of the Makefile",
}


class Audit(NamedTuple):
    """What was printed, and the least CPU and wall time of all rounds in seconds."""

    report: dict[str, Any]
    cpu: float
    wall: float

    @property
    def gone(self) -> list[str]:
        findings = self.report["rule_findings"]
        return [each["what"].removesuffix(" does not exist") for each in findings if each["category"] == "gone"]


def measure(repositories: Iterable[Path], count: int, listed: bool) -> Iterator[Figure]:
    for repository in repositories:
        done = audit(repository)
        kinds = Counter(each["category"] for each in done.report["rule_findings"])
        note = "; ".join(
            (
                f"{count_files(repository):,} files, {len(done.report['rule_files'])} rule files",
                f"CPU {done.cpu * 1000:.0f} ms, {done.wall * 1000:.0f} ms in all",
                ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())) or "nothing found",
            )
        )
        yield Figure(f"audit: findings in {repository.name}", f"{kinds.total()} ({note})")
        for each in done.report["rule_findings"] if listed else ():
            print(f"{each['path']}:{each['line']}: {each['category']}: {each['what']} | {each['sentence']}")
    yield from _generated(count)


def _generated(count: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tacit-audit-") as folder:
        root = Path(folder) / "large"
        planted = generate(root, count)
        done = audit(root)
        rules = f"{count_files(root):,} files, {len(done.report['rule_files'])} rule files"
    missed, false = planted.difference(done.gone), set(done.gone) - planted
    yield against_target("audit: names that are gone and not reported", len(missed), note=f"{len(planted)} planted")
    yield against_target("audit: names that are reported and not gone", len(false), note=rules)
    yield against_target(f"CPU of `tacit audit`, {count:,} files", done.cpu, "s", f"{done.wall:.2f} s in all")


def audit(root: Path) -> Audit:
    """Audit a repository as a process, as often as there are rounds."""
    command = [sys.executable, "-m", "tacit", "audit", "--json", str(root)]
    cpus, walls, printed = [], [], ""
    with tempfile.TemporaryDirectory(prefix="tacit-audit-home-") as home:
        environment = {"HOME": home, "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
        for _ in range(_ROUNDS):
            before, start = _cpu_seconds(), time.perf_counter()
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            walls.append(time.perf_counter() - start)
            cpus.append(_cpu_seconds() - before)
            printed = done.stdout
    return Audit(json.loads(printed), min(cpus), min(walls))


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def count_files(root: Path) -> int:
    return sum(len(names) for folder, _, names in os.walk(root) if f"{os.sep}.git{os.sep}" not in f"{folder}{os.sep}")


def generate(root: Path, count: int) -> set[str]:
    """Write a repository of about `count` files. Return what its rule files name that it does not have."""
    (root / ".git").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "docs" / "guide.md").write_text("x\n")
    (root / ".gitignore").write_text("generated/\n*.log\n")
    (root / "Makefile").write_text("test:\n\ttrue\n")
    (root / "justfile").write_text("check:\n  true\n")
    planted: set[str] = set()
    packages = max(count // (_FILES_PER_FOLDER * _FOLDERS_PER_PACKAGE), 1)
    for number in range(packages):
        package = root / "packages" / f"p{number}"
        for folder in range(_FOLDERS_PER_PACKAGE):
            (package / f"f{folder}").mkdir(parents=True)
            for module in range(_FILES_PER_FOLDER):
                (package / f"f{folder}" / f"m{module}.ts").touch()
        (package / "package.json").write_text(json.dumps({"scripts": {f"build:p{number}": "tsc"}}))
        lines = [*(line.format(number) for line in _PRESENT), *(line.format(number) for line in _GONE)]
        (package / "AGENTS.md").write_text("".join(f"- {line}\n" for line in lines))
        planted.update(name.format(number) for name in _GONE.values())
    return planted


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.audit", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("repositories", nargs="*", type=Path, help="repositories to audit; they are only read")
    parser.add_argument("--list", action="store_true", help="print every finding in them")
    parser.add_argument("--files", type=int, default=FILES, help="files of the generated one (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    given = parser.parse_args()
    figures = measure([path.resolve() for path in given.repositories], given.files, given.list)
    return print_figures(figures, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
