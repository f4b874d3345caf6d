"""Some of the tests on the other interpreters at hand: `python -m harness.interpreters`.

The whole suite runs on one interpreter. The tests of what reads text, and of everyday life, run on Debian's own and on
newer ones, too: regular expressions, Unicode, JSON and SQLite differ between them. What is marked `same_everywhere` is
left out, since none of these decides it: the order in which things are done, where words come out, the source itself.
An interpreter that is not installed is named and left out.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("secrets", "commandline", "text", "hostile", "lives")
WANTED = ("Debian's python3", "python3.12", "python3.13")
_OLDEST = (3, 11)
_NEEDED = ("hypothesis", "markdown-it-py", "pyte", "pytest", "pytest-xdist")  # tests that need more are skipped
_TELL_VERSION = "import sys; print(*sys.version_info[:3], sep='.')"


def main(folders: Sequence[str] = FOLDERS) -> int:
    """Run the tests on each interpreter; return 1 if they fail on one."""
    done = {version_of(Path(sys.executable))}
    print(f"the whole suite: Python {', '.join(filter(None, done))}", flush=True)
    failed = False
    for name in WANTED:
        python = find(name)
        version = version_of(python) if python else None
        if python is None or version is None:
            print(f"{name}: not at hand", flush=True)
        elif version in done:
            print(f"{name}: Python {version}, as above", flush=True)
        else:
            done.add(version)
            print(f"{name}: Python {version}, {python}", flush=True)
            failed |= not _passes(python, version, folders)
    return int(failed)


def find(name: str) -> Path | None:
    """Return an interpreter that runs, of the version that its name says; None if there is none."""
    return next((path for path in _candidates(name) if _is_wanted(version_of(path), name)), None)


def _candidates(name: str) -> Iterator[Path]:
    if not name.startswith("python"):
        yield Path("/usr/bin/python3")
        return
    if found := shutil.which(name):  # perhaps a shim of pyenv for a version that is not chosen here
        yield Path(found)
    yield from sorted(Path.home().glob(f".pyenv/versions/{name.removeprefix('python')}*/bin/{name}"), reverse=True)


def version_of(python: Path) -> str | None:
    """Return the version of an interpreter, such as "3.12.1"; None if it does not run."""
    try:
        told = subprocess.run([python, "-c", _TELL_VERSION], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return told.stdout.strip()


def _is_wanted(version: str | None, name: str) -> bool:
    if version is None or tuple(map(int, version.split(".")[:2])) < _OLDEST:
        return False
    return not name.startswith("python") or f"python{version}.".startswith(f"{name}.")


def _passes(python: Path, version: str, folders: Sequence[str]) -> bool:
    environment = Path(sys.prefix) / f"python{version}"
    if not _install(python, environment):
        print(f"no environment could be made for {python}", flush=True)
        return False
    tests = [f"tests/{folder}" for folder in folders if (ROOT / "tests" / folder).exists()]
    cache = f"cache_dir={environment / 'cache'}"
    options = ["-n", "2", "--disable-warnings", "-m", "not same_everywhere", "--examples", "0.4", "-o", cache]
    return subprocess.run([environment / "bin" / "pytest", *options, *tests], cwd=ROOT, check=False).returncode == 0


def _install(python: Path, environment: Path) -> bool:
    """Make an environment with Tacit, its page and what these tests import, unless there is one that is new enough."""
    settings, installed = ROOT / "pyproject.toml", environment / "installed"
    if installed.exists() and installed.stat().st_mtime >= settings.stat().st_mtime:
        return True
    listed = tomllib.loads(settings.read_text(encoding="utf-8"))["project"]["optional-dependencies"]["dev"]
    packages = [one for one in listed if one.split(">")[0] in _NEEDED]
    pip: list[str | Path] = [environment / "bin" / "python", "-m", "pip"]
    if subprocess.run([python, "-m", "venv", environment], cwd=ROOT, check=False, capture_output=True).returncode:
        # Debian's own interpreter may have no pip to put into an environment. Ours may be too old for a newer one.
        pip = [Path(sys.prefix) / "bin" / "pip", "--python", environment / "bin" / "python"]
        if subprocess.run([python, "-m", "venv", "--without-pip", environment], cwd=ROOT, check=False).returncode:
            return False
    install = [*pip, "install", "--quiet", "--disable-pip-version-check", "--editable", ".[web]", *packages]
    if subprocess.run(install, cwd=ROOT, check=False).returncode:
        return False
    installed.touch()
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or FOLDERS))
