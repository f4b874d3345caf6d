"""Redaction: secrets are found before anything is written. Their kind is named, their value never.

`refuse_secrets` is for what a person states, `redacted` for what is captured. Many short texts, and texts of any length,
have their own functions. What each kind looks like is in the tables of this package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from tacit.errors import RefusedError
from tacit.record import Record
from tacit.secrets.scanner import find_spans

SecretDigest = Callable[[str], str]  # eight hex digits by which a redacted secret is recognised
_RESCAN_CHARS = 4096  # no context of a secret is longer, except the block of a key, which is redacted whole
_EDGE_CHARS = 512
_REDACTION = r"\[redacted:[a-z0-9-]+(?::[0-9a-f]+)?\]"  # compiled when it is needed, which is seldom


class Secret(Record):
    """The span of a secret's value in a text, and its kind."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[Secret]:
    """Return every secret of a text, in order and without overlaps."""
    return [Secret(*span) for span in find_spans(text)]


def secret_kind(text: str) -> str | None:
    """Return the kind of the first secret in a text; None if there is none."""
    spans = find_spans(text)
    return spans[0][2] if spans else None


def refuse_secrets(*texts: str) -> None:
    """Raise RefusedError if a text contains a secret. The message names its kind, never its value."""
    for text in texts:
        if kind := secret_kind(text):
            raise RefusedError(
                f"this looks like a secret ({kind}), and Tacit stores none",
                "say it without the value, for example where the value is kept",
            )


def redacted(text: str, digest: SecretDigest | None = None) -> str:
    """Return the text with each secret as `[redacted:KIND]`, or as `[redacted:KIND:DIGEST]`."""
    return _redact_window(text, digest, lambda _: None, unfinished=0)


def _replace_secrets(text: str, secrets: list[Secret], digest: SecretDigest | None) -> tuple[str, list[int]]:
    """Return the text with these secrets redacted, and the offsets of the redactions."""
    parts: list[str] = []
    offsets: list[int] = []
    done = size = 0
    for start, end, kind in secrets:
        slug = "".join(char if char.isalnum() else "-" for char in kind.lower())
        mark = digest(text[start:end]) if digest else ""
        redaction = f"[redacted:{slug}:{mark}]" if mark else f"[redacted:{slug}]"
        parts += (text[done:start], redaction)
        size += start - done
        offsets.append(size)
        size += len(redaction)
        done = end
    parts.append(text[done:])
    return "".join(parts), offsets


def _find_near(text: str, offsets: list[int]) -> list[Secret]:
    """Return secrets near new redactions: what was there may have separated a secret from its context."""
    secrets: list[Secret] = []
    start = end = 0
    for offset in [*offsets, len(text) + 2 * _RESCAN_CHARS]:
        if offset - _RESCAN_CHARS > end:
            # Those near the edges of a window do not count, because their context is cut off.
            first = 0 if start == 0 else start + _EDGE_CHARS
            last = len(text) if end == len(text) else end - _EDGE_CHARS
            for begin, stop, kind in find_spans(text[start:end]):
                if begin + start >= first and stop + start <= last:
                    secrets.append(Secret(*_with_redactions(text, begin + start, stop + start), kind))
            start = offset - _RESCAN_CHARS
        end = min(len(text), offset + _RESCAN_CHARS)
    return [secret for before, secret in pairwise([Secret(0, 0, ""), *secrets]) if secret.start >= before.end]


def _with_redactions(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span with the whole of each redaction that it begins or ends in: half of one says nothing."""
    for mark in re.compile(_REDACTION).finditer(text, max(0, start - _EDGE_CHARS), end + _EDGE_CHARS):
        if mark.start() < start < mark.end():
            start = mark.start()
        if mark.start() < end < mark.end():
            end = mark.end()
    return start, end


# Many short texts

_MAX_CACHED_CHARS = 4_000_000


class BatchRedactor:
    """Redacts many short texts. Equal texts are searched once, and different ones together.

    If a block of lines contains no secret, none of its lines does: whatever shows a secret by itself shows it among other
    lines too. (A test holds the tables to that.) Only if a block contains one are its halves searched, down to single
    lines.
    """

    def __init__(self, digest: SecretDigest | None = None) -> None:
        self._digest = digest
        self._redacted: dict[str, str] = {}
        self._cached_chars = 0

    def redact(self, texts: Sequence[str]) -> list[str]:
        """Return each text as `redacted` would."""
        if self._cached_chars > _MAX_CACHED_CHARS:
            self._redacted, self._cached_chars = {}, 0
        if new := [text for text in dict.fromkeys(texts) if text not in self._redacted]:
            self._redact_block(new)
            self._cached_chars += sum(map(len, new))
        return [self._redacted[text] for text in texts]

    def _redact_block(self, texts: Sequence[str]) -> None:
        if len(texts) == 1:
            self._redacted[texts[0]] = redacted(texts[0], self._digest)
        elif secret_kind("\n".join(texts)) is None:
            self._redacted.update(zip(texts, texts, strict=True))
        else:
            half = len(texts) // 2
            self._redact_block(texts[:half])
            self._redact_block(texts[half:])


# A text of any length

MAX_SECRET_CHARS = 32_768  # no secret is longer, together with its context
_REDACTION_START = "[redacted:"
_MAX_REDACTION_CHARS = 80


def redact_stream(pieces: Iterable[str], digest: SecretDigest, on_secret: Callable[[Secret], None]) -> Iterator[str]:
    """Yield the joined pieces with every secret redacted. `on_secret` is called for each.

    A part is yielded only up to a place far enough before the end of what was read: every secret that begins before that
    place ends, with its context, within what was read.
    """
    pending = ""
    for piece in pieces:
        pending = _redact_window(pending + piece, digest, on_secret, unfinished=MAX_SECRET_CHARS)
        # After a line or a word, twice as far before the end as a secret is long; never in a redaction.
        latest = max(0, len(pending) - 2 * MAX_SECRET_CHARS)
        edges = (pending.rfind(edge, max(0, latest - MAX_SECRET_CHARS), latest) + 1 for edge in ("\n", " "))
        if not (split := next(filter(None, edges), 0)):
            first, last = max(0, latest - _MAX_REDACTION_CHARS), latest + len(_REDACTION_START)
            mark = pending.rfind(_REDACTION_START, first, last)
            split = latest if mark < 0 else mark
        yield pending[:split]
        pending = pending[split:]
    yield _redact_window(pending, digest, on_secret, unfinished=0)


def _redact_window(text: str, digest: SecretDigest | None, on_secret: Callable[[Secret], None], unfinished: int) -> str:
    """Redact secrets that end before the last `unfinished` characters, where the rest of a secret may be missing."""
    secrets = find_secrets(text)
    while secrets := [secret for secret in secrets if secret.end <= len(text) - unfinished]:
        for secret in secrets:
            on_secret(secret)
        text, offsets = _replace_secrets(text, secrets, digest)
        secrets = _find_near(text, offsets)
    return text
