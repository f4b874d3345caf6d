"""Whether two different commands try the same thing, given what the first one's error says."""

from __future__ import annotations

import re

from tacit.learn.fixes.reading import Trouble
from tacit.learn.fixes.sorts import Sort
from tacit.learn.fixes.tries import Pair, arguments_of, bare, flags_of, words_of
from tacit.learn.habits.families import Part
from tacit.record import Record

_NEAR, _FAR = 2, 6  # calls in between
_ALIKE, _HALF, _VERY_ALIKE = 0.3, 0.5, 0.6
_RECOMMENDED = re.compile(
    r"\b(?:use|enabl\w{1,4}|pass|add|try|with|need)\b.{0,60}?[\s`'\"(](--[a-z][\w-]{1,40})", re.IGNORECASE
)
_ADVISING = frozenset((Sort.ADVICE, Sort.SYNTAX))
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


def _signs(pair: Pair, trouble: Trouble) -> _Signs:
    before, after = words_of(pair.before), words_of(pair.after)
    wrong = blamed(trouble, before)
    return _Signs(
        bool(wrong),
        any(word not in _pieces(after) if word in _pieces(before) else not _holds(after, word) for word in wrong),
        any(_is_told(flag, trouble.text) for flag in flags_of(after) - flags_of(before)),
    )


def worth(pair: Pair, trouble: Trouble, age: int) -> float | None:
    """How likely the second is the first, done right; nothing if it is not."""
    signs = _signs(pair, trouble)
    is_clear = signs.dropped or signs.advised or trouble.sort is Sort.SYNTAX
    if age > (_FAR if is_clear else _FAR - 2) or not _is_related(pair, trouble, age, signs):
        return None
    return pair.alike + 0.3 * pair.is_family + 0.4 * signs.advised + 0.2 * signs.dropped


def _is_related(pair: Pair, trouble: Trouble, age: int, signs: _Signs) -> bool:
    is_near, is_very_alike = age <= _NEAR, pair.alike >= _VERY_ALIKE
    if _is_through_another(pair) or _is_told_program(pair, trouble):
        return is_near
    match trouble.sort:
        case Sort.MISSING:
            return is_near and _replaces(pair, trouble)
        case Sort.PATH:
            return pair.is_family and pair.alike >= _ALIKE and bool(_last_names(pair.before) & _last_names(pair.after))
        case Sort.USAGE if not signs.blamed and not signs.advised:
            return is_near and _is_retry(pair, _HALF)
        case Sort.ADVICE | Sort.USAGE | Sort.STATE if not signs.dropped and (
            signs.blamed or trouble.sort is Sort.ADVICE
        ):
            return pair.is_family and (signs.advised or (is_near and is_very_alike))
        case _:
            is_told = (signs.dropped and _is_kin(pair)) or (signs.advised and pair.is_family)
            return is_told or _is_retry(pair, _ALIKE)


def _is_through_another(pair: Pair) -> bool:
    """The same command behind a runner, or with something set for it: `uv run pytest`, `PYTHONPATH=src pytest`."""
    before, after = words_of(pair.before), words_of(pair.after)
    more = len(after) - len(before)
    return bool(before) and 0 < more <= _RUNNER and after[more:] == before


def _is_told_program(pair: Pair, trouble: Trouble) -> bool:
    """The same with another program, and it is the one that the error names: `npm` fails with “use pnpm”."""
    before, after = words_of(pair.before), words_of(pair.after)
    told = {word.strip("`'\"(),.:;") for word in trouble.text.split()}
    return bool(after) and before[:1] != after[:1] and before[1:] == after[1:] and after[0] in told


def _is_retry(pair: Pair, least: float) -> bool:
    return (pair.is_family and pair.alike >= least) or pair.alike >= _VERY_ALIKE


def _is_kin(pair: Pair) -> bool:
    """Another command of the same program, for the rest alike: the command was what was wrong."""
    return bool(pair.before.words) and pair.before.words[:1] == pair.after.words[:1] and pair.alike >= _HALF


def blamed(trouble: Trouble, words: tuple[str, ...]) -> frozenset[str]:
    """The words of the command that the error names."""
    return frozenset(word for word in trouble.named if _holds(words, word))


def _holds(words: tuple[str, ...], asked: str) -> bool:
    return asked in _pieces(words) or (len(asked) > 3 and any(asked in word for word in words))


def _pieces(words: tuple[str, ...]) -> frozenset[str]:
    """Words, and what they list: `--json a,b` names `a` and `b`."""
    return frozenset(piece for word in words for piece in (word, *word.replace("=", ",").split(",")))


def _is_told(flag: str, text: str) -> bool:
    return any(word.strip("`'\"(),.:;=[]") == flag for word in text.replace("=", " ").split())


def _replaces(pair: Pair, trouble: Trouble) -> bool:
    """Another program for the same arguments, or another way to start the program or module that was not found."""
    told = {word.strip("`'\":,.") for word in trouble.line.split()}
    program = next((word for word in words_of(pair.before)[:3] if word.rpartition("/")[2] in told), "")
    missing = {program.rpartition("/")[2]} if program else trouble.named | (told & set(words_of(pair.before)))
    if program and words_of(pair.after)[:1] == (program,):  # it is there by now
        return False
    again = any(_starts(pair.after, name) for name in missing)
    is_alike = bool(program) and pair.alike >= _VERY_ALIKE
    return again or is_alike or bool(arguments_of(pair.before) & arguments_of(pair.after))


def _starts(part: Part, name: str) -> bool:
    """Whether a command has the name of a program or module in it: `.venv/bin/NAME`, `uv run NAME`, `NAME3`."""
    first = (word.rpartition("/")[2] for word in words_of(part)[:5])
    return len(name) > 1 and (any(word.startswith(name) for word in first) or name.replace("-", " ") in part.text)


def _last_names(part: Part) -> frozenset[str]:
    return frozenset(word.rstrip("/").rpartition("/")[2] for word in arguments_of(part))


def is_slip(pair: Pair) -> bool:
    """Whether only letters of one word were mixed up: everybody's fingers, nobody's knowledge."""
    both = list(zip(words_of(pair.before), words_of(pair.after), strict=False))
    wrong = [(one, other) for one, other in both if one != other]
    is_same_length = len(words_of(pair.before)) == len(words_of(pair.after))
    return is_same_length and len(wrong) == 1 and sorted(wrong[0][0]) == sorted(wrong[0][1])


def is_widened(pair: Pair, trouble: Trouble) -> bool:
    """Whether one file of the first command is a folder that holds it in the second, and names were not known."""
    before, after = words_of(pair.before), words_of(pair.after)
    if len(before) != len(after) or before[:1] != after[:1] or not _UNDEFINED.search(trouble.text):
        return False
    differ = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    return len(differ) == 1 and _FILE.search(differ[0][0]) is not None and _holds_file(differ[0][1], differ[0][0])


def _holds_file(folder: str, file: str) -> bool:
    top = folder.removesuffix("...").rstrip("/").removeprefix("./")
    return top in ("", ".") or file.removeprefix("./").startswith(f"{top}/")


def only_quotes_are_new(pair: Pair) -> bool:
    """Whether the words that are new are quoted for what they hold: the same mistake avoided, also on another file."""
    typed = bare(pair.before.text).split()
    new = [word for word in bare(pair.after.text).split() if word not in typed]
    same = words_of(pair.before) == words_of(pair.after)
    return same or (
        pair.is_family and bool(new) and all(word[0] in "'\"" and not _SPECIAL.isdisjoint(word) for word in new)
    )


def only_drops(pair: Pair, trouble: Trouble) -> bool:
    """Whether the retry asks for less of the same: what could not be done was left undone."""
    before, after = words_of(pair.before), words_of(pair.after)
    return trouble.sort is Sort.STATE and len(after) < len(before) and set(after) <= set(before)


def advised_flag(pair: Pair, trouble: Trouble) -> str:
    """The flag that an error recommends for what was asked, and neither command has."""
    typed = flags_of(words_of(pair.before)) | flags_of(words_of(pair.after))
    told = (found[1] for found in _RECOMMENDED.finditer(trouble.text)) if trouble.sort in _ADVISING else ()
    return next((flag for flag in told if flag not in typed and flag not in _ASKING), "")
