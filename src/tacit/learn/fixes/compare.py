"""Two commands side by side: whether they attempt the same, where they differ, what is of the moment."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

from tacit.learn.command_names import ParsedCommand, parse_commands
from tacit.learn.fixes.errors import ErrorClass, ParsedError
from tacit.record import Record
from tacit.text.shell import CUT_MARK, complete_words, quoted_words

# Two commands side by side: whether they try the same thing, and in what they differ.

_QUIET = re.compile(r"\s{0,4}(?:[12]?>&[12]|2?>{1,2} ?/dev/null|&> ?/dev/null|\|\| true$)")
_TRIMMED = re.compile(r"\s{0,4}\|\s{0,4}(?:head|tail|cat|less)(?: -n)?(?: ?-?\d{1,5}| -[a-z]\d{0,5}){0,2}\s{0,4}$")
_MASKS = re.compile(r"[|;\n]")
_FLAG = re.compile(r"-{1,2}[A-Za-z]")
_EMPTY = re.compile(r"(?:(?<=\s)|^)(?:''|\"\")(?=\s|$)")  # a word that is nothing is a word
_QUOTES = str.maketrans("", "", "'\"\\")
_MOVES = frozenset(("cd", "pushd", "true", "echo", "export", "sleep", "printf"))


class CommandAttempt(Record):
    """One command line, by its parts."""

    text: str
    commands: tuple[ParsedCommand, ...]

    @property
    def may_hide(self) -> bool:
        """Whether a failure in it may not show."""
        return _MASKS.search(self.text) is not None


class CommandPair(Record):
    """Two parts of two lines. `alike` is 0 … 1, of their words."""

    before: ParsedCommand
    after: ParsedCommand
    similarity: float

    @property
    def is_same_family(self) -> bool:
        return self.before.family == self.after.family


def parse_attempt(text: str) -> CommandAttempt:
    return CommandAttempt(text, parse_commands(text))


def bare(text: str) -> str:
    """A command without what only makes its output shorter or quieter."""
    return _TRIMMED.sub("", _QUIET.sub("", text)).strip()


def pair_of(before: CommandAttempt, after: CommandAttempt) -> CommandPair | None:
    """The parts that try the same thing: of one family if there are such, and most alike."""
    ours, theirs = ([part for part in line.commands if part.family not in _MOVES] for line in (before, after))
    pairs = [CommandPair(old, new, shared(words_of(old), words_of(new))) for old in ours for new in theirs]
    return max(pairs, key=lambda pair: (pair.is_same_family, pair.similarity), default=None)


def shared(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """The share of words that two commands have in common."""
    common = sum((Counter(first) & Counter(second)).values())
    return 2 * common / (len(first) + len(second)) if first or second else 0.0


def words_of(part: ParsedCommand) -> tuple[str, ...]:
    """The words of all its stages without their quotes; a wrapper or a variable in front counts as well."""
    return tuple(_EMPTY.sub(" ∅ ", bare(part.text)).translate(_QUOTES).split())


def flags_of(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word.split("=", 1)[0] for word in words if _FLAG.match(word))


def arguments_of(part: ParsedCommand) -> frozenset[str]:
    return frozenset(word for word in part.words[1:] if not word.startswith("-") and len(word) > 2)


def programs_of(command: CommandAttempt) -> frozenset[str]:
    """The names of all programs in a line."""
    names = (family.split(" ")[0] for part in command.commands for family in (part.family, *part.consumers))
    return frozenset(names) | {part.words[0].rpartition("/")[2] for part in command.commands if part.words}


def same_text(before: CommandAttempt, after: CommandAttempt) -> bool:
    return bare(before.text).split() == bare(after.text).split()


def same_but_quotes(before: CommandAttempt, after: CommandAttempt) -> bool:
    """Whether only quotes and backslashes differ, as far as the texts were kept."""
    if bare(before.text) == bare(after.text):
        return False
    old, new = (bare(text).translate(_QUOTES) for text in (before.text, after.text))
    if old.endswith(CUT_MARK) and new.endswith(CUT_MARK):
        length = min(len(old), len(new)) * 3 // 4
        return old[:length] == new[:length] and before.text[:length] != after.text[:length]
    return old == new


# Where two commands differ, when that is one place.


class Difference(Record):
    """What stands in the one and what in the other; either may be nothing."""

    old: str
    new: str


def difference(before: str, after: str) -> Difference | None:
    """The one place in which they differ; nothing if there are several, or none that was kept."""
    ours, theirs = complete_words(before), complete_words(after)
    matched = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    places = [place for place in matched if place[0] != "equal"]
    is_cut = before.endswith(CUT_MARK) and after.endswith(CUT_MARK)
    if is_cut and len(places) > 1 and (places[-1][2], places[-1][4]) == (len(ours), len(theirs)):
        places.pop()  # both were cut there, at different words
    if len(places) != 1:
        return None
    _, start, end, new_start, new_end = places[0]
    return Difference(" ".join(ours[start:end]), " ".join(theirs[new_start:new_end]))


# What is of the moment taken out of what is said: names of branches, messages, values, ids, places of this machine.

_STYLE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_QUOTED = r"(?:\"[^\"]{0,400}(?:\"|$)|'[^']{0,400}(?:'|$))"
_WORD = rf"(?:{_QUOTED}|[^\s'\"]{{1,200}})"
_LASTING_NAMES = frozenset("HEAD main master develop trunk @".split())

# Who wrote it chose it on the spot; what it was does not matter.
_WRITTEN = (
    (re.compile(rf"(?<=\s)(-m|--message|--body|--title|--description|--notes)([ =])({_WORD})"), "<text>"),
    (re.compile(rf"(?<=\s)(-b|-t|-d)( )({_QUOTED})"), "<text>"),
    (re.compile(rf"\b(user\.(?:name|email))( )({_WORD})"), "<value>"),
    (re.compile(r"\b((?:gh|glab) (?:pr|issue|mr|run|release) \w{1,20})( )(\d{1,12})\b"), "<number>"),
)
_TEXT_PROGRAMS = re.compile(r"\b(?:git (?:commit|tag|stash|notes|merge)|gh|glab|bd|jj)\b")
# A name that stands at a place where names are made up.
_BRANCHES = (
    re.compile(rf"\bgit\b.{{0,80}}?\b(?:checkout|switch)\b.{{0,40}}?\s(?:-[bBcC]|--create|--orphan)\s+({_WORD})"),
    re.compile(rf"\bgit\b.{{0,80}}?\b(?:push|pull|fetch|rebase)\s(?:-\S+\s+){{0,4}}[\w-]{{1,40}}\s+({_WORD})"),
    re.compile(rf"--set-upstream-to[= ][\w-]{{1,40}}/({_WORD})"),
    re.compile(rf"\bgit\b.{{0,80}}?\bbranch\s(?:-\S+\s+){{0,4}}({_WORD})"),
)
_CURRENT = re.compile(
    r"\bbranch '?([\w./-]{1,120}?)'? (?:has no|does not|is not|already)\b|\bbranch named '([^']{1,120})'"
)
_NAME = re.compile(r"\w(?:[\w./-]{0,118}\w)?")
_ID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|"
    r"\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,64}\b"
)
_TEMPORARY = re.compile(r"(?<![\w.])/(?:private/)?(?:tmp|var/folders)/[^\s'\"`,;:)]{1,200}")
_HOME = re.compile(r"(?<![\w.~])(?:/Users/[^/\s'\"`:]{1,64}|/home/[^/\s'\"`:]{1,64}|/root)(?=[/\s'\"`:,)]|$)")
_SET = re.compile(rf"(?<![^\s;&(])([A-Za-z_]\w{{0,60}})=({_WORD}|)")
_PLAIN_NAME = re.compile(r"\w{0,40}(?:PATH|FLAGS|OPTIONS|_ENV|LANG|LC_ALL)")
_PLAIN_VALUE = re.compile(r"[01]|true|false|on|off|yes|no|[\w.:,=/-]{1,40}")
_SWITCH = re.compile(r"[01]|true|false|on|off|yes|no")
_AT_A_PLACE = re.compile(r"(?: at| in)? ['\"`]?~?/[^'\"`\s]{2,200}['\"`]?$")
_OWN_PATH = re.compile(r"^/\S{1,120}/(?=[\w.+-]{1,40}: )")
_GIT_DIRECTORY = re.compile(rf"(?<=\bgit) -C ({_WORD})")
REDACTED = re.compile(r"REDACTED|\[redacted:")


class FixText(Record):
    """Two commands and the error between them, as they can be said."""

    before: str
    after: str
    error: str


def generalize(texts: FixText, directory: str) -> FixText:
    """What is left to say anywhere and at any time."""
    below = f"{directory}/" if len(directory) > 3 else "\0"  # paths as they are from the directory, or from home
    texts = _branches(FixText(*(_HOME.sub("~", text.replace(below, "")) for text in texts)))
    before, after = map(_generalize_command, _without_place(texts.before, texts.after))
    return FixText(before, _without_new_paths(before, after), _generalize_error(texts.error))


def _branches(texts: FixText) -> FixText:
    """Names of branches that only the second command knows, or that the error tells as today's."""
    names = {match[1].strip("'\"") for pattern in _BRANCHES for match in pattern.finditer(texts.after)} - {""}
    new = {name for name in names - _LASTING_NAMES if name not in texts.before and name[0] not in "-<"}
    current = {match[1] or match[2] for match in _CURRENT.finditer(texts.error)}
    today = new | current
    return FixText(*(_NAME.sub(lambda match: "<branch>" if match[0] in today else match[0], text) for text in texts))


def _generalize_command(command: str) -> str:
    """A command without messages, ids, values of variables and temporary files."""
    for pattern, sign in _WRITTEN:
        if sign != "<text>" or _TEXT_PROGRAMS.search(command):
            command = pattern.sub(rf"\1\2{sign}", command)
    command = _SET.sub(_valueless, command)
    return _ID.sub("<id>", _TEMPORARY.sub("<file>", command))


def _valueless(match: re.Match[str]) -> str:
    """Only the name of a variable is kept, unless its value is a mere switch or a place in the project."""
    name, value = match[1], match[2].strip("'\"")
    is_plain = _SWITCH.fullmatch(value) or (_PLAIN_NAME.fullmatch(name) and _PLAIN_VALUE.fullmatch(value))
    return match[0] if is_plain or not value else f"{name}=<value>"


def _without_place(before: str, after: str) -> tuple[str, str]:
    """`git -C /this/clone status` is `git status` where both commands were run there."""
    places = _GIT_DIRECTORY.findall(before)
    if places and places == _GIT_DIRECTORY.findall(after):
        return _GIT_DIRECTORY.sub("", before), _GIT_DIRECTORY.sub("", after)
    return before, after


def _without_new_paths(before: str, after: str) -> str:
    """`… -- a.go` without the files if the first command named none: they are what was looked at that time."""
    words = quoted_words(after)
    if "--" not in words[1:] or "--" in quoted_words(before):
        return after
    at = words.index("--", 1)
    return " ".join(words[:at]) if not any(word in before for word in words[at + 1 :]) else after


def _generalize_error(error: str) -> str:
    """The words of an error without colours, ids and where it was."""
    plain = _OWN_PATH.sub("", _STYLE.sub("", error))
    placeless = _AT_A_PLACE.sub("", plain)
    line = placeless if len(placeless.split()) > 2 else plain
    short = " ".join(_HOME.sub("~", line).split())
    return _ID.sub("<id>", _TEMPORARY.sub("<file>", short)).rstrip(" .,:;")


def is_temporary(text: str) -> bool:
    """Whether a text names what is there once: an object, a process, a temporary file."""
    return _ID.search(text) is not None or _TEMPORARY.search(text) is not None


def shape(error: str) -> str:
    """An error with what is of the moment taken out: the same one again has the same shape."""
    return _ID.sub(CUT_MARK, _TEMPORARY.sub(CUT_MARK, error))


# Whether two different commands try the same thing, given what the first one's error says.

_NEAR, _FAR = 2, 6  # calls in between
_ALIKE, _HALF, _VERY_ALIKE = 0.3, 0.5, 0.6
_RECOMMENDED = re.compile(
    r"\b(?:use|enabl\w{1,4}|pass|add|try|with|need)\b.{0,60}?[\s`'\"(](--[a-z][\w-]{1,40})", re.IGNORECASE
)
_ADVISING = frozenset((ErrorClass.ADVICE, ErrorClass.SYNTAX))
_ASKING = frozenset(("--help", "--version", "--usage"))
_UNDEFINED = re.compile(
    r"\b(?:undefined|undeclared|unresolved|not declared|cannot find (?:name|symbol))\b", re.IGNORECASE
)
_FILE = re.compile(r"\w\.[A-Za-z]{1,4}$")
_RUNNER = 3  # words in front of a command that run it
_SPECIAL = frozenset("()[]{}*?!&<>$#")


class _Signs(Record):
    """What speaks for it: words that the error blames and the retry drops, flags that it advises and the retry has."""

    blamed: bool
    dropped: bool
    advised: bool


def _signs(pair: CommandPair, error: ParsedError) -> _Signs:
    before, after = words_of(pair.before), words_of(pair.after)
    wrong = blamed(error, before)
    mentioned = {word.strip("`'\"(),.:;=[]") for word in error.text.replace("=", " ").split()}
    return _Signs(
        bool(wrong),
        any(word not in _pieces(after) if word in _pieces(before) else not _holds(after, word) for word in wrong),
        not mentioned.isdisjoint(flags_of(after) - flags_of(before)),
    )


def score_pair(pair: CommandPair, error: ParsedError, age: int) -> float | None:
    """How likely the second is the first, done right; nothing if it is not."""
    signs = _signs(pair, error)
    is_clear = signs.dropped or signs.advised or error.error_class is ErrorClass.SYNTAX
    if age > (_FAR if is_clear else _FAR - 2) or not _is_related(pair, error, age, signs):
        return None
    return pair.similarity + 0.3 * pair.is_same_family + 0.4 * signs.advised + 0.2 * signs.dropped


def _is_related(pair: CommandPair, error: ParsedError, age: int, signs: _Signs) -> bool:
    is_near, is_very_alike = age <= _NEAR, pair.similarity >= _VERY_ALIKE
    if _is_through_another(pair) or _is_suggested_program(pair, error):
        return is_near
    match error.error_class:
        case ErrorClass.MISSING:
            return is_near and _replaces(pair, error)
        case ErrorClass.PATH:
            return (
                pair.is_same_family
                and pair.similarity >= _ALIKE
                and bool(_last_names(pair.before) & _last_names(pair.after))
            )
        case ErrorClass.USAGE if not signs.blamed and not signs.advised:
            return is_near and _is_retry(pair, _HALF)
        case ErrorClass.ADVICE | ErrorClass.USAGE | ErrorClass.STATE if not signs.dropped and (
            signs.blamed or error.error_class is ErrorClass.ADVICE
        ):
            return pair.is_same_family and (signs.advised or (is_near and is_very_alike))
        case _:
            is_told = (signs.dropped and _is_same_program(pair)) or (signs.advised and pair.is_same_family)
            return is_told or _is_retry(pair, _ALIKE)


def _is_through_another(pair: CommandPair) -> bool:
    """The same command behind a runner, or with something set for it: `uv run pytest`, `PYTHONPATH=src pytest`."""
    before, after = words_of(pair.before), words_of(pair.after)
    more = len(after) - len(before)
    return bool(before) and 0 < more <= _RUNNER and after[more:] == before


def _is_suggested_program(pair: CommandPair, error: ParsedError) -> bool:
    """The same with another program, and it is the one that the error names: `npm` fails with “use pnpm”."""
    before, after = words_of(pair.before), words_of(pair.after)
    mentioned = {word.strip("`'\"(),.:;") for word in error.text.split()}
    return bool(after) and before[:1] != after[:1] and before[1:] == after[1:] and after[0] in mentioned


def _is_retry(pair: CommandPair, min_similarity: float) -> bool:
    return (pair.is_same_family and pair.similarity >= min_similarity) or pair.similarity >= _VERY_ALIKE


def _is_same_program(pair: CommandPair) -> bool:
    """Another command of the same program, for the rest alike: the command was what was wrong."""
    return bool(pair.before.words) and pair.before.words[:1] == pair.after.words[:1] and pair.similarity >= _HALF


def blamed(error: ParsedError, words: tuple[str, ...]) -> frozenset[str]:
    """The words of the command that the error names."""
    return frozenset(word for word in error.named if _holds(words, word))


def _holds(words: tuple[str, ...], asked: str) -> bool:
    return asked in _pieces(words) or (len(asked) > 3 and any(asked in word for word in words))


def _pieces(words: tuple[str, ...]) -> frozenset[str]:
    """Words, and what they list: `--json a,b` names `a` and `b`."""
    return frozenset(piece for word in words for piece in (word, *word.replace("=", ",").split(",")))


def _replaces(pair: CommandPair, error: ParsedError) -> bool:
    """Another program for the same arguments, or another way to start the program or module that was not found."""
    mentioned = {word.strip("`'\":,.") for word in error.line.split()}
    program = next((word for word in words_of(pair.before)[:3] if word.rpartition("/")[2] in mentioned), "")
    missing = {program.rpartition("/")[2]} if program else error.named | (mentioned & set(words_of(pair.before)))
    if program and words_of(pair.after)[:1] == (program,):  # it is there by now
        return False
    again = any(_starts(pair.after, name) for name in missing)
    is_alike = bool(program) and pair.similarity >= _VERY_ALIKE
    return again or is_alike or bool(arguments_of(pair.before) & arguments_of(pair.after))


def _starts(part: ParsedCommand, name: str) -> bool:
    """Whether a command has the name of a program or module in it: `.venv/bin/NAME`, `uv run NAME`, `NAME3`."""
    first = (word.rpartition("/")[2] for word in words_of(part)[:5])
    return len(name) > 1 and (any(word.startswith(name) for word in first) or name.replace("-", " ") in part.text)


def _last_names(part: ParsedCommand) -> frozenset[str]:
    return frozenset(word.rstrip("/").rpartition("/")[2] for word in arguments_of(part))


def is_slip(pair: CommandPair) -> bool:
    """Whether only letters of one word were mixed up: everybody's fingers, nobody's knowledge."""
    both = list(zip(words_of(pair.before), words_of(pair.after), strict=False))
    wrong = [(old, new) for old, new in both if old != new]
    is_same_length = len(words_of(pair.before)) == len(words_of(pair.after))
    return is_same_length and len(wrong) == 1 and sorted(wrong[0][0]) == sorted(wrong[0][1])


def is_widened(pair: CommandPair, error: ParsedError) -> bool:
    """Whether one file of the first command is a folder that holds it in the second, and names were not known."""
    before, after = words_of(pair.before), words_of(pair.after)
    if len(before) != len(after) or before[:1] != after[:1] or not _UNDEFINED.search(error.text):
        return False
    differ = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    if len(differ) != 1 or not _FILE.search(differ[0][0]):
        return False
    folder = differ[0][1].removesuffix("...").rstrip("/").removeprefix("./")
    return folder in ("", ".") or differ[0][0].removeprefix("./").startswith(f"{folder}/")


def only_quotes_are_new(pair: CommandPair) -> bool:
    """Whether the words that are new are quoted for what they hold: the same mistake avoided, also on another file."""
    typed = bare(pair.before.text).split()
    new = [word for word in bare(pair.after.text).split() if word not in typed]
    same = words_of(pair.before) == words_of(pair.after)
    return same or (
        pair.is_same_family and bool(new) and all(word[0] in "'\"" and not _SPECIAL.isdisjoint(word) for word in new)
    )


def only_drops(pair: CommandPair, error: ParsedError) -> bool:
    """Whether the retry asks for less of the same: what could not be done was left undone."""
    before, after = words_of(pair.before), words_of(pair.after)
    return error.error_class is ErrorClass.STATE and len(after) < len(before) and set(after) <= set(before)


def advised_flag(pair: CommandPair, error: ParsedError) -> str:
    """The flag that an error recommends for what was asked, and neither command has."""
    typed = flags_of(words_of(pair.before)) | flags_of(words_of(pair.after))
    flags = (match[1] for match in _RECOMMENDED.finditer(error.text)) if error.error_class in _ADVISING else ()
    return next((flag for flag in flags if flag not in typed and flag not in _ASKING), "")
