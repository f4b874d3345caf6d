"""What programs print with `--help`. Only those run that the person allowed in the setting `check.programs`.

They run without a shell, without input, in an empty folder, with an environment of a few variables, and within a time
limit. A program that lies in the work tree is not run, whatever it is called.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache

from tacit.disk.read import file_signature
from tacit.home.work_tree import WorkTree
from tacit.model.conditions import GREEN, HelpOption, LookupResult, red, unknown

_SECONDS = 5
_MAX_CHARS = 256 * 1024
_MIN_CHARS = 40  # less is no help
_OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")


def look_at_option(tree: WorkTree, condition: HelpOption) -> LookupResult:
    """Return whether the help of a command has an option, or has it not."""
    program = shutil.which(condition.words[0], path=os.pathsep.join(tree.path))
    command = " ".join(condition.words)
    if program is None:
        return unknown(f"{condition.words[0]} is not installed")
    program = os.path.realpath(program)
    if program.startswith(os.path.realpath(tree.root) + os.sep):
        return unknown(f"{condition.words[0]} is a file of the project, and is not run")
    text = _help_of(program, condition.words[1:], file_signature(program))
    if len(text) < _MIN_CHARS:
        return unknown(f"{command} --help says nothing")
    has_option = condition.option in _OPTION.findall(text)
    if has_option == condition.is_wanted:
        return GREEN
    return red(f"{command} --help {'names' if has_option else 'does not name'} {condition.option}")


@lru_cache(maxsize=64)
def _help_of(program: str, words: tuple[str, ...], _signature: str) -> str:
    with tempfile.TemporaryDirectory(prefix="tacit-help-") as folder:
        environment = {
            **{"PATH": os.defpath, "HOME": folder, "LANG": "C.UTF-8", "TERM": "dumb", "COLUMNS": "200"},
            **dict.fromkeys(("PAGER", "GIT_PAGER", "MANPAGER"), "cat"),
        }
        try:
            done = subprocess.run(
                [program, *words, "--help"],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return done.stdout[:_MAX_CHARS].decode("utf-8", "replace")
