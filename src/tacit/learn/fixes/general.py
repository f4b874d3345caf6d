"""What is of the moment taken out of what is said: names of branches, messages, values, ids, places of this machine."""

from __future__ import annotations

import re

from tacit.learn.fixes.tries import CUT
from tacit.learn.fixes.typed import typed
from tacit.record import Record

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
_ELSEWHERE = re.compile(rf"(?<=\bgit) -C ({_WORD})")
REDACTED = re.compile(r"REDACTED|\[redacted:")


class Told(Record):
    """Two commands and the error between them, as they can be said."""

    before: str
    after: str
    error: str


def general(told: Told, directory: str) -> Told:
    """What is left to say anywhere and at any time."""
    near = _near(told, directory)
    named = _branches(near)
    before, after = (_plain(text) for text in _without_place(named.before, named.after))
    return Told(before, _without_new_paths(before, after), _error(named.error))


def _near(told: Told, directory: str) -> Told:
    """Paths as they are from the directory of the session, or from home."""
    below = f"{directory}/" if len(directory) > 3 else "\0"
    return Told(*(_HOME.sub("~", text.replace(below, "")) for text in told))


def _branches(told: Told) -> Told:
    """Names of branches that only the second command knows, or that the error tells as today's."""
    names = {found[1].strip("'\"") for pattern in _BRANCHES for found in pattern.finditer(told.after)} - {""}
    new = {name for name in names - _LASTING_NAMES if name not in told.before and name[0] not in "-<"}
    current = {found[1] or found[2] for found in _CURRENT.finditer(told.error)}
    today = new | current
    return Told(*(_NAME.sub(lambda found: "<branch>" if found[0] in today else found[0], text) for text in told))


def _plain(command: str) -> str:
    """A command without messages, ids, values of variables and temporary files."""
    for pattern, sign in _WRITTEN:
        if sign != "<text>" or _TEXT_PROGRAMS.search(command):
            command = pattern.sub(rf"\1\2{sign}", command)
    command = _SET.sub(_valueless, command)
    return _ID.sub("<id>", _TEMPORARY.sub("<file>", command))


def _valueless(found: re.Match[str]) -> str:
    """Only the name of a variable is kept, unless its value is a mere switch or a place in the project."""
    name, value = found[1], found[2].strip("'\"")
    is_plain = _SWITCH.fullmatch(value) or (_PLAIN_NAME.fullmatch(name) and _PLAIN_VALUE.fullmatch(value))
    return found[0] if is_plain or not value else f"{name}=<value>"


def _without_place(before: str, after: str) -> tuple[str, str]:
    """`git -C /this/clone status` is `git status` where both commands were run there."""
    places = _ELSEWHERE.findall(before)
    if places and places == _ELSEWHERE.findall(after):
        return _ELSEWHERE.sub("", before), _ELSEWHERE.sub("", after)
    return before, after


def _without_new_paths(before: str, after: str) -> str:
    """`… -- a.go` without the files if the first command named none: they are what was looked at that time."""
    words = typed(after)
    if "--" not in words[1:] or "--" in typed(before):
        return after
    at = words.index("--", 1)
    return " ".join(words[:at]) if not any(word in before for word in words[at + 1 :]) else after


def _error(error: str) -> str:
    """The words of an error without colours, ids and where it was."""
    plain = _OWN_PATH.sub("", _STYLE.sub("", error))
    placeless = _AT_A_PLACE.sub("", plain)
    kept = placeless if len(placeless.split()) > 2 else plain
    short = " ".join(_HOME.sub("~", kept).split())
    return _ID.sub("<id>", _TEMPORARY.sub("<file>", short)).rstrip(" .,:;")


def is_of_the_moment(text: str) -> bool:
    """Whether a text names what is there once: an object, a process, a temporary file."""
    return _ID.search(text) is not None or _TEMPORARY.search(text) is not None


def shape(error: str) -> str:
    """An error with what is of the moment taken out: the same one again has the same shape."""
    return _ID.sub(CUT, _TEMPORARY.sub(CUT, error))
