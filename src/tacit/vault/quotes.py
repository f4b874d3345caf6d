"""Quotes: whether the person typed the words that an agent gives as the reason for a suggestion.

An agent may quote the person, and may be wrong. A quote counts only if it is in a prompt of a recorded session of this
project, or in the transcript of a session that is being recorded and was written within the last day. A person's
transcripts are read where hosts keep them, never from a path that an agent names.
"""

from __future__ import annotations

import re
import unicodedata

from tacit.home.home import HomePart
from tacit.hosts.capture import TranscriptCapture
from tacit.index import sessions
from tacit.log.codec import must_decode
from tacit.model.event import Event
from tacit.model.ids import ClaimId
from tacit.model.observation import PromptGiven, PromptKind, session_id
from tacit.record import Record

_MIN_CHARS = 4  # a shorter quote, such as "yes", says nothing; four characters are a statement in Chinese
_MAX_SESSIONS = 100  # of the project, the latest
_MAX_TRANSCRIPTS, _RECENT_SECONDS = 10, 86_400.0
_QUOTE_MARKS = str.maketrans(dict.fromkeys("‘’‚‛`´′", "'") | dict.fromkeys("“”„‟«»″", '"'))
_WORD = re.compile(r"[A-Za-z0-9]{3,}")


class QuotedPrompt(Record):
    """The prompt that a quote is in, and the id of its session, which may not be recorded yet."""

    event: Event
    session: ClaimId

    @property
    def agent(self) -> str:
        """The host that the person talked to."""
        assert isinstance(self.event.body, PromptGiven)
        return self.event.body.agent


def normalize_quote(text: str) -> str:
    """Return a text with single blanks, plain quote marks and composed characters, without outer quote marks."""
    return _normalize(text).strip("\"' ")


def contains_quote(text: str, quote: str) -> bool:
    """Return whether a text has these words, from the beginning of a word to the end of one. `quote` is normalised."""
    if len(quote) < _MIN_CHARS:
        return False
    normalized = f" {_normalize(text)} "
    at = normalized.find(quote)
    while at >= 0:
        end = at + len(quote)
        if not (_is_in_word(normalized[at - 1 : at + 1]) or _is_in_word(normalized[end - 1 : end + 1])):
            return True
        at = normalized.find(quote, at + 1)
    return False


def _normalize(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTE_MARKS).split())


def _is_in_word(pair: str) -> bool:
    """Return whether two characters belong to one word, in a script that separates words."""
    return pair.isascii() and pair.isalnum()


class Quotes(HomePart):
    """The words of the person in the current project."""

    def find(self, quote: str) -> QuotedPrompt | None:
        """Return the prompt that a quote is in, in the latest session that has it. None if there is none."""
        normalized = normalize_quote(quote)
        if len(normalized) < _MIN_CHARS:
            return None
        longest = max(_WORD.findall(normalized), key=len, default="").encode()
        with self._store.snapshot() as connection:
            scope = self._folder_scope(connection, self._home.cwd)
            for session, line in sessions.prompt_lines(connection, scope, sessions=_MAX_SESSIONS):
                if longest in line and _is_quoted(event := must_decode(line), normalized):
                    return QuotedPrompt(event, session)
        # A prompt that a hook will record when the turn ends.
        capture = TranscriptCapture(self._home)
        for path in capture.recent_transcripts(_RECENT_SECONDS, _MAX_TRANSCRIPTS):
            for event in capture.uncaptured_prompts(path):
                if event.scope == scope and isinstance(event.body, PromptGiven) and _is_quoted(event, normalized):
                    return QuotedPrompt(event, session_id(event.body.agent, event.origin.session))
        return None


def _is_quoted(event: Event, quote: str) -> bool:
    body = event.body
    return isinstance(body, PromptGiven) and body.how is not PromptKind.SHELL and contains_quote(body.text, quote)
