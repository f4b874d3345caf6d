"""From a habit to command lines that can be run, with placeholders for what varies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from tacit.learn.command_names import Part, parts
from tacit.learn.habits.habit import BETWEEN
from tacit.model.observation import CommandRan
from tacit.model.workflow import can_be_filled, has_hole, placeholder
from tacit.record import Record

# From the ways in which a step was typed to one line: what varies becomes a placeholder.
#
#     git tag v1.4.0     git tag v1.5.0       git tag v{?version}
#     docker build -t app:1.4.0 .             docker build -t app:{?version} .
#
# A message is a placeholder even where it never varied: nobody means to commit with last month's words. Where the
# lines have too little in common, the step is the command alone.

_MOST_PLACEHOLDERS = 3  # in a step; with more of them the lines are not the same step
_LONGEST = 500  # characters of a line that is looked at
_WORD = re.compile(r"""(?:\\.|'[^']*+'|"(?:\\.|[^"\\])*+"|[^\s'"\\])++""", re.DOTALL)
_OPERATOR = re.compile(r"[|&;<>()]")
# What only shortens the output. It would also hide that the command failed, and a workflow stops at a failure.
_PAGER = re.compile(
    r"(?:\s{0,9}2>&1)?\s{0,9}\|&?\s{0,9}(?:head|tail|less|more|cat)(?:\s{1,9}-{1,2}[\w=-]{1,40}|\s{1,9}\d{1,9}){0,8}\s*$"
    r"|\s{1,9}2>&1\s*$"
)
_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,8}(?:[-+][0-9A-Za-z.]+)?")
_BOUNDS = ":=@"

# Options whose value is prose, of any command, and `-m` of these.
_PROSE = {"--message": "message", "--title": "title", "--body": "body", "--subject": "subject", "--notes": "notes"}
_WITH_MESSAGE = (
    *("git commit", "git tag", "git stash", "git stash push", "git stash save", "git merge", "git notes add"),
    *("hg commit", "hg ci", "svn commit", "svn ci", "jj commit", "jj describe", "jj desc", "jj new", "bzr commit"),
    *("fossil commit", "alembic revision", "dvc commit"),
)
_MESSAGE_FLAG = re.compile(r"-[A-Za-z]*m")
_ATTACHED_MESSAGE = re.compile(r"(-m)(.+)", re.DOTALL)
# What an argument is called, by the end of the line before it.
_CALLED = {
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
_LOOKS = {
    "number": re.compile(r"^\d+$"),
    "url": re.compile(r"://"),
    "file": re.compile(r"[^/.]\.[A-Za-z0-9]{1,5}$"),
    "path": re.compile(r"/"),
}
_UNNAMED = "argument"
# Commands that need an argument: the step where nothing else can be said.
_NEEDED = {
    "git add": "git add {?files}",
    "git commit": "git commit -m {?message}",
    "git switch": "git switch {?branch}",
    "git checkout": "git checkout {?branch}",
}


class _Slot(Record):
    """A place that varies: what stands before and behind it in its word, what it is called, and its value in each
    occurrence."""

    before: str
    after: str
    name: str
    values: Mapping[int, str]


_Piece = str | _Slot
_Template = Sequence[_Piece]


def templates(families: Sequence[str], occurrences: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """One line for each family. `occurrences` are the lines of the sequence as it was typed, one text a family."""
    made = [
        _template(family, [one[at] for one in occurrences]) if occurrences else [family]
        for at, family in enumerate(families)
    ]
    names = _named([slot for template in made for slot in template if isinstance(slot, _Slot)])
    lines = [" ".join(_written(piece, names) for piece in template) for template in made]
    return tuple(line if can_be_filled(line) else family for line, family in zip(lines, families, strict=True))


def _template(family: str, texts: Sequence[str]) -> _Template:
    lines = {at: line for at, text in enumerate(texts) if (line := _words(family, text))}
    alone = [_NEEDED.get(family, family)]
    if not lines:
        return alone
    shapes = Counter(map(_shape, lines.values()))
    shape, count = shapes.most_common(1)[0]
    if len(texts) == 1 and not _is_all_of(family, texts[0]):  # what of it varies cannot be told yet
        return alone
    if 2 * count > len(texts):
        return _merged(family, {at: line for at, line in lines.items() if _shape(line) == shape}) or alone
    length, count = Counter(map(len, lines.values())).most_common(1)[0]
    if 2 * count < len(texts):
        return alone
    return _merged(family, {at: line for at, line in lines.items() if len(line) == length}) or alone


def _is_all_of(family: str, text: str) -> bool:
    """Whether a line has nothing that could be another the next time: no arguments beyond the command."""
    return len(text.split()) <= len(family.split())


class _Prose(Record):
    """A word of prose: what it is called, and how it was typed."""

    name: str
    text: str


_Words = list[str | _Prose]


def _shape(line: _Words) -> tuple[str, ...]:
    return tuple(word if isinstance(word, str) else "" for word in line)


def _words(family: str, text: str) -> _Words | None:
    """The words of a line as typed, prose marked; nothing for a line that cannot be a step."""
    if len(text) > _LONGEST or has_hole(text):
        return None
    text = _PAGER.sub("", text)
    raw = _WORD.findall(text)
    rest = _WORD.sub("", text)
    if not raw or rest.strip() or "\n" in rest:
        return None
    has_message = family.endswith(_WITH_MESSAGE)
    words: _Words = []
    name = ""
    for word in raw:
        option, equals, value = word.partition("=")
        attached = _ATTACHED_MESSAGE.fullmatch(word) if has_message else None
        if name:
            words.append(_Prose(name, word))
            name = ""
        elif equals and option in _PROSE:
            words += [option, _Prose(_PROSE[option], value)]
        elif word in _PROSE or (has_message and _MESSAGE_FLAG.fullmatch(word)):
            words.append(word)
            name = _PROSE.get(word, "message")
        elif attached:
            words += [attached[1], _Prose("message", attached[2])]
        else:
            words.append(word)
    return words


def _merged(family: str, lines: Mapping[int, _Words]) -> _Template | None:
    """One line of several with equally many words; nothing where they differ too much."""
    pieces: list[_Piece] = []
    for words in zip(*lines.values(), strict=True):
        column = dict(zip(lines, words, strict=True))
        texts = {at: word.text if isinstance(word, _Prose) else word for at, word in column.items()}
        first = words[0]
        if isinstance(first, _Prose):
            pieces.append(_Slot("", "", first.name, {at: _unquoted(text) for at, text in texts.items()}))
        elif len(set(texts.values())) == 1:
            pieces.append(first)
        elif all(text.startswith("-") for text in texts.values()):  # an option is no argument: the usual one
            pieces.append(Counter(texts.values()).most_common(1)[0][0])
        elif any(_OPERATOR.search(_unquoted_only(text)) for text in texts.values()):
            return None
        else:
            pieces.append(_slot(family, pieces, texts))
    slots = [piece for piece in pieces if isinstance(piece, _Slot)]
    is_known = isinstance(pieces[0], str) and len(slots) <= min(_MOST_PLACEHOLDERS, len(pieces) - len(slots))
    return pieces if is_known else None


def _slot(family: str, pieces: Sequence[_Piece], texts: Mapping[int, str]) -> _Slot:
    versions = {at: _VERSION.findall(text) for at, text in texts.items()}
    if all(len(found) == 1 for found in versions.values()):
        around = {tuple(text.split(versions[at][0], 1)) for at, text in texts.items()}
        if len(around) == 1:
            ((before, after),) = around
            return _Slot(before, after, "version", {at: found[0] for at, found in versions.items()})
    before = _cut(texts.values())
    rest = {at: text[len(before) :] for at, text in texts.items()}
    after = _cut([text[::-1] for text in rest.values()])[::-1]
    values = {at: text[: len(text) - len(after)] for at, text in rest.items()}
    if (before + after).count('"') % 2 or (before + after).count("'") % 2:
        before, after, values = "", "", dict(texts)
    told = [piece for piece in pieces if isinstance(piece, str)]
    return _Slot(before, after, _name(family, told, before, values.values()), _all_unquoted(values))


def _cut(texts: Iterable[str]) -> str:
    """What all texts begin with, up to a sign that separates."""
    shared = ""
    for signs in zip(*texts, strict=False):
        if len(set(signs)) > 1:
            break
        shared += signs[0]
    at = max((shared.rfind(sign) for sign in _BOUNDS), default=-1)
    return shared[: at + 1]


def _name(family: str, before: Sequence[str], prefix: str, values: Iterable[str]) -> str:
    """What a placeholder is called: after what stands before it, else after what its values look like."""
    last = before[-1] if before else ""
    if prefix.endswith("="):
        return _plain(prefix.rstrip("=").rpartition(",")[2])
    if last.startswith("--") and len(last) > 2 and not prefix.endswith("@"):
        return _plain(last)
    ends = [" ".join(before[-length:]) for length in (3, 2, 1)]
    called = "host" if prefix.endswith("@") else next((_CALLED[end] for end in ends if end in _CALLED), "")
    found = list(values)
    looks = (name for name, pattern in _LOOKS.items() if all(pattern.search(value) for value in found))
    return called or _CALLED.get(f"{family} {last}") or next(looks, _UNNAMED)


def _plain(text: str) -> str:
    """Letters, digits and underscores, beginning with a letter."""
    word = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:24]
    return word if word[:1].isalpha() else _UNNAMED


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _unquoted_only(text: str) -> str:
    """What of a word stands outside quotation marks."""
    return re.sub(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", "", text)


def _all_unquoted(values: Mapping[int, str]) -> dict[int, str]:
    return {at: _unquoted(text) for at, text in values.items()}


def _named(slots: Sequence[_Slot]) -> dict[int, str]:
    """A name for each slot, by its identity. Slots that always had the same value are one; others differ in name."""
    names: dict[int, str] = {}
    kept: dict[str, _Slot] = {}
    for slot in slots:
        same = next((name for name, other in kept.items() if _is_same(slot, other)), None)
        if same is None:
            number = 1 + sum(name == slot.name or name.startswith(f"{slot.name}_") for name in kept)
            same = slot.name if number == 1 else f"{slot.name}_{number}"
            kept[same] = slot
        names[id(slot)] = same
    return names


def _is_same(one: _Slot, other: _Slot) -> bool:
    shared = one.values.keys() & other.values.keys()
    return len(shared) > 1 and all(one.values[at] == other.values[at] for at in shared)


def _written(piece: _Piece, names: Mapping[int, str]) -> str:
    if isinstance(piece, str):
        return piece
    return f"{piece.before}{placeholder(names[id(piece)])}{piece.after}"


# From a habit to something that can be run: the command lines a person really typed, and where.

_SEVERAL = 2  # sessions that show a whole ritual
_MOSTLY = 0.8  # so much of it in one directory makes it that directory's


class Recipe(Record):
    """The steps of a workflow as lines, and the directory to run them in; none is wherever one stands."""

    steps: tuple[str, ...]
    directory: str


class _Occurrence(Record):
    texts: tuple[str, ...]
    directory: str


def recipe(
    key: str, ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool] = lambda _directory: True
) -> Recipe:
    """`ends` are the commands of sessions up to an occurrence of this sequence, the latest first. Only commands in
    directories that `is_there` accepts count.

    A step is the line that was typed in most of them, with placeholders for what varied; where they differ too much, or
    where a secret stood in it, the command alone.
    """
    families = tuple(key.split(BETWEEN))
    found = _occurrences(families, ends, is_there)
    return Recipe(templates(families, [one.texts for one in found]), _place([one.directory for one in found]))


def is_whole(
    key: str, ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool] = lambda _directory: True
) -> bool:
    """Whether a sequence was really run from its first step to its last in several of these sessions."""
    return len(_occurrences(tuple(key.split(BETWEEN)), ends, is_there)) >= _SEVERAL


def _occurrences(
    families: Sequence[str], ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool]
) -> list[_Occurrence]:
    inside = [[ran for ran in commands if is_there(ran.directory)] for commands in ends]
    return [one for commands in inside if (one := _occurrence(families, commands))]


def _occurrence(families: Sequence[str], commands: Sequence[CommandRan]) -> _Occurrence | None:
    """The sequence as it was typed last."""
    wanted = list(families)
    texts: list[str] = []
    directory = ""
    for ran in commands:
        for part in reversed(_steps(ran)):
            if part.family == wanted[-1]:
                texts.append(part.text)
                directory = ran.directory
                wanted.pop()
                if not wanted:
                    return _Occurrence(tuple(reversed(texts)), directory)
    return None


def _steps(ran: CommandRan) -> list[Part]:
    return [part for part in parts(ran.meant or ran.command) if not part.trivial] if ran.went_well else []


def _place(directories: Sequence[str]) -> str:
    if not directories:
        return ""
    directory, count = Counter(directories).most_common(1)[0]
    return directory if count >= _MOSTLY * len(directories) else ""
