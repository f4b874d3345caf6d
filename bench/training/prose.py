"""Prose out of the files of packages: documentation, docstrings, comments, manual pages, definitions, dialogue."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

from bench.training.packages import Member

_NOT_PROSE = re.compile(r"licen[cs]e|copying|notice|authors|copyright|third.?party|/tests?/|locale|node_modules/", re.I)
_DOCSTRING = re.compile(r'"""(.{12,4000}?)"""', re.S)
_COMMENT = re.compile(r"/\*\*(.{12,3000}?)\*/", re.S)
_FENCE = re.compile(r"^\s*(```|~~~).*?^\s*\1", re.S | re.M)
_BLOCK_START = re.compile(r"^(\s*([-*+•]|\d+[.)]|#+|>|:[\w ]+:|\.\. |@\w+)\s*|.*\|.*\|)")
_CODE_LINE = re.compile(r"^( {4,}|\t)|^\s*(>>>|\$ |\.\. |:\w+:|[=\-~^*#]{3,}\s*$)|\|")
_ROFF_MACRO = re.compile(r"^[.'](?!B |I |BR |IR |RB |Nm|Fl|Ar)")
_GLOSS = re.compile(r"\| (.+)$", re.M)


def paragraphs(member: Member) -> Iterator[str]:
    """Yield the paragraphs of a file, without markup; none if it is not a kind that holds prose."""
    path = member.path.lower()
    if _NOT_PROSE.search(path) or (path.endswith(".yml") and "/english/" not in path):
        return
    reader = _reader(path)
    if reader:
        data = gzip.decompress(member.data) if path.endswith(".gz") else member.data
        yield from reader(data.decode("utf-8", "replace"))


def _reader(path: str) -> Callable[[str], Iterator[str]] | None:
    name = path.rsplit("/", 1)[-1].removesuffix(".gz")
    for pattern, reader in _READERS:
        if re.search(pattern, name) or ("/man/man" in path and pattern == _MANUAL):
            return reader
    return None


def _marked_up(text: str) -> Iterator[str]:
    """Read Markdown or reStructuredText: paragraphs, list items and headings, without code."""
    lines: list[str] = []
    for line in [*_FENCE.sub("", text).splitlines(), ""]:
        is_code = bool(_CODE_LINE.search(line))
        if lines and (is_code or not line.strip() or _BLOCK_START.match(line)):
            yield " ".join(lines)
            lines = []
        if not is_code and line.strip():
            lines.append(_BLOCK_START.sub("", line, count=1).strip())


def _docstrings(text: str) -> Iterator[str]:
    for match in _DOCSTRING.finditer(text):
        lines = match[1].splitlines()
        margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
        yield from _marked_up("\n".join([lines[0].strip(), *(line[margin:] for line in lines[1:])]))


def _comments(text: str) -> Iterator[str]:
    for match in _COMMENT.finditer(text):
        yield from _marked_up("\n".join(line.strip().removeprefix("*").strip() for line in match[1].splitlines()))


def _manual(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in [*text.splitlines(), "."]:
        if not line.strip() or _ROFF_MACRO.match(line):
            if lines:
                yield " ".join(lines)
            lines = []
        else:
            plain = re.sub(r"^[.'][A-Z][a-zR]? ?", "", line)
            lines.append(re.sub(r"\\f.|\\[&|^]|\\\(..", "", plain).replace("\\-", "-").replace('"', ""))


def _glosses(text: str) -> Iterator[str]:
    """Read definitions and examples of WordNet."""
    for match in _GLOSS.finditer(text):
        yield from (part.strip(' "') for part in match[1].split(";"))


def _dialogue(text: str) -> Iterator[str]:
    """Read the turns of conversations in YAML."""
    for line in text.splitlines():
        if line.lstrip().startswith("- "):
            yield line.lstrip("- ").strip("\"' ")


class _Page(HTMLParser):
    """Collects the text of paragraphs of an HTML page."""

    _BLOCKS = frozenset("p li dd dt h1 h2 h3 h4 td".split())
    _SKIPPED = frozenset("pre script style nav table footer header".split())

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._open = False
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self._skipped += tag in self._SKIPPED
        if tag in self._BLOCKS:
            self._open = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self._skipped = max(0, self._skipped - (tag in self._SKIPPED))
        if tag in self._BLOCKS:
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open and not self._skipped:
            self.found[-1] += data


def _page(text: str) -> Iterator[str]:
    page = _Page()
    page.feed(text[:400_000])
    yield from (found for found in page.found if found.strip())


_MANUAL = r"\.[1-8]$"
_CONVERSATIONS = r"\.yml$"
_READERS: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = (
    (r"\.(md|mdx|rst|markdown)$|\.rst\.txt$|^readme|^changelog|^history|^metadata$|^news", _marked_up),
    (r"^data\.(noun|verb|adj|adv)$", _glosses),
    (r"\.py$", _docstrings),
    (r"\.d\.ts$", _comments),
    (r"\.html?$", _page),
    (_MANUAL, _manual),
    (_CONVERSATIONS, _dialogue),
)
