"""What Tacit put into a request: the texts between its fences. Gemini CLI escapes them as HTML."""

from __future__ import annotations

import re
from html import unescape

from tests.clients.apis.shape import Body, texts

_FENCED = re.compile(r"<tacit-(\w+) (\S+)>(.*?)</tacit-\1 \2>", re.DOTALL)
OPENING = re.compile(r"(?:<|&lt;)tacit-\w+ ")


def fenced(body: Body, name: str) -> list[str]:
    """The text of every fence of this name in a request, in its order: memory, sessions, checkpoint."""
    found = (one for text in texts(body) for one in _FENCED.findall(unescape(text)))
    return [text for given, _, text in found if given == name]


def without(text: str) -> str:
    return _FENCED.sub("", unescape(text))
