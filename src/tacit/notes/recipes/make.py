"""A rule of a makefile: one recipe line, so that all steps share one directory."""

from __future__ import annotations

from tacit.notes.recipes import posix
from tacit.notes.recipes.recipe import Recipe, origin, safe_name

# A step that calls make itself is meant to be the first make, not one below this.
_FIRST = "unset MAKEFLAGS MFLAGS MAKELEVEL"


def render(recipe: Recipe) -> str:
    name = safe_name(recipe.name)
    body = [line.replace("$", "$$") for line in posix.lines(recipe)]
    if names := [f"tacit_{name}" for name in recipe.names]:  # make hands variables of its command line to the shell
        wanted = " ".join(f"{name}=…" for name in names)
        given = [f': "$${{{name}?say make {safe_name(recipe.name)} {wanted}}}"' for name in names]
        body = [*given, "set -- " + " ".join(f'"$${name}"' for name in names), *body]
    head = [f"# {origin(recipe)}", f".PHONY: {name}", f"{name}: SHELL := /bin/sh", f"{name}:"]
    return "\n".join([*head, "\t@" + "; \\\n\t".join([_FIRST, *body]), ""])
