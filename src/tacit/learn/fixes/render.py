"""A fix as one sentence that can stand alone: which command, which error, what to do instead.

No sentence is made if it would not be understood: commands that were cut, or a change that cannot be put in words.
"""

from __future__ import annotations

import re

from tacit.commandline.bash import CUT_MARK
from tacit.commandline.names import quoted_words
from tacit.learn import Lesson
from tacit.learn.fixes.generalize import REDACTED, FixText, generalize
from tacit.learn.fixes.pairs import Pair, named_in
from tacit.learn.fixes.quoting import ESCAPED_LESSON, code, is_escaped, quoted_signs, render_quoting
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.text.display import clip, visible_line

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


def lesson_from_pair(pair: Pair, evidence: tuple[EventId, ...], score: float) -> Lesson | None:
    """Return the lesson of a fix that two sessions show, or None if it cannot be put in words."""
    quote = quote_of(pair.error)
    sentence = clip(visible_line(sentence_of(pair)), _MAX_SENTENCE_CHARS) if quote and pair.before.strip() else ""
    if not sentence or REDACTED.search(sentence):
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
    error, directory = quote_of(pair.error), pair.failure.used.directory
    if not pair.failure.is_command and (name := _listed_name(pair.error)):
        return _framed(pair.failure.used.tool, error, f"use {code(name)}")
    if pair.is_same_text:
        return _render_repair(pair, error, directory)
    if signs := quoted_signs(pair.before, pair.after, pair.error):
        return render_quoting(signs)
    if is_escaped(pair.before, pair.after, pair.failure.used.result):
        return ESCAPED_LESSON
    texts = generalize(FixText(pair.before, pair.after, error), directory)
    # Commands that are too long, or that differed only in what generalize removes, cannot be shown.
    if texts.before == texts.after or not _is_short(texts.before) or not _is_short(texts.after):
        return ""
    return _framed(_on_one_line(texts.before), texts.error, f"use {code(_on_one_line(texts.after))}")


def _framed(command: str, error: str, what: str) -> str:
    return f"When {code(command)} fails with “{error}”, {what}."


def _listed_name(error: str) -> str:
    """Return the one name that an error lists and that contains the name that was not found, or ""."""
    _, _, listed = error.partition(": ")
    names = [name.strip(" .`'\"") for name in listed.split(",")]
    for asked in sorted(named_in(error)):
        like = [name for name in names if asked in name and name != asked]
        if len(like) == 1 and len(names) > 1:
            return like[0]
    return ""


def _render_repair(pair: Pair, error: str, directory: str) -> str:
    if pair.repair is None or pair.edited:
        return ""
    texts = generalize(FixText(pair.before, pair.repair.text, error), directory)
    command, repair = _short(texts.before, pair), _on_one_line(texts.after)
    if not _is_short(texts.after):
        return ""
    if _FORMATS.search(repair):
        return f"When {code(command)} fails on formatting, run {code(repair)} first."
    return _framed(command, texts.error, f"run {code(repair)} first")


def _short(command: str, pair: Pair) -> str:
    """Return the command, or its family if it is too long."""
    return _on_one_line(command) if _is_short(command) else pair.family


def _is_short(command: str) -> bool:
    is_whole = not command.endswith(CUT_MARK) and not REDACTED.search(command)
    return is_whole and len(_on_one_line(command)) <= _MAX_COMMAND_CHARS


def _on_one_line(command: str) -> str:
    return " ".join(quoted_words(command))
