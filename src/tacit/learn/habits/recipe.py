"""From a habit to command lines that can be run, with placeholders for what varies.

    git tag v1.4.0     git tag v1.5.0       git tag v{?version}
    docker build -t app:1.4.0 .             docker build -t app:{?version} .

A message is a placeholder even if it never varied: nobody means to commit with last month's words. If the lines have
too little in common, the step is the command alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tacit.commandline.names import parse_commands
from tacit.learn.habits.habit import Families
from tacit.model.observation import CommandRan
from tacit.model.workflow import can_be_filled, format_placeholder, has_redaction, placeholder_names
from tacit.record import Record

_MAX_PLACEHOLDERS = 3  # in a step; with more of them the lines are not the same step
_MAX_LINE_CHARS = 500
_MIN_COMPLETE_RUNS = 2  # sessions that show a whole ritual
_MIN_DIRECTORY_SHARE = 0.8  # of the runs of a ritual: so many in one directory make it that directory's
_WORD = re.compile(r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\])+""", re.DOTALL)
_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""")
_OPERATOR = re.compile(r"[|&;<>()]")
# What only shortens the output. It would also hide that the command failed, and a workflow stops at a failure.
_PAGER = re.compile(
    r"(?:\s{0,9}2>&1)?\s{0,9}\|&?\s{0,9}(?:head|tail|less|more|cat)(?:\s{1,9}-{1,2}[\w=-]{1,40}|\s{1,9}\d{1,9}){0,8}\s*$"
    r"|\s{1,9}2>&1\s*$"
)
_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,8}(?:[-+][0-9A-Za-z.]+)?")
_VALUE_DELIMITERS = ":=@"

# Options of any command whose value is prose, and commands of which `-m` is one.
_PROSE_OPTIONS = {f"--{name}": name for name in ("message", "title", "body", "subject", "notes")}
_MESSAGE_COMMANDS = (
    *("git commit", "git tag", "git stash", "git stash push", "git stash save", "git merge", "git notes add"),
    *("hg commit", "hg ci", "svn commit", "svn ci", "jj commit", "jj describe", "jj desc", "jj new", "bzr commit"),
    *("fossil commit", "alembic revision", "dvc commit"),
)
_MESSAGE_FLAG = re.compile(r"-[A-Za-z]*m")
_ATTACHED_MESSAGE = re.compile(r"(-m)(.+)", re.DOTALL)
# The name of a placeholder by the end of the line before it, else by what all its values look like.
_PLACEHOLDER_NAMES = {
    **dict.fromkeys(("git switch -c", "git checkout -b", "git switch", "git checkout"), "branch"),
    **dict.fromkeys(("git merge", "git rebase"), "branch"),
    "git add": "files",
    "git tag": "tag",
    "ssh": "host",
    "-k": "pattern",
    "-n": "number",
    "-p": "port",
    "-f": "file",
    "-o": "output",
    "-t": "tag",
}
_VALUE_PATTERNS = {
    "number": re.compile(r"^\d+$"),
    "url": re.compile(r"://"),
    "file": re.compile(r"[^/.]\.[A-Za-z0-9]{1,5}$"),
    "path": re.compile(r"/"),
}
_DEFAULT_PLACEHOLDER = "argument"
# Commands that need an argument: the step if nothing else is known.
_DEFAULT_STEPS = {
    "git add": "git add {?files}",
    "git commit": "git commit -m {?message}",
    "git switch": "git switch {?branch}",
    "git checkout": "git checkout {?branch}",
}


class HabitRecipe(Record):
    """The steps of a workflow as lines, and the directory to run them in, "" for the current one."""

    steps: tuple[str, ...]
    directory: str


def build_recipe(families: Families, sessions: Iterable[Iterable[CommandRan]]) -> HabitRecipe:
    """Return the lines to type for a sequence.

    `sessions` are the commands of sessions, backwards from an occurrence of the sequence, the latest session first. A
    step is the line that was typed in most of them, with placeholders for what varied. It is the command alone if the
    lines differ too much or contained a secret.
    """
    occurrences = _find_occurrences(families, sessions)
    directory = ""
    if occurrences:
        directory, count = Counter(directory for _, directory in occurrences).most_common(1)[0]
        directory = directory if count >= _MIN_DIRECTORY_SHARE * len(occurrences) else ""
    return HabitRecipe(step_templates(families, [texts for texts, _ in occurrences]), directory)


def has_complete_runs(families: Families, sessions: Iterable[Iterable[CommandRan]]) -> bool:
    """Return whether a sequence was run from its first step to its last in several of these sessions."""
    return len(_find_occurrences(families, sessions)) >= _MIN_COMPLETE_RUNS


def is_worth_a_name(steps: Sequence[str]) -> bool:
    """Return whether a ritual is more than bare names, and at most half of its steps ask for more than a message."""
    asking = [step for step in steps if set(placeholder_names([step])) - {"message"}]
    return (any(" " in step for step in steps) or all("/" in step for step in steps)) and 2 * len(asking) <= len(steps)


def _find_occurrences(
    families: Families, sessions: Iterable[Iterable[CommandRan]]
) -> list[tuple[tuple[str, ...], str]]:
    """Return how the sequence was typed last in each session that has all of it, and where."""
    found = []
    for commands in sessions:
        missing, texts = list(families), list[str]()
        parts = ((ran, part) for ran in commands for part in reversed(parse_commands(ran.meant or ran.command)))
        for ran, part in parts:
            if not part.is_trivial and part.family == missing[-1]:
                texts.append(part.text)
                missing.pop()
                if not missing:
                    found.append((tuple(reversed(texts)), ran.directory))
                    break
    return found


# From the ways in which a step was typed to one line


class _ProseWord(Record):
    """A word of prose: the name of its placeholder, and how it was typed."""

    name: str
    text: str


class _Slot(Record):
    """A place that varies: what surrounds it in its word, its name, and its value in each occurrence."""

    prefix: str
    suffix: str
    name: str
    values: Mapping[int, str]


_LineWords = list[str | _ProseWord]
_Template = Sequence[str | _Slot]


def step_templates(families: Sequence[str], occurrences: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return one line for each family. An occurrence has one typed line for each family."""
    templates = [
        _step_template(family, [texts[at] for texts in occurrences]) if occurrences else [family]
        for at, family in enumerate(families)
    ]
    names = _slot_names([slot for template in templates for slot in template if isinstance(slot, _Slot)])

    def render(piece: str | _Slot) -> str:
        return piece if isinstance(piece, str) else piece.prefix + format_placeholder(names[id(piece)]) + piece.suffix

    lines = [" ".join(map(render, template)) for template in templates]
    return tuple(line if can_be_filled(line) else family for line, family in zip(lines, families, strict=True))


def _step_template(family: str, texts: Sequence[str]) -> _Template:
    lines = {at: line for at, text in enumerate(texts) if (line := _split_line(family, text))}
    alone = [_DEFAULT_STEPS.get(family, family)]
    has_arguments = len(texts[0].split()) > len(family.split())
    if not lines or (len(texts) == 1 and has_arguments):  # which of its arguments vary is unknown yet
        return alone
    shapes = {at: tuple(word if isinstance(word, str) else "" for word in line) for at, line in lines.items()}
    shape, count = Counter(shapes.values()).most_common(1)[0]
    if 2 * count > len(texts):
        return _merge_lines(family, {at: lines[at] for at in lines if shapes[at] == shape}) or alone
    length, count = Counter(map(len, lines.values())).most_common(1)[0]
    if 2 * count < len(texts):
        return alone
    return _merge_lines(family, {at: line for at, line in lines.items() if len(line) == length}) or alone


def _split_line(family: str, text: str) -> _LineWords | None:
    """Return the words of a line as typed, prose marked; None if the line cannot be a step."""
    if len(text) > _MAX_LINE_CHARS or has_redaction(text):
        return None
    text = _PAGER.sub("", text)
    typed = _WORD.findall(text)
    rest = _WORD.sub("", text)
    if not typed or rest.strip() or "\n" in rest:
        return None
    has_message = family.endswith(_MESSAGE_COMMANDS)
    words: _LineWords = []
    name = ""
    for word in typed:
        option, equals, value = word.partition("=")
        attached = _ATTACHED_MESSAGE.fullmatch(word) if has_message else None
        if name:
            words.append(_ProseWord(name, word))
            name = ""
        elif equals and option in _PROSE_OPTIONS:
            words += [option, _ProseWord(_PROSE_OPTIONS[option], value)]
        elif word in _PROSE_OPTIONS or (has_message and _MESSAGE_FLAG.fullmatch(word)):
            words.append(word)
            name = _PROSE_OPTIONS.get(word, "message")
        elif attached:
            words += [attached[1], _ProseWord("message", attached[2])]
        else:
            words.append(word)
    return words


def _merge_lines(family: str, lines: Mapping[int, _LineWords]) -> _Template | None:
    """Return one line for several with equally many words, None if they differ too much."""
    pieces: list[str | _Slot] = []
    for words in zip(*lines.values(), strict=True):
        texts = {at: word if isinstance(word, str) else word.text for at, word in zip(lines, words, strict=True)}
        first = words[0]
        if isinstance(first, _ProseWord):
            pieces.append(_Slot("", "", first.name, _strip_quotes(texts)))
        elif len(set(texts.values())) == 1:
            pieces.append(first)
        elif all(text.startswith("-") for text in texts.values()):  # an option is no argument: the usual one
            pieces.append(Counter(texts.values()).most_common(1)[0][0])
        elif any(_OPERATOR.search(_QUOTED.sub("", text)) for text in texts.values()):
            return None
        else:
            pieces.append(_make_slot(family, [piece for piece in pieces if isinstance(piece, str)], texts))
    slots = sum(isinstance(piece, _Slot) for piece in pieces)
    is_known = isinstance(pieces[0], str) and slots <= min(_MAX_PLACEHOLDERS, len(pieces) - slots)
    return pieces if is_known else None


def _make_slot(family: str, words_before: Sequence[str], texts: Mapping[int, str]) -> _Slot:
    versions = {at: _VERSION.findall(text) for at, text in texts.items()}
    if all(len(matches) == 1 for matches in versions.values()):
        around = {tuple(text.split(versions[at][0], 1)) for at, text in texts.items()}
        if len(around) == 1:
            ((prefix, suffix),) = around
            return _Slot(prefix, suffix, "version", {at: version for at, (version,) in versions.items()})
    prefix = _common_prefix(texts.values())
    rest = {at: text[len(prefix) :] for at, text in texts.items()}
    suffix = _common_prefix([text[::-1] for text in rest.values()])[::-1]
    values = {at: text[: len(text) - len(suffix)] for at, text in rest.items()}
    if (prefix + suffix).count('"') % 2 or (prefix + suffix).count("'") % 2:
        prefix, suffix, values = "", "", dict(texts)
    name = _placeholder_name(family, words_before, prefix, values.values())
    return _Slot(prefix, suffix, name, _strip_quotes(values))


def _common_prefix(texts: Iterable[str]) -> str:
    """Return what all texts begin with, up to the last delimiter."""
    shared = ""
    for chars in zip(*texts, strict=False):
        if len(set(chars)) > 1:
            break
        shared += chars[0]
    return shared[: max(map(shared.rfind, _VALUE_DELIMITERS)) + 1]


def _placeholder_name(family: str, words_before: Sequence[str], prefix: str, values: Iterable[str]) -> str:
    """Name a placeholder after what stands before it, else after what its values look like."""
    last = words_before[-1] if words_before else ""
    if prefix.endswith("="):
        return _identifier(prefix.rstrip("=").rpartition(",")[2])
    if prefix.endswith("@"):
        return "host"
    if last.startswith("--") and len(last) > 2:
        return _identifier(last)
    ends = [*(" ".join(words_before[-length:]) for length in (3, 2, 1)), f"{family} {last}"]
    if name := next((_PLACEHOLDER_NAMES[end] for end in ends if end in _PLACEHOLDER_NAMES), ""):
        return name
    all_values = list(values)
    matching = (name for name, pattern in _VALUE_PATTERNS.items() if all(map(pattern.search, all_values)))
    return next(matching, _DEFAULT_PLACEHOLDER)


def _identifier(text: str) -> str:
    """Return a name of letters, digits and underscores that begins with a letter."""
    word = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:24]
    return word if word[:1].isalpha() else _DEFAULT_PLACEHOLDER


def _strip_quotes(texts: Mapping[int, str]) -> dict[int, str]:
    return {
        at: text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
        for at, text in texts.items()
    }


def _slot_names(slots: Sequence[_Slot]) -> dict[int, str]:
    """Return a name for each slot, by its identity. Slots that always had the same value share one."""
    names: dict[int, str] = {}
    by_name: dict[str, _Slot] = {}

    def is_same(slot: _Slot, other: _Slot) -> bool:
        shared = slot.values.keys() & other.values.keys()
        return len(shared) > 1 and all(slot.values[at] == other.values[at] for at in shared)

    for slot in slots:
        name = next((name for name, other in by_name.items() if is_same(slot, other)), None)
        if name is None:
            number = 1 + sum(name == slot.name or name.startswith(f"{slot.name}_") for name in by_name)
            name = slot.name if number == 1 else f"{slot.name}_{number}"
            by_name[name] = slot
        names[id(slot)] = name
    return names
