"""The account of a memory: one page that says why it exists and what came of it, to show to somebody else.

The page is HTML without scripts, and loads nothing. What Tacit itself says (what happened, and when) is always in it.
Words of people, agents and commands are private: each has a key, and is in the page only if its key was chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from html import escape

from tacit.record import Record
from tacit.text.display import visible_line

MARK = "<!-- written by tacit why -->"  # a file that begins with it may be written again
_KEY_CHARS = 6
_DAY = "%Y-%m-%d"
_STYLE = """
:root { color-scheme: light dark; --quiet: light-dark(#5c6370, #a0a7b4); --line: light-dark(#d8dce2, #3a404b); }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: .25rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2.25rem 0 .5rem; }
p, dl, ol, blockquote { margin: .5rem 0; }
.quiet, time, footer { color: var(--quiet); font-size: .875rem; }
ol { list-style: none; padding: 0; }
li { border-top: 1px solid var(--line); padding: .6rem 0; }
blockquote { border-left: 3px solid var(--line); padding-left: .9rem; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: .75rem; }
"""


class Words(Record):
    """Words that are in the page only if their key was chosen. `label` says whose they are."""

    key: str
    label: str
    text: str


class Entry(Record):
    """Something that happened, and the words that belong to it. Without `at`, it holds now."""

    text: str
    at: datetime | None = None
    words: tuple[Words, ...] = ()


class Chapter(Record):
    """Entries under a heading."""

    title: str
    entries: tuple[Entry, ...]


class Account(Record):
    """What is told about a memory. `facts` are short sentences about it, such as where it holds."""

    sentence: str
    facts: tuple[str, ...]
    chapters: tuple[Chapter, ...]

    @property
    def words(self) -> Iterator[tuple[Entry, Words]]:
        """All words that may be chosen, each once, with their entry.

        Two texts may have the same key. Both are here, so that nobody chooses one of them without having seen it.
        """
        seen = set()
        for chapter in self.chapters:
            for entry in chapter.entries:
                for words in entry.words:
                    if words not in seen:
                        seen.add(words)
                        yield entry, words


def words_of(source: str, texts: Iterable[tuple[str, str]]) -> tuple[Words, ...]:
    """Return the words of an event or another source, each labelled. A key stays the same as long as its text does."""
    return tuple(
        Words(sha256(f"{source}\0{label}\0{text}".encode("utf-8", "replace")).hexdigest()[:_KEY_CHARS], label, text)
        for label, text in texts
        if text.strip()
    )


def render_account(account: Account, chosen: Collection[str], today: datetime) -> str:
    """Return the page, with the words whose keys were chosen, and with how many were not."""
    left_out = _left_out(sum(words.key not in chosen for _, words in account.words))
    lines = (
        "<!doctype html>",
        MARK,
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>Why: {_line(account.sentence)}</title>",
        f"<style>{_STYLE}</style></head><body><main>",
        '<p class="quiet">Why this is remembered</p>',
        f'<h1 dir="auto">{_line(account.sentence)}</h1>',
        *(f"<p>{_line(fact)}</p>" for fact in account.facts),
        *(line for chapter in account.chapters if chapter.entries for line in _chapter_lines(chapter, chosen)),
        "</main>",
        f"<footer>Written by Tacit on {today.strftime(_DAY)}, from the log of one person.{left_out}</footer>",
        "</body></html>",
        "",
    )
    return "\n".join(lines)


def _left_out(number: int) -> str:
    if not number:
        return ""
    return f" {number} {'quote is' if number == 1 else 'quotes are'} not shown: the person did not choose to."


def _chapter_lines(chapter: Chapter, chosen: Collection[str]) -> Iterator[str]:
    yield f"<section><h2>{_line(chapter.title)}</h2><ol>"
    for entry in chapter.entries:
        when = f'<time datetime="{entry.at.isoformat()}">{entry.at.strftime(_DAY)}</time> ' if entry.at else ""
        yield f"<li>{when}{_line(entry.text)}"
        for words in entry.words:
            if words.key in chosen:
                yield f'<p class="quiet">{_line(words.label)}</p>'
                yield f'<blockquote dir="auto">{_text(words.text)}</blockquote>'
        yield "</li>"
    yield "</ol></section>"


def _line(text: str) -> str:
    return escape(visible_line(text))


def _text(text: str) -> str:
    """Return a text with its line breaks."""
    return "\n".join(_line(line) for line in text.splitlines())
