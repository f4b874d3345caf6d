"""An installation of Tacit that can be removed: an environment of Python with a copy of the package in it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import tacit


class Removable:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        self.interpreter = folder / "bin" / "python"
        (site,) = folder.glob("lib/python*/site-packages")
        self.package = site / "tacit"
        shutil.copytree(Path(tacit.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))

    def tacit(self, *words: str, cwd: Path, environment: Mapping[str, str]) -> str:
        """What it printed. A path to other packages is not handed on: the copy must be the one that runs."""
        own = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
        command = [str(self.interpreter), "-m", "tacit", *words]
        with subprocess.Popen(command, cwd=cwd, env=own, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as running:
            said, _ = running.communicate()
        assert running.returncode == 0, said
        return said.decode()

    def remove_package(self) -> None:
        """As `pip uninstall` or a moved clone."""
        shutil.rmtree(self.package)

    def remove_interpreter(self) -> None:
        """As a removed environment, or a Python that was upgraded."""
        shutil.rmtree(self.folder / "bin")

    def break_interpreter(self) -> None:
        """A link that leads nowhere, as an environment has after an upgrade of the Python it was made with."""
        self.interpreter.unlink()
        self.interpreter.symlink_to("/nonexistent/python3")

    def forbid_interpreter(self) -> None:
        """There, but not to be executed."""
        self.interpreter.unlink()
        self.interpreter.write_text("not a program\n")
        self.interpreter.chmod(0o644)

    def crash_interpreter(self) -> None:
        """It starts, complains and is killed, as one whose libraries do not fit."""
        self.interpreter.unlink()
        self.interpreter.write_text('#!/bin/sh\necho "Fatal error: no library" >&2\nkill -9 $$\n')
        self.interpreter.chmod(0o755)

    def refuse(self) -> None:
        """It exits with the code that hosts take for a refusal, and says why."""
        self.interpreter.unlink()
        self.interpreter.write_text('#!/bin/sh\necho "error: unknown option -I" >&2\nexit 2\n')
        self.interpreter.chmod(0o755)

    def remove(self) -> None:
        shutil.rmtree(self.folder)


REMOVALS: Mapping[str, Callable[[Removable], None]] = {
    "the package": Removable.remove_package,
    "the interpreter": Removable.remove_interpreter,
    "what the interpreter links to": Removable.break_interpreter,
    "the right to execute it": Removable.forbid_interpreter,
    "its libraries": Removable.crash_interpreter,
    "its options": Removable.refuse,
    "everything": Removable.remove,
}
