"""Redaction of streams, and of many short texts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tacit.secrets.redact import Secret, find_secrets, find_secrets_near, redacted, replace_secrets, secret_kind

# Secrets taken out of many short texts at once: the same few are looked at once, and several are looked at together.
#
# Where a block of lines holds no secret, none of its lines does: whatever tells a secret by itself tells it among
# others too. (A test holds the tables to that.) Only where something is found are the halves looked at, down to
# single lines.

_MAX_CACHED_CHARS = 4_000_000  # characters


class BatchRedactor:
    """`mark` is what a secret that was hidden is known again by."""

    def __init__(self, mark: Callable[[str], str] | None = None) -> None:
        self._digest = mark
        self._redacted: dict[str, str] = {}
        self._cached_chars = 0

    def redact(self, texts: Sequence[str]) -> list[str]:
        """The same texts, each as `redacted` would leave it."""
        if self._cached_chars > _MAX_CACHED_CHARS:
            self._redacted, self._cached_chars = {}, 0
        clean = self._redacted
        new = [text for text in dict.fromkeys(texts) if text not in clean]
        if new:
            self._redact_block(new)
            self._cached_chars += sum(map(len, new))
        return [clean[text] for text in texts]

    def _redact_block(self, texts: Sequence[str]) -> None:
        if len(texts) == 1:
            self._redacted[texts[0]] = redacted(texts[0], self._digest)
        elif secret_kind("\n".join(texts)) is None:
            self._redacted.update(zip(texts, texts, strict=True))
        else:
            half = len(texts) // 2
            self._redact_block(texts[:half])
            self._redact_block(texts[half:])


# A text of any length, hidden piece by piece.
#
# A piece is let go only up to a place far enough before its end: whatever begins before that place ends, with all it
# is told by, within what has been read, and has been hidden.

MAX_SECRET_CHARS = 32_768  # characters; no secret is longer, together with what it is told by
_REDACTION_START = "[redacted:"
_MAX_REDACTION_CHARS = 80

SecretDigest = Callable[[str], str]
OnSecret = Callable[[Secret], None]


def redact_stream(pieces: Iterable[str], mark: SecretDigest, found: OnSecret) -> Iterator[str]:
    """The pieces joined, with every secret hidden; `found` is told of each."""
    held = ""
    for piece in pieces:
        held = _redact_window(held + piece, mark, found, keep=MAX_SECRET_CHARS)
        cut = _split_offset(held)
        yield held[:cut]
        held = held[cut:]
    yield _redact_window(held, mark, found, keep=0)


def _redact_window(text: str, mark: SecretDigest, found: OnSecret, keep: int) -> str:
    """Hide what ends before the last `keep` characters, where the rest of a secret may still be to come."""
    secrets = find_secrets(text)
    while secrets := [secret for secret in secrets if secret.end <= len(text) - keep]:
        for secret in secrets:
            found(secret)
        text, places = replace_secrets(text, secrets, mark)
        secrets = find_secrets_near(text, places)
    return text


def _split_offset(text: str) -> int:
    """Behind a line or at least a word, twice as far before the end as a secret reaches; never inside a mark."""
    latest = max(0, len(text) - 2 * MAX_SECRET_CHARS)
    for edge in ("\n", " "):
        if (at := text.rfind(edge, max(0, latest - MAX_SECRET_CHARS), latest)) >= 0:
            return at + 1
    mark = text.rfind(_REDACTION_START, max(0, latest - _MAX_REDACTION_CHARS), latest + len(_REDACTION_START))
    return latest if mark < 0 else mark
