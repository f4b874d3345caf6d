"""A fix as one sentence that stands alone: which command, which error, what to do instead. Or nothing, where it cannot
be said so that a person understands it.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from tacit.learn import Lesson
from tacit.learn.fixes.command_kinds import formats
from tacit.learn.fixes.compare import REDACTED, Difference, FixText, difference, flags_of, generalize
from tacit.learn.fixes.errors import ErrorClass
from tacit.learn.fixes.match import AttemptedCall, FixKind, FoundFix
from tacit.learn.fixes.quoting import ESCAPED, code, render_quoting
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.text.display import clip, visible_line
from tacit.text.shell import CUT_MARK, quoted_words

_MAX_COMMAND_CHARS = 100  # characters of a command that is shown whole
_MAX_DIFFERENCE_CHARS = 50  # characters of what differs between two that are not
_MIN_FLAG_SIMILARITY = 0.7  # of two flags, where one may be a slip of the other
_MAX_ERROR_CHARS = 120
_MAX_SENTENCE_CHARS = 500
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
    FixKind.CHANGED: "The first command failed; the changed one worked, and no file was edited in between.",
    FixKind.QUOTED: "The command failed unquoted and worked in quotes.",
    FixKind.ESCAPED: "The command failed with the sign and worked without it.",
    FixKind.WIDENED: "The command failed on one file and worked on its folder; no file was edited in between.",
    FixKind.ADVISED: "The error named the flag, and the command worked without what needs it.",
    FixKind.REPAIRED: "The command failed, and after one other command it worked unchanged.",
    FixKind.NAMED: "The error named what there is, and the next call worked.",
    FixKind.ASKED: "The call failed, and with another input it worked.",
}


def lesson_from_fix(failure: AttemptedCall, fix: FoundFix, attempts: tuple[EventId, ...] = ()) -> Lesson | None:
    sentence = clip(visible_line(sentence_of(fix, failure.used.directory) or ""), _MAX_SENTENCE_CHARS)
    if not sentence or REDACTED.search(sentence):
        return None
    repair = (fix.repaired_by,) if fix.repaired_by else ()
    return Lesson(
        Kind.KNOWN_FIX,
        sentence,
        quote_of(fix),
        (failure.event_id, *attempts, *repair, fix.success),
        _REASONS[fix.kind],
        round(min(0.4 + 0.2 * fix.score, 0.8), 2),
        Provenance.TOOL_LOCAL,
    )


def quote_of(fix: FoundFix) -> str:
    """The words of the error, as they stand in the result: its first sentence, whole words."""
    line = fix.error.line
    front = _FRONT.match(line)
    quote = line[front.end() if front and front.end() < len(line) - 8 else 0 :].strip()
    if len(quote) > _MAX_ERROR_CHARS // 2 and (end := _SENTENCE_END.search(quote, 20)):
        quote = quote[: end.start()]
    if len(quote) > _MAX_ERROR_CHARS:
        has_blank = " " in quote[20:_MAX_ERROR_CHARS]
        quote = quote[: quote.rfind(" ", 0, _MAX_ERROR_CHARS) if has_blank else _MAX_ERROR_CHARS]
    return quote.rstrip(" .,:;")


def sentence_of(fix: FoundFix, directory: str = "") -> str:
    """Nothing if it cannot be said."""
    error = quote_of(fix)
    match fix.kind:
        case FixKind.QUOTED | FixKind.ESCAPED | FixKind.WIDENED:
            return _named_kind(fix)
        case FixKind.REPAIRED:
            return _render_repaired(fix, generalize(FixText(fix.before, fix.repair, error), directory))
        case FixKind.NAMED | FixKind.ASKED:
            return _by_both(generalize(FixText(fix.before, fix.after, error), directory))
        case FixKind.ADVISED:
            texts = generalize(FixText(fix.before, fix.after, error), directory)
            return _framed(fix.program, texts.error, f"pass {code(fix.advised)}")
        case FixKind.CHANGED if _is_back(fix, directory):
            texts = generalize(FixText(fix.before, "", error), directory)
            return _framed(_short(texts.before, fix), texts.error, "run it in the top folder of the project")
        case FixKind.CHANGED:
            return _render_changed(fix, generalize(FixText(fix.before, fix.after, error), directory))


def _by_both(texts: FixText) -> str:
    if not _is_short(texts.before) or not _is_short(texts.after):
        return ""
    return _framed(_on_one_line(texts.before), texts.error, f"use {code(_on_one_line(texts.after))}")


def _named_kind(fix: FoundFix) -> str:
    """Mistakes that are the same whatever the command is."""
    if fix.kind is FixKind.QUOTED:
        return render_quoting(fix.quoting) if fix.quoting else ""
    if fix.kind is FixKind.ESCAPED:
        return ESCAPED
    return f"When {code(fix.program)} fails on one file because names are undefined, run it on the whole folder."


def _is_back(fix: FoundFix, directory: str) -> bool:
    """Whether the same command was run where the session is at home, or above."""
    moved = _CD.fullmatch(fix.after)
    if moved is None or moved[2] != fix.before or not directory:
        return False
    return f"{directory}/".startswith(f"{moved[1].rstrip('/')}/")


def _framed(command: str, error: str, what: str) -> str:
    return f"When {code(command)} fails with “{error}”, {what}."


def _render_repaired(fix: FoundFix, texts: FixText) -> str:
    command, repair = _short(texts.before, fix), _on_one_line(texts.after)
    if not _is_short(texts.after):
        return ""
    if fix.error.error_class is ErrorClass.WORK:
        why = "on formatting" if formats(repair) else f"with “{_NUMBER.sub(CUT_MARK, texts.error)}”"
        return f"When {code(command)} fails {why}, run {code(repair)} first."
    return _framed(command, texts.error, f"run {code(repair)} first")


def _render_changed(fix: FoundFix, texts: FixText) -> str:
    """By the flag that there is not, by both commands, or by what differs between them."""
    if flag := _flag_that_is_not(fix):
        return _without_flag(fix, texts, flag)
    if texts.before == texts.after:  # they differed in what is of the moment
        return ""
    if sentence := _by_both(texts):
        return sentence
    place = difference(texts.before, texts.after)
    if place is None or max(map(len, place)) > _MAX_DIFFERENCE_CHARS or CUT_MARK in place.old + place.new:
        return ""
    return _framed(fix.program, texts.error, _instead(place))


def _flag_that_is_not(fix: FoundFix) -> str:
    """The flag of the first command that the error calls unknown, if the second does without it."""
    if fix.error.error_class is not ErrorClass.USAGE or not _NO_SUCH_FLAG.search(fix.error.line):
        return ""
    flags = flags_of(tuple(quoted_words(fix.before))) - flags_of(tuple(quoted_words(fix.after)))
    return next((flag for flag in sorted(flags) if {flag, flag.lstrip("-")} & fix.error.named), "")


def _without_flag(fix: FoundFix, texts: FixText, flag: str) -> str:
    """The lesson is that the flag is not there; what stood in its place comes with it where that can be told."""
    ours, theirs = quoted_words(texts.before), quoted_words(texts.after)
    new = sorted(flags_of(tuple(theirs)) - flags_of(tuple(ours)))
    is_clear = all(word in ours or word.split("=")[0] in new for word in theirs)
    head = f"{code(fix.program)} has no {code(flag)}"
    if is_clear and not new:
        return f"{head}; leave it out."
    if is_clear and len(new) == 1 and _stands_for(new[0], flag, texts):
        return f"{head}; use {code(next(word for word in theirs if word.split('=')[0] == new[0]))}."
    return f"{head}; {code(_on_one_line(texts.after))} works." if _is_short(texts.after) else f"{head}."


def _stands_for(new: str, flag: str, texts: FixText) -> bool:
    """Whether a flag is meant as the other: it is written like it, or stands in its place."""
    place = difference(texts.before, texts.after)
    is_there = place is not None and place.old.startswith(flag) and place.new.startswith(new)
    return is_there or SequenceMatcher(None, new, flag).ratio() >= _MIN_FLAG_SIMILARITY


def _instead(place: Difference) -> str:
    if not place.old:
        return f"add {code(place.new)}"
    return f"use {code(place.new)} instead of {code(place.old)}" if place.new else f"leave out {code(place.old)}"


def _short(command: str, fix: FoundFix) -> str:
    """The command, or what it is called."""
    return _on_one_line(command) if _is_short(command) else fix.program


def _is_short(command: str) -> bool:
    is_whole = not command.endswith(CUT_MARK) and not REDACTED.search(command)
    return is_whole and len(_on_one_line(command)) <= _MAX_COMMAND_CHARS


def _on_one_line(command: str) -> str:
    return " ".join(quoted_words(command))
