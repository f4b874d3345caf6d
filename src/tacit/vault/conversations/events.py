"""From what was heard in a transcript to events: who said it, in which project, under an id that is always the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from tacit.capture.agents.heard import Heard
from tacit.core.claim import Scope
from tacit.core.conversation import Act, By, Conversation, PromptGiven, Titled, ToolUsed
from tacit.core.event import USER, Event, Origin
from tacit.core.ids import derived_id
from tacit.core.provenance import Provenance
from tacit.core.text import clean, clip
from tacit.vault.conversations.places import scope_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LATEST = 0xFFFF_FFFF_FFFF
_QUARTER = 900
_MOST_NAME = 128


class Composer:
    """Makes events of what agents' hosts wrote down on this machine."""

    def __init__(self, host: str, user_folder: str) -> None:
        self._host = host
        self._user_folder = user_folder
        self._scopes: dict[tuple[str, str], Scope] = {}
        self._offsets: dict[int, int] = {}

    def event(self, agent: str, heard: Heard, is_used: Callable[[Scope], bool]) -> Event:
        """`is_used` tells which of a project's names its memories are under."""
        milliseconds = min(max((heard.at - _EPOCH) // _MILLISECOND, 0), _LATEST)
        digest = blake2b(f"{agent}\n{heard.key}".encode("utf-8", "replace"), digest_size=8).digest()
        name = derived_id(0 if heard.timeless else milliseconds, heard.place, digest)
        actor, provenance = _voice(heard.body)
        session = clip(clean(heard.session), _MOST_NAME)
        origin = Origin(heard.at, self._offset(milliseconds // 1000), self._host, session, actor, provenance)
        return Event(name, name, origin, self._scope(heard.directory, heard.remote, is_used), heard.body)

    def _scope(self, directory: str, remote: str, is_used: Callable[[Scope], bool]) -> Scope:
        place = (directory, remote)
        if place not in self._scopes:
            self._scopes[place] = scope_of(directory, remote, self._user_folder, is_used)
        return self._scopes[place]

    def _offset(self, second: int) -> int:
        """Minutes from UTC, by the clock on this machine's wall at that time."""
        quarter = second // _QUARTER
        if quarter not in self._offsets:
            try:
                self._offsets[quarter] = time.localtime(second).tm_gmtoff // 60
            except (OverflowError, OSError, ValueError):
                self._offsets[quarter] = 0
        return self._offsets[quarter]


def _voice(body: Conversation | Titled) -> tuple[str, Provenance]:
    """The person's words are theirs; an agent's are a model's; what comes from elsewhere nobody vouches for."""
    if isinstance(body, PromptGiven) or (isinstance(body, Titled) and body.by is By.PERSON):
        return USER, Provenance.USER_DIRECT
    if isinstance(body, ToolUsed):
        is_foreign = body.act is Act.FETCHED
        return f"agent:{body.agent}", Provenance.EXTERNAL if is_foreign else Provenance.TOOL_LOCAL
    return f"agent:{body.agent}", Provenance.MODEL
