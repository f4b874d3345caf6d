"""A command and its error without what belongs to one moment: branches, messages, values, ids, paths of one machine."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from tacit.record import Record
from tacit.text.shell import CUT_MARK, complete_words, quoted_words

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
