"""Memory as data: what a model is given stands between two marks, and nothing in it can pretend to be outside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tacit.core.text import clip, show

# A bracket, or what a program reads as one, that could open a tag: the fence, a speaker's turn, HTML, a call of a
# tool. Only one that is plainly an operator stays: `a < b`, `<= 3`, `<5`, `x <- y`.
_VOICE = "tacit|system|user|assistant|human|model|tool|function|instruction|memory|context|antml|im_|inst|sys"
_OPENING = (  # compiled when it is first asked: most prompts are given nothing
    rf"(?i)[<＜﹤](?!=|\d|-(?!-)|\s(?!\s*(?:[/!?|<＜﹤&]|{_VOICE})))"
    r"|&(?:amp;){0,9}(?:lt|#0{0,9}60|#x0{0,9}3c);?"
    r"|\[(?=/?(?:inst|sys|system|assistant|human)\])"
)
_LONGEST_NAME = 120


def fenced(lines: Sequence[str], nonce: str, name: str = "memory") -> str:
    """Lines between two marks that nothing in them can forge; the first of them says what the others are."""
    return "\n".join((f"<tacit-{name} {nonce}>", *lines, f"</tacit-{name} {nonce}>", ""))


def harmless(text: str) -> str:
    """One line that cannot close the fence, take another's voice, or make a reader fetch or call anything."""
    return re.sub(_OPENING, "‹", show(text)).replace("](", "] (")


def plain(text: str) -> str:
    """The same for what may have line breaks."""
    return harmless(" ".join(text.split()))


def named(files: Iterable[str], most: int) -> str:
    """The first of these, and how many more there are."""
    every = list(files)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(plain(clip(file, _LONGEST_NAME)) for file in every[:most]) + more
