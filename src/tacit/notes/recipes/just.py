"""A recipe of a justfile: a script of its own, so that all steps share one directory."""

from __future__ import annotations

from tacit.notes.recipes import posix
from tacit.notes.recipes.recipe import Recipe, origin, safe_name


def render(recipe: Recipe) -> str:
    """Two braces open an expression of just; four are two."""
    body = [line.replace("{{", "{{{{") for line in posix.lines(recipe)]
    head = [f"# {origin(recipe)}", "[no-cd]", f"{safe_name(recipe.name)}:"]
    return "\n".join([*head, *(f"    {line}" for line in ("#!/bin/sh", *body)), ""])
