"""The lines of a recipe in a POSIX shell, each ended where it fails: what just and make are given."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.workflow import changes_directory
from tacit.notes.recipes.quoting import sh_word, shell_call
from tacit.notes.recipes.recipe import Recipe


def lines(recipe: Recipe) -> Iterator[str]:
    if recipe.directory:
        yield f"cd -- {sh_word(recipe.directory)} || exit"
    for step in recipe.steps:
        if changes_directory(step):
            yield f"eval {sh_word(step)} >/dev/null || exit"
        else:
            yield f"{shell_call(recipe.shell, sh_word(step))} || exit"
