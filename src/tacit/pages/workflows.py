"""Workflows exported for other tools, and the form in which a person edits one.

Whatever a step contains, it arrives in an export as one quoted word or inside a fence that it cannot close. Each export
stops at the first step that fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from tacit.errors import UsageError
from tacit.model.workflow import format_placeholder, is_directory_change, placeholder_names, use_positional_parameters
from tacit.record import Record
from tacit.text.display import escape_deceptive

# The form. The lines of a step are indented below `step:`, so that nothing in a command can be taken for another line
# of the form.

INDENT = "    "
_FORM_HEADER = (
    "# A workflow of Tacit. Each step stands below a line `step:`, indented by four blanks; it may have several lines.",
    "# The directory is where it runs; without one, it runs where you stand. Lines that begin with # are not read.",
    "# {?name} in a step is a placeholder: its value is asked for at each run.",
)


class WorkflowForm(Record):
    """The parts of a workflow that a person can edit."""

    name: str
    steps: tuple[str, ...]
    directory: str = ""


def render_form(form: WorkflowForm) -> str:
    """Return the text for an editor."""
    return "\n".join([*_FORM_HEADER, *form_lines(form), ""])


def form_lines(form: WorkflowForm) -> Iterator[str]:
    """Yield the form without its header, for a diff."""
    yield f"name: {form.name}"
    yield f"directory: {form.directory}".rstrip()
    for step in form.steps:
        yield "step:"
        yield from (INDENT + line for line in step.split("\n"))


def parse_form(text: str) -> WorkflowForm:
    """Parse an edited form. Raise UsageError with the number of a line that is not valid."""
    fields: dict[str, str] = {}
    steps: list[list[str]] = []
    if text.count("\r\n") == text.count("\n"):  # an editor that writes CRLF
        text = text.replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith((INDENT, "\t")) or not line.strip():
            if steps:
                step_line = line[1:] if line.startswith("\t") else line.removeprefix(INDENT)
                steps[-1].append(step_line if line.startswith("\t") or line.strip() else "")
            elif line.strip():
                raise UsageError(f"line {number} is indented, but no step began yet", "put a line step: above it")
        elif not line.startswith("#"):
            _parse_key_line(fields, steps, line, number)
    if "name" not in fields:
        raise UsageError("the form has no name", "begin it with a line such as name: check")
    # Blank lines around a step are only layout.
    step_texts = tuple("\n".join(lines).strip("\n") for lines in steps)
    return WorkflowForm(fields["name"], step_texts, fields.get("directory", ""))


def _parse_key_line(fields: dict[str, str], steps: list[list[str]], line: str, number: int) -> None:
    key, colon, value = line.partition(":")
    if colon and key == "step":
        steps.append([value.strip()] if value.strip() else [])
    elif colon and key in ("name", "directory") and key not in fields and not steps:
        fields[key] = value.strip()
    else:
        raise UsageError(
            f"line {number} is none of name, directory and step, or comes twice or too late",
            "a line of a step is indented by four blanks, below a line step:",
        )


# Quoting: any text as one word on one line. Deceptive characters are escaped.

_ESCAPES = {"\n": "\\n", "\t": "\\t"}


def is_printable_line(text: str) -> bool:
    """Return whether a text is one line without invisible characters."""
    return escape_deceptive(text, lambda _char: "") == text


def sh_word(text: str, also: str = "") -> str:
    """Quote for every POSIX shell. Characters in `also` are written as octal numbers, too."""
    if is_printable_line(text) and not any(char in text for char in also):
        return "'" + text.replace("'", "'\\''") + "'"
    escaped = text.replace("\\", "\\\\").replace("%", "%%").replace("'", "'\\''")
    for char in also:
        escaped = escaped.replace(char, _octal_escape(char))
    return f"\"$(printf -- '{escape_deceptive(escaped, _octal_escape)}')\""


def bash_word(text: str) -> str:
    """Quote for bash and zsh."""
    if is_printable_line(text):
        return sh_word(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")

    def escape(char: str) -> str:
        return _ESCAPES.get(char) or "".join(f"\\x{byte:02x}" for byte in char.encode())

    return f"$'{escape_deceptive(escaped, escape)}'"


def fish_word(text: str) -> str:
    """Quote for fish, where escapes are between quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")

    def escape(char: str) -> str:
        code = f"\\x{ord(char):02x}" if char < "\x80" else f"\\U{ord(char):08x}"
        return f"'{_ESCAPES.get(char) or code}'"

    return f"'{escape_deceptive(escaped, escape)}'"


def _octal_escape(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode())


def shell_call(shell: str, word: str) -> str:
    """Return a call of a shell for one step. A step may begin with a dash; fish takes what follows -c as it is."""
    return f"{shell} -c {word}" if shell == "fish" else f"{shell} -c -- {word}"


# Exports

# Words that are reserved in shells or just, or that as a function would replace a command for every script of the
# session.
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
    """A workflow to be exported; `directory` is an absolute path or empty."""

    name: str
    steps: tuple[str, ...]
    directory: str = ""
    shell: str = "sh"

    @property
    def placeholders(self) -> list[str]:
        """The placeholders, which are the arguments of an export in this order."""
        return placeholder_names(self.steps)


def origin_comment(workflow: WorkflowExport) -> str:
    """Return the text of a comment in any language: a safe name ends no line and opens nothing."""
    return f"Exported from Tacit. To change it: tacit workflow edit {safe_name(workflow.name)}"


def safe_name(name: str) -> str:
    """Return a name of letters, digits, dashes and underscores that begins with a letter and is not reserved."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "workflow"
    return plain if plain[0].isalpha() and plain not in _RESERVED_NAMES else f"run-{plain}"


def function_name(workflow: WorkflowExport) -> str:
    """Return a safe name for a function, which must not hide a command that the workflow itself calls."""
    name = safe_name(workflow.name)
    commands = {step.split()[0] for step in workflow.steps if step.split()}
    return f"run-{name}" if name in commands else name


def _usage(workflow: WorkflowExport) -> str:
    return f"usage: {function_name(workflow)} {' '.join(workflow.placeholders).upper()}"


class _Shell(Record):
    """How the lines of a script are written: who runs a step and changes the directory, and how a word is quoted.

    `builtin` and `command` keep functions and aliases of a session from changing what the script does.
    """

    name: str
    quote: Callable[[str], str]
    cd: str
    evaluate: str
    call: str = ""
    runner: str = ""  # the shell that runs the steps, if it is another one


def _script_lines(workflow: WorkflowExport, shell: _Shell) -> Iterator[str]:
    """Yield a line for the directory and for each step. The values of placeholders are its positional parameters."""
    names, runner = workflow.placeholders, shell.runner or shell.name
    if workflow.directory:
        yield f"{shell.cd} {shell.quote(workflow.directory)}"
    for step in workflow.steps:
        if is_directory_change(step):
            yield f"{shell.evaluate} {shell.quote(use_positional_parameters(step, names, shell.name))} >/dev/null"
        elif not names:
            yield f"{shell.call}{shell_call(runner, shell.quote(step))}"
        else:
            call = shell_call(runner, shell.quote(use_positional_parameters(step, names, runner)))
            # What follows the step are its `$0`, which fish does not have, and its parameters.
            yield f"{shell.call}{call} " + ("$argv" if runner == "fish" else f'{runner} "$@"')


def _subshell_function(workflow: WorkflowExport, shell: str) -> str:
    """Return a function for bash or zsh. It runs in a subshell, so that the caller's directory stays."""
    lines = [f"# {origin_comment(workflow)}", f"function {function_name(workflow)}() ("]
    if count := len(workflow.placeholders):
        lines.append(f"  [ $# -eq {count} ] || {{ echo {bash_word(_usage(workflow))} >&2; exit 2; }}")
    script = _script_lines(workflow, _Shell(shell, bash_word, "builtin cd --", "builtin eval", "command "))
    return "\n".join([*lines, *(f"  {line} || exit" for line in script), ")", ""])


def fish_function(workflow: WorkflowExport) -> str:
    """Return a function for fish, which has no subshells: it changes back to the caller's directory."""
    names = workflow.placeholders
    usage = f"    if test (count $argv) -ne {len(names)}; echo {fish_word(_usage(workflow))} >&2; return 2; end"
    first, *rest = _script_lines(workflow, _Shell("fish", fish_word, "builtin cd", "eval", "command "))
    return "\n".join(
        [
            f"# {origin_comment(workflow)}",
            f"function {function_name(workflow)}",
            *([usage] if names else []),
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


def _posix_lines(workflow: WorkflowExport) -> list[str]:
    """Return lines for a POSIX shell whose positional parameters are the values of the placeholders."""
    shell = _Shell("sh", sh_word, "cd --", "eval", runner=workflow.shell)
    return [f"{line} || exit" for line in _script_lines(workflow, shell)]


def just_recipe(workflow: WorkflowExport) -> str:
    """Return a recipe of a justfile: one script, so that all steps share one directory."""
    body = [line.replace("{{", "{{{{") for line in _posix_lines(workflow)]  # two braces open an expression of just
    names = [f"tacit_{name}" for name in workflow.placeholders]  # no name that means something to just
    if names:
        body.insert(0, f"set -- {' '.join(f'{{{{quote({name})}}}}' for name in names)}")
    head = [f"# {origin_comment(workflow)}", "[no-cd]", f"{' '.join([safe_name(workflow.name), *names])}:"]
    return "\n".join([*head, *(f"    {line}" for line in ("#!/bin/sh", *body)), ""])


# A step that calls make means the top-level make, not one below this.
_UNSET_MAKE_VARIABLES = "unset MAKEFLAGS MFLAGS MAKELEVEL"


def make_rule(workflow: WorkflowExport) -> str:
    """Return a rule of a makefile: one recipe line, so that all steps share one directory."""
    target = safe_name(workflow.name)
    body = [line.replace("$", "$$") for line in _posix_lines(workflow)]
    names = [f"tacit_{name}" for name in workflow.placeholders]
    if names:  # make passes variables of its command line to the shell
        variables = " ".join(f"{name}=…" for name in names)
        checks = [f': "$${{{name}?say make {target} {variables}}}"' for name in names]
        body = [*checks, "set -- " + " ".join(f'"$${name}"' for name in names), *body]
    head = [f"# {origin_comment(workflow)}", f".PHONY: {target}", f"{target}: SHELL := /bin/sh", f"{target}:"]
    return "\n".join([*head, "\t@" + "; \\\n\t".join([_UNSET_MAKE_VARIABLES, *body]), ""])


# Claude Code replaces `$1`, `$ARGUMENTS` and the like everywhere in the file of a slash command, in fences too, and
# runs what is between `` !` `` and a backtick. A step with such text is quoted so that it has none and does the same.
_CLAUDE_SUBSTITUTION = re.compile(r"\$(?:\d|ARGUMENTS|\{CLAUDE)|!`")
_CLAUDE_SPECIAL_CHARS = "$`!"
_FENCE_LANGUAGE = {"zsh": "zsh", "bash": "bash"}


def claude_command(workflow: WorkflowExport) -> str:
    """Return a slash command of Claude Code. No tools are allowed in the front matter: the agent asks as always."""
    count = len(workflow.steps)
    lines = [
        "---",
        f"description: Run the workflow {safe_name(workflow.name)}, step by step",
        "---",
        "",
        f"{origin_comment(workflow)}.",
        "",
        f"Run these {count} steps in order, each as it stands, all from one directory. A step that is only a `cd`",
        "changes the directory of those after it. Stop at the first step that fails and show what it printed.",
    ]
    if names := workflow.placeholders:
        placeholders = ", ".join(f"`{format_placeholder(name)}`" for name in names)
        lines += ["", f"Before you begin, ask for the value of each placeholder: {placeholders}."]
        lines.append("Put each in as one quoted word of the shell.")
    shell = workflow.shell
    if workflow.directory:
        command = f"cd -- {_claude_word(workflow.directory)}"
        lines += ["", "Begin in this directory:", "", _code_block(command, shell)]
    for number, step in enumerate(workflow.steps, 1):
        # As it is, if the agent's shell runs it so; else as a call of its shell.
        is_printable = is_printable_line(step.replace("\n", "").replace("\t", ""))
        is_plain = is_printable and not _CLAUDE_SUBSTITUTION.search(step) and shell != "fish"
        text = step if is_plain else shell_call(shell, _claude_word(step))
        lines += ["", f"Step {number} of {count}:", "", _code_block(text, shell)]
    return "\n".join([*lines, ""])


def _claude_word(text: str) -> str:
    return sh_word(text, also=_CLAUDE_SPECIAL_CHARS if _CLAUDE_SUBSTITUTION.search(text) else "")


def _code_block(text: str, shell: str) -> str:
    """Return a fenced block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{_FENCE_LANGUAGE.get(shell, 'sh')}\n{text}\n{fence}"


FORMATS: dict[str, Callable[[WorkflowExport], str]] = {
    "bash": partial(_subshell_function, shell="bash"),
    "zsh": partial(_subshell_function, shell="zsh"),
    "fish": fish_function,
    "just": just_recipe,
    "make": make_rule,
    "claude-command": claude_command,
}
