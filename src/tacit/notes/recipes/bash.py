"""A function for bash: in a subshell, so that whoever calls it stays where they are."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.placeholders import parametrised
from tacit.core.workflow import changes_directory
from tacit.notes.recipes.quoting import ARGUMENTS, bash_word, shell_call, shell_call_with
from tacit.notes.recipes.recipe import Recipe, function_name, origin


def render(recipe: Recipe) -> str:
    return function(recipe, "bash")


def function(recipe: Recipe, shell: str) -> str:
    """The same words do for bash and zsh. No alias of the session changes them."""
    head = [f"# {origin(recipe)}", f"function {function_name(recipe)}() ("]
    if names := recipe.names:
        usage = f"usage: {function_name(recipe)} {' '.join(names).upper()}"
        head.append(f"  [ $# -eq {len(names)} ] || {{ echo {bash_word(usage)} >&2; exit 2; }}")
    return "\n".join([*head, *(f"  {line} || exit" for line in _lines(recipe, shell)), ")", ""])


def _lines(recipe: Recipe, shell: str) -> Iterator[str]:
    if recipe.directory:
        yield f"builtin cd -- {bash_word(recipe.directory)}"
    names = recipe.names
    for step in recipe.steps:
        if changes_directory(step):
            yield f"builtin eval {bash_word(parametrised(step, names, shell))} >/dev/null"
        elif names:
            word = bash_word(parametrised(step, names, shell))
            yield f"command {shell_call_with(shell, word, ARGUMENTS)}"
        else:
            yield f"command {shell_call(shell, bash_word(step))}"
