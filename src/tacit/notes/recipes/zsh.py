"""A function for zsh."""

from __future__ import annotations

from tacit.notes.recipes import bash
from tacit.notes.recipes.recipe import Recipe


def render(recipe: Recipe) -> str:
    return bash.function(recipe, "zsh")
