"""A command and its error without what belongs to one moment: branches, messages, values, ids, paths of one machine."""

from __future__ import annotations

import re

from tacit.commandline.names import quoted_words
from tacit.record import Record

_STYLE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_QUOTED = r"(?:\"[^\"]{0,400}(?:\"|$)|'[^']{0,400}(?:'|$))"
_WORD = rf"(?:{_QUOTED}|[^\s'\"]{{1,200}})"
_LASTING_NAMES = frozenset("HEAD main master develop trunk @".split())

# Texts and numbers that are chosen for one occasion.
_WRITTEN = (
    (re.compile(rf"(?<=\s)(-m|--message|--body|--title|--description|--notes)([ =])({_WORD})"), "<text>"),
    (re.compile(rf"(?<=\s)(-b|-t|-d)( )({_QUOTED})"), "<text>"),
    (re.compile(rf"\b(user\.(?:name|email))( )({_WORD})"), "<value>"),
    (re.compile(r"\b((?:gh|glab) (?:pr|issue|mr|run|release) \w{1,20})( )(\d{1,12})\b"), "<number>"),
)
_TEXT_PROGRAMS = re.compile(r"\b(?:git (?:commit|tag|stash|notes|merge)|gh|glab|bd|jj)\b")
# Where a new branch is named.
_BRANCHES = (
    re.compile(rf"\bgit\b.{{0,80}}?\b(?:checkout|switch)\b.{{0,40}}?\s(?:-[bBcC]|--create|--orphan)\s+({_WORD})"),
    re.compile(rf"\bgit\b.{{0,80}}?\b(?:push|pull|fetch|rebase)\s(?:-\S+\s+){{0,4}}[\w-]{{1,40}}\s+({_WORD})"),
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
_PLAIN_VALUE = re.compile(r"[\w.:,=/-]{1,40}")
_SWITCH = re.compile(r"[01]|true|false|on|off|yes|no")
_AT_A_PLACE = re.compile(r"(?: at| in)? ['\"`]?~?/[^'\"`\s]{2,200}['\"`]?$")
_OWN_PATH = re.compile(r"^/\S{1,120}/(?=[\w.+-]{1,40}: )")
_GIT_DIRECTORY = re.compile(rf"(?<=\bgit) -C ({_WORD})")
REDACTED = re.compile(r"REDACTED|\[redacted:")


class FixText(Record):
    """Two commands and the error of the first."""

    before: str
    after: str
    error: str


def generalize(texts: FixText, directory: str) -> FixText:
    """Return the texts without what belongs to one moment or one machine."""
    below = f"{directory}/" if len(directory) > 3 else "\0"  # paths become relative to the directory, or to home
    texts = _branches(FixText(*(_HOME.sub("~", text.replace(below, "")) for text in texts)))
    before, after = map(_generalize_command, _without_place(texts.before, texts.after))
    return FixText(before, _without_new_paths(before, after), _generalize_error(texts.error))


def _branches(texts: FixText) -> FixText:
    """Replace branches that only the second command names, and the current branch if the error names it."""
    names = {match[1].strip("'\"") for pattern in _BRANCHES for match in pattern.finditer(texts.after)} - {""}
    new = {name for name in names - _LASTING_NAMES if name not in texts.before and name[0] not in "-<"}
    current = {match[1] or match[2] for match in _CURRENT.finditer(texts.error)}
    today = new | current
    return FixText(*(_NAME.sub(lambda match: "<branch>" if match[0] in today else match[0], text) for text in texts))


def _generalize_command(command: str) -> str:
    """Return a command without messages, ids, values of variables and temporary files."""
    for pattern, sign in _WRITTEN:
        if sign != "<text>" or _TEXT_PROGRAMS.search(command):
            command = pattern.sub(rf"\1\2{sign}", command)
    command = _SET.sub(_valueless, command)
    return _ID.sub("<id>", _TEMPORARY.sub("<file>", command))


def _valueless(match: re.Match[str]) -> str:
    """Return an assignment without its value, unless that is a switch or a path of the project."""
    name, value = match[1], match[2].strip("'\"")
    is_plain = _SWITCH.fullmatch(value) or (_PLAIN_NAME.fullmatch(name) and _PLAIN_VALUE.fullmatch(value))
    return match[0] if is_plain or not value else f"{name}=<value>"


def _without_place(before: str, after: str) -> tuple[str, str]:
    """Return `git -C /a/clone status` as `git status` if both commands name the same clone."""
    places = _GIT_DIRECTORY.findall(before)
    if places and places == _GIT_DIRECTORY.findall(after):
        return _GIT_DIRECTORY.sub("", before), _GIT_DIRECTORY.sub("", after)
    return before, after


def _without_new_paths(before: str, after: str) -> str:
    """Return `git show HEAD -- a.go` without the files if the first command named none."""
    words = quoted_words(after)
    if "--" not in words[1:] or "--" in quoted_words(before):
        return after
    at = words.index("--", 1)
    return " ".join(words[:at]) if not any(word in before for word in words[at + 1 :]) else after


def _generalize_error(error: str) -> str:
    """Return an error without colours, ids and paths."""
    plain = _OWN_PATH.sub("", _STYLE.sub("", error))
    placeless = _AT_A_PLACE.sub("", plain)
    line = placeless if len(placeless.split()) > 2 else plain
    short = " ".join(_HOME.sub("~", line).split())
    return _ID.sub("<id>", _TEMPORARY.sub("<file>", short)).rstrip(" .,:;")
