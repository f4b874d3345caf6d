"""Capturing what hooks have noted: the transcript of a session, and those of its helpers."""

from __future__ import annotations

import os

from tacit.core.errors import StoreUnwell
from tacit.vault.conversations.capturing import TranscriptCapture
from tacit.vault.conversations.pending import Note
from tacit.vault.opened import Part

_UNFILED = 256 * 1024  # bytes that may wait while there are more transcripts


class QueuedCapture(Part):
    """An open home that takes in what hooks point at."""

    def capture_noted(self, note: Note) -> None:
        files = [note.transcript] if note.transcript else self._of_session(note)
        found = [one for file in files for one in (file, *_helpers(file)) if os.path.isfile(one)]
        for told in TranscriptCapture(self._home).capture_transcripts(found):
            if isinstance(told.problem, StoreUnwell):  # the home's fault, not the transcript's: its note is to stay
                raise told.problem
        if self._store.is_far_behind(_UNFILED):  # it is read again with every transcript
            self.file()

    def file(self) -> None:
        """Let index and pages follow, so that whoever asks next need not wait for it."""
        self._store.catch_up()

    def _of_session(self, note: Note) -> list[str]:
        """Where the host names no transcript: those of this agent that bear the session's name, or its one database."""
        from tacit.capture.agents.sources import SOURCES, transcripts

        source = SOURCES.get(note.agent)
        places = source.places(self._home.environment, self._home.user_folder) if source else []
        found = [path for place in places if os.path.exists(place) for path in transcripts(place)]
        return [path for path in found if note.session in path or path.endswith(".db")]


def _helpers(transcript: str) -> list[str]:
    """Claude Code keeps the transcripts of helpers in a folder beside that of the session."""
    folder = os.path.join(transcript.removesuffix(".jsonl"), "subagents")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".jsonl")]
