"""fish: `fish/config.fish` in `$XDG_CONFIG_HOME`, else in `~/.config`."""

from __future__ import annotations

import os

from tacit.surfaces.hooks.snippet import SHELLS
from tacit.surfaces.install.block import with_block, without_block
from tacit.surfaces.install.change import Change, bytes_of
from tacit.surfaces.install.target import Place, Target


def _file(place: Place) -> str:
    return os.path.join(place.variable("XDG_CONFIG_HOME", ".config"), "fish", "config.fish")


def _lines(place: Place) -> str:
    program = " ".join(map(SHELLS["fish"].quote, place.program))
    first = SHELLS["fish"].quote(place.program[0])
    return f"if test -x {first}\n    {program} hook fish 2>/dev/null | source\nend\n"


def installed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_file(place))
    return (Change(_file(place), before, with_block(before, "fish", _lines(place))),)


def removed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_file(place))
    return (Change(_file(place), before, without_block(before, "fish")),)


TARGET = Target("fish", installed, removed, "It begins in the next fish you start, or here with: exec fish")
