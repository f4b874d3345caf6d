"""bash: `~/.bashrc`."""

from __future__ import annotations

import os
import shlex

from tacit.surfaces.install.block import with_block, without_block
from tacit.surfaces.install.change import Change, bytes_of
from tacit.surfaces.install.target import Place, Target


def _file(place: Place) -> str:
    return os.path.join(place.folder, ".bashrc")


def _lines(place: Place) -> str:
    first, program = shlex.quote(place.program[0]), shlex.join(place.program)
    return f'if [ -x {first} ]; then eval "$({program} hook bash 2>/dev/null)"; fi\n'


def installed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_file(place))
    return (Change(_file(place), before, with_block(before, "bash", _lines(place))),)


def removed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_file(place))
    return (Change(_file(place), before, without_block(before, "bash")),)


TARGET = Target("bash", installed, removed, "It begins in the next bash you start, or here with: exec bash")
