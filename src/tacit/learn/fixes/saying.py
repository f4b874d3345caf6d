"""A fix as one sentence that stands alone: which command, which error, what to do instead."""

from __future__ import annotations

import re

from tacit.core.claim import Kind
from tacit.core.ids import EventId
from tacit.core.provenance import Provenance
from tacit.core.text import clip
from tacit.learn.fixes.matching import Call, Found, Way
from tacit.learn.fixes.tries import CUT
from tacit.learn.talk.learnt import Learnt

_LONGEST = 110  # characters of a command that are shown
_LONGEST_ERROR = 120
_PIECE = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|\s+|.", re.DOTALL)
_FRONT = re.compile(
    r"^(?:(?:/bin/)?(?:ba|z|da)?sh: |\(eval\):\d{1,4}: |-c: |line \d{1,5}: |zsh:\d{1,4}: |fatal: |error: |"
    r"npm (?:ERR!|error) |✘ |× ){1,5}",
    re.IGNORECASE,
)
_STYLE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_ODD = re.compile(r"[(\[{][^/'\"\s]{0,40}[)\]}]")
_SIGN = re.compile(r"[*?!&#$]")
_VOLATILE = re.compile(r"\b[0-9a-f]{12,64}\b")
_SENTENCE_END = re.compile(r"[.:] (?=[A-Z])")


def learnt(failure: Call, found: Found, attempts: tuple[EventId, ...] = ()) -> Learnt:
    repair = (found.repaired_by,) if found.repaired_by else ()
    return Learnt(
        Kind.KNOWN_FIX,
        _without(failure.used.directory, sentence_of(found)),
        quote_of(found),
        (failure.event, *attempts, *repair, found.success),
        _REASONS[found.way],
        round(min(0.4 + 0.2 * found.score, 0.8), 2),
        Provenance.TOOL_LOCAL,
    )


_REASONS = {
    Way.CHANGED: "The first command failed; the changed one worked, and no file was edited in between.",
    Way.QUOTED: "The command failed unquoted and worked in quotes.",
    Way.REPAIRED: "The command failed, and after one other command it worked unchanged.",
    Way.NAMED: "The error named what there is, and the next call worked.",
    Way.ASKED: "The call failed, and with another input it worked.",
}


def _without(directory: str, sentence: str) -> str:
    """Paths below the directory of the session as they are from there: the fix is the same in another clone."""
    return sentence.replace(f"{directory}/", "") if len(directory) > 3 else sentence


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


def sentence_of(found: Found) -> str:
    before, after = found.before, found.after
    error = _VOLATILE.sub(CUT, _STYLE.sub("", quote_of(found)))
    match found.way:
        case Way.REPAIRED:
            return f"When {code(shown(before, ''))} fails with “{error}”, run {code(shown(found.repair, ''))} first."
        case Way.QUOTED if odd := _odd_part(before, after):
            return f"When a shell command fails with “{_general(error)}”, put arguments with {code(odd)} in quotes."
        case Way.NAMED:
            return f"When {code(before)} fails with “{error}”, use {code(after)}."
        case _:
            return f"When {code(shown(before, after))} fails with “{error}”, use {code(shown(after, before))}."


def _general(error: str) -> str:
    """An error without the path that it names behind a colon."""
    head, colon, path = error.partition(": ")
    return head if colon and "/" in path and " " not in path else error


def _odd_part(before: str, after: str) -> str:
    """What made the quotes necessary: the part of a path that holds signs of the shell, in both commands."""
    found = (odd[0] for pattern in (_ODD, _SIGN) for odd in pattern.finditer(before) if odd[0] in after)
    return next(found, "")


def code(text: str) -> str:
    """Between marks that the text itself does not hold."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def shown(command: str, other: str) -> str:
    """A command on one line, short enough to read. What differs from the other is kept; a word is never cut."""
    words, others = _words(command), _words(other)
    if sum(map(len, words)) + len(words) <= _LONGEST and not command.endswith(CUT):
        return " ".join(words)
    same = next((at for at, word in enumerate(words) if at >= len(others) or word != others[at]), 0)
    lead = words[:2]
    behind = words[max(same, 2) :]
    gap = [CUT] if same > 2 else []
    return " ".join([*lead, *gap, *_fitting(behind, _LONGEST - sum(map(len, lead)) - 6)])


def _words(command: str) -> list[str]:
    """The words with their quotes; the last of a command that was cut is left out, it may not be whole."""
    words = [""]
    for piece in _PIECE.finditer(command):
        if piece[0].isspace():
            words.append("")
        else:
            words[-1] += " ".join(piece[0].split())
    kept = [word for word in words if word]
    return kept[:-1] if command.endswith(CUT) and len(kept) > 1 else kept


def _fitting(words: list[str], room: int) -> list[str]:
    kept: list[str] = []
    for word in words:
        room -= len(word) + 1
        if room < 0:
            return [*kept, CUT] if kept else [clip(word, max(room + len(word), 20)), CUT]
        kept.append(word)
    return kept
