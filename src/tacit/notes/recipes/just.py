"""A recipe of a justfile: a script of its own, so that all steps share one directory."""

from __future__ import annotations

from tacit.notes.recipes import posix
from tacit.notes.recipes.recipe import Recipe, origin, safe_name


def render(recipe: Recipe) -> str:
    """Two braces open an expression of just; four are two."""
    body = [line.replace("{{", "{{{{") for line in posix.lines(recipe)]
    names = [f"tacit_{name}" for name in recipe.names]  # no name that means something to just
    if names:
        body.insert(0, f"set -- {' '.join(f'{{{{quote({name})}}}}' for name in names)}")
    head = [f"# {origin(recipe)}", "[no-cd]", f"{' '.join([safe_name(recipe.name), *names])}:"]
    return "\n".join([*head, *(f"    {line}" for line in ("#!/bin/sh", *body)), ""])
