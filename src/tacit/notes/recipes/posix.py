"""The lines of a recipe in a POSIX shell, each ended where it fails: what just and make are given."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.placeholders import parametrised
from tacit.core.workflow import changes_directory
from tacit.notes.recipes.quoting import ARGUMENTS, sh_word, shell_call, shell_call_with
from tacit.notes.recipes.recipe import Recipe


def lines(recipe: Recipe) -> Iterator[str]:
    if recipe.directory:
        yield f"cd -- {sh_word(recipe.directory)} || exit"
    names = recipe.names  # whoever gives the lines to a shell has set the positional parameters to their values
    for step in recipe.steps:
        if changes_directory(step):
            yield f"eval {sh_word(parametrised(step, names, 'sh'))} >/dev/null || exit"
        elif names:
            word = sh_word(parametrised(step, names, recipe.shell))
            yield f"{shell_call_with(recipe.shell, word, ARGUMENTS)} || exit"
        else:
            yield f"{shell_call(recipe.shell, sh_word(step))} || exit"
