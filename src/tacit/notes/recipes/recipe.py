"""What every export is made from, and the names it may have elsewhere."""

from __future__ import annotations

import re

from tacit.core.placeholders import names_in
from tacit.record import Record

# Words that shells and just keep for themselves, or that a function would take away from every script of the session.
_RESERVED = frozenset(
    (
        "if then else elif fi for while until do done case esac in function select time coproc repeat foreach end "
        "begin and or not switch builtin command exec eval exit return break continue cd test echo printf read set "
        "unset export local declare typeset readonly alias unalias source trap wait kill jobs fg bg disown suspend "
        "ulimit umask type hash pwd dirs pushd popd true false shift times let history fc bind complete compgen "
        "enable shopt setopt unsetopt autoload zmodload string math status argparse count contains emit functions "
        "random abbr path block import mod default logout caller getopts mapfile help limit print rehash sched "
        "where which whence"
    ).split()
)


class Recipe(Record):
    """A workflow to be written down for another tool; `directory` is a whole path or empty."""

    name: str
    steps: tuple[str, ...]
    directory: str = ""
    shell: str = "sh"

    @property
    def names(self) -> list[str]:
        """The placeholders: the arguments of an export, in this order."""
        return names_in(self.steps)


def origin(recipe: Recipe) -> str:
    """Where it comes from, in a comment of any language: the safe name alone ends no line and opens nothing."""
    return f"Exported from Tacit. To change it: tacit workflow edit {safe_name(recipe.name)}"


def safe_name(name: str) -> str:
    """Letters, digits, dashes and underscores, beginning with a letter, and no word with a meaning of its own."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "workflow"
    return plain if plain[0].isalpha() and plain not in _RESERVED else f"run-{plain}"


def function_name(recipe: Recipe) -> str:
    """The same for a function, which must not hide a command that the workflow itself is about."""
    name = safe_name(recipe.name)
    commands = {step.split()[0] for step in recipe.steps if step.split()}
    return f"run-{name}" if name in commands else name
