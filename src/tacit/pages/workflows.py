"""Workflows exported for other tools, and the form in which a person edits one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from tacit.errors import UsageError
from tacit.model.workflow import format_placeholder, is_directory_change, placeholder_names, use_positional_parameters
from tacit.record import Record
from tacit.text.display import escape_deceptive

# The text in which a person edits a workflow: its name, its directory, and a block for each step.
#
# The lines of a step are indented below `step:`, so that nothing in a command can be taken for another line of the
# form.

INDENT = "    "
_FORM_HEADER = (
    "# A workflow of Tacit. Each step stands below a line `step:`, indented by four blanks; it may have several lines.",
    "# The directory is where it runs; without one, it runs where you stand. Lines that begin with # are not read.",
    "# {?name} in a step is a placeholder: its value is asked for at each run.",
)


class WorkflowForm(Record):
    """What a person may change."""

    name: str
    steps: tuple[str, ...]
    directory: str = ""


def render_form(form: WorkflowForm) -> str:
    return "\n".join([*_FORM_HEADER, *form_lines(form), ""])


def form_lines(form: WorkflowForm) -> Iterator[str]:
    """The form without what explains it: what a difference is shown of."""
    yield f"name: {form.name}"
    yield f"directory: {form.directory}".rstrip()
    for step in form.steps:
        yield "step:"
        yield from (INDENT + line for line in step.split("\n"))


def parse_form(text: str) -> WorkflowForm:
    """The form of a text; says which line is not understood."""
    found: dict[str, str] = {}
    steps: list[list[str]] = []
    if text.count("\r\n") == text.count("\n"):  # an editor that ends all lines so
        text = text.replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(("    ", "\t")) or not line.strip():
            _parse_step_line(steps, line, number)
        elif not line.startswith("#"):
            _parse_key_line(found, steps, line, number)
    if "name" not in found:
        raise UsageError("the form has no name", "begin it with a line such as name: check")
    return WorkflowForm(found["name"], tuple(_join_step_lines(steps)), found.get("directory", ""))


def _parse_key_line(found: dict[str, str], steps: list[list[str]], line: str, number: int) -> None:
    key, colon, value = line.partition(":")
    if colon and key == "step":
        steps.append([value.strip()] if value.strip() else [])
    elif colon and key in ("name", "directory") and key not in found and not steps:
        found[key] = value.strip()
    else:
        raise UsageError(
            f"line {number} is none of name, directory and step, or comes twice or too late",
            "a line of a step is indented by four blanks, below a line step:",
        )


def _parse_step_line(steps: list[list[str]], line: str, number: int) -> None:
    if steps:
        steps[-1].append(line[1:] if line.startswith("\t") else line.removeprefix(INDENT) if line.strip() else "")
    elif line.strip():
        raise UsageError(f"line {number} is indented, but no step began yet", "put a line step: above it")


def _join_step_lines(steps: Iterable[list[str]]) -> Iterator[str]:
    """Blank lines around a step are there for the eye."""
    for step in steps:
        yield "\n".join(step).strip("\n")


# One word for any text, on one line, for each shell. What would deceive a reader is written as an escape.

_ESCAPES = {"\n": "\\n", "\t": "\\t"}


def is_printable_line(text: str) -> bool:
    """Whether it can stand in a file as it is: one line, nothing invisible."""
    return escape_deceptive(text, lambda _sign: "") == text


def sh_word(text: str, also: str = "") -> str:
    """For every POSIX shell. The signs in `also` are written as numbers too."""
    if is_printable_line(text) and not any(sign in text for sign in also):
        return "'" + text.replace("'", "'\\''") + "'"
    escaped = text.replace("\\", "\\\\").replace("%", "%%").replace("'", "'\\''")
    for sign in also:
        escaped = escaped.replace(sign, _octal_escape(sign))
    return f"\"$(printf -- '{escape_deceptive(escaped, _octal_escape)}')\""


def bash_word(text: str) -> str:
    """For bash and zsh."""
    if is_printable_line(text):
        return sh_word(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{escape_deceptive(escaped, _hex_escape)}'"


def fish_word(text: str) -> str:
    """For fish, where escapes stand between quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escape_deceptive(escaped, lambda sign: f"'{_fish_escape(sign)}'") + "'"


def shell_call(shell: str, word: str) -> str:
    """A step in a shell of its own. A step may begin with a dash; fish takes what follows -c as it stands."""
    return f"{shell} -c {word}" if shell == "fish" else f"{shell} -c -- {word}"


ALL_ARGUMENTS = '"$@"'  # all of them, each as it is, in every shell but fish


def shell_call_with(shell: str, word: str, arguments: str) -> str:
    """The same with arguments, which are `$1` and so on inside; all but fish are told their own name first."""
    name = "" if shell == "fish" else f"{shell} "
    return f"{shell_call(shell, word)} {name}{arguments}"


def _octal_escape(sign: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in sign.encode())


def _hex_escape(sign: str) -> str:
    return _ESCAPES.get(sign) or "".join(f"\\x{byte:02x}" for byte in sign.encode())


def _fish_escape(sign: str) -> str:
    return _ESCAPES.get(sign) or (f"\\x{ord(sign):02x}" if sign < "\x80" else f"\\U{ord(sign):08x}")


# What every export is made from, and the names it may have elsewhere.

# Words that shells and just keep for themselves, or that a function would take away from every script of the session.
_RESERVED_NAMES = frozenset(
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


class WorkflowExport(Record):
    """A workflow to be written down for another tool; `directory` is a whole path or empty."""

    name: str
    steps: tuple[str, ...]
    directory: str = ""
    shell: str = "sh"

    @property
    def placeholders(self) -> list[str]:
        """The placeholders: the arguments of an export, in this order."""
        return placeholder_names(self.steps)


def origin_comment(recipe: WorkflowExport) -> str:
    """Where it comes from, in a comment of any language: the safe name alone ends no line and opens nothing."""
    return f"Exported from Tacit. To change it: tacit workflow edit {safe_name(recipe.name)}"


def safe_name(name: str) -> str:
    """Letters, digits, dashes and underscores, beginning with a letter, and no word with a meaning of its own."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "workflow"
    return plain if plain[0].isalpha() and plain not in _RESERVED_NAMES else f"run-{plain}"


def function_name(recipe: WorkflowExport) -> str:
    """The same for a function, which must not hide a command that the workflow itself is about."""
    name = safe_name(recipe.name)
    commands = {step.split()[0] for step in recipe.steps if step.split()}
    return f"run-{name}" if name in commands else name


# A function for bash: in a subshell, so that whoever calls it stays where they are.


def bash_function(recipe: WorkflowExport) -> str:
    return subshell_function(recipe, "bash")


def subshell_function(recipe: WorkflowExport, shell: str) -> str:
    """The same words do for bash and zsh. No alias of the session changes them."""
    head = [f"# {origin_comment(recipe)}", f"function {function_name(recipe)}() ("]
    if names := recipe.placeholders:
        usage = f"usage: {function_name(recipe)} {' '.join(names).upper()}"
        head.append(f"  [ $# -eq {len(names)} ] || {{ echo {bash_word(usage)} >&2; exit 2; }}")
    return "\n".join([*head, *(f"  {line} || exit" for line in _function_lines(recipe, shell)), ")", ""])


def _function_lines(recipe: WorkflowExport, shell: str) -> Iterator[str]:
    if recipe.directory:
        yield f"builtin cd -- {bash_word(recipe.directory)}"
    names = recipe.placeholders
    for step in recipe.steps:
        if is_directory_change(step):
            yield f"builtin eval {bash_word(use_positional_parameters(step, names, shell))} >/dev/null"
        elif names:
            word = bash_word(use_positional_parameters(step, names, shell))
            yield f"command {shell_call_with(shell, word, ALL_ARGUMENTS)}"
        else:
            yield f"command {shell_call(shell, bash_word(step))}"


# A slash command of Claude Code: Markdown with the steps in fences that they cannot close.
#
# Claude Code replaces `$1`, `$ARGUMENTS` and the like everywhere in the file, in fences too, and runs what stands
# between `` !` `` and a backtick. A step that holds such a thing is written so that it holds none and does the same.
# No tools are allowed in the front matter: the agent asks as it always does.

_CLAUDE_SUBSTITUTION = re.compile(r"\$(?:\d|ARGUMENTS|\{CLAUDE)|!`")
_CLAUDE_SPECIAL_CHARS = "$`!"
_FENCE_LANGUAGE = {"zsh": "zsh", "bash": "bash"}


def claude_command(recipe: WorkflowExport) -> str:
    name, count = safe_name(recipe.name), len(recipe.steps)
    told = [
        "---",
        f"description: Run the workflow {name}, step by step",
        "---",
        "",
        f"{origin_comment(recipe)}.",
        "",
        f"Run these {count} steps in order, each as it stands, all from one directory. A step that is only a `cd`",
        "changes the directory of those after it. Stop at the first step that fails and show what it printed.",
        *_placeholder_lines(recipe),
        *_step_blocks(recipe),
    ]
    return "\n".join([*told, ""])


def _placeholder_lines(recipe: WorkflowExport) -> Iterator[str]:
    if names := recipe.placeholders:
        told = ", ".join(f"`{format_placeholder(name)}`" for name in names)
        yield from ("", f"Before you begin, ask for the value of each placeholder: {told}.")
        yield "Put each in as one quoted word of the shell."


def _step_blocks(recipe: WorkflowExport) -> Iterator[str]:
    if recipe.directory:
        yield from (
            "",
            "Begin in this directory:",
            "",
            _code_block(f"cd -- {_claude_word(recipe.directory)}", recipe.shell),
        )
    for number, step in enumerate(recipe.steps, 1):
        yield from (
            "",
            f"Step {number} of {len(recipe.steps)}:",
            "",
            _code_block(_step_command(step, recipe.shell), recipe.shell),
        )


def _step_command(step: str, shell: str) -> str:
    """As it stands where an agent's shell runs it so; else in a shell of its own."""
    stands = is_printable_line(step.replace("\n", "").replace("\t", "")) and not _CLAUDE_SUBSTITUTION.search(step)
    return step if stands and shell != "fish" else shell_call(shell, _claude_word(step))


def _claude_word(text: str) -> str:
    return sh_word(text, also=_CLAUDE_SPECIAL_CHARS if _CLAUDE_SUBSTITUTION.search(text) else "")


def _code_block(text: str, shell: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{_FENCE_LANGUAGE.get(shell, 'sh')}\n{text}\n{fence}"


# A function for fish, which has no subshells: it goes back to where it was called.


def fish_function(recipe: WorkflowExport) -> str:
    first, *rest = _fish_lines(recipe)
    return "\n".join(
        [
            f"# {origin_comment(recipe)}",
            f"function {function_name(recipe)}",
            *_fish_usage(recipe),
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


def _fish_usage(recipe: WorkflowExport) -> Iterator[str]:
    if names := recipe.placeholders:
        usage = f"usage: {function_name(recipe)} {' '.join(names).upper()}"
        yield f"    if test (count $argv) -ne {len(names)}; echo {fish_word(usage)} >&2; return 2; end"


def _fish_lines(recipe: WorkflowExport) -> Iterator[str]:
    if recipe.directory:
        yield f"builtin cd {fish_word(recipe.directory)}"
    names = recipe.placeholders
    for step in recipe.steps:
        if is_directory_change(step):
            yield f"eval {fish_word(use_positional_parameters(step, names, 'fish'))} >/dev/null"
        elif names:
            word = fish_word(use_positional_parameters(step, names, "fish"))
            yield f"command {shell_call_with('fish', word, '$argv')}"
        else:
            yield f"command {shell_call('fish', fish_word(step))}"


# The lines of a recipe in a POSIX shell, each ended where it fails: what just and make are given.


def posix_lines(recipe: WorkflowExport) -> Iterator[str]:
    if recipe.directory:
        yield f"cd -- {sh_word(recipe.directory)} || exit"
    names = recipe.placeholders  # whoever gives the lines to a shell has set the positional parameters to their values
    for step in recipe.steps:
        if is_directory_change(step):
            yield f"eval {sh_word(use_positional_parameters(step, names, 'sh'))} >/dev/null || exit"
        elif names:
            word = sh_word(use_positional_parameters(step, names, recipe.shell))
            yield f"{shell_call_with(recipe.shell, word, ALL_ARGUMENTS)} || exit"
        else:
            yield f"{shell_call(recipe.shell, sh_word(step))} || exit"


# A recipe of a justfile: a script of its own, so that all steps share one directory.


def just_recipe(recipe: WorkflowExport) -> str:
    """Two braces open an expression of just; four are two."""
    body = [line.replace("{{", "{{{{") for line in posix_lines(recipe)]
    names = [f"tacit_{name}" for name in recipe.placeholders]  # no name that means something to just
    if names:
        body.insert(0, f"set -- {' '.join(f'{{{{quote({name})}}}}' for name in names)}")
    head = [f"# {origin_comment(recipe)}", "[no-cd]", f"{' '.join([safe_name(recipe.name), *names])}:"]
    return "\n".join([*head, *(f"    {line}" for line in ("#!/bin/sh", *body)), ""])


# A rule of a makefile: one recipe line, so that all steps share one directory.

# A step that calls make itself is meant to be the first make, not one below this.
_UNSET_MAKE_VARIABLES = "unset MAKEFLAGS MFLAGS MAKELEVEL"


def make_rule(recipe: WorkflowExport) -> str:
    name = safe_name(recipe.name)
    body = [line.replace("$", "$$") for line in posix_lines(recipe)]
    if names := [
        f"tacit_{name}" for name in recipe.placeholders
    ]:  # make hands variables of its command line to the shell
        wanted = " ".join(f"{name}=…" for name in names)
        given = [f': "$${{{name}?say make {safe_name(recipe.name)} {wanted}}}"' for name in names]
        body = [*given, "set -- " + " ".join(f'"$${name}"' for name in names), *body]
    head = [f"# {origin_comment(recipe)}", f".PHONY: {name}", f"{name}: SHELL := /bin/sh", f"{name}:"]
    return "\n".join([*head, "\t@" + "; \\\n\t".join([_UNSET_MAKE_VARIABLES, *body]), ""])


# A function for zsh.


def zsh_function(recipe: WorkflowExport) -> str:
    return subshell_function(recipe, "zsh")


# Workflows for other tools: one file a format, each a function from a recipe to a text.
#
# Whatever a step holds, it arrives as one quoted word or inside a fence that it cannot close; each export stops at
# the first step that fails.

FORMATS: dict[str, Callable[[WorkflowExport], str]] = {
    "bash": bash_function,
    "zsh": zsh_function,
    "fish": fish_function,
    "just": just_recipe,
    "make": make_rule,
    "claude-command": claude_command,
}
