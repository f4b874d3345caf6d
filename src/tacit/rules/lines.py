"""The lines of rule files: list items and paragraphs with their line numbers, and the statements in them.

Secrets are replaced before a line is made, so that nothing that works on lines can show one. Blocks that
`tacit export` wrote are marked: they are Tacit's own memories, not rules to learn from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from tacit.install import EXPORT_MARKERS, WRAPPER_MARKERS
from tacit.model.statement import parse_statement, split_statements
from tacit.record import Record
from tacit.rules import LoadTime, RuleFile
from tacit.secrets import find_secrets
from tacit.text.display import visible_line

_MAX_LINE_CHARS = 4000
_MIN_STATEMENT_WORDS = 3
_MIN_SECRET_CHARS = 6  # shorter ones are hidden, and not reported
_OWN_BLOCKS = (EXPORT_MARKERS, WRAPPER_MARKERS)
_MAX_STATEMENT_CHARS = 300
_FENCE = re.compile(r"[ \t]{0,12}(?:[-*+][ \t]+)?(`{3,}|~{3,})")
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*")
_ITEM = re.compile(r"[ \t]{0,24}(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
_TABLE_ROW = re.compile(r"[ \t]{0,12}\|.*")
_IMPORT_LINE = re.compile(r"[ \t]{0,12}@\S+[ \t]*")
_QUOTE_MARK = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)+")
_EMPHASIS = re.compile(r"(?<!\*)\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?!\*)|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)")
_CODE = re.compile(r"(`[^`]*`)")
_LINK = re.compile(r"\[([^\]\[]{1,200})\]\([^()\s]{1,500}\)")
_LABEL = re.compile(r"[^\s:`][^:`\n]{0,60}:[ \t]+")
_EMOJI_MARK = re.compile(r"^[^\w`\"'(\[$./~-]+")
_NEGATING = re.compile(
    r"\b(?:don[’']?ts?|do not|never|avoid|forbidden|prohibited|anti-?patterns?|not allowed|bad|wrong|mistakes?"
    r"|pitfalls?)\b|[❌🚫⛔✗]",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\be\.g\.|\b(?:for example|for instance|such as|examples?|usage|like|wrong|zum beispiel|par exemple|por (?:ejemplo"
    r"|exemplo))\b|z\. ?B\.|→|->|=>|など|例えば|例如|比如|예를 들어",
    re.IGNORECASE,
)


class LineKind(Enum):
    """What a line of Markdown is."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"


class RuleLine(Record):
    """A list item, paragraph, table row or line of code, on one line and without secrets.

    `hosts` load it at session start; `is_loaded` is False if no host ever loads it. `is_own` marks what Tacit exported.
    """

    path: str
    name: str
    line: int
    text: str
    hosts: tuple[str, ...]
    is_loaded: bool
    heading: str = ""
    kind: LineKind = LineKind.PROSE
    is_own: bool = False

    @property
    def is_negated(self) -> bool:
        """Whether its heading says not to do what is below: "Don'ts", "Anti-patterns"."""
        return _NEGATING.search(self.heading) is not None

    @property
    def is_example(self) -> bool:
        """Whether it gives examples, so that what it names need not exist."""
        return _EXAMPLE.search(self.text) is not None


class FoundSecret(Record):
    """A secret in a file: its line and kind, never its value."""

    line: int
    kind: str


def redact_lines(text: str) -> tuple[str, list[FoundSecret]]:
    """Return the text with every secret replaced, line breaks as they were, and where the secrets are.

    Placeholders are replaced too, and not reported.
    """
    parts: list[str] = []
    secrets: list[FoundSecret] = []
    done = 0
    for secret in find_secrets(text):
        value = text[secret.start : secret.end]
        # Too short, or words such as `your-token-here`: it only stands for a secret.
        words = re.split(r"[-_ .]", value.strip("<>{}$\"'"))
        if len(value) >= _MIN_SECRET_CHARS and not all(word.isalpha() or len(word) < 3 for word in words):
            secrets.append(FoundSecret(text.count("\n", 0, secret.start) + 1, secret.kind))
        slug = "".join(char if char.isalnum() else "-" for char in secret.kind.lower())
        breaks = "\n" * text.count("\n", secret.start, secret.end)
        parts += (text[done : secret.start], f"[redacted:{slug}]{breaks}")
        done = secret.end
    return "".join((*parts, text[done:])), secrets


# The number of a line, its text, the heading above it, its kind, and whether Tacit exported it
_RawLine = tuple[int, str, str, LineKind, bool]


def rule_lines(file: RuleFile, text: str) -> list[RuleLine]:
    """Return the lines of a file, whose text was redacted before."""
    started = [load for load in file.loads if load.when is LoadTime.START]
    later = any(load.when is LoadTime.ON_DEMAND for load in file.loads)
    lines = []
    for number, raw, heading, kind, is_own in _markdown_lines(text):
        hosts = tuple(load.host for load in started if load.last_line is None or number <= load.last_line)
        is_loaded = bool(hosts) or later
        if content := visible_line(raw[:_MAX_LINE_CHARS]):
            lines.append(RuleLine(file.path, file.name, number, content, hosts, is_loaded, heading, kind, is_own))
    return lines


def loaded_text(text: str, host: str) -> str:
    """Return what a host puts into the prompt: without frontmatter and, in Claude Code, without HTML comments."""
    body = "\n".join(content for _, content in _body_lines(text))
    return re.sub(r"^[ \t]*<!--.*?-->[ \t]*\n?", "", body, flags=re.DOTALL | re.MULTILINE) if host == "claude" else body


def _body_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines after the frontmatter, with their numbers."""
    lines = text.split("\n")
    start = 0
    if lines[0].strip() == "---":
        ends = [index for index, line in enumerate(lines[1:60], 1) if line.strip() == "---"]
        start = ends[0] + 1 if ends else 0
    yield from enumerate(lines[start:], start + 1)


def _markdown_lines(text: str) -> Iterator[_RawLine]:
    """Yield items and paragraphs joined to one line each, table rows and lines of fenced code, without comments."""
    pending: list[str] = []
    first = 0
    heading = fence = ""
    in_comment = is_own = False

    def flush() -> Iterator[_RawLine]:
        if pending:
            yield first, " ".join(pending), heading, LineKind.PROSE, is_own
            pending.clear()

    for number, line in _body_lines(text):
        if not fence and not in_comment and any(block.opening in line for block in _OWN_BLOCKS):
            yield from flush()
            is_own = True
        if (match := _FENCE.match(line)) and not in_comment:
            yield from flush()
            fence = "" if fence and match[1].startswith(fence) else fence or match[1]
            continue
        if fence:
            yield number, line, heading, LineKind.CODE, is_own
            continue
        content, in_comment, is_comment = _without_comment(line, in_comment)
        if is_own and any(block.closing in line for block in _OWN_BLOCKS):
            yield from flush()
            is_own = False
        content = _QUOTE_MARK.sub("", content)
        if not content.strip() or _IMPORT_LINE.fullmatch(content):
            if not is_comment:
                yield from flush()
            continue
        if match := _HEADING.fullmatch(content.rstrip()):
            yield from flush()
            heading = match[2]
        elif _TABLE_ROW.fullmatch(content):
            yield from flush()
            yield number, content.strip(), heading, LineKind.TABLE, is_own
        elif match := _ITEM.fullmatch(content):
            yield from flush()
            first = number
            pending.append(match[1].strip())
        else:
            first = first if pending else number
            pending.append(content.strip())
    yield from flush()


def _without_comment(line: str, in_comment: bool) -> tuple[str, bool, bool]:
    """Return the line without HTML comments, whether one goes on after it, and whether it had one."""
    parts: list[str] = []
    rest, is_comment = line, in_comment
    while rest:
        before, mark, after = rest.partition("-->" if in_comment else "<!--")
        if not in_comment:
            parts.append(before)
        if not mark:
            break
        in_comment, rest, is_comment = not in_comment, after, True
    return "".join(parts), in_comment, is_comment


# Statements


def plain_text(text: str) -> str:
    """Return a line without emphasis, link targets and decoration. Code spans stay as they are."""
    parts = _CODE.split(_LINK.sub(r"\1", text))
    plain = "".join(part if part.startswith("`") else _EMPHASIS.sub("", part) for part in parts)
    return _EMOJI_MARK.sub("", plain).strip()


def line_statements(line: RuleLine) -> list[str]:
    """Return the rules and facts of a line, one sentence each. Other prose has none."""
    if line.kind is not LineKind.PROSE:
        return []
    text, rules = plain_text(line.text), []
    for sentence in split_statements(text).rules if text else ():
        is_fit = len(sentence.split()) >= _MIN_STATEMENT_WORDS and len(sentence) <= _MAX_STATEMENT_CHARS
        if is_fit and not sentence.endswith((":", "?")):
            label = _LABEL.match(sentence)
            if is_rule(sentence) or (label and is_rule(sentence[label.end() :])):
                rules.append(sentence)
    return rules


def is_rule(sentence: str) -> bool:
    """Return whether a sentence reads as a rule or a fact."""
    return parse_statement(sentence.rstrip(". !")).triple.subject != "note"
