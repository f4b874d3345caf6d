"""A fix as one sentence that stands alone: which command, which error, what to do instead. Or nothing, where it cannot
be said so that a person understands it.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from tacit.learn.fixes.command_kinds import formats
from tacit.learn.fixes.compare import REDACTED, Difference, Told, difference, flags_of, general
from tacit.learn.fixes.errors import Sort
from tacit.learn.fixes.match import Call, Found, Way
from tacit.learn.fixes.quoting import ESCAPED, lesson
from tacit.learn.types import Learnt
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.text.display import clip
from tacit.text.shell import CUT, typed
from tacit.text.summarize import visible

_WHOLE = 100  # characters of a command that is shown whole
_PLACE = 50  # characters of what differs between two that are not
_LIKE = 0.7  # of two flags, where one may be a slip of the other
_LONGEST_ERROR = 120
_LONGEST = 500
_FRONT = re.compile(
    r"^(?:(?:/bin/)?(?:ba|z|da)?sh: |\(eval\):\d{1,4}: |-c: |line \d{1,5}: |zsh:\d{1,4}: |fatal: |error: |"
    r"npm (?:ERR!|error) |make(?:\[\d{1,3}\])?: \*\*\* |✘ |× ){1,5}",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"; |[.:] (?=[A-Z])")
_CD = re.compile(r"cd ['\"]?(/[^'\"]{1,300}?)['\"]? && (.{1,2000})", re.DOTALL)
_NUMBER = re.compile(r"\b\d{1,9}\b")
_NO_SUCH_FLAG = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|no such|unexpected|invalid|illegal|not defined|undefined)\b"
    r"(?:.{0,30}\b(?:flag|option|argument|switch|shorthand|parameter))?|"
    r"not a (?:valid|recogni[sz]ed) (?:option|flag)|does not exist",
    re.IGNORECASE,
)
_REASONS = {
    Way.CHANGED: "The first command failed; the changed one worked, and no file was edited in between.",
    Way.QUOTED: "The command failed unquoted and worked in quotes.",
    Way.ESCAPED: "The command failed with the sign and worked without it.",
    Way.WIDENED: "The command failed on one file and worked on its folder; no file was edited in between.",
    Way.ADVISED: "The error named the flag, and the command worked without what needs it.",
    Way.REPAIRED: "The command failed, and after one other command it worked unchanged.",
    Way.NAMED: "The error named what there is, and the next call worked.",
    Way.ASKED: "The call failed, and with another input it worked.",
}


def learnt(failure: Call, found: Found, attempts: tuple[EventId, ...] = ()) -> Learnt | None:
    sentence = clip(visible(sentence_of(found, failure.used.directory) or ""), _LONGEST)
    if not sentence or REDACTED.search(sentence):
        return None
    repair = (found.repaired_by,) if found.repaired_by else ()
    return Learnt(
        Kind.KNOWN_FIX,
        sentence,
        quote_of(found),
        (failure.event, *attempts, *repair, found.success),
        _REASONS[found.way],
        round(min(0.4 + 0.2 * found.score, 0.8), 2),
        Provenance.TOOL_LOCAL,
    )


def quote_of(found: Found) -> str:
    """The words of the error, as they stand in the result: its first sentence, whole words."""
    line = found.trouble.line
    told = line[_front(line) :].strip()
    if len(told) > _LONGEST_ERROR // 2 and (end := _SENTENCE_END.search(told, 20)):
        told = told[: end.start()]
    if len(told) > _LONGEST_ERROR:
        told = told[: told.rfind(" ", 0, _LONGEST_ERROR) if " " in told[20:_LONGEST_ERROR] else _LONGEST_ERROR]
    return told.rstrip(" .,:;")


def _front(line: str) -> int:
    matched = _FRONT.match(line)
    return matched.end() if matched and matched.end() < len(line) - 8 else 0


def sentence_of(found: Found, directory: str = "") -> str:
    """Nothing if it cannot be said."""
    error = quote_of(found)
    match found.way:
        case Way.QUOTED | Way.ESCAPED | Way.WIDENED:
            return _named_kind(found)
        case Way.REPAIRED:
            return _repaired(found, general(Told(found.before, found.repair, error), directory))
        case Way.NAMED | Way.ASKED:
            return _by_both(general(Told(found.before, found.after, error), directory))
        case Way.ADVISED:
            told = general(Told(found.before, found.after, error), directory)
            return _framed(found.program, told.error, f"pass {code(found.advised)}")
        case Way.CHANGED if _is_back(found, directory):
            told = general(Told(found.before, "", error), directory)
            return _framed(_short(told.before, found), told.error, "run it in the top folder of the project")
        case Way.CHANGED:
            return _changed(found, general(Told(found.before, found.after, error), directory))


def _by_both(told: Told) -> str:
    if not _is_short(told.before) or not _is_short(told.after):
        return ""
    return _framed(_on_one_line(told.before), told.error, f"use {code(_on_one_line(told.after))}")


def _named_kind(found: Found) -> str:
    """Mistakes that are the same whatever the command is."""
    if found.way is Way.QUOTED:
        return lesson(found.quoting) if found.quoting else ""
    if found.way is Way.ESCAPED:
        return ESCAPED
    return f"When {code(found.program)} fails on one file because names are undefined, run it on the whole folder."


def _is_back(found: Found, directory: str) -> bool:
    """Whether the same command was run where the session is at home, or above."""
    moved = _CD.fullmatch(found.after)
    if moved is None or moved[2] != found.before or not directory:
        return False
    return f"{directory}/".startswith(f"{moved[1].rstrip('/')}/")


def _framed(command: str, error: str, what: str) -> str:
    return f"When {code(command)} fails with “{error}”, {what}."


def _repaired(found: Found, told: Told) -> str:
    command, repair = _short(told.before, found), _on_one_line(told.after)
    if not _is_short(told.after):
        return ""
    if found.trouble.sort is Sort.WORK:
        why = "on formatting" if formats(repair) else f"with “{_NUMBER.sub(CUT, told.error)}”"
        return f"When {code(command)} fails {why}, run {code(repair)} first."
    return _framed(command, told.error, f"run {code(repair)} first")


def _changed(found: Found, told: Told) -> str:
    """By the flag that there is not, by both commands, or by what differs between them."""
    if flag := _flag_that_is_not(found):
        return _without_flag(found, told, flag)
    if told.before == told.after:  # they differed in what is of the moment
        return ""
    if said := _by_both(told):
        return said
    place = difference(told.before, told.after)
    return _framed(found.program, told.error, _instead(place)) if place and _can_be_said(place) else ""


def _flag_that_is_not(found: Found) -> str:
    """The flag of the first command that the error calls unknown, if the second does without it."""
    if found.trouble.sort is not Sort.USAGE or not _NO_SUCH_FLAG.search(found.trouble.line):
        return ""
    flags = flags_of(tuple(typed(found.before))) - flags_of(tuple(typed(found.after)))
    return next((flag for flag in sorted(flags) if {flag, flag.lstrip("-")} & found.trouble.named), "")


def _without_flag(found: Found, told: Told, flag: str) -> str:
    """The lesson is that the flag is not there; what stood in its place comes with it where that can be told."""
    ours, theirs = typed(told.before), typed(told.after)
    new = sorted(flags_of(tuple(theirs)) - flags_of(tuple(ours)))
    is_clear = all(word in ours or word.split("=")[0] in new for word in theirs)
    head = f"{code(found.program)} has no {code(flag)}"
    if is_clear and not new:
        return f"{head}; leave it out."
    if is_clear and len(new) == 1 and _stands_for(new[0], flag, told):
        return f"{head}; use {code(next(word for word in theirs if word.split('=')[0] == new[0]))}."
    return f"{head}; {code(_on_one_line(told.after))} works." if _is_short(told.after) else f"{head}."


def _stands_for(new: str, flag: str, told: Told) -> bool:
    """Whether a flag is meant as the other: it is written like it, or stands in its place."""
    place = difference(told.before, told.after)
    is_there = place is not None and place.old.startswith(flag) and place.new.startswith(new)
    return is_there or SequenceMatcher(None, new, flag).ratio() >= _LIKE


def _instead(place: Difference) -> str:
    if not place.old:
        return f"add {code(place.new)}"
    return f"use {code(place.new)} instead of {code(place.old)}" if place.new else f"leave out {code(place.old)}"


def _can_be_said(place: Difference) -> bool:
    return max(len(place.old), len(place.new)) <= _PLACE and CUT not in place.old + place.new


def _short(command: str, found: Found) -> str:
    """The command, or what it is called."""
    return _on_one_line(command) if _is_short(command) else found.program


def _is_short(command: str) -> bool:
    return len(" ".join(typed(command))) <= _WHOLE and not command.endswith(CUT) and not REDACTED.search(command)


def _on_one_line(command: str) -> str:
    return " ".join(typed(command))


def code(text: str) -> str:
    """Between marks that the text itself does not hold."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"
