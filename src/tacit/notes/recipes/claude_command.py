"""A slash command of Claude Code: Markdown with the steps in fences that they cannot close.

Claude Code replaces `$1`, `$ARGUMENTS` and the like everywhere in the file, in fences too, and runs what stands between
`` !` `` and a backtick. A step that holds such a thing is written so that it holds none and does the same. No tools are
allowed in the front matter: the agent asks as it always does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.placeholders import placeholder
from tacit.notes.recipes.quoting import is_plain, sh_word, shell_call
from tacit.notes.recipes.recipe import Recipe, origin, safe_name

_REPLACED = re.compile(r"\$(?:\d|ARGUMENTS|\{CLAUDE)|!`")
_SIGNS = "$`!"
_LANGUAGE = {"zsh": "zsh", "bash": "bash"}


def render(recipe: Recipe) -> str:
    name, count = safe_name(recipe.name), len(recipe.steps)
    told = [
        "---",
        f"description: Run the workflow {name}, step by step",
        "---",
        "",
        f"{origin(recipe)}.",
        "",
        f"Run these {count} steps in order, each as it stands, all from one directory. A step that is only a `cd`",
        "changes the directory of those after it. Stop at the first step that fails and show what it printed.",
        *_asking(recipe),
        *_blocks(recipe),
    ]
    return "\n".join([*told, ""])


def _asking(recipe: Recipe) -> Iterator[str]:
    if names := recipe.names:
        told = ", ".join(f"`{placeholder(name)}`" for name in names)
        yield from ("", f"Before you begin, ask for the value of each placeholder: {told}.")
        yield "Put each in as one quoted word of the shell."


def _blocks(recipe: Recipe) -> Iterator[str]:
    if recipe.directory:
        yield from ("", "Begin in this directory:", "", _fenced(f"cd -- {_word(recipe.directory)}", recipe.shell))
    for number, step in enumerate(recipe.steps, 1):
        yield from ("", f"Step {number} of {len(recipe.steps)}:", "", _fenced(_step(step, recipe.shell), recipe.shell))


def _step(step: str, shell: str) -> str:
    """As it stands where an agent's shell runs it so; else in a shell of its own."""
    stands = is_plain(step.replace("\n", "").replace("\t", "")) and not _REPLACED.search(step)
    return step if stands and shell != "fish" else shell_call(shell, _word(step))


def _word(text: str) -> str:
    return sh_word(text, also=_SIGNS if _REPLACED.search(text) else "")


def _fenced(text: str, shell: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{_LANGUAGE.get(shell, 'sh')}\n{text}\n{fence}"
