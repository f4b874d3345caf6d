"""A function for fish, which has no subshells: it goes back to where it was called."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.placeholders import parametrised
from tacit.core.workflow import changes_directory
from tacit.notes.recipes.quoting import fish_word, shell_call, shell_call_with
from tacit.notes.recipes.recipe import Recipe, function_name, origin


def render(recipe: Recipe) -> str:
    first, *rest = _lines(recipe)
    return "\n".join(
        [
            f"# {origin(recipe)}",
            f"function {function_name(recipe)}",
            *_usage(recipe),
            "    set -l tacit_here $PWD",
            f"    {first}",
            *(f"    and {line}" for line in rest),
            "    set -l tacit_status $status",
            "    builtin cd $tacit_here",
            "    return $tacit_status",
            "end",
            "",
        ]
    )


def _usage(recipe: Recipe) -> Iterator[str]:
    if names := recipe.names:
        usage = f"usage: {function_name(recipe)} {' '.join(names).upper()}"
        yield f"    if test (count $argv) -ne {len(names)}; echo {fish_word(usage)} >&2; return 2; end"


def _lines(recipe: Recipe) -> Iterator[str]:
    if recipe.directory:
        yield f"builtin cd {fish_word(recipe.directory)}"
    names = recipe.names
    for step in recipe.steps:
        if changes_directory(step):
            yield f"eval {fish_word(parametrised(step, names, 'fish'))} >/dev/null"
        elif names:
            word = fish_word(parametrised(step, names, "fish"))
            yield f"command {shell_call_with('fish', word, '$argv')}"
        else:
            yield f"command {shell_call('fish', fish_word(step))}"
