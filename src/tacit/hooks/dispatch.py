"""What is done at an agent's hooks: something is given to the model, the person is told that suggestions wait, or a
transcript is captured.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from tacit.errors import StoreError
from tacit.home.capture_policy import is_session_captured, matching_ignore_entry
from tacit.home.home import Home
from tacit.home.paths import HomePaths, find_home
from tacit.home.settings import Settings, settings_or_defaults
from tacit.hosts import load_host
from tacit.hosts.protocol import HookInput, HookKind, Host
from tacit.hosts.queue import (
    REINDEX,
    CaptureRequest,
    drain,
    enqueue,
    grown_transcripts,
    has_pending,
    mark_ended,
    mark_unfinished,
)
from tacit.index import reader
from tacit.model.claim import Kind

if TYPE_CHECKING:
    from tacit.inject.injector import Injector

_DEADLINE_SECONDS = 9  # seconds; then the system ends a process that captures. What it had not read yet still waits.
_MAX_LEARNED_SESSIONS = 10  # learned from at once
_ENCODE_SECONDS = 4.0  # seconds of that for vectors of meaning
_DRAIN_TIMEOUT_SECONDS = 0.8  # seconds to wait for what this session did until now
_NEW_SESSION_SOURCES = ("startup", "")  # a session that is resumed, cleared or compacted had its notice when it began


def inject(name: str, event: str, given: bytes, home: str | None) -> str:
    """What is printed; nothing where there is nothing to say, or where anything is wrong."""
    with suppress(Exception):
        told_by = load_host(name)
        told = _parse_payload(told_by, event, given)
        if told_by and told:
            return _hook_output(told_by, event, told, home)
    return ""


def _hook_output(told_by: Host, event: str, told: HookInput, home: str | None) -> str:
    """A text for the model and a line for the person, as the host takes them."""
    place = find_home(home, dict(os.environ))
    settings = settings_or_defaults(place.settings, os.environ)
    if not os.path.isdir(place.root):
        return ""
    if told.kind is HookKind.START:
        _queue_grown_sessions(place, settings)
    from tacit.inject.injector import Injector

    with Home(place.root, cwd=told.directory or None, settings=settings) as opened:
        injector = Injector(opened)
        answer = told_by.format_output(event, _model_text(told_by, told, place, injector))
        begins = told.kind is HookKind.START and told.source in _NEW_SESSION_SOURCES
        if begins and told_by.add_notice and settings.agents_notice:
            with suppress(Exception):  # the text for the model counts more
                notice = _notice_line(_count_suggestions(opened), opened.count_untrusted())
                answer = told_by.add_notice(answer, notice) if notice else answer
    return answer


def _count_suggestions(home: Home) -> int:
    """How many suggestions wait for the person, in all projects; none for a folder that is left out."""
    if matching_ignore_entry(home.settings, home.user_folder, home.cwd):
        return 0

    def ask(connection: sqlite3.Connection) -> int:
        pending = reader.count_pending(connection)
        waiting = sum(pending.values())
        if Kind.WORKFLOW_PATTERN.label in pending:  # a pattern that a longer one contains waits, but no list shows it
            from tacit.learn.habits.counts import scope_lookup
            from tacit.learn.habits.learn import count_hidden_habits

            waiting -= count_hidden_habits(connection, scope_lookup(connection, home.user_folder))
        return waiting

    return home.store.read(ask)


def _notice_line(suggestions: int, untrusted: int) -> str:
    """A line for the person, or "" when nothing waits; no text of any memory is in it."""
    waiting, commands = [], []
    if suggestions:
        waiting.append("1 suggestion" if suggestions == 1 else f"{suggestions} suggestions")
        commands.append("tacit review")
    if untrusted:
        waiting.append("1 fact of this repository" if untrusted == 1 else f"{untrusted} facts of this repository")
        commands.append("tacit trust")
    if not waiting:
        return ""
    verb = "waits" if suggestions + untrusted == 1 else "wait"
    return f"Tacit: {' and '.join(waiting)} {verb} for you. In a terminal of your own, type: {', '.join(commands)}"


def _model_text(told_by: Host, told: HookInput, place: HomePaths, injector: Injector) -> str:
    """What the model is told; nothing at a start that its host ignores."""
    if told.kind is HookKind.START and not _has_start_output(told_by):
        return ""
    from tacit.inject.injector import AgentSession

    asker = AgentSession(
        told_by.name, told.session, told.source, told_by.resume_replaces_start and told.source == "resume"
    )
    if told.source in ("compact", "resume"):
        _queue_session(place, told_by.name, told)
        drain_now(place, _DRAIN_TIMEOUT_SECONDS)
    try:
        start = told.kind is HookKind.START or (not _has_start_output(told_by) and injector.is_first(asker))
        return injector.inject(asker, start=start, prompt=told.prompt)
    except StoreError:
        enqueue(place, REINDEX)  # whoever takes up notes makes the index, too
        raise


def _queue_grown_sessions(place: HomePaths, settings: Settings) -> None:
    """Note sessions that were captured and went on without telling; whoever takes up notes reads them."""
    anyhow = settings._replace(autocapture_on_modes=())
    for note in grown_transcripts(place):
        if is_session_captured(anyhow, place, note.session, ""):
            enqueue(place, note)


def _has_start_output(told_by: Host) -> bool:
    """Whether the model hears what is said at the start of a session; else the first prompt has to do."""
    return any(hook.kind is HookKind.START and told_by.format_output(hook.event, "x") for hook in told_by.hooks)


def capture(name: str, event: str, given: bytes, home: str | None) -> None:
    """Note that there is something new, and read it unless somebody is at it."""
    _set_deadline()
    told = _parse_payload(load_host(name), event, given)
    place = find_home(home, dict(os.environ))
    if told and (note := _queue_session(place, name, told)):
        (mark_ended if told.kind is HookKind.END else mark_unfinished)(place, note)
        drain_now(place)
        if told.kind is HookKind.END:
            _learn_from_sessions(place)
            _encode_vectors(place)


def _set_deadline() -> None:
    """The kernel ends this process at its deadline. What a host ignores is inherited, so that has to be undone."""
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_DEADLINE_SECONDS)


def process_queue(home: str | None) -> None:
    """Read what others had to leave."""
    _set_deadline()
    place = find_home(home, dict(os.environ))
    drain_now(place)
    _learn_from_sessions(place)
    _encode_vectors(place)


def _learn_from_sessions(place: HomePaths) -> None:
    """Suggest what sessions that are over said; the person decides. Nobody waits for it."""
    from tacit.learn.sessions import SessionLearning

    with Home(place.root, cwd="/") as home:
        learning = SessionLearning(home)
        for row in learning.unlearned_sessions()[:_MAX_LEARNED_SESSIONS]:
            learning.learn_from_session(row)


def _encode_vectors(place: HomePaths) -> None:
    """Make vectors of what was said, where the extra for meaning lies beside us. Nobody waits for it."""
    from tacit.vault.embeddings import Embeddings

    with Home(place.root, cwd="/") as home:
        Embeddings(home).encode(_ENCODE_SECONDS)


def has_queued(home: str | None) -> bool:
    return has_pending(find_home(home, dict(os.environ)))


def drain_now(place: HomePaths, patience: float = 0.0) -> None:
    from tacit.hosts.capture import QueuedCapture

    with Home(place.root, cwd="/") as home:
        queued = QueuedCapture(home)
        if drain(
            place, queued.capture_request, patience
        ):  # else whoever captures files, too, and is not to wait for us
            queued.update_index()


def _queue_session(place: HomePaths, agent: str, told: HookInput) -> CaptureRequest | None:
    """Write down that a session has something new, if it is captured at all."""
    settings = settings_or_defaults(place.settings, os.environ)
    if not is_session_captured(settings, place, told.session, told.mode):
        return None
    note = CaptureRequest(agent, told.session, told.transcript)
    enqueue(place, note)
    return note


def _parse_payload(told_by: Host | None, event: str, given: bytes) -> HookInput | None:
    payload = json.loads(given) if told_by else None
    return told_by.parse_input(event, payload) if told_by and isinstance(payload, dict) else None
