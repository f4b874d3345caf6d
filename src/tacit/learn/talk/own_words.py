"""Which parts of a prompt are the person's own words, and which were pasted, quoted or written by a machine.

Only what a person typed can say a rule. What is left out: fenced and indented code, quoted lines, logs, stack traces,
tables, everything behind a line that announces something pasted, documents, and prompts that a host wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.record import Record

MOST = 6000  # letters of a prompt that are read; what is longer was not typed


class Span(Record):
    """A part of a text: from here, up to there."""

    start: int
    end: int


NOWHERE = Span(-1, -1)


class Line(Record):
    """A line of a prompt and where it begins."""

    start: int
    text: str


# How texts begin that hosts and plugins put in the place of a prompt, and plans that are handed over to be carried out.
_WRITTEN_BY_MACHINES = re.compile(
    r"\s*(?:"
    r"this session is being continued|implement the following plan|caveat: the messages below"
    r"|operation stopped by hook|stop hook feedback|\[request interrupted|base directory for this skill"
    r"|<(?:task-notification|command-|local-command|system-reminder|user-prompt-submit|context|teammate|environment_)"
    r"|# agents\.md instructions|you are an? (?:\w+ ){0,4}(?:agent|assistant|engineer|expert|reviewer|developer)\b"
    r"|your task is to|\w+ review for pr\b|\[(?:image|pasted)[^\]]{0,40}\]\s*$"
    r")",
    re.IGNORECASE,
)
# A line that says: what follows is not mine.
_ANNOUNCES = re.compile(
    r"\b(?:feedback|reviews?|comments?|errors?|failures?|output|logs?|messages?|plan|issues?|task|specs?|description"
    r"|examples?|prompt|code|this|these|those|below|files?|steps?|changes?|requirements?|following|diff|config"
    r"|results?|here|idea|text|running|says?|got|getting|said)"
    r"\b[^.:]{0,60}:\s*\\?$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s{0,12}(?:[-*]\s|\d{1,3}\.\s)?\s{0,4}(`{3,}|~{3,}|\"\"\"(?=\s*$))")
_QUOTED = re.compile(r"\s{0,8}(?:>|❯|│|┃|\||[┌└├╭╰])")
_LOG = re.compile(
    r"\s*(?:"
    r"\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d:\d\d|at \S{1,200}\(|File \"|Traceback |#\d+ |\+{3} |-{3} |@@ |diff --git"
    r"|commit [0-9a-f]{7}"
    r"|(?:error|warning|fatal|remote|caused by|npm err!)(?:\[\w{1,12}\])?:\s|(?-i:INFO|DEBUG|WARN|ERROR)\b|\$ \S|% \S"
    r"|[>]{2,} |\[[a-z][\w:-]{1,20}\]\s|\S{1,200}\(\d{1,6}(?:,\d{1,6})?\):\s"
    r"|={3,}|-{3,}|_{3,}|[{}\[\]();,]+\s*$"
    r"|(?-i:import|from|const|let|var|def|class|func|fn|return|export|package|public|private)\s\S{1,80}\s?[({=;]"
    r"|</?[a-zA-Z][^>]{0,200}>\s*$|\S{1,200}:\d{1,6}(?::\d{1,6})?[: ]"
    r")",
    re.IGNORECASE,
)
_STRUCTURE = re.compile(r"\s{0,8}(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\*\*|\|)")
_PERSON = re.compile(r"\b(?:i|i'm|i’m|i'd|i’d|i'll|me|my|we|our|let's|lets|let’s|please|pls|you)\b", re.IGNORECASE)
_INDENTED = re.compile(r"(?: {4,}|\t)\S")
_TRACKER = re.compile(
    r"\bopened (?:this issue )?(?:on )?\w{1,12} \w{1,12} ago\b|^(?:low|medium|high|critical) severity\s*$", re.I | re.M
)
_DOCUMENT_LINES = 6
_LONG = 400


def own_words(text: str) -> list[Span]:
    """The runs of lines that the person typed, in order."""
    if _WRITTEN_BY_MACHINES.match(text):
        return []
    lines = list(_lines(text[:MOST]))
    if _is_document(lines) or _is_report(text):
        return []
    return list(_runs(_typed(lines)))


def _lines(text: str) -> Iterator[Line]:
    start = 0
    for line in text.split("\n"):
        yield Line(start, line)
        start += len(line) + 1


def _is_document(lines: list[Line]) -> bool:
    """Whether it is a plan, a spec or a review: mostly structure, and nobody speaks in it."""
    filled = [line.text for line in lines if line.text.strip()]
    built = [line for line in filled if _STRUCTURE.match(line)]
    if len(built) < _DOCUMENT_LINES or 3 * len(built) < len(filled):
        return False
    return 6 * sum(1 for line in filled if _PERSON.search(line)) < len(filled)


def _is_report(text: str) -> bool:
    """Whether it is a finding of a review or a page of a tracker: long, and nobody speaks in it."""
    return _TRACKER.search(text) is not None or (len(text) > _LONG and _PERSON.search(text) is None)


def _typed(lines: list[Line]) -> Iterator[Line | None]:
    """Each line that is the person's own; None where something else stands between."""
    fence = ""  # the mark that opened the code we are in: a shorter one or another does not close it
    for place, line in enumerate(lines):
        if (found := _FENCE.match(line.text)) and found[1].startswith(fence):
            fence = "" if fence or "```" in line.text.strip().strip("`") else found[1]
            yield None
        elif fence or _is_foreign(line.text, after_blank=place > 0):
            yield None
        else:
            yield line
            if _ANNOUNCES.search(line.text) and _goes_on(lines, place):
                return


def _is_foreign(line: str, *, after_blank: bool) -> bool:
    indented = after_blank and _INDENTED.match(line) is not None and _STRUCTURE.match(line) is None
    return indented or _QUOTED.match(line) is not None or _LOG.match(line) is not None


def _goes_on(lines: list[Line], place: int) -> bool:
    """Whether more than a short list follows what announces it."""
    rest = [line.text for line in lines[place + 1 :] if line.text.strip()]
    return bool(rest) and not (len(rest) <= 12 and all(_PERSON.search(line) for line in rest[:3]))


def _runs(lines: Iterator[Line | None]) -> Iterator[Span]:
    start = end = -1
    for line in lines:
        if line is None:
            if end > start >= 0:
                yield Span(start, end)
            start = -1
            continue
        if start < 0:
            start = line.start
        end = line.start + len(line.text)
    if end > start >= 0:
        yield Span(start, end)
