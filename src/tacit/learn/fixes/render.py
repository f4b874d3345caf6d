"""A fix as one sentence that can stand alone: which command, which error, what to do instead.

What belongs to one moment is taken out first: branches, messages, values, ids, paths of one machine. No sentence is
made if it would not be understood: commands that were cut, or a change that cannot be put in words.
"""

from __future__ import annotations

import re

from tacit.commandline.bash import CUT_MARK
from tacit.commandline.names import quoted_words
from tacit.learn import Lesson
from tacit.learn.fixes.pairs import ANSI_STYLE, Pair, Quoting, named_in, quoted_signs
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.record import Record
from tacit.text.display import clip, visible_line

# Two commands and an error without what belongs to one moment

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
_REDACTED = re.compile(r"REDACTED|\[redacted:")


class FixText(Record):
    """Two commands and the error of the first."""

    before: str
    after: str
    error: str


def generalize(texts: FixText, directory: str) -> FixText:
    """Return the texts without what belongs to one moment or one machine."""
    below = f"{directory}/" if len(directory) > 3 else "\0"  # paths become relative to the directory, or to home
    texts = FixText(*(_HOME.sub("~", text.replace(below, "")) for text in texts))
    # Branches that only the second command names, and the current branch if the error names it
    names = {match[1].strip("'\"") for pattern in _BRANCHES for match in pattern.finditer(texts.after)} - {""}
    new = {name for name in names - _LASTING_NAMES if name not in texts.before and name[0] not in "-<"}
    today = new | {match[1] or match[2] for match in _CURRENT.finditer(texts.error)}
    before, after, error = (
        _NAME.sub(lambda match: "<branch>" if match[0] in today else match[0], text) for text in texts
    )
    # `git -C /a/clone status` is `git status` if both commands name the same clone.
    if _GIT_DIRECTORY.findall(before) == _GIT_DIRECTORY.findall(after):
        before, after = _GIT_DIRECTORY.sub("", before), _GIT_DIRECTORY.sub("", after)
    before, after = _generalize_command(before), _generalize_command(after)
    # `git show HEAD -- a.go` is without the files if the first command named none.
    words = quoted_words(after)
    if "--" in words[1:] and "--" not in quoted_words(before):
        at = words.index("--", 1)
        after = " ".join(words[:at]) if not any(word in before for word in words[at + 1 :]) else after
    # The error loses colours, ids and paths.
    plain = _OWN_PATH.sub("", ANSI_STYLE.sub("", error))
    placeless = _AT_A_PLACE.sub("", plain)
    line = placeless if len(placeless.split()) > 2 else plain
    short = " ".join(_HOME.sub("~", line).split())
    return FixText(before, after, _ID.sub("<id>", _TEMPORARY.sub("<file>", short)).rstrip(" .,:;"))


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


# Sentences

_MAX_COMMAND_CHARS = 100  # of a command that is shown whole
_MAX_ERROR_CHARS = 120
_MAX_SENTENCE_CHARS = 500
_FRONT = re.compile(
    r"^(?:(?:/bin/)?(?:ba|z|da)?sh: |\(eval\):\d{1,4}: |-c: |line \d{1,5}: |\d{1,4}: |zsh:\d{1,4}: |fatal: |error: |"
    r"npm (?:ERR!|error) |make(?:\[\d{1,3}\])?: \*\*\* |✘ |× |● ){1,5}",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"; |[.:] (?=[A-Z])|\\n")
_FORMATS = re.compile(r"(?:^|[\s:_./-])(?:fmt|format|prettier|gofmt|goimports|rustfmt|black|--write)(?:[\s:_.-]|$)")
_CHANGED = "The first call failed, and the changed one worked."
_REPAIRED = "The command failed, and after one other command it worked unchanged."
_REPEATED = " Another session shows the same."
_ESCAPED = "\\!"
_ESCAPED_LESSON = (
    "When a command fails because the shell passes `!` in quotes as `\\!`, write the argument without `!`."
)


def lesson_from_pair(pair: Pair, evidence: tuple[EventId, ...], score: float) -> Lesson | None:
    """Return the lesson of a fix that two sessions show, or None if it cannot be put in words."""
    quote = quote_of(pair.error)
    sentence = clip(visible_line(sentence_of(pair)), _MAX_SENTENCE_CHARS) if quote and pair.before.strip() else ""
    if not sentence or _REDACTED.search(sentence):
        return None
    reason = (_REPAIRED if pair.is_same_text and pair.repair else _CHANGED) + _REPEATED
    confidence = round(min(0.5 + 0.3 * score, 0.8), 2)
    return Lesson(Kind.KNOWN_FIX, sentence, quote, evidence, reason, confidence, Provenance.TOOL_LOCAL)


def quote_of(error: str) -> str:
    """Return the first sentence of an error, whole words, as they are in the result."""
    front = _FRONT.match(error)
    quote = error[front.end() if front and front.end() < len(error) - 8 else 0 :].strip()
    if len(quote) > _MAX_ERROR_CHARS // 2 and (end := _SENTENCE_END.search(quote, 20)):
        quote = quote[: end.start()]
    if len(quote) > _MAX_ERROR_CHARS:
        has_blank = " " in quote[20:_MAX_ERROR_CHARS]
        quote = quote[: quote.rfind(" ", 0, _MAX_ERROR_CHARS) if has_blank else _MAX_ERROR_CHARS]
    return quote.rstrip(" .,:;")


def edited_files(pair: Pair) -> list[str]:
    """Return the names of the files that were edited between failure and retry, without their folders."""
    return sorted({file.rpartition("/")[2] for file in pair.edited})


def sentence_of(pair: Pair) -> str:
    """Return the sentence, or "" if the fix cannot be put in words."""
    error, used = quote_of(pair.error), pair.failure.used
    if not pair.failure.is_command and (name := _listed_name(pair.error)):
        return _framed(used.tool, error, f"use {_code(name)}")
    if pair.is_same_text:
        return _render_repair(pair, error)
    if signs := quoted_signs(pair.before, pair.after, pair.error):
        return _render_quoting(signs)
    # A `!` in quotes reached the program with a backslash, and the other command has none.
    if "!" in pair.before and _ESCAPED not in pair.before and "!" not in pair.after and _ESCAPED in used.result:
        return _ESCAPED_LESSON
    texts = generalize(FixText(pair.before, pair.after, error), used.directory)
    # Commands that are too long, or that differed only in what generalize removes, cannot be shown.
    if texts.before == texts.after or not _is_short(texts.before) or not _is_short(texts.after):
        return ""
    return _framed(_on_one_line(texts.before), texts.error, f"use {_code(_on_one_line(texts.after))}")


def _framed(command: str, error: str, what: str) -> str:
    return f"When {_code(command)} fails with “{error}”, {what}."


def _listed_name(error: str) -> str:
    """Return the one name that an error lists and that contains the name that was not found, or ""."""
    _, _, listed = error.partition(": ")
    names = [name.strip(" .`'\"") for name in listed.split(",")]
    for asked in sorted(named_in(error)):
        like = [name for name in names if asked in name and name != asked]
        if len(like) == 1 and len(names) > 1:
            return like[0]
    return ""


def _render_repair(pair: Pair, error: str) -> str:
    if pair.repair is None or pair.edited:
        return ""
    texts = generalize(FixText(pair.before, pair.repair.text, error), pair.failure.used.directory)
    command = _on_one_line(texts.before) if _is_short(texts.before) else pair.family
    repair = _on_one_line(texts.after)
    if not _is_short(texts.after):
        return ""
    if _FORMATS.search(repair):
        return f"When {_code(command)} fails on formatting, run {_code(repair)} first."
    return _framed(command, texts.error, f"run {_code(repair)} first")


def _render_quoting(quoted: Quoting) -> str:
    signs = " and ".join(map(_code, quoted.signs))
    if quoted.is_single:
        return f"When a shell command fails on {signs} in double quotes, use single quotes."
    article, thing = ("a", "path") if quoted.is_path else ("an", "argument")
    return f"When a shell command fails on {article} {thing} with {signs}, put the {thing} in quotes."


def _code(text: str) -> str:
    """Return a text as inline code of Markdown."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def _is_short(command: str) -> bool:
    is_whole = not command.endswith(CUT_MARK) and not _REDACTED.search(command)
    return is_whole and len(_on_one_line(command)) <= _MAX_COMMAND_CHARS


def _on_one_line(command: str) -> str:
    return " ".join(quoted_words(command))
