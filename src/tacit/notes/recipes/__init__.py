"""Workflows for other tools: one file a format, each a function from a recipe to a text.

Whatever a step holds, it arrives as one quoted word or inside a fence that it cannot close; each export stops at the
first step that fails.
"""

from __future__ import annotations

from collections.abc import Callable

from tacit.notes.recipes import bash, claude_command, fish, just, make, zsh
from tacit.notes.recipes.recipe import Recipe

FORMATS: dict[str, Callable[[Recipe], str]] = {
    "bash": bash.render,
    "zsh": zsh.render,
    "fish": fish.render,
    "just": just.render,
    "make": make.render,
    "claude-command": claude_command.render,
}
