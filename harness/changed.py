"""The tests of the packages that changed: `python -m harness.changed`, or `python -m harness.changed PACKAGE…`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BASES = ("main", "origin/main")  # what a branch is compared with


def main(packages: Sequence[str] = ()) -> int:
    """Run the tests of these packages, or of those that changed since the branch left main; return pytest's code."""
    tests = sorted({test for package in packages for test in package_tests(package)})
    if unknown := [package for package in packages if not package_tests(package)]:
        print(f"no tests of {', '.join(unknown)}; the packages are the folders of src/tacit", file=sys.stderr)
        return 2
    if not packages:
        tests = related_tests(changed_files(ROOT))
    if not tests:
        print("no package changed; `make check PKG=…` names one, and `make test` runs everything")
        return 0
    print(f"the tests: {' '.join(tests)}", flush=True)
    pytest = Path(sys.prefix) / "bin" / "pytest"
    return subprocess.run([pytest, "-n", "2", "--dist", "loadfile", *tests], cwd=ROOT, check=False).returncode


def related_tests(paths: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the test folders and files that changed files belong to, each once and none inside another."""
    tests = {test for path in paths for test in _file_tests(path, root)}
    return sorted(test for test in tests if not any(str(parent) in tests for parent in Path(test).parents))


def package_tests(package: str, root: Path = ROOT) -> list[str]:
    """Return the folder `tests/PACKAGE`, and files such as `tests/test_PACKAGE.py`."""
    folder = root / "tests" / package
    files = sorted((root / "tests").glob(f"test_{package}*.py"))
    return [path.relative_to(root).as_posix() for path in ([folder] if folder.is_dir() else files)]


def _file_tests(path: str, root: Path) -> list[str]:
    """A module has the tests of its package, a test module itself; what tests share has those of its own folder."""
    match Path(path).parts:
        case ("src", "tacit", package, *_):
            return package_tests(package.removesuffix(".py"), root)
        case ("tests", *_, name) if name.startswith("test_") and (root / path).is_file():
            return [path]
        case ("tests", package, _, *_) if package not in ("support", "golden"):
            return package_tests(package, root)
    return []


def changed_files(repository: Path) -> list[str]:
    """Return what differs from where the branch left main, or from the last commit; new files too."""
    names = ["git", "diff", "--name-only", _base(repository)], ["git", "ls-files", "--others", "--exclude-standard"]
    return [name for command in names for name in _lines(command, repository)]


def _base(repository: Path) -> str:
    bases = (list(_lines(["git", "merge-base", "HEAD", base], repository)) for base in _BASES)
    return next((found[0] for found in bases if found), "HEAD")


def _lines(command: list[str], repository: Path) -> Iterator[str]:
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    yield from done.stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
