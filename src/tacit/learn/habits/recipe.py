"""From a habit to command lines that can be run, with placeholders for what varies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from tacit.learn.command_names import ParsedCommand, parse_commands
from tacit.learn.habits.habit import KEY_SEPARATOR
from tacit.model.observation import CommandRan
from tacit.model.workflow import can_be_filled, format_placeholder, has_redaction
from tacit.record import Record

# From the ways in which a step was typed to one line: what varies becomes a placeholder.
#
#     git tag v1.4.0     git tag v1.5.0       git tag v{?version}
#     docker build -t app:1.4.0 .             docker build -t app:{?version} .
#
# A message is a placeholder even where it never varied: nobody means to commit with last month's words. Where the
# lines have too little in common, the step is the command alone.

_MAX_PLACEHOLDERS = 3  # in a step; with more of them the lines are not the same step
_MAX_LINE_CHARS = 500  # characters of a line that is looked at
_WORD = re.compile(r"""(?:\\.|'[^']*+'|"(?:\\.|[^"\\])*+"|[^\s'"\\])++""", re.DOTALL)
_OPERATOR = re.compile(r"[|&;<>()]")
# What only shortens the output. It would also hide that the command failed, and a workflow stops at a failure.
_PAGER = re.compile(
    r"(?:\s{0,9}2>&1)?\s{0,9}\|&?\s{0,9}(?:head|tail|less|more|cat)(?:\s{1,9}-{1,2}[\w=-]{1,40}|\s{1,9}\d{1,9}){0,8}\s*$"
    r"|\s{1,9}2>&1\s*$"
)
_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,8}(?:[-+][0-9A-Za-z.]+)?")
_VALUE_DELIMITERS = ":=@"

# Options whose value is prose, of any command, and `-m` of these.
_PROSE_OPTIONS = {
    "--message": "message",
    "--title": "title",
    "--body": "body",
    "--subject": "subject",
    "--notes": "notes",
}
_MESSAGE_COMMANDS = (
    *("git commit", "git tag", "git stash", "git stash push", "git stash save", "git merge", "git notes add"),
    *("hg commit", "hg ci", "svn commit", "svn ci", "jj commit", "jj describe", "jj desc", "jj new", "bzr commit"),
    *("fossil commit", "alembic revision", "dvc commit"),
)
_MESSAGE_FLAG = re.compile(r"-[A-Za-z]*m")
_ATTACHED_MESSAGE = re.compile(r"(-m)(.+)", re.DOTALL)
# What an argument is called, by the end of the line before it.
_PLACEHOLDER_NAMES = {
    "git switch -c": "branch",
    "git checkout -b": "branch",
    "git switch": "branch",
    "git checkout": "branch",
    "git merge": "branch",
    "git rebase": "branch",
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
# And by what all its values look like.
_VALUE_PATTERNS = {
    "number": re.compile(r"^\d+$"),
    "url": re.compile(r"://"),
    "file": re.compile(r"[^/.]\.[A-Za-z0-9]{1,5}$"),
    "path": re.compile(r"/"),
}
_DEFAULT_PLACEHOLDER = "argument"
# Commands that need an argument: the step where nothing else can be said.
_DEFAULT_STEPS = {
    "git add": "git add {?files}",
    "git commit": "git commit -m {?message}",
    "git switch": "git switch {?branch}",
    "git checkout": "git checkout {?branch}",
}


class _Slot(Record):
    """A place that varies: what stands before and behind it in its word, what it is called, and its value in each
    occurrence."""

    prefix: str
    suffix: str
    name: str
    values: Mapping[int, str]


_Piece = str | _Slot
_Template = Sequence[_Piece]


def step_templates(families: Sequence[str], occurrences: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """One line for each family. `occurrences` are the lines of the sequence as it was typed, one text a family."""
    made = [
        _step_template(family, [one[at] for one in occurrences]) if occurrences else [family]
        for at, family in enumerate(families)
    ]
    names = _slot_names([slot for template in made for slot in template if isinstance(slot, _Slot)])
    lines = [" ".join(_render_piece(piece, names) for piece in template) for template in made]
    return tuple(line if can_be_filled(line) else family for line, family in zip(lines, families, strict=True))


def _step_template(family: str, texts: Sequence[str]) -> _Template:
    lines = {at: line for at, text in enumerate(texts) if (line := _split_line(family, text))}
    alone = [_DEFAULT_STEPS.get(family, family)]
    if not lines:
        return alone
    shapes = Counter(map(_line_shape, lines.values()))
    shape, count = shapes.most_common(1)[0]
    if len(texts) == 1 and not _has_no_arguments(family, texts[0]):  # what of it varies cannot be told yet
        return alone
    if 2 * count > len(texts):
        return _merge_lines(family, {at: line for at, line in lines.items() if _line_shape(line) == shape}) or alone
    length, count = Counter(map(len, lines.values())).most_common(1)[0]
    if 2 * count < len(texts):
        return alone
    return _merge_lines(family, {at: line for at, line in lines.items() if len(line) == length}) or alone


def _has_no_arguments(family: str, text: str) -> bool:
    """Whether a line has nothing that could be another the next time: no arguments beyond the command."""
    return len(text.split()) <= len(family.split())


class _ProseWord(Record):
    """A word of prose: what it is called, and how it was typed."""

    name: str
    text: str


_LineWords = list[str | _ProseWord]


def _line_shape(line: _LineWords) -> tuple[str, ...]:
    return tuple(word if isinstance(word, str) else "" for word in line)


def _split_line(family: str, text: str) -> _LineWords | None:
    """The words of a line as typed, prose marked; nothing for a line that cannot be a step."""
    if len(text) > _MAX_LINE_CHARS or has_redaction(text):
        return None
    text = _PAGER.sub("", text)
    raw = _WORD.findall(text)
    rest = _WORD.sub("", text)
    if not raw or rest.strip() or "\n" in rest:
        return None
    has_message = family.endswith(_MESSAGE_COMMANDS)
    words: _LineWords = []
    name = ""
    for word in raw:
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
    """One line of several with equally many words; nothing where they differ too much."""
    pieces: list[_Piece] = []
    for words in zip(*lines.values(), strict=True):
        column = dict(zip(lines, words, strict=True))
        texts = {at: word.text if isinstance(word, _ProseWord) else word for at, word in column.items()}
        first = words[0]
        if isinstance(first, _ProseWord):
            pieces.append(_Slot("", "", first.name, {at: _strip_quotes(text) for at, text in texts.items()}))
        elif len(set(texts.values())) == 1:
            pieces.append(first)
        elif all(text.startswith("-") for text in texts.values()):  # an option is no argument: the usual one
            pieces.append(Counter(texts.values()).most_common(1)[0][0])
        elif any(_OPERATOR.search(_outside_quotes(text)) for text in texts.values()):
            return None
        else:
            pieces.append(_make_slot(family, pieces, texts))
    slots = [piece for piece in pieces if isinstance(piece, _Slot)]
    is_known = isinstance(pieces[0], str) and len(slots) <= min(_MAX_PLACEHOLDERS, len(pieces) - len(slots))
    return pieces if is_known else None


def _make_slot(family: str, pieces: Sequence[_Piece], texts: Mapping[int, str]) -> _Slot:
    versions = {at: _VERSION.findall(text) for at, text in texts.items()}
    if all(len(found) == 1 for found in versions.values()):
        around = {tuple(text.split(versions[at][0], 1)) for at, text in texts.items()}
        if len(around) == 1:
            ((before, after),) = around
            return _Slot(before, after, "version", {at: found[0] for at, found in versions.items()})
    before = _common_prefix(texts.values())
    rest = {at: text[len(before) :] for at, text in texts.items()}
    after = _common_prefix([text[::-1] for text in rest.values()])[::-1]
    values = {at: text[: len(text) - len(after)] for at, text in rest.items()}
    if (before + after).count('"') % 2 or (before + after).count("'") % 2:
        before, after, values = "", "", dict(texts)
    told = [piece for piece in pieces if isinstance(piece, str)]
    return _Slot(before, after, _placeholder_name(family, told, before, values.values()), _strip_all_quotes(values))


def _common_prefix(texts: Iterable[str]) -> str:
    """What all texts begin with, up to a sign that separates."""
    shared = ""
    for signs in zip(*texts, strict=False):
        if len(set(signs)) > 1:
            break
        shared += signs[0]
    at = max((shared.rfind(sign) for sign in _VALUE_DELIMITERS), default=-1)
    return shared[: at + 1]


def _placeholder_name(family: str, before: Sequence[str], prefix: str, values: Iterable[str]) -> str:
    """What a placeholder is called: after what stands before it, else after what its values look like."""
    last = before[-1] if before else ""
    if prefix.endswith("="):
        return _identifier(prefix.rstrip("=").rpartition(",")[2])
    if last.startswith("--") and len(last) > 2 and not prefix.endswith("@"):
        return _identifier(last)
    ends = [" ".join(before[-length:]) for length in (3, 2, 1)]
    called = (
        "host"
        if prefix.endswith("@")
        else next((_PLACEHOLDER_NAMES[end] for end in ends if end in _PLACEHOLDER_NAMES), "")
    )
    found = list(values)
    looks = (name for name, pattern in _VALUE_PATTERNS.items() if all(pattern.search(value) for value in found))
    return called or _PLACEHOLDER_NAMES.get(f"{family} {last}") or next(looks, _DEFAULT_PLACEHOLDER)


def _identifier(text: str) -> str:
    """Letters, digits and underscores, beginning with a letter."""
    word = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:24]
    return word if word[:1].isalpha() else _DEFAULT_PLACEHOLDER


def _strip_quotes(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _outside_quotes(text: str) -> str:
    """What of a word stands outside quotation marks."""
    return re.sub(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", "", text)


def _strip_all_quotes(values: Mapping[int, str]) -> dict[int, str]:
    return {at: _strip_quotes(text) for at, text in values.items()}


def _slot_names(slots: Sequence[_Slot]) -> dict[int, str]:
    """A name for each slot, by its identity. Slots that always had the same value are one; others differ in name."""
    names: dict[int, str] = {}
    kept: dict[str, _Slot] = {}
    for slot in slots:
        same = next((name for name, other in kept.items() if _is_same_slot(slot, other)), None)
        if same is None:
            number = 1 + sum(name == slot.name or name.startswith(f"{slot.name}_") for name in kept)
            same = slot.name if number == 1 else f"{slot.name}_{number}"
            kept[same] = slot
        names[id(slot)] = same
    return names


def _is_same_slot(one: _Slot, other: _Slot) -> bool:
    shared = one.values.keys() & other.values.keys()
    return len(shared) > 1 and all(one.values[at] == other.values[at] for at in shared)


def _render_piece(piece: _Piece, names: Mapping[int, str]) -> str:
    if isinstance(piece, str):
        return piece
    return f"{piece.prefix}{format_placeholder(names[id(piece)])}{piece.suffix}"


# From a habit to something that can be run: the command lines a person really typed, and where.

_MIN_COMPLETE_RUNS = 2  # sessions that show a whole ritual
_MIN_DIRECTORY_SHARE = 0.8  # so much of it in one directory makes it that directory's


class HabitRecipe(Record):
    """The steps of a workflow as lines, and the directory to run them in; none is wherever one stands."""

    steps: tuple[str, ...]
    directory: str


class _Occurrence(Record):
    texts: tuple[str, ...]
    directory: str


def build_recipe(
    key: str, ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool] = lambda _directory: True
) -> HabitRecipe:
    """`ends` are the commands of sessions up to an occurrence of this sequence, the latest first. Only commands in
    directories that `is_there` accepts count.

    A step is the line that was typed in most of them, with placeholders for what varied; where they differ too much, or
    where a secret stood in it, the command alone.
    """
    families = tuple(key.split(KEY_SEPARATOR))
    found = _find_occurrences(families, ends, is_there)
    return HabitRecipe(
        step_templates(families, [one.texts for one in found]), _main_directory([one.directory for one in found])
    )


def has_complete_runs(
    key: str, ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool] = lambda _directory: True
) -> bool:
    """Whether a sequence was really run from its first step to its last in several of these sessions."""
    return len(_find_occurrences(tuple(key.split(KEY_SEPARATOR)), ends, is_there)) >= _MIN_COMPLETE_RUNS


def _find_occurrences(
    families: Sequence[str], ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool]
) -> list[_Occurrence]:
    inside = [[ran for ran in commands if is_there(ran.directory)] for commands in ends]
    return [one for commands in inside if (one := _last_occurrence(families, commands))]


def _last_occurrence(families: Sequence[str], commands: Sequence[CommandRan]) -> _Occurrence | None:
    """The sequence as it was typed last."""
    wanted = list(families)
    texts: list[str] = []
    directory = ""
    for ran in commands:
        for part in reversed(_nontrivial_commands(ran)):
            if part.family == wanted[-1]:
                texts.append(part.text)
                directory = ran.directory
                wanted.pop()
                if not wanted:
                    return _Occurrence(tuple(reversed(texts)), directory)
    return None


def _nontrivial_commands(ran: CommandRan) -> list[ParsedCommand]:
    return [part for part in parse_commands(ran.meant or ran.command) if not part.is_trivial] if ran.is_success else []


def _main_directory(directories: Sequence[str]) -> str:
    if not directories:
        return ""
    directory, count = Counter(directories).most_common(1)[0]
    return directory if count >= _MIN_DIRECTORY_SHARE * len(directories) else ""
