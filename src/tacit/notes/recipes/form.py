"""The text in which a person edits a workflow: its name, its directory, and a block for each step.

The lines of a step are indented below `step:`, so that nothing in a command can be taken for another line of the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacit.core.errors import WrongUse
from tacit.record import Record

INDENT = "    "
_HEAD = (
    "# A workflow of Tacit. Each step stands below a line `step:`, indented by four blanks; it may have several lines.",
    "# The directory is where it runs; without one, it runs where you stand. Lines that begin with # are not read.",
    "# {?name} in a step is a placeholder: its value is asked for at each run.",
)


class Form(Record):
    """What a person may change."""

    name: str
    steps: tuple[str, ...]
    directory: str = ""


def write(form: Form) -> str:
    return "\n".join([*_HEAD, *lines(form), ""])


def lines(form: Form) -> Iterator[str]:
    """The form without what explains it: what a difference is shown of."""
    yield f"name: {form.name}"
    yield f"directory: {form.directory}".rstrip()
    for step in form.steps:
        yield "step:"
        yield from (INDENT + line for line in step.split("\n"))


def read(text: str) -> Form:
    """The form of a text; says which line is not understood."""
    found: dict[str, str] = {}
    steps: list[list[str]] = []
    if text.count("\r\n") == text.count("\n"):  # an editor that ends all lines so
        text = text.replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(("    ", "\t")) or not line.strip():
            _continue(steps, line, number)
        elif not line.startswith("#"):
            _begin(found, steps, line, number)
    if "name" not in found:
        raise WrongUse("the form has no name", "begin it with a line such as name: check")
    return Form(found["name"], tuple(_joined(steps)), found.get("directory", ""))


def _begin(found: dict[str, str], steps: list[list[str]], line: str, number: int) -> None:
    key, colon, value = line.partition(":")
    if colon and key == "step":
        steps.append([value.strip()] if value.strip() else [])
    elif colon and key in ("name", "directory") and key not in found and not steps:
        found[key] = value.strip()
    else:
        raise WrongUse(
            f"line {number} is none of name, directory and step, or comes twice or too late",
            "a line of a step is indented by four blanks, below a line step:",
        )


def _continue(steps: list[list[str]], line: str, number: int) -> None:
    if steps:
        steps[-1].append(line[1:] if line.startswith("\t") else line.removeprefix(INDENT) if line.strip() else "")
    elif line.strip():
        raise WrongUse(f"line {number} is indented, but no step began yet", "put a line step: above it")


def _joined(steps: Iterable[list[str]]) -> Iterator[str]:
    """Blank lines around a step are there for the eye."""
    for step in steps:
        yield "\n".join(step).strip("\n")
